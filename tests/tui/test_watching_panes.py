"""The arena and the reward trace in the running cockpit: what they say, when they listen, what their keys do."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from rltui.events.commands import Live, OutputLive, SetRender, ViewerLive
from rltui.events.match_frames import Watched
from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.panes.live_match import ArenaPane, LiveMatchPane
from rltui.tui.panes.pane import View
from rltui.tui.panes.reward_trace import TracePane
from rltui.tui.text import Line
from tests.fakes import run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.screens import NOW, Clock, cockpit, cockpit_of, live_run, resized, until, until_shown
from tests.fakes.watched_match import ADDRESS, NAMES, TIMESTEPS, FakeReader, viewer, watched

SIZES = ((80, 24), (120, 40), (200, 50))


@pytest.fixture(autouse=True)
def readers(monkeypatch: pytest.MonkeyPatch, data: DataDir) -> Iterator[list[FakeReader]]:
    """All that panes have made. However long a test takes, no picture grows old."""
    FakeReader.made.clear()
    monkeypatch.setattr(LiveMatchPane, "read", FakeReader)
    monkeypatch.setattr(LiveMatchPane, "steady", Clock(1000.0))
    yield FakeReader.made
    FakeReader.made.clear()


def told(now: ViewerLive | None, time: float = NOW - 0.05) -> Live:
    return msgspec.structs.replace(run_story.live(time), viewer=now)


def playing_run(now: ViewerLive | None = None) -> FakeRun:
    control = FakeControl()
    control.say(told(now or viewer()))
    return FakeRun(run_story.told(), control=control)


async def tells(pilot: Pilot[str], run: FakeRun, now: ViewerLive | None) -> None:
    assert run.control is not None
    run.control.say(told(now))
    await until(pilot, lambda: cockpit_of(pilot).snapshot.viewer == now)


async def sees(pilot: Pilot[str], readers: list[FakeReader], last: int, **changes: object) -> None:
    """The newest reader gives the frame after so many steps, and it has been drawn."""
    pane = next(pane for pane in cockpit_of(pilot).panes if isinstance(pane, LiveMatchPane) and pane.has_focus)
    await until(pilot, lambda: bool(readers) and readers[-1].runs)
    frame = watched(last, **changes)  # type: ignore[arg-type]
    readers[-1].say(frame)
    await until(pilot, lambda: pane.frame == frame)
    await pilot.pause()


async def test_arena_and_trace_at_each_size(readers: list[FakeReader], subtests: pytest.Subtests) -> None:
    for size in SIZES:
        for ascii_only in (False, True):
            with subtests.test(size=size, ascii_only=ascii_only):
                async with cockpit(playing_run(), size, ascii_only=ascii_only) as pilot:
                    await pilot.press("8", "f")
                    await sees(pilot, readers, 40)
                    screen = await until_shown(pilot, f"weights of {TIMESTEPS:,} timesteps")
                    assert "2 : 1" in screen and "alpha" in screen
                    assert "touches" in screen
                    assert ("@" if ascii_only else "●") in screen or ("O" if ascii_only else "◉") in screen
                    assert not ascii_only or screen.isascii()
                    assert "cannot draw" not in screen
                    assert size[0] < 120 or "127.0.0.1:9273, 1,204 packets" in screen
                    known = len(readers)
                    await pilot.press("0")
                    await until(pilot, lambda known=known: len(readers) > known)  # type: ignore[misc]
                    await sees(pilot, readers, 40)
                    screen = await until_shown(pilot, "car 1 of 2, blue")
                    assert "total" in screen and "touch" in screen and "episode*" in screen
                    assert "0:02.66" in screen, "step 40 ends at tick 320"
                    assert not ascii_only or screen.isascii()
                    assert "cannot draw" not in screen


async def test_that_nobody_listens_is_seen_below_the_picture_at_each_size(
    readers: list[FakeReader], subtests: pytest.Subtests
) -> None:
    deaf = viewer(outputs=[OutputLive("rocketsimvis", "127.0.0.1:9273", 9, "nobody listens: start RocketSimVis")])
    async with cockpit(playing_run(deaf)) as pilot:
        await pilot.press("8")
        await sees(pilot, readers, 40)
        for size in SIZES:
            with subtests.test(size=size):
                await resized(pilot, size, "→ 127.0.0.1:9273: nobody listens: start RocketSimVis")


async def test_what_is_said_while_nothing_can_be_seen(readers: list[FakeReader]) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("8")
        await until_shown(pilot, "The viewer is off. V starts it")
        await tells(pilot, run, viewer("starting", address="", timesteps=None, outputs=[]))
        await until_shown(pilot, "The viewer is starting")
        await tells(pilot, run, viewer("failed", address="", outputs=[], problem="my.py:3: KeyError: 'ball'"))
        await until_shown(pilot, "The viewer failed: my.py:3: KeyError: 'ball'")
        assert not readers
        await tells(pilot, run, viewer())
        await until_shown(pilot, "Waiting for the first picture")
        assert [reader.address for reader in readers] == [ADDRESS]
        readers[-1].problem = "no picture: Connection refused"
        cockpit_of(pilot).query_one(ArenaPane).repaint()
        await until_shown(pilot, "no picture: Connection refused")


async def test_only_frames_draw_a_match_that_goes_on(
    readers: list[FakeReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the trainer says of the viewer with each live frame waits for the next frame."""
    drawn: list[int] = []
    draw = ArenaPane.draw_match

    def counted(pane: ArenaPane, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        drawn.append(frame.moment.tick)
        return draw(pane, view, frame, width, height)

    monkeypatch.setattr(ArenaPane, "draw_match", counted)
    run = playing_run()
    async with cockpit(run) as pilot:
        await pilot.press("8")
        await sees(pilot, readers, 40)
        await tells(pilot, run, viewer(timesteps=TIMESTEPS + 1))
        first, second = watched(40).moment.tick, watched(41).moment.tick
        await until(
            pilot, lambda: drawn == [first, first]
        )  # as it came, and as the trainer's word came after the first
        await tells(pilot, run, viewer(timesteps=TIMESTEPS + 2))
        await sees(pilot, readers, 41)
        await until(pilot, lambda: drawn == [first, first, second])


async def test_v_asks_for_the_viewer_and_for_its_end(readers: list[FakeReader]) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        assert run.control is not None
        await pilot.press("V")
        await until(pilot, lambda: run.control.sent == [SetRender(True)])  # type: ignore[union-attr]
        await tells(pilot, run, viewer())
        await pilot.press("V")
        await until(pilot, lambda: run.control.sent[1:] == [SetRender(False)])  # type: ignore[union-attr]
        await tells(pilot, run, viewer("failed", problem="killed by SIGKILL"))
        await pilot.press("V")
        await until(pilot, lambda: run.control.sent[2:] == [SetRender(True)])  # type: ignore[union-attr]


async def test_a_pane_listens_only_while_it_is_seen(readers: list[FakeReader]) -> None:
    run = playing_run()
    async with cockpit(run) as pilot:
        await until(pilot, lambda: cockpit_of(pilot).snapshot.viewer is not None)
        await pilot.press("1")
        assert not any(reader.runs for reader in readers)
        await pilot.press("8")
        await until(pilot, lambda: any(reader.runs for reader in readers))
        await pilot.press("0")
        await until(pilot, lambda: len(readers) == 2 and readers[1].runs)
        await until(pilot, lambda: not readers[0].runs)
        await pilot.press("1")
        await until(pilot, lambda: not any(reader.runs for reader in readers))
        await pilot.press("8")
        await until(pilot, lambda: readers[-1].runs)
        await tells(pilot, run, None)
        await until(pilot, lambda: not readers[-1].runs)


async def test_a_silent_stream_says_so_and_a_newer_one_takes_over(
    readers: list[FakeReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monotonic = Clock(1000.0)
    monkeypatch.setattr(LiveMatchPane, "steady", monotonic)
    run = playing_run()
    async with cockpit(run) as pilot:
        await pilot.press("8", "f")
        await sees(pilot, readers, 40)
        monotonic.now += 9
        await tells(pilot, run, viewer(timesteps=TIMESTEPS + 1))
        await until_shown(pilot, "no picture for 9.0 s")
        await sees(pilot, readers, 60, timesteps=TIMESTEPS + 10_000)
        await until_shown(pilot, f"weights of {TIMESTEPS + 10_000:,} timesteps, 0.0 s old")


async def test_frozen_it_stands_still(readers: list[FakeReader]) -> None:
    async with cockpit(playing_run()) as pilot:
        await pilot.press("8", "f")
        await sees(pilot, readers, 40)
        pane = cockpit_of(pilot).query_one(ArenaPane)
        await pilot.press("z")
        await until(pilot, lambda: cockpit_of(pilot).frozen)
        cockpit_of(pilot).show_now()
        before = pane.frame
        readers[-1].say(watched(50))
        await until(pilot, lambda: not pane._inbox._full)  # it has been taken
        assert pane.frame is before
        await pilot.press("z")
        await sees(pilot, readers, 60)


async def test_the_trace_shows_another_car_and_holds_still(readers: list[FakeReader]) -> None:
    async with cockpit(playing_run(), (120, 40)) as pilot:
        await pilot.press("0", "f")
        await sees(pilot, readers, 40)
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "car 2 of 2, orange")
        await pilot.press("right_square_bracket", "left_square_bracket")
        await until_shown(pilot, "car 2 of 2, orange")
        await pilot.press("up")
        await until_shown(pilot, "held: End goes on")
        await sees(pilot, readers, 55)
        assert "0:03.66" not in screen_text(pilot.app.screen)
        await pilot.press("end")
        await until_shown(pilot, "0:03.66")


async def test_the_line_of_state_tells_where_the_match_goes(readers: list[FakeReader]) -> None:
    async with cockpit(playing_run(), (200, 50)) as pilot:
        await until_shown(pilot, "rendering → 127.0.0.1:9273, 1,204 packets")


async def test_a_render_change_can_be_typed(readers: list[FakeReader]) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("colon", *"render", "space", *"recording", "space", *"on", "enter")
        await until(pilot, lambda: run.control.sent == [SetRender(True, "recording")])  # type: ignore[union-attr]


async def test_as_much_as_a_viewer_may_send(readers: list[FakeReader]) -> None:
    """Six cars, more rewards than there is room for."""
    names = tuple(f"my/folder/rewards.py:Reward{index}" for index in range(30))
    async with cockpit(playing_run(), (80, 24)) as pilot:
        await pilot.press("0", "f")
        await sees(pilot, readers, 90, cars=6, names=(*NAMES, *names))
        screen = await until_shown(pilot, "car 1 of 6, blue")
        assert "the other" in screen and "cannot draw" not in screen
        pane = cockpit_of(pilot).query_one(TracePane)
        assert len(pane.paid.names) == 34


async def test_under_another_screen_a_pane_does_not_listen(readers: list[FakeReader]) -> None:
    async with cockpit(playing_run()) as pilot:
        await pilot.press("8", "f")
        await sees(pilot, readers, 40)
        await pilot.app.push_screen(Screen())
        cockpit_of(pilot).show_now()
        await until(pilot, lambda: not readers[-1].runs)
        await pilot.app.pop_screen()
        cockpit_of(pilot).show_now()
        await until(pilot, lambda: len(readers) == 2 and readers[-1].runs)


async def test_the_sums_of_the_trace_have_bars_where_there_is_room(readers: list[FakeReader]) -> None:
    async with cockpit(playing_run(), (120, 40)) as pilot:
        await pilot.press("0", "f")
        await sees(pilot, readers, 40)
        screen = await until_shown(pilot, "share")
        assert "━" in next(line for line in screen.splitlines() if "share" in line)
