"""Pictures that never come again leave nothing behind: memory is bounded by what is shown, not by how long it is shown."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.strip import Strip

from rltui.tui.text import Line
from rltui.tui.widgets.line_widget import LineWidget

COLUMNS, ROWS = 40, 12
PICTURES = 200


class Ticking(LineWidget):
    """Every row of every picture is new."""

    def __init__(self) -> None:
        super().__init__(name="ticking")
        self.tick = 0

    def paint(self, width: int, height: int) -> list[Line]:
        return [((f"row {row} ", ""), (f"of picture {self.tick}", "good")) for row in range(height)]


class Clock(App[None]):
    CSS = "Ticking { border: round $primary; height: 1fr; }"

    def compose(self) -> ComposeResult:
        yield Ticking()


@pytest.fixture
def alive() -> Callable[[], int]:
    """Counts rows and parts of rows, of now on, that anything holds."""

    def count() -> int:
        gc.collect()
        return sum(isinstance(each, (Strip, Segment)) for each in gc.get_objects())

    gc.collect()
    gc.freeze()  # else all that the tests before have left is looked through
    return count


async def test_what_widgets_remember_of_old_pictures_is_bounded(alive: Callable[[], int]) -> None:
    app = Clock()
    async with app.run_test(size=(COLUMNS, ROWS)) as pilot:
        ticking, counts = app.screen.query_one(Ticking), []
        for tick in range(PICTURES):
            ticking.tick = tick
            ticking.repaint()
            ticking.render_line(tick % ROWS)  # as for the mouse, which wants offsets too
            await pilot.pause()
            if tick % 99 == 0:
                counts.append(alive())
    assert max(counts) < counts[0] + 30 * ROWS, counts
