"""Evaluation: pairs are mirrored, players keep their own game, intervals hold what they should, nothing depends on the order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.league.evaluation import (
    Evaluation,
    MatchUp,
    Task,
    kickoff_seed,
    play,
    tasks,
)
from rltui.league.sources import PlayerSource, PolicySource, ScriptedSource
from tests.fakes.bots import write_bot

PROFILE = """\
schema = 1
tick_skip = {skip}
action_delay_ticks = {delay}
terminals = [{{kind = "timeout", seconds = 30}}]
actions = {{ table = "{table}", legality = "{legality}" }}
obs = {{ kind = "{obs}", stack = {stack} }}
rewards.touch = 1.0
"""
PLAIN = {"skip": 8, "delay": 1, "table": "rlgym", "legality": "off", "obs": "default", "stack": 1}


def bot(folder: Path, normalized: bool = False, **settings: object) -> PolicySource:
    folder.mkdir(exist_ok=True)
    (folder / "made.toml").write_text(PROFILE.format(**PLAIN | settings), encoding="utf-8")
    write_bot(folder / "bot", str(folder / "made.toml"), normalized)
    return PolicySource(folder / "bot")


def match_up(a: PlayerSource, b: PlayerSource, seconds: float = 12.0, size: int = 1, seed: int = 5) -> MatchUp:
    return MatchUp(a, b, size, seconds, seed)


def test_a_player_against_itself_plays_each_game_twice_and_has_exactly_half(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, player, task in (
        ("policy", bot(tmp_path / "bot"), Task(0, 3)),
        ("chaser", ScriptedSource("chaser"), Task(4, 3)),
        ("random", ScriptedSource("random"), Task(0, 2)),
        ("rule", ScriptedSource("rule"), Task(0, 2)),
    ):
        with subtests.test(name=name):
            done = play(match_up(player, player), task)
            half = task.pairs
            first, second = done.games[:half], done.games[half:]
            assert [(g.pair, g.seed, g.goals_b, g.goals_a) for g in first] == [
                (g.pair, g.seed, g.goals_a, g.goals_b) for g in second
            ]
            for own in done.stats:
                own.turtles.recovery_ticks.sort()
            a, b = done.stats
            assert a == b, "what its cars did in blue, it did in orange"
            found = Evaluation(match_up(player, player), 2 * half)
            found.add(done)
            assert found.win_rate == 0.5
            assert found.better == ""
            assert found.record.goals_for == found.record.goals_against


def test_goals_go_to_who_scored_them_in_both_legs() -> None:
    up = match_up(ScriptedSource("chaser"), ScriptedSource("idle"), 20.0, seed=6)
    done, swapped = play(up, Task(0, 2)), play(replace(up, a=up.b, b=up.a), Task(0, 2))
    assert sum(game.goals_a for game in done.games) > 0
    assert sorted((g.pair, g.goals_a, g.goals_b) for g in done.games) == sorted(
        (g.pair, g.goals_b, g.goals_a) for g in swapped.games
    ), "all are played, whoever is called A"
    chasing, idling = done.stats
    assert chasing.goals == idling.conceded
    assert chasing.goals + chasing.conceded == sum(game.goals_a + game.goals_b for game in done.games)
    assert chasing.seconds == 4 * 20.0
    assert chasing.kickoffs_touched > 0


def test_players_of_different_games_each_keep_their_own(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Pace, observation, stack, table, legality, normaliser; that each plays as it was trained is test_match's."""
    plain = bot(tmp_path / "plain")
    others = {
        "pace": bot(tmp_path / "pace", skip=4),
        "odd pace": bot(tmp_path / "odd", skip=6, delay=3),
        "all": bot(
            tmp_path / "all", True, table="hybrid", legality="mask", obs="advanced_plus", stack=2, skip=12, delay=0
        ),
    }
    for name, other in others.items():
        with subtests.test(name=name):
            done = play(match_up(plain, other, 4.0), Task(0, 1))
            assert [own.seconds for own in done.stats] == [8.0, 8.0], "each counts its own steps"
            steps = [own.arena_steps for own in done.stats]
            assert steps == [2 * 4 * 120 // source.policy.tick_skip for source in (plain, other)]


def test_who_cannot_play_in_these_team_sizes_is_told(tmp_path: Path) -> None:
    unpadded = tmp_path / "unpadded.toml"
    unpadded.write_text(
        'schema = 1\nterminals = [{kind = "goal"}]\nobs = {kind = "default", zero_padding = 0}\nrewards.touch = 1.0\n',
        encoding="utf-8",
    )
    write_bot(tmp_path / "mine", str(unpadded))
    small, any_size = PolicySource(tmp_path / "mine"), ScriptedSource("chaser")
    match_up(bot(tmp_path / "padded"), any_size, size=2).check()
    match_up(small, any_size).check()
    for pair in ((small, any_size), (any_size, small)):
        with pytest.raises(RltuiError, match=r"mine: in 2v2 the bot's observation has \d+ numbers, expected") as error:
            match_up(*pair, size=2).check()
        assert "--team-size" in error.value.hint


def test_paces_that_seldom_meet_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RltuiError, match=r"every 11 ticks, the other every 16: .* every 176 ticks") as error:
        match_up(bot(tmp_path / "11", skip=11), bot(tmp_path / "16", skip=16)).check()
    assert error.value.exit_code == 2


