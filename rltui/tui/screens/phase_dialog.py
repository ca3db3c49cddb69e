"""Before a campaign goes on by hand: what the bot cannot do yet, and whether it should go on all the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from rltui.tui.screens.dialog import Dialog
from rltui.tui.screens.quit_dialog import Choices

WHAT = "At the end of this iteration a milestone is kept and the next phase's rewards and settings hold."


class PhaseDialog(Dialog[str | None]):
    """The safe choice comes first. Dismissed with "go", or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, missing: Sequence[str]) -> None:
        """missing: each criterion in words; empty where there is none."""
        super().__init__()
        self._missing = missing

    def compose(self) -> ComposeResult:
        here = f"Now: {', '.join(self._missing)}." if self._missing else "This phase goes on."
        choices = [("c", None, "Stay in this phase", here), ("n", "go", "Go on to the next phase", WHAT)]
        with Vertical(id="dialog") as box:
            box.border_title = "The campaign's next phase"
            yield Choices(choices)
