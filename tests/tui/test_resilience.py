"""A pane that raises, wherever it does, says so in its own place; resizes in a storm end in the right picture."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from inspect import unwrap
from pathlib import Path

import pytest
from textual import events
from textual.command import CommandList
from textual.geometry import Size

from rltui.tui.capture import screen_text
from rltui.tui.panes.pane import View
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.panes.workers import WorkersPane
from rltui.tui.widgets.dialogs import Palette
from tests.fakes.screens import Clock, cockpit, live_run, until, until_shown


def raising(message: str) -> Callable[..., object]:
    def fail(*_: object, **__: object) -> object:
        raise ZeroDivisionError(message)

    return fail


@pytest.mark.parametrize("where", ["depends", "has_nothing", "subtitle", "draw"])
async def test_a_pane_that_raises_shows_it_and_the_rest_lives(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    monkeypatch.setattr(RewardsPane, where, raising("a fault in " + where))
    clock = Clock()
    async with cockpit(live_run(), clock=clock) as pilot:
        text = await until_shown(pilot, "ZeroDivisionError")
        assert "This pane cannot draw" in text
        for other in ("COLLECTING", "Workers", "Metrics", "overall"):
            assert other in text
        clock.now += 30.0
        await pilot.press("9")
        await until_shown(pilot, "SILENT")
    assert pilot.app.return_code != 1


async def test_a_pane_and_a_reader_thread_leave_their_tracebacks_in_a_file_that_they_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each once, however often it is drawn."""
    run, file = live_run(), tmp_path / "data" / "runs" / "alpha" / "screens" / "tracebacks.txt"
    file.parent.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RewardsPane, "draw", raising("a fault in a pane"))
    async with cockpit(run) as pilot:
        await until_shown(pilot, "tracebacks.txt")
        await pilot.resize_terminal(140, 40)
        run.records.failure = LookupError("a fault in a thread")
        text = await until_shown(pilot, "LookupError: a fault in a thread (traceback: alpha/screens/tracebacks.txt)")
        assert "COLLECTING" not in text
    kept = file.read_text()
    for fault, line in (("ZeroDivisionError: a fault in a pane", "self.draw("), ("LookupError: a fault", "poll()")):
        assert kept.count(fault) == 1 and line in kept


async def test_without_room_for_it_a_traceback_is_said_to_be_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RewardsPane, "draw", raising("a fault in a pane"))
    async with cockpit(live_run()) as pilot:
        await until_shown(pilot, "no traceback")
    assert not list(tmp_path.iterdir())


async def test_a_line_in_a_role_that_is_none_is_an_error_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(pane: RewardsPane, view: View, width: int, height: int) -> list[object]:
        return [(("text", "no-such-role"),)]

    monkeypatch.setattr(RewardsPane, "draw", draw)
    async with cockpit(live_run()) as pilot:
        assert "COLLECTING" in await until_shown(pilot, "KeyError")


async def test_a_key_over_which_a_pane_stumbles_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with cockpit(live_run()) as pilot:
        before = screen_text(pilot.app.screen)
        await pilot.press("4")
        with monkeypatch.context() as patched:
            patched.setattr(WorkersPane, "move", raising("a fault at a key"))
            await pilot.press("down")
            await until_shown(pilot, "a fault at a key")
        pilot.app.screen.show_now()  # type: ignore[attr-defined]
        await until(pilot, lambda: "a fault at a key" not in screen_text(pilot.app.screen))
        await pilot.press("1")
        await until(pilot, lambda: screen_text(pilot.app.screen) == before)


async def test_two_hundred_resizes_and_the_last_picture_is_right() -> None:
    chance = random.Random(3)
    sizes = [(chance.randint(1, 500), chance.randint(1, 200)) for _ in range(200)]
    async with cockpit(live_run()) as pilot:
        calm = await until_shown(pilot, "9 Log")
    async with cockpit(live_run()) as pilot:
        for width, height in sizes:
            pilot.app.post_message(events.Resize(Size(width, height), Size(width, height)))
            await asyncio.sleep(0)  # some are handled at once, others meet a drawing of the one before
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: screen_text(pilot.app.screen) == calm)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (10, 4)])
async def test_a_page_of_the_palette_where_there_is_no_room_for_any(size: tuple[int, int]) -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.resize_terminal(*size)
        await pilot.press("ctrl+p", "pagedown", "pageup")
        assert isinstance(pilot.app.screen, Palette)
        await pilot.resize_terminal(120, 40)
        commands = pilot.app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.option_count > 1)
        await pilot.press("down", "pagedown")
        await until(pilot, lambda: (commands.highlighted or 0) > 1)
    assert pilot.app.return_code != 1


async def test_a_palette_that_is_taken_away_while_it_gathers_ends_nothing() -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.press("ctrl+p")
        palette = pilot.app.screen
        assert isinstance(palette, Palette)
        await pilot.app.pop_screen()
        assert not palette.query(CommandList)
        await unwrap(Palette._gather_commands)(palette, "ch")
        await pilot.press("ctrl+p", "c", "h")
        await until(pilot, lambda: pilot.app.screen.query_one(CommandList).option_count > 1)
    assert pilot.app.return_code != 1
