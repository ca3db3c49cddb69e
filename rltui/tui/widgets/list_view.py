"""Lines and text that scroll, a list with a cursor, and one with a filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.geometry import Size
from textual.message import Message

from rltui.tui.text import HOLLOW, SOLID, Line, fit
from rltui.tui.widgets.filter_bar import AROUND, Pattern, filter_words, is_attended
from rltui.tui.widgets.line_widget import LineWidget

STEPS = {"up": -1, "k": -1, "down": 1, "j": 1}  # rows by key
WHEEL_STEP = 3  # rows


class ScrollableLines(LineWidget, can_focus=True):
    """Lines that keys and the wheel scroll. Subclasses call `window` from `paint`.

    first: the top line shown. One that follows stays at the end until moved up, and again once back there.
    """

    FOLLOW = False

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.first = 0
        self.following = self.FOLLOW
        self._total = 0
        self._height = 0

    def window(self, lines: Sequence[Line], height: int) -> list[Line]:
        """The part of `lines` in view."""
        self._total, self._height = len(lines), height
        self.first = self._last_first if self.following else min(self.first, self._last_first)
        return list(lines[self.first : self.first + height])

    @property
    def _last_first(self) -> int:
        return max(self._total - self._height, 0)

    def move(self, rows: int) -> None:
        """Scroll by rows; negative is up."""
        self.first = min(max(self.first + rows, 0), self._last_first)
        self.following = self.FOLLOW and rows > 0 and self.first == self._last_first
        self.repaint()

    def on_key(self, event: events.Key) -> None:
        page = max(self._height - 1, 1)
        steps = {**STEPS, "pageup": -page, "pagedown": page, "home": -self._total, "end": self._total}
        if event.key in steps:
            self.move(steps[event.key])
            event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.move(-WHEEL_STEP)
        event.stop()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.move(WHEEL_STEP)
        event.stop()


class TextView(ScrollableLines):
    """Scrollable text. words: its lines for a width."""

    def __init__(
        self, name: str, words: Callable[[int], list[Line]] = lambda width: [], classes: str | None = None
    ) -> None:
        super().__init__(name=name, classes=classes)
        self._words = words

    def show(self, words: Callable[[int], list[Line]]) -> None:
        self._words = words
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._words(width), height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._words(width)), 1)


@dataclass(frozen=True, slots=True)
class Row:
    """key: what the row stands for; None for a heading or a note, which the cursor passes over."""

    key: object | None
    line: Line


class ListView(ScrollableLines):
    """Rows with a cursor, below a head that does not scroll.

    The highlighted row stays the same thing when the rows change, as long as it is still there. A subclass that makes its
    rows in `paint` calls `place_cursor` and `in_view` there instead of `set_rows`.
    """

    SHOWS_UNFOCUSED = True  # the cursor, hollow

    class Highlighted(Message):
        """The cursor stands on another row."""

        def __init__(self, key: object) -> None:
            super().__init__()
            self.key = key

    class Chosen(Message):
        """The highlighted row was clicked again."""

    class HeadClicked(Message):
        """At this column of the terminal."""

        def __init__(self, x: int) -> None:
            super().__init__()
            self.x = x

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.rows: list[Row] = []
        self.head: Line | None = None
        self.cursor = 0
        self._empty: Sequence[Line] = ()  # shown where there are no rows
        self._places: Sequence[int] = ()  # the rows that the cursor can stand on, ascending
        self._head_height = 0

    @property
    def key(self) -> object | None:
        """What the cursor stands on."""
        return self.rows[self.cursor].key if self.cursor < len(self.rows) else None

    def set_rows(
        self, rows: Sequence[Row], key: object | None = None, head: Line | None = None, empty: Sequence[Line] = ()
    ) -> None:
        """New rows; the cursor goes to `key`, else stays with what it stands on, else with the nearest of the rows that stay,
        those below it first; and, where the list is scrolled, where it is on the screen.
        """
        here = self.cursor
        wanted = [key, *(row.key for row in self.rows[here:]), *(row.key for row in reversed(self.rows[:here]))]
        self.rows, self.head, self._empty = list(rows), head, empty
        places = [index for index, row in enumerate(self.rows) if row.key is not None]
        place_of = {self.rows[index].key: index for index in reversed(places)}
        self.cursor = next((place_of[each] for each in wanted if each in place_of), here)
        self.first = max(self.first + self.cursor - here, 0) if self.first else 0
        self.place_cursor(places)
        self.repaint()
        self.moved()

    def go_to(self, key: object) -> None:
        """The cursor to the row of this key, if there is one."""
        self.set_rows(self.rows, key, self.head, self._empty)

    def place_cursor(self, places: Sequence[int]) -> None:
        """The rows that the cursor can stand on from now on; it goes to the nearest of them."""
        self._places = places
        if places and (self.cursor < places[0] or self.cursor > places[-1] or self.cursor not in places):
            self.cursor = min(places, key=lambda place: abs(place - self.cursor))

    def paint(self, width: int, height: int) -> list[Line]:
        head = [] if self.head is None else [fit(self.head, width)]
        head += [] if self.rows else self._empty
        return self.in_view(head, [row.line for row in self.rows], width, height)

    def in_view(self, head: Sequence[Line], rows: Sequence[Line], width: int, height: int) -> list[Line]:
        """Head, which stays where it is, and the rows in view, the one under the cursor marked."""
        self._head_height = min(len(head), max(height - 1, 0))
        left = max(height - self._head_height, 0)
        if self.cursor < self.first:
            self.first = self.cursor
        elif left and self.cursor >= self.first + left:
            self.first = self.cursor - left + 1
        if self._places and self.cursor == self._places[0] < left:  # what stands above the first one is seen too
            self.first = 0
        shown = [self._marked(self.first + y, line, width) for y, line in enumerate(self.window(rows, left))]
        return [*head[: self._head_height], *shown]

    def _marked(self, index: int, line: Line, width: int) -> Line:
        """A row leaves its first column blank, for the sign."""
        attended = is_attended(self)
        shows = attended or self.SHOWS_UNFOCUSED
        if index != self.cursor or not shows or not self._places or not line:
            return fit(line, width)
        (text, role), *rest = line
        sign, background = (SOLID, "cursor") if attended else (HOLLOW, "cursor-muted")
        marked = fit(((sign, "key"), (text[1:], role), *rest), width)
        return tuple((part, f"{name} {background}".strip()) for part, name in marked)

    def move(self, rows: int) -> None:
        """By so many rows that the cursor can stand on."""
        if self._places:
            here = self._places.index(self.cursor) if self.cursor in self._places else 0
            self.go(self._places[min(max(here + rows, 0), len(self._places) - 1)])

    def go(self, row: int) -> None:
        """The cursor to this row, which it can stand on."""
        is_other, self.cursor = row != self.cursor, row
        self.repaint()
        if is_other:
            self.moved()

    def moved(self) -> None:
        """The cursor stands on another row, or there are other rows."""
        if self.key is not None:
            self.post_message(self.Highlighted(self.key))

    def opened(self) -> None:
        """The row under the cursor was clicked again."""
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y < self._head_height:
            self.post_message(self.HeadClicked(offset.x))
            return
        row = self.first + offset.y - self._head_height
        if row in self._places:
            again = row == self.cursor and event.chain > 1
            self.go(row)
            if again:
                self.opened()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The cursor is lit while the list has the focus; on_focus and on_blur would come too early for that."""
        super().watch_has_focus(has_focus)
        self.repaint()


