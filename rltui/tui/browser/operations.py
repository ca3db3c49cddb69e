"""Keep, pin, note, export, delete, undo, watch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from textual.message import Message

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs import trash
from rltui.runs.checkpoint import DamagedError, read_file
from rltui.runs.inventory import CheckpointInfo, MilestoneMark, change_mark, read_checkpoint_info
from rltui.runs.keep import check_markable, export_folder, export_policy, export_target, keep_checkpoint
from rltui.runs.lock import lock_holder
from rltui.runs.paths import DataDir
from rltui.runs.saver import POLICY_FILE
from rltui.runs.trash import Trashed
from rltui.tui.browser.library import CheckpointRow, Library
from rltui.tui.widgets.dialogs import Asked, InputCheck, TypedDialog

if TYPE_CHECKING:
    from textual.screen import Screen


class ActDone(Message):
    """An act has ended: words, or the error."""

    def __init__(self, words: str, error: RltuiError | None = None) -> None:
        super().__init__()
        self.words, self.error = words, error


class OperationContext:
    """On a screen, which gets ActDone when the work is over. readonly: nothing may be changed."""

    def __init__(self, screen: Screen[None], *, readonly: bool) -> None:
        self._screen, self._readonly = screen, readonly

    def may_act(self) -> bool:
        """Says why not where it may not."""
        if self._readonly:
            self.complain("this is a view to look only", "start rltui without --readonly to change anything")
        return not self._readonly

    def ask(self, dialog: TypedDialog, then: Callable[[str | None], None]) -> None:
        """Show the dialog; `then` gets its answer."""
        self._screen.app.push_screen(dialog, then)

    def work(self, work: Callable[[], str]) -> None:
        """Call it in a thread; its words, or its RltuiError, come as ActDone."""

        def in_thread() -> None:
            try:
                self._screen.post_message(ActDone(work()))
            except RltuiError as error:
                self._screen.post_message(ActDone("", error))
            except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
                self._screen.post_message(ActDone("", RltuiError(f"{type(error).__name__}: {error}")))

        self._screen.run_worker(in_thread, thread=True, exit_on_error=False)

    def complain(self, words: str, hint: str = "") -> None:
        """Say why something is not done."""
        head, _, rest = words.partition("\n")
        text = "\n".join(part for part in (rest, hint) if part)
        self._screen.notify(text or head, title=head if text else "", severity="warning", timeout=8)


LONGEST_NOTE = 200


class Marking:
    """A mark is written in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: OperationContext) -> None:
        self._data, self._stage = data, stage

    def pin(self, entry: CheckpointRow) -> None:
        self._toggle(entry, "pinned", "pinned (▲): it cannot be deleted; p takes that back", "no longer pinned")

    def promote(self, entry: CheckpointRow) -> None:
        self._toggle(entry, "released", "released (●): it cannot be deleted; P takes that back", "no longer released")

    def note(self, entry: CheckpointRow) -> None:
        if not self._can_mark(entry):
            return
        asked = Asked(
            "Note", ((entry.words, "strong"), ("Nothing typed takes the note away.", "muted")), _judge_note,
            value=entry.mark.note, placeholder="first aerial goal", empty="take",
        )  # fmt: skip
        self._stage.ask(TypedDialog(asked), lambda text: self._noted(entry, text))

    def _noted(self, entry: CheckpointRow, text: str | None) -> None:
        if text is not None:
            words = "noted; n changes it" if text.strip() else "its note is gone"
            self._change(entry, lambda mark: msgspec.structs.replace(mark, note=text.strip()), words)

    def _toggle(self, entry: CheckpointRow, flag: str, on: str, off: str) -> None:
        if self._can_mark(entry):
            value = not getattr(entry.mark, flag)
            self._change(entry, lambda mark: msgspec.structs.replace(mark, **{flag: value}), on if value else off)

    def _change(self, entry: CheckpointRow, change: Callable[[MilestoneMark], MilestoneMark], words: str) -> None:
        info = entry.info
        if info is not None:
            paths = self._data.run(entry.run)

            def work() -> str:
                change_mark(paths, info.milestone, change)
                return f"{entry.words}: {words}"

            self._stage.work(work)

    def _can_mark(self, entry: CheckpointRow) -> bool:
        if entry.info is None or entry.kind not in ("milestone", "checkpoint"):
            self._stage.complain("only milestones can be marked")
            return False
        try:
            check_markable(entry.info)
        except RltuiError as error:
            self._stage.complain(error.message, error.hint)
            return False
        return True


