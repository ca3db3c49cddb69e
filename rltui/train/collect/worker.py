"""Worker process: an actor steps its arenas with the policy and writes rollouts into shared memory, led by messages."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

import numpy as np
from numpy.typing import NDArray

from rltui.env.collected_env import collected_env
from rltui.env.spec import EnvSpec
from rltui.env.step import StepOut
from rltui.errors import RltuiError, users_line
from rltui.policy.mlp import GumbelBank
from rltui.supervise.shared_memory import SharedBlock
from rltui.supervise.signals import become_subordinate, trace_when_asked
from rltui.train.collect.acting import AskedPolicy, Block, LocalPolicy, Policy
from rltui.train.collect.debug_output import ACTIONS, TURTLED, ActorDebug, Line, LineLimit
from rltui.train.collect.messages import (
    Collect,
    Configure,
    Configured,
    DebugLines,
    Ready,
    RolloutDone,
    WorkerRaised,
    decode_to_worker,
    encode,
)
from rltui.train.collect.shared_rollout import PARTS, RolloutShape, SharedRollout

BANK_DRAWS = 90  # steps' worth of noise in the bank: two draws in a row overlap once in 45 steps
TURTLED_RESET = "turtled"
NICE = 5  # below the trainer, the interface and the user's own programs
NOISE = 0x6E  # sets the exploration's random numbers apart from the arenas'


@dataclass(frozen=True)
class ActorSpec:
    """What an actor is built from. `seed` is (run seed, worker, timesteps at the start, restarts): never the same twice."""

    env: EnvSpec
    arenas: int
    policy_sizes: tuple[int, ...]
    seed: tuple[int, ...]
    table_hash: str = ""  # of the action table that the run began with; empty: not compared
    normalize: bool = False  # observations: the weights then end with their statistics
    central: bool = False  # the trainer is asked for the actions

    @property
    def parts(self) -> int:
        """Of the arenas: one simulates while the other waits for its actions."""
        return min(PARTS, self.arenas) if self.central else 1


class Actor:
    """Acts in its arenas and writes rollouts into arrays that others own."""

    def __init__(
        self,
        spec: ActorSpec,
        cursor: NDArray[np.int64],
        say: Callable[[list[Line]], None],
        policy: Policy | None = None,
    ) -> None:
        """cursor: int64 [1], the arena being simulated, kept current for the report of a crash. say: gets debug lines.
        policy: None: one of its own, in NumPy.
        """
        self.env = collected_env(spec.env, spec.arenas, spec.seed, cursor, spec.parts)
        if spec.table_hash not in ("", self.env.table_hash):
            raise RltuiError(
                f"the action table {spec.env.table.name} has changed since the run began",
                "restore it, or start anew: --resume new",
            )
        self._name = spec.env.environment
        self._agents = spec.arenas * self.env.learners
        self._policy = policy or self._own_policy(spec)
        self._player = np.zeros((spec.arenas, self.env.learners), np.uint8)
        self._now = replace(StepOut.zeros(spec.arenas, self.env.learners, self.env.obs_size), player=self._player)
        self._say, self._limit = say, LineLimit()
        self._debug: ActorDebug | None = None
        self._settings = Configure(0)
        self._refused: dict[str, str] = {}  # opponents that cannot play here, not yet reported
        self._restart_episodes = False  # the next rollout begins with new episodes
        self._has_played = False
        self.env.reset(self._now)

    def _own_policy(self, spec: ActorSpec) -> Policy:
        noise = GumbelBank((*spec.seed, NOISE), self._agents * self.env.action_spec.outputs * BANK_DRAWS)
        agents = part_agents(self.env.parts, self.env.learners)
        return LocalPolicy(spec.policy_sizes, agents, self.env.action_spec, spec.normalize, noise)

    def configure(self, settings: Configure) -> None:
        """May be called between any two steps. Weights hold from the next rollout on."""
        before, self._settings = self._settings, settings
        flags = settings.flags
        self._restart_episodes = self._restart_episodes or settings.restart_episodes
        self._limit.configure(settings.lines_per_second, flags)
        self.env.set_weights(settings.weights)
        if settings.opponents != before.opponents:
            self._refused |= self.env.set_opponents(settings.opponents)
            self._restart_episodes = self._restart_episodes or not self._has_played  # nobody waits for an episode's end
        if flags == before.flags:
            return
        if self._debug is not None:
            self._debug.close()
        self.env.force_reset(TURTLED_RESET if TURTLED in flags else "")
        self._debug = ActorDebug(self.env, flags, self._limit, self._say) if flags and self.env.batches() else None
        if flags and self._debug is None:
            self._say([(flags[0], f"{self._name} is an environment of your own: there are no debug lines of it")])
        if self._debug is not None and ACTIONS in flags and ACTIONS not in before.flags:
            self._debug.name_controls()

    def rollout(
        self, block: Block, weights: NDArray[np.float32], timesteps: int, on_step: Callable[[int], None]
    ) -> RolloutDone:
        """Fill one worker block (SharedRollout.worker_block) after so many timesteps of training. `on_step(t)` is called before
        each step and may raise.
        """
        started = time.perf_counter()
        self.env.set_timesteps(timesteps)
        self._has_played = True
        if self._restart_episodes:
            self._restart_episodes = False
            self.env.reset(self._now)
        if self._debug is not None:
            self._debug.began()
        self._policy.begin(block, weights)
        most, learners = len(block["actions"]), self.env.learners
        views = [_PartViews(block, arenas, learners) for arenas in self.env.parts]
        block["obs"][0] = self._now.obs.reshape(self._agents, -1)
        block["legality"][0] = self._now.legality.reshape(-1)
        block["player"].fill(0)
        block["player"][0] = self._player.reshape(-1)
        for part in range(len(views)):
            self._policy.seen(part, 0)
        t, count, infer = 0, 0, 0.0
        while t < most:
            on_step(t)
            before = time.perf_counter()
            begins = self._policy.begins(t)
            infer += time.perf_counter() - before
            if not begins:
                break
            for part, view in enumerate(views):
                before = time.perf_counter()
                self._policy.act(part, t)
                infer += time.perf_counter() - before
                finals = self.env.step(view.actions[t], view.outs[t], part)
                view.spread_ends(t)
                if t + 1 < most:
                    self._policy.seen(part, t + 1)
                if len(finals.arenas):
                    count = self._store_finals(block, t, count, finals.arenas + view.first, finals.obs)
            if self._debug is not None:
                self._debug.stepped(t, block["actions"][t], block["log_probs"][t])
            t += 1
        block["final_count"][...] = count
        self._now.obs[...] = block["obs"][t].reshape(self._now.obs.shape)
        self._now.legality[...] = block["legality"][t].reshape(self._now.legality.shape)
        self._player[...] = block["player"][t].reshape(self._player.shape)
        if self._debug is not None:
            self._debug.finished(block["actions"][:t][block["player"][:t] == 0])
        return self._report(t, time.perf_counter() - started, infer)

    def _store_finals(
        self, block: Block, t: int, count: int, arenas: NDArray[np.int64], obs: NDArray[np.float32]
    ) -> int:
        """Append the true final observations of arenas cut at step t; returns the new count."""
        cars = self.env.learners
        agents = (arenas[:, None] * cars + np.arange(cars)).ravel()
        end = count + len(agents)
        block["final_index"][count:end] = t * self._agents + agents
        block["final_obs"][count:end] = obs.reshape(len(agents), -1)
        return end

    def _report(self, steps: int, seconds: float, infer: float) -> RolloutDone:
        parts = {**self.env.take_timings(), "infer": infer}
        parts["other"] = max(0.0, seconds - sum(parts.values()))
        refused, self._refused = self._refused, {}
        return RolloutDone(
            seconds, parts, self.env.drain_stats(), resident_bytes(), steps, refused, sorted(self.env.playing())
        )


class _PartViews:
    """The per-step views of a part of a block's arenas, made once a rollout so that the loop only indexes lists."""

    def __init__(self, block: Block, arenas: slice, cars: int) -> None:
        steps, count = len(block["actions"]), arenas.stop - arenas.start
        [agents] = part_agents([arenas], cars)
        obs = block["obs"][:, agents].reshape(steps + 1, count, cars, -1)
        legality, player = (block[name][:, agents].reshape(steps + 1, count, cars) for name in ("legality", "player"))
        rewards, self._terminated, self._truncated, actions = (
            block[name].reshape(steps, -1, cars)[:, arenas]
            for name in ("rewards", "terminated", "truncated", "actions")
        )
        self.first, self.actions = arenas.start, list(actions)
        self._ends = ends = np.zeros((2, count), np.bool_)
        self.outs = [
            StepOut(obs[t + 1], legality[t + 1], rewards[t], ends[0], ends[1], player[t + 1]) for t in range(steps)
        ]

    def spread_ends(self, t: int) -> None:
        """An episode ends for every car of its arena."""
        self._terminated[t] = self._ends[0][:, None]
        self._truncated[t] = self._ends[1][:, None]


