"""Trace of what one car is paid, step by step and component by component."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rltui import safe_io
from rltui.actions.masking import idle_rows
from rltui.actions.spec import ActionSpec
from rltui.env.arena_groups import MATCH
from rltui.env.from_profile import env_spec, table_rows
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.step import StepOut
from rltui.errors import RltuiError, did_you_mean, hints, in_words, users_line
from rltui.field import CONTROLS, TICKS_PER_SECOND
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, saved_game
from rltui.profile.load import load
from rltui.profile.locate import STATE_FILE, list_profiles
from rltui.runs.checkpoint import POLICY_FILE, damage
from rltui.runs.inventory import complete_checkpoints, read_checkpoint_info
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resolve import find_checkpoint, names_checkpoint, run_called
from rltui.sim.state import Float, Int

BEFORE = ("step", "episode", "tick", "seconds", "action")
AFTER = ("total", "running_total", "terminated", "truncated", "touches")
Chooser = Callable[[StepOut], Int]  # int64 [K, learners] for what is seen now
NOISE = 0x6E  # sets the choices' random numbers apart from the arenas'


def columns(components: Sequence[str]) -> list[str]:
    """Of the table that the steps make."""
    return [*BEFORE, *CONTROLS, *components, *AFTER]


@dataclass(frozen=True)
class TraceStep:
    """One step of the car. tick, seconds: since its episode began; action: row of the table, None where the policy does not
    play the car; terms: by component; running_total: since the episode began.
    """

    step: int
    episode: int
    tick: int
    action: int | None
    controls: tuple[float, ...]
    terms: tuple[float, ...]
    total: float
    running_total: float
    terminated: bool
    truncated: bool
    touches: int

    @property
    def cells(self) -> list[str]:
        """In the order of `columns`; numbers with as many digits as a float32 has."""
        row = "" if self.action is None else str(self.action)
        before = [str(self.step), str(self.episode), str(self.tick), _number(self.tick / TICKS_PER_SECOND), row]
        ends = [str(int(self.terminated)), str(int(self.truncated)), str(self.touches)]
        return [*before, *map(_number, (*self.controls, *self.terms, self.total, self.running_total)), *ends]


def _number(value: float) -> str:
    return f"{value + 0.0:.9g}"  # −0 is 0


def idle(rows: Float, shape: tuple[int, int]) -> Chooser:
    """Nothing is pressed. RltuiError where the table [N, 8] has no such row."""
    found = np.flatnonzero(idle_rows(rows))
    if not len(found):
        raise RltuiError("the action table has no row of zeros to idle with", "take --actions random", exit_code=2)
    actions = np.full(shape, found[0], np.int64)
    return lambda out: actions


def at_random(actions: ActionSpec, seed: Sequence[int]) -> Chooser:
    """Uniform over the rows that are legal."""
    rng = np.random.default_rng([*seed, NOISE])
    return lambda out: actions.at_random(rng, out.legality)


def by_policy(policy: SavedPolicy, shape: tuple[int, int], seed: Sequence[int], deterministic: bool) -> Chooser:
    """The policy's own choices, sampled or the most probable."""
    count = shape[0] * shape[1]
    network, noise = policy.network(count), GumbelBank([*seed, NOISE])
    actions, log_probs = np.zeros(count, np.int64), np.zeros(count, np.float32)

    def choose(out: StepOut) -> Int:
        obs, classes = out.obs.reshape(count, -1), out.legality.reshape(count)
        if deterministic:
            return network.best(obs, classes).reshape(shape)
        network.act(obs, noise, actions, log_probs, classes)
        return actions.reshape(shape)

    return choose


