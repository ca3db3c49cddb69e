"""Process of a trainer that plays the games which one saved state lacks, and says what all its games say.

One process, and one core at the most: it is given the state when it starts, and its messages are records: that games begin, then the
result, or why there is none.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from rltui.errors import RltuiError
from rltui.events.records import LogLine, OpponentResult, Record, StateEvaluated, encode
from rltui.field import TICKS_PER_SECOND
from rltui.formatting import plural, short
from rltui.league.evaluation import Evaluation, MatchUp, play, tasks
from rltui.league.evaluators import failure
from rltui.league.games import Game, append, read
from rltui.league.ladder import keep_ratings, lower_end
from rltui.league.policy_distance import find_near_clones
from rltui.league.ratings import ANCHOR, SPARRING, Ratings, fit, tally_of
from rltui.league.score import games_between
from rltui.league.sources import PolicySource
from rltui.league.tournament import Pairing, missing_pairings, source_of
from rltui.runs.inventory import list_milestones, read_checkpoint_info
from rltui.runs.paths import RunPaths
from rltui.supervise.signals import become_subordinate


class EvaluationProgress(msgspec.Struct, frozen=True, tag_field="event", tag="evaluation_progress"):
    """How far the games are: no record of the run's, but a message beside them. share: of all their play."""

    games: int
    share: float


Said = Record | EvaluationProgress
_decoder: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)


def decode(message: bytes) -> Said:
    """What the process sent."""
    return _decoder.decode(message)


class _TrainerGone(Exception):
    """The trainer is gone."""


@dataclass(frozen=True)
class StateEvaluationSpec:
    """What the process is started with: plain data. games: against each opponent. seconds: of play in a game."""

    paths: RunPaths
    state: Path
    timesteps: int
    games: int
    seconds: float
    nice: int


def main(spec: StateEvaluationSpec, pipe: Connection) -> None:
    """Entry point of the spawned process, which ends by itself where the trainer does."""
    become_subordinate(spec.nice)

    def look(ticks: int = 0) -> None:
        if pipe.poll(0):  # nothing is ever sent: this is its end
            raise _TrainerGone

    try:
        said: Record = evaluate(spec, look, lambda said: pipe.send_bytes(msgspec.json.encode(said)))
    except (_TrainerGone, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:  # whatever a user's component raised travels whole
        failed = failure(error)
        said = not_evaluated(spec.timesteps, failed.reason, failed.hint)
    with contextlib.suppress(OSError):
        pipe.send_bytes(encode(said))


def begun(timesteps: int, games: int) -> LogLine:
    """The notice that so many games are played now."""
    return _notice(f"evaluation of {short(timesteps)} began: {plural(games, 'game')}, beside training")


def _notice(message: str) -> LogLine:
    return LogLine(time=time.time(), level="info", source="evaluation", message=message)


def not_evaluated(timesteps: int, reason: str, hint: str = "") -> LogLine:
    """The notice that there is no result."""
    message = f"the state of {short(timesteps)} timesteps was not evaluated: {reason}; training goes on"
    return LogLine(
        time=time.time(), level="warning", source="evaluation", message=f"{message}\n{hint}" if hint else message
    )


def evaluate(
    spec: StateEvaluationSpec,
    look: Callable[[int], None],
    tell: Callable[[LogLine | EvaluationProgress], None] = lambda said: None,
) -> StateEvaluated:
    """look: called after every step of the games; tell: with what is said before the result. RltuiError where the state cannot be
    read, or cannot play; where the one before cannot, or not against it, the games against others count.
    """
    data, mine = spec.paths.data, PolicySource(spec.state).id
    states = {mine: spec.state} | _milestone_before(spec)
    names = list(reversed(states))
    missing = missing_pairings(names, tally_of(read(data.games).games), spec.games)
    own = [pairing for pairing in missing if mine in (pairing.a, pairing.b)]
    wanted = sum(pairing.games for pairing in own)
    if own:
        tell(begun(spec.timesteps, wanted))
        look = _telling(wanted, spec.seconds, look, tell)
    with contextlib.suppress(RltuiError, OSError):  # whether it cannot play, its games will tell
        find_near_clones(spec.paths, read_checkpoint_info(spec.state))
    look(0)
    for pairing in own:
        try:
            for game in _played(pairing, states, spec.seconds, look):
                append(data.games, game)
        except RltuiError as error:
            if pairing.b not in states:
                raise
            tell(_notice(f"{short(spec.timesteps)} does not play {pairing.b}: {error.message}"))
    games = read(data.games).games
    ratings = fit(games)
    keep_ratings(data, ratings)
    return result(spec.timesteps, names, games, ratings)


def _telling(
    games: int, seconds: float, look: Callable[[int], None], tell: Callable[[EvaluationProgress], None]
) -> Callable[[int], None]:
    """`look`, which also tells each percent of the games' play: so few messages wait in the pipe of a trainer that is held."""
    played, told, wanted = 0, -1, games * seconds * TICKS_PER_SECOND

    def looking(ticks: int) -> None:
        nonlocal played, told
        look(ticks)
        played += ticks
        if (percent := int(100 * played / wanted)) > told:
            told = percent
            tell(EvaluationProgress(games, played / wanted))

    return looking


def result(timesteps: int, names: list[str], games: tuple[Game, ...], ratings: Ratings) -> StateEvaluated:
    """What these games say. names: of the milestone before, where there is one, and of the state itself."""
    *before, mine = names
    rating = ratings.of(mine) if mine in ratings else None
    rated = rating is not None and rating.connected
    return StateEvaluated(
        time=time.time(),
        timesteps=timesteps,
        player=mine,
        before=before[0] if before else "",
        opponents=list(_results(games, mine, [ANCHOR, SPARRING, *before])),
        elo=rating.elo if rating is not None and rated else None,
        elo_error=rating.error if rating is not None and rated else None,
        elo_low=lower_end(rating) if rating is not None else None,
        games=rating.record.games if rating is not None else 0,
    )


def _milestone_before(spec: StateEvaluationSpec) -> dict[str, Path]:
    """By its name, the newest earlier one that can be read; empty where there is none."""
    earlier = [info for info in list_milestones(spec.paths) if info.usable and (info.timesteps or 0) < spec.timesteps]
    for info in sorted(earlier, key=lambda info: info.timesteps or 0, reverse=True):
        with contextlib.suppress(RltuiError):
            return {PolicySource(info.path).id: info.path}
    return {}


def _played(pairing: Pairing, states: dict[str, Path], seconds: float, look: Callable[[int], None]) -> Iterable[Game]:
    match_up = MatchUp.rated(source_of(states, pairing.a), source_of(states, pairing.b), seconds)
    evaluation = Evaluation(match_up, pairing.games)
    for task in tasks(pairing.games):
        yield from evaluation.add(play(match_up, task, look))


def _results(games: tuple[Game, ...], mine: str, opponents: list[str]) -> Iterable[OpponentResult]:
    for opponent in opponents:
        found = games_between(games, mine, opponent)
        score = found.record.score
        if score is not None and found.interval is not None:
            low, high = found.interval
            yield OpponentResult(
                opponent=opponent, games=found.record.games, win_rate=100 * score, low=100 * low, high=100 * high
            )
