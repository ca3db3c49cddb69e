"""Steps that frames of the stream repeat, put together: none twice, sums of an episode as arithmetic has them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from rltui.events.match_frames import StepRewards, Watched
from rltui.tui.panes.reward_trace import MOST_STEPS, PaidSteps
from tests.fakes.moments import car, moment
from tests.fakes.watched_match import paid, watched


def frame(*steps: StepRewards, names: tuple[str, ...] = ("touch", "speed"), cars: int = 1) -> Watched:
    places = [(0.0, 1000.0 * index, 17.0) for index in range(cars)]
    seen = moment(tick=steps[-1].tick, cars=tuple(car(index % 2, place) for index, place in enumerate(places)))
    return Watched(seen, steps[-1].episode, 0, names, steps)


def step(tick: int, *terms: float, episode: int = 0) -> StepRewards:
    return StepRewards(tick, episode, (terms,))


def test_overlapping_frames_are_one_row_of_steps() -> None:
    seen = PaidSteps()
    first, second, third = step(8, 1.0, 0.25), step(16, 0.0, -0.5), step(24, 2.0, 0.125)
    seen.take(frame(first, second))
    seen.take(frame(first, second, third))
    seen.take(frame(second, third))
    assert [each.step for each in seen.steps] == [first, second, third]
    assert [each.total(0) for each in seen.steps] == [1.25, -0.5, 2.125]
    assert seen.newest is not None
    assert seen.newest.sums == ((3.0, -0.125),)
    assert sum(seen.newest.sums[0]) == 1.25 - 0.5 + 2.125


def test_an_episode_begins_its_own_sums_and_the_one_before_stays() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, 0.5), step(16, 0.0, 0.5)))
    assert seen.before is None
    seen.take(frame(step(24, 0.0, 0.25, episode=1), step(32, 4.0, 0.25, episode=1)))
    newest, before = seen.newest, seen.before
    assert newest is not None and before is not None
    assert newest.sums == ((4.0, 0.5),)
    assert before.sums == ((1.0, 1.0),)
    assert [each.begins for each in seen.steps] == [False, False, True, False]
    assert (before.whole, newest.whole) == (False, True), "the first one was joined in its middle"


def test_a_sum_over_a_gap_does_not_claim_to_be_whole() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, 0.0), step(16, 1.0, 0.0, episode=1)))
    assert seen.newest is not None and seen.newest.whole
    seen.take(frame(step(48, 1.0, 0.0, episode=1), step(56, 1.0, 0.0, episode=1)))
    assert seen.newest.sums == ((3.0, 0.0),)
    assert not seen.newest.whole
    assert seen.newest.since == 16


@pytest.mark.parametrize(
    "other",
    [
        frame(step(32, 1.0), names=("touch",)),
        frame(StepRewards(32, 1, ((1.0, 2.0), (1.0, 2.0))), cars=2),
        frame(step(8, 7.0, 7.0)),
    ],
    ids=["other rewards", "other cars", "a viewer that begins anew"],
)
def test_another_match_ends_what_was(other: Watched) -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, 0.5), step(16, 0.0, 0.5), step(24, 0.0, 0.5)))
    seen.take(other)
    assert [each.step for each in seen.steps] == [other.steps[-1]]
    assert seen.names == other.names


def test_who_touched_the_ball() -> None:
    seen = PaidSteps()
    seen.take(frame(StepRewards(8, 0, ((0.0, 0.0), (0.0, 0.0)), touches=(0, 3)), cars=2))
    assert seen.newest is not None
    assert [seen.newest.touched(index) for index in (0, 1, 2)] == [False, True, False]


def test_which_reward_pays_most() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, -2.0), step(16, -0.5, -2.0)))
    assert seen.activity(0) == [1.5, 4.0]


@dataclass
class Twin:
    """Sums the slow way: over all steps of the episode."""

    steps: list[StepRewards]

    def sums(self, episode: int, index: int) -> list[float]:
        own = [each.contributions[index] for each in self.steps if each.episode == episode]
        return [sum(column) for column in zip(*own, strict=True)]


@pytest.mark.parametrize("seed", range(5))
def test_whatever_frames_are_missed_sums_are_those_of_all_steps(seed: int) -> None:
    """As long as each frame reaches back to the one before."""
    rng, seen, at = random.Random(seed), PaidSteps(), 1
    while at < 600:
        seen.take(watched(at))
        at += rng.randint(1, 15)
    last = seen.steps[-1]
    twin = Twin([paid(number) for number in range(1, last.step.tick // 8 + 1)])
    assert len(seen.steps) == last.step.tick // 8 <= MOST_STEPS
    for index in (0, 1):
        assert list(last.sums[index]) == pytest.approx(twin.sums(last.step.episode, index), abs=1e-9)
        assert sum(last.sums[index]) == pytest.approx(
            sum(each.total(index) for each in seen.steps if each.step.episode == last.step.episode), abs=1e-9
        )
    assert last.whole


def test_no_more_than_a_minute_is_kept() -> None:
    seen = PaidSteps()
    for at in range(10, MOST_STEPS + 100, 10):
        seen.take(watched(at))
    assert len(seen.steps) == MOST_STEPS
