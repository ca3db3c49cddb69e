"""Watching: game time keeps to real time, keys and signals are obeyed, plain lines say what happened."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from rltui.events.match_frames import MatchFrame
from rltui.supervise.signals import stopping_by_signal
from rltui.view.live_match import MOST_LAG, Pacer, Watch
from rltui.view.output import Output, ThinnedOutput
from rltui.view.terminal import PlainLines
from tests.fakes.moments import car, moment


class Time:
    """A clock that moves when somebody sleeps, or by `pass_by`."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds


class Kept(Output):
    """Keeps what it is shown, and when."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self.shown: list[tuple[int, float]] = []
        self.stills = self.closed = 0

    def show(self, moment: MatchFrame) -> None:
        self.shown.append((moment.tick, self._time.now))

    def still(self, moment: MatchFrame) -> None:
        self.stills += 1

    def close(self) -> None:
        self.closed += 1


def moments(ticks: int, number: int) -> Iterator[MatchFrame]:
    return (moment(tick=tick * ticks) for tick in range(number))


def test_moments_come_when_they_are_due(subtests: pytest.Subtests) -> None:
    for speed in (0.5, 1.0, 4.0):
        with subtests.test(speed=speed):
            time = Time()
            kept = Kept(time)
            Watch(Pacer(speed, time.clock, time.sleep)).run(moments(4, 91), [kept])
            for tick, at in kept.shown:
                assert at - 50 == pytest.approx(tick / 120 / speed)


def test_a_little_lag_is_caught_up_with_and_a_long_stop_is_not() -> None:
    time = Time()
    pacer = Pacer(1.0, time.clock, time.sleep)
    pacer.wait_for(0)
    time.now += MOST_LAG * 0.9
    pacer.wait_for(4)
    pacer.wait_for(120)
    assert time.now == pytest.approx(51.0)
    time.now += 60
    pacer.wait_for(240)
    assert time.now == pytest.approx(111.0)
    pacer.wait_for(360)
    assert time.now == pytest.approx(112.0)


def test_quit_pause_and_link_are_keys() -> None:
    time, pressed, toggled = Time(), iter(["", "v", " ", "", "v", "xyz ", "", "q"]), []
    kept = Kept(time)
    watch = Watch(Pacer(1.0, time.clock, time.sleep), lambda: next(pressed), lambda: toggled.append(kept.shown[-1][0]))
    watch.run(moments(120, 100), [kept])
    assert [tick for tick, _ in kept.shown] == [0, 120, 240, 360, 480]  # paused at 240, quit at 480
    assert kept.stills == 3 and toggled == [0, 240]
    assert watch.last is not None and watch.last.tick == 480
    assert kept.shown[3][1] == pytest.approx(kept.shown[2][1] + 3 * 0.05)  # due at once after a pause


def test_paused_it_can_still_be_stopped() -> None:
    time, pressed = Time(), iter([" ", "", "q"])
    watch = Watch(Pacer(1.0, time.clock, time.sleep), lambda: next(pressed))
    watch.run(moments(4, 10), [])
    assert watch.stopped and watch.last is not None and watch.last.tick == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_asks_to_stop_and_all_handlers_come_back(number: signal.Signals) -> None:
    time = Time()
    kept = Kept(time)
    watch = Watch(Pacer(1.0, time.clock, time.sleep))
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)]

    def until_signalled() -> Iterator[MatchFrame]:
        for shown in moments(4, 100):
            if shown.tick == 40:
                os.kill(os.getpid(), number)
            yield shown

    with stopping_by_signal(watch.stop):
        watch.run(until_signalled(), [kept])
    assert watch.stopped and len(kept.shown) <= 12
    assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)]


def test_thinned_moments_are_apart() -> None:
    time = Time()
    kept = Kept(time)
    thinned = ThinnedOutput(kept, 8)
    for shown in moments(3, 20):
        thinned.show(shown)
    assert [tick for tick, _ in kept.shown] == [0, 9, 18, 27, 36, 45, 54]
    thinned.close()
    assert kept.closed == 1


def test_plain_lines_at_the_start_at_goals_and_every_ten_seconds() -> None:
    said: list[str] = []
    lines = PlainLines(said.append)
    cars = (car(0, (0.0, 0.0, 17.0), touches=3), car(0, (0.0, 0.0, 17.0), touches=4), car(1, (0.0, 0.0, 17.0)))
    for second in range(26):
        score = (int(second >= 4), int(second >= 20))
        lines.show(moment(tick=second * 120, score=score, cars=cars))
    assert said == [
        " 0:00  alpha 0 : 0 chaser  touches 7 : 0",
        " 0:04  alpha 1 : 0 chaser  touches 7 : 0  goal by alpha",
        " 0:10  alpha 1 : 0 chaser  touches 7 : 0",
        " 0:20  alpha 1 : 1 chaser  touches 7 : 0  goal by chaser",
    ]
