"""What the policy really chooses from the action table: figures of each iteration, and how often each row was chosen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.actions.masking import CLASSES, legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.events.records import TableUsed
from rltui.learn.rollout import Float, Rollout
from rltui.sim.field import BOOST, CONTROLS, JUMP, STEER
from rltui.train.messages import RolloutDone

RECORD_SECONDS = 10.0  # between two records of the counts

Counts = NDArray[np.int64]


class TableUse:
    """Counts choices since the trainer started."""

    def __init__(self, rows: Float, options: PipelineOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """rows: float32 [N, 8], the table."""
        self._counts: Counts = np.zeros(len(rows), np.int64)
        self._hash = table_hash(rows)
        self._levels = [
            np.unique(rows[:, column], return_inverse=True)[1].reshape(-1) for column in range(len(CONTROLS))
        ]
        self._held = {
            "lut/left": rows[:, STEER] < 0,
            "lut/right": rows[:, STEER] > 0,
            "lut/jump": rows[:, JUMP] != 0,
            "lut/boost": rows[:, BOOST] != 0,
        }
        self._masked = 1 - legal_rows(rows).mean(axis=1) if options.legality == "mask" else None  # share by class
        self._replaces = options.legality == "fallback"
        self._clock, self._told_at = clock, -np.inf

    def count(self, rollout: Rollout, replaced: int) -> dict[str, float | None]:
        """The iteration's figures. replaced: choices that the fallback took the place of. Unknown is None."""
        valid = rollout.valid
        actions = rollout.actions if valid.all() else rollout.actions[valid]
        chosen = np.bincount(actions.ravel(), minlength=len(self._counts))
        self._counts += chosen
        total = int(chosen.sum())
        figures: dict[str, float | None] = {
            "lut/used_rows": 100 * np.count_nonzero(chosen) / len(chosen),
            "lut/never_chosen": int((self._counts == 0).sum()),
        }
        figures |= {key: 100 * float(chosen[rows].sum()) / total for key, rows in self._held.items()}
        figures |= {
            f"lut/entropy_{name}": entropy(np.bincount(levels, weights=chosen))
            for name, levels in zip(CONTROLS, self._levels, strict=True)
        }
        figures["lut/masked"] = self._masked_share(rollout)
        figures["lut/fallback"] = 100 * replaced / total if self._replaces else None
        return figures

    def due(self) -> bool:
        """Whether it is time for a record of the counts: at once, then every few seconds."""
        return self._clock() - self._told_at >= RECORD_SECONDS

    def record(self, timesteps: int) -> TableUsed:
        """The counts so far; the next one is due some seconds later."""
        self._told_at = self._clock()
        return TableUsed(time=time.time(), timesteps=timesteps, table_hash=self._hash, counts=self._counts.tolist())

    def _masked_share(self, rollout: Rollout) -> float | None:
        """Mean share of the rows that could not be chosen."""
        if self._masked is None or rollout.legality is None:
            return None
        classes = rollout.legality[:, :-1]
        if not rollout.valid.all():
            classes = classes[rollout.valid]
        met = np.bincount(classes.ravel(), minlength=CLASSES)
        return 100 * float(met @ self._masked) / int(met.sum())


def replaced(reports: Sequence[RolloutDone | None]) -> int:
    """Choices that legality replaced, all workers and lanes together."""
    return sum(stats.fallbacks for report in reports if report is not None for stats in report.stats.values())


def entropy(weights: NDArray[Any]) -> float:
    """Of the distribution with these weights, in nats."""
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log(shares)).sum())
