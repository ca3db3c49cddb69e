"""Footer and the line above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual import events

from rltui.tui.actions import Action, Group, key_name
from rltui.tui.keymap import with_own_keys
from rltui.tui.text import Line, Span, crop, fit, split, width_of
from rltui.tui.widgets.line_widget import LineWidget

PARTS = ("act", "view", "")  # the word before each; the last stands at the right edge
PART_OF: Mapping[Group, str] = {
    "Training": "act", "Launching": "act", "Editing": "act", "Milestones": "act",
    "View": "view", "Program": "",
}  # fmt: skip
BAR: Line = ((" │ ", "track"),)
EDGE, GAP = 1, 2  # columns before all, and between two keys of a part
OF_THE_MOMENT = 2  # rank
ANSWER_ROWS = 3
ANSWER_EDGE = 2  # columns that stay free at either side: the pane's border shows
LEAST_WIDTH = 24  # columns below which the answer takes the whole width


def words_of(action: Action, labels: Mapping[str, str]) -> tuple[str, str]:
    """(key, label), without the ellipsis of what asks first."""
    return key_name(action.keys[0]), labels.get(action.name, action.label).rstrip("…")


def rank(action: Action, labels: Mapping[str, str]) -> int:
    """What has a label of its own now belongs to this moment: only the way out and help stay longer."""
    usual = action.footer or 0
    return min(usual, OF_THE_MOMENT) if action.name in labels else usual


def fitting(actions: Sequence[Action], labels: Mapping[str, str], room: int) -> dict[str, list[Action]]:
    """By the part they stand in, in their order: of lowest rank as many as fit in `room` columns.

    One that is too long leaves its place to the next that is not.
    """
    chosen: dict[str, list[int]] = {part: [] for part in PARTS}
    left = room - EDGE
    for place in sorted(range(len(actions)), key=lambda place: rank(actions[place], labels)):
        action = actions[place]
        part = PART_OF[action.group]
        size = len(" ".join(words_of(action, labels)))
        if chosen[part]:
            size += GAP
        else:
            size += len(part) + bool(part) + (width_of(BAR) if any(chosen.values()) else 0)
        if size <= left:
            chosen[part].append(place)
            left -= size
    return {part: [actions[place] for place in sorted(places)] for part, places in chosen.items() if places}


class Footer(LineWidget):
    """Bar of key hints. A click runs the action as its key would. Actions that are dimmed cannot be used now.

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
            roles = ("faint", "faint") if action.name in dimmed else ("act" if part == "act" else "key", "muted")
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


class Answer(LineWidget):
    """Lines above the footer, hidden while there is nothing to say. A click shows all answers, where the screen has them."""

    def __init__(self, action: str = "") -> None:
        """action: the screen's, that shows all answers."""
        super().__init__(name="answer")
        self._action = action
        self._answer: Line = ()
        self._room = 0
        self._place: tuple[int, int, int, int] | None = None  # width, height, rows below, edge

    def on_mount(self) -> None:
        self.display = False

    def say(self, answer: Line, room: int, below: int, free: int = 0) -> None:
        """Show this, or nothing. room: columns of the screen; below: rows under it that stay free. free: columns from the left
        without words in the border below it: an answer that fits there leaves those words alone.
        """
        room = free if free >= LEAST_WIDTH and width_of(answer) + 2 * ANSWER_EDGE + 2 <= free else room
        rows = answer_rows(answer, room) if answer else []
        self._room = room
        self._answer = answer
        self.display = bool(rows)
        if rows:
            edge = ANSWER_EDGE if room >= LEAST_WIDTH else 0
            self._stand(
                max(room - 2 * edge, 1), len(rows), below, edge
            )  # the whole border, whose words would go on in its own
            self.repaint()

    def _stand(self, width: int, height: int, below: int, edge: int) -> None:
        place = width, height, below, edge
        if place != self._place:
            self._place = place
            self.styles.width, self.styles.height, self.styles.margin = width, height, (0, 0, below, edge)

    def paint(self, width: int, height: int) -> list[Line]:
        return answer_rows(self._answer, self._room)

    def on_click(self, event: events.Click) -> None:
        if self._action:
            self.screen.call_next(self.screen.run_action, self._action)


def answer_rows(answer: Line, room: int) -> list[Line]:
    """Up to ANSWER_ROWS rows for a screen `room` columns wide, a blank at either end; the last ends in an ellipsis if need be."""
    width = max(room - (2 * ANSWER_EDGE if room >= LEAST_WIDTH else 0) - 2, 1)
    rows: list[Line] = []
    while width_of(answer) > width and len(rows) < ANSWER_ROWS - 1:
        row, answer = split(answer, width)
        rows.append(row)
    return [((" ", ""), *crop(row, width), (" ", "")) for row in (*rows, answer)]
