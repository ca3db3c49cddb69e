"""The file being edited: its drafts, undo, what differs from the disk, the verdict on the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from rltui.profile.edit import Draft, ParsedText, parse_text
from rltui.profile.save import read_text
from rltui.profile.source import show_key
from rltui.profile.toml_lines import KeyPath
from rltui.tui.checks.results import ProfileCheck, ProfileProblem
from rltui.tui.form.fields import TOP, FormRow, raw_value


@dataclass(frozen=True)
class TextState:
    """What is known of the text as it now is. saved: the file's; check: the newest verdict, None before the first; checking:
    it is of an earlier text, `checked`, and the child looks at this one; is_open: rows that hide nothing.
    """

    saved: ParsedText
    now: ParsedText
    check: ProfileCheck | None = None
    checking: bool = False
    is_open: frozenset[KeyPath] = frozenset()
    checked: ParsedText | None = None

    @cached_property
    def errors(self) -> Sequence[ProfileProblem]:
        """Those of the verdict; of an earlier text's without those on values that are others now."""
        found = self.check.errors if self.check else ()
        if not self.checking or self.checked is None or not found:
            return found
        then, now = _values(self.checked), _values(self.now)
        return [each for each in found if _value_at(then, each.key) == _value_at(now, each.key)]

    @property
    def bad(self) -> str:
        """The role of mistakes: dimmed while they may be mended already."""
        return "faint" if self.checking else "bad"

    def misnamed(self, row: FormRow) -> bool:
        """Whether the mistake lies in the row's own name."""
        key, name = show_key(row.path), str(row.path[-1])
        found = [each for each in self.errors if each.key == key and each.found == name]
        return any(each.suggestion or each.message.startswith("unknown") for each in found)

    def changed(self, path: KeyPath) -> bool:
        """Whether the value is another than the file's."""
        texts = raw_value(self.saved, path) != raw_value(self.now, path)
        return texts or self.saved.value(path) != self.now.value(path)

    def problems(self, row: FormRow) -> list[ProfileProblem]:
        """Those of a row's key; of a row that hides others, theirs too."""
        if row.kind == "add" or (row.kind == "section" and row.path == (TOP,)):
            return []
        key = show_key(row.path)
        hides = row.kind in ("section", "element") and row.path not in self.is_open
        below = (f"{key}.", f"{key}[")
        return [found for found in self.errors if found.key == key or (hides and found.key.startswith(below))]


def _values(text: ParsedText) -> dict[str, str | None]:
    return {show_key(path): text.raw(path) for path in text.lines.spans}


def _value_at(values: dict[str, str | None], key: str) -> str | None:
    """A reward's number is its weight."""
    return values.get(key, values.get(key.removesuffix(".weight")))


@dataclass
class EditSession:
    """path: the file. shipped: it came with the program and stays as it is. candidate: while a line is being typed."""

    path: Path
    shipped: bool
    opened: str  # its text when it was opened, or last written
    drafts: list[Draft] = field(default_factory=list)
    undone: list[Draft] = field(default_factory=list)
    candidate: Draft | None = None
    check: ProfileCheck | None = None
    checking: bool = True
    checked: ParsedText | None = None
    saved: ParsedText = field(default_factory=lambda: parse_text(""))

    @classmethod
    def open(cls, path: Path, shipped: bool) -> EditSession:
        """RltuiError for a file that cannot be read."""
        text = read_text(path)
        return cls(path, shipped, text, [Draft(text)], saved=parse_text(text))

    @property
    def draft(self) -> Draft:
        return self.drafts[-1]

    @property
    def shown(self) -> Draft:
        """What is looked at: with what is being typed."""
        return self.candidate or self.draft

    @property
    def dirty(self) -> bool:
        return self.draft.text != self.opened

    @property
    def changes(self) -> int:
        """Lines that differ from the file."""
        if not self.dirty:
            return 0
        before, after = self.opened.splitlines(), self.draft.text.splitlines()
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return sum(max(b - a, d - c) for tag, a, b, c, d in blocks if tag != "equal") or 1

    def do(self, draft: Draft) -> None:
        """Go on with this draft; the one before can be had back."""
        if draft.text != self.draft.text:
            self.drafts.append(draft)
            self.undone.clear()
        self.candidate = None

    def undo(self) -> bool:
        if len(self.drafts) < 2:
            return False
        self.undone.append(self.drafts.pop())
        return True

    def redo(self) -> bool:
        if not self.undone:
            return False
        self.drafts.append(self.undone.pop())
        return True

    def judged(self, check: ProfileCheck) -> None:
        """It is the verdict on what is looked at."""
        self.check, self.checking, self.checked = check, False, self.shown.written

    @property
    def state(self) -> TextState:
        """Of what is looked at."""
        return TextState(self.saved, self.shown.written, self.check, self.checking, checked=self.checked)
