"""Ratings of players from their games: Bradley–Terry by maximum likelihood, on the Elo scale.

P(i beats j) = σ(θᵢ − θⱼ), and a draw is half a win each way; Elo = 1500 + 400 / ln 10 · (θ − θ of the anchor). Each player has one
virtual draw against the anchor: so one who has won everything is finite, and one whom no games lead to is somewhere. Bradley and
Terry 1952; standard errors from the Fisher information, the anchor removed.

Two games of two players with the same seed, the sides swapped, are all that this seed has to say: more are the same games played
again, or lines that were copied, and are passed over. Only counts of each pair enter, as whole numbers and by name: games in any
order, after any restart, give the same bits. A live table fits anew too (300 players: some 50 ms), so there is no second, rougher
figure by a K factor that disagrees with the ladder's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rltui.events.game_record import ANCHOR_ELO, DEVIATIONS, ELO, LEAST_GAMES, GameRecord, expected_score
from rltui.formatting import plural
from rltui.league.games import Game, run_player

Numbers: TypeAlias = NDArray[np.float64]
Outcome: TypeAlias = Literal["better", "worse", "not decided"]

ANCHOR = "rule"
SPARRING = "chaser"  # meets everybody, as the anchor does
MOST_MORE = 1_000  # games between two players; whom so many do not tell apart are alike
LEGS = 2  # games with one seed
MOST_PLAYERS = 1_000  # rated at once, those with the most games
_MOST_STEPS, _CLOSE = 100, 1e-10  # of Newton's method; θ


@dataclass
class Tally:
    """Counts of the games of each pair of players. Whoever adds passes over repeats, see `independent`."""

    pairs: dict[tuple[str, str], GameRecord] = field(
        default_factory=dict
    )  # as the first sees it, whose name is the lower

    def add(self, game: Game) -> None:
        """A game of a player against itself says nothing and is passed over."""
        self.add_results(game.a, game.b, game.goals_a, game.goals_b, 1)

    def add_results(self, a: str, b: str, goals_a: int, goals_b: int, times: int) -> None:
        """The same of `times` games that went alike."""
        won, drawn, lost = (times * each for each in (goals_a > goals_b, goals_a == goals_b, goals_a < goals_b))
        record = GameRecord(won, drawn, lost, times * goals_a, times * goals_b)
        if a < b:
            self.pairs[a, b] = self.pairs.get((a, b), GameRecord()) + record
        elif a > b:
            self.pairs[b, a] = self.pairs.get((b, a), GameRecord()) + ~record

    def between(self, a: str, b: str) -> GameRecord:
        """As `a` sees it."""
        return self.pairs.get((a, b), GameRecord()) if a < b else ~self.pairs.get((b, a), GameRecord())

    def games_of(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for pair, record in self.pairs.items():
            for player in pair:
                counts[player] += record.games
        return counts


@dataclass(frozen=True)
class Rating:
    """Of one player. error: standard error in Elo, against the anchor; 0 of the anchor itself.

    connected: whether games lead from it to the anchor. Else only the virtual draws say where it stands: it is not rated, and
    nobody is shown its figure.
    """

    player: str
    elo: float
    error: float
    record: GameRecord
    connected: bool

    @property
    def margin(self) -> float:
        """Half the 95 % interval: what every ± beside an Elo is."""
        return DEVIATIONS * self.error

    @property
    def low(self) -> float:
        """Of the 95 % interval."""
        return self.elo - self.margin

    @property
    def high(self) -> float:
        return self.elo + self.margin


@dataclass(frozen=True)
class EloDifference:
    """Of two players: how much `a` is above `b`, in Elo."""

    a: str
    b: str
    elo: float
    error: float  # standard error: smaller than the two ratings' own say, for they share what they were measured by
    between: GameRecord  # their games against each other, as `a` sees them
    fewest: int  # games of the one that has fewer, against anybody
    connected: bool  # whether games lead from one to the other

    @property
    def low(self) -> float:
        """Of the 95 % interval."""
        return self.elo - DEVIATIONS * self.error

    @property
    def high(self) -> float:
        return self.elo + DEVIATIONS * self.error

    @property
    def expected_score(self) -> float:
        """Of `a`, 0–1: its chance to win, draws counted half."""
        return expected_score(self.elo)


@dataclass(frozen=True)
class Decision:
    """Whether `a` is the better player. more: games between the two until that is likely decided; None beyond MOST_MORE."""

    outcome: Outcome
    difference: EloDifference
    more: int | None = 0

    @property
    def words(self) -> str:
        """`better`, `not decided: 34 more games`, `not decided: alike, more than 1,000 more games`."""
        if self.outcome != "not decided":
            return self.outcome
        if self.more is None:
            return f"{self.outcome}: alike, more than {MOST_MORE:,} more games"
        return f"{self.outcome}: {plural(self.more, 'more game')}"


class Ratings:
    """What games say of their players. `table`: the rated ones, the best first, equal ones by name; then the others."""

    def __init__(self, anchor: str, players: list[str], fitted: Fitted, tally: Tally, left_out: int = 0) -> None:
        """players: in the order of `fitted`. left_out: players not rated, for they are too many."""
        self.anchor = anchor
        self.left_out = left_out
        self._place = {player: place for place, player in enumerate(players)}
        self._fitted, self._tally = fitted, tally
        self._groups = _groups(players, tally)

    @property
    def games(self) -> int:
        """That were rated."""
        return sum(record.games for record in self._tally.pairs.values())

    def games_between(self, players: Collection[str]) -> int:
        """Of these with each other, of those that were rated."""
        return sum(record.games for (a, b), record in self._tally.pairs.items() if a in players and b in players)

    @cached_property
    def table(self) -> tuple[Rating, ...]:
        found = map(self.of, self._place)
        return tuple(sorted(found, key=lambda rating: (not rating.connected, -rating.elo, rating.player)))

    @cached_property
    def of_states(self) -> dict[tuple[str, int], Rating]:
        """By run and timesteps, of all saved states that have games; of two players of one state that with more games."""
        players = sorted(self.table, key=lambda rating: rating.record.games)
        found = ((run_player(rating.player), rating) for rating in players)
        return {(state.run, state.timesteps): rating for state, rating in found if state is not None}

    def __contains__(self, player: object) -> bool:
        return player in self._place

    def of(self, player: str) -> Rating:
        """KeyError for a player that has no games, but for the anchor."""
        place = self._place[player]
        return Rating(
            player,
            ANCHOR_ELO + ELO * float(self._fitted.strengths[place]),
            ELO * math.sqrt(max(0.0, float(self._fitted.covariance[place, place]))),
            self._records[player],
            self._groups[player] == self._groups[self.anchor],
        )

    def between(self, a: str, b: str) -> GameRecord:
        """Their games against each other, as `a` sees them."""
        return self._tally.between(a, b)

    def difference(self, a: str, b: str) -> EloDifference:
        i, j = self._place[a], self._place[b]
        strengths, covariance = self._fitted.strengths, self._fitted.covariance
        variance = float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        return EloDifference(
            a,
            b,
            ELO * float(strengths[i] - strengths[j]),
            ELO * math.sqrt(max(0.0, variance)),
            self._tally.between(a, b),
            min(self._records[a].games, self._records[b].games),
            self._groups[a] == self._groups[b],
        )

    @cached_property
    def _records(self) -> dict[str, GameRecord]:
        records = dict.fromkeys(self._place, GameRecord())
        for (a, b), record in self._tally.pairs.items():
            for player, own in ((a, record), (b, ~record)):
                if player in records:
                    records[player] += own
        return records


def fit(games: Iterable[Game], anchor: str = ANCHOR) -> Ratings:
    """The ratings of all players of these games, and of the anchor."""
    return fit_tally(tally_of(games), anchor)


def tally_of(games: Iterable[Game]) -> Tally:
    """What is counted of a whole log."""
    tally = Tally()
    for result, times in Counter((g.a, g.b, g.goals_a, g.goals_b) for g in independent(games)).items():
        tally.add_results(*result, times)
    return tally


def independent(games: Iterable[Game]) -> list[Game]:
    """Those between two players, without repeats: of each two players and seed the two earliest, in whatever order they come."""
    found: dict[tuple[str, str, int], list[Game]] = {}
    for game in games:
        if game.a != game.b:
            found.setdefault((min(game.a, game.b), max(game.a, game.b), game.seed), []).append(game)
    return [game for same in found.values() for game in (same if len(same) <= LEGS else _earliest(same))]


def _earliest(same: list[Game]) -> list[Game]:
    """LEGS of more games with one seed. A line that was copied does not count as another game, unless all are alike."""
    different = {(game.time, *_seen_by(min(game.a, game.b), game)): game for game in same}
    return [different[key] for key in sorted(different)][:LEGS] if len(different) > 1 else same[:LEGS]


def _seen_by(player: str, game: Game) -> tuple[int, int]:
    """Goals for and against."""
    return (game.goals_a, game.goals_b) if player == game.a else (game.goals_b, game.goals_a)


def fit_tally(tally: Tally, anchor: str = ANCHOR) -> Ratings:
    """The same from counts. Of more than MOST_PLAYERS, those with the most games."""
    counts = tally.games_of()
    del counts[anchor]
    most = sorted(counts, key=lambda player: (-counts[player], player))[: MOST_PLAYERS - 1]
    players = [*sorted(most), anchor]
    return Ratings(anchor, players, _fitted(players, tally), tally, len(counts) - len(most))


def decide(difference: EloDifference, least: int = LEAST_GAMES) -> Decision:
    """Better or worse where the 95 % interval leaves out 0, both have `least` games, and games lead from one to the other.

    A game between the two adds p(1 − p) to the information 1/variance of their difference (Sherman and Morrison 1950), from
    which follows how many make the interval short enough, should the difference stay.
    """
    missing = max(0, least - difference.fewest) if difference.connected else least
    apart = abs(difference.elo) > DEVIATIONS * difference.error
    if apart and not missing:
        return Decision("better" if difference.elo > 0 else "worse", difference)
    wanted = 0 if apart else _wanted(difference)
    more = (missing or None) if wanted is None else max(missing, wanted)
    return Decision("not decided", difference, more)


def _wanted(difference: EloDifference) -> int | None:
    """Games between the two until 1.96 standard errors are shorter than the difference; None beyond MOST_MORE."""
    if difference.elo == 0:
        return None
    each = difference.expected_score * (1 - difference.expected_score) / ELO**2
    wanted = ((DEVIATIONS / difference.elo) ** 2 - difference.error**-2) / each
    return math.floor(wanted) + 1 if wanted < MOST_MORE else None


@dataclass(frozen=True)
class Fitted:
    """strengths: θ [n], the anchor's, which is 0, last. covariance: [n, n], its row and column 0."""

    strengths: Numbers
    covariance: Numbers


