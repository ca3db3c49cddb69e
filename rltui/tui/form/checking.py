"""Checking: what has been typed is judged by the child once nothing more comes for a moment. Nothing here waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from textual.message import Message
from textual.message_pump import MessagePump

from rltui.tui.checks.profile_check import ProfileCheck
from rltui.tui.form.session import EditSession
from rltui.tui.form.text_check import TextChecker

DEBOUNCE = 0.25  # seconds after the last key before the child is asked


class Checked(Message):
    """The child has judged this text."""

    def __init__(self, text: str, check: ProfileCheck) -> None:
        super().__init__()
        self.text, self.check = text, check


class Checking:
    """Keeps the session's verdict true to its text. changed: called whenever either has changed."""

    def __init__(
        self, screen: MessagePump, session: EditSession, checker: TextChecker, changed: Callable[[], None]
    ) -> None:
        self._screen, self._session, self._checker, self._changed = screen, session, checker, changed

    def ask(self) -> None:
        """The text has changed; an answer that is known is taken at once."""
        text = self._session.shown.text
        self._session.check = self._checker.known(text, self._session.path)
        if self._session.check is None:
            self._screen.set_timer(DEBOUNCE, lambda: self._ask_if_newest(text))
        self._changed()

    def take(self, answer: Checked) -> None:
        """The child's answer, unless the text has changed since."""
        if answer.text == self._session.shown.text:
            self._session.check = answer.check
            self._changed()

    def end(self) -> None:
        """No answer is wanted any more."""
        self._checker.cancel()

    def _ask_if_newest(self, text: str) -> None:
        if text == self._session.shown.text and self._session.check is None:
            threading.Thread(target=self._check, args=(text,), daemon=True).start()

    def _check(self, text: str) -> None:
        check = self._checker.check(text, self._session.path)
        if check is not None and self._screen.is_running:
            self._screen.post_message(Checked(text, check))
