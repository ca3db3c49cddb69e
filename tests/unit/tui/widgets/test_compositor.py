"""A widget that is asked where it is before its first layout comes to the terminal all the same, and leaves it whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from rltui.tui.widgets.compositor import PlacedCompositor
from tests.fakes import sent_screen
from tests.fakes.sent_screen import Sent
from tests.fakes.settled import settle

SIZE = (40, 14)


class Shown(Screen[None]):
    """A rack above all others, as that of toasts is."""

    CSS = """
    Shown { layers: below above; }
    Vertical { layer: above; width: 20; height: auto; dock: bottom; }
    Vertical Static { height: 3; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = PlacedCompositor()

    def compose(self) -> ComposeResult:
        yield Static("\n".join(f"row {row} of what is there" for row in range(SIZE[1])))
        yield Vertical()


async def after(pilot: Pilot[None], change: Callable[[Screen[object]], Awaitable[None]]) -> None:
    """The change; before its layout all that is dirty is drawn, and somebody asks for a place."""
    screen = pilot.app.screen
    with pilot.app.batch_update():
        await change(screen)
        await settle(pilot.app)
        screen._compositor.update_widgets(screen._dirty_widgets | set(screen.query(Static)))
        screen._dirty_widgets.clear()
        assert screen.query_one(Vertical).region.width == SIZE[0] // 2
    screen._on_timer_update()
    await settle(pilot.app)


def terminal_is_right(pilot: Pilot[None], sent: Sent) -> bool:
    return sent.stale(pilot.app.screen, anew=False) == ""


async def test_who_asks_early_hides_nothing_from_the_terminal() -> None:
    with sent_screen.followed() as sent:
        async with App[None]().run_test(size=SIZE) as pilot:
            await pilot.app.push_screen(Shown())
            await pilot.pause()
            assert "row 13" in sent.terminal.text and terminal_is_right(pilot, sent)
            rack, notes = pilot.app.screen.query_one(Vertical), [Static("the first"), Static("the second")]
            for note in notes:
                await after(pilot, lambda _, note=note: rack.mount(note))
                assert terminal_is_right(pilot, sent)
            assert "the first" in sent.terminal.text and "the second" in sent.terminal.text
            await after(pilot, lambda _: notes[1].remove())
            assert terminal_is_right(pilot, sent)
