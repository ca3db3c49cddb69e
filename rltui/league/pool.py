"""OpponentPool: frozen opponents of a run, how it fares against each, and who is drawn next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rltui.env.frozen_opponents import OpponentSource
from rltui.events.game_record import GameRecord, elo_difference
from rltui.events.records import PoolOpponent
from rltui.formatting import percent
from rltui.runs.checkpoint import POLICY_FILE, damage
from rltui.runs.inventory import CheckpointInfo, list_checkpoints, list_milestones
from rltui.runs.near_clones import NearClones, clones_of
from rltui.runs.paths import RunPaths
from rltui.runs.trainer_state import PoolState

Strategy = Literal["uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"]

MEMORY = 100  # newest games against one opponent that count, each an episode of training: the learner changes
VIRTUAL_DRAWS = 2  # so that one who was always beaten, or never met, is somewhere
EVEN, TEMPERATURE = 0.5, 0.5  # expected score of an even match; how far from it still counts, for difficulty_adjusted
WEAKER, LEAST_GAMES = 300.0, 20  # Elo below the learner, and games that say so, at which an opponent is pruned
LEAST_WEIGHT = 1e-9  # of whoever is hardly ever drawn
SPARED = 3  # newest opponents that are never pruned


@dataclass
class RatedOpponent:
    """One opponent. age: its place among the saved ones, the newest last; −1 of a scripted one. near: names of those that are
    nearly the same player, the nearest first, with the share of choices that differ.
    """

    source: OpponentSource
    age: int = -1
    wins: float = 0.0  # the learner's, of the games that count, a draw as half of one …
    games: float = 0.0  # … and of how many
    near: dict[str, float] = field(default_factory=dict)

    @property
    def scripted(self) -> bool:
        return not self.source.path

    @property
    def is_gone(self) -> bool:
        """Whether its files were deleted or pruned."""
        return not self.scripted and not Path(self.source.path).exists()

    @property
    def expected(self) -> float:
        """The learner's expected score against it, 0–1."""
        return (self.wins + VIRTUAL_DRAWS / 2) / (self.games + VIRTUAL_DRAWS)

    @property
    def elo(self) -> float:
        """How much stronger than the learner: an estimate of the pool's own, by their games and the virtual draws."""
        return elo_difference(1 - self.expected) or 0.0  # never None: the virtual draws keep it between 0 and 1

    def add(self, games: GameRecord) -> None:
        """What is beyond the memory is forgotten from all games alike."""
        self.wins += games.wins + games.draws / 2
        self.games += games.games
        if self.games > MEMORY:
            self.wins *= MEMORY / self.games
            self.games = MEMORY