def test_three_a_side() -> None:
    done = play(match_up(ScriptedSource("chaser"), ScriptedSource("random"), 3.0, size=3), Task(0, 1))
    assert [own.car_steps for own in done.stats] == [3 * own.arena_steps for own in done.stats]


def test_tasks_cover_all_games_once_and_an_odd_one_is_one_by_itself(subtests: pytest.Subtests) -> None:
    for games in (1, 2, 3, 15, 16, 100, 101, 1000, 5000):
        with subtests.test(games=games):
            found = tasks(games)
            assert sum(task.pairs * task.legs for task in found) == games
            starts = [task.first for task in found]
            assert starts == [sum(task.pairs for task in found[:index]) for index in range(len(found))]
            assert max(task.pairs for task in found) <= 32
            assert [task.legs for task in found].count(1) == games % 2
    assert len({kickoff_seed(seed, pair) for seed in (0, 1) for pair in range(50)}) == 100


def test_the_document(subtests: pytest.Subtests) -> None:
    up = match_up(ScriptedSource("chaser"), ScriptedSource("idle"), 3.0, seed=9)
    found = Evaluation(up, 4)
    empty = found.document()
    assert (empty["games"], empty["win_rate"], empty["interval"], empty["elo_interval"]) == (0, None, None, None)
    for task in reversed(tasks(4)):
        logged = found.add(play(up, task))
    assert [(game.a, game.b, game.seconds) for game in logged] == [("chaser", "idle", 3.0)] * len(logged)
    document = found.document()
    assert {"a", "b", "games", "wins", "draws", "losses", "win_rate", "interval", "goals_for", "goals_against"} <= set(
        document
    )
    assert {"elo_difference", "elo_interval", "seed"} <= set(document)
    assert document["games"] == 4 == sum(document[key] for key in ("wins", "draws", "losses"))  # type: ignore[misc]
    figures = msgspec.to_builtins(document)["figures"]
    assert (
        figures["a"].keys()
        == figures["b"].keys()
        >= {"rollout/kickoff_touches", "rollout/shots_per_minute", "turtle/events"}
    )


def test_in_whatever_order_tasks_end_they_say_the_same() -> None:
    up = match_up(ScriptedSource("random"), ScriptedSource("chaser"), 8.0)
    parts = [play(up, Task(first, 1)) for first in range(3)]
    one, other = Evaluation(up, 6), Evaluation(up, 6)
    for done in parts:
        one.add(done)
    for done in reversed(parts):
        other.add(done)
    assert msgspec.json.encode(one.document()) == msgspec.json.encode(other.document())


@pytest.mark.slow
def test_a_player_against_itself_with_other_kickoffs_each_game_has_about_half(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """Unpaired: A in blue alone, so that nothing cancels. 50 % lies within 99.9 % of the mean."""
    for name, player in (("policy", bot(tmp_path / "bot")), ("chaser", ScriptedSource("chaser"))):
        with subtests.test(name=name):
            games = [
                game
                for first in range(0, 128, 32)
                for game in play(match_up(player, player, 120.0), Task(first, 32, 1)).games
            ]
            scores = np.array([game.score for game in games])
            error = scores.std(ddof=1) / len(scores) ** 0.5
            assert error > 0, "some are won"
            assert abs(scores.mean() - 0.5) < 3.29 * error
