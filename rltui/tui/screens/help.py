"""Help: what has the focus explained, then every key, both from the registry and the panes themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from rltui.tui.actions import PLACES, Action, Place, key_name
from rltui.tui.paint import Line, beside, wrap
from rltui.tui.widgets.scrolled import Scrolled

TWO_COLUMNS = 84


class HelpText(Scrolled):
    """Sections of (title, lines); side by side where there is room."""

    def __init__(self, place: Place, topic: str, explained: Sequence[tuple[str, str]]) -> None:
        super().__init__(name="help-text")
        self._place, self._topic, self._explained = place, topic, tuple(explained)

    def paint(self, width: int, height: int) -> list[Line]:
        if width < TWO_COLUMNS:
            lines = [*key_lines(self._place, width), (), *explained_lines(self._topic, self._explained, width)]
        else:
            half = (width - 4) // 2
            blocks = [key_lines(self._place, half), explained_lines(self._topic, self._explained, width - half - 4)]
            lines = beside(blocks, [half, width - half - 4], 4)
        return self.window(lines, height)


def key_lines(place: Place, width: int) -> list[Line]:
    """All keys of the place by group."""
    lines: list[Line] = []
    groups: dict[str, list[Action]] = {}
    for action in PLACES[place]:
        groups.setdefault(action.group, []).append(action)
    for group, actions in groups.items():
        lines += [(), ((group, "title"),)] if lines else [((group, "title"),)]
        for action in actions:
            keys = " ".join(key_name(key) for key in action.keys)
            rows = wrap(action.help, width - 8)
            lines += [((f"{keys if not index else '':<8}", "key"), *row) for index, row in enumerate(rows)]
    return lines


def explained_lines(topic: str, explained: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """The topic's title and each (name, text) of it; an empty name for running text."""
    lines: list[Line] = [((topic, "title"),)]
    for name, text in explained:
        lines += [((name, "strong"),)] if name else []
        lines += [(*((("  ", ""),) if name else ()), *row) for row in wrap(text, width - 2, "muted" if name else "")]
        lines.append(())
    return lines[:-1]


class HelpScreen(ModalScreen[None]):
    """Any of esc, q, ? and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("question_mark", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
    ]

    def __init__(self, place: Place, topic: str, explained: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._text = HelpText(place, topic, explained)

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as box:
            box.border_title = "Help"
            box.border_subtitle = "esc closes · ↑ ↓ scroll"
            yield self._text
