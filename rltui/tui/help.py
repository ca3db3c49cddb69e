"""Help pages and palette commands, from the registry of actions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.command import Hit, Hits
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider
from textual.widget import Widget

from rltui.tui.actions import NO_KEY, PLACES, Action, KeyRow, Place, key_name, key_rows, pane_actions
from rltui.tui.keymap import OwnKeys, with_keys, with_own_keys
from rltui.tui.text import Line, beside, pad, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.list_view import ScrollableLines

TWO_COLUMNS = 84  # columns, from which on keys and explanations stand side by side
KEYS = 13  # columns
NO_OWN: OwnKeys = {}
IN_DESCRIPTION = 0.001  # score of a command found by its description, below any found by name
HELP_COCKPIT = (
    "One run, live or from disk. The lines at the top say what the trainer does, how far it is and whether it learns; the "
    "panes below have digits. Everything shown was written to the run's journal by the trainer, so it is all still there when "
    "you come back. Capital letters act on the training (p and c do as P and C), other lower-case ones only on the view. The "
    "last line has the keys that act after the word act, those that only look after view."
)
HELP_LAUNCHER = (
    "Profiles say what a bot shall learn, runs are bots in training, milestones are kept copies of them. Move with the arrow "
    "keys; the right side says in words what enter will do, from where and why, before it happens. A trainer that you "
    "launch goes on when this window closes."
)
HELP_BROWSER = (
    ("", "Every saved state of every bot. The tree chooses what the table shows; branches and forks stand below the run that they left."),
    ("signs", "○ hashes not compared yet (v does), ✓ every byte is right, ✗ damaged, ! unrecognised, left alone, × in the trash; ▲ pinned, ● released, ■ selected for the comparison; before a reward: ★ the best, ▼ it does not count"),
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
        wide = width >= TWO_COLUMNS
        columns = (width - 4) // 2 if wide else width
        daily, more = key_blocks(self._place, columns, self._own)
        own = pane_key_lines(self._pane, self._topic, columns, self._own)
        about = explained_lines(
            self._topic, [(name, with_keys(text, self._own)) for name, text in self._explained], columns
        )
        if wide:
            lines = beside([stacked(daily, more), stacked(own, about)], [columns, columns], 4)
        else:
            lines = stacked(daily, own, about, more)
        return self.window(lines, height)

    @property
    def _own(self) -> OwnKeys:
        """The keys that the user has given to actions."""
        return getattr(self.app, "own_keys", {})


def stacked(*blocks: list[Line]) -> list[Line]:
    """One below the other, an empty line between them."""
    return [line for block in blocks if block for line in (*block, ())][:-1]


def key_blocks(place: Place, width: int, own: OwnKeys = NO_OWN) -> tuple[list[Line], list[Line]]:
    """The keys of every day, and the others of the place."""
    rows = key_rows(with_own_keys(PLACES[place], own))
    daily, more = [row for row in rows if row.is_daily], [row for row in rows if not row.is_daily]
    return [(("Every day", "title"),), *_row_lines(daily, width)], [(("More keys", "title"),), *_row_lines(more, width)]


def pane_key_lines(pane: str, topic: str, width: int, own: OwnKeys = NO_OWN) -> list[Line]:
    """The keys that the pane has while it is focused; empty where it has none of its own."""
    lines = _row_lines(key_rows(with_own_keys(pane_actions(pane), own)), width)
    return [((f"Keys of {topic}", "title"),), *lines] if lines else []


def _row_lines(rows: Sequence[KeyRow], width: int) -> list[Line]:
    """What the palette alone has, in one row."""
    found = [(row.keys, row.help) for row in rows if row.has_key]
    without = [action.label for row in rows if not row.has_key for action in row.actions]
    found += [(NO_KEY, f"Only there: {', '.join(without)}")] if without else []
    lines: list[Line] = []
    for keys, text in found:
        for index, row in enumerate(wrap(text, width - KEYS)):
            lines.append(((pad(keys if not index else "", KEYS - 1) + " ", "key"), *row))
    return lines


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


class PaletteCommands(SystemCommandsProvider):
    """What a palette search finds: names as Textual matches them, then descriptions that hold each of its words."""

    async def search(self, query: str) -> Hits:
        found: set[str] = set()
        async for hit in super().search(query):
            found.add(str(hit.text))
            yield hit
        words = query.casefold().split()
        for command in self.app.get_system_commands(self.screen):
            if command.title not in found and all(word in command.help.casefold() for word in words):
                yield Hit(IN_DESCRIPTION, command.title, command.callback, help=command.help)


def palette_commands(
    place: Place, screen: Screen[object], focused: FocusedPane | None, own: OwnKeys = NO_OWN
) -> Iterable[SystemCommand]:
    """The place's, then those of the pane that has the focus, each with its key."""
    for action in with_own_keys(PLACES[place], own):
        if action.palette:
            yield _command(action, action.label, screen)
    for action in with_own_keys(pane_actions(focused.pane_id), own) if focused is not None else ():
        if action.palette and focused is not None:
            yield _command(action, f"{focused.name}: {action.label}", focused.pane)


def _command(action: Action, title: str, owner: Widget) -> SystemCommand:
    key = f"  {key_name(action.keys[0])}" if action.keys else ""
    return SystemCommand(title + key, action.help, lambda: owner.app.call_later(owner.run_action, action.name))
