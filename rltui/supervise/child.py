"""Spawned child with a pipe; signals and niceness."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TypeVar

Spec = TypeVar("Spec")


def start_piped(main: Callable[[Spec, Connection], object], spec: Spec, name: str) -> tuple[SpawnProcess, Connection]:
    """A fresh daemon process that runs `main(spec, pipe)`, and this end of the pipe.

    OSError or MemoryError where the system has no room for it: then nothing of it is left.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=main, args=(spec, theirs), name=name, daemon=True)
    try:
        process.start()
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    return process, ours


def follow(nice: int) -> None:
    """Ignore SIGINT and SIGTERM, which reach the whole group or service; take `nice` more of niceness."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(nice)
