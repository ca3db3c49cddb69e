"""Score of one player against another: intervals hold what they should; what a log holds of two players."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rltui.events.game_record import DEVIATIONS, GameRecord, elo_difference, expected_score, wilson
from rltui.league.score import GamesBetween, games_between, more_games, score_interval
from tests.fakes.leagues import game, games


def test_wilson_s_interval() -> None:
    """Against the quadratic that it solves: |p̂ − p| = z √(p(1 − p)/n) at both ends."""
    for successes, trials in ((7, 10), (1, 3), (98, 100)):
        for end in wilson(successes / trials, trials):
            distance = abs(successes / trials - end)
            assert distance == pytest.approx(DEVIATIONS * math.sqrt(end * (1 - end) / trials))
    assert wilson(0, 5) == (0.0, pytest.approx(0.4345, abs=1e-4))
    assert wilson(1, 5) == (pytest.approx(0.5655, abs=1e-4), 1.0)


def test_the_interval_by_hand(subtests: pytest.Subtests) -> None:
    """Wilson's, worked out for so many games."""
    for pairs, (low, high) in (
        ([[1.0, 1.0]] * 5, (0.5655, 1.0)),  # of 5: all alike says nothing of the two games of a pair
        ([[1.0, 0.0]] * 50, (0.4038, 0.5962)),  # of all 100: pairs always even
        ([[1.0, 1.0]] * 10 + [[0.0, 0.0]] * 10, (0.2993, 0.7007)),  # of 20: the second game adds nothing
        ([[0.5]], (0.0546, 0.9454)),
    ):
        with subtests.test(pairs=pairs):
            assert score_interval(pairs) == pytest.approx((low, high), abs=2e-3)


def test_the_interval_holds_the_truth_as_often_as_it_says(subtests: pytest.Subtests) -> None:
    rng = np.random.default_rng(3)
    for pairs, won, drawn, same in (
        (10, 0.5, 0.3, 0.0),
        (25, 0.7, 0.1, 0.0),
        (25, 0.6, 0.2, 1.0),
        (50, 0.9, 0.05, 0.5),
    ):
        with subtests.test(pairs=pairs, won=won, drawn=drawn, same=same):
            hits = 0
            for _ in range(400):
                scores = rng.choice([1.0, 0.5, 0.0], (pairs, 2), p=[won, drawn, 1 - won - drawn])
                alike = rng.random(pairs) < same
                scores[alike, 1] = scores[alike, 0]
                low, high = score_interval(scores.tolist())
                hits += low <= won + drawn / 2 <= high
            assert hits >= 368, "92 % and more"


def test_elo_and_what_it_takes_to_decide() -> None:
    assert elo_difference(0.5) == 0.0
    assert elo_difference(0.64) == pytest.approx(100, abs=0.1)
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert expected_score(100) == pytest.approx(0.64, abs=1e-3) and expected_score(0) == 0.5
    assert (expected_score(-1e6), expected_score(1e6)) == (0, 1)
    assert (elo_difference(0.0), elo_difference(1.0)) == (None, None)
    assert more_games(0.55, (0.45, 0.65), 100) == 300
    assert more_games(0.6, (0.499, 0.69), 100) == 2, "at the edge"
    assert more_games(0.5, (0.4, 0.6), 100) is None
    assert more_games(0.501, (0.4, 0.6), 100) is None


def test_what_a_log_holds_of_two_players() -> None:
    log = [
        game("rule", "a", 0, 1, seed=5),
        game("a", "rule", 2, 0, seed=5),
        game("a", "rule", 2, 0, seed=5, time=1.8e9),  # the same game again
        game("a", "rule", 0, 3, seed=6),
        game("rule", "a", 1, 1, seed=6),
        *games("a", "chaser", wins=4),
    ]
    found = games_between(log, "a", "rule")
    assert found.record == GameRecord(2, 1, 1, 4, 4)
    assert found.interval == score_interval([[1.0, 1.0], [0.0, 0.5]])
    assert games_between(log, "rule", "a").record == ~found.record
    assert games_between(log, "rule", "chaser") == GamesBetween("rule", "chaser", GameRecord(), None)
