"""The terminal lent to another program for a while: the interface steps back, and draws again when that has ended."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from textual.app import App


def lend(app: App[str], command: Sequence[str], asked_to_end: Callable[[], bool]) -> None:
    """Until the command ends, which it does where we are asked to end. What goes wrong is a notice."""
    from rltui.supervise.terminal import run_in_foreground

    try:
        with app.suspend():
            code = run_in_foreground(command, asked_to_end)
    except (OSError, SuspendNotSupported) as error:
        app.notify(str(error), title="The terminal cannot be lent here", severity="error")
        return
    if code:
        typed = shlex.join(command[command.index("rltui") :] if "rltui" in command else command)
        words = f"{typed}: exit code {code}; typed in a shell it says why"
        app.notify(words, title="It ended early", severity="warning")
