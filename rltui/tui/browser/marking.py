"""Marking: pins, releases and notes of milestones: what people say of one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rltui.errors import RltuiError
from rltui.runs.keep import check_markable
from rltui.runs.milestones import Mark, change_mark
from rltui.runs.paths import DataDir
from rltui.tui.browser.library import Entry
from rltui.tui.browser.stage import Stage
from rltui.tui.screens.typed_dialog import Asked, Judgement, TypedDialog

LONGEST_NOTE = 200


class Marking:
    """A mark is written in a thread; what came of it is said."""

    def __init__(self, data: DataDir, stage: Stage) -> None:
        self._data, self._stage = data, stage

    def pin(self, entry: Entry) -> None:
        self._toggle(entry, "pinned", "pinned (▲): it cannot be deleted; p takes that back", "no longer pinned")

    def promote(self, entry: Entry) -> None:
        self._toggle(entry, "released", "released (●): it cannot be deleted; P takes that back", "no longer released")

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
            words = "noted; n changes it" if text.strip() else "its note is gone"
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


def _judge_note(text: str) -> Judgement:
    long = len(text) > LONGEST_NOTE
    return Judgement(f"✗ {len(text)} characters, at most {LONGEST_NOTE}" if long else "", good=not long)