def _judge_note(text: str) -> InputCheck:
    long = len(text) > LONGEST_NOTE
    return InputCheck(f"✗ {len(text)} characters, at most {LONGEST_NOTE}" if long else "", good=not long)


UNDO_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Undo:
    """until: Unix seconds. back: called in a thread; its words."""

    words: str
    until: float
    back: Callable[[], str]


class Undoing:
    """newest: what `u` alone takes back. clock: Unix seconds."""

    def __init__(self, data: DataDir, stage: OperationContext, clock: Callable[[], float]) -> None:
        self._data, self._stage, self._clock = data, stage, clock
        self.newest: Undo | None = None

    def offer(self, words: str, back: Callable[[], str]) -> None:
        """From now on, in the place of what could be taken back before."""
        self.newest = Undo(words, self._clock() + UNDO_SECONDS, back)

    def forget(self) -> None:
        """What it would take back is gone for good."""
        self.newest = None

    def undo(self, highlighted: CheckpointRow | None) -> None:
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


class Copies:
    """Each is made in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: OperationContext, undoing: Undoing) -> None:
        self._data, self._stage, self._undoing = data, stage, undoing

    def keep(self, entry: CheckpointRow) -> None:
        """A checkpoint's copy among the milestones; nothing is asked, for nothing is lost and `u` takes it back."""
        info = entry.info
        if info is None or entry.kind != "checkpoint":
            is_one = entry.kind == "milestone"
            self._stage.complain(
                "it is a milestone: it is kept already" if is_one else "only a checkpoint can be kept as a milestone"
            )
            return
        if entry.reason:
            self._stage.complain(f"{entry.words} is not kept: {entry.reason}")
            return
        self._stage.work(lambda: self._kept(entry, info))

    def _kept(self, entry: CheckpointRow, info: CheckpointInfo) -> str:
        paths = self._data.run(entry.run)
        kept = keep_checkpoint(paths, info)
        if kept.present:
            return f"{entry.words} is kept already, as {kept.milestone}; nothing was changed"
        words = f"milestone {formatting.millions(kept.path.name)} of {entry.run}"

        def back() -> str:
            trash.delete(paths, read_checkpoint_info(kept.path))
            return f"taken back: {words} is in the trash, and the checkpoint is pruned again in its turn"

        self._undoing.offer(f"{words} kept", back)
        aside = f"; a damaged one of that name is now {kept.set_aside}" if kept.set_aside else ""
        return f"{entry.words} is kept as {kept.milestone}, which is never pruned{aside}; u takes it back"

    def export(self, entry: CheckpointRow) -> None:
        info = entry.info
        if info is None or entry.meta is None or not entry.usable:
            self._stage.complain(f"{entry.words} is not copied: {_why_not(entry)}")
            return
        lines = (
            (entry.words, "strong"),
            (
                "The complete folder is copied to the path that you type; one that ends in .npz gets policy.npz alone.",
                "muted",
            ),
        )
        asked = Asked("Export", lines, lambda text: self._judge_export(entry, text), placeholder="~/bots/alpha-5M")
        self._stage.ask(TypedDialog(asked), lambda text: self._exported(entry, text))

    def _judge_export(self, entry: CheckpointRow, text: str) -> InputCheck:
        if not text.strip() or entry.info is None:
            return InputCheck("a new folder, a folder to put it in, or a file that ends in .npz")
        try:
            target = export_target(self._data, entry.info, text, policy=_is_file(text))
        except RltuiError as error:
            return InputCheck(f"✗ {error.message}")
        if target.exists():
            return InputCheck(f"✗ {target} exists: it is never overwritten")
        what = "policy.npz alone" if _is_file(text) else f"the complete folder, {formatting.size(entry.bytes)},"
        return InputCheck(f"✓ {what} to {target}", good=True)

    def _exported(self, entry: CheckpointRow, text: str | None) -> None:
        info = entry.info
        if text is not None and info is not None:
            self._stage.work(lambda: self._copy(entry, info, text))

    def _copy(self, entry: CheckpointRow, info: CheckpointInfo, text: str) -> str:
        policy = _is_file(text)
        target = export_target(self._data, info, text, policy=policy)
        (export_policy if policy else export_folder)(info, target)
        return f"{entry.words} is copied to {target}, each byte checked"