def _fitted(players: list[str], tally: Tally) -> Fitted:
    """Newton's method with halved steps where one goes too far: the likelihood is concave, so there is one place to come to."""
    place = {player: number for number, player in enumerate(players)}
    found = [(place[a], place[b], r) for (a, b), r in sorted(tally.pairs.items()) if a in place and b in place]
    last = len(players) - 1
    first = np.array([*(i for i, _, _ in found), *range(last)], np.int64)
    second = np.array([*(j for _, j, _ in found), *[last] * last], np.int64)
    points = np.array([*(r.wins + r.draws / 2 for _, _, r in found), *[0.5] * last])
    counts = np.array([*(float(r.games) for _, _, r in found), *[1.0] * last])

    def likelihood(strengths: Numbers) -> float:
        apart = strengths[first] - strengths[second]
        return -float(points @ np.logaddexp(0, -apart) + (counts - points) @ np.logaddexp(0, apart))

    def derivatives(strengths: Numbers) -> tuple[Numbers, Numbers]:
        """Gradient and information, the anchor removed."""
        apart = strengths[first] - strengths[second]
        expected = np.exp(-np.logaddexp(0, -apart))
        weight = counts * expected * np.exp(-np.logaddexp(0, apart))
        gradient, information = np.zeros(last + 1), np.zeros((last + 1, last + 1))
        for i, sign in ((first, 1), (second, -1)):
            np.add.at(gradient, i, sign * (points - counts * expected))
        for i, j, sign in ((first, second, -1), (second, first, -1), (first, first, 1), (second, second, 1)):
            np.add.at(information, (i, j), sign * weight)
        return gradient[:last], information[:last, :last]

    strengths = np.zeros(last + 1)
    height = likelihood(strengths)
    for _ in range(_MOST_STEPS):
        gradient, information = derivatives(strengths)
        step = np.append(np.linalg.solve(information, gradient), 0.0)
        while (higher := likelihood(strengths + step)) < height and np.abs(step).max() > _CLOSE:
            step /= 2
        if np.abs(step).max(initial=0.0) <= _CLOSE:
            break
        strengths, height = strengths + step, higher
    covariance = np.zeros((last + 1, last + 1))
    covariance[:last, :last] = np.linalg.inv(derivatives(strengths)[1])
    return Fitted(strengths, covariance)


def _groups(players: list[str], tally: Tally) -> dict[str, str]:
    """For each player one of those whom games lead to, the same for all of them (union-find)."""
    parent = {player: player for player in players}

    def root(player: str) -> str:
        while parent[player] != player:
            parent[player] = player = parent[parent[player]]
        return player

    for a, b in tally.pairs:
        if a in parent and b in parent:
            parent[root(a)] = root(b)
    return {player: root(player) for player in players}
