"""Estimate of a profile's training speed, from runs like it or from a measurement."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass

from rltui import formatting
from rltui.runs.summary import RunShape, RunSummary
from rltui.tui.checks.doctor import Measured
from rltui.tui.checks.results import ProfileSummary

BUSY = 30  # percent of the processor
ROUNDING = 1.1  # a batch grows as the iteration is rounded up to whole steps of all arenas


@dataclass(frozen=True)
class Estimate:
    """steps_per_second: overall. basis: in words."""

    steps_per_second: float
    basis: str


def estimate(
    summary: ProfileSummary, runs: Sequence[RunSummary], measured: Measured | None, now: float
) -> Estimate | None:
    """By what is newer: a measurement, or a run here with the same nets, games and batches. None without either."""
    alike = [run for run in runs if run.shape and run.speed and _same_shape(summary, run.shape)]
    run = max(alike, key=lambda run: run.updated or 0.0, default=None)
    if run is not None and run.speed is not None and (measured is None or (run.updated or 0.0) >= measured.time):
        when = "now" if run.state == "training" else formatting.ago(now - run.updated) if run.updated else "before"
        mean = f"mean of {run.speed.iterations} iterations" if run.speed.iterations > 1 else "one iteration"
        return Estimate(run.speed.steps_per_second, f"as run {run.name}, {when}: {mean}")
    if measured is None:
        return None
    busy = ", while the machine was busy" if measured.busy_percent > BUSY else ""
    return Estimate(measured.steps_per_second, f"measured here {formatting.ago(now - measured.time)}{busy}")


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


def rounded(rate: float) -> int:
    """Two digits are known, more are not: 14,231 → 14,000."""
    size = 10 ** max(len(str(int(rate))) - 2, 0)
    return int(round(rate / size) * size)