def part_agents(parts: Sequence[slice], cars: int) -> list[slice]:
    """The agents of these arenas."""
    return [slice(part.start * cars, part.stop * cars) for part in parts]


def resident_bytes() -> int:
    """Resident memory of this process."""
    import psutil  # 10 ms; only when a rollout ends

    return int(psutil.Process().memory_info().rss)


@dataclass(frozen=True)
class WorkerSpec:
    """What a worker process is started with: plain data, and the memory."""

    index: int
    actor: ActorSpec
    shape: RolloutShape
    memory: SharedBlock
    trace_path: str  # where a fatal signal leaves its trace, and the one that asks for it


class _Closing(Exception):
    """The trainer asked to close, or is gone."""


def main(spec: WorkerSpec, pipe: Connection) -> None:
    """Entry point of the spawned process."""
    become_subordinate(NICE)
    with open(spec.trace_path, "w", encoding="utf-8") as trace:  # noqa: PTH123 - faulthandler keeps the descriptor
        faulthandler.enable(trace)
        trace_when_asked(trace)
        try:
            _serve(spec, pipe)
        except (_Closing, EOFError, BrokenPipeError, ConnectionResetError):
            pass  # the trainer is done with this worker, or dead
        except Exception as error:  # whatever a user's component raised travels whole
            _send_failure(pipe, error)
            raise SystemExit(1) from None
        finally:
            faulthandler.disable()


