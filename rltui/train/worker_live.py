"""A worker as the live state shows it: what every collector knows of one."""

from __future__ import annotations

from rltui.events.commands import WorkerLive
from rltui.formatting import MEGABYTE
from rltui.train.messages import RolloutDone
from rltui.train.shared_rollout import SharedRollout


def worker_live(
    shared: SharedRollout, worker: int, newest: RolloutDone | None, *, state: str, pid: int | None
) -> WorkerLive:
    """newest: its newest whole rollout. What only a process of its own has (heartbeat, restarts) is for its pool to add."""
    shape = shared.shape
    return WorkerLive(
        worker=worker,
        state=state,
        pid=pid,
        steps_per_second=shape.rows / newest.seconds if newest else None,
        arenas=shape.arenas,
        memory_mb=newest.memory / MEGABYTE if newest else None,
        heartbeat_age=None,
        restarts=0,
        progress=float(shared.steps_done[worker]) / shape.steps,
    )
