"""The cockpit as text: every state it can be in, at the sizes that matter, in Unicode and ASCII."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest
from textual.pilot import Pilot

from rltui.events.commands import FlagLive, OutputLive, ViewerLive
from rltui.events.records import IterationFinished, LogLine, StateChanged, WorkerFailed
from rltui.tui.capture import screen_text
from tests.fakes import run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.screens import (
    FORMS,
    NOW,
    SIZES,
    Clock,
    assert_fits,
    cockpit,
    cockpit_of,
    compare,
    form_name,
    live_run,
    resized,
    rooms_in,
    until,
    until_shown,
)


@pytest.mark.parametrize(("size", "ascii_only"), FORMS)
async def test_collecting(size: tuple[int, int], ascii_only: bool) -> None:
    async with cockpit(live_run(), size, ascii_only=ascii_only) as pilot:
        await until_shown(pilot, "you control" if size[0] > 80 else "COLLECTING")
        text = screen_text(pilot.app.screen)
    assert_fits(text, size, ascii_only)
    compare(f"cockpit-{form_name(size, ascii_only)}", text)


@dataclass
class Case:
    name: str
    run: FakeRun
    words: tuple[str, ...]
    later: float = 0.0


def cases() -> list[Case]:
    silent = FakeRun(run_story.told(), control=FakeControl())
    assert silent.control is not None
    silent.control.say(run_story.live(NOW, state="learning"))
    broken = live_run(states=("collecting", "restarting"))
    trace = "Traceback (most recent call last):\n  File touch.py, line 31\nValueError: bad reward"
    broken.records.add(WorkerFailed(time=NOW, worker=1, kind="raised", reason="ValueError: bad reward", trace=trace))
    ended = [*run_story.told(488, step_limit=10_000_000), run_story.finished(10_000_000, run_story.now_of(488))]
    failed = [
        *run_story.told(),
        StateChanged(time=NOW, state="failed", reason="3 workers died within a minute"),
        run_story.finished(12_431_360, NOW, 1, "3 workers died within a minute; the last good state is saved"),
    ]
    return [
        Case(
            "starting",
            FakeRun(run_story.opening()[:2]),
            ("◌ STARTING", "not connected", "1 ◌ starting", "first finished iteration"),
            later=run_story.START + 2 - NOW,
        ),
        Case("before-the-first-word", FakeRun([]), ("◌ STARTING", "the trainer loads torch")),
        Case("learning", live_run(state="learning", states=("waiting", "waiting")), ("◆ UPDATING", "○ waiting")),
        Case("paused", live_run(state="paused", reason="by ada"), ("‖ PAUSED", "by ada", "P Resume")),
        Case("silent", silent, ("? SILENT", "no word from the trainer for 14 s, was updating"), later=14),
        Case("worker-failed", broken, ("↻ restarting", "✗ worker 1", "File touch.py, line 31")),
        Case("finished", FakeRun(ended, process=False), ("✓ FINISHED", "10,000,000 timesteps", "from disk", "■ ended")),
        Case("failed", FakeRun(failed, process=False), ("✗ FAILED", "the last good state is saved")),
        Case(
            "unclean", FakeRun(run_story.told(), process=False), ("! ENDED UNCLEANLY", "last word 7 min ago"), later=400
        ),
        Case("not-started", FakeRun([], process=False), ("✗ DID NOT START",)),
    ]


async def test_every_state_is_said_in_words(subtests: pytest.Subtests) -> None:
    for case in cases():
        with subtests.test(case.name):
            async with cockpit(case.run, clock=Clock(NOW + case.later)) as pilot:
                for word in case.words:
                    await until_shown(pilot, word)


async def test_at_80x24_every_pane_is_a_digit_away() -> None:
    shown = {
        "2": "reward / episode", "3": "Bottleneck: update", "4": "last event", "9": "ready in 0.9 s", "i": "256-256-256-90",
    }  # fmt: skip
    async with cockpit(live_run(), (80, 24)) as pilot:
        for key, words in shown.items():
            await pilot.press(key)
            text = await until_shown(pilot, words)
            assert rooms_in(text) == 1  # one pane at a time
            await pilot.press("1")
            await until_shown(pilot, "explained variance")


async def test_in_every_other_terminal_it_fits_and_the_essentials_remain() -> None:
    async with cockpit(live_run()) as pilot:
        for size, words in (
            ((50, 12), "12,431,360"), ((30, 8), "COLLECTING"), ((19, 4), "● 12.4 M"), ((9, 1), "● 12.4"),
            ((80, 24), "COLLECTING"), ((200, 50), "you control"),
        ):  # fmt: skip
            assert_fits(await resized(pilot, size, words), size, ascii_only=False)


async def test_reader_death_is_a_visible_state() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        run.records.failure = OSError("the disk is gone")
        await until_shown(pilot, "✗ NOT READING")
        await until_shown(pilot, "OSError: the disk is gone")


async def test_a_pane_that_cannot_draw_says_so_and_the_rest_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no such share")

    run = live_run()
    async with cockpit(run) as pilot:
        monkeypatch.setattr("rltui.tui.panes.rewards.RewardsPane.draw", broken)
        await pilot.resize_terminal(140, 40)
        text = await until_shown(pilot, "This pane cannot draw: ZeroDivisionError")
        assert "explained variance" in text
        run.records.add(StateChanged(time=NOW + 1, state="paused", reason=""))
        await until_shown(pilot, "‖ PAUSED")


def _first_row(pilot: Pilot[str]) -> str:
    return screen_text(pilot.app.screen).splitlines()[0]


async def test_the_run_s_name_is_the_last_thing_to_leave_the_head() -> None:
    """At 80×24 everything is said of a phase, flags and a viewer, and the name is still there, its end cropped at most."""
    run = live_run()
    run.name = "winter-evenings-20251127-133000"
    assert run.control is not None
    flags = [FlagLive("debug_actions"), FlagLive("debug_learning", [1])]
    viewer = ViewerLive("playing", 12_000_000, "127.0.0.1:9273", [OutputLive("rocketsimvis", "127.0.0.1:9273", 5)])
    run.control.say(msgspec.structs.replace(run_story.live(NOW), flags=flags, viewer=viewer))
    async with cockpit(run, (80, 24)) as pilot:
        await until(pilot, lambda: bool(cockpit_of(pilot).snapshot.flags))
        for columns in range(80, 59, -1):
            await pilot.resize_terminal(columns, 24)
            await until(pilot, lambda columns=columns: len(_first_row(pilot)) <= columns)  # type: ignore[misc]
            assert "winter-evenings-2025112" in _first_row(pilot) or "alpha" in _first_row(pilot), columns


async def test_control_and_frozen_are_seen_where_there_is_room_for_the_state_alone() -> None:
    sizes = ((59, 24), (59, 14), (80, 14))
    async with cockpit(live_run(), sizes[0]) as pilot:
        for size in sizes:
            await resized(pilot, size, "● you control")
            await pilot.press("z")
            text = await until_shown(pilot, "FROZEN")
            assert "z goes on" in text and "alpha" in text and "learning" in text, size
            await pilot.press("z")
            await until(pilot, lambda: "FROZEN" not in screen_text(pilot.app.screen))
    async with cockpit(live_run(), sizes[0], readonly=True) as pilot:
        for size in sizes:
            await resized(pilot, size, "○ read-only")


@pytest.mark.parametrize(("size", "ascii_only"), [*FORMS, ((200, 50), False)])
async def test_what_differs_from_the_plain_view_is_said_in_words(size: tuple[int, int], ascii_only: bool) -> None:
    run = live_run()
    async with cockpit(run, size, ascii_only=ascii_only) as pilot:
        await pilot.press("1", "slash", *"kl", "enter")
        await until_shown(pilot, "/kl 1 of 37")
        await pilot.press("escape", "9", "up")
        await until_shown(pilot, "STANDS STILL")
        run.records.add(*(LogLine(time=NOW, level="info", source="learner", message=f"line {n}") for n in range(3)))
        await until_shown(pilot, "3 new lines")
        await pilot.press("z")
        await until_shown(pilot, "goes on   since")
        await pilot.press("z", "2", "f")
        said = "one pane at a time here"
        await until(pilot, lambda: size[0] <= 80 or "f All panes" in screen_text(pilot.app.screen))
        await until(pilot, lambda: size[0] > 80 or any(said in notice.message for notice in pilot.app._notifications))


async def test_a_trainer_that_says_nothing_or_is_gone_is_told_at_every_size() -> None:
    silent = live_run(state="learning")
    async with cockpit(silent, clock=Clock(NOW + 94)) as pilot:
        await until_shown(pilot, "SILENT")
        for size in SIZES:
            text = await resized(pilot, size, "no word from the trainer for 2 min, was updating")
            assert "SILENT" in text and "newest iteration" not in text.split("\n")[2], "the same again"
    async with cockpit(FakeRun(run_story.told(), process=False), clock=Clock(NOW + 400)) as pilot:
        for size in SIZES:
            text = await resized(pilot, size, "ENDED UNCLEANLY")
            assert "last word 7 min ago" in text and "was learning  best " in text


ROWS = 240
ADVICE = "it hardly explores: raise the entropy coefficient"


def collapsed(row: int) -> IterationFinished:
    base = run_story.iteration(row)
    ill = {"train/entropy": 0.0, "train/explained_variance": -3.0} if row > ROWS - 40 else {}
    return msgspec.structs.replace(base, metrics={**base.metrics, **ill})


def ill_run() -> FakeRun:
    control = FakeControl()
    control.say(run_story.live(NOW - 0.1))
    return FakeRun([*run_story.opening(), *(collapsed(row) for row in range(1, ROWS + 1))], control=control)


def joined(text: str) -> str:
    """The words of the left pane, across its rows."""
    return " ".join(text.replace("│", " ").replace("┃", " ").split())


async def test_what_to_try_stands_in_the_pane_of_the_run(subtests: pytest.Subtests) -> None:
    """An unhealthy verdict says which pane has the advice; there it can be read to the end, with what else is ill."""
    for size in ((80, 24), (120, 40), (200, 50)):
        with subtests.test(size=size):
            async with cockpit(ill_run(), size, clock=Clock(run_story.now_of(ROWS))) as pilot:
                line = next(row for row in (await until_shown(pilot, "unhealthy")).split("\n") if "unhealthy" in row)
                assert "entropy 0, usual 0.5 or more; 1 more" in line and line.rstrip().endswith("i to try")
                await pilot.press("i", "f")
                text = joined(await until_shown(pilot, "to try"))
                assert ADVICE in text
                assert "also ill explained variance -3.00, usual 0.3 or more" in text
