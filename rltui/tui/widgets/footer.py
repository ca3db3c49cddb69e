"""The last line: the most useful keys, clickable, and for a while what became of a command."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rltui.tui.actions import Action, key_name
from rltui.tui.paint import Line, crop, ends, width_of
from rltui.tui.settings.own_keys import with_own_keys
from rltui.tui.widgets.painted import Painted


class Footer(Painted):
    """A click runs the screen's action as its key would. Actions that `dimmed` names cannot be used now."""

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__(name="footer")
        self._actions = tuple(actions)
        self._places: list[tuple[int, int, str]] = []  # columns from, to, action name
        self._labels: dict[str, str] = {}
        self._dimmed: frozenset[str] = frozenset()
        self._answer: Line = ()

    def on_mount(self) -> None:
        """The keys that the user has given the actions."""
        self._actions = with_own_keys(self._actions, getattr(self.app, "own_keys", {}))

    def show(self, labels: dict[str, str], dimmed: frozenset[str], answer: Line) -> None:
        """labels: other words for some actions' labels. answer: shown at the right edge; it takes room from the keys."""
        self._labels, self._dimmed, self._answer = labels, dimmed, answer
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        answer = crop((("   ", ""), *self._answer, (" ", "")), width) if self._answer else ()
        room = width - width_of(answer)
        self._places = []
        spans: list[tuple[str, str]] = []
        column = 0
        for action in self._that_fit(room):
            label = self._labels.get(action.name, action.label)
            key = f" {key_name(action.keys[0])} "
            off = action.name in self._dimmed
            spans += [(key, "faint" if off else "key"), (f"{label} ", "faint" if off else "muted")]
            self._places.append((column, column + len(key) + len(label), action.name))
            column += len(key) + len(label) + 1
        return [ends(tuple(spans), answer, width)]

    def _that_fit(self, room: int) -> list[Action]:
        """All, or the first ones with the last (quit) kept in place."""
        sizes = [len(key_name(a.keys[0])) + len(self._labels.get(a.name, a.label)) + 3 for a in self._actions]
        chosen = list(range(len(sizes)))
        while len(chosen) > 1 and sum(sizes[index] for index in chosen) > room:
            del chosen[-2 if len(chosen) > 2 else -1]
        return [self._actions[index] for index in chosen if sum(sizes[i] for i in chosen) <= room]

    def on_click(self, event: events.Click) -> None:
        for start, end, name in self._places:
            if start <= event.x < end:  # a dimmed one says why it cannot be
                self.screen.call_next(self.screen.run_action, name)
