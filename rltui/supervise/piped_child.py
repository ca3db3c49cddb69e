"""A process of Python's own kind with a pipe to it."""

from __future__ import annotations

import multiprocessing
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
