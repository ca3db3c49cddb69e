"""Verdicts on the text of a profile that is being edited; the newest question ends the one before."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from rltui.tui.checks.child import RLTUI, TIMEOUT, EndableProcess, NewestProcess, output_of
from rltui.tui.checks.results import ProfileCheck, ProfileProblem

MOST_KNOWN = 200  # verdicts


class CheckProcess(EndableProcess, Protocol):
    """A check that runs."""

    def answer(self, text: bytes) -> bytes:
        """Its standard output; OSError when it has none, or was ended."""


class TextChecker:
    """Verdicts by content. Of two threads that ask, the earlier one gets None and its child is ended."""

    def __init__(self, start: Callable[[Sequence[str]], CheckProcess] | None = None) -> None:
        """start: begins the child, for tests."""
        self._start = start or CheckChild
        self._known: dict[str, ProfileCheck] = {}
        self._newest: NewestProcess[CheckProcess] = NewestProcess()

    def known(self, text: str, path: Path) -> ProfileCheck | None:
        """The verdict on this text, where it has been asked for before."""
        return self._known.get(_hash(text, path))

    def check(self, text: str, path: Path) -> ProfileCheck | None:
        """Blocks for about half a second; call it from a thread. None: a newer question has taken its place."""
        key = _hash(text, path)
        if key not in self._known:
            command = [*RLTUI, "profile", "check", "--json", "-", "--as", str(path)]
            child = self._start(command)
            self._newest.replace(child)
            verdict = _answer(child, text)
            if not self._newest.release(child):
                return None
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            self._known[key] = verdict
        return self._known[key]

    def cancel(self) -> None:
        """Nobody waits for an answer any more."""
        self._newest.replace(None)


def _answer(child: CheckProcess, text: str) -> ProfileCheck:
    try:
        return msgspec.json.decode(child.answer(text.encode()), type=ProfileCheck)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        return ProfileCheck(valid=False, errors=[ProfileProblem(f"could not be checked: {error}")])


def _hash(text: str, path: Path) -> str:
    return hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()


class CheckChild:
    """`rltui profile check`, which reads the text from its standard input."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)

    def answer(self, text: bytes) -> bytes:
        with self._process as process:
            try:
                out, err = process.communicate(text, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return output_of(out, err, "the child was ended")

    def end(self) -> None:
        self._process.kill()
