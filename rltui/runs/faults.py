"""Faults on purpose, for tests: `RLTUI_FAULT=point:action:nth[:marker]`, several separated by commas.

point: a name passed to `fault`, or a pattern such as `save.*`.
action: kill, stop, abort, segv, raise, enospc; any other word (nan, hang …) is returned for the caller to act on.
nth: which pass of the matching points in this process, from 1; `*` is every pass.
marker: a file; the fault fires only if it can create it, so once over all processes.

Unset, a call costs one look into the environment.
"""

from __future__ import annotations

import errno
import functools
import itertools
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

VARIABLE = "RLTUI_FAULT"


def fault(point: str) -> str | None:
    """Fail here if told to. Returns the action's word if it is one that the caller must act on, else None."""
    text = os.environ.get(VARIABLE)
    if not text:
        return None
    for planned in _planned(text):
        if planned.meets(point):
            return planned.fire(point)
    return None


@dataclass(frozen=True)
class _Planned:
    pattern: str
    action: str
    nth: int | None  # None: every pass
    marker: str
    passes: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def meets(self, point: str) -> bool:
        if not fnmatchcase(point, self.pattern):
            return False
        this = next(self.passes)
        return (self.nth is None or this == self.nth) and self._first_of_all()

    def fire(self, point: str) -> str | None:
        act = _ACTIONS.get(self.action)
        if act is None:
            return self.action
        act(point)
        return None

    def _first_of_all(self) -> bool:
        if not self.marker:
            return True
        try:
            Path(self.marker).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


# Cached, since the passes of a process must be counted over calls.
@functools.cache
def _planned(text: str) -> tuple[_Planned, ...]:
    return tuple(_parse(part) for part in text.split(",") if part)


def _parse(part: str) -> _Planned:
    point, action, *rest = part.split(":", 3)
    nth = rest[0] if rest else "1"
    return _Planned(point, action, None if nth == "*" else int(nth), marker=rest[1] if len(rest) > 1 else "")


def _signal(name: str) -> Callable[[str], None]:
    return lambda point: os.kill(os.getpid(), getattr(signal, name))


def _raise(point: str) -> None:
    raise RuntimeError(f"fault injected at {point}")


def _no_space(point: str) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), point)


_ACTIONS: Mapping[str, Callable[[str], None]] = {
    "kill": _signal("SIGKILL"),
    "stop": _signal("SIGSTOP"),
    "segv": _signal("SIGSEGV"),
    "abort": lambda point: os.abort(),
    "raise": _raise,
    "enospc": _no_space,
}
