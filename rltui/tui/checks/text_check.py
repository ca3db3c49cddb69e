"""Check of text being edited; newest question wins."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from rltui.tui.checks.child import TIMEOUT, NewestChild, answer_of
from rltui.tui.checks.results import ProfileCheck, ProfileProblem

KEPT = 200  # verdicts


class RunningCheck(Protocol):
    """A check that runs."""

    def answer(self, text: bytes) -> bytes:
        """Its standard output; OSError when it has none, or was ended."""

    def end(self) -> None:
        """From another thread: its answer is no longer wanted."""


class TextChecker:
    """Verdicts by content. Of two threads that ask, the earlier one gets None and its child is ended."""

    def __init__(self, start: Callable[[Sequence[str]], RunningCheck] | None = None) -> None:
        """start: begins the child, for tests."""
        self._start = start or ProfileChild
        self._known: dict[str, ProfileCheck] = {}
        self._newest: NewestChild[RunningCheck] = NewestChild()

    def known(self, text: str, path: Path) -> ProfileCheck | None:
        """The verdict on this text, where it has been asked for before."""
        return self._known.get(_hash(text, path))

    def check(self, text: str, path: Path) -> ProfileCheck | None:
        """Blocks for about half a second; call it from a thread. None: a newer question has taken its place."""
        key = _hash(text, path)
        if key not in self._known:
            command = [sys.executable, "-m", "rltui", "profile", "check", "--json", "-", "--as", str(path)]
            child = self._start(command)
            self._newest.take(child)
            verdict = _asked(child, text)
            if not self._newest.release(child):
                return None
            if len(self._known) > KEPT:
                self._known.clear()
            self._known[key] = verdict
        return self._known[key]

    def cancel(self) -> None:
        """Nobody waits for an answer any more."""
        self._newest.take(None)


def _asked(child: RunningCheck, text: str) -> ProfileCheck:
    try:
        return msgspec.json.decode(child.answer(text.encode()), type=ProfileCheck)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        return ProfileCheck(valid=False, errors=[ProfileProblem(f"could not be checked: {error}")])


def _hash(text: str, path: Path) -> str:
    return hashlib.sha256(f"{path}\0{text}".encode()).hexdigest()


class ProfileChild:
    """The real one."""

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)

    def answer(self, text: bytes) -> bytes:
        """See Child."""
        with self._process as process:
            try:
                out, err = process.communicate(text, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return answer_of(out, err, "the child was ended")

    def end(self) -> None:
        """See Child."""
        self._process.kill()
