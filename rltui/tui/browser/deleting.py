"""Deleting: into the trash once the state's own name has been typed, and out of the trash for good."""

from __future__ import annotations

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs import trash
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.lock import holder
from rltui.runs.paths import DataDir
from rltui.runs.trash import Trashed
from rltui.tui.browser.library import Entry, Library
from rltui.tui.browser.stage import Stage
from rltui.tui.browser.undoing import UNDO_SECONDS, Undoing
from rltui.tui.screens.typed_dialog import Asked, Judgement, TypedDialog


class Deleting:
    """It moves in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: Stage, undoing: Undoing) -> None:
        self._data, self._stage, self._undoing = data, stage, undoing

    def delete(self, entry: Entry) -> None:
        info = entry.info
        if info is None or entry.kind not in ("milestone", "checkpoint"):
            self._stage.complain("rltui deletes milestones and checkpoints only", "remove others by hand")
            return
        paths = self._data.run(entry.run)
        try:
            reason = trash.kept_because(paths, info, training=holder(paths) is not None)
            newest = trash.is_newest(paths, info)
        except RltuiError as error:
            self._stage.complain(error.message, error.hint)
            return
        if reason is not None:
            self._stage.complain(f"{entry.words} is not deleted: {reason}")
            return
        self._stage.ask(TypedDialog(_deletion(entry, newest)), lambda text: self._deleted(entry, text))

    def _deleted(self, entry: Entry, text: str | None) -> None:
        info = entry.info
        if text and info is not None:
            self._stage.work(lambda: self._move(entry, info))

    def _move(self, entry: Entry, info: CheckpointInfo) -> str:
        trashed = trash.delete(self._data.run(entry.run), info)
        self._undoing.offer(f"{entry.words} deleted", lambda: self._undoing.restored(trashed, entry.words))
        return f"{entry.words} is in the trash; u takes it back"

    def empty(self, library: Library) -> None:
        """All that the trash holds now; what is deleted meanwhile stays."""
        entries = [entry.trashed for entry in library.entries if entry.trashed is not None]
        if not entries:
            self._stage.complain("the trash is empty")
            return
        lines = (
            (f"{formatting.plural(len(entries), 'saved state')} will be gone for good.", "bad"),
            ("Type: empty", ""),
        )
        asked = Asked(
            "Empty the trash", lines, lambda text: Judgement("✓ enter removes them", True) if text.strip() == "empty" else Judgement(""),
            subtitle="enter alone deletes nothing · esc cancels", empty="cancel",
        )  # fmt: skip
        self._stage.ask(TypedDialog(asked), lambda text: self._emptied(entries, text))

    def _emptied(self, entries: list[Trashed], text: str | None) -> None:
        if text:
            self._undoing.forget()
            self._stage.work(lambda: f"removed for good: {len(trash.empty(self._data, entries))}")


def is_meant(entry: Entry, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its timesteps."""
    names = {entry.path.name.casefold(), entry.name.casefold().replace(" ", "")} if entry.phase else {entry.path.name}
    if entry.info is not None and entry.info.milestone:
        names.add(entry.info.milestone.casefold())
    return text.strip().casefold().replace(" ", "") in names | {last_digits(entry)}


def last_digits(entry: Entry) -> str:
    """`1360` of 12,431,360 timesteps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def _deletion(entry: Entry, newest: bool) -> Asked:
    lines = [
        (entry.words, "strong"),
        (f"{formatting.count(entry.timesteps)} timesteps, {formatting.size(entry.bytes)}", "muted"),
    ]
    if newest:
        lines.append(
            ("! It is the newest state of its run: training would go on from an older one, or not at all.", "warn")
        )
    lines += [
        (f"It moves to the trash: u takes it back for {UNDO_SECONDS:g} s, the tree's Trash until it is emptied.", ""),
        (f"Type its name, {entry.path.name}, or the last four digits of its timesteps, {last_digits(entry)}.", ""),
    ]

    def judge(text: str) -> Judgement:
        if not text.strip():
            return Judgement("enter alone deletes nothing")
        return (
            Judgement("✓ enter moves it to the trash", True)
            if is_meant(entry, text)
            else Judgement("that is not its name")
        )

    return Asked("Delete", tuple(lines), judge, subtitle="enter alone deletes nothing · esc cancels", empty="cancel")
