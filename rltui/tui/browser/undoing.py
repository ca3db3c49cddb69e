"""Undoing: the newest deletion or keeping, which `u` takes back for a while; and rows of the trash, which it puts back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rltui.runs import trash
from rltui.runs.paths import DataDir
from rltui.runs.trash import Trashed
from rltui.tui.browser.library import Entry
from rltui.tui.browser.stage import Stage

UNDO_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Undo:
    """until: Unix seconds. back: called in a thread; its words."""

    words: str
    until: float
    back: Callable[[], str]


class Undoing:
    """newest: what `u` alone takes back. clock: Unix seconds."""

    def __init__(self, data: DataDir, stage: Stage, clock: Callable[[], float]) -> None:
        self._data, self._stage, self._clock = data, stage, clock
        self.newest: Undo | None = None

    def offer(self, words: str, back: Callable[[], str]) -> None:
        """From now on, in the place of what could be taken back before."""
        self.newest = Undo(words, self._clock() + UNDO_SECONDS, back)

    def forget(self) -> None:
        """What it would take back is gone for good."""
        self.newest = None

    def undo(self, highlighted: Entry | None) -> None:
        """A row of the trash comes back; else the newest deletion or keeping is taken back, while it may."""
        newest, self.newest = self.newest, None
        if highlighted is not None and (trashed := highlighted.trashed) is not None:
            words = highlighted.words
            self._stage.work(lambda: self.restored(trashed, words))
        elif newest is not None and self._clock() < newest.until:
            self._stage.work(newest.back)
        else:
            self._stage.complain(
                f"nothing was deleted or kept in the last {UNDO_SECONDS:g} s",
                "Older deletions are under Trash: u on a row puts it back",
            )

    def restored(self, trashed: Trashed, words: str) -> str:
        """Out of the trash, in a thread; its words."""
        trash.restore(self._data, trashed)
        return f"{words} is back"
