"""Help pages and palette commands, from the registry of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import Widget

from rltui.tui.actions import PLACES, Action, Place, key_name, pane_actions
from rltui.tui.keymap import OwnKeys, with_keys, with_own_keys
from rltui.tui.text import Line, beside, pad, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.list_view import ScrollableLines

TWO_COLUMNS = 84  # columns, from which on keys and explanations stand side by side
KEYS = 13  # columns
NO_OWN: OwnKeys = {}
HELP_COCKPIT = (
    "One run, live or from disk. The lines at the top say what the trainer does, how far it is and whether it learns; the "
    "panes below have digits. Everything shown was written to the run's journal by the trainer, so it is all still there when "
    "you come back. Capital letters act on the training (p and c do as P and C), other lower-case ones only on the view. The "
    "last line has the keys that act after the word act, or debug, those that only look after view."
)
HELP_LAUNCHER = (
    "Profiles say what a bot shall learn, runs are bots in training, milestones are kept copies of them. Move with the arrow "
    "keys; the right side says in words what enter will do, from where and why, before it happens. A trainer that you "
    "launch goes on when this window closes."
)
HELP_BROWSER = (
    ("", "Every saved state of every bot. The tree chooses what the table shows; branches and forks stand below the run that they left."),
    ("signs", "○ hashes not compared yet (v does), ✓ every byte is right, ✗ damaged, ! unrecognised, left alone, × in the trash; ▲ pinned, ● released, ■ marked for the comparison"),
    ("milestone", "a copy that is kept until you delete it"),
    ("checkpoint", "the newest states of a run; older ones are pruned as newer ones come, but for the best by reward"),
    ("comparison", "= after space on a row: figures are those that the two states were saved with, each with the episodes that its reward is a mean over"),
    ("safety", "Nothing here changes a saved state: marks stand beside it, a deletion can be undone, and nothing starts from zero."),
)  # fmt: skip
SCREEN_HELP: dict[Place, tuple[str, Sequence[tuple[str, str]]]] = {
    "cockpit": ("Cockpit", [("", HELP_COCKPIT)]),
    "launcher": ("Launcher", [("", HELP_LAUNCHER)]),
    "browser": ("Milestones and checkpoints", HELP_BROWSER),
}


class FocusedPane(NamedTuple):
    """The cockpit's pane that has the focus. explained: (name, text) of what it shows; an empty name for running text."""

    pane: Widget
    pane_id: str
    name: str
    explained: Sequence[tuple[str, str]]


class HelpText(ScrollableLines):
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

    BINDINGS: ClassVar[list[BindingType]] = [("question_mark,enter", "dismiss", "Close")]

    def __init__(self, place: Place, topic: str, explained: Sequence[tuple[str, str]], pane: str = "") -> None:
        super().__init__("Help", "esc closes", "full")
        self._text = HelpText(place, topic, explained, pane)

    def body(self) -> ComposeResult:
        yield self._text


def help_on(place: Place | None, focused: FocusedPane | None) -> HelpScreen | None:
    """None where a screen has no help, or one of its own."""
    if place == "cockpit" and focused is not None:
        return HelpScreen("cockpit", focused.name, focused.explained, focused.pane_id)
    if place is None or place not in SCREEN_HELP:
        return None
    return HelpScreen(place, *SCREEN_HELP[place])


def palette_commands(place: Place, screen: Screen[object], focused: FocusedPane | None) -> Iterable[SystemCommand]:
    """The place's, then those of the pane that has the focus."""
    for action in PLACES[place]:
        if action.palette:
            yield SystemCommand(action.label, action.help, _runner(screen, action.name))
    if focused is None:
        return
    for action in pane_actions(focused.pane_id):
        if action.palette:
            yield SystemCommand(f"{focused.name}: {action.label}", action.help, _runner(focused.pane, action.name))


def _runner(owner: Widget, action: str) -> Callable[[], object]:
    return lambda: owner.app.call_later(owner.run_action, action)
