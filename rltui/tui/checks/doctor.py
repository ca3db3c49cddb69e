"""Whether a profile can be trained here, by a child `rltui doctor`; speeds measured on this machine."""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from rltui import safe_io
from rltui.runs.atomic import replace_file
from rltui.runs.paths import cache_folder
from rltui.tui.checks.child import RLTUI, LinesChild, LinesProcess, NewestProcess

CheckState = Literal["waiting", "running", "pass", "warn", "fail"]
# In the order in which somebody would want to know; those that need torch come last.
CHECKS = (
    "profile", "data folder", "meshes", "action table", "rewards", "resets", "memory", "disk", "visualiser", "spaces",
    "gpu", "shared memory", "worker process",
)  # fmt: skip
SPEED = "speed"


@dataclass(frozen=True)
class PreflightCheck:
    """One check. sentence, advice: the doctor's words, once it has ended."""

    name: str
    state: CheckState = "waiting"
    sentence: str = ""
    advice: str = ""


class Measured(msgspec.Struct, frozen=True):
    """Speed measured once. busy_percent: of the processor, by others meanwhile."""

    steps_per_second: float
    time: float  # Unix seconds
    busy_percent: float = 0.0


@dataclass(frozen=True)
class Preflight:
    """key: of the profile's content. begun, ended: Unix seconds; None while more will come. problem: why the child said nothing."""

    key: str
    checks: tuple[PreflightCheck, ...] = ()
    begun: float = 0.0
    ended: float | None = None
    problem: str = ""
    speed: Measured | None = None  # as measured just now

    @property
    def done(self) -> bool:
        return self.ended is not None

    @property
    def failed(self) -> tuple[PreflightCheck, ...]:
        return tuple(check for check in self.checks if check.state == "fail")

    @property
    def measuring(self) -> bool:
        """Whether the speed is still to come."""
        return SPEED in self.left

    @property
    def left(self) -> list[str]:
        """Names of what has not been looked at yet."""
        return [] if self.done else [check.name for check in self.checks if check.state in ("waiting", "running")]


class Preflights:
    """Cache of the doctor's results by content key. Only one child runs; the newest profile is the one that counts.

    `run` is called from threads, `known` from anywhere.
    """

    def __init__(
        self, start: Callable[[Sequence[str]], LinesProcess] | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """start: begins the child, for tests. clock: Unix seconds."""
        self._start, self._clock = start or LinesChild, clock
        self._known: dict[str, Preflight] = {}
        self._newest: NewestProcess[LinesProcess] = NewestProcess()

    def known(self, key: str) -> Preflight | None:
        """What is known of this content, running or done."""
        return self._known.get(key)

    def run(self, key: str, profile: Path, data: Path, publish: Callable[[Preflight], None], speed: bool) -> None:
        """Blocks until the child has ended or a newer one takes its place. speed: measure that too.

        publish: called with each new state, from this thread.
        """
        names = (*CHECKS, *((SPEED,) if speed else ()))
        only = [part for name in names for part in ("--only", name)]
        command = [*RLTUI, "doctor", str(profile), "--lines", "--data-dir", str(data), *only]
        state = Preflight(key, tuple(PreflightCheck(name) for name in names), self._clock())
        child: LinesProcess | None = None
        try:
            child = self._start(command)
            self._newest.replace(child)
            self._publish(state, publish)
            for line in child.lines():
                if self._newest.current is not child:
                    break
                state = with_line(state, line)
                self._publish(state, publish)
        except OSError as error:
            state = replace(state, problem=str(error))
        if self._newest.release(child):
            self._publish(_ended(state, self._clock()), publish)
        elif self._known.get(key) is state:
            self._known.pop(key)

    def cancel(self) -> None:
        """The cursor has moved on: what is half done is forgotten."""
        self._newest.replace(None)
        self._known = {key: state for key, state in self._known.items() if state.done}

    def _publish(self, state: Preflight, publish: Callable[[Preflight], None]) -> None:
        self._known[state.key] = state
        publish(state)


def with_line(state: Preflight, line: bytes) -> Preflight:
    """With what one line of the doctor says; a line that is none changes nothing."""
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return state
    if not isinstance(found, dict):
        return state
    if "running" in found:
        return _with(state, PreflightCheck(str(found["running"]), "running"))
    if found.get("outcome") not in ("pass", "warn", "fail"):
        return state
    sentence, advice = str(found.get("sentence", "")), str(found.get("advice", ""))
    state = _with(state, PreflightCheck(str(found.get("name", "")), found["outcome"], sentence, advice))
    with suppress(msgspec.ValidationError):
        state = replace(state, speed=msgspec.convert(found.get("figures"), Measured))
    return state


def _with(state: Preflight, check: PreflightCheck) -> Preflight:
    return replace(state, checks=tuple(check if old.name == check.name else old for old in state.checks))


def _ended(state: Preflight, now: float) -> Preflight:
    unended = [check for check in state.checks if check.state in ("waiting", "running")]
    problem = state.problem or (f"the doctor ended before {unended[0].name} was checked" if unended else "")
    return replace(state, ended=now, problem=problem)


class Measurements:
    """Cache file of the speeds measured on this machine, by shape (`shape_key`); bad content is no content."""

    def __init__(self, folder: Path | None = None) -> None:
        """folder: None: the usual place for caches."""
        self._folder = folder
        self._known: dict[str, Measured] | None = None

    def get(self, key: str) -> Measured | None:
        """Of profiles of this shape."""
        return self._all().get(key)

    def put(self, key: str, found: Measured) -> None:
        """Where the cache can be written; a full disk is no reason to stop."""
        self._all()[key] = found
        with suppress(OSError):
            replace_file(self._file, msgspec.json.encode(self._all()))

    @property
    def _file(self) -> Path:
        folder = self._folder or cache_folder()
        host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
        return folder / f"speed-{host}.json"

    def _all(self) -> dict[str, Measured]:
        if self._known is None:
            try:
                self._known = msgspec.json.decode(safe_io.read_bytes(self._file), type=dict[str, Measured])
            except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self._known = {}
        return self._known
