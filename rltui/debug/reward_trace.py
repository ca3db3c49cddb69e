"""What one car is paid for, step by step: every component's weighted contribution, and the actions beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rltui.debug import trace_actions
from rltui.debug.trace_actions import Chooser
from rltui.debug.trace_step import TraceStep, columns
from rltui.debug.trace_subject import TraceSubject
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.step import StepOut
from rltui.errors import RltuiError, in_words, users_line
from rltui.sim.state import Float


@dataclass(frozen=True)
class TraceOptions:
    """arena, car: from 0; cars are all blue, then all orange. actions: policy, random, idle, or "" for what fits."""

    steps: int = 300
    arena: int = 0
    car: int = 0
    seed: int = 0
    actions: str = ""
    deterministic: bool = False


class RewardTrace:
    """Plays arenas up to the one that is asked for; a seed gives the same trace each time."""

    def __init__(self, subject: TraceSubject, options: TraceOptions) -> None:
        """RltuiError for a car or an arena that is not there, and for actions that cannot be had."""
        spec = subject.spec
        _check(subject, options)
        self._options = options
        self._batch = batch = SoccarBatch(spec, options.arena + 1, [options.seed])
        batch.set_timesteps(subject.timesteps)
        batch.on_judged = self._note
        subject.check(batch)
        self.components = batch.reward_names
        self.columns = columns(self.components)
        self.count = options.steps
        self.title = f"{subject.name}, {options.steps} steps of car {options.car} in arena {options.arena}"
        self._choose = _chooser(subject, options, batch)
        self._out = StepOut.zeros(batch.arenas, batch.learners, batch.obs_size)
        self._actions = np.zeros((batch.arenas, batch.learners), np.int64)
        self._step = self._episode = 0
        self._running = 0.0
        self._noted: list[TraceStep] = []

    def steps(self) -> Iterator[TraceStep]:
        """One after the other, as they are played; once. RltuiError where code of the user's own raises, with its line."""
        try:
            self._batch.reset(self._out)
            for _ in range(self.count):
                self._actions = self._choose(self._out)
                self._batch.step(self._actions, self._out)
                yield self._noted.pop()
        except Exception as error:  # whatever a user's component raises
            place = users_line(error)
            if isinstance(error, RltuiError) or not place:
                raise
            raise RltuiError(
                f"{place}: {in_words(error)}, at step {self._step}", "mend that line, then trace again"
            ) from error

    def _note(self, rewards: Float, terms: Float) -> None:
        """The step as it ended: afterwards an ended episode is gone."""
        arena, car = at = self._options.arena, self._options.car
        state, out = self._batch.state, self._out
        self._running += float(rewards[at])
        step = TraceStep(
            step=self._step,
            episode=self._episode,
            tick=int(state.tick[arena]),
            action=int(self._actions[at]) if car < self._batch.learners else None,
            controls=tuple(state.previous_actions[at].tolist()),
            terms=tuple(terms[:, arena, car].tolist()),
            total=float(rewards[at]),
            running_total=self._running,
            terminated=bool(out.terminated[arena]),
            truncated=bool(out.truncated[arena]),
            touches=int(state.touches[at]),
        )
        self._noted.append(step)
        self._step += 1
        if step.terminated or step.truncated:
            self._episode, self._running = self._episode + 1, 0.0


def _check(subject: TraceSubject, options: TraceOptions) -> None:
    spec = subject.spec
    cars = spec.blue + spec.orange
    if not 0 <= options.car < cars:
        known = f"0 to {spec.blue - 1} blue" if spec.blue else ""
        known += f"{', ' if known else ''}{spec.blue} to {cars - 1} orange" if spec.orange else ""
        raise RltuiError(f"there is no car {options.car} in {spec.blue}v{spec.orange}", f"cars: {known}", exit_code=2)
    if options.actions == "policy" and subject.policy is None:
        raise RltuiError(
            f"{subject.name} is a profile: it has no policy", "name a checkpoint's folder, or a run", exit_code=2
        )


def _chooser(subject: TraceSubject, options: TraceOptions, batch: SoccarBatch) -> Chooser:
    shape, seed = (batch.arenas, batch.learners), [options.seed]
    actions = options.actions or ("random" if subject.policy is None else "policy")
    if actions == "policy" and subject.policy is not None:
        return trace_actions.by_policy(subject.policy, shape, seed, options.deterministic)
    if actions == "idle":
        return trace_actions.idle(subject.rows, shape)
    return trace_actions.at_random(batch.n_actions, batch.masks, shape, seed)
