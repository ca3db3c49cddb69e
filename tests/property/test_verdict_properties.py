"""The verdict's words never contradict the figures beside them, whatever a run's rewards have been."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from hypothesis import given, settings
from hypothesis import strategies as st

from rltui import formatting
from rltui.run_state.history import History
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import BLOCK, FEWEST, LARGEST, RECENT, SHORT, Kind, newest_change, trend
from rltui.run_state.verdict import verdict, with_findings

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


def slow_twin(values: Sequence[float]) -> Kind | None:
    """Block after block from the first on, each time told what was found before."""
    known = [value for value in values if abs(value) < LARGEST]
    kind: Kind | None = None
    for end in range(FEWEST, len(known) + 1, BLOCK):
        for rows in (min(end, SHORT * BLOCK), end):
            change = newest_change(known[:end][-rows:], rows)
            assert change is not None
            if change.is_sure:
                break
        means = [fmean(known[at : at + 50]) for at in range(0, end - 49, BLOCK)]
        is_record = means.index(max(means)) > len(means) - 1 - RECENT
        kind = kind if kind == "rising" and change.after(kind) == "flat" and is_record else change.after(kind)
    return kind


@settings(max_examples=100, deadline=None)
@given(rewards())
def test_what_was_found_holds_until_the_next_is_sure_and_word_and_figures_say_it(values: list[float]) -> None:
    found = trend(values)
    if found is not None:
        assert found.kind == slow_twin(values)
        assert found.best >= found.now and found.noise >= 0
    history = History().extended((row, {"rollout/policy_reward": value}) for row, value in enumerate(values))
    told = verdict(with_findings(RunSnapshot(run="alpha", alive=True, history=history)), 0.0, heard=True)
    found = trend(values[: len(values) // BLOCK * BLOCK])
    if found is None:
        assert (told.word, told.best) == ("unknown", None) and "of 60 iterations" in told.words
        return
    assert told.word == {"rising": "learning", None: "unknown"}.get(found.kind, found.kind)
    assert (told.best, told.now, told.noise) == (found.best, found.now, found.noise)
    figures = "best {}, now {} ±{}".format(*formatting.measured([found.best, found.now], found.noise))
    assert told.words.removeprefix("too noisy to tell: ").startswith(figures)
