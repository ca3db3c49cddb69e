"""`rltui bench`: collection and the whole loop on one task, beside the bare simulator on the same cores in the same run.

Machines are shared and noisy, so the two sides take turns and the ratio is taken round by round. Medians are reported,
with the smallest and largest round.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rltui.debug.limit import measure_limit
from rltui.debug.update_bench import UpdateShape, UpdateTimes, update_against_bare
from rltui.env.from_profile import env_spec, sizes
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError
from rltui.events.records import Record
from rltui.field import TICKS_PER_SECOND
from rltui.formatting import MEGABYTE, duration, plural
from rltui.train.collect.collector import Collected
from rltui.train.collect.messages import Configure, RolloutDone
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout
from rltui.train.config import ResolvedConfig
from rltui.train.iteration_metrics import worker_parts

if TYPE_CHECKING:
    from rltui.profile.models import Profile


LIMIT_ARENAS = 16  # arenas of each bare process, as in the field's own measurement
ANSWER_SECONDS = 10.0  # that a worker has for an answer, which takes it a millisecond


@dataclass(frozen=True)
class BenchOptions:
    """How long to measure."""

    rounds: int = 5
    seconds: float = 3.0  # of the bare simulator in each round
    iterations: int | None = None  # of training in each round; None: one idle episode's worth


@dataclass(frozen=True)
class StackSpeed:
    """collected, overall: timesteps a second. parts: a worker's microseconds per arena-step. waited: share of collecting, 0–1,
    that a worker spends waiting, for the slowest or the trainer.
    """

    collected: float
    overall: float
    parts: dict[str, float]
    waited: float


@dataclass(frozen=True)
class _Round:
    limit: float
    speed: StackSpeed


def bench(profile: Profile, options: BenchOptions, tell: Callable[[str], None]) -> dict[str, Any]:
    """All figures by name. `tell` gets a line of progress now and then."""
    if profile.env:
        raise RltuiError(
            "bench compares with the bare simulator, which an environment of your own may not have",
            "rltui diagnose PROFILE measures it by itself",
        )
    with Stack(profile) as stack:
        tell(
            f"{plural(stack.workers, 'worker')} x {plural(profile.collect.arenas, 'arena')} started in {duration(stack.start_seconds)}"
        )
        stack.iterate(2)  # new arenas are slow for their first hundred steps
        rounds = []
        for number in range(options.rounds):
            rounds.append(_round(stack, options))
            newest = rounds[-1]
            tell(
                f"round {number + 1} of {options.rounds}: limit {newest.limit:,.0f}, collected {newest.speed.collected:,.0f} "
                f"({newest.speed.collected / newest.limit:.1%}), overall {newest.speed.overall:,.0f} steps/s"
            )
        update = update_against_bare(update_shape(profile, stack.shape, stack.learner.pass_rows))
        return _result(stack, rounds, update)


def update_shape(profile: Profile, shape: RolloutShape, minibatch: int) -> UpdateShape:
    """Of the profile's update on rollouts of that shape."""
    return UpdateShape(
        workers=shape.workers,
        steps=shape.steps,
        agents=shape.agents,
        obs_size=shape.obs_size,
        actions=sizes(env_spec(profile)).actions,
        layers=profile.policy.layers,
        critic_layers=profile.critic.layers,
        epochs=profile.ppo.epochs,
        minibatch=minibatch,
    )


def _idle_episode_steps(spec: EnvSpec) -> int:
    """Steps of an episode in which nothing happens: the shortest of the terminals that count seconds."""
    seconds = [float(item.options["seconds"]) for item in spec.terminals if "seconds" in item.options]
    return round(min(seconds, default=300.0) * TICKS_PER_SECOND / spec.tick_skip)


def _round(stack: Stack, options: BenchOptions) -> _Round:
    limit = measure_limit(
        stack.workers, LIMIT_ARENAS, stack.shape.cars, options.seconds, stack.tick_skip, stack.episode_steps
    )
    return _Round(limit, stack.iterate(options.iterations or stack.cycle))


