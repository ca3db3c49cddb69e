"""Field from above."""

from __future__ import annotations

from collections.abc import Mapping

from rltui.events.match_frames import Watched
from rltui.tui.panes.live_match import LiveMatchPane, output_words
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, ends
from rltui.view import text_view

# The picture's styles → roles.
ROLES: Mapping[str, str] = {
    "": "", "blue": "series-1", "orange": "series-2", "ball": "strong", "trail": "muted",
    "pad": "series-5", "line": "band", "dim": "muted", "goal": "hit",
}  # fmt: skip


class ArenaPane(LiveMatchPane):
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
        "column on the right shows heights up to the ceiling. <render> switches the viewer on and off; type <change> and render "
        "rocketsimvis off, render recording on, render rlviser on for what it sends to."
    )

    def wants(self, view: View) -> int:
        return 18 if self.matters(view) else 0

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        ascii_only = view.charts == "ascii"
        rows = text_view.runs(frame.moment, width, max(height - 1, 0), ascii_only, braille=view.charts == "braille")
        lines: list[Line] = [tuple((text, ROLES[style]) for text, style in row) for row in rows]
        whose = self.whose(view, frame)
        room = width - len(whose[0]) - 2
        return [*lines, ends((whose,), self._where_to(view, room), width)][:height]

    def _where_to(self, view: View, room: int) -> Line:
        """Where else the match goes: with figures, without, or nothing, as there is room."""
        viewer = view.snapshot.viewer
        outputs = viewer.outputs if viewer is not None else []
        role = "warn" if any(output.problem for output in outputs) else "good"
        for words in (
            ", ".join(map(output_words, outputs)),
            ", ".join(output.target or output.name for output in outputs),
        ):
            if words and len(words) + 2 <= room:
                return ((f"→ {words}", role),)
        return ()
