"""What a process does first that another one leads: it leaves signals to its leader, and the processor to whom it matters."""

from __future__ import annotations

import os
import signal


def follow(nice: int) -> None:
    """Ignore SIGINT and SIGTERM, which reach the whole group or service; take `nice` more of niceness."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(nice)
