"""Estimate of a profile's training speed, from runs like it or from a measurement."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.runs.summary import RunShape, RunSummary
from rltui.tui.checks.doctor import Measured
from rltui.tui.checks.results import ProfileSummary

TOLERANCE = 0.1  # share of a shown speed: one that is nearer to it does not take its place
ROUNDING = 1.1  # a batch grows as the iteration is rounded up to whole steps of all arenas


@dataclass(frozen=True)
class Estimate:
    """steps_per_second: overall. basis: in words."""

    steps_per_second: float
    basis: str


def from_runs(summary: ProfileSummary | None, runs: Sequence[RunSummary], now: float) -> Estimate | None:
    """Of the newest run here with the same nets, games and batches; None where there is none."""
    if summary is None:
        return None
    alike = [run for run in runs if run.shape and run.speed and _same_shape(summary, run.shape)]
    newest = max(alike, key=lambda run: run.updated or 0.0, default=None)
    if newest is None or newest.speed is None:
        return None
    when = "now" if newest.state == "training" else formatting.ago(now - newest.updated) if newest.updated else "before"
    mean = f"mean of {newest.speed.iterations} iterations" if newest.speed.iterations > 1 else "one iteration"
    return Estimate(newest.speed.steps_per_second, f"as run {newest.name}, {when}: {mean}")


def shape_key(summary: ProfileSummary) -> str:
    """What decides the speed, the same for profiles that differ in other things alone.

    `1v1 2x32 default 94-90 256x256 256x256 20000x2 auto`: cars, workers and arenas, observation and actions, nets, batches.
    """
    nets = ("x".join(str(size) for size in layers) for layers in (summary.policy_layers, summary.critic_layers))
    return " ".join(
        (
            f"{summary.blue}v{summary.orange} {summary.workers}x{summary.arenas}",
            f"{summary.obs} {summary.obs_size}-{summary.actions}",
            *nets,
            f"{summary.batch}x{summary.epochs} {summary.device or 'auto'}",
        )
    )


class SteadyEstimate:
    """Keeps the figure that is shown until what is known now differs from it by more than a tenth."""

    def __init__(self) -> None:
        self._shown: dict[str, float] = {}

    def update(self, key: str, found: Estimate | None) -> Estimate | None:
        """key: of the profile's shape. The basis is always the newest."""
        if found is None:
            return None
        shown = self._shown.get(key)
        if shown is None or abs(found.steps_per_second - shown) > TOLERANCE * shown:
            shown = self._shown[key] = found.steps_per_second
        return replace(found, steps_per_second=shown)


def _same_shape(summary: ProfileSummary, shape: RunShape) -> bool:
    cars = (summary.blue or 0) + (summary.orange or 0)
    games = (summary.workers, summary.arenas, cars, summary.obs_size, summary.actions, summary.epochs)
    nets = summary.policy_layers == shape.policy_layers and summary.critic_layers == shape.critic_layers
    batch = summary.batch or 0
    return (
        nets
        and games == (shape.workers, shape.arenas, shape.cars, shape.obs_size, shape.actions, shape.epochs)
        and batch <= shape.batch <= batch * ROUNDING + 1
        and shape.host == socket.gethostname()
        and summary.device in ("", "auto", shape.device)
    )


def from_measurement(found: Measured | None, now: float) -> Estimate | None:
    """In words when, and whether the machine was busy then."""
    if found is None:
        return None
    busy = ", while the machine was busy" if found.busy_percent > 30 else ""
    return Estimate(found.steps_per_second, f"measured here {formatting.ago(now - found.time)}{busy}")


def estimate_lines(summary: ProfileSummary | None, found: Estimate | None) -> list[str]:
    """`about 14,000 steps/s, 0.6 GB, a milestone every 6 min (as run alpha, 3 min ago)`."""
    if summary is None:
        return []
    memory = f"{formatting.megabytes(summary.memory_mb)} of memory" if summary.memory_mb is not None else ""
    if found is None:
        return [f"about {memory}"] if memory else []
    parts = [f"about {rounded(found.steps_per_second):,} steps/s", memory]
    if summary.milestone_interval:
        parts.append(f"a milestone every {formatting.remaining(summary.milestone_interval / found.steps_per_second)}")
    return [", ".join(part for part in parts if part), found.basis]


def rounded(rate: float) -> int:
    """Two digits are known, more are not: 14,231 → 14,000."""
    size = 10 ** max(len(str(int(rate))) - 2, 0)
    return int(round(rate / size) * size)
