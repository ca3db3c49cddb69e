"""Tournament: the games that a run's milestones lack for their ratings, several pairings at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rltui.errors import RltuiError
from rltui.league.evaluation import Evaluation, MatchUp, TaskDone, tasks
from rltui.league.evaluators import Evaluators, TicksPlayed
from rltui.league.games import Game
from rltui.league.ratings import ANCHOR, SPARRING, Tally
from rltui.league.sources import PlayerSource, PolicySource, ScriptedSource
from rltui.runs.inventory import list_milestones
from rltui.runs.paths import RunPaths


@dataclass(frozen=True)
class Pairing:
    """Games to be played by two players, an even number of them."""

    a: str
    b: str
    games: int


@dataclass(frozen=True)
class PairingRefused:
    """Two that cannot play each other, or whose games failed."""

    pairing: Pairing
    error: RltuiError


FromPairing = TicksPlayed | list[Game] | PairingRefused


def missing_pairings(milestones: Sequence[str], tally: Tally, games: int) -> list[Pairing]:
    """What is missing until each of a run's players, the oldest first, has `games` against the anchor, the sparring partner and
    its neighbours in time. The most telling first: against the anchor, the newest players before the older ones.
    """
    newest_first = list(reversed(dict.fromkeys(milestones)))
    wanted = [(SPARRING, ANCHOR), *((player, ANCHOR) for player in newest_first)]
    wanted += [*pairwise(newest_first), *((player, SPARRING) for player in newest_first)]
    missing = [(a, b, games - tally.between(a, b).games) for a, b in wanted]
    return [Pairing(a, b, count + count % 2) for a, b, count in missing if count > 0]


def milestone_players(paths: RunPaths) -> tuple[dict[str, Path], list[str]]:
    """The run's milestones by the names that games have of them, the oldest first, and why others cannot play, in words.

    RltuiError where it has none.
    """
    states = [info for info in list_milestones(paths) if info.usable]
    if not states:
        hint = f"keep a checkpoint as one: rltui milestones keep {paths.name}/CHECKPOINT"
        raise RltuiError(f"run {paths.name!r} has no milestones", hint)
    players, problems = {}, []
    for info in sorted(states, key=lambda info: info.timesteps or 0):
        try:
            players[PolicySource(info.path).id] = info.path
        except RltuiError as error:
            problems.append(error.message)
    return players, problems


def source_of(milestones: Mapping[str, Path], player: str) -> PlayerSource:
    """Of one of these, read anew, for all at once might not fit into memory; else of a scripted player. RltuiError as both."""
    return PolicySource(milestones[player]) if player in milestones else ScriptedSource(player)


class Tournament:
    """Plays pairings on `workers` processes, as many side by side as that takes: one alone has too few games to share."""

    def __init__(
        self, planned: Sequence[Pairing], source: Callable[[str], PlayerSource], seconds: float, workers: int, nice: int
    ) -> None:
        """source: of the player of that name, from any thread. seconds: of play in a game."""
        self._source, self._seconds, self._nice = source, seconds, nice
        self._waiting = queue.SimpleQueue[Pairing]()
        for pairing in planned:
            self._waiting.put(pairing)
        each = max((len(tasks(pairing.games)) for pairing in planned), default=1)
        self._side_by_side = max(1, min(len(planned), workers // each))
        self._workers = max(1, workers // self._side_by_side)
        self._said = queue.SimpleQueue[FromPairing | BaseException | None]()  # None: a thread has ended
        self._stop = threading.Event()
        self._one_at_a_time = threading.Lock()

    def played(self, stopped: Callable[[], bool], look: float = 0.1) -> Iterator[FromPairing]:
        """Until all is played, or `stopped`, which is asked every `look` seconds. No process is left when it ends."""
        threads = [threading.Thread(target=self._work, name=f"pairing {n}") for n in range(self._side_by_side)]
        for thread in threads:
            thread.start()
        try:
            running = len(threads)
            while running and not stopped():
                try:
                    said = self._said.get(timeout=look)
                except queue.Empty:
                    continue
                if isinstance(said, BaseException):
                    raise said
                if said is None:
                    running -= 1
                else:
                    yield said
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        try:
            while not self._stop.is_set():
                pairing = self._waiting.get_nowait()
                try:
                    self._play(pairing)
                except RltuiError as error:
                    self._said.put(PairingRefused(pairing, error))
        except queue.Empty:
            self._said.put(None)
        except BaseException as error:  # raised again where somebody sees it
            self._said.put(error)

    def _play(self, pairing: Pairing) -> None:
        with self._one_at_a_time:  # policies are large, and the simulator begins once
            match_up = MatchUp.rated(self._source(pairing.a), self._source(pairing.b), self._seconds)
        evaluation = Evaluation(match_up, pairing.games)
        with Evaluators(match_up, self._workers, self._nice) as evaluators:
            for said in evaluators.played(tasks(pairing.games), self._stop.is_set):
                self._said.put(evaluation.add(said) if isinstance(said, TaskDone) else said)
