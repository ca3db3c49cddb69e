"""A widget that is asked where it is before its first layout comes to the terminal all the same, and leaves it whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.sparing import SparingCompositor
from tests.fakes import sent_screen
from tests.fakes.sent_screen import Sent
from tests.fakes.settled import settle

SIZE = (40, 14)


class Note(Static):
    """Above all others, as a toast is."""

    resized = 0

    def on_resize(self, _: Resize) -> None:
        self.resized += 1


class Shown(Screen[None]):
    CSS = """
    Shown { layers: below above; }
    Vertical { layer: above; width: 20; height: auto; dock: bottom; }
    Note { height: 3; }
    """

    def __init__(self, compositor: DrawnCompositor) -> None:
        super().__init__()
        self._compositor = compositor

    def compose(self) -> ComposeResult:
        yield Static("\n".join(f"row {row} of what is there" for row in range(SIZE[1])))
        yield Vertical()


async def after(pilot: Pilot[None], change: Callable[[Screen[object]], Awaitable[None]]) -> None:
    """The change; before its layout what is dirty is drawn, as far as it has a place, and somebody asks for places."""
    screen = pilot.app.screen
    with pilot.app.batch_update():
        await change(screen)
        await settle(pilot)  # type: ignore[arg-type]
        screen._compositor.update_widgets({*screen._dirty_widgets, Note("not there yet")})
        screen._dirty_widgets.clear()
        assert set(screen.query(Note)) == {widget for widget in screen._compositor.full_map if isinstance(widget, Note)}
    screen._on_timer_update()
    await settle(pilot)  # type: ignore[arg-type]


def terminal_is_right(pilot: Pilot[None], sent: Sent) -> bool:
    return sent.stale(pilot.app.screen, anew=False) == ""


@pytest.mark.parametrize("kind", [DrawnCompositor, SparingCompositor])
async def test_who_asks_early_hides_nothing_from_the_terminal(kind: type[DrawnCompositor]) -> None:
    with sent_screen.followed() as sent:
        async with App[None]().run_test(size=SIZE) as pilot:
            await pilot.app.push_screen(Shown(kind()))
            await pilot.pause()
            assert "row 13" in sent.terminal.text and terminal_is_right(pilot, sent)
            rack, notes = pilot.app.screen.query_one(Vertical), [Note("the first"), Note("the second")]
            for note in notes:
                await after(pilot, lambda _, note=note: rack.mount(note))
                assert terminal_is_right(pilot, sent)
                assert note.resized == 1
            assert "the first" in sent.terminal.text and "the second" in sent.terminal.text
            await after(pilot, lambda _: notes[1].remove())
            assert terminal_is_right(pilot, sent)


async def test_what_was_asked_is_answered_once_until_something_new_comes() -> None:
    """Arranging a whole screen for each question would be dear."""
    async with App[None]().run_test(size=SIZE) as pilot:
        await pilot.app.push_screen(Shown(DrawnCompositor()))
        await pilot.pause()
        screen, note = pilot.app.screen, Note("something to know")
        compositor = screen._compositor
        with pilot.app.batch_update():
            await screen.query_one(Vertical).mount(note)
            compositor.update_widgets({note})
            first = compositor.full_map
            assert compositor.full_map is first
            compositor.update_widgets({Note("another")})
            assert compositor.full_map is not first
        await pilot.pause()
        assert note.region.size == (20, 3) and compositor.full_map is not first