def _serve(spec: WorkerSpec, pipe: Connection) -> None:
    shared = SharedRollout(spec.shape, spec.memory)
    index = spec.index
    shared.heartbeat[index] = time.monotonic()

    def look() -> None:
        shared.heartbeat[index] = time.monotonic()
        while pipe.poll(0):
            _receive(pipe, actor)

    def on_step(t: int) -> None:
        shared.steps_done[index] = t
        look()

    actor = Actor(
        spec.actor,
        shared.arena_cursor[index : index + 1],
        lambda lines: pipe.send_bytes(encode(DebugLines(lines))),
        AskedPolicy(*shared.asking(index), shared.all_begun, look) if spec.actor.central else None,
    )
    pipe.send_bytes(encode(Ready(os.getpid())))

    while True:
        message = _receive(pipe, actor)
        if message is not None:
            block = shared.worker_block(message.block, index)
            done = actor.rollout(block, shared.weights, message.timesteps, on_step)
            shared.steps_done[index] = done.steps
            pipe.send_bytes(encode(done))


def _receive(pipe: Connection, actor: Actor) -> Collect | None:
    """The next message: settings are applied here, what to collect is returned. Raises _Closing."""
    message = decode_to_worker(pipe.recv_bytes())
    if isinstance(message, Collect):
        return message
    if not isinstance(message, Configure):
        raise _Closing
    actor.configure(message)
    pipe.send_bytes(encode(Configured(message.number)))
    return None


def _send_failure(pipe: Connection, error: Exception) -> None:
    place = users_line(error)
    reason = f"{place}: " if place else ""
    with contextlib.suppress(OSError):  # the trainer is gone
        pipe.send_bytes(encode(WorkerRaised(f"{reason}{type(error).__name__}: {error}", traceback.format_exc())))
