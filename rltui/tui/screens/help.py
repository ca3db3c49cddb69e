"""Help: what has the focus explained, then every key, both from the registry and the panes themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from rltui.tui.actions import PLACES, Action, Place, key_name, pane_actions
from rltui.tui.paint import Line, beside, pad, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.settings.own_keys import OwnKeys, with_own_keys
from rltui.tui.settings.spoken_keys import with_keys
from rltui.tui.widgets.scrolled import Scrolled

TWO_COLUMNS = 84
KEYS = 13  # columns
NO_OWN: OwnKeys = {}


class HelpText(Scrolled):
    """Sections of (title, lines); side by side where there is room."""

    def __init__(self, place: Place, topic: str, explained: Sequence[tuple[str, str]], pane: str = "") -> None:
        super().__init__(name="help-text")
        self._place, self._topic, self._explained, self._pane = place, topic, tuple(explained), pane

    def paint(self, width: int, height: int) -> list[Line]:
        if width < TWO_COLUMNS:
            lines = [*self._topic_lines(width), (), *key_lines(self._place, width, self._own)]
        else:
            half = (width - 4) // 2
            blocks = [key_lines(self._place, half, self._own), self._topic_lines(width - half - 4)]
            lines = beside(blocks, [half, width - half - 4], 4)
        return self.window(lines, height)

    @property
    def _own(self) -> OwnKeys:
        """The keys that the user has given to actions."""
        return getattr(self.app, "own_keys", {})

    def _topic_lines(self, width: int) -> list[Line]:
        """What has the focus: what it is, its own keys, then each thing in it."""
        explained = [(name, with_keys(text, self._own)) for name, text in self._explained]
        first = [item for item in explained[:1] if not item[0]]
        about = explained_lines(self._topic, first, width)
        keys = pane_key_lines(self._pane, self._topic, width, self._own)
        rest = explained_lines("", explained[len(first) :], width)[1:]
        return [line for block in (about, keys, rest) if block for line in (*block, ())][:-1]


def key_lines(place: Place, width: int, own: OwnKeys = NO_OWN) -> list[Line]:
    """All keys of the place by group."""
    lines: list[Line] = []
    groups: dict[str, list[Action]] = {}
    for action in with_own_keys(PLACES[place], own):
        groups.setdefault(action.group, []).append(action)
    for group, actions in groups.items():
        lines += [(), ((group, "title"),)] if lines else [((group, "title"),)]
        for action in actions:
            lines += _key_rows(action, width)
    return lines


def pane_key_lines(pane: str, topic: str, width: int, own: OwnKeys = NO_OWN) -> list[Line]:
    """The keys that the pane has while it is focused; empty where it has none of its own."""
    rows = [row for action in with_own_keys(pane_actions(pane), own) for row in _key_rows(action, width)]
    return [((f"Keys of {topic}", "title"),), *rows] if rows else []


def _key_rows(action: Action, width: int) -> list[Line]:
    keys = " ".join(key_name(key) for key in action.keys) or "^p"  # by the palette alone
    rows = wrap(action.help, width - KEYS)
    return [((pad(keys if not index else "", KEYS - 1) + " ", "key"), *row) for index, row in enumerate(rows)]


def explained_lines(topic: str, explained: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """The topic's title and each (name, text) of it; an empty name for running text."""
    lines: list[Line] = [((topic, "title"),)]
    for name, text in explained:
        lines += [((name, "strong"),)] if name else []
        lines += [(*((("  ", ""),) if name else ()), *row) for row in wrap(text, width - 2, "muted" if name else "")]
        lines.append(())
    return lines[:-1] if explained else lines


class HelpScreen(Dialog[None]):
    """Any of esc, q, ? and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("question_mark", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
    ]

    def __init__(self, place: Place, topic: str, explained: Sequence[tuple[str, str]], pane: str = "") -> None:
        super().__init__()
        self._text = HelpText(place, topic, explained, pane)

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as box:
            box.border_title = "Help"
            box.border_subtitle = "esc closes · ↑ ↓ scroll"
            yield self._text
