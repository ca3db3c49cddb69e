"""What the browser does with saved states: mark, keep, export, delete, restore, watch.

Each raises an RltuiError that says why something cannot be done. What returns an Outcome writes: it is called in a thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs import keep, trash
from rltui.runs.checkpoint import POLICY_FILE, DamagedError, read_file
from rltui.runs.inventory import CheckpointInfo, MilestoneMark, change_mark, read_checkpoint_info
from rltui.runs.lock import lock_holder
from rltui.runs.paths import DataDir
from rltui.tui.widgets.dialogs import ChoiceDialog, PromptDialog

LONGEST_NOTE = 200
UNDO_SECONDS = 30.0
Flag = Literal["pinned", "released"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done, in words; empty where the table shows it. undo: takes it back, called in a thread; restored: what is there again."""

    words: str = ""
    undo: Callable[[], Outcome] | None = None
    restored: Path | None = None


def unavailable(entry: CheckpointInfo | None, *, readonly: bool) -> frozenset[str]:
    """Actions that cannot be done with this entry."""
    dimmed = {"resume", "fork", "keep", "marks", "delete", "undo", "evaluate"} if readonly else set()
    usable = entry is not None and entry.usable
    dimmed |= set() if usable else {"fork", "watch", "marks", "export", "evaluate"}
    dimmed |= set() if entry is not None and entry.saved else {"resume"}
    dimmed |= set() if usable and entry is not None and not entry.milestone else {"keep"}
    return frozenset(dimmed)


def marks_dialog(entry: CheckpointInfo) -> ChoiceDialog[str]:
    """Answers with the name of the action that changes the mark."""
    _check_can_mark(entry)
    choices = [
        ("n", "note", "Note"),
        ("p", "pin", "Unpin" if entry.mark.pinned else "Pin (▲): it cannot be deleted"),
        ("r", "promote", "Take the release back" if entry.mark.released else "Release (●): it cannot be deleted"),
    ]
    return ChoiceDialog(entry.title, choices)


def toggle_flag(data: DataDir, entry: CheckpointInfo, flag: Flag) -> Outcome:
    changed = {flag: not getattr(entry.mark, flag)}
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, **changed))


def note_prompt(data: DataDir, entry: CheckpointInfo) -> PromptDialog:
    _check_can_mark(entry)

    def judge(text: str) -> str:
        if len(text) > LONGEST_NOTE:
            raise RltuiError(f"{len(text)} characters, at most {LONGEST_NOTE}")
        return "no note" if entry.mark.note and not text.strip() else ""

    return PromptDialog(f"Note on {entry.title}?", judge, "", entry.mark.note, "first aerial goal")


def set_note(data: DataDir, entry: CheckpointInfo, text: str) -> Outcome:
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, note=text.strip()))


def _change_mark(data: DataDir, entry: CheckpointInfo, change: Callable[[MilestoneMark], MilestoneMark]) -> Outcome:
    _check_can_mark(entry)
    change_mark(data.run(entry.run), entry.milestone, change)
    return Outcome()


def _check_can_mark(entry: CheckpointInfo) -> None:
    if entry.kind != "milestone":
        raise RltuiError("only milestones can be noted, pinned or released", "M keeps a checkpoint as one")


def keep_checkpoint(data: DataDir, entry: CheckpointInfo) -> Outcome:
    """Its copy among the milestones; nothing is asked, for nothing is lost and it can be taken back."""
    if entry.kind != "checkpoint":
        raise RltuiError("only a checkpoint can be kept as a milestone")
    if entry.damage is not None:
        raise RltuiError(f"{entry.title} is not kept: {entry.damage}")
    paths = data.run(entry.run)
    copy = keep.keep_checkpoint(paths, entry)
    if copy.present:
        return Outcome(f"it is kept already, as {formatting.state_name('milestone', copy.path.name)}")

    def undo() -> Outcome:
        trash.delete(paths, read_checkpoint_info(copy.path))
        return Outcome()

    aside = f"; a damaged one of that name is now {copy.set_aside.name}" if copy.set_aside else ""
    return Outcome(f"kept as milestone {formatting.millions(copy.path.name)}{aside}", undo)


