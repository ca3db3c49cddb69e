"""Dialogs of the cockpit: quit, debug flags, next phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size

from rltui.events.commands import FLAGS, OF_TRAINER, Command, SetFlag
from rltui.run_state.condition import state_of
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.cockpit.messages import command_status
from rltui.tui.text import Line, crop, pad, text_line, wrap
from rltui.tui.widgets.dialogs import Choice, ChoiceDialog, Dialog
from rltui.tui.widgets.line_widget import LineWidget

QuitChoice = Literal["keep", "stop"]
NAME, CELL = 22, 7  # columns
POLL = 0.2  # seconds between two looks at what the trainer says
MEANING: Mapping[str, str] = {
    "global_debug_mode": "How episodes begin: each reset analysed, impossible ones named; the turtle probe.",
    "debug_actions": "What is chosen, before and after the pipeline, in control names.",
    "debug_learning": "Every figure of each update: norms, ratios, advantages, KL per batch. The trainer's own.",
    "debug_checkpoints": "What is to be saved, pruned and resumed, and why. The trainer's own.",
    "debug_turtled_start": "New episodes begin on the roof.",
}
CELL_STEPS = {"up": (-1, 0), "k": (-1, 0), "down": (1, 0), "j": (1, 0), "left": (0, -1), "h": (0, -1), "right": (0, 1), "l": (0, 1)}  # fmt: skip
_FLAG_ROLES = {"on": "good", "off": "muted", "part": "warn", "": "faint"}


def quit_dialog(run: str, *, can_stop: bool) -> ChoiceDialog[QuitChoice]:
    """What is to become of the training."""
    stop: list[Choice[QuitChoice]] = [("s", "stop", "Checkpoint and stop")] if can_stop else []
    choices: list[Choice[QuitChoice]] = [("k", "keep", "Keep training"), *stop, ("c", None, "Cancel")]
    return ChoiceDialog(f"Leave {run}?", choices, f"rltui attach {run} comes back to it.")


def phase_dialog(missing: Sequence[str]) -> ChoiceDialog[str]:
    """missing: each criterion of the present phase in words; empty where there is none."""
    text = f"Not met yet: {', '.join(missing)}." if missing else ""
    return ChoiceDialog("Go on to the next phase?", [("c", None, "Stay"), ("n", "go", "Next phase")], text)


class FlagsTable(LineWidget, can_focus=True):
    """A row for each flag, a column for all workers and one for each; space or enter toggles what the cursor is on."""

    def __init__(
        self, snapshot: Callable[[], RunSnapshot], send: Callable[[Command], None], clock: Callable[[], float]
    ) -> None:
        """clock: Unix seconds."""
        super().__init__(name="flags")
        self._snapshot, self._send, self._clock = snapshot, send, clock
        self.row = self.column = 0  # column 0: all workers; n: worker n - 1
        self._first = 1  # the first worker's column in view

    def on_mount(self) -> None:
        self.set_interval(POLL, self.repaint)

    @property
    def _workers(self) -> int:
        return len(self._snapshot().workers)

    def paint(self, width: int, height: int) -> list[Line]:
        columns = self._columns(width)
        titles = "".join(pad("all" if not column else f"#{column - 1}", CELL, ">") for column in columns)
        lines: list[Line] = [((pad("flag", NAME), "muted"), (titles, "muted"))]
        lines += [self._flag(index, columns) for index in range(len(FLAGS))]
        lines += [(), *wrap(MEANING[FLAGS[self.row]], width), ()]
        lines += [crop(command_status(self._snapshot(), self._clock()), width) or text_line(" ")]
        return lines

    def _columns(self, width: int) -> list[int]:
        """All workers, and as many single ones as fit, the cursor's among them."""
        room = max((width - NAME) // CELL - 1, 1)
        if self.column:
            self._first = min(max(self._first, self.column - room + 1), self.column)
        return [0, *range(self._first, min(self._first + room, self._workers + 1))]

    def _flag(self, index: int, columns: list[int]) -> Line:
        flag = FLAGS[index]
        spans: list[tuple[str, str]] = [(pad(("▸ " if index == self.row else "  ") + flag, NAME), "strong" if index == self.row else "")]  # fmt: skip
        for column in columns:
            word = "" if column and flag in OF_TRAINER else state_of(self._snapshot(), flag, column - 1 if column else None)  # fmt: skip
            here = index == self.row and column == self.column
            cell = f"[{word}]" if here else f"{word} "
            spans.append((pad(cell, CELL, ">"), f"{_FLAG_ROLES[word]} cursor".strip() if here else _FLAG_ROLES[word]))
        return tuple(spans)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(FLAGS) + 6

    def on_key(self, event: events.Key) -> None:
        if event.key in CELL_STEPS:
            down, right = CELL_STEPS[event.key]
            self._go(self.row + down, self.column + right)
        elif event.key in ("space", "enter"):
            self.toggle()
        else:
            return
        event.stop()

    def on_click(self, event: events.Click) -> None:
        row, place = event.y - 1, (event.x - NAME) // CELL
        columns = self._columns(self.size.width)
        if 0 <= row < len(FLAGS):
            self._go(row, columns[place] if 0 <= place < len(columns) else self.column)
            self.toggle()

    def toggle(self) -> None:
        """Ask for the opposite of what the trainer says; where it is on for some, off for all."""
        flag, worker = FLAGS[self.row], self.column - 1 if self.column else None
        if worker is not None and flag in OF_TRAINER:
            self.app.notify(f"{flag} is the trainer's, not one worker's: set it for all.", severity="warning")
            return
        self._send(SetFlag(flag, state_of(self._snapshot(), flag, worker) == "off", worker))

    def _go(self, row: int, column: int) -> None:
        self.row = row % len(FLAGS)
        self.column = min(max(column, 0), self._workers)
        self.repaint()


class FlagsDialog(Dialog[None]):
    """Stays open while flags are switched."""

    BINDINGS: ClassVar[list[BindingType]] = [("D", "dismiss(None)", "Close")]

    def __init__(
        self, snapshot: Callable[[], RunSnapshot], send: Callable[[Command], None], clock: Callable[[], float]
    ) -> None:
        super().__init__("Debug flags", "space on or off · esc closes")
        self._table = FlagsTable(snapshot, send, clock)

    def body(self) -> ComposeResult:
        yield self._table
