"""A tournament plays what is missing and nothing else; who cannot play stops nobody else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from rltui.errors import RltuiError
from rltui.league import tournament as tournament_module
from rltui.league.evaluation import MatchUp, PlayedGame, Task, TaskDone
from rltui.league.evaluators import TicksPlayed
from rltui.league.games import Game
from rltui.league.ratings import Tally, tally_of
from rltui.league.sources import PlayerSource, ScriptedSource
from rltui.league.tournament import Pairing, PairingRefused, Tournament, missing_pairings
from tests.fakes.leagues import games

OLD, MIDDLE, NEW = (f"alpha@{millions}000000#0000000{millions}" for millions in (1, 2, 3))


def test_everybody_meets_rule_the_neighbours_and_chaser() -> None:
    planned = missing_pairings([OLD, MIDDLE, NEW], Tally(), 20)
    assert [(pairing.a, pairing.b) for pairing in planned] == [
        ("chaser", "rule"),
        *((player, "rule") for player in (NEW, MIDDLE, OLD)),
        (NEW, MIDDLE),
        (MIDDLE, OLD),
        *((player, "chaser") for player in (NEW, MIDDLE, OLD)),
    ]
    assert {pairing.games for pairing in planned} == {20}


def test_what_was_played_is_not_played_again() -> None:
    played = [
        *games(OLD, "rule", 4, 1, 2),
        *games("rule", "chaser", 30),
        *games(OLD, NEW, 9),
        *games("chaser", OLD, 3, 0, 5),
    ]
    planned = missing_pairings([OLD, NEW, NEW], tally_of(played), 10)
    assert planned == [
        Pairing(NEW, "rule", 10),
        Pairing(OLD, "rule", 4),
        Pairing(NEW, OLD, 2),
        Pairing(NEW, "chaser", 10),
        Pairing(OLD, "chaser", 2),
    ]
    after = [*played, *(one for p in planned for one in games(p.a, p.b, p.games))]
    assert missing_pairings([OLD, NEW], tally_of(after), 10) == []


class FakeEvaluators:
    """Plays every game to 2 : 1 at once. Notes how many are at work, and with how many processes."""

    lock = threading.Lock()
    at_work, most, processes = 0, 0, 0
    meet: threading.Barrier | None = None  # of those that have to be at work at once

    def __init__(self, match_up: MatchUp, count: int, nice: int = 0) -> None:
        self._count = count
        self._fails = match_up.b.name == "idle"

    def __enter__(self) -> FakeEvaluators:
        with self.lock:
            FakeEvaluators.at_work += 1
            FakeEvaluators.processes += self._count
            FakeEvaluators.most = max(self.most, self.processes)
        return self

    def __exit__(self, *_: object) -> None:
        with self.lock:
            FakeEvaluators.at_work -= 1
            FakeEvaluators.processes -= self._count

    def played(self, tasks: Sequence[Task], stopped: Callable[[], bool]) -> Iterator[TicksPlayed | TaskDone]:
        if self.meet is not None:
            self.meet.wait(30.0)
        for task in tasks:
            if self._fails:
                raise RltuiError("a game could not be played: it fell over", "what to do")
            yield TicksPlayed(100)
            played = [PlayedGame(task.first + n % task.pairs, n, 2, 1) for n in range(task.pairs * task.legs)]
            yield TaskDone(played, [], 0.1)


@pytest.fixture(autouse=True)
def fake_evaluators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_module, "Evaluators", FakeEvaluators)
    monkeypatch.setattr(MatchUp, "check", lambda self: None)
    for name, value in {"at_work": 0, "most": 0, "processes": 0, "meet": None}.items():
        monkeypatch.setattr(FakeEvaluators, name, value)


def tournament(
    planned: Sequence[Pairing], workers: int, source: Callable[[str], PlayerSource] = ScriptedSource
) -> Tournament:
    return Tournament(planned, source, 5.0, workers, 10)


def test_all_games_come_and_no_more_processes_than_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = [Pairing("chaser", "random", 20), Pairing("random", "chaser", 6), Pairing("chaser", "chaser", 4)]
    for workers, at_once in ((1, 1), (3, 1), (4, 2), (16, 3)):
        with monkeypatch.context() as there:
            if at_once == 3:  # the others have more pairings than threads, which no barrier counts
                there.setattr(FakeEvaluators, "meet", threading.Barrier(3))
            there.setattr(FakeEvaluators, "most", 0)
            said = list(tournament(planned, workers).played(lambda: False))
            played = [game for each in said if isinstance(each, list) for game in each]
            assert sorted((game.a, game.b) for game in played) == sorted(
                (pairing.a, pairing.b) for pairing in planned for _ in range(pairing.games)
            )
            assert all(isinstance(game, Game) and game.seconds == 5.0 for game in played)
            assert FakeEvaluators.most <= workers
            assert FakeEvaluators.at_work == 0


def test_who_cannot_play_stops_nobody_else() -> None:
    def source(name: str) -> PlayerSource:
        if name == "gone":
            raise RltuiError("gone: no such file")
        return ScriptedSource(name)

    planned = [Pairing("gone", "chaser", 2), Pairing("chaser", "idle", 2), Pairing("chaser", "random", 2)]
    said = list(tournament(planned, 1, source).played(lambda: False))
    refused = [each for each in said if isinstance(each, PairingRefused)]
    assert [(each.pairing, each.error.message) for each in refused] == [
        (planned[0], "gone: no such file"),
        (planned[1], "a game could not be played: it fell over"),
    ]
    assert [len(each) for each in said if isinstance(each, list)] == [2]


def test_what_goes_wrong_in_a_thread_is_raised_where_it_is_seen() -> None:
    def source(name: str) -> PlayerSource:
        raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError):
        list(tournament([Pairing("chaser", "random", 2)], 2, source).played(lambda: False))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pairing")]


def test_it_stops_when_asked_and_leaves_no_thread() -> None:
    planned = [Pairing("chaser", "random", 40) for _ in range(50)]
    stop = threading.Event()
    games_played = 0
    for said in tournament(planned, 2).played(stop.is_set):
        if isinstance(said, list):
            games_played += len(said)
            stop.set()
    assert 0 < games_played < 50 * 40
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pairing")]
    assert FakeEvaluators.at_work == 0


def test_nothing_to_play() -> None:
    assert list(tournament([], 4).played(lambda: False)) == []
