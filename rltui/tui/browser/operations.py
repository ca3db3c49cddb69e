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
from rltui.runs.trash import Trashed
from rltui.tui.browser.library import CheckpointRow
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


def unavailable(entry: CheckpointRow | None, *, readonly: bool) -> frozenset[str]:
    """Actions that cannot be done with this state."""
    dimmed = {"resume", "fork", "keep", "pin", "note", "promote", "delete", "undo"} if readonly else set()
    if entry is None or not entry.usable:
        dimmed |= {"fork", "watch", "pin", "note", "promote", "export"}
        dimmed |= set() if entry is not None and entry.reason else {"resume"}
    dimmed |= set() if entry is not None and entry.usable and entry.kind == "checkpoint" else {"keep"}
    return frozenset(dimmed)


def check_can_mark(entry: CheckpointRow) -> CheckpointInfo:
    """The milestone to be marked."""
    if entry.info is None or entry.kind not in ("milestone", "checkpoint"):
        raise RltuiError("only milestones can be marked")
    keep.check_markable(entry.info)
    return entry.info


def toggle_flag(data: DataDir, entry: CheckpointRow, flag: Flag) -> Outcome:
    value = not getattr(entry.mark, flag)
    on, off = FLAG_WORDS[flag]
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, **{flag: value}), on if value else off)


def note_prompt(entry: CheckpointRow) -> TextPrompt:
    check_can_mark(entry)
    return TextPrompt(
        "Note", ((entry.words, "strong"), ("Nothing typed takes the note away.", "muted")), _judge_note,
        value=entry.mark.note, placeholder="first aerial goal", empty="take",
    )  # fmt: skip


def set_note(data: DataDir, entry: CheckpointRow, text: str) -> Outcome:
    words = "noted; n changes it" if text.strip() else "its note is gone"
    return _change_mark(data, entry, lambda mark: msgspec.structs.replace(mark, note=text.strip()), words)


def _change_mark(
    data: DataDir, entry: CheckpointRow, change: Callable[[MilestoneMark], MilestoneMark], words: str
) -> Outcome:
    change_mark(data.run(entry.run), check_can_mark(entry).milestone, change)
    return Outcome(f"{entry.words}: {words}")


def _judge_note(text: str) -> InputCheck:
    long = len(text) > LONGEST_NOTE
    return InputCheck(f"✗ {len(text)} characters, at most {LONGEST_NOTE}" if long else "", good=not long)


def check_can_keep(entry: CheckpointRow) -> CheckpointInfo:
    """The checkpoint to be kept."""
    if entry.kind == "milestone":
        raise RltuiError("it is a milestone: it is kept already")
    if entry.info is None or entry.kind != "checkpoint":
        raise RltuiError("only a checkpoint can be kept as a milestone")
    if entry.reason:
        raise RltuiError(f"{entry.words} is not kept: {entry.reason}")
    return entry.info


def keep_checkpoint(data: DataDir, entry: CheckpointRow) -> Outcome:
    """Its copy among the milestones; nothing is asked, for nothing is lost and it can be taken back."""
    paths = data.run(entry.run)
    copy = keep.keep_checkpoint(paths, check_can_keep(entry))
    if copy.present:
        return Outcome(f"{entry.words} is kept already, as {copy.milestone}; nothing was changed")
    words = f"milestone {formatting.millions(copy.path.name)} of {entry.run}"

    def undo() -> Outcome:
        trash.delete(paths, read_checkpoint_info(copy.path))
        return Outcome(f"taken back: {words} is in the trash, and the checkpoint is pruned again in its turn")

    aside = f"; a damaged one of that name is now {copy.set_aside}" if copy.set_aside else ""
    answer = f"{entry.words} is kept as {copy.milestone}, which is never pruned{aside}; u takes it back"
    return Outcome(answer, undo, f"{words} kept")


