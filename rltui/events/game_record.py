"""GameRecord: how games between two players went. Text and numbers alone, for what plays, trains, rates and shows."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_GAMES = 20  # between two players, before which nothing is decided
DEVIATIONS = 1.96  # of a normal variable to each side: 95 % lie within


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
