"""Leaving while a trainer runs: keep training, checkpoint and stop, or cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size

from rltui.tui.paint import Line, fit, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.painted import Painted

QuitChoice = Literal["keep", "stop"]
STEPS = {"up": -1, "shift+tab": -1, "down": 1, "tab": 1}


class Choices(Painted, can_focus=True):
    """Choices with an explanation each; arrows move, enter and the letters choose."""

    def __init__(self, choices: Sequence[tuple[str, str | None, str, str]]) -> None:
        """choices: (key, value, title, explanation)."""
        super().__init__(name="choices")
        self.choices = choices
        self.cursor = 0
        self._owners: list[int] = []  # which choice each painted row belongs to

    def paint(self, width: int, height: int) -> list[Line]:
        lines: list[Line] = []
        self._owners = []
        for index, (key, _, title, text) in enumerate(self.choices):
            rows: list[Line] = [
                ((f" {'▸' if index == self.cursor else ' '} ", "key"), (key, "key"), (f"  {title}", "strong"))
            ]
            rows += [(("      ", ""), *row) for row in wrap(text, width - 7, "muted")]
            if index == self.cursor:
                rows = [tuple((span, f"{role} cursor".strip()) for span, role in fit(row, width)) for row in rows]
            lines += [*rows, ()]
            self._owners += [index] * (len(rows) + 1)
        return lines[:-1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100))

    def on_key(self, event: events.Key) -> None:
        letters = {key: index for index, (key, *_) in enumerate(self.choices)}
        if event.key in letters:
            self._choose(letters[event.key])
        elif event.key in STEPS:
            self._go((self.cursor + STEPS[event.key]) % len(self.choices))
        elif event.key == "enter":
            self._choose(self.cursor)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._owners):
            self._choose(self._owners[event.y])

    def _go(self, cursor: int) -> None:
        self.cursor = cursor
        self.repaint()

    def _choose(self, index: int) -> None:
        self.screen.dismiss(self.choices[index][1])


class QuitDialog(Dialog[QuitChoice | None]):
    """The safe choice comes first."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel"), ("q", "dismiss(None)", "Cancel")]

    def __init__(self, run: str, *, can_stop: bool) -> None:
        super().__init__()
        self._run, self._can_stop = run, can_stop

    def compose(self) -> ComposeResult:
        choices: list[tuple[str, QuitChoice | None, str, str]] = [
            ("k", "keep", "Keep training", f"Only this view closes. Come back with: rltui attach {self._run}"),
        ]
        if self._can_stop:
            text = "Finishes this iteration, saves, ends. Resume it any time, from the launcher or with rltui train."
            choices.append(("s", "stop", "Checkpoint and stop", text))
        choices.append(("c", None, "Cancel", "Stay here."))
        with Vertical(id="dialog") as box:
            box.border_title = f"{self._run} is training"
            yield Choices(choices)
