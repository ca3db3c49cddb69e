"""Doctor results for a profile."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from rltui import safe_io
from rltui.supervise.signals import kill_session, lower_priority, start_session
from rltui.tui.checks.child import NewestChild

# Whether a profile can be trained here: the doctor in a child of low priority, check by check as they end.
#
# What was found is remembered by the profile's content and that of the files it names. Only one child runs; the newest
# profile is the one that counts.

State = Literal["waiting", "running", "pass", "warn", "fail"]
NICENESS = 15
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
    state: State = "waiting"
    sentence: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Preflight:
    """key: of the profile's content. ended: Unix seconds; None while more will come. problem: why the child said nothing."""

    key: str
    checks: tuple[PreflightCheck, ...] = ()
    ended: float | None = None
    problem: str = ""
    steps_per_second: float | None = None  # as measured just now
    measured: float | None = None  # Unix seconds
    busy_percent: float | None = None  # of the processor, by others while it was measured

    @property
    def done(self) -> bool:
        return self.ended is not None

    @property
    def failed(self) -> tuple[PreflightCheck, ...]:
        return tuple(check for check in self.checks if check.state == "fail")


class RunningDoctor(Protocol):
    """A doctor that runs."""

    def lines(self) -> Iterator[bytes]:
        """Its lines as they come."""

    def end(self) -> None:
        """From another thread: nobody listens any more."""


class Preflights:
    """Asked from threads; `known` from anywhere."""

    def __init__(
        self, start: Callable[[Sequence[str]], RunningDoctor] | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """start: begins the child, for tests. clock: Unix seconds."""
        self._start, self._clock = start or DoctorChild, clock
        self._known: dict[str, Preflight] = {}
        self._newest: NewestChild[RunningDoctor] = NewestChild()

    def known(self, key: str) -> Preflight | None:
        """What is known of this content, running or done."""
        return self._known.get(key)

    def forget(self, key: str) -> None:
        """What was found there counts no longer."""
        self._known.pop(key, None)

    def run(self, key: str, profile: Path, data: Path, tell: Callable[[Preflight], None], speed: bool) -> None:
        """Blocks until the child has ended or a newer one takes its place. speed: measure that too.

        tell: called with each new state of things, from this thread.
        """
        names = (*CHECKS, *((SPEED,) if speed else ()))
        only = [part for name in names for part in ("--only", name)]
        command = [sys.executable, "-m", "rltui", "doctor", str(profile), "--lines", "--data-dir", str(data), *only]
        state = Preflight(key, tuple(PreflightCheck(name) for name in names))
        child: RunningDoctor | None = None
        try:
            child = self._start(command)
            self._newest.take(child)
            self._say(state, tell)
            for line in child.lines():
                state = told(state, line)
                if self._newest.child is not child:
                    break
                self._say(state, tell)
        except OSError as error:
            state = replace(state, problem=str(error))
        if self._newest.release(child):
            self._say(_ended(state, self._clock()), tell)
        else:
            self._known.pop(key, None)

    def cancel(self) -> None:
        """The cursor has moved on."""
        self._newest.take(None)

    def _say(self, state: Preflight, tell: Callable[[Preflight], None]) -> None:
        self._known[state.key] = state
        tell(state)


def told(state: Preflight, line: bytes) -> Preflight:
    """With what one line of the doctor says; a line that is none changes nothing."""
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return state
    if not isinstance(said, dict):
        return state
    if "running" in said:
        return _with(state, PreflightCheck(str(said["running"]), "running"))
    if said.get("outcome") not in ("pass", "warn", "fail"):
        return state
    found = PreflightCheck(
        str(said.get("name", "")), said["outcome"], str(said.get("sentence", "")), str(said.get("advice", ""))
    )
    return _measured(_with(state, found), said.get("figures") or {})


def _measured(state: Preflight, figures: Mapping[str, float]) -> Preflight:
    if "steps_per_second" not in figures:
        return state
    return replace(
        state,
        steps_per_second=figures["steps_per_second"],
        measured=figures.get("time"),
        busy_percent=figures.get("busy_percent"),
    )


def _with(state: Preflight, check: PreflightCheck) -> Preflight:
    return replace(state, checks=tuple(check if old.name == check.name else old for old in state.checks))


def _ended(state: Preflight, now: float) -> Preflight:
    unended = [check for check in state.checks if check.state in ("waiting", "running")]
    problem = state.problem or (f"the doctor ended before {unended[0].name} was checked" if unended else "")
    return replace(state, ended=now, problem=problem)


class DoctorChild:
    """The real one."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = start_session(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        lower_priority(self._process.pid, NICENESS)

    def lines(self) -> Iterator[bytes]:
        """See Child."""
        with self._process as process:
            assert process.stdout is not None
            yield from process.stdout

    def end(self) -> None:
        """The child and the workers that it may have: they share its session."""
        kill_session(self._process)
        self._process.kill()


class Measured(msgspec.Struct, frozen=True):
    """One measurement, as it is kept."""

    steps_per_second: float
    time: float  # Unix seconds
    busy_percent: float = 0.0


class Measurements:
    """What was measured on this machine, kept in the user's cache by shape (`shape_key`); bad content is no content."""

    def __init__(self, folder: Path | None = None) -> None:
        """folder: None: the usual place for caches."""
        self._folder = folder
        self._known: dict[str, Measured] | None = None

    def get(self, key: str) -> Measured | None:
        """Of profiles of this shape."""
        return self._all().get(key)

    def put(self, key: str, found: Measured) -> None:
        """Kept, where the cache can be written; a full disk is no reason to stop."""
        self._all()[key] = found
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._file.parent, suffix=".part")
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(self._all()))
            Path(temporary).replace(self._file)

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


def cache_folder() -> Path:
    """The user's cache of this program."""
    from platformdirs import user_cache_path

    return user_cache_path("rltui", appauthor=False)