def export_prompt(data: DataDir, entry: CheckpointRow) -> TextPrompt:
    info = entry.info
    if info is None or entry.meta is None or not entry.usable:
        why = "it is in the trash; u puts it back" if entry.kind == "deleted" else entry.reason
        raise RltuiError(f"{entry.words} is not copied: {why or 'there is nothing complete in it'}")
    lines = (
        (entry.words, "strong"),
        ("The complete folder is copied to the path that you type; one that ends in .npz gets policy.npz alone.", "muted"),
    )  # fmt: skip

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("a new folder, a folder to put it in, or a file that ends in .npz")
        policy_alone = _names_policy(text)
        try:
            target = keep.export_target(data, info, text, policy=policy_alone)
        except RltuiError as error:
            return InputCheck(f"✗ {error.message}")
        if target.exists():
            return InputCheck(f"✗ {target} exists: it is never overwritten")
        what = "policy.npz alone" if policy_alone else f"the complete folder, {formatting.size(entry.bytes)},"
        return InputCheck(f"✓ {what} to {target}", good=True)

    return TextPrompt("Export", lines, judge, placeholder="~/bots/alpha-5M")


def export(data: DataDir, entry: CheckpointRow, text: str) -> Outcome:
    """Copy it to the path that was typed."""
    assert entry.info is not None
    policy_alone = _names_policy(text)
    target = keep.export_target(data, entry.info, text, policy=policy_alone)
    (keep.export_policy if policy_alone else keep.export_folder)(entry.info, target)
    return Outcome(f"{entry.words} is copied to {target}, each byte checked")


def _names_policy(text: str) -> bool:
    return text.strip().endswith(".npz")


def deletion_prompt(data: DataDir, entry: CheckpointRow) -> TextPrompt:
    info = entry.info
    if info is None or entry.kind not in ("milestone", "checkpoint"):
        raise RltuiError("rltui deletes milestones and checkpoints only", "remove others by hand")
    paths = data.run(entry.run)
    reason = trash.why_not_deleted(paths, info, training=lock_holder(paths) is not None)
    newest = trash.is_newest(paths, info)
    if reason is not None:
        raise RltuiError(f"{entry.words} is not deleted: {reason}")
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

    def judge(text: str) -> InputCheck:
        if not text.strip():
            return InputCheck("enter alone deletes nothing")
        if is_named(entry, text):
            return InputCheck("✓ enter moves it to the trash", True)
        return InputCheck("that is not its name")

    return TextPrompt(
        "Delete", tuple(lines), judge, subtitle="enter alone deletes nothing · esc cancels", empty="cancel"
    )


def delete(data: DataDir, entry: CheckpointRow) -> Outcome:
    assert entry.info is not None
    trashed = trash.delete(data.run(entry.run), entry.info)
    answer = f"{entry.words} is in the trash; u takes it back"
    return Outcome(answer, lambda: restore(data, trashed, entry.words), f"{entry.words} deleted")


def restore(data: DataDir, trashed: Trashed, words: str) -> Outcome:
    """Out of the trash."""
    trash.restore(data, trashed)
    return Outcome(f"{words} is back")


def empty_trash_prompt(entries: Sequence[Trashed]) -> TextPrompt:
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


def empty_trash(data: DataDir, entries: Sequence[Trashed]) -> Outcome:
    """What is deleted meanwhile stays."""
    return Outcome(f"removed for good: {len(trash.empty_trash(data, list(entries)))}")


def is_named(entry: CheckpointRow, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its timesteps."""
    names = {entry.path.name.casefold(), entry.name.casefold().replace(" ", "")} if entry.phase else {entry.path.name}
    if entry.info is not None and entry.info.milestone:
        names.add(entry.info.milestone.casefold())
    return text.strip().casefold().replace(" ", "") in names | {last_digits(entry)}


def last_digits(entry: CheckpointRow) -> str:
    """`1360` of 12,431,360 timesteps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def check_can_watch(entry: CheckpointRow | None) -> CheckpointRow:
    """The state to be watched. Reads the bot's file to its last byte."""
    if entry is None or not (entry.usable or entry.reason):
        raise RltuiError("only a saved state can be watched")
    if not entry.usable:
        raise RltuiError(f"{entry.words} cannot be watched: {entry.reason}")
    try:
        read_file(entry.path, POLICY_FILE)
    except DamagedError as error:
        raise RltuiError(f"{entry.words} cannot be watched: {error}") from None
    return entry


def watch_command(entry: CheckpointRow, data: DataDir, *, ascii_only: bool) -> list[str]:
    """`rltui watch`, for supervise.terminal."""
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]