@dataclass
class OpponentPool:
    """Scripted and saved opponents. strategy, window: how they are drawn, see `weights`. earlier: of the checkpoint that the run
    goes on from.
    """

    strategy: Strategy = "elo_weighted"
    window: float = 200.0  # Elo
    scripted: Sequence[str] = ()
    earlier: InitVar[PoolState | None] = None
    opponents: dict[str, RatedOpponent] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)  # pruned, damaged or unable to play here: never taken again

    def __post_init__(self, earlier: PoolState | None) -> None:
        self._earlier = dict(earlier.results) if earlier else {}
        self.left |= {*earlier.left} if earlier else set()
        self.teams = earlier.teams if earlier else (0, 0)
        self.follow(self.strategy, self.window, self.scripted)

    def follow(self, strategy: Strategy, window: float, scripted: Sequence[str]) -> None:
        """Draw so from now on, with these scripted players."""
        self.strategy, self.window, self.scripted = strategy, window, scripted
        for name in [name for name, each in self.opponents.items() if each.scripted and name not in scripted]:
            del self.opponents[name]
        for name in scripted:
            self._take(OpponentSource(name))

    def _take(self, source: OpponentSource) -> RatedOpponent:
        """It is in the pool, with the results that it has had."""
        wins, games = self._earlier.pop(source.name, (0.0, 0.0))
        return self.opponents.setdefault(source.name, RatedOpponent(source, wins=wins, games=games))

    def state(self) -> PoolState:
        """For a checkpoint."""
        results = {name: (each.wins, each.games) for name, each in self.opponents.items() if each.games}
        return PoolState(results=self._earlier | results, left=sorted(self.left), teams=self.teams)

    def refresh(self, found: Mapping[int, OpponentSource], near: NearClones | None = None) -> list[str]:
        """The saved ones that there are now, by timesteps, the oldest first. Returns what has left, in words, but for those whose
        files are gone, as checkpoints go in time. Who is weaker by now leaves where teams are of one size.
        """
        said = []
        names = {source.name for source in found.values()}
        for each in [each for each in self.opponents.values() if not each.scripted and each.source.name not in names]:
            reason = None if each.is_gone else damage(Path(each.source.path).parent)
            if reason:
                said.append(self.drop(each.source.name, reason))
            else:
                del self.opponents[each.source.name]
        for age, (timesteps, source) in enumerate(found.items()):
            if source.name not in self.left:
                opponent = self._take(source)
                clones = clones_of(near or {}, timesteps, found)
                opponent.age, opponent.near = age, {found[other].name: differ for differ, other in clones}
        self._earlier = {}
        blue, orange = self.teams
        return [*said, *(self._prune() if blue == orange else ())]

    def drop(self, name: str, reason: str) -> str:
        """It leaves the pool for good. In words."""
        del self.opponents[name]
        self.left.add(name)
        return f"opponent {name} leaves the pool: {reason}"

    def play_in(self, teams: tuple[int, int]) -> None:
        """Games to come are in these team sizes; the results of those in others say nothing of them."""
        before, self.teams = self.teams, teams
        if before in ((0, 0), teams):
            return
        self._earlier = {}
        for each in self.opponents.values():
            each.wins = each.games = 0.0

    def played(self, against: Mapping[str, GameRecord]) -> None:
        """Count these games."""
        for name, games in against.items():
            if name in self.opponents:
                self.opponents[name].add(games)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[OpponentSource, ...]:
        """So many different ones, or all there are."""
        opponents = list(self.opponents.values())
        if len(opponents) <= count:
            return tuple(each.source for each in opponents)
        chances = self.weights(opponents)
        drawn = rng.choice(len(opponents), size=count, replace=False, p=chances / chances.sum())
        return tuple(opponents[index].source for index in sorted(drawn.tolist()))

    def weights(self, opponents: Sequence[RatedOpponent]) -> NDArray[np.float64]:
        """float64 [n], all above 0. Near-clones share one chance: who has two among these is drawn a third as often.

        uniform: alike; elo_weighted: exp(−|Δ Elo| / window); recent_weighted: by their place in age, 1, 2, …;
        difficulty_adjusted: exp(−|expected score − 1/2| / temperature); prioritized: (1 − expected score)², those one loses to.
        """
        expected, elo, age = np.array([(each.expected, each.elo, each.age) for each in opponents]).T
        match self.strategy:
            case "elo_weighted":
                found = np.exp(-np.abs(elo) / self.window)
            case "recent_weighted":
                found = 1.0 + age.argsort(kind="stable").argsort()
            case "difficulty_adjusted":
                found = np.exp(-np.abs(expected - EVEN) / TEMPERATURE)
            case "prioritized":
                found = (1 - expected) ** 2
            case _:
                found = np.ones(len(opponents))
        names = {each.source.name for each in opponents}
        alike = np.array([1 + len(names & each.near.keys()) for each in opponents])
        weights: NDArray[np.float64] = np.maximum(np.asarray(found, np.float64) / alike, LEAST_WEIGHT)
        return weights

    def standings(self, most: int) -> list[PoolOpponent]:
        """At most so many, those with the highest chance in a draw."""
        opponents = list(self.opponents.values())
        chances = self.weights(opponents) if opponents else np.zeros(0)
        shares = (chances / chances.sum()).tolist()
        ranked = sorted(zip(shares, opponents, strict=True), key=lambda one: (-one[0], one[1].source.name))
        return [
            PoolOpponent(
                name=each.source.name,
                share=share,
                games=each.games,
                score=each.wins / each.games if each.games else None,
                near=next(((name, differ) for name, differ in each.near.items() if name in self.opponents), None),
            )
            for share, each in ranked[:most]
        ]

    def _prune(self) -> Iterable[str]:
        saved = sorted((each for each in self.opponents.values() if not each.scripted), key=lambda one: one.age)
        for each in saved[:-SPARED]:
            if each.elo <= -WEAKER and each.games >= LEAST_GAMES:
                words = f"the bot scores {percent(each.wins / each.games)} of their newest {each.games:.0f} episodes"
                yield self.drop(each.source.name, words)


def saved_opponents(paths: RunPaths, checkpoints: bool) -> dict[int, OpponentSource]:
    """The run's whole milestones, and checkpoints if wanted, by timesteps, the oldest first; of a state that is both, the milestone."""
    infos = [info for info in list_milestones(paths) if info.usable]
    if checkpoints:
        kept = {info.timesteps for info in infos}
        infos += [info for info in list_checkpoints(paths) if info.usable and info.timesteps not in kept]
    infos.sort(key=lambda info: info.commit or 0)
    return {info.timesteps or 0: OpponentSource(_name(info), str(info.path / POLICY_FILE)) for info in infos}


def _name(info: CheckpointInfo) -> str:
    return info.milestone or f"{info.timesteps:,}"
