"""What can be done with one saved state: each act asks what it must, works in a thread, and says what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from rltui import figures
from rltui.errors import RltuiError
from rltui.runs import trash
from rltui.runs.export_folder import export_folder, export_policy, target_of
from rltui.runs.keep import keep
from rltui.runs.listing import CheckpointInfo, look
from rltui.runs.marking import check_markable
from rltui.runs.milestones import Mark, change_mark
from rltui.runs.paths import DataDir
from rltui.runs.trash import Trashed
from rltui.tui.browser.library import Entry, Library
from rltui.tui.browser.stage import Stage
from rltui.tui.screens.typed_dialog import Asked, Judgement, TypedDialog

UNDO_SECONDS = 30.0
LONGEST_NOTE = 200


@dataclass(frozen=True, slots=True)
class Undo:
    """The newest deletion or keeping, and until when `u` alone takes it back. back: called in a thread; its words."""

    words: str
    until: float
    back: Callable[[], str]


class StateActs:
    """clock: Unix seconds."""

    def __init__(self, data: DataDir, stage: Stage, clock: Callable[[], float]) -> None:
        self._data, self._stage, self._clock = data, stage, clock
        self.undoable: Undo | None = None

    # Marks

    def pin(self, entry: Entry) -> None:
        self._toggle(entry, "pinned", "pinned: it cannot be deleted", "no longer pinned")

    def promote(self, entry: Entry) -> None:
        self._toggle(entry, "released", "released: it cannot be deleted", "no longer released")

    def note(self, entry: Entry) -> None:
        if not self._can_mark(entry):
            return
        asked = Asked(
            "Note", ((entry.words, "strong"), ("Nothing typed takes the note away.", "muted")), _judge_note,
            value=entry.mark.note, placeholder="first aerial goal", empty="take",
        )  # fmt: skip
        self._stage.ask(TypedDialog(asked), lambda text: self._noted(entry, text))

    def _noted(self, entry: Entry, text: str | None) -> None:
        if text is not None:
            words = "noted" if text.strip() else "its note is gone"
            self._change(entry, lambda mark: msgspec.structs.replace(mark, note=text.strip()), words)

    def _toggle(self, entry: Entry, flag: str, on: str, off: str) -> None:
        if self._can_mark(entry):
            value = not getattr(entry.mark, flag)
            self._change(entry, lambda mark: msgspec.structs.replace(mark, **{flag: value}), on if value else off)

    def _change(self, entry: Entry, change: Callable[[Mark], Mark], words: str) -> None:
        info = entry.info
        if info is not None:
            paths = self._data.run(entry.run)

            def work() -> str:
                change_mark(paths, info.milestone, change)
                return f"{entry.words}: {words}"

            self._stage.work(work)

    def _can_mark(self, entry: Entry) -> bool:
        if entry.info is None or entry.kind not in ("milestone", "checkpoint"):
            self._stage.complain("only milestones can be marked")
            return False
        try:
            check_markable(entry.info)
        except RltuiError as error:
            self._stage.complain(error.message, error.hint)
            return False
        return True

    # Keeping

    def keep(self, entry: Entry) -> None:
        """A checkpoint's copy among the milestones; nothing is asked, for nothing is lost and `u` takes it back."""
        info = entry.info
        if info is None or entry.kind != "checkpoint":
            is_one = entry.kind == "milestone"
            self._stage.complain(
                "it is a milestone: it is kept already" if is_one else "only a checkpoint can be kept as a milestone"
            )
            return
        self._stage.work(lambda: self._kept(entry, info))

    def _kept(self, entry: Entry, info: CheckpointInfo) -> str:
        paths = self._data.run(entry.run)
        kept = keep(paths, info)
        if kept.present:
            return f"{entry.words} is kept already, as {kept.milestone}; nothing was changed"
        words = f"milestone {figures.millions(kept.path.name)} of {entry.run}"

        def back() -> str:
            trash.delete(paths, look(kept.path))
            return f"{words} is in the trash"

        self.undoable = Undo(f"{words} kept", self._clock() + UNDO_SECONDS, back)
        aside = f"; a damaged one of that name is now {kept.set_aside}" if kept.set_aside else ""
        return f"{entry.words} is kept as {kept.milestone}{aside}"

    # Export

    def export(self, entry: Entry) -> None:
        info = entry.info
        if info is None or entry.kind == "deleted" or entry.meta is None:
            self._stage.complain("there is nothing complete to copy here")
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

    def _judge_export(self, entry: Entry, text: str) -> Judgement:
        if not text.strip() or entry.info is None:
            return Judgement("a new folder, a folder to put it in, or a file that ends in .npz")
        try:
            target = target_of(self._data, entry.info, text, policy=_is_file(text))
        except RltuiError as error:
            return Judgement(f"✗ {error.message}")
        if target.exists():
            return Judgement(f"✗ {target} exists: it is never overwritten")
        what = "policy.npz alone" if _is_file(text) else f"the complete folder, {figures.size(entry.bytes)},"
        return Judgement(f"✓ {what} to {target}", good=True)

    def _exported(self, entry: Entry, text: str | None) -> None:
        info = entry.info
        if text is not None and info is not None:
            self._stage.work(lambda: self._copy(entry, info, text))

    def _copy(self, entry: Entry, info: CheckpointInfo, text: str) -> str:
        policy = _is_file(text)
        target = target_of(self._data, info, text, policy=policy)
        (export_policy if policy else export_folder)(info, target)
        return f"{entry.words} is copied to {target}, each byte checked"

    # Trash

    def delete(self, entry: Entry) -> None:
        info = entry.info
        if info is None or entry.kind not in ("milestone", "checkpoint"):
            self._stage.complain("rltui deletes milestones and checkpoints only", "remove others by hand")
            return
        paths = self._data.run(entry.run)
        try:
            reason = trash.kept_because(paths, info, training=trash.is_trained(paths))
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
        until = self._clock() + UNDO_SECONDS
        self.undoable = Undo(f"{entry.words} deleted", until, lambda: self._restored(trashed, entry.words))
        return f"{entry.words} is in the trash; u takes it back"

    def undo(self, highlighted: Entry | None) -> None:
        """A row of the trash comes back; else the newest deletion or keeping is taken back, while it may."""
        undoable, self.undoable = self.undoable, None
        if highlighted is not None and (trashed := highlighted.trashed) is not None:
            words = highlighted.words
            self._stage.work(lambda: self._restored(trashed, words))
        elif undoable is not None and self._clock() < undoable.until:
            self._stage.work(undoable.back)
        else:
            self._stage.complain(
                f"nothing was deleted or kept in the last {UNDO_SECONDS:g} s",
                "Older deletions are under Trash: u on a row puts it back",
            )

    def _restored(self, trashed: Trashed, words: str) -> str:
        trash.restore(self._data, trashed)
        return f"{words} is back"

    def empty(self, library: Library) -> None:
        """All that the trash holds now; what is deleted meanwhile stays."""
        entries = [entry.trashed for entry in library.entries if entry.trashed is not None]
        if not entries:
            self._stage.complain("the trash is empty")
            return
        lines = ((f"{figures.plural(len(entries), 'saved state')} will be gone for good.", "bad"), ("Type: empty", ""))
        asked = Asked(
            "Empty the trash", lines, lambda text: Judgement("✓ enter removes them", True) if text.strip() == "empty" else Judgement(""),
            subtitle="enter alone keeps them · esc cancels", empty="cancel",
        )  # fmt: skip
        self._stage.ask(TypedDialog(asked), lambda text: self._emptied(entries, text))

    def _emptied(self, entries: list[Trashed], text: str | None) -> None:
        if text:
            self.undoable = None
            self._stage.work(lambda: f"removed for good: {len(trash.empty(self._data, entries))}")


