"""TypedFilter: a filter typed inside a pane, which draws its line itself. The rules are those of widgets/filter_line.py. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from rltui.tui.pattern import Pattern

# typed: another pattern; kept, dropped: the line is closed; ignored: the key types nothing
Outcome = Literal["typed", "kept", "dropped", "ignored"]
PASTE = "paste"  # the key by which a pane is told what was pasted
MOVES = {"up": -1, "down": 1}  # in what is left, while the line is open
Place = TypeVar("Place")


@dataclass(slots=True)
class TypedFilter(Generic[Place]):
    """before: where the owner's cursor stood when the line was opened, to go back to when the filter is dropped."""

    pattern: Pattern = field(default_factory=Pattern)
    typing: bool = False
    before: Place | None = None

    def open(self, here: Place | None) -> None:
        self.typing, self.before = True, here

    def press(self, key: str, character: str | None) -> Outcome:
        """A key while the line is open."""
        if key in ("enter", "escape"):
            self.typing = False
            self.pattern = Pattern() if key == "escape" else self.pattern
            return "dropped" if key == "escape" else "kept"
        text = typed_text(self.pattern.text, key, character)
        if text is None:
            return "ignored"
        self.pattern = Pattern(text)
        return "typed"


def typed_text(text: str, key: str, character: str | None) -> str | None:
    """The text after a key; None where the key types nothing."""
    if key == "backspace":
        return text[:-1]
    if key == "ctrl+u":
        return ""
    if character is None or not character.isprintable() or (len(character) != 1 and key != PASTE):
        return None
    return text + character


def one_line(pasted: str) -> str:
    """Of what is pasted, as a line to type in takes it."""
    return "".join(filter(str.isprintable, next(iter(pasted.splitlines()), "")))
