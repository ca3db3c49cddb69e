"""Dialogs of the cockpit: quit, debug flags, next phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from rltui.errors import RltuiError
from rltui.events.commands import FLAGS, OF_TRAINER, Command, SetFlag
from rltui.run_state.condition import state_of
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.actions import key_name
from rltui.tui.cockpit.messages import command_status
from rltui.tui.text import Line, crop, pad, text_line
from rltui.tui.widgets.dialogs import Choice, ChoiceDialog, Dialog, DialogText
from rltui.tui.widgets.list_view import ListView, Row

QuitChoice = Literal["keep", "stop"]
KEY, NAME, STATE = 3, 21, 6  # columns
FLAGS_KEY = "flags"  # name of the action that opens the flags
POLL = 0.2  # seconds between two looks at what the trainer says
MEANING: Mapping[str, str] = {
    "global_debug_mode": "how episodes begin; the turtle probe",
    "debug_actions": "choices, before and after the pipeline",
    "debug_learning": "every figure of each update",
    "debug_checkpoints": "what is saved and pruned, and why",
    "debug_turtled_start": "new episodes begin on the roof",
}
_FLAG_ROLES = {"on": "good", "off": "muted", "part": "warn", "": "faint"}


def quit_dialog(run: str, *, can_stop: bool) -> ChoiceDialog[QuitChoice]:
    """What is to become of the training."""
    stop: list[Choice[QuitChoice]] = [("s", "stop", "Checkpoint and stop")] if can_stop else []
    choices: list[Choice[QuitChoice]] = [("k", "keep", "Keep training"), *stop, ("c", None, "Cancel")]
    return ChoiceDialog(f"Leave {run}?", choices, f"rltui attach {run} comes back to it.")


def phase_dialog(missing: Sequence[str]) -> ChoiceDialog[str]:
    """missing: each criterion of the present phase in words; empty where there is none."""
    text = ", ".join(missing)
    return ChoiceDialog("Go on to the next phase?", [("c", None, "Stay"), ("n", "go", "Next phase")], text)


class FlagsDialog(Dialog[None]):
    """All flags with what each does and whether it is on, for all workers or one. It stays open while they are switched."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("space,enter", "switch", "On or off"),
        ("left", "worker(-1)", "The worker before, or all"),
        ("right", "worker(1)", "The next worker"),
    ]

    def __init__(
        self,
        snapshot: Callable[[], RunSnapshot],
        send: Callable[[Command], None],
        clock: Callable[[], float],
        keys: Mapping[str, str],
    ) -> None:
        """clock: Unix seconds. keys: those that switch a flag from anywhere, by flag; FLAGS_KEY: that of this dialog."""
        super().__init__("Debug flags", "space on or off · ← → one worker or all · esc closes", "wide")
        self._snapshot, self._send, self._clock, self._keys = snapshot, send, clock, keys
        self._list, self._status = ListView(name="flags"), DialogText("flags-status")
        self.worker: int | None = None  # None: all

    def body(self) -> ComposeResult:
        yield self._list
        yield self._status

    def on_mount(self) -> None:
        self._list.focus()
        self._show()
        self.set_interval(POLL, self._show)

    def _show(self) -> None:
        """As the trainer says now."""
        self._box.border_title = f"Debug flags, {'all workers' if self.worker is None else f'worker {self.worker}'}"
        rows = [Row(flag, self._line(flag)) for flag in FLAGS]
        if rows != self._list.rows:
            self._list.set_rows(rows)
        status = command_status(self._snapshot(), self._clock())
        self._status.show(lambda width: [crop(status, width) or text_line(" ")])

    def _line(self, flag: str) -> Line:
        of_trainer = self.worker is not None and flag in OF_TRAINER
        state = "" if of_trainer else state_of(self._snapshot(), flag, self.worker)
        return (
            (" ", ""), (pad(self._keys.get(flag, ""), KEY), "key"), (pad(flag, NAME), ""),
            (pad(state or "–", STATE), _FLAG_ROLES[state]), (MEANING[flag], "muted"),
        )  # fmt: skip

    def on_key(self, event: events.Key) -> None:
        flag = next((flag for flag, key in self._keys.items() if key == key_name(event.key)), None)
        if flag == FLAGS_KEY:
            self.dismiss()
        elif flag is not None:
            self._list.go_to(flag)
            self.call_next(self.run_action, "switch")
        if flag is not None:
            event.stop()

    def on_list_view_chosen(self) -> None:
        self.call_next(self.run_action, "switch")

    def action_switch(self) -> None:
        """Ask for the opposite of what the trainer says; where it is on for some, off for all."""
        flag = str(self._list.key)
        if self.worker is not None and flag in OF_TRAINER:
            raise RltuiError(f"{flag} is the trainer's, not one worker's", "← goes to all workers")
        self._send(SetFlag(flag, state_of(self._snapshot(), flag, self.worker) == "off", self.worker))

    def action_worker(self, step: int) -> None:
        """All, then each worker."""
        last = len(self._snapshot().workers) - 1
        now = -1 if self.worker is None else self.worker
        there = min(max(now + step, -1), last)
        if there == now:
            raise RltuiError("there is no worker after it" if step > 0 else "these are all workers")
        self.worker = None if there < 0 else there
        self._show()
