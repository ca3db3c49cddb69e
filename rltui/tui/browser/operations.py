"""What the browser does with saved states: mark, keep, export, delete, restore, watch.

`check_…` and `…_prompt` raise an RltuiError that says why something cannot be done; what writes is called in a thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs import keep, trash
from rltui.runs.checkpoint import POLICY_FILE, DamagedError, read_file
from rltui.runs.inventory import CheckpointInfo, MilestoneMark, change_mark, read_checkpoint_info
from rltui.runs.lock import lock_holder
from rltui.runs.paths import DataDir
from rltui.tui.widgets.dialogs import InputCheck, TextPrompt

LONGEST_NOTE = 200
UNDO_SECONDS = 30.0
Flag = Literal["pinned", "released"]
FLAG_WORDS: dict[Flag, tuple[str, str]] = {
    "pinned": ("pinned (▲): it cannot be deleted; p takes that back", "no longer pinned"),
    "released": ("released (●): it cannot be deleted; P takes that back", "no longer released"),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Words that say what was done. undo: takes it back, called in a thread; undo_words: what it would take back."""

    words: str
    undo: Callable[[], Outcome] | None = None
    undo_words: str = ""


def unavailable(entry: CheckpointInfo | None, *, readonly: bool) -> frozenset[str]:
    """Actions that cannot be done with this state."""
    dimmed = {"resume", "fork", "keep", "pin", "note", "promote", "delete", "undo"} if readonly else set()
    if entry is None or not entry.usable:
        dimmed |= {"fork", "watch", "pin", "note", "promote", "export"}
        dimmed |= set() if entry is not None and entry.damage else {"resume"}
    dimmed |= set() if entry is not None and entry.usable and entry.kind == "checkpoint" else {"keep"}
    return frozenset(dimmed)


def check_can_mark(entry: CheckpointInfo) -> CheckpointInfo:
    """The milestone to be marked."""
    if not entry.saved:
        raise RltuiError("only milestones can be marked")
    keep.check_markable(entry)
    return entry


def toggle_flag(data: DataDir, entry: CheckpointInfo, flag: Flag) -> Outcome:
    value = not getattr(entry.mark, flag)
    on, off = FLAG_WORDS[flag]
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, **{flag: value}), on if value else off)


def note_prompt(entry: CheckpointInfo) -> TextPrompt:
    check_can_mark(entry)
    return TextPrompt(
        "Note", ((entry.title, "strong"), ("Nothing typed takes the note away.", "muted")), _judge_note,
        value=entry.mark.note, placeholder="first aerial goal", empty="take",
    )  # fmt: skip


def set_note(data: DataDir, entry: CheckpointInfo, text: str) -> Outcome:
    words = "noted; n changes it" if text.strip() else "its note is gone"
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, note=text.strip()), words)


def _change_mark(
    data: DataDir, entry: CheckpointInfo, change: Callable[[MilestoneMark], MilestoneMark], words: str
) -> Outcome:
    change_mark(data.run(entry.run), check_can_mark(entry).milestone, change)
    return Outcome(f"{entry.title}: {words}")


def _judge_note(text: str) -> InputCheck:
    long = len(text) > LONGEST_NOTE
    return InputCheck(f"✗ {len(text)} characters, at most {LONGEST_NOTE}" if long else "", good=not long)


def check_can_keep(entry: CheckpointInfo) -> CheckpointInfo:
    """The checkpoint to be kept."""
    if entry.kind == "milestone":
        raise RltuiError("it is a milestone: it is kept already")
    if entry.kind != "checkpoint":
        raise RltuiError("only a checkpoint can be kept as a milestone")
    if entry.damage is not None:
        raise RltuiError(f"{entry.title} is not kept: {entry.damage}")
    return entry


def keep_checkpoint(data: DataDir, entry: CheckpointInfo) -> Outcome:
    """Its copy among the milestones; nothing is asked, for nothing is lost and it can be taken back."""
    paths = data.run(entry.run)
    copy = keep.keep_checkpoint(paths, check_can_keep(entry))
    if copy.present:
        return Outcome(f"{entry.title} is kept already, as {copy.milestone}; nothing was changed")
    words = f"milestone {formatting.millions(copy.path.name)} of {entry.run}"

    def undo() -> Outcome:
        trash.delete(paths, read_checkpoint_info(copy.path))
        return Outcome(f"taken back: {words} is in the trash, and the checkpoint is pruned again in its turn")

    aside = f"; a damaged one of that name is now {copy.set_aside}" if copy.set_aside else ""
    answer = f"{entry.title} is kept as {copy.milestone}, which is never pruned{aside}; u takes it back"
    return Outcome(answer, undo, f"{words} kept")