def _why_not(entry: CheckpointRow) -> str:
    if entry.kind == "deleted":
        return "it is in the trash; u puts it back"
    return entry.reason or "there is nothing complete in it"


def _is_file(text: str) -> bool:
    return text.strip().endswith(".npz")


class Deleting:
    """It moves in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: OperationContext, undoing: Undoing) -> None:
        self._data, self._stage, self._undoing = data, stage, undoing

    def delete(self, entry: CheckpointRow) -> None:
        info = entry.info
        if info is None or entry.kind not in ("milestone", "checkpoint"):
            self._stage.complain("rltui deletes milestones and checkpoints only", "remove others by hand")
            return
        paths = self._data.run(entry.run)
        try:
            reason = trash.why_not_deleted(paths, info, training=lock_holder(paths) is not None)
            newest = trash.is_newest(paths, info)
        except RltuiError as error:
            self._stage.complain(error.message, error.hint)
            return
        if reason is not None:
            self._stage.complain(f"{entry.words} is not deleted: {reason}")
            return
        self._stage.ask(TypedDialog(_deletion(entry, newest)), lambda text: self._deleted(entry, text))

    def _deleted(self, entry: CheckpointRow, text: str | None) -> None:
        info = entry.info
        if text and info is not None:
            self._stage.work(lambda: self._move(entry, info))

    def _move(self, entry: CheckpointRow, info: CheckpointInfo) -> str:
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
            "Empty the trash", lines, lambda text: InputCheck("✓ enter removes them", True) if text.strip() == "empty" else InputCheck(""),
            subtitle="enter alone deletes nothing · esc cancels", empty="cancel",
        )  # fmt: skip
        self._stage.ask(TypedDialog(asked), lambda text: self._emptied(entries, text))

    def _emptied(self, entries: list[Trashed], text: str | None) -> None:
        if text:
            self._undoing.forget()
            self._stage.work(lambda: f"removed for good: {len(trash.empty_trash(self._data, entries))}")


def is_meant(entry: CheckpointRow, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its timesteps."""
    names = {entry.path.name.casefold(), entry.name.casefold().replace(" ", "")} if entry.phase else {entry.path.name}
    if entry.info is not None and entry.info.milestone:
        names.add(entry.info.milestone.casefold())
    return text.strip().casefold().replace(" ", "") in names | {last_digits(entry)}


def last_digits(entry: CheckpointRow) -> str:
    """`1360` of 12,431,360 timesteps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def _deletion(entry: CheckpointRow, newest: bool) -> Asked:
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
        return (
            InputCheck("✓ enter moves it to the trash", True)
            if is_meant(entry, text)
            else InputCheck("that is not its name")
        )

    return Asked("Delete", tuple(lines), judge, subtitle="enter alone deletes nothing · esc cancels", empty="cancel")


def unplayable(entry: CheckpointRow | None) -> str:
    """Why there is no match to be shown; empty where there is one. Reads the bot's file to its last byte."""
    if entry is None or not (entry.usable or entry.reason):
        return "only a saved state can be watched"
    if not entry.usable:
        return f"{entry.words} cannot be watched: {entry.reason}"
    try:
        read_file(entry.path, POLICY_FILE)
    except DamagedError as error:
        return f"{entry.words} cannot be watched: {error}"
    return ""


def watch_command(entry: CheckpointRow, data: DataDir, *, ascii_only: bool) -> list[str]:
    """For supervise.foreground."""
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]
