"""The last line: the most useful keys, clickable."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from rltui.tui.actions import Action, key_name
from rltui.tui.paint import Line, fit
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

    def on_mount(self) -> None:
        """The keys that the user has given the actions."""
        self._actions = with_own_keys(self._actions, getattr(self.app, "own_keys", {}))
        self.watch(self.screen, "focused", self.repaint, init=False)

    def show(self, labels: dict[str, str], dimmed: frozenset[str]) -> None:
        """labels: other words for some actions' labels."""
        self._labels, self._dimmed = labels, dimmed
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        self._places = []
        spans: list[tuple[str, str]] = []
        column = 0
        dimmed = self._dimmed | self._typed()
        for action in self._that_fit(width):
            label = self._labels.get(action.name, action.label)
            key = f" {key_name(action.keys[0])} "
            off = action.name in dimmed
            spans += [(key, "faint" if off else "key"), (f"{label} ", "faint" if off else "muted")]
            self._places.append((column, column + len(key) + len(label), action.name))
            column += len(key) + len(label) + 1
        return [fit(tuple(spans), width)]

    def _typed(self) -> frozenset[str]:
        """Actions whose key would go into the line that has the focus."""
        focused = self.screen.focused
        if focused is None or not focused.check_consume_key("x", "x"):
            return frozenset()
        keys = {action.name: action.keys[0] for action in self._actions}
        return frozenset(name for name, key in keys.items() if key in ("enter", "space") or len(key_name(key)) == 1)

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
