"""The verdict's words never contradict the figures beside them, whatever a run's rewards have been."""

from __future__ import annotations

import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.run_state.history import History
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import trend
from rltui.run_state.verdict import verdict, with_findings

FIGURE = r"(-?[\d.,]+(?:e[-+]\d+)?(?: [kMG])?)"
RISES, STAYS = re.compile(f"reward {FIGURE} → {FIGURE} over"), re.compile(f"reward {FIGURE} then, {FIGURE} now")
UNITS = {"k": 1e3, "M": 1e6, "G": 1e9}
levels = st.floats(-1e7, 1e7) | st.sampled_from([0.0, 1e-9, 0.1, math.nan, math.inf, -math.inf, 1e200])


@st.composite
def rewards(draw: st.DrawFn) -> list[float]:
    """Of a few pieces: each a line with noise, and a spike here and there."""
    chance, values = draw(st.randoms(use_true_random=False)), list[float]()
    for _ in range(draw(st.integers(1, 4))):
        start, slope, noise = draw(levels), draw(st.floats(-1, 1)), draw(st.sampled_from([0.0, 1e-6, 1.0, 30.0]))
        values += [start + slope * row + chance.gauss(0, noise) for row in range(draw(st.integers(0, 300)))]
    for place in draw(st.lists(st.integers(0, max(len(values) - 1, 0)), max_size=3)):
        values[place : place + 1] = [draw(levels)] if values else []
    return values


def value(text: str) -> float:
    number, _, unit = text.replace(",", "").partition(" ")
    return float(number) * UNITS.get(unit, 1.0)


@settings(max_examples=150, deadline=None)
@given(rewards())
def test_words_and_figures_agree(values: list[float]) -> None:
    history = History().extended((row, {"rollout/policy_reward": value}) for row, value in enumerate(values))
    snapshot = with_findings(RunSnapshot(run="alpha", alive=True, history=history))
    told, found = verdict(snapshot, 0.0, heard=True), trend(values)
    if found is None:
        assert told.word == "–"
        return
    shown = (RISES if told.word == "learning" else STAYS).search(told.words)
    assert shown is not None, told.words
    then, now = value(shown[1]), value(shown[2])
    match told.word:
        case "learning":
            assert then < now, told.words
        case "falling":
            assert then > now, told.words
        case _:
            assert told.word == "flat" and abs(found.now - found.then) <= found.noise
            assert ("by chance" in told.words) == (shown[1] != shown[2]), told.words
