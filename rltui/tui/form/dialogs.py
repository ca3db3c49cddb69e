"""The form's questions: the name of a copy, what will be written, whether changes may be lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.tui.paint import Line, clean, crop_text, text_line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.screens.quit_dialog import Choices
from rltui.tui.widgets.painted import Painted
from rltui.tui.widgets.scrolled import Scrolled

ROLES = {"+": "good", "-": "bad", "@": "muted"}


class Words(Painted):
    """Some lines of text."""

    def __init__(self, name: str, lines: Callable[[int], list[Line]]) -> None:
        super().__init__(name=name)
        self.words = lines

    def paint(self, width: int, height: int) -> list[Line]:
        return self.words(width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self.words(width)), 1)


class NameDialog(Dialog["str | None"]):
    """Dismissed with a name that `judge` has nothing against."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, text: str, suggested: str, judge: Callable[[str], str]) -> None:
        """judge: a name → what it becomes, in words; RltuiError for one that cannot be."""
        super().__init__()
        self._title, self._explained, self._suggested, self._judge = title, text, suggested, judge

    def compose(self) -> ComposeResult:
        with Vertical(id="save-box") as box:
            box.border_title, box.border_subtitle = self._title, "enter goes on · esc cancels"
            yield Words("new-name-about", lambda width: [*wrap(self._explained, width, "muted"), ()])
            yield Input(self._suggested, id="new-name", compact=True, select_on_focus=True)
            yield Words("new-name-words", self._verdict)

    def _verdict(self, width: int) -> list[Line]:
        name = self.query_one(Input).value.strip()
        try:
            return wrap(f"✓ {self._judge(name)}", width, "good")
        except RltuiError as error:
            return (
                wrap(f"✗ {error.message}; {error.hint}", width, "bad") if name else [text_line("a name, as in my-bot")]
            )

    @on(Input.Changed)
    def judge(self, event: Input.Changed) -> None:
        """What the name becomes."""
        words = self.query_one("#new-name-words", Words)
        words.refresh(layout=True)
        words.repaint()

    @on(Input.Submitted)
    def accept(self, event: Input.Submitted) -> None:
        """Only a name that can be."""
        name = event.value.strip()
        try:
            self._judge(name)
        except RltuiError:
            return
        self.dismiss(name)


class DiffText(Scrolled):
    """Lines of a diff, coloured, and what to know before they are written."""

    def __init__(self, head: Sequence[tuple[str, str]], diff: Sequence[str]) -> None:
        super().__init__(name="save-diff")
        self._head, self._diff = head, diff

    def _lines(self, width: int) -> list[Line]:
        lines = [line for text, role in self._head for line in wrap(text, width, role)]
        lines += [()] if lines else []
        for line in self._diff:
            shown = "…" if line.startswith("@@") else line
            lines.append(((crop_text(clean(shown), width), ROLES.get(line[:1], "")),))
        return lines

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._lines(width), height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._lines(width)), 1)


class DiffDialog(Dialog[bool]):
    """What will be written. Dismissed with whether to write it."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(False)", "Cancel"),
        ("q", "dismiss(False)", "Cancel"),
        ("enter", "dismiss(True)", "Write"),
    ]

    def __init__(self, title: str, head: Sequence[tuple[str, str]], diff: Sequence[str], *, asks: bool = True) -> None:
        """head: (text, role) above the diff. asks: whether anything follows from enter."""
        super().__init__()
        self._title, self._head, self._diff, self._asks = title, head, diff, asks

    def compose(self) -> ComposeResult:
        with Vertical(id="save-box") as box:
            box.border_title = self._title
            box.border_subtitle = (
                "enter writes it · ↑ ↓ scroll · esc cancels" if self._asks else "esc closes · ↑ ↓ scroll"
            )
            yield DiffText(self._head, self._diff)

    def on_mount(self) -> None:
        self.query_one(DiffText).focus()


class AskDialog(Dialog["str | None"]):
    """A question with choices; the safe one first."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, choices: Sequence[tuple[str, str | None, str, str]]) -> None:
        """choices: (key, value, title, explanation), as widgets of the quit dialog have them."""
        super().__init__()
        self._title, self._choices = title, choices

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = self._title
            yield Choices(self._choices)
