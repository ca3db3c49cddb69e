"""Diff, copy, save dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widgets import Input

from rltui import formatting
from rltui.errors import RltuiError
from rltui.profile.edit import Draft, written
from rltui.profile.save import ChangedOnDisk, new_path, read_text, save_new, save_text, text_diff
from rltui.profile.toml_text import toml_string
from rltui.tui.cockpit.dialogs import Choices
from rltui.tui.text import Line, clean, crop_text, text_line, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import Scrolled

if TYPE_CHECKING:
    from textual.screen import Screen

    from rltui.tui.form.session import EditSession


ROLES = {"+": "good", "-": "bad", "@": "muted"}


class DialogText(LineWidget):
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
            yield DialogText("new-name-about", lambda width: [*wrap(self._explained, width, "muted"), ()])
            yield Input(self._suggested, id="new-name", compact=True, select_on_focus=True)
            yield DialogText("new-name-words", self._verdict)

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
        words = self.query_one("#new-name-words", DialogText)
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


COPY = "It comes with rltui and stays as it is: your changes go into a profile of your own."


class Saving:
    """written: hears of the file that was written. reloaded: the session has the file's text again."""

    def __init__(
        self,
        screen: Screen[Path | None],
        session: EditSession,
        written: Callable[[Path], object],
        reloaded: Callable[[], object],
    ) -> None:
        self._screen, self._session, self._heard, self._reloaded = screen, session, written, reloaded

    def save(self) -> None:
        """Ask for a name where a copy is made, else show what will change in the file."""
        session = self._session
        if session.draft.written.problem:
            self._screen.notify(
                session.draft.written.problem, title="It is not TOML: nothing was written", severity="error"
            )
        elif session.shipped:
            self._ask_name(COPY)
        elif not session.dirty:
            self._screen.notify("there is no change to save")
        else:
            self._show_diff(session.path.name, session.draft, None)

    def leave(self, written: Path | None) -> None:
        """Close the form, once it has been asked what is to become of changes. written: the newest file, if any was."""
        if not self._session.dirty:
            self._screen.dismiss(written)
            return
        choices = [
            ("c", None, "Go on editing", "Nothing is lost."),
            ("s", "save", "Save", "Shows what will be written first."),
            ("d", "drop", "Drop the changes", "The file stays as it is."),
        ]

        def decide(choice: str | None) -> None:
            if choice == "drop":
                self._screen.dismiss(written)
            elif choice == "save":
                self.save()

        self._screen.app.push_screen(AskDialog(f"{self._session.path.stem} has changes", choices), decide)

    def _ask_name(self, why: str) -> None:
        suggested = f"my-{self._session.path.stem}"
        self._screen.app.push_screen(NameDialog("Save as", why, suggested, _judged_name), self._named)

    def _named(self, name: str | None) -> None:
        if name is not None:
            self._show_diff(str(new_path(name)), relabelled(self._session.draft, name), name)

    def _show_diff(self, shown: str, draft: Draft, name: str | None) -> None:
        head: list[tuple[str, str]] = []
        check = self._session.check
        if check is not None and not check.valid:
            count = formatting.plural(len(check.errors), "mistake")
            head.append((f"! {count} left: it can be saved so, but not launched", "warn"))
        diff = text_diff(self._session.opened, draft.text) or ["  the same text"]
        dialog = DiffDialog(f"Write {shown}", head, diff)
        self._screen.app.push_screen(dialog, lambda yes: self._write(draft, name) if yes else None)

    def _write(self, draft: Draft, name: str | None) -> None:
        session = self._session
        try:
            if name is None:
                save_text(session.path, draft.text, session.opened)
            else:
                session.path = save_new(name, draft.text)
        except RltuiError as error:
            self._refused(error)
            return
        session.shipped, session.opened, session.saved = False, draft.text, written(draft.text)
        session.do(draft)
        self._screen.notify(f"{session.path} is written")
        self._heard(session.path)

    def _refused(self, error: RltuiError) -> None:
        """Somebody else has changed the file: nothing of theirs is lost, nor of this."""
        if not isinstance(error, ChangedOnDisk):
            self._screen.notify(error.hint or " ", title=error.message, severity="error", timeout=8)
            return
        choices = [
            ("c", None, "Go on editing", "Nothing was written; the file on disk stays as others left it."),
            ("n", "name", "Save under another name", "Both files remain."),
            ("r", "reload", "Take the file as it is now", "Your changes here are dropped; u brings them back."),
        ]
        self._screen.app.push_screen(
            AskDialog(f"{self._session.path.name} was changed on disk", choices), self._resolved
        )

    def _resolved(self, choice: str | None) -> None:
        if choice == "name":
            self._ask_name("The file was changed on disk meanwhile: your version goes into another one.")
        elif choice == "reload":
            session = self._session
            try:
                session.opened = read_text(session.path)
            except RltuiError as error:
                self._screen.notify(error.message, severity="error")
                return
            session.saved = written(session.opened)
            session.do(Draft(session.opened))
            self._reloaded()


def relabelled(draft: Draft, name: str) -> Draft:
    """A copy's milestones go to a folder of its own; a label that was changed by hand stays. As `profile new --from`."""
    if draft.written.raw(("label",)) is None or any(path == ("label",) for path, _ in draft.changes):
        return draft
    return draft.set(("label",), toml_string(label_of(name)))


def label_of(name: str) -> str:
    """`my-bot` → `MyBot`."""
    stem = name.removesuffix(".toml")
    return "".join(part[:1].upper() + part[1:] for part in stem.replace("_", "-").split("-"))[:40]


def _judged_name(name: str) -> str:
    path = new_path(name)
    if path.exists():
        raise RltuiError(f"{path} exists already", "choose another name")
    return f"becomes {path}"