@dataclass(frozen=True)
class TraceSubject:
    """name: in words. timesteps: of training so far, which weights that follow a schedule go by."""

    name: str
    spec: EnvSpec
    policy: SavedPolicy | None = None
    timesteps: int = 0

    @property
    def rows(self) -> Float:
        """float32 [N, 8], the action table."""
        return table_rows(self.spec)

    def in_group(self, group: str) -> TraceSubject:
        """The same in the match, or in the practice arenas. RltuiError where there is no such arena group."""
        if group == MATCH:
            return self
        practice = self.spec.mechanics
        if practice is None or practice.name != group:
            raise RltuiError(
                f"{self.name} has no arena group {group!r}", "mechanics.weight above 0 opens one", exit_code=2
            )
        return replace(self, name=f"{self.name}, {group}", spec=self.spec.for_group(practice))

    def check(self, batch: SoccarBatch) -> None:
        """RltuiError where the policy's observation or table is another one by now."""
        if self.policy is None:
            return
        expected = self.policy.obs_size
        if batch.obs_size != expected:
            raise RltuiError(
                f"{self.name}: its observation has {batch.obs_size} numbers in {self.spec.blue}v{self.spec.orange}, "
                f"expected {expected}",
                "the observation's code or the team sizes have changed since",
            )
        if batch.table_hash != self.policy.table_hash:
            raise RltuiError(
                f"{self.name}: the action table {self.spec.table.name} has changed since: its hash is "
                f"{batch.table_hash[:12]}, expected {self.policy.table_hash[:12]}",
                "restore the table, or name a profile that has it: --profile PROFILE",
            )


def trace_subject(
    argument: str, data: DataDir, profile: str | None = None, overrides: Sequence[str] = ()
) -> TraceSubject:
    """Of a checkpoint or milestone (its folder, or RUN/005M), a policy.npz, a run (its newest checkpoint), or a profile.

    profile: instead of the one beside the policy. overrides: `section.key=value` for either. RltuiError says what is
    wrong, or what could have been meant.
    """
    path = safe_io.path_of(argument)
    if path.name == POLICY_FILE or path.suffix == ".npz" or (path / POLICY_FILE).is_file():
        return _of_policy(path, profile, overrides)
    if path.is_dir():
        reason = damage(path) or f"no {POLICY_FILE}"
        raise RltuiError(f"{path}: no checkpoint to trace: {reason}", "rltui ls shows the runs", exit_code=2)
    run = run_called(data, argument)
    if run is not None and (run.name == argument or argument not in [listed.name for listed in list_profiles()]):
        return _of_policy(_newest(run), profile, overrides)
    if names_checkpoint(data, argument):
        return _of_policy(
            find_checkpoint(data, argument, lambda state: f"rltui trace {state}")[1].path, profile, overrides
        )
    _check_known(argument, data)
    found = load(argument if profile is None else profile, overrides)
    return TraceSubject(f"profile {found.name}", env_spec(found))


def _check_known(argument: str, data: DataDir) -> None:
    """RltuiError for a bare word that names nothing: it may have been meant as a run, or as a profile."""
    path, profiles = Path(argument), [listed.name for listed in list_profiles()]
    if path.name == argument and not path.suffix and not path.exists() and argument not in profiles:
        raise RltuiError(
            f"there is no profile, run or bot {argument!r}",
            hints(
                did_you_mean(argument, [*profiles, *data.run_names()]),
                f"profiles: {', '.join(profiles)}; rltui ls shows the runs in {data.root}",
            ),
            exit_code=2,
        )


def _newest(run: RunPaths) -> Path:
    saved = complete_checkpoints(run)
    if not saved:
        raise RltuiError(f"run {run.name!r} has no complete checkpoint", "wait for its first, or trace its profile")
    return saved[-1].path


def _of_policy(path: Path, profile: str | None, overrides: Sequence[str]) -> TraceSubject:
    file = path / POLICY_FILE if path.is_dir() else path
    policy = load_policy(file)
    beside = file.parent / STATE_FILE
    if profile is None and not beside.is_file():
        raise RltuiError(
            f"{file}: no {STATE_FILE} beside it says what is paid", "name one: --profile PROFILE", exit_code=2
        )
    info = read_checkpoint_info(file.parent)
    name = info.name if path.is_dir() else str(path)
    timesteps = info.meta.timesteps if info.meta is not None else 0
    return TraceSubject(
        name, env_spec(load(profile or beside, overrides)).as_saved(saved_game(policy)), policy, timesteps
    )


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
            raise RltuiError(f"{place}: {in_words(error)}, at step {self._step}", "fix that line") from error

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
        return by_policy(subject.policy, shape, seed, options.deterministic)
    if actions == "idle":
        return idle(subject.rows, shape)
    return at_random(batch.action_spec, seed)
