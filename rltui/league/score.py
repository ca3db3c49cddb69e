"""Score of one player in its games against another: its 95 % interval, and how many more would decide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rltui.events.game_record import GameRecord, Interval, elo_difference, wilson
from rltui.formatting import plural
from rltui.league.games import Game, run_player
from rltui.league.ratings import MOST_MORE, independent


@dataclass(frozen=True)
class GamesBetween:
    """Games of two players, as `a` sees them. interval: of its score; None without games."""

    a: str
    b: str
    record: GameRecord
    interval: Interval | None

    @property
    def better(self) -> str:
        """`a` or `b` where the interval leaves 50 % out, else empty."""
        low, high = self.interval or (0.0, 1.0)
        return "a" if low > 0.5 else "b" if high < 0.5 else ""

    def words(self, a: str, b: str, play: str) -> str:
        """Who plays better, as far as that is decided. a, b: what people call the two. play: how to have games played."""
        score = self.record.score
        if score is None or self.interval is None:
            return f"No games between {a} and {b} yet: {play}"
        low, high = self.interval
        better = {"a": f"{a} plays better", "b": f"{b} plays better"}.get(self.better, "Which plays better is open")
        games = plural(self.record.games, "game")
        return f"{better}: {a} scores {100 * score:.1f} % ({100 * low:.1f} to {100 * high:.1f}) of {games} against {b}"

    def document(self) -> dict[str, object]:
        """As `--json` has it."""
        record, score, interval = self.record, self.record.score, self.interval
        return {
            "a": self.a,
            "b": self.b,
            "games": record.games,
            "wins": record.wins,
            "draws": record.draws,
            "losses": record.losses,
            "win_rate": score,
            "interval": interval,
            "goals_for": record.goals_for,
            "goals_against": record.goals_against,
            "elo_difference": None if score is None else elo_difference(score),
            "elo_interval": None if interval is None else tuple(map(elo_difference, interval)),
        }


def games_between(games: Iterable[Game], a: str, b: str) -> GamesBetween:
    """Without repeats, see `independent`; those with one seed are a pair."""
    pairs: dict[int, list[float]] = {}
    record = GameRecord()
    for game in independent(game for game in games if {game.a, game.b} == {a, b}):
        own, theirs = (game.goals_a, game.goals_b) if game.a == a else (game.goals_b, game.goals_a)
        record += GameRecord.of(own, theirs)
        pairs.setdefault(game.seed, []).append(((own > theirs) - (own < theirs) + 1) / 2)
    return GamesBetween(a, b, record, score_interval(list(pairs.values())) if pairs else None)


def games_of_states(games: Sequence[Game], a: tuple[str, int], b: tuple[str, int]) -> GamesBetween:
    """By run and timesteps. As `games_between` of the two; of several players with one state's timesteps, the one that played last."""
    names = {
        (found.run, found.timesteps): name for game in games for name in (game.a, game.b) if (found := run_player(name))
    }
    return games_between(games, *(names.get(state, "{}@{}".format(*state)) for state in (a, b)))


def score_interval(pairs: Sequence[Sequence[float]]) -> Interval:
    """Wilson's 95 % interval of the mean score, over the effective number of games; pairs: the scores 0, ½, 1 of each, one at least.

    The pairs are independent, the two games of one may not be: they share kickoffs. So the variance of the mean is estimated
    from the pairs' sums (clusters), and the number of independent games is what would give it: p (1 − p) / variance, at least
    the number of pairs, at most that of games (Korn and Graubard 1998).
    """
    games = sum(map(len, pairs))
    mean = sum(map(sum, pairs)) / games
    count = len(pairs)
    spread = sum((sum(scores) - len(scores) * mean) ** 2 for scores in pairs)
    variance = spread / games**2 * count / (count - 1) if count > 1 else 0.0
    alike = mean * (1 - mean)
    effective = (
        float(count) if not alike or count == 1 else min(games, max(count, alike / variance if variance else games))
    )
    return wilson(mean, effective)


def more_games(score: float, interval: Interval, games: int) -> int | None:
    """That would likely decide, should the score stay: the interval shrinks with the root of their number. None beyond MOST_MORE."""
    away, width = abs(score - 0.5), interval[1] - interval[0]
    more = games * (width / 2 / away) ** 2 - games if away else math.inf
    return max(2, math.ceil(more)) if more <= MOST_MORE else None
