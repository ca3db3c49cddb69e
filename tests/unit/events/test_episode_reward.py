"""The reward over the newest 100 episodes, against arithmetic by hand and a slow obvious twin."""

from __future__ import annotations

import math
import random

from msgspec.structs import replace

from rltui.events.episode_reward import (
    EPISODES,
    FIRST_EPISODES,
    REWARD,
    WINDOW,
    EpisodeReward,
    RewardWindow,
    mostly_short,
    newest_window,
)
from rltui.events.records import IterationFinished
from tests.fakes.run_story import phase_changed


def iteration(mean: float | None, episodes: int | None, *rewards: str) -> IterationFinished:
    paid: dict[str, float | None] = {f"reward/{name}": 0.0 for name in rewards}
    return IterationFinished(time=0.0, iteration=1, timesteps=1, metrics={REWARD: mean, EPISODES: episodes, **paid})


def test_each_iteration_counts_by_its_episodes() -> None:
    window = RewardWindow([iteration(10.0, 1), iteration(2.0, 3)])
    assert window.value == EpisodeReward((10.0 + 3 * 2.0) / 4, 4)
    assert not window.full


def test_its_parts_are_over_the_same_episodes() -> None:
    def paid(touch: float | None, goal: float, episodes: int) -> IterationFinished:
        metrics = {REWARD: (touch or 0.0) + goal, EPISODES: episodes, "reward/touch": touch, "reward/goal": goal}
        return IterationFinished(time=0.0, iteration=1, timesteps=1, metrics=metrics)

    window = RewardWindow([paid(9.0, 1.0, 1), paid(1.0, -1.0, 3)])
    assert window.value == EpisodeReward(2.5, 4, False, {"touch": 3.0, "goal": -0.5})
    window.take(paid(None, 1.0, 1))
    assert window.value.parts == {"goal": (1 - 3 + 1) / 5}, "what is not told of all of them is not known"


def test_where_none_ended_it_is_unknown() -> None:
    assert RewardWindow().value == EpisodeReward(None, 0)
    nan = float("nan")
    nothing = [iteration(None, 0), iteration(None, None), iteration(3.0, 0), iteration(nan, 2), iteration(3.0, None)]
    assert RewardWindow(nothing).value == EpisodeReward(None, 0)
    window = RewardWindow([iteration(1.0, 2), *nothing])
    window.iteration({REWARD: 3.0, EPISODES: nan}, ())  # as a history has it
    assert window.value == EpisodeReward(1.0, 2), "the newest that did end"


def test_an_iteration_with_more_episodes_stands_alone() -> None:
    assert RewardWindow([iteration(9.0, 99), iteration(1.5, 250)]).value == EpisodeReward(1.5, 250)


def test_it_is_the_fewest_newest_iterations_that_hold_a_hundred_episodes() -> None:
    chance = random.Random(3)
    rows = [(chance.gauss(0, 5), chance.choice((0, 1, 2, 7, 40, 120))) for _ in range(400)]
    window = RewardWindow()
    for number, (mean, episodes) in enumerate(rows, 1):
        window.take(iteration(mean if episodes else None, episodes))
        newest: list[float] = []
        told = [iteration(mean if episodes else None, episodes) for mean, episodes in rows[:number]]
        assert newest_window(told).value == window.value or number % 20, "from the end"
        for one, count in reversed(rows[:number]):
            if len(newest) >= WINDOW:
                break
            newest += [one] * count
        assert window.value.episodes == len(newest)
        if newest:
            assert window.value.mean is not None
            assert abs(window.value.mean - sum(newest) / len(newest)) < 1e-9


def test_it_is_of_short_episodes_while_more_than_a_hundredth_of_the_arenas_is_in_its_first() -> None:
    def young(first: float | None, episodes: int = 5) -> IterationFinished:
        return replace(iteration(1.0, episodes), metrics={REWARD: 1.0, EPISODES: episodes, FIRST_EPISODES: first})

    before = iteration(1.0, 5)
    for first, short in ((100.0, True), (1.5, True), (1.0, False), (0.0, False), (None, False), (math.nan, False)):
        assert RewardWindow([before, young(first)]).value.short is short
    assert not RewardWindow([before, young(50.0, 0)]).value.short, "none of them has ended"
    assert not RewardWindow([young(50.0), young(0.0)]).value.short, "the newest says it"
    assert mostly_short(None) is mostly_short(math.nan) is False


def test_another_task_or_other_rewards_begin_anew() -> None:
    before = [iteration(50.0, 40, "touch"), iteration(60.0, 40, "touch")]
    assert RewardWindow([*before, phase_changed(0.0, 1)]).value == EpisodeReward(None, 0)
    assert RewardWindow([*before, iteration(1.0, 5, "goal")]).value == EpisodeReward(1.0, 5, parts={"goal": 0.0})
    assert RewardWindow([*before, iteration(None, 0, "goal")]).value == EpisodeReward(None, 0)
    assert newest_window([*before, iteration(1.0, 5, "goal")]).value == EpisodeReward(1.0, 5, parts={"goal": 0.0})
    assert newest_window([*before, phase_changed(0.0, 1)]).value == EpisodeReward(None, 0)


def test_a_mean_whose_episodes_nobody_counts_is_the_newest_alone() -> None:
    def told(mean: float | None) -> IterationFinished:
        return IterationFinished(time=0.0, iteration=1, timesteps=1, metrics={REWARD: mean})

    window = RewardWindow([told(1.0), told(3.0)])
    assert window.value == EpisodeReward(3.0, 0) and window.full
    assert newest_window([told(1.0), told(3.0)]).value == EpisodeReward(3.0, 0)
    assert RewardWindow([told(1.0), told(None)]).value == EpisodeReward(None, 0)
