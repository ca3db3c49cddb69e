"""TokenBucket on a clock that the test turns."""

from __future__ import annotations

from rltui.train.control.client_session import TokenBucket


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_rate() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=3, clock=clock)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.now += 0.19
    assert not bucket.take()
    clock.now += 0.21
    assert bucket.take()
    assert not bucket.take()


def test_who_keeps_trying_gets_nothing() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=2, clock=clock)
    taken = 0
    for _ in range(1000):
        clock.now += 0.01
        taken += bucket.take()
    assert taken == 2


def test_a_long_rest_gives_no_more_than_the_burst() -> None:
    clock = Clock()
    bucket = TokenBucket(rate=5.0, burst=2, clock=clock)
    clock.now += 1e6
    assert [bucket.take() for _ in range(3)] == [True, True, False]
