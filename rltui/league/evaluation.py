"""Evaluation: games of two players in pairs, and what they say about who is better."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import msgspec
import numpy as np

from rltui.env.skill_metrics import skill_metrics
from rltui.env.stats import EpisodeStats, total
from rltui.errors import RltuiError
from rltui.events import metric_keys
from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, REWARD
from rltui.events.game_record import GameRecord, Interval
from rltui.field import TICKS_PER_SECOND
from rltui.league.games import Game
from rltui.league.match_batch import MatchBatch
from rltui.league.players import Player, Seat
from rltui.league.score import GamesBetween, score_interval
from rltui.league.sources import PlayerSource

MOST_PAIRS = 32  # of one task: of more, a game costs no less
# fewer cost more a game, of a big net twice as much; of more games, tasks get bigger once they are MANY
GOOD_PAIRS = 16
MANY = 16  # tasks, for as many processors
SOME, FEWEST_PAIRS = 4, 4  # tasks that few games are split into, for there is more than one processor
BLUE, ORANGE = 0, 1
OF_EPISODES = (REWARD, EPISODES, FIRST_EPISODES, metric_keys.EPISODE_SECONDS)  # no figures of a game


@dataclass(frozen=True)
class MatchUp:
    """Who plays whom, and how. size: cars a team. seconds: of play."""

    a: PlayerSource
    b: PlayerSource
    size: int
    seconds: float
    seed: int
    deterministic: bool = False

    @classmethod
    def rated(cls, a: PlayerSource, b: PlayerSource, seconds: float) -> MatchUp:
        """As ratings have them: teams as A was trained in, actions drawn, another seed each time. RltuiError as `check`."""
        made = cls(a, b, team_size(a, b), seconds, new_seed())
        made.check()
        return made

    def check(self) -> None:
        """RltuiError where one of them cannot play here, or they cannot play each other."""
        MatchBatch(self.players(Task(0, 1), 0), (self.size, self.size), [[0]])

    @property
    def ticks(self) -> int:
        """Of a game."""
        return max(1, round(self.seconds * TICKS_PER_SECOND))

    def players(self, task: Task, leg: int) -> tuple[Player, Player]:
        """Blue and orange. Their random numbers are the place's, so that a player against itself plays the same game twice, with
        the sides swapped. RltuiError names one of them that cannot play here.
        """
        blue, orange = (
            self._player(source, task, place)
            for place, source in enumerate((self.b, self.a) if leg else (self.a, self.b))
        )
        return blue, orange

    def _player(self, source: PlayerSource, task: Task, place: int) -> Player:
        cars = slice(place * self.size, (place + 1) * self.size)
        seat = Seat((self.size, self.size), cars, (self.seed, task.first, place), self.deterministic, task.pairs)
        try:
            return source.player(seat)
        except RltuiError as error:
            raise RltuiError(f"{source.name}: {error.message}", error.hint, error.exit_code) from error


class Task(msgspec.Struct, frozen=True):
    """Games that are played side by side: `pairs` of them with A in blue, then the same with A in orange (`legs`)."""

    first: int  # number of its first pair
    pairs: int
    legs: int = 2


class PlayedGame(msgspec.Struct, frozen=True):
    """As A sees it."""

    pair: int
    seed: int  # of its kickoffs
    goals_a: int
    goals_b: int

    @property
    def score(self) -> float:
        """A win 1, a draw ½."""
        return ((self.goals_a > self.goals_b) - (self.goals_a < self.goals_b) + 1) / 2


class TaskDone(msgspec.Struct, frozen=True, tag="done"):
    """stats: of A's cars and of B's. seconds: of a processor."""

    games: list[PlayedGame]
    stats: list[EpisodeStats]
    seconds: float


def new_seed() -> int:
    return secrets.randbelow(1 << 31)


def team_size(a: PlayerSource, b: PlayerSource) -> int:
    """Cars a team, as A was trained; where that is any number, as B was."""
    return max(1, *(a.teams or b.teams or (1, 1)))


def tasks(games: int) -> list[Task]:
    """All games, the same whoever plays them: a task's own random numbers and batch sizes do not depend on the other tasks.

    An odd game is one by itself.
    """
    pairs = games // 2
    most = min(MOST_PAIRS, max(GOOD_PAIRS, math.ceil(pairs / MANY)))
    count = max(math.ceil(pairs / most), min(SOME, pairs // FEWEST_PAIRS))
    edges = [index * pairs // count for index in range(count + 1)] if count else [0]
    found = [Task(start, stop - start) for start, stop in pairwise(edges)]
    return found + ([Task(pairs, 1, 1)] if games % 2 else [])


def play(match_up: MatchUp, task: Task, tell: Callable[[int], None] = lambda ticks: None) -> TaskDone:
    """tell: called after every step with the ticks of all these games that have been played since."""
    began = time.process_time()
    seeds = [kickoff_seed(match_up.seed, task.first + number) for number in range(task.pairs)]
    games: list[PlayedGame] = []
    stats: list[list[EpisodeStats]] = [[], []]
    for leg in range(task.legs):
        batch = MatchBatch(match_up.players(task, leg), (match_up.size, match_up.size), [[seed] for seed in seeds])
        while batch.tick < match_up.ticks:
            tell(task.pairs * batch.advance(match_up.ticks - batch.tick))
        a, b = (ORANGE, BLUE) if leg else (BLUE, ORANGE)
        for number, score in enumerate(batch.score.tolist()):
            games.append(PlayedGame(task.first + number, seeds[number], score[a], score[b]))
        sides = batch.drain_stats()
        stats[0].append(sides[a])
        stats[1].append(sides[b])
    return TaskDone(games, [total(own) for own in stats], time.process_time() - began)


def kickoff_seed(seed: int, pair: int) -> int:
    """63 bits: both games of a pair have the same kickoffs."""
    return int(np.random.SeedSequence([seed, pair]).generate_state(1, np.uint64)[0] >> np.uint64(1))


class Evaluation:
    """What the games so far say: the same, in whatever order the tasks end."""

    def __init__(self, match_up: MatchUp, wanted: int) -> None:
        """wanted: games."""
        self.match_up, self.wanted = match_up, wanted
        self.ids = match_up.a.id, match_up.b.id
        self._done: dict[int, TaskDone] = {}  # by number of the first pair

    def add(self, done: TaskDone) -> list[Game]:
        """Count these games; returns them as they are logged."""
        self._done[done.games[0].pair] = done
        now, (a, b) = time.time(), self.ids
        return [Game(now, self.match_up.seconds, a, b, g.goals_a, g.goals_b, g.seed) for g in done.games]

    @property
    def games(self) -> list[PlayedGame]:
        return [game for done in self._in_order for game in done.games]

    @property
    def seconds(self) -> float:
        """Of processors."""
        return sum(done.seconds for done in self._in_order)

    @property
    def record(self) -> GameRecord:
        """As A sees it."""
        goals = [(game.goals_a, game.goals_b) for game in self.games]
        won, lost = sum(a > b for a, b in goals), sum(a < b for a, b in goals)
        return GameRecord(won, len(goals) - won - lost, lost, sum(a for a, _ in goals), sum(b for _, b in goals))

    @property
    def win_rate(self) -> float | None:
        """A draw counts half."""
        return self.record.score

    @property
    def interval(self) -> Interval | None:
        """95 % of the win rate; None without games."""
        pairs: dict[int, list[float]] = {}
        for game in self.games:
            pairs.setdefault(game.pair, []).append(game.score)
        return score_interval(list(pairs.values())) if pairs else None

    @property
    def between(self) -> GamesBetween:
        return GamesBetween(*self.ids, self.record, self.interval)

    @property
    def better(self) -> str:
        """As GamesBetween.better."""
        return self.between.better

    @property
    def figures(self) -> tuple[dict[str, float | None], ...]:
        """Metrics of play of A's cars and of B's, by key; none without games."""
        found = [skill_metrics(own) for own in zip(*(done.stats for done in self._in_order), strict=True)]
        return tuple({key: value for key, value in each.items() if key not in OF_EPISODES} for each in found)

    def document(self) -> dict[str, object]:
        """As `--json` prints it."""
        return {
            **self.between.document(),
            "seed": self.match_up.seed,
            "better": self.better or None,
            "games_wanted": self.wanted,
            "seconds": self.match_up.seconds,
            "team_size": self.match_up.size,
            "deterministic": self.match_up.deterministic,
            "processor_seconds": self.seconds,
            "figures": dict(zip("ab", self.figures, strict=False)),
        }

    @property
    def _in_order(self) -> list[TaskDone]:
        return [self._done[first] for first in sorted(self._done)]
