"""Prompt in which a change of the training is typed: completion, history, what it would do."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Input

from rltui.events.commands import Command, SetLearningRate, command_name
from rltui.events.metric_health import RATES
from rltui.run_state.change_command import EXAMPLES, ChangeError, completed, completions, parse, value_warning
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.text import Line, pad, wrap
from rltui.tui.widgets.dialogs import AskDialog, Dialog
from rltui.tui.widgets.line_widget import LineWidget

COLUMN = 26  # of the examples
MOST_TYPED = 50  # changes that are remembered


class ChangeHelp(LineWidget):
    """What is understood so far or why it is not, what the next word may be, then examples."""

    def __init__(self, snapshot: RunSnapshot) -> None:
        super().__init__(name="change-help")
        self._snapshot = snapshot
        self._verdict: tuple[str, str] = ("", "")
        self._choices: tuple[str, ...] = ()

    def show(self, text: str, role: str, choices: list[str]) -> None:
        """Show this under the line. choices: what the word at the cursor may become."""
        self._verdict, self._choices = (text, role), tuple(choices)
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        text, role = self._verdict
        lines: list[Line] = [*(wrap(text, width, role) or [()])[:3]]
        next_word = wrap(f"tab: {'  '.join(self._choices)}", width, "key")[:2] if self._choices else [()]
        lines += [*next_word, ()]
        for example, meaning in EXAMPLES:
            rows = wrap(meaning, max(width - COLUMN, 10), "muted")
            lines += [((pad(example if not index else "", COLUMN), "key"), *row) for index, row in enumerate(rows)]
        for words in self._facts():
            lines += [(), *wrap(words, width, "muted")]
        return lines

    def _facts(self) -> list[str]:
        header = self._snapshot.header
        if header is None:
            return []
        now = f"Now: learning rate {header.learning_rate:g}, entropy coefficient {header.ent_coef:g}."
        names = f"Rewards: {', '.join(header.reward_names)}" if header.reward_names else ""
        return [now, names] if names else [now]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100)) + 2  # a reason may take three lines


class ChangePrompt(Dialog[Command | None]):
    """Dismissed with the command, or None. tab completes, up and down go through what was typed before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Cancel"),
        ("tab", "complete", "Complete"),
        ("up", "typed(-1)", "Before"),
        ("down", "typed(1)", "After"),
    ]

    def __init__(self, snapshot: RunSnapshot, typed: list[str]) -> None:
        """typed: changes sent before, oldest first; what is sent now is added."""
        super().__init__()
        header = snapshot.header
        self._rewards = tuple(header.reward_names) if header is not None else ()
        self._snapshot, self._typed = snapshot, typed
        self._place = len(typed)  # in `typed`; its end: the line of now
        self._cycle: list[str] = []  # lines that further tabs go through

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = "Change the training"
            box.border_subtitle = "enter sends · tab completes · ↑ ↓ history · esc cancels"
            yield Input(id="change", compact=True, placeholder="lr 1e-4")
            yield ChangeHelp(self._snapshot)

    def on_mount(self) -> None:
        self._check("")

    @on(Input.Changed)
    def check(self, event: Input.Changed) -> None:
        """What it would do, as far as it is complete."""
        if event.value not in self._cycle:
            self._cycle = []
        self._check(event.value)

    def _check(self, text: str) -> None:
        choices = completions(text, self._rewards, len(self._snapshot.workers))
        verdict = ("", "")
        if text.strip():
            try:
                verdict = self._understood(parse(text, self._rewards))
            except ChangeError as error:
                verdict = str(error), "muted" if choices else "bad"
        self.query_one(ChangeHelp).show(*verdict, choices)

    def _understood(self, command: Command) -> tuple[str, str]:
        """(words, role); what speaks against it is said while it can still be mended."""
        words = value_warning(command, self._snapshot)
        if words:
            return f"! {command_name(command)}: {words}", "warn"
        usual = f" ({RATES})" if isinstance(command, SetLearningRate) else ""
        return f"✓ {command_name(command)}{usual}", "good"

    def action_complete(self) -> None:
        """As far as all choices agree; pressed again, each of them in turn."""
        line = self.query_one(Input)
        if not self._cycle:
            choices = completions(line.value, self._rewards, len(self._snapshot.workers))
            longer = completed(line.value, choices)
            if longer != line.value or not choices:
                self._put(longer)
                return
            self._cycle = [completed(line.value, [choice]).rstrip() for choice in choices]
            self._put(self._cycle[0])
            return
        here = self._cycle.index(line.value) if line.value in self._cycle else -1
        self._put(self._cycle[(here + 1) % len(self._cycle)])

    def action_typed(self, step: int) -> None:
        """An earlier or later line of those sent before; after the newest an empty one."""
        self._place = min(max(self._place + step, 0), len(self._typed))
        self._put(self._typed[self._place] if self._place < len(self._typed) else "")

    def _put(self, text: str) -> None:
        line = self.query_one(Input)
        line.value = text
        line.cursor_position = len(text)

    @on(Input.Submitted)
    def send(self, event: Input.Submitted) -> None:
        """The command, or why there is none; a doubtful one once it has been asked about."""
        try:
            command = parse(event.value, self._rewards)
        except ChangeError as error:
            self.query_one(ChangeHelp).show(f"✗ {error}", "bad", completions(event.value, self._rewards))
        else:
            words = value_warning(command, self._snapshot)
            if words:
                self._ask(command, words)
            else:
                self._sent(command)

    def _ask(self, command: Command, words: str) -> None:
        choices = [
            ("c", None, "Go on typing", f"{words[0].upper()}{words[1:]}."),
            ("s", "send", "Send it all the same", f"{command_name(command)} holds from the next iteration on."),
        ]

        def decide(choice: str | None) -> None:
            if choice == "send":
                self._sent(command)

        self.app.push_screen(AskDialog(f"{command_name(command)}?", choices), decide)

    def _sent(self, command: Command) -> None:
        words = " ".join(self.query_one(Input).value.split())
        self._typed[:] = [*(text for text in self._typed if text != words), words][-MOST_TYPED:]
        self.dismiss(command)