def is_meant(entry: Entry, text: str) -> bool:
    """Whether this names the state: its folder's name, as lists show it, or the last four digits of its steps."""
    names = {entry.path.name.casefold(), entry.name.casefold().replace(" ", "")} if entry.phase else {entry.path.name}
    if entry.info is not None and entry.info.milestone:
        names.add(entry.info.milestone.casefold())
    return text.strip().casefold().replace(" ", "") in names | {last_digits(entry)}


def last_digits(entry: Entry) -> str:
    """`1360` of 12,431,360 steps."""
    return f"{(entry.timesteps or 0) % 10_000:04d}"


def watch_command(entry: Entry, data: DataDir, *, ascii_only: bool) -> list[str]:
    """For supervise.foreground."""
    options = ["--data-dir", str(data.root), *(["--ascii"] if ascii_only else [])]
    return [sys.executable, "-m", "rltui", "watch", str(entry.path), *options]


def _deletion(entry: Entry, newest: bool) -> Asked:
    lines = [
        (entry.words, "strong"),
        (f"{figures.count(entry.timesteps)} steps, {figures.size(entry.bytes)}", "muted"),
    ]
    if newest:
        lines.append(
            ("! It is the newest state of its run: training would go on from an older one, or not at all.", "warn")
        )
    lines += [
        (f"It moves to the trash: u takes it back for {UNDO_SECONDS:g} s, the tree's Trash until it is emptied.", ""),
        (f"Type its name, {entry.path.name}, or the last four digits of its steps, {last_digits(entry)}.", ""),
    ]

    def judge(text: str) -> Judgement:
        if not text.strip():
            return Judgement("enter alone keeps it")
        return (
            Judgement("✓ enter moves it to the trash", True)
            if is_meant(entry, text)
            else Judgement("that is not its name")
        )

    return Asked("Delete", tuple(lines), judge, subtitle="enter alone keeps it · esc cancels", empty="cancel")


def _judge_note(text: str) -> Judgement:
    long = len(text) > LONGEST_NOTE
    return Judgement(f"✗ {len(text)} characters, at most {LONGEST_NOTE}" if long else "", good=not long)


def _is_file(text: str) -> bool:
    return text.strip().endswith(".npz")
