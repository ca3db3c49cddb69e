"""One line to change a running training by: `lr 1e-4`. It says what it understands while you type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Input

from rltui.events.commands import Command, name_of
from rltui.tui.change_words import EXAMPLES, ChangeError, parse
from rltui.tui.paint import Line, pad, wrap
from rltui.tui.widgets.painted import Painted

COLUMN = 26  # of the examples


class ChangeHelp(Painted):
    """What is understood so far or why it is not, then what may be typed."""

    def __init__(self, rewards: Sequence[str]) -> None:
        super().__init__(name="change-help")
        self._rewards = rewards
        self._verdict: tuple[str, str] = ("", "")

    def judge(self, text: str, role: str) -> None:
        """Show this under the line."""
        self._verdict = text, role
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        text, role = self._verdict
        lines: list[Line] = [*(wrap(text, width, role) or [()]), ()]
        for example, meaning in EXAMPLES:
            rows = wrap(meaning, max(width - COLUMN, 10), "muted")
            lines += [((pad(example if not index else "", COLUMN), "key"), *row) for index, row in enumerate(rows)]
        if self._rewards:
            lines += [(), *wrap(f"Rewards: {', '.join(self._rewards)}", width, "muted")]
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100)) + 1  # a reason may take two lines


class ChangePrompt(ModalScreen[Command | None]):
    """Dismissed with the command, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, rewards: Sequence[str]) -> None:
        super().__init__()
        self._rewards = rewards

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = "Change the training"
            box.border_subtitle = "enter sends · esc cancels"
            yield Input(id="change", compact=True, placeholder="lr 1e-4")
            yield ChangeHelp(self._rewards)

    @on(Input.Changed)
    def judge(self, event: Input.Changed) -> None:
        """What it would do, as far as it is complete."""
        verdict = ("", "")
        if event.value.strip():
            try:
                verdict = f"✓ {name_of(parse(event.value, self._rewards))}", "good"
            except ChangeError as error:
                verdict = str(error), "muted"
        self.query_one(ChangeHelp).judge(*verdict)

    @on(Input.Submitted)
    def send(self, event: Input.Submitted) -> None:
        """The command, or why there is none."""
        try:
            command = parse(event.value, self._rewards)
        except ChangeError as error:
            self.query_one(ChangeHelp).judge(f"✗ {error}", "bad")
        else:
            self.dismiss(command)
