"""Only what has changed goes to the terminal, and it is what Textual itself would have drawn."""

from __future__ import annotations

import random

import pytest
from rich.cells import cell_len
from rich.console import Console
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from rltui.tui.ascii import AsciiFilter, ControlCharacterFilter
from rltui.tui.text import Line
from rltui.tui.themes import DARK, LIGHT
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.sparing import PiecesUpdate, SparingCompositor
from tests.fakes.drawn_screen import DrawnScreen

SIZE = (40, 14)
TEXTS = ("short", "a longer text than there is room for in any of them", "wide 漢字 too", "\x1b[31mbold\x07", "─┤·")
ROLES = ("", "good", "muted cursor", "series-3", "pill-bad")
Cell = tuple[str, object]


class Words(LineWidget, can_focus=True):
    """Shows `rows`; remembers what was painted and what was asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self.rows: list[Line] = [((f"{name} {row}", "good"),) for row in range(20)]
        self.painted: list[tuple[int, int]] = []
        self.asked: list[Region] = []

    def paint(self, width: int, height: int) -> list[Line]:
        self.painted.append((width, height))
        return self.rows[:height]

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked.append(crop)
        return super().render_lines(crop)


class Shown(Screen[None]):
    """Two side by side, and a third in front of both."""

    CSS = """
    Shown { layers: below above; layout: horizontal; }
    #left { width: 21; height: 100%; border: round $primary; padding: 0 1; }
    #left:focus { border: heavy $error; }
    #right { width: 19; height: 100%; }
    #over { layer: above; width: 9; height: 5; offset: 16 4; border: solid $error; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = SparingCompositor()

    def compose(self) -> ComposeResult:
        yield from map(Words, ("left", "right", "over"))


class Program(App[None]):
    """Colours and filters as the real one has them."""

    def __init__(self, ascii_only: bool = False) -> None:
        super().__init__()
        self._filters += [ControlCharacterFilter(), *([AsciiFilter()] if ascii_only else [])]
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name

    def on_mount(self) -> None:
        self.push_screen(Shown())


def cells(strip: Strip) -> list[Cell]:
    """Character and look of each column; where a character has two, the second's is empty."""
    found: list[Cell] = []
    for text, style, _ in strip:
        look = (style.color, style.bgcolor, style.bold) if style else None
        for char in text:
            found += [(char, look), *([("", look)] * (cell_len(char) - 1))]
    return found


def words_of(pilot: Pilot[None]) -> list[Words]:
    return list(pilot.app.screen.query(Words))


def update(screen: Screen[object]) -> PiecesUpdate | None:
    """What would go to the terminal now."""
    compositor = screen._compositor
    compositor.update_widgets(set(screen.query(Words)))
    pieces = compositor.render_update()
    assert pieces is None or isinstance(pieces, PiecesUpdate)
    return pieces


def change_something(rng: random.Random, widget: Words) -> None:
    widget.rows[rng.randrange(len(widget.rows))] = tuple(
        (rng.choice(TEXTS), rng.choice(ROLES)) for _ in range(rng.randrange(4))
    )
    widget.repaint()


@pytest.mark.parametrize("seed", range(3))
async def test_the_terminal_shows_what_textual_would_have_drawn(seed: int) -> None:
    rng = random.Random(seed)
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        screen, terminal = pilot.app.screen, DrawnScreen(*SIZE)
        looks = [cells(strip) for strip in screen._compositor.render_strips()]
        screen.refresh()
        screen._compositor._dirty_regions.add(screen.region)
        for _ in range(40):
            if pieces := update(screen):
                terminal.feed(pieces.render_segments(Console(color_system="truecolor")).encode())
                for x, y, strip in pieces.pieces:
                    looks[y][x : x + strip.cell_length] = cells(strip)
            wanted = screen._compositor.render_strips()
            assert terminal.text == "\n".join(strip.text.rstrip() for strip in wanted)
            assert looks == [cells(strip) for strip in wanted]
            for _ in range(rng.randrange(1, 4)):
                change_something(rng, rng.choice(words_of(pilot)))


async def test_a_changed_row_asks_for_nothing_else() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        left, right, over = words_of(pilot)
        update(pilot.app.screen)
        for widget in (left, right, over):
            widget.asked.clear()
        left.rows[2] = (("new", ""),)
        left.repaint()
        pieces = update(pilot.app.screen)
        assert pieces is not None
        assert [(x, y, strip.text) for x, y, strip in pieces.pieces] == [(2, 3, f"{'new':<17}")]
        assert (left.asked, right.asked, over.asked) == ([Region(0, 3, 21, 1)], [], [])
        assert update(pilot.app.screen) is None


async def test_who_is_in_front_stays_there() -> None:
    """Rows 4 to 8 of columns 16 to 24 belong to `over`."""
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        update(pilot.app.screen)
        right = words_of(pilot)[1]
        right.rows[6] = (("new", ""),)
        right.repaint()
        pieces = update(pilot.app.screen)
        assert pieces is not None
        assert [(x, y, strip.text) for x, y, strip in pieces.pieces] == [(21, 6, " 1 │"), (25, 6, " " * 15)]


async def test_a_wide_character_that_was_half_covered_comes_back_whole() -> None:
    """`over` covers columns 16 to 24 of rows 4 to 8; `right`'s begin at column 21."""
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        left, right, over = words_of(pilot)
        left.rows[4], right.rows[6] = (("x" * 13 + "漢字", ""),), (("abc漢字", ""),)
        left.repaint()
        right.repaint()
        screen, terminal = pilot.app.screen, DrawnScreen(*SIZE)
        screen._compositor._dirty_regions.add(screen.region)
        for shown in (True, False, True, False):
            over.display = shown
            await pilot.pause()
            screen._compositor._dirty_regions.add(screen.region if shown else Region(16, 4, 9, 5))
            pieces = update(screen)
            assert pieces is not None
            terminal.feed(pieces.render_segments(Console(color_system="truecolor")).encode())
            assert terminal.text == "\n".join(strip.text.rstrip() for strip in screen._compositor.render_strips())


@pytest.mark.parametrize("ascii_only", [False, True])
async def test_rows_look_as_textual_draws_them(ascii_only: bool) -> None:
    """In each theme, with the focus and without."""
    rng = random.Random(7)
    async with Program(ascii_only).run_test(size=SIZE) as pilot:
        await pilot.pause()
        for theme in (DARK, LIGHT, DARK):
            pilot.app.theme = theme.name
            for focused in words_of(pilot)[:2]:
                focused.focus()
                await pilot.pause()
                for widget in words_of(pilot):
                    change_something(rng, widget)
                    own = widget.render_lines(widget.outer_size.region)
                    textuals = Widget.render_lines(widget, widget.outer_size.region)
                    assert [cells(strip) for strip in own] == [cells(strip) for strip in textuals]


async def test_a_new_size_is_painted_once_and_drawn_with_the_layout() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        left = words_of(pilot)[0]
        left.painted.clear()
        left.styles.width = 11
        await pilot.pause()
        assert left.painted == [(7, 12)]
        assert left.render_lines(Region(0, 1, 11, 1))[0].text == "┃ left 0  ┃"


async def test_a_line_that_is_none_says_so_in_its_own_row() -> None:
    async with Program().run_test(size=SIZE) as pilot:
        await pilot.pause()
        right = words_of(pilot)[1]
        right.rows[0] = (("odd", "no such role"),)
        right.repaint()
        assert [strip.text for strip in right.render_lines(Region(0, 0, 19, 2))] == [
            f"{'✗ This pane cannot':<19}",
            f"{'right 1':<19}",
        ]
