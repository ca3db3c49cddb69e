"""Prompt in which a change of the training is typed: completion, history, what it would do."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.suggester import Suggester
from textual.widgets.input import Selection

from rltui.errors import RltuiError
from rltui.events.commands import Command, SetLearningRate, command_name
from rltui.events.metric_health import RATES
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING
from rltui.run_state.change_command import (
    EXAMPLES,
    ChangeError,
    completed,
    completions,
    parse,
    setting_of,
    value_now,
    value_warning,
    values_words,
)
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.text import Line, named_lines
from rltui.tui.widgets.dialogs import ChoiceDialog, PromptDialog

MOST_TYPED = 50  # changes that are remembered


class ChangeSuggester(Suggester):
    """Suggester of the first word that fits."""

    def __init__(self, snapshot: RunSnapshot) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.rewards = tuple(snapshot.header.reward_names) if snapshot.header is not None else ()
        self._workers = len(snapshot.workers)

    def words(self, text: str) -> list[str]:
        """What the last word may become, or the next."""
        return completions(text, self.rewards, self._workers)

    async def get_suggestion(self, value: str) -> str | None:
        return completed(value, self.words(value)[:1])


class ChangePrompt(PromptDialog):
    """Dismissed with a text that can be parsed, or None. tab completes, up and down go through what was typed before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("tab", "complete", "Complete"),
        ("up", "typed(-1)", "Before"),
        ("down", "typed(1)", "After"),
    ]

    def __init__(self, snapshot: RunSnapshot, typed: list[str], begun: str = "") -> None:
        """typed: changes sent before, oldest first; what is sent now is added. begun: what stands there, its last word to be
        typed over.
        """
        self._snapshot, self._typed = snapshot, typed
        self._place = len(typed)  # in `typed`; its end: the line of now
        self._suggester = ChangeSuggester(snapshot)
        super().__init__("Change what?", self._judge, self._examples, begun, suggester=self._suggester)
        self.line.select_on_focus = False
        self.line.selection = Selection(begun.rfind(" ") + 1, len(begun))
        self.show_keys("tab completes · ↑ earlier · esc cancels")

    def _examples(self, width: int) -> list[Line]:
        """Each with the value of now, or what else it takes."""
        now = {
            "lr": values_words(self._snapshot, RATE_SETTING),
            "entropy": values_words(self._snapshot, ENTROPY_SETTING),
            "reward": ", ".join(self._suggester.rewards),
        }
        rows = [(example, words or now.get(example.split()[0], ""), "muted") for example, words in EXAMPLES]
        return named_lines(rows, width)

    def parse(self, text: str) -> Command:
        """By what was in force when it was opened, as it is shown."""
        return parse(text, self._suggester.rewards, partial(value_now, self._snapshot))

    def _judge(self, text: str) -> str:
        try:
            command = self.parse(text)
        except ChangeError as error:
            words = self._suggester.words(text)
            raise RltuiError(f"… {', '.join(words)}" if words else str(error)) from None
        doubt = value_warning(command, self._snapshot)
        if doubt:
            return f"! {command_name(command)}: {doubt}"
        values = values_words(self._snapshot, setting_of(command)) if setting_of(command) else ""
        words = [command_name(command), values, RATES if isinstance(command, SetLearningRate) else ""]
        return "; ".join(filter(None, words))

    def action_complete(self) -> None:
        """By the first word that fits."""
        self._put(completed(self.line.value, self._suggester.words(self.line.value)[:1]))

    def action_typed(self, step: int) -> None:
        """An earlier or later line of those sent before; after the newest an empty one."""
        self._place = min(max(self._place + step, 0), len(self._typed))
        self._put(self._typed[self._place] if self._place < len(self._typed) else "")

    def _put(self, text: str) -> None:
        self.line.value = text
        self.line.cursor_position = len(text)

    def take(self, text: str) -> None:
        """A doubtful one once it has been asked about."""
        command = self.parse(text)
        doubt = value_warning(command, self._snapshot)
        if not doubt:
            self._send("send")
            return
        choices = [("c", None, "Go on typing"), ("s", "send", "Send it")]
        title = f"{command_name(command)}?"
        self.app.push_screen(ChoiceDialog(title, choices, f"{doubt[:1].upper()}{doubt[1:]}."), self._send)

    def _send(self, answer: str | None) -> None:
        if answer is not None:
            words = " ".join(self.line.value.split())
            self._typed[:] = [*(text for text in self._typed if text != words), words][-MOST_TYPED:]
            self.dismiss(words)
