"""A display that stands still: since when, and what has come meanwhile. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rltui import formatting

if TYPE_CHECKING:
    from rltui.tui.panes.pane import View


def frozen_words(still: View, live: View) -> str:
    """`12:14:38: 3 iterations and 2 log lines have come`; of log lines at most as many as are kept are counted."""
    iterations = max(live.snapshot.history.length - still.snapshot.history.length, 0)
    known = still.snapshot.log[-1] if still.snapshot.log else None
    lines = 0
    for entry in reversed(live.snapshot.log):
        if entry is known:
            break
        lines += 1
    news = f"{formatting.plural(iterations, 'iteration')} and {formatting.plural(lines, 'log line')} have come"
    return f"{formatting.clock(still.now)}: {news}"
