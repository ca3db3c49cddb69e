"""Copies: a saved state copied: a checkpoint among the milestones, where it is kept; any state to a place of one's own."""

from __future__ import annotations

from rltui import formatting
from rltui.errors import RltuiError
from rltui.runs import trash
from rltui.runs.inventory import CheckpointInfo, look
from rltui.runs.keep import export_folder, export_policy, keep, target_of
from rltui.runs.paths import DataDir
from rltui.tui.browser.library import Entry
from rltui.tui.browser.stage import Stage
from rltui.tui.browser.undoing import Undoing
from rltui.tui.screens.typed_dialog import Asked, Judgement, TypedDialog


class Copies:
    """Each is made in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: Stage, undoing: Undoing) -> None:
        self._data, self._stage, self._undoing = data, stage, undoing

    def keep(self, entry: Entry) -> None:
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

    def _kept(self, entry: Entry, info: CheckpointInfo) -> str:
        paths = self._data.run(entry.run)
        kept = keep(paths, info)
        if kept.present:
            return f"{entry.words} is kept already, as {kept.milestone}; nothing was changed"
        words = f"milestone {formatting.millions(kept.path.name)} of {entry.run}"

        def back() -> str:
            trash.delete(paths, look(kept.path))
            return f"taken back: {words} is in the trash, and the checkpoint is pruned again in its turn"

        self._undoing.offer(f"{words} kept", back)
        aside = f"; a damaged one of that name is now {kept.set_aside}" if kept.set_aside else ""
        return f"{entry.words} is kept as {kept.milestone}, which is never pruned{aside}; u takes it back"

    def export(self, entry: Entry) -> None:
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

    def _judge_export(self, entry: Entry, text: str) -> Judgement:
        if not text.strip() or entry.info is None:
            return Judgement("a new folder, a folder to put it in, or a file that ends in .npz")
        try:
            target = target_of(self._data, entry.info, text, policy=_is_file(text))
        except RltuiError as error:
            return Judgement(f"✗ {error.message}")
        if target.exists():
            return Judgement(f"✗ {target} exists: it is never overwritten")
        what = "policy.npz alone" if _is_file(text) else f"the complete folder, {formatting.size(entry.bytes)},"
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


def _why_not(entry: Entry) -> str:
    if entry.kind == "deleted":
        return "it is in the trash; u puts it back"
    return entry.reason or "there is nothing complete in it"


def _is_file(text: str) -> bool:
    return text.strip().endswith(".npz")
