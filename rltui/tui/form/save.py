"""Saving an edited profile: name of a copy, difference, write, what to do when others changed the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App

from rltui import formatting
from rltui.errors import RltuiError
from rltui.profile.edit import Draft, parse_text
from rltui.profile.locate import SUFFIX
from rltui.profile.save import ChangedOnDisk, label_for, new_path, read_text, save_new, save_text, text_diff
from rltui.profile.toml_text import toml_string
from rltui.tui.form.session import EditSession
from rltui.tui.widgets.dialogs import AskDialog, DiffDialog, NameDialog

COPY = "It comes with rltui and stays as it is: your changes go into a profile of your own."
CHANGED = "The file was changed on disk meanwhile: your version goes into another one."


@dataclass(frozen=True)
class ProfileSaver:
    """Dialogs that lead to a written file. done: called with that file, or with None once the session has the file's text
    again.
    """

    app: App[Any]
    session: EditSession
    done: Callable[[Path | None], object]

    def save(self) -> None:
        """Ask for a name where a copy is made, else show what will change in the file."""
        draft = self.session.draft
        if draft.written.problem:
            self.app.notify(draft.written.problem, title="It is not TOML: nothing was written", severity="error")
        elif self.session.shipped:
            self._ask_name(COPY)
        elif not self.session.dirty:
            self.app.notify("there is no change to save")
        else:
            self._show_diff(draft, None)

    def _ask_name(self, why: str) -> None:
        def take(name: str | None) -> None:
            if name is not None:
                self._show_diff(relabelled(self.session.draft, name), name)

        self.app.push_screen(NameDialog("Save as", why, f"my-{self.session.path.stem}", _judged_name), take)

    def _show_diff(self, draft: Draft, name: str | None) -> None:
        """name: of a new file; None: the session's own."""
        head: list[tuple[str, str]] = []
        check = self.session.check
        if check is not None and not check.valid:
            count = formatting.plural(len(check.errors), "mistake")
            head.append((f"! {count} left: it can be saved so, but not launched", "warn"))
        diff = text_diff(self.session.opened, draft.text) or ["  the same text"]
        dialog = DiffDialog(f"Write {self.session.path.name if name is None else new_path(name)}", head, diff)
        self.app.push_screen(dialog, lambda yes: self._write(draft, name) if yes else None)

    def _write(self, draft: Draft, name: str | None) -> None:
        session = self.session
        try:
            if name is None:
                save_text(session.path, draft.text, session.opened)
            else:
                session.path = save_new(name, draft.text)
        except ChangedOnDisk:
            self._ask_about_change()
            return
        except RltuiError as error:
            self.app.notify(error.hint or " ", title=error.message, severity="error", timeout=8)
            return
        session.shipped, session.opened, session.saved = False, draft.text, parse_text(draft.text)
        session.do(draft)
        self.app.notify(f"{session.path} is written")
        self.done(session.path)

    def _ask_about_change(self) -> None:
        """Somebody else has changed the file: nothing of theirs is lost, nor of this."""
        choices = [
            ("c", None, "Go on editing", "Nothing was written; the file on disk stays as others left it."),
            ("n", "name", "Save under another name", "Both files remain."),
            ("r", "reload", "Take the file as it is now", "Your changes here are dropped; u brings them back."),
        ]

        def decide(choice: str | None) -> None:
            if choice == "name":
                self._ask_name(CHANGED)
            elif choice == "reload":
                self._reload()

        self.app.push_screen(AskDialog(f"{self.session.path.name} was changed on disk", choices), decide)

    def _reload(self) -> None:
        session = self.session
        try:
            session.opened = read_text(session.path)
        except RltuiError as error:
            self.app.notify(error.message, severity="error")
            return
        session.saved = parse_text(session.opened)
        session.do(Draft(session.opened))
        self.done(None)


def relabelled(draft: Draft, name: str) -> Draft:
    """A copy's milestones go to a folder of its own; a label that was changed by hand stays. As `profile new --from`."""
    if draft.written.raw(("label",)) is None or any(path == ("label",) for path, _ in draft.changes):
        return draft
    return draft.set(("label",), toml_string(label_for(name.removesuffix(SUFFIX))))


def _judged_name(name: str) -> str:
    path = new_path(name)
    if path.exists():
        raise RltuiError(f"{path} exists already", "choose another name")
    return f"becomes {path}"
