"""GameRecord: how games between two players went, and what a share says: its 95 % interval, the Elo of a score.

Text and numbers alone, for what plays, trains, rates and shows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LEAST_GAMES = 20  # between two players, before which nothing is decided
DEVIATIONS = 1.96  # of a normal variable to each side: 95 % lie within
ELO = 400.0 / math.log(10.0)  # of one unit of log odds
ANCHOR_ELO = 1500.0  # of `rule`, which all ratings are measured against

Interval = tuple[float, float]


@dataclass(frozen=True)
class GameRecord:
    """How games went, as one of the two sides sees it: whoever has more goals has won."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    goals_for: int = 0
    goals_against: int = 0

    @classmethod
    def of(cls, scored: int, conceded: int) -> GameRecord:
        """One game."""
        return cls(int(scored > conceded), int(scored == conceded), int(scored < conceded), scored, conceded)

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Wins and half the draws, as a share of the games; None without any."""
        return (self.wins + self.draws / 2) / self.games if self.games else None

    def __add__(self, other: GameRecord) -> GameRecord:
        return GameRecord(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            self.goals_for + other.goals_for,
            self.goals_against + other.goals_against,
        )

    def __invert__(self) -> GameRecord:
        """As the other side sees it."""
        return GameRecord(self.losses, self.draws, self.wins, self.goals_against, self.goals_for)


def wilson(share: float, trials: float) -> Interval:
    """Wilson's 95 % score interval of a share 0–1 in so many independent trials: it stays in 0 … 1 and is no point at its ends.

    (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
    """
    square = DEVIATIONS**2 / trials
    middle, half = share + square / 2, DEVIATIONS * math.sqrt(share * (1 - share) / trials + square / (4 * trials))
    return (
        (middle - half) / (1 + square) if share > 0 else 0.0,
        (middle + half) / (1 + square) if share < 1 else 1.0,
    )


def elo_difference(score: float) -> float | None:
    """400 log₁₀ (score / (1 − score)): how much stronger who scores so is; None where all or no games are won."""
    return ELO * math.log(score / (1 - score)) if 0 < score < 1 else None


def expected_score(elo: float) -> float:
    """Of who is so much stronger: the inverse of `elo_difference`."""
    return math.exp(min(0.0, elo / ELO)) / (1 + math.exp(-abs(elo / ELO)))  # of no large number, which would overflow


def elo_of_all_won(games: int) -> Interval:
    """The 95 % interval of who has won so many games against the anchor, and no others: with the virtual draw θ = ln (2n + 1)."""
    score = (games + 0.5) / (games + 1)
    elo, margin = ELO * math.log(2 * games + 1), DEVIATIONS * ELO / math.sqrt((games + 1) * score * (1 - score))
    return ANCHOR_ELO + elo - margin, ANCHOR_ELO + elo + margin
