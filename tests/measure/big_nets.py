"""Collected and overall timesteps/s of big and small nets by who evaluates the policy, workers and arenas, beside the limit.

    python -m tests.measure.big_nets [SECONDS]

One line a case: of the bare limit of the same minute; how many parts of workers a batch held, and its time by stage.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from rltui.debug import bench
from rltui.debug.limit import measure_limit
from rltui.profile.load import load
from rltui.profile.resolved import cores
from rltui.train.collect.central import CentralCollector

BIG, SMALL = "[2048, 2048, 1024, 1024]", "[256, 256, 256]"


class Clocked:
    """A BatchPolicy that says how long its calls took."""

    def __init__(self, policy: Any) -> None:
        self._policy, self.seconds, self.calls = policy, 0.0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name)

    def act(self, count: int) -> None:
        started = time.perf_counter()
        self._policy.act(count)
        self.seconds += time.perf_counter() - started
        self.calls += 1


def case(layers: str, inference: str, workers: int, arenas: int, seconds: float, more: Sequence[str] = ()) -> None:
    """One line."""
    settings = [f"policy.layers={layers}", f"critic.layers={layers}", f"collect.inference={inference}"]
    settings += [f"collect.workers={workers}", f"collect.arenas={arenas}", "ppo.iteration=200000", "ppo.batch=50000"]
    profile = load("seed-task", [*settings, "ppo.minibatch=50000", *more])
    with bench.Stack(profile) as stack:
        clocked = None
        if isinstance(stack._collector, CentralCollector):
            clocked = stack._collector._policy = Clocked(stack._collector._policy)
        stack.iterate(2)
        limit = measure_limit(cores(), 16, 2, 2.0, stack.tick_skip, stack.episode_steps)
        if clocked is not None:
            clocked.seconds, clocked.calls = 0.0, 0
        rows, collect, learn, started = 0, 0.0, 0.0, time.perf_counter()
        slowest = mean = 0.0
        reports: list[Any] = []
        served = calls = 0
        while time.perf_counter() - started < seconds:
            begun = time.perf_counter()
            stack._collector.set_policy(stack.learner)
            newest = stack._collector.collect(0, 0, lambda: None)
            between = time.perf_counter()
            stack.learner.update(newest.rollout)
            rows, collect, learn = rows + newest.rows, collect + between - begun, learn + time.perf_counter() - between
            done = [report for report in newest.reports if report is not None]
            reports += done
            slowest += max(report.seconds for report in done)
            mean += sum(report.seconds for report in done) / len(done)
            if clocked is not None:
                served, calls = served + stack._collector.served, calls + stack._collector.calls
            del newest
        parts = bench.worker_parts(reports, stack.shape.arenas)
    words = " ".join(f"{name} {value:.1f}" for name, value in parts.items())
    batch = ""
    if clocked is not None:
        batch = f"; {served / calls:.1f} parts a batch, {1e6 * clocked.seconds / calls:.0f} us a batch, busy {clocked.seconds / collect:.0%}"
    batch += f"; slowest worker {slowest / mean:.2f} x the mean, {1 - slowest / collect:.1%} of collecting beside it"
    steps = [report.steps for report in reports]
    batch += f", {min(steps)} to {max(steps)} steps where {stack.shape.steps} are wanted"
    print(
        f"{layers} {inference} {workers} x {arenas}: limit {limit:,.0f} collected {rows / collect:,.0f} "
        f"({rows / collect / limit:.1%}) overall {rows / (collect + learn):,.0f} consumed {rows / learn:,.0f}{batch}; {words}",
        flush=True,
    )


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    most = max(1, cores() - 1)
    for size in (BIG, SMALL):
        for games in (32, 64, 128):
            case(size, "central", most, games, length)
    case(SMALL, "local", cores(), 64, length)
    for count in (2, 4, 8):
        if count < most:
            case(BIG, "central", count, 64, length)