def export_prompt(data: DataDir, entry: CheckpointInfo) -> TextPrompt:
    if entry.meta is None or not entry.usable:
        why = "it is in the trash; u puts it back" if entry.deleted is not None else entry.damage
        raise RltuiError(f"{entry.title} is not copied: {why or 'there is nothing complete in it'}")
    lines = (
        (entry.title, "strong"),
        ("The complete folder is copied to the path that you type; one that ends in .npz gets policy.npz alone.", "muted"),
    )  # fmt: skip

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("a new folder, a folder to put it in, or a file that ends in .npz")
        policy_alone = _names_policy(text)
        try:
            target = keep.export_target(data, entry, text, policy=policy_alone)
        except RltuiError as error:
            return InputCheck(f"✗ {error.message}")
        if target.exists():
            return InputCheck(f"✗ {target} exists: it is never overwritten")
        what = "policy.npz alone" if policy_alone else f"the complete folder, {formatting.size(entry.bytes)},"
        return InputCheck(f"✓ {what} to {target}", good=True)

    return TextPrompt("Export", lines, judge, placeholder="~/bots/alpha-5M")


def export(data: DataDir, entry: CheckpointInfo, text: str) -> Outcome:
    """Copy it to the path that was typed."""
    policy_alone = _names_policy(text)
    target = keep.export_target(data, entry, text, policy=policy_alone)
    (keep.export_policy if policy_alone else keep.export_folder)(entry, target)
    return Outcome(f"{entry.title} is copied to {target}, each byte checked")


def _names_policy(text: str) -> bool:
    return text.strip().endswith(".npz")


def deletion_prompt(data: DataDir, entry: CheckpointInfo) -> TextPrompt:
    if not entry.saved:
        raise RltuiError("rltui deletes milestones and checkpoints only", "remove others by hand")
    paths = data.run(entry.run)
    reason = trash.why_not_deleted(paths, entry, training=lock_holder(paths) is not None)
    newest = trash.is_newest(paths, entry)
    if reason is not None:
        raise RltuiError(f"{entry.title} is not deleted: {reason}")
    lines = [
        (entry.title, "strong"),
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

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("enter alone deletes nothing")
        if is_named(entry, text):
            return InputCheck("✓ enter moves it to the trash", True)
        return InputCheck("that is not its name")

    return TextPrompt(
        "Delete", tuple(lines), judge, subtitle="enter alone deletes nothing · esc cancels", empty="cancel"
    )


def delete(data: DataDir, entry: CheckpointInfo) -> Outcome:
    trashed = trash.delete(data.run(entry.run), entry)
    answer = f"{entry.title} is in the trash; u takes it back"
    return Outcome(answer, lambda: restore(data, trashed.info), f"{entry.title} deleted")


def restore(data: DataDir, entry: CheckpointInfo) -> Outcome:
    """Out of the trash."""
    trash.restore(data, trash.trashed_at(entry.path))
    return Outcome(f"{entry.title} is back")


def empty_trash_prompt(entries: Sequence[CheckpointInfo]) -> TextPrompt:
    if not entries:
        raise RltuiError("the trash is empty")
    lines = (
        (f"{formatting.plural(len(entries), 'saved state')} will be gone for good.", "bad"),
        ("Type: empty", ""),
    )
    return TextPrompt(
        "Empty the trash", lines, lambda text: InputCheck("✓ enter removes them", True) if text.strip() == "empty" else InputCheck(""),
        subtitle="enter alone deletes nothing · esc cancels", empty="cancel",
    )  # fmt: skip


def empty_trash(data: DataDir, entries: Sequence[CheckpointInfo]) -> Outcome:
    """What is deleted meanwhile stays."""
    folders = {entry.path for entry in entries}
    doomed = [trashed for trashed in trash.list_trash(data) if trashed.folder in folders]
    return Outcome(f"removed for good: {len(trash.empty_trash(data, doomed))}")


def is_named(entry: CheckpointInfo, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its timesteps."""
    names = {entry.path.name.casefold(), entry.label.casefold().replace(" ", "")} if entry.phase else {entry.path.name}
    if entry.milestone:
        names.add(entry.milestone.casefold())
    return text.strip().casefold().replace(" ", "") in names | {last_digits(entry)}


def last_digits(entry: CheckpointInfo) -> str:
    """`1360` of 12,431,360 timesteps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def check_can_watch(entry: CheckpointInfo | None) -> CheckpointInfo:
    """The state to be watched. Reads the bot's file to its last byte."""
    if entry is None or entry.deleted is not None:
        raise RltuiError("only a saved state can be watched")
    if not entry.usable:
        raise RltuiError(f"{entry.title} cannot be watched: {entry.damage}")
    try:
        read_file(entry.path, POLICY_FILE)
    except DamagedError as error:
        raise RltuiError(f"{entry.title} cannot be watched: {error}") from None
    return entry


def watch_command(entry: CheckpointInfo, data: DataDir, *, ascii_only: bool) -> list[str]:
    """`rltui watch`, for supervise.terminal."""
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]
