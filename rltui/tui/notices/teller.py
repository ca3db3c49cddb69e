"""Teller: notices become a toast, a bell, a desktop notification, the user's hook, as ui.toml wants it; and the title."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.notifications import Notification, Notify

from rltui.tui.notices.herald import Notice
from rltui.tui.notices.hook import Hooks
from rltui.tui.run.condition import condition
from rltui.tui.settings.ui_settings import NoticeKind, UiSettings
from rltui.tui.terminal import sequences

if TYPE_CHECKING:
    from textual.app import App

    from rltui.tui.run.model import RunSnapshot

MOST = 2  # toasts of notices on screen
TRAINING = ("collecting", "learning", "saving")  # states, one after the other each few seconds
SHOWN = {"information": 5.0, "warning": 8.0, "error": 10.0}  # seconds that a toast stays


class Teller:
    """write: to the terminal."""

    def __init__(self, app: App[str], settings: UiSettings, write: Callable[[str], None]) -> None:
        self._app, self._settings, self._write = app, settings, write
        self._hooks = Hooks(settings.hook, settings.hook_seconds, self._hook_failed)
        self._title = ""
        self._toasts: dict[NoticeKind, Notification] = {}  # the newest of each kind

    def tell(self, notice: Notice) -> None:
        """In each way that is wanted for its kind."""
        ways = self._settings.notify[notice.kind]
        if "toast" in ways:
            self._toast(notice)
        if "bell" in ways:
            self._app.bell()
        if "osc9" in ways:
            self._write(sequences.notification(f"{notice.title}: {notice.text}", os.environ))
        if "hook" in ways:
            self._hooks.run(notice)

    def _toast(self, notice: Notice) -> None:
        """In the place of the last one of its kind; of all kinds the newest stay."""
        shown = Notification(notice.text, notice.title, notice.severity, SHOWN[notice.severity])
        over = [self._toasts.pop(notice.kind)] if notice.kind in self._toasts else []
        self._toasts[notice.kind] = shown
        over += [self._toasts.pop(kind) for kind in list(self._toasts)[:-MOST]]
        for old in over:  # behind the message that has it shown
            self._app.call_later(self._app._unnotify, old)
        self._app.post_message(Notify(shown))

    def begin(self) -> None:
        """Have the terminal remember the title that it has."""
        if self._settings.title:
            self._write(sequences.PUSH_TITLE)

    def end(self) -> None:
        """And give it back."""
        if self._settings.title:
            self._write(sequences.POP_TITLE)

    def name_run(self, snapshot: RunSnapshot | None, moment: float) -> None:
        """The terminal's title: run and state; the program's name where no run is shown."""
        words = "rltui" if snapshot is None else f"{snapshot.run}: {_state(snapshot, moment)} - rltui"
        if self._settings.title and words != self._title:
            self._title = words
            self._write(sequences.title(words))

    def _hook_failed(self, words: str) -> None:
        """From the hook's thread, or from this one."""
        try:
            self._app.call_later(self._app.notify, words, title="The notification hook failed", severity="warning")  # fmt: skip
        except RuntimeError:  # the program has ended meanwhile
            return


def _state(snapshot: RunSnapshot, moment: float) -> str:
    """`training` for all that it does by itself: the title would change each second."""
    now = condition(snapshot, moment)
    well = now.running and now.role != "bad"
    return "training" if well and snapshot.state in TRAINING else now.word.lower()
