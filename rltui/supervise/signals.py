"""Signals, process groups and niceness: the one place that knows what each platform has of them."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

BY_SIGNAL = 128  # exit codes from here on: ended by signal N - 128, as in shells
CAN_ASK = sys.platform != "win32"  # whether a signal asks another process to end; on Windows `os.kill` ends it
# Windows' way to keep a console's Ctrl-C and its closing from reaching a process.
_OWN_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)


def signal_name(number: int) -> str:
    """Say "SIGKILL"; "signal 40" where it has no name, as the real-time ones."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_words(code: int | None) -> str:
    """`SIGKILL`, `exit code 1`: how a process of this exit code ended."""
    return signal_name(-code) if code is not None and code < 0 else f"exit code {code or 0}"


def ending_signals() -> tuple[signal.Signals, ...]:
    """Those that ask the viewer to end; training goes on."""
    if sys.platform == "win32":
        return ()
    return signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT


def ignore(*names: str) -> None:
    """Those of the signals that the platform has."""
    for name in names:
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


def become_subordinate(nice: int) -> None:
    """Leave SIGINT and SIGTERM, which reach the whole group or service, to the parent; take `nice` more of niceness."""
    ignore("SIGINT", "SIGTERM")
    if sys.platform != "win32":
        os.nice(nice)


@contextlib.contextmanager
def starting_deaf() -> Iterator[None]:
    """What this thread starts meanwhile hears no Ctrl-C from its first instruction on; here one comes afterwards."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def trace_when_asked(trace: TextIO) -> None:
    """From now on `ask_trace` has this process write where each of its threads is, whatever it is doing."""
    if sys.platform != "win32":
        faulthandler.register(signal.SIGUSR1, trace)


def ask_trace(pid: int) -> None:
    """Of a process that called `trace_when_asked`: another one would end. Nothing on Windows."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGUSR1)


@contextlib.contextmanager
def stopping_by_signal(stop: Callable[..., None]) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed window ask to stop; Ctrl-Z is not heard, for it would leave the screen behind."""
    wanted: dict[str, Any] = dict.fromkeys(("SIGINT", "SIGTERM", "SIGHUP"), stop) | {"SIGTSTP": signal.SIG_IGN}
    before = {
        number: signal.signal(number, handler)
        for name, handler in wanted.items()
        if (number := getattr(signal, name, None)) is not None
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start_session(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """A child in a session of its own, so that no terminal's signals reach it. options: Popen's. Raises OSError."""
    return subprocess.Popen(command, start_new_session=True, creationflags=_OWN_GROUP, **options)


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """A child of `start_session` with all that it has started; nothing where they have ended."""
    if sys.platform == "win32":
        kill_tree(process.pid)
    else:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def kill_tree(pid: int, call: Callable[..., object] = subprocess.run) -> None:
    """Windows' command for a process and its descendants. call: starts a command and waits for it."""
    with contextlib.suppress(OSError):
        call(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, creationflags=_OWN_GROUP, check=False)


def lower_priority(pid: int, nice: int) -> None:
    """Another process's; nothing on Windows, or where it has ended."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, nice)
