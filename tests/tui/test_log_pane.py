"""The log at the keyboard: its filter, opening, following; and a flood of lines that holds up no key."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from typing import cast

import pytest

from rltui.events.records import LogLine, Record, WorkerFailed
from rltui.run_state.log_entries import LEVELS
from rltui.run_state.snapshot import LeftAt
from rltui.supervise.launch import LaunchedTrainer
from rltui.tui.capture import screen_text
from rltui.tui.messages import RunOpened
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.text import plain
from rltui.tui.widgets.dialogs import TextDialog
from tests.fakes import run_story
from tests.fakes.fake_run import FakeJournal, FakeRun
from tests.fakes.screens import NOW, Clock, cockpit, cockpit_of, live_run, until, until_shown

TRACE = "Traceback (most recent call last):\n" + "\n".join(f"  File reward.py at {n}" for n in range(30))


def line(number: int, **about: object) -> LogLine:
    about = {"level": "info", "source": "worker", "message": f"line {number}", **about}
    return LogLine(time=NOW + number, **about)  # type: ignore[arg-type]


def talking() -> FakeRun:
    run = live_run()
    lines: list[Record] = [line(number, worker=number % 2) for number in range(60)]
    lines += [line(60, message="steer 0.25", worker=1, flag="debug_actions")]
    lines += [WorkerFailed(time=NOW + 70, worker=1, kind="raised", reason="ValueError: bad", trace=TRACE)]
    run.records.add(*lines)
    return run


async def test_a_filter_marks_what_it_finds_and_leaves_the_cursor_where_it_has_led() -> None:
    async with cockpit(talking()) as pilot:
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9", "slash", *"line", "space", "1", ".")
        await until_shown(pilot, "/line 1. 10 of ")
        assert any("hit" in role for line in pane.lines for _, role in line)
        await pilot.press("enter", "up", "up")
        assert open_entry(pane) == "line 17"
        await pilot.press("escape")
        text = await until_shown(pilot, "line 18")
        assert "esc clears" not in text
        assert open_entry(pane) == "line 17", "among all entries again"


def open_entry(pane: LogPane) -> str:
    return pane._list.entries[pane._window.place].message


async def test_a_filter_finds_who_says_it_and_its_debug_flag() -> None:
    async with cockpit(talking()) as pilot:
        await pilot.press("9", "f", "slash", *"worker", "space", "0", "enter")
        text = await until_shown(pilot, "/worker 0 ")
        assert "line 58" in text and "line 59" not in text
        await pilot.press("slash", *"debug_actions", "enter")
        text = await until_shown(pilot, "/debug_actions 1 of ")
        assert "steer 0.25" in text and "line 59" not in text


async def test_the_count_is_of_the_lines_that_are_shown() -> None:
    async with cockpit(talking()) as pilot:
        pane, snapshot = cockpit_of(pilot).query_one(LogPane), cockpit_of(pilot).snapshot
        await pilot.press("9")
        shown = [entry for entry in snapshot.log if entry.level != "debug"]
        await until_shown(pilot, f"{len(shown)} of {len(snapshot.log)} lines")
        while pane.level != "debug":
            await pilot.press("l")
            await pilot.pause()
        await until_shown(pilot, f"debug and above · {len(snapshot.log)} lines")


async def test_enter_opens_an_entry_with_its_whole_trace() -> None:
    async with cockpit(talking(), (120, 60)) as pilot:
        await pilot.press("9")
        await until_shown(pilot, "more lines: enter opens it")
        pane = cockpit_of(pilot).query_one(LogPane)
        pane.jump_to(NOW + 70)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TextDialog))
        assert "reward.py at 29" in screen_text(pilot.app.screen)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is cockpit_of(pilot))


async def test_scrolled_up_it_stays_and_says_what_is_new() -> None:
    run = talking()
    async with cockpit(run) as pilot:
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9", "up", "up")
        before = pane.lines
        run.records.add(*(line(200 + number) for number in range(142)))
        await until_shown(pilot, "STANDS STILL  142 new lines – End follows")
        assert pane.lines == before
        await pilot.press("end")
        await until(pilot, lambda: pane.at_newest)
        await until(pilot, lambda: "STANDS STILL" not in screen_text(pilot.app.screen))
        await until_shown(pilot, "line 341")


async def test_jumping_to_the_time_of_a_mark() -> None:
    async with cockpit(talking()) as pilot:
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9")
        pane.jump_to(NOW + 17)
        assert open_entry(pane) == "line 17"
        await until_shown(pilot, "line 17")


async def test_from_a_moment_of_the_charts_to_the_log() -> None:
    run = live_run()
    run.records.add(*(line(number) for number in range(50)))
    async with cockpit(run) as pilot:
        screen = cockpit_of(pilot)
        await pilot.press("1", *["shift+left"] * 10, "g")
        pane = screen.query_one(LogPane)
        await until(pilot, lambda: screen.focused_pane() is pane)
        assert not pane.at_newest
        history, cursor = screen.snapshot.history, screen.query_one(MetricsPane).charting.cursor
        assert cursor is not None and 0 <= cursor < history.timesteps[-1]
        clock = history.columns["clock"][max(i for i, steps in enumerate(history.timesteps) if steps <= cursor)]
        stands, before = pane._window.place, pane._window.place - 1
        assert pane._list.entries[stands].time >= clock
        assert before < 0 or pane._list.entries[before].time < clock


async def test_what_is_no_longer_kept_is_counted() -> None:
    run = live_run()
    run.records.add(*(line(number) for number in range(7000)))
    async with cockpit(run) as pilot:
        await pilot.press("9")
        total = cockpit_of(pilot).snapshot.log_total
        await until_shown(pilot, f"5,000 lines, {total - 5000:,} older ones in journal.jsonl")


class Pouring(FakeJournal):
    """Gives what has fallen due: `rate` lines a second from its first poll."""

    def __init__(self, records: Sequence[Record], rate: int) -> None:
        super().__init__(records)
        self._rate, self._started, self._given = rate, 0.0, 0
        self.full = threading.Event()  # as many as a log holds have come

    def poll(self) -> list[Record]:
        told = super().poll()
        if told:
            return told
        self._started = self._started or time.monotonic()
        due = int((time.monotonic() - self._started) * self._rate)
        lines = [line(number, worker=number % 8, message=f"arena {number}: throttle 1.00 steer 0.25 pitch 0.00 " * 2)
                 for number in range(self._given, due)]  # fmt: skip
        self._given = due
        if due > 5000:
            self.full.set()
        return [*lines] if len(lines) > self._rate // 100 else []


async def test_five_thousand_lines_a_second_hold_up_no_key() -> None:
    run = live_run()
    run.records = Pouring(run_story.told(), 5000)
    async with cockpit(run, (200, 50)) as pilot:
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9", "slash", *"steer", "enter")
        await until(pilot, run.records.full.is_set)
        for _ in range(3):
            await pilot.press("up", "down", "pageup")
            await until(pilot, lambda: not pane.at_newest)
            await pilot.press("end", "l", "l", "l", "l")
            await until(pilot, lambda: pane.at_newest)
        assert len(pane._list) <= 5000


async def test_a_log_that_stands_still_says_so_and_why(subtests: pytest.Subtests) -> None:
    for size in ((80, 24), (200, 50)):
        for ascii_only in (False, True):
            with subtests.test(size=size, ascii_only=ascii_only):
                async with cockpit(talking(), size, ascii_only=ascii_only) as pilot:
                    await pilot.press("9")
                    assert "STANDS STILL" not in screen_text(pilot.app.screen)
                    await pilot.press("up")
                    await until_shown(pilot, "STANDS STILL  End follows")
                    await pilot.press("1")  # without the focus too, where it is in view
                    if size[0] > 100:
                        await until_shown(pilot, "STANDS STILL  End follows")
                    await pilot.press("9", "end", "z")
                    await until_shown(pilot, "FROZEN  z goes on")
                    await pilot.press("z")
                    await until(pilot, lambda: "z goes on" not in screen_text(pilot.app.screen))


async def test_a_filter_that_leaves_nothing_of_a_log_that_stands_still_says_so() -> None:
    async with cockpit(talking()) as pilot:
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9", "up", "slash", *"zzz", "enter")
        await until(pilot, lambda: not len(pane._list))
        text = await until_shown(pilot, "nothing of level info or above that matches the filter")
        assert "cannot draw" not in text
        await pilot.press("up", "enter", "escape")
        await until_shown(pilot, "line 59")


WALKED = ("up", "down", "pageup", "pagedown", "home", "end", "slash", "enter", "escape", "l", "z", "1", "exclamation_mark")  # fmt: skip


async def test_a_walk_over_the_pane_s_keys_breaks_nothing(subtests: pytest.Subtests) -> None:
    for count, presses in ((0, 10), (1, 10), (3, 20), (300, 60)):
        with subtests.test(count=count):
            chance, way = random.Random(count), []
            run = live_run()
            run.records = FakeJournal(
                [line(number, worker=number % 3, level=chance.choice(LEVELS)) for number in range(count)]
            )
            async with cockpit(run, (120, 40)) as pilot:
                pane = cockpit_of(pilot).query_one(LogPane)
                await pilot.press("9")
                for number in range(presses):
                    way.append(chance.choice(WALKED))
                    await pilot.press(way[-1])
                    if number % 20 == 10:
                        run.records.add(line(1000 + number))
                    assert not any("cannot draw" in text for row in pane.lines for text, _ in row), way
                    if not isinstance(pilot.app.screen, type(cockpit_of(pilot))):
                        await pilot.press("escape")
                    elif cockpit_of(pilot).focused_pane() is not pane:
                        await pilot.press("9")


async def test_who_comes_back_is_told_what_came_meanwhile_and_sees_where_they_left() -> None:
    run = talking()
    async with cockpit(run) as pilot:
        snapshot = cockpit_of(pilot).snapshot
    assert run.left == LeftAt(NOW, snapshot.timesteps, snapshot.log_total), "of this look"
    run = talking()
    run.left = LeftAt(NOW - 7200, snapshot.timesteps - 500, snapshot.log_total - 10)
    async with cockpit(run) as pilot:
        text = await until_shown(pilot, "While you were away")
        assert "2 h 00 min: 500 timesteps, 1 death, 0" in text
        pane = cockpit_of(pilot).query_one(LogPane)
        await pilot.press("9", "f")
        rows = [plain([row]) for row in pane.lines]
        rule = next(place for place, row in enumerate(rows) if "you left" in row)
        assert "line 51" in rows[rule - 1] and "line 52" in rows[rule + 1]
        await pilot.press("home")
        await until(pilot, lambda: not any("you left" in plain([row]) for row in pane.lines))


async def test_who_never_left_is_told_nothing() -> None:
    """The run is opened anew from its own cockpit, as after a resume."""
    run, clock = talking(), Clock()
    run.left = LeftAt(NOW - 7200, 0, 1)
    async with cockpit(run, clock=clock) as pilot:
        await until_shown(pilot, "While you were away")
        first = cockpit_of(pilot)
        clock.now += 600
        pilot.app.clear_notifications()
        run.records = talking().records  # read from its first line
        pilot.app.post_message(RunOpened(run.name, cast(LaunchedTrainer, object())))
        await until(pilot, lambda: cockpit_of(pilot) is not first and cockpit_of(pilot).snapshot.log_total > 0)
        await pilot.press("9", "f")
        await until_shown(pilot, "line 59")
        assert "While you were away" not in [notice.title for notice in pilot.app._notifications]
        assert cockpit_of(pilot).query_one(LogPane).left is None
