"""The panes of table, turtles, curriculum, machine and workers in the running cockpit: keys, clicks, threads."""

from __future__ import annotations

import socket
from dataclasses import replace

import msgspec
import pytest
from textual.pilot import Pilot

from rltui.events.commands import EvaluationLive
from rltui.events.records import WorkerFailed
from rltui.tui.capture import screen_text
from tests.fakes import figure_stories, run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.fake_sampler import SAMPLE
from tests.fakes.figured import Tables, opened, rich_run
from tests.fakes.screens import NOW, resized, until, until_shown


def pane_of(pilot: Pilot[str], name: str) -> object:
    return pilot.app.screen.query_one(f"#{name}")


async def test_each_is_one_key_away(subtests: pytest.Subtests) -> None:
    panes = {
        "5": "! turns left 4.0 %, right 31 %", "6": "from the roof to the wheels", "7": "Phase 1 of 3",
        "m": "This screen costs", "4": "last event",
    }  # fmt: skip
    for ascii_only in (False, True):
        async with opened(rich_run(), ascii_only=ascii_only) as pilot:
            for size in ((80, 24), (120, 40), (200, 50)):
                await resized(pilot, size)
                for key, words in panes.items():
                    with subtests.test(size=size, ascii_only=ascii_only, key=key):
                        await pilot.press(key)
                        text = await until_shown(pilot, words)
                        assert text.isascii() is ascii_only
                        stands_in = "??" not in text and " ? " not in text.replace("? Help", "")
                        assert stands_in, "every character has its stand-in"


async def test_the_machine_is_read_only_while_it_is_shown() -> None:
    async with opened(rich_run()) as pilot:
        await pilot.press("m")
        await until_shown(pilot, "97 % of 2 cores")
        sampler = pane_of(pilot, "machine").sampler  # type: ignore[attr-defined]
        assert (sampler.starts, sampler.running) == (1, True)
        sampler.give(replace(SAMPLE, cpu=12.0))
        await until_shown(pilot, "12 % of 2 cores")
        await pilot.press("4")
        await until(pilot, lambda: not sampler.running)
        await pilot.press("m")
        await until(pilot, lambda: sampler.starts == 2)
        await pilot.press("H")
        await until(pilot, lambda: sampler.stops == 2)


async def test_the_machine_knows_who_is_who() -> None:
    run = rich_run()
    run.records.add(msgspec.structs.replace(run_story.header(), host=socket.gethostname(), time=NOW))
    async with opened(run) as pilot:
        await pilot.press("m")
        await until_shown(pilot, "97 % of 2 cores")
        sampler = pane_of(pilot, "machine").sampler  # type: ignore[attr-defined]
        await until(pilot, lambda: "trainer" in sampler.roles.values())
        assert sampler.roles[4242] == "trainer"
        frame = msgspec.structs.replace(run_story.live(NOW), evaluation=EvaluationLive(5_000_000, 4711, None))
        assert run.control is not None
        run.control.say(frame)
        await until(pilot, lambda: sampler.roles.get(4711) == "evaluation")
        assert "this program" in sampler.roles.values()
        assert not any(role == "its guardian" for role in sampler.roles.values()), "there is none here"


async def test_rows_of_the_table_are_gone_through_and_sorted() -> None:
    async with opened(rich_run()) as pilot:
        await pilot.press("5")
        await until_shown(pilot, "most chosen first")
        await until_shown(pilot, "full throttle, right, boost")
        pane = pane_of(pilot, "lut")
        await pilot.press("down", "down")
        assert pane.cursor == 2  # type: ignore[attr-defined]
        await pilot.press("o")
        await until_shown(pilot, "by row")
        await pilot.press("end")
        assert "▌   5" in screen_text(pilot.app.screen)


async def test_a_table_that_changed_on_disk_is_told_and_the_checkpoint_s_words_are_used() -> None:
    other = msgspec.structs.replace(figure_stories.verdict("beef" * 16), words=["wrong"] * 6)
    tables = Tables(other, figure_stories.verdict())
    async with opened(rich_run(), tables=tables) as pilot:
        await pilot.press("5")
        await until_shown(pilot, "the profile's table has changed")
        text = await until_shown(pilot, "full throttle, right, boost")
        assert "wrong" not in text
    saved = next(record.path for record in reversed(run_story.told()) if getattr(record, "kind", "") == "checkpoint")
    assert tables.asked[-1] == saved


async def test_enter_shows_the_whole_trace_of_the_worker_under_the_cursor() -> None:
    run = rich_run()
    trace = "Traceback (most recent call last):\n  File touch.py, line 31\nValueError: bad reward"
    run.records.add(WorkerFailed(time=NOW, worker=1, kind="raised", reason="ValueError: bad reward", trace=trace))
    async with opened(run) as pilot:
        await pilot.press("4", "enter")
        await until_shown(pilot, "worker 0 has not failed")
        await pilot.press("down", "enter")
        text = await until_shown(pilot, "Worker 1: why it failed")
        assert "File touch.py, line 31" in text and "killed by signal 9" in text
        await pilot.press("escape")
        await until(pilot, lambda: "why it failed" not in screen_text(pilot.app.screen))


async def test_a_click_selects_a_worker() -> None:
    async with opened(rich_run()) as pilot:
        await pilot.press("4")
        await until_shown(pilot, "last event")
        pane = pane_of(pilot, "workers")
        await pilot.click("#workers", offset=(6, 3))  # border, head, worker 0, worker 1
        await until(pilot, lambda: pane.cursor == 1)  # type: ignore[attr-defined]


async def test_no_car_has_turtled_yet() -> None:
    async with opened(FakeRun(run_story.told(), control=FakeControl())) as pilot:
        await pilot.press("6")
        await until_shown(pilot, "No car has landed on its roof yet")
