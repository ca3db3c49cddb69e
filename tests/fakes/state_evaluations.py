"""Evaluation of saved states without games: a process that says what a test wants, when it wants it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from rltui.events.records import OpponentResult, Record, StateEvaluated, encode
from rltui.league.state_evaluation import StateEvaluationSpec
from rltui.train.state_evaluator import Start


def evaluated(timesteps: int, low: float = 45.0, games: int = 40, **changes: Any) -> StateEvaluated:
    """low: of the win rate against chaser."""
    results = [
        OpponentResult(opponent="rule", games=games, win_rate=12.5, low=5.0, high=26.0),
        OpponentResult(opponent="chaser", games=games, win_rate=low + 15, low=low, high=low + 30),
        OpponentResult(opponent="alpha@1#00000000", games=games, win_rate=50.0, low=35.0, high=65.0),
    ]
    found = StateEvaluated(
        time=1.7e9,
        timesteps=timesteps,
        player=f"alpha@{timesteps}#00000000",
        before="alpha@1#00000000",
        opponents=results,
        elo=1212.0,
        elo_error=34.0,
        elo_low=1145.0,
        games=3 * games,
    )
    return msgspec.structs.replace(found, **changes)


@dataclass
class EvaluationProcess:
    """In the places of the process and of the pipe to it."""

    spec: StateEvaluationSpec
    exitcode: int | None = None
    pid: int = 4711
    killed: bool = False
    said: list[bytes] = field(default_factory=list)

    def say(self, said: Record) -> None:
        self.said.append(encode(said))

    def is_alive(self) -> bool:
        return self.exitcode is None

    def kill(self) -> None:
        self.killed = True

    def join(self) -> None:
        pass

    def close(self) -> None:
        pass

    def poll(self, seconds: float) -> bool:
        return bool(self.said) or self.exitcode is not None

    def recv_bytes(self) -> bytes:
        if not self.said:
            raise EOFError
        return self.said.pop(0)


class EvaluationProcesses:
    """Starts them; the first so many starts fail with these errors."""

    def __init__(self, errors: Sequence[OSError] = ()) -> None:
        self.started: list[EvaluationProcess] = []
        self._errors = list(errors)

    @property
    def start(self) -> Start:
        return cast(Start, self._start)

    def _start(self, spec: StateEvaluationSpec) -> tuple[EvaluationProcess, EvaluationProcess]:
        if self._errors:
            raise self._errors.pop(0)
        self.started.append(EvaluationProcess(spec))
        return self.started[-1], self.started[-1]
