"""The arena: the newest weights at play, seen from above, in real time."""

from __future__ import annotations

from collections.abc import Mapping

from textual.geometry import Region

from rltui.events.watched import Watched
from rltui.tui.paint import Line, ends
from rltui.tui.panes.pane import View
from rltui.tui.panes.watching import WatchingPane
from rltui.tui.viewer_words import brief
from rltui.view import picture

# The picture's styles → roles.
ROLES: Mapping[str, str] = {
    "": "", "blue": "series-1", "orange": "series-2", "ball": "strong", "trail": "muted",
    "pad": "series-5", "line": "band", "dim": "muted", "goal": "hit",
}  # fmt: skip


class ArenaPane(WatchingPane):
    """The picture of `rltui watch`, and below it whose weights play and where the match goes."""

    NUMBER = "8"
    SLOT = "charts"
    ROOMY_SLOT = "side"
    NAME = "Arena"
    SHORT = "Arena"
    HELP = (
        "The newest weights play one game of this run in real time, with its own resets, terminals, opponents and rewards, "
        "in a process beside the training. Blue's goal is on the left. Cars are B and O with an arrow for where they look, "
        "small letters above 250 uu; the ball is ● on the floor, ◉ higher, ○ above 800 uu; ◆ a big pad, ◇ an empty one; the "
        "column on the right shows heights up to the ceiling. V switches the viewer on and off; type : and render "
        "rocketsimvis off, render recording on, render rlviser on for what it sends to."
    )

    def wants(self, view: View) -> int:
        return 18 if self.matters(view) else 0

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        ascii_only = view.charts == "ascii"
        rows = picture.runs(frame.moment, width, max(height - 1, 0), ascii_only, braille=view.charts == "braille")
        lines: list[Line] = [tuple((text, ROLES[style]) for text, style in row) for row in rows]
        viewer = brief(view.snapshot.viewer)
        return [*lines, ends((self.whose(view, frame),), (viewer,) if viewer else (), width)][:height]

    def repaint(self) -> None:
        """Ten times a second: send only the columns that differ, not whole rows."""
        if not self.is_attached or not self.display:
            return
        before, self.lines = self.lines, self._painted()
        height = max(len(before), len(self.lines))
        old, new = ((*lines, *[()] * (height - len(lines))) for lines in (before, self.lines))
        regions = [
            Region(span[0], y, span[1] - span[0], 1)
            for y, (was, now) in enumerate(zip(old, new, strict=True))
            if was != now and y < self.size.height and (span := _changed(was, now, self.size.width))
        ]
        if regions:
            self.refresh(*regions)


def _changed(was: Line, now: Line, width: int) -> tuple[int, int] | None:
    """Columns from the first that differs to behind the last; each character takes one."""
    old, new = _cells(was, width), _cells(now, width)
    columns = [column for column in range(width) if old[column] != new[column]]
    return (columns[0], columns[-1] + 1) if columns else None


def _cells(line: Line, width: int) -> list[tuple[str, str]]:
    cells = [(char, role) for text, role in line for char in text][:width]
    return cells + [(" ", "")] * (width - len(cells))
