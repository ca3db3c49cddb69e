"""The last line: the most useful keys, clickable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual import events

from rltui.tui.actions import Action, key_name
from rltui.tui.paint import Line, Span, fit, width_of
from rltui.tui.settings.own_keys import with_own_keys
from rltui.tui.widgets.footer_parts import ACTING, BAR, EDGE, GAP, fitting, words_of
from rltui.tui.widgets.painted import Painted


class Footer(Painted):
    """A click runs the action as its key would. Actions that are dimmed cannot be used now.

    focused: more keys, of what has the focus; a click runs them there.
    """

    def __init__(self, actions: Sequence[Action], focused: Callable[[], Sequence[Action]] = tuple) -> None:
        super().__init__(name="footer")
        self._actions, self._of_focused = tuple(actions), focused
        self._places: list[tuple[int, int, str]] = []  # columns from, to, action name
        self._labels: Mapping[str, str] = {}
        self._dimmed: frozenset[str] = frozenset()

    def on_mount(self) -> None:
        """Other keys with another focus, and while something is typed."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.repaint())
        self.watch(self.screen, "focused", self.repaint, init=False)

    def show(self, labels: Mapping[str, str], dimmed: frozenset[str]) -> None:
        """labels: what belongs to this moment, and how it is called now."""
        if (labels, dimmed) != (self._labels, self._dimmed):
            self._labels, self._dimmed = labels, dimmed
            self.repaint()

    @property
    def offered(self) -> tuple[Action, ...]:
        """All that it would show if there were room, with the user's own keys."""
        return with_own_keys((*self._of_focused(), *self._actions), getattr(self.app, "own_keys", {}))

    def paint(self, width: int, height: int) -> list[Line]:
        self._places = []
        dimmed = self._dimmed | self._typed()
        line: Line = ((" " * EDGE, ""),)
        for part, actions in fitting(self.offered, self._labels, width).items():
            spans = self._part(part, actions, dimmed)
            line = (*line, *BAR) if self._places else line
            if not part:
                line = fit(line, width - width_of(spans))
            self._place(actions, width_of(line) + len(part) + bool(part))
            line = (*line, *spans)
        return [fit(line, width)]

    def _part(self, part: str, actions: Sequence[Action], dimmed: frozenset[str]) -> Line:
        """Its word, then its keys."""
        spans: list[Span] = [(f"{part} ", "faint")] if part else []
        for index, action in enumerate(actions):
            key, label = words_of(action, self._labels)
            roles = ("faint", "faint") if action.name in dimmed else ("act" if part in ACTING else "key", "muted")
            spans += [(" " * GAP, "")] if index else []
            spans += [(key, roles[0]), (f" {label}", roles[1])]
        return tuple(spans)

    def _place(self, actions: Sequence[Action], column: int) -> None:
        """Where they stand, for clicks. column: of the first key."""
        for action in actions:
            end = column + len(" ".join(words_of(action, self._labels)))
            self._places.append((column, end, action.name))
            column = end + GAP

    def _typed(self) -> frozenset[str]:
        """Actions whose key would go into the line that has the focus."""
        focused = self.screen.focused
        if focused is None or not focused.check_consume_key("x", "x"):
            return frozenset()
        keys = {action.name: action.keys[0] for action in self.offered}
        return frozenset(name for name, key in keys.items() if key in ("enter", "space") or len(key_name(key)) == 1)

    def on_click(self, event: events.Click) -> None:
        name = next((name for start, end, name in self._places if start <= event.x < end), None)
        action = next((action for action in self.offered if action.name == name), None)
        if action is not None:  # a dimmed one says why it cannot be
            owner = (self.screen.focused if action.pane else None) or self.screen
            self.screen.call_next(owner.run_action, action.name)