class Stack:
    """Workers and learner as a run has them, without a run folder."""

    def __init__(self, profile: Profile) -> None:
        config = ResolvedConfig.resolve(profile)
        self.workers, self.shape = config.workers, config.shape
        self.tick_skip, self.episode_steps = config.spec.tick_skip, _idle_episode_steps(config.spec)
        self.learner = config.learner()
        self._shared = SharedRollout.create(self.shape)
        self._collector = config.collector(self.learner, self._shared, 0, _ignore)
        self._newest: Collected | None = None
        self.start_seconds = 0.0
        self.memory_mb: list[float] = []

    def __enter__(self) -> Stack:
        started = time.perf_counter()
        try:
            self._collector.start(_nothing)
        except BaseException:
            self.__exit__()
            raise
        self.start_seconds = time.perf_counter() - started
        return self

    def __exit__(self, *_: object) -> None:
        self._collector.close()
        self._newest = None  # its views keep the segment open
        self._shared.close()

    @property
    def cycle(self) -> int:
        """Iterations in which an idle episode begins and ends: late steps cost twice what those after a kickoff do."""
        return -(-self.episode_steps // self.shape.steps)

    def iterate(self, count: int, seconds: float = 0.0, learn: bool = True) -> StackSpeed:
        """So many iterations, and so many seconds of them, at least. learn: whether they end with an update."""
        rows, collect, update, worked = 0, 0.0, 0.0, 0.0
        reports: list[RolloutDone] = []
        while count > 0 or collect + update < seconds:
            start = time.perf_counter()
            self._collector.set_policy(self.learner)
            self._newest = newest = self._collector.collect(0, 0, _nothing)
            between = time.perf_counter()
            if learn:
                self.learner.update(newest.rollout)
            rows, collect, update = (
                rows + newest.rows,
                collect + between - start,
                update + time.perf_counter() - between,
            )
            done = [report for report in newest.reports if report is not None]
            worked += statistics.fmean(report.seconds for report in done)
            reports, count = reports + done, count - 1
        self.memory_mb = [report.memory / MEGABYTE for report in reports]
        parts = worker_parts(reports, self.shape.arenas)
        return StackSpeed(rows / collect, rows / (collect + update), parts, max(0.0, 1 - worked / collect))

    def round_trip(self, number: int) -> float:
        """Seconds of a message to the first worker and its answer. number: rises from call to call. RltuiError where there is
        none.
        """
        start = time.perf_counter()
        self._collector.configure(0, Configure(number))
        while self._collector.applied(0) != number:
            if time.perf_counter() - start > ANSWER_SECONDS:
                raise RltuiError(
                    f"worker 0 has not answered for {ANSWER_SECONDS:g} s", "it has died, or was stopped: try again"
                )
            self._collector.receive()
        return time.perf_counter() - start

    def shared_memory_speed(self) -> tuple[float, float]:
        """Bytes a second into a rollout's observations and out of them, the best of five."""
        shared = self._shared.block(0)["obs"]
        own, seconds = np.zeros_like(shared), []
        for out, source in ((shared, own), (own, shared)) * 5:
            start = time.perf_counter()
            np.copyto(out, source)
            seconds.append(time.perf_counter() - start)
        return own.nbytes / min(seconds[::2]), own.nbytes / min(seconds[1::2])


def _result(stack: Stack, rounds: Sequence[_Round], update: UpdateTimes) -> dict[str, Any]:
    ratios = [one.speed.collected / one.limit for one in rounds]
    spread = {
        "collected_steps_per_second": [one.speed.collected for one in rounds],
        "overall_steps_per_second": [one.speed.overall for one in rounds],
        "limit_steps_per_second": [one.limit for one in rounds],
        "ratio": ratios,
    }
    result: dict[str, Any] = {
        "system": "rltui",
        "n_proc": stack.workers,
        **{name: _round_figure(statistics.median(values)) for name, values in spread.items()},
        "spread": {name: [_round_figure(min(values)), _round_figure(max(values))] for name, values in spread.items()},
        "microseconds_per_arena_step": {
            name: round(statistics.median(one.speed.parts[name] for one in rounds), 2) for name in rounds[0].speed.parts
        },
        "update_seconds": round(update.update_seconds, 4),
        "bare_update_seconds": round(update.bare_seconds, 4),
        "update_ratio": round(update.ratio, 3),
        "worker_memory_mb": round(max(stack.memory_mb), 1),
        "worker_start_seconds": round(stack.start_seconds, 2),
        "arenas": stack.shape.arenas,
        "episode_steps": stack.episode_steps,
        "numpy": np.__version__,
    }
    result["collected_sps"] = round(result["collected_steps_per_second"])
    result["overall_sps"] = round(result["overall_steps_per_second"])
    return result


def _round_figure(value: float) -> float:
    return round(value, 4) if value < 10 else round(value)


def _nothing() -> None:
    pass


def _ignore(record: Record) -> None:
    pass
