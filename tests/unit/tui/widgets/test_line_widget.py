"""Lines on the terminal: when they are painted and drawn, in which colours, and what becomes of one that is none."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from rltui.tui.text import Line
from rltui.tui.themes import DARK, LIGHT, role_style
from rltui.tui.widgets.line_widget import LineWidget

SIZE = (21, 14)


class Words(LineWidget, can_focus=True):
    """Shows `rows`; remembers what was painted and drawn."""

    def __init__(self) -> None:
        super().__init__(name="words")
        self.rows: list[Line] = [((f"row {row}", "good"),) for row in range(20)]
        self.painted: list[tuple[int, int]] = []
        self.drawn = 0

    def paint(self, width: int, height: int) -> list[Line]:
        self.painted.append((width, height))
        return self.rows[:height]

    def render_line(self, y: int) -> Strip:
        self.drawn += 1
        return super().render_line(y)


class Program(App[None]):
    AUTO_FOCUS = None
    CSS = """
    #words { height: 100%; border: round $primary; padding: 0 1; }
    #words:focus { border: heavy $error; background: $panel; }
    """

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        yield Words()


def words_of(pilot: Pilot[None]) -> Words:
    return pilot.app.query_one(Words)


async def test_the_same_lines_are_not_drawn_again() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        words = words_of(pilot)
        words.drawn = 0
        words.repaint()
        await pilot.pause()
        assert words.drawn == 0
        words.rows[2] = (("new", ""),)
        words.repaint()
        await pilot.pause()
        assert words.drawn == words.size.height


async def test_a_new_size_is_painted_once_and_drawn_with_the_layout() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        words = words_of(pilot)
        words.focus()
        await pilot.pause()
        words.painted.clear()
        words.styles.width = 11
        await pilot.pause()
        assert words.painted == [(7, 12)]
        assert words.render_lines(Region(0, 1, 11, 1))[0].text == "┃ row 0   ┃"


async def test_colours_are_those_of_the_theme_and_the_focus() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        for theme in (DARK, LIGHT, DARK):
            for focused in (True, False):
                pilot.app.theme = theme.name
                pilot.app.set_focus(words_of(pilot) if focused else None)
                await pilot.pause()
                [style] = {
                    style for text, style, _ in words_of(pilot).render_lines(Region(0, 1, 21, 1))[0] if text == "row 0"
                }
                assert style is not None and style.color == role_style(theme.name, "good").color
                background = style.bgcolor and style.bgcolor.name
                assert background == (theme.panel if focused else theme.background or "").lower()


async def test_a_line_that_is_none_says_so_in_its_own_row() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        words = words_of(pilot)
        words.rows[0] = (("odd", "no such role"),)
        words.repaint()
        assert [strip.text for strip in words.render_lines(Region(0, 1, 21, 2))] == [
            f"│ {'✗ This pane':<17} │",
            f"│ {'row 1':<17} │",
        ]
