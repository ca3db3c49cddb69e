"""Leagues whose true strengths are known, and games in them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from rltui.events.game_record import GameRecord
from rltui.league.games import Game, append
from rltui.league.ratings import Tally
from rltui.runs.paths import DataDir

PLAYERS = ("rule", "chaser", "alpha@1000000#00000001", "alpha@2000000#00000002", "beta@1000000#00000003")


SEEDS = count(1)  # no two games have the same


def game(a: str, b: str, goals_a: int = 1, goals_b: int = 0, time: float = 1.7e9, seed: int | None = None) -> Game:
    return Game(time, 300.0, a, b, goals_a, goals_b, next(SEEDS) if seed is None else seed)


def games(a: str, b: str, wins: int = 0, draws: int = 0, losses: int = 0) -> list[Game]:
    goals = [(1, 0)] * wins + [(2, 2)] * draws + [(0, 3)] * losses
    return [game(a, b, *score) for score in goals]


def swapped(played: Game) -> Game:
    return Game(played.time, played.seconds, played.b, played.a, played.goals_b, played.goals_a, played.seed)


def played_league(true_elo: Sequence[float], each: int, seed: int) -> Tally:
    """`each` games of every pair, without draws, as Bradley and Terry have it. Player 0 is `rule`."""
    rng = np.random.default_rng(seed)
    names = ["rule", *(f"run@{number}#{number:08x}" for number in range(1, len(true_elo)))]
    tally = Tally()
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            wins = int(rng.binomial(each, 1 / (1 + 10 ** ((true_elo[j] - true_elo[i]) / 400))))
            record = GameRecord(wins, 0, each - wins, wins, each - wins)
            tally.pairs[min(first, second), max(first, second)] = record if first < second else ~record
    return tally


def put_league(data: DataDir, run: str) -> None:
    """Into the log: three bots of the run, the newest clearly the best, and two scripted ones that are about alike."""
    first, second, third = (f"{run}@{steps}#{steps:08x}" for steps in (1_000_000, 5_000_000, 12_431_360))
    pairs = (
        (third, "rule", 28, 4, 8),
        (third, second, 20, 1, 4),
        (second, "rule", 10, 2, 18),
        (second, first, 18, 2, 5),
        (first, "chaser", 4, 3, 13),
        ("chaser", "rule", 9, 2, 11),
    )
    number = 0
    for a, b, wins, draws, losses in pairs:
        for goals_a, goals_b, times in ((3, 1, wins), (2, 2, draws), (0, 1, losses)):
            for _ in range(times):
                number += 1
                append(data.games, game(a, b, goals_a, goals_b, 1.7e9 + number, number))