class FilteredList(ListView):
    """List that a FilterBar filters: a subclass fills it with what matches `pattern`. The lower border says what is left."""

    def __init__(self, *, name: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, classes=classes)
        self.pattern = Pattern()

    @property
    def standing(self) -> object:
        return self.key

    def fill(self, goes: object = None) -> None:
        """The rows that match. goes: the key of the row that the cursor goes to; None: it stays."""
        raise NotImplementedError

    def matching(self) -> tuple[Sequence[object], int]:
        raise NotImplementedError

    def filter_by(self, pattern: Pattern, goes: object = None) -> None:
        before, self.pattern = self.key, pattern
        self.fill(goes)
        found, _ = self.matching()
        if pattern.text and goes is None and found and before not in found:
            self.go_to(found[0])

    def reveal(self, key: object) -> None:
        """The cursor to this row; a filter that hides it goes."""
        if self.pattern.text and all(row.key != key for row in self.rows):
            self.filter_by(Pattern(), key)
        else:
            self.go_to(key)

    def set_rows(
        self, rows: Sequence[Row], key: object | None = None, head: Line | None = None, empty: Sequence[Line] = ()
    ) -> None:
        super().set_rows(rows, key, head, empty)
        found, of = self.matching() if self.pattern.text else ((), 0)
        room = self.outer_size.width - AROUND
        self.border_subtitle = filter_words(self.pattern, len(found), of, room) if self.pattern.text else ""
