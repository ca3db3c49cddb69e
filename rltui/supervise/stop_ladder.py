"""The stop ladder: ask → wait → SIGTERM the tree → wait → SIGKILL, with one deadline for all of it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rltui.errors import RltuiError
from rltui.supervise.process_tree import ProcessTree

# Parts of the deadline at which each rung ends: most of it is for an end in good order, a kill needs little.
ASKED_UNTIL, TERMINATED_UNTIL = 0.6, 0.9


@dataclass(frozen=True)
class Ending:
    """How a stop went."""

    how: Literal["had ended", "when asked", "terminated", "killed", "would not die"]
    seconds: float


def stop_tree(tree: ProcessTree, seconds: float = 10.0, ask: Callable[[], None] | None = None) -> Ending:
    """End a process and all that it started. Children that outlive it are climbed after just so.

    ask: how it is asked to end by itself, say a Stop on its control socket; RltuiError and OSError from it count as a
    refusal. Without it the ladder begins at SIGTERM.
    """
    begun = time.monotonic()

    def ended_by(share: float) -> bool:
        return tree.wait(max(begun + seconds * share - time.monotonic(), 0.0))

    def ending(how: Literal["had ended", "when asked", "terminated", "killed", "would not die"]) -> Ending:
        return Ending(how, time.monotonic() - begun)

    tree.look()
    if not tree.alive():
        return ending("had ended")
    if ask is not None and _asked(ask) and ended_by(ASKED_UNTIL):
        return ending("when asked")
    tree.terminate()
    if ended_by(TERMINATED_UNTIL):
        return ending("terminated")
    tree.kill()
    return ending("killed" if ended_by(1.0) else "would not die")


def _asked(ask: Callable[[], None]) -> bool:
    with contextlib.suppress(RltuiError, OSError):
        ask()
        return True
    return False
