"""What the terminal shows after all that a program under `run_test` would have sent to it, with how each cell looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from rich.cells import cell_len
from rich.console import Console
from textual._compositor import Compositor, CompositorUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input

from rltui.tui.widgets.line_widget import LineWidget
from tests.fakes.drawn_screen import DrawnScreen
from tests.fakes.settled import has_work

CONSOLE = Console(color_system="truecolor", force_terminal=True)
RENDER = Compositor.render_update


class ColouredScreen(DrawnScreen):
    """Beside the characters, the look that each was written with."""

    def resize(self, columns: int, rows: int) -> None:
        super().resize(columns, rows)
        self._look = ""
        self.looks = [[""] * columns for _ in range(rows)]

    def row(self, y: int) -> list[tuple[str, str]]:
        return list(zip(self._rows[y], self.looks[y], strict=True))

    def _print(self, text: str) -> None:
        if self._y < self._count:
            for x in range(self._x, min(self._x + cell_len(text), self._columns)):
                self.looks[self._y][x] = self._look
        super()._print(text)

    def _control(self, text: str, letter: str) -> None:
        if letter == "m":
            self._look = "" if text in ("", "0") else self._look + ";" + text
        super()._control(text, letter)


class Sent:
    """Follows what `App._display` is given, which sends nothing where there is no terminal."""

    def __init__(self) -> None:
        self.terminal = ColouredScreen(1, 1)
        self.size = (1, 1)

    def take(self, app: App[str], update: object) -> None:
        if app.size != self.size:
            self.size = app.size
            self.terminal.resize(*app.size)
        if isinstance(update, CompositorUpdate):
            self.terminal.feed(update.render_segments(CONSOLE).encode("utf-8", "replace"))

    def stale(self, screen: Screen[object], anew: bool) -> str:
        """Rows that are not as they would be if all was drawn again; "" where there are none.

        anew: no row that widgets remember is used.
        """
        for widget in screen.query(LineWidget) if anew else ():
            widget._styles_cache.clear()
        compositor, wanted = screen._compositor, ColouredScreen(*screen.app.size)
        pending = set(compositor._dirty_regions)
        for y, strip in enumerate(compositor.render_strips()):
            wanted.feed(f"\x1b[{y + 1};1H{strip.render(CONSOLE)}".encode("utf-8", "replace"))
        compositor._dirty_regions = pending
        rows = [y for y in range(screen.app.size.height) if self.terminal.row(y) != wanted.row(y)]
        text, right = self.terminal.text.split("\n"), wanted.text.split("\n")
        return "\n".join(f"row {y}:\n  {text[y]}\n  {right[y]}" for y in rows)


def is_quiet(app: App[str]) -> bool:
    """Whether nothing waits to be sent, and nothing is under way that will change the picture."""
    screen = app.screen
    waits = screen._dirty_widgets or screen._compositor._dirty_regions or screen._layout_required
    gone = any(not widget.is_attached for widget in screen._compositor._full_map)  # and its place is still to be filled
    return not (waits or gone or screen._repaint_required or app._batch_count or has_work(app))


@contextmanager
def unsent() -> Iterator[None]:
    """Within, what no terminal will get is not put together, which takes two fifths of a test's time: the picture is drawn
    whole when somebody looks at it. Lines are still made for each new size.
    """

    def made(compositor: Compositor, *_: object, **__: object) -> None:
        compositor._dirty_regions.clear()
        for widget in compositor.visible_widgets:
            if isinstance(widget, LineWidget) and widget._painted_for != widget.size:
                widget.lines = widget._lines_or_failure()

    def looked_at(compositor: Compositor, size: Size | None = None) -> list[Strip]:
        screen = compositor.root
        if screen is not None and screen is screen.app.screen:  # else it is drawn as what lies below that one
            visible_screen_stack.set(screen.app._background_screens)
        return whole(compositor, size)

    whole = Compositor.render_strips
    with patch.object(Compositor, "render_update", made), patch.object(Compositor, "render_strips", looked_at):
        yield


@contextmanager
def followed() -> Iterator[Sent]:
    """Of the program that is started within."""
    sent, display = Sent(), App._display

    def noted(app: App[str], screen: Screen[object], update: object) -> None:
        if screen is app.screen:
            sent.take(app, update)
        display(app, screen, update)  # type: ignore[arg-type]

    with (
        patch.object(App, "_display", noted),
        patch.object(Compositor, "render_update", RENDER),
        patch.object(Input, "_toggle_cursor", lambda _: None),
    ):  # it blinks at any time
        yield sent
