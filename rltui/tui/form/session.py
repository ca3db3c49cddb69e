"""The file being edited: its drafts, undo, what differs from the disk, the verdict on the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from rltui.profile.edit import Draft, ParsedText, parse_text
from rltui.profile.save import read_text
from rltui.tui.checks.results import ProfileCheck
from rltui.tui.form.render import TextState


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
        from difflib import SequenceMatcher

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

    @property
    def state(self) -> TextState:
        """Of what is looked at."""
        return TextState(self.saved, self.shown.written, self.check)
