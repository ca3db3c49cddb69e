"""After a start mostly short episodes end first: their rewards are told as such, and judged by nobody."""

from __future__ import annotations

import math
import random

import msgspec

from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, REWARD, SHORT_SO_FAR, EpisodeReward, newest_window
from rltui.events.records import IterationFinished, Record, RunResumed
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.progress import MetricChange, change_since
from rltui.run_state.rewards import newest_reward, settled, settling
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.verdict import verdict, with_findings
from rltui.tui.panes.pane import View
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain
from tests.fakes import run_story

BEFORE, AFTER = 200, 60  # iterations before and after a resume


def row(index: int, reward: float, first: float | None) -> IterationFinished:
    known = run_story.iteration(index)
    told = {REWARD: reward, EPISODES: 5, **({FIRST_EPISODES: first} if first is not None else {})}
    return msgspec.structs.replace(known, metrics={**known.metrics, **told})


def resumed(first: float | None) -> list[Record]:
    """A run that was flat at 10 and begins anew: the short episodes that end first bring 4. first: as the trainer says then."""
    noise = random.Random(5)
    rows: list[Record] = [row(index, 10 + noise.gauss(0, 0.3), 0.0) for index in range(1, BEFORE + 1)]
    start = RunResumed(time=run_story.START + 400, timesteps=BEFORE * run_story.STEPS, checkpoint="", reason="")
    later = range(BEFORE + 1, BEFORE + AFTER + 1)
    rows += [start, *(row(index, 4 + noise.gauss(0, 0.3), first) for index in later)]
    return [*run_story.opening(), *rows]


def said(told: list[Record]) -> str:
    return verdict(with_findings(fold(RunSnapshot(), told)), run_story.START, heard=False).word


def test_a_resume_alone_makes_no_run_fall() -> None:
    assert said(resumed(30.0)) == "flat", "as before the resume"
    assert said(resumed(0.0)) == "falling", "the same rewards, once all arenas have ended an episode"
    assert said(resumed(None)) == "falling", "a journal that does not tell"


def test_a_first_start_is_not_judged_before_its_first_episodes_have_ended() -> None:
    told: list[Record] = [*run_story.opening(), *(row(index, 4.0, 40.0) for index in range(1, 101))]
    snapshot = with_findings(fold(RunSnapshot(), told))
    assert snapshot.found.trend is None
    words = verdict(snapshot, run_story.START, heard=False).words
    assert words.startswith("no verdict yet") and SHORT_SO_FAR in words


def test_settled_rows_are_those_in_which_one_arena_in_a_hundred_at_most_is_in_its_first_episode() -> None:
    history = History().extended(
        (index, {"a": index, FIRST_EPISODES: first}) for index, first in enumerate((50, 1.1, 1, 0))
    )
    found = settled(history, "a")
    assert [value for value in found if not math.isnan(value)] == [2.0, 3.0] and len(found) == 4
    assert list(settled(history, "a", 2)) == [2.0, 3.0]
    assert list(settled(History().extended([(0, {"a": 1.0})]), "a")) == [1.0]
    assert list(settled(history, "b")) == []
    history.extended([(9, {"a": 9.0, FIRST_EPISODES: 0.0})])
    assert len(settled(history, "a")) == 4, "a longer history shares the columns"


def test_the_cockpit_says_it_as_lists_do_and_only_for_so_long() -> None:
    for first, short in ((30.0, True), (1.0, False), (None, False)):
        told = resumed(first)
        snapshot = fold(RunSnapshot(run="alpha", alive=True), told)
        reward = newest_reward(snapshot)
        assert (reward.short, settling(snapshot)) == (short, short)
        assert newest_window(told).value == EpisodeReward(reward.mean, reward.episodes, short)
        text = plain(StatusPane().draw(View(snapshot, snapshot.record_time or 0.0), 120, 3))
        assert (SHORT_SO_FAR in text) == short
        column = plain(StatusPane().draw(View(snapshot, snapshot.record_time or 0.0), 60, 12))
        assert ("short episodes so far" in column) == short


def test_no_reward_is_told_to_have_changed_by_it() -> None:
    key = "reward/touch"
    rows = [(index, {key: 10.0, FIRST_EPISODES: 0.0}) for index in range(150)]
    young = [(150 + index, {key: 4.0, FIRST_EPISODES: 60.0}) for index in range(15)]
    known = [(index, {key: value[key]}) for index, value in [*rows, *young]]
    assert change_since(History().extended(known), key) == MetricChange(10.0, 4.0, "100 it.")
    assert change_since(History().extended([*rows, *young]), key) is None
    assert change_since(History().extended([*rows, young[0]]), key) is None, "nine of the newest ten are known"
    settled_again = [(165 + index, {key: 10.0, FIRST_EPISODES: 0.5}) for index in range(15)]
    found = change_since(History().extended([*rows, *young, *settled_again]), key)
    assert found == MetricChange(10.0, 10.0, "100 it.")


def test_the_rewards_pane_says_it() -> None:
    for first, short in ((30.0, True), (0.0, False)):
        snapshot = fold(RunSnapshot(run="alpha"), resumed(first))
        assert (SHORT_SO_FAR in RewardsPane().subtitle(View(snapshot, 0.0))) == short
