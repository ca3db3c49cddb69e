"""Queue of keys: the next goes to where the one before has put the focus, however fast they come.

Textual gives every key of a burst to the widget that has the focus when they arrive. A key that opens a line to type in, and
the text typed or pasted behind it, would then act as so many keys of their own.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump

ROUNDS = 2  # what a widget says because of a key comes behind the first
LONGEST_PASTE = 20_000  # characters; a line or text of a million takes seconds for each key that follows
PATIENCE = 1.0  # seconds after which a key without an answer holds the next no longer


class KeyDone(Message):
    """Goes the way that the key went, behind it."""

    def __init__(self, number: int, rounds: int) -> None:
        super().__init__()
        self.number, self.rounds = number, rounds


class KeyQueue:
    """`arrived` takes what was typed, and says whether to pass it on now; else `KeyQueue` posts it again in its turn."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[events.Event] = deque()
        self._turn: events.Event | None = None  # posted again: it passes
        self._number = 0  # of the key under way
        self._busy = False
        self._target: MessagePump = app
        self._active: MessagePump = app

    def arrived(self, event: events.Event) -> bool:
        """False: it waits, or comes too late: the program is ending and has no screen any more."""
        if not self._app.screen_stack:
            return False
        if isinstance(event, events.Paste):
            self._tame(event)
        if event is self._turn or not (self._busy or self._waiting or self._turn):
            self._turn = None
            self._begin()
            return True
        self._waiting.append(event)
        return False

    def passed_on(self) -> None:
        """The one that was let through is in its widget's queue."""
        self._ask(self._target, ROUNDS)

    def answered(self, message: KeyDone) -> None:
        """Come back from the widget, or from the screen that the key has opened."""
        if message.number != self._number or not self._busy:
            return
        if message.rounds > 1:
            self._ask(self._target, message.rounds - 1)
        else:
            self._app.call_later(self._settled, self._number)  # behind what else was put off

    def _tame(self, event: events.Paste) -> None:
        """No half of a surrogate pair (Windows has them), which nobody can write, and no more than can be shown at once."""
        text = event.text.encode("utf-8", "ignore").decode()
        if len(text) > LONGEST_PASTE:
            title = f"Only the first {LONGEST_PASTE:,} of {len(text):,} characters were pasted"
            self._app.notify("Longer texts belong in a file.", title=title, severity="warning")
        event.text = text[:LONGEST_PASTE]

    def _begin(self) -> None:
        self._busy, self._number = True, self._number + 1
        self._active = self._app.screen
        self._target = self._app.focused or self._app.screen
        self._app.set_timer(PATIENCE, lambda number=self._number: self._done(number))

    def _ask(self, target: MessagePump, rounds: int) -> None:
        if not target.post_message(KeyDone(self._number, rounds)):  # it has gone meanwhile
            self._app.call_later(self._settled, self._number)

    def _settled(self, number: int) -> None:
        if number != self._number or not self._busy:
            return
        if self._app.screen is self._active:
            self._done(number)
        else:  # a screen that has just been opened gives the focus when it is there
            self._active = self._target = self._app.screen
            self._ask(self._target, ROUNDS)

    def _done(self, number: int) -> None:
        if number == self._number and self._busy:
            self._busy = False
            if self._waiting:
                self._turn = self._waiting.popleft()
                self._app.post_message(self._turn)