def export_prompt(data: DataDir, entry: CheckpointInfo) -> PromptDialog:
    if entry.meta is None or not entry.usable:
        why = entry.damage if entry.deleted is None else "it is in the trash; u puts it back"
        raise RltuiError(f"{entry.title} is not copied: {why or 'there is nothing complete in it'}")

    def judge(text: str) -> str:
        if not text.strip():
            raise RltuiError("no path")
        policy_alone = _names_policy(text)
        target = keep.export_target(data, entry, text, policy=policy_alone)
        if target.exists():
            raise RltuiError(f"{target.name} exists: it is never overwritten")
        return f"{'policy.npz' if policy_alone else formatting.size(entry.bytes)} to {target}"

    text = f"{entry.title}; name.npz: the policy alone"
    return PromptDialog("Export to which folder?", judge, text, placeholder="~/bots/alpha-5M")


def export(data: DataDir, entry: CheckpointInfo, text: str) -> Outcome:
    """Copy it to the path that was typed."""
    policy_alone = _names_policy(text)
    target = keep.export_target(data, entry, text, policy=policy_alone)
    (keep.export_policy if policy_alone else keep.export_folder)(entry, target)
    return Outcome(f"copied to {target}, each byte checked")


def _names_policy(text: str) -> bool:
    return text.strip().endswith(".npz")


def deletion_prompt(data: DataDir, entry: CheckpointInfo) -> PromptDialog:
    if not entry.saved:
        raise RltuiError("rltui deletes milestones and checkpoints only", "remove others by hand")
    paths = data.run(entry.run)
    reason = trash.why_not_deleted(paths, entry, training=lock_holder(paths) is not None)
    if reason is not None:
        raise RltuiError(f"{entry.title} is not deleted: {reason}")
    text = f"{formatting.size(entry.bytes)}; u undoes it for {UNDO_SECONDS:g} s."
    text += "\n! It is the newest state of its run." if trash.is_newest(paths, entry) else ""

    def judge(text: str) -> str:
        if is_named(entry, text):
            return "to the trash"
        raise RltuiError("not its name")

    return PromptDialog(f"Delete {entry.title}?", judge, f"{text}\nType {entry.path.name} or {last_digits(entry)}.")


def delete(data: DataDir, entry: CheckpointInfo, _: str) -> Outcome:
    trashed = trash.delete(data.run(entry.run), entry)
    return Outcome(f"{entry.title} is in the trash", lambda: restore(data, trashed.info))


def restore(data: DataDir, entry: CheckpointInfo) -> Outcome:
    """Out of the trash."""
    folder = trash.restore(data, trash.trashed_at(entry.path))
    return Outcome(f"{entry.title} is back", restored=folder)


def empty_trash_prompt(entries: Sequence[CheckpointInfo]) -> PromptDialog:
    if not entries:
        raise RltuiError("the trash is empty")

    def judge(text: str) -> str:
        if text.strip() == "empty":
            return "removes them for good"
        raise RltuiError("type: empty")

    title = f"Remove {formatting.plural(len(entries), 'saved state')} for good?"
    return PromptDialog(title, judge, "Type: empty")


def empty_trash(data: DataDir, entries: Sequence[CheckpointInfo]) -> Outcome:
    """What is deleted meanwhile stays."""
    folders = {entry.path for entry in entries}
    doomed = [trashed for trashed in trash.list_trash(data) if trashed.folder in folders]
    return Outcome(f"removed for good: {len(trash.empty_trash(data, doomed))}")


def is_named(entry: CheckpointInfo, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its timesteps."""
    names = {entry.path.name, entry.milestone, last_digits(entry)} - {""}
    count = formatting.timesteps_of(text)
    as_shown = count is not None and count == formatting.timesteps_of(entry.path.name)
    return as_shown or text.strip().casefold().replace(" ", "") in {name.casefold() for name in names}


def last_digits(entry: CheckpointInfo) -> str:
    """`1360` of 12,431,360 timesteps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def watch_command(entry: CheckpointInfo | None, data: DataDir, *, ascii_only: bool) -> list[str]:
    """`rltui watch`, for supervise.terminal. Reads the bot's file to its last byte first."""
    if entry is None or entry.deleted is not None:
        raise RltuiError("only a saved state can be watched")
    try:
        if entry.damage is not None:
            raise DamagedError(entry.damage)
        read_file(entry.path, POLICY_FILE)
    except DamagedError as error:
        raise RltuiError(f"{entry.title} cannot be watched: {error}") from None
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]
