"""Saving an edited profile: copy, diff, changed on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.errors import RltuiError
from rltui.profile.edit import Draft, written
from rltui.profile.save import ChangedOnDisk, new_path, read_text, save_new, save_text, text_diff
from rltui.profile.toml_text import toml_string
from rltui.tui.widgets.dialogs import AskDialog, DiffDialog, NameDialog

if TYPE_CHECKING:
    from textual.screen import Screen

    from rltui.tui.form.session import EditSession


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
