"""Looks through a whole history for how the bot does: by the reader thread, so that no picture has to wait for it. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace

from rltui.events.episode_reward import PART, REWARD
from rltui.tui.run.at_work import at_work
from rltui.tui.run.findings import Findings
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.settling import settled
from rltui.tui.run.symptoms import broken_at, symptoms
from rltui.tui.run.trend import BLOCK, needed, trend


def judged(snapshot: RunSnapshot) -> RunSnapshot:
    """With the findings of its iterations; as it is where they cannot have changed, for a long history takes a while."""
    basis = _basis(snapshot)
    return snapshot if basis == snapshot.found.basis else replace(snapshot, found=_find(snapshot, basis))


def _basis(snapshot: RunSnapshot) -> object:
    """Whole blocks of iterations, the iterations themselves while there are few; the marks, which only a resume takes away."""
    length = snapshot.history.length
    block = length if length < needed() else length // BLOCK
    return block, len(snapshot.marks), snapshot.resumed


def _find(snapshot: RunSnapshot, basis: object) -> Findings:
    history = snapshot.history
    marked = bisect_right(history.timesteps, broken_at(snapshot.marks), 0, history.length)
    first = max(marked, _first_paid_so(history))
    found = trend(settled(history, REWARD, first))
    seconds = None
    if found is not None:
        end = first + found.until if found.kind == "rising" else history.length
        seconds = at_work(history, first + found.since, end)
    return Findings(found, first, tuple(symptoms(snapshot, first)), seconds, history.length, basis)


def _first_paid_so(history: History) -> int:
    """The row from which the same rewards are paid as now; a start with another profile can change them unmarked."""
    rewards, first = history.columns.get(REWARD, ())[: history.length], 0
    last = next((row for row in range(len(rewards) - 1, -1, -1) if math.isfinite(rewards[row])), None)
    if last is None:
        return 0
    for column in (column[: history.length] for key, column in history.columns.items() if key.startswith(PART)):
        is_paid = not math.isnan(column[last])
        if is_paid and math.isfinite(sum(column)):
            continue  # always
        others = (row for row in range(last, first - 1, -1) if math.isnan(column[row]) == is_paid)
        first = next((row + 1 for row in others if math.isfinite(rewards[row])), first)
    return first
