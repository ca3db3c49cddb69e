"""File, drafts, undo; debounced check."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from textual.message import Message
from textual.message_pump import MessagePump

from rltui.profile.edit import Draft, Written, written
from rltui.profile.save import read_text
from rltui.tui.checks.results import ProfileCheck
from rltui.tui.checks.text_check import TextChecker
from rltui.tui.form.render import Judged


@dataclass
class EditSession:
    """path: the file. shipped: it came with the program and stays as it is. candidate: while a line is being typed."""

    path: Path
    shipped: bool
    opened: str  # its text when it was opened, or last written
    drafts: list[Draft] = field(default_factory=list)
    undone: list[Draft] = field(default_factory=list)
    candidate: Draft | None = None
    check: ProfileCheck | None = None
    saved: Written = field(default_factory=lambda: written(""))

    @classmethod
    def open(cls, path: Path, shipped: bool) -> EditSession:
        """RltuiError for a file that cannot be read."""
        text = read_text(path)
        return cls(path, shipped, text, [Draft(text)], saved=written(text))

    @property
    def draft(self) -> Draft:
        return self.drafts[-1]

    @property
    def shown(self) -> Draft:
        """What is looked at: with what is being typed."""
        return self.candidate or self.draft

    @property
    def dirty(self) -> bool:
        return self.draft.text != self.opened

    @property
    def changes(self) -> int:
        """Lines that differ from the file."""
        from difflib import SequenceMatcher

        if not self.dirty:
            return 0
        before, after = self.opened.splitlines(), self.draft.text.splitlines()
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return sum(max(b - a, d - c) for tag, a, b, c, d in blocks if tag != "equal") or 1

    def do(self, draft: Draft) -> None:
        """Go on with this draft; the one before can be had back."""
        if draft.text != self.draft.text:
            self.drafts.append(draft)
            self.undone.clear()
        self.candidate = None

    def undo(self) -> bool:
        if len(self.drafts) < 2:
            return False
        self.undone.append(self.drafts.pop())
        return True

    def redo(self) -> bool:
        if not self.undone:
            return False
        self.drafts.append(self.undone.pop())
        return True

    def judged(self, is_open: frozenset[tuple[str | int, ...]]) -> Judged:
        """For the words."""
        return Judged(self.saved, self.shown.written, self.check, is_open)


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
