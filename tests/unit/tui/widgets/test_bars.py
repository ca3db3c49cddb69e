"""Bars by hand; sparklines of a few points by hand, and growing ones against those drawn anew."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from rltui.run_state.history import History
from rltui.tui.text import plain
from rltui.tui.widgets.bars import filled_bar, progress_bar, signed_bar, sparkline_of
from rltui.tui.widgets.plot import DecimationCache

NAN = math.nan


def drawn(xs: Sequence[int], ys: Sequence[float], width: int) -> str:
    rows = [(x, {"x": y}) for x, y in zip(xs, ys, strict=True)]
    return sparkline_of(History().extended(rows), "x", width, DecimationCache())


def test_sparkline() -> None:
    assert drawn([0, 1, 2, 3], [0, 1, 2, 3], 4) == "▁▃▆█"
    assert drawn([0, 1, 2], [1, NAN, 2], 3) == "▁ █"
    assert drawn([0, 1], [5, 5], 2) == "▅▅"
    assert drawn((), (), 3) == "   "


def test_a_sparkline_that_grows_is_the_one_drawn_anew() -> None:
    """Also of an older history that shares its columns with the newer one."""
    draw, memory, grown = random.Random(0), DecimationCache(), History()
    for _ in range(40):
        before, timesteps = grown, grown.length * 100
        rows = [
            (timesteps + 100 * row, {"x": draw.choice((NAN, draw.gauss(0, 1)))}) for row in range(draw.randrange(300))
        ]
        grown = grown.extended(rows)
        for history in (before, grown):
            assert sparkline_of(history, "x", 16, memory) == sparkline_of(history, "x", 16, DecimationCache())
    assert sparkline_of(grown, "y", 16, memory) == " " * 16
    assert sparkline_of(grown, "x", 0, memory) == ""


def test_bars() -> None:
    assert plain([progress_bar(0.5, 8)]) == "━━━━────"
    assert plain([progress_bar(0.44, 8)]) == "━━━╸────"
    assert plain([progress_bar(None, 4)]) == "────"
    assert plain([progress_bar(7.0, 4)]) == "━━━━"
    assert plain([filled_bar(0.001, 8, "")]) == "╸"
    assert plain([filled_bar(0.0, 8, "")]) == ""
    assert plain([signed_bar(10, 0, 10, 6)]) == "━━━━━━"
    assert plain([signed_bar(5, -5, 5, 8)]) == "    ━━━━"
    assert plain([signed_bar(-5, -5, 5, 8)]) == "━━━━"
    assert plain([signed_bar(-0.01, -5, 5, 8)]) == "   ╺"
    assert plain([signed_bar(0, 0, 0, 5)]) == ""
