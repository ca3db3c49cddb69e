"""Saving an edited profile: name of a copy, difference, write, what to do when others changed the file."""

from __future__ import annotations

from functools import partial
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
from rltui.tui.widgets.dialogs import ChoiceDialog, PromptDialog, TextDialog, diff_lines


async def save_profile(app: App[Any], session: EditSession) -> Path | None:
    """The file that was written, after the dialogs that lead there; for a worker. A shipped profile becomes a copy."""
    draft, name = session.draft, None
    if draft.written.problem:
        app.notify(draft.written.problem, title="Not TOML: nothing was written", severity="error")
        return None
    if not session.shipped and not session.dirty:
        app.notify("there is no change to save")
        return None
    asks_name = session.shipped
    while True:
        if asks_name:
            name = await app.push_screen_wait(_name_dialog(session))
            if name is None:
                return None
        found = draft if name is None else relabelled(draft, name)
        if not await app.push_screen_wait(_diff_dialog(session, found, name)):
            return None
        try:
            path = _write(session, found, name)
        except ChangedOnDisk:
            choice = await app.push_screen_wait(_changed_dialog(session))
            if choice == "reload":
                _reload(app, session)
            if choice != "name":
                return None
            asks_name = True
        except RltuiError as error:
            app.notify(error.hint or " ", title=error.message, severity="error", timeout=8)
            return None
        else:
            app.notify(f"{path.name} is written")
            return path


def _name_dialog(session: EditSession) -> PromptDialog:
    title = "Save your own copy as?" if session.shipped else "Save as?"
    return PromptDialog(title, _judged_name, value=f"my-{session.path.stem}", placeholder="my-bot")


def _judged_name(name: str) -> str:
    path = new_path(name)
    if path.exists():
        raise RltuiError(f"{path.name} exists already")
    return path.name


def _diff_dialog(session: EditSession, draft: Draft, name: str | None) -> TextDialog:
    """name: of a new file; None: the session's own."""
    mistakes = len(session.state.errors) if not session.checking else 0
    head = [(f"! {formatting.plural(mistakes, 'mistake')}: it will not launch", "warn")] if mistakes else []
    diff = text_diff(session.opened, draft.text) or ["  the same text"]
    path = session.path.name if name is None else new_path(name)
    return TextDialog(f"Write {path}?", partial(diff_lines, head, diff), "writes")


def _changed_dialog(session: EditSession) -> ChoiceDialog[str]:
    """Somebody else has changed the file: nothing of theirs is lost, nor of this."""
    choices = [("c", None, "Go on editing"), ("n", "name", "Save under another name"), ("r", "reload", "Load the file; u undoes that")]  # fmt: skip
    return ChoiceDialog(f"{session.path.name} was changed on disk", choices)


def _write(session: EditSession, draft: Draft, name: str | None) -> Path:
    """ChangedOnDisk, RltuiError."""
    if name is None:
        save_text(session.path, draft.text, session.opened)
    else:
        session.path = save_new(name, draft.text)
    session.shipped, session.opened, session.saved = False, draft.text, parse_text(draft.text)
    session.do(draft)
    return session.path


def _reload(app: App[Any], session: EditSession) -> None:
    try:
        session.opened = read_text(session.path)
    except RltuiError as error:
        app.notify(error.message, severity="error")
        return
    session.saved = parse_text(session.opened)
    session.do(Draft(session.opened))


def relabelled(draft: Draft, name: str) -> Draft:
    """A copy's milestones go to a folder of its own; a label that was changed by hand stays. As `profile new --from`."""
    if draft.written.raw(("label",)) is None or any(path == ("label",) for path, _ in draft.changes):
        return draft
    return draft.set(("label",), toml_string(label_for(name.removesuffix(SUFFIX))))
