"""Base class of all panes, what they draw from, and the tabs in their border."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.message import Message

from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.ascii import ChartStyle
from rltui.tui.keymap import OwnKeys, pane_key, with_keys
from rltui.tui.settings import Slot
from rltui.tui.text import Line, width_of, wrap
from rltui.tui.widgets.filter_bar import Filtered, is_attended
from rltui.tui.widgets.line_widget import LineWidget

BEFORE = 3  # columns of border before the title
AROUND = 6  # columns of border beside it
_Cell = tuple["Pane", str, str]  # with its key and its name
_content = lru_cache(256)(Content.from_markup)  # the same few titles come again with each pane that is shown


@dataclass(frozen=True, slots=True)
class View:
    """What a pane draws from: the run, the moment (Unix seconds), how charts are drawn.

    frozen: since when the display stands still while training goes on, for the status with what has come meanwhile.
    """

    snapshot: RunSnapshot
    now: float
    charts: ChartStyle = "braille"
    frozen: str = ""


class Pane(LineWidget, can_focus=True):
    """Subclasses give `draw`, and `depends`: what of the view it reads, so that nothing else makes it draw again.

    Whatever a subclass raises, with a new view or at a key, is shown in the pane until the next view that it can take.

    A new one is listed in PANES (cockpit/screen) and PANE_IDS (settings; a test checks), and has its key in COCKPIT (actions).
    """

    NUMBER: ClassVar[str] = ""  # the key that shows it, unless the user has given it another one
    SLOT: ClassVar[Slot] = "table"
    ROOMY_SLOT: ClassVar[Slot | None] = None  # where it stands instead in a terminal that has this slot too
    ID: ClassVar[str] = ""
    NAME: ClassVar[str] = ""
    SHORT: ClassVar[str] = ""  # the name where there is little room
    HELP: ClassVar[str] = ""  # `<action>` in it stands for a key, in EMPTY too
    EVERY: ClassVar[float] = 0.0  # seconds at least between two drawings: a chart need not follow each short iteration
    EMPTY: ClassVar[str] = ""  # what will appear here and how to get it
    FILTERS: ClassVar[bool] = False  # it has rows or charts that a filter hides
    WANTS: ClassVar[int] = 0  # rows of content that it would fill; 0: whatever the slot has

    class TabClicked(Message):
        """The title of another pane of this slot was clicked."""

        def __init__(self, pane: Pane) -> None:
            super().__init__()
            self.pane = pane

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.view: View | None = None
        self._seen: object = None
        self._drawn: float | None = None  # when it last had something to draw
        self._subtitle = ""
        self._problem: Exception | None = None
        self._siblings: tuple[Pane, ...] = ()
        self._title_width = 0
        self._title = ""
        self._tabs: list[Tab] = []
        self._show_title()

    def set_tabs(self, siblings: Sequence[Pane], width: int) -> None:
        """The border's title: the key that shows the pane and its name, with those that share its place."""
        self._siblings, self._title_width = tuple(siblings), width
        self._show_title()

    def _show_title(self) -> None:
        self._tabs = tabs(self, self._siblings, self._title_width)
        title = tab_markup(self._tabs, self, is_attended(self))
        if title != self._title:
            self._title = title
            self.border_title = _content(title)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._show_title()

    def on_click(self, event: events.Click) -> None:
        for tab in self._tabs if event.y == 0 else ():
            if tab.start <= event.x < tab.end:
                self.post_message(self.TabClicked(tab.pane))

    def matters(self, view: View) -> bool:
        """Whether it shall be seen unasked, where it is one of several that could."""
        return not self.has_nothing(view)

    def wants(self, view: View) -> int:
        """Rows of content that it would fill now; 0: whatever the slot has."""
        return self.WANTS

    @property
    def own_keys(self) -> OwnKeys:
        """Those that the user has given to actions."""
        return getattr(self.app, "own_keys", {}) if self.is_attached else {}

    @property
    def key(self) -> str:
        """The key that shows it."""
        return pane_key(self.NUMBER, self.own_keys)

    def with_keys(self, text: str) -> str:
        """With the keys that `<action>` in it stands for."""
        return with_keys(text, self.own_keys)

    @property
    def filtered(self) -> Filtered | None:
        """What a filter hides rows of; None where there is nothing."""
        return None

    @property
    def setting(self) -> str:
        """What of it can be changed while it trains, under the cursor: as in SettingChanged. Empty: nothing."""
        return ""

    @classmethod
    def pane_id(cls) -> str:
        """As the registry of keys and ui.toml call it: ID, or the class's name without "Pane", in lower case."""
        return cls.ID or cls.__name__.removesuffix("Pane").lower()

    def explained(self) -> list[tuple[str, str]]:
        """For the help page: (name, text) of what is shown here; an empty name for running text."""
        return [("", self.HELP)]

    def show(self, view: View) -> None:
        """Take a new view; draw it if something that this pane reads has changed."""
        self.view = view
        if not self.display or self._is_too_soon(view.now):
            return
        try:
            self._take(view)
        except Exception as error:  # one faulty pane must not take the others with it
            self._fail(error)

    def _take(self, view: View) -> None:
        seen = self.depends(view)
        if seen != self._seen:
            self._problem = None
            self._seen = seen
            self._drawn = None if self.has_nothing(view) else view.now
            self.repaint()

    def _fail(self, error: Exception) -> None:
        self._problem, self._drawn, self._seen = error, None, object()  # equal to nothing: the next view is taken
        self.repaint()

    async def _dispatch_message(self, message: Message) -> None:
        """Keys, clicks and timers of this pane: Textual would end the program at an exception."""
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            self._fail(error)

    def redraw(self) -> None:
        """Draw the present view once more, whatever the pace of new figures."""
        self.repaint()
        if self.view is not None:
            self._set_subtitle(self.subtitle(self.view))

    def show_at_once(self, view: View) -> None:
        """Take this view however soon it comes after another."""
        self._drawn = None
        self.show(view)

    def _lines_or_failure(self) -> list[Line]:
        """The lower border follows: it may tell of what was drawn."""
        lines = super()._lines_or_failure()
        if self.view is not None and self._problem is None and lines:
            try:
                self._set_subtitle(self.subtitle(self.view))
            except Exception as error:
                return self._failure(error, self.size.width)
        return lines

    def _is_too_soon(self, now: float) -> bool:
        return self._drawn is not None and 0 <= now - self._drawn < self.EVERY

    def _set_subtitle(self, text: str) -> None:
        if text != self._subtitle:
            self._subtitle = self.border_subtitle = text

    @property
    def subtitle_start(self) -> int:
        """Column of the screen at which the words in the lower border begin."""
        return self.region.right - (_content(self._subtitle).cell_length + 4 if self._subtitle else 0)

    def paint(self, width: int, height: int) -> list[Line]:
        if self._problem is not None:
            return self._failure(self._problem, width)
        if self.view is None:
            return []
        if self.has_nothing(self.view):
            return in_the_middle(wrap(self.with_keys(self.empty(self.view)), min(width, 56), "muted"), width, height)
        return self.draw(self.view, width, height)

    def has_nothing(self, view: View) -> bool:
        """True where `empty` is to be shown instead."""
        return False

    def empty(self, view: View) -> str:
        """EMPTY, unless a pane knows more of this run."""
        return self.EMPTY

    def depends(self, view: View) -> object:
        """Compared by equality with that of the last drawing."""
        raise NotImplementedError

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        """At most `height` lines for `width` columns."""
        raise NotImplementedError

    def subtitle(self, view: View) -> str:
        """The lower border's text, in Textual markup; usually empty."""
        return ""


@dataclass(frozen=True, slots=True)
class Tab:
    """A pane's key and name in a border. start, end: its columns there."""

    pane: Pane
    key: str
    name: str  # empty where there is room for the key alone
    start: int
    end: int


def tabs(shown: Pane, siblings: Sequence[Pane], width: int) -> list[Tab]:
    """`1 2 3 Time  4 Workers  5 Table  6 8`: the shown one named, then the nearest of the others while there is room for names.

    siblings: all of the slot, the shown one among them. width: of the pane, border included.
    """
    if len(siblings) < 2:
        return _placed([(shown, shown.key, shown.NAME)])
    here = siblings.index(shown)
    cells = [(pane, pane.key, shown.SHORT if pane is shown else "") for pane in siblings]
    room = max(width - AROUND, 0)
    for index in sorted(range(len(siblings)), key=lambda index: (abs(index - here), index < here)):
        pane = siblings[index]
        tried = [*cells[:index], (pane, pane.key, pane.SHORT), *cells[index + 1 :]]
        cells = tried if _width(tried) <= room else cells
    while len(cells) > 1 and _width(cells) > room:
        cells.pop(-1 if cells[-1][0] is not shown else -2)
    return _placed(cells)


def _width(cells: Sequence[_Cell]) -> int:
    return _placed(cells)[-1].end - BEFORE


def _placed(cells: Sequence[_Cell]) -> list[Tab]:
    found: list[Tab] = []
    for pane, key, name in cells:
        column = found[-1].end + len(_gap(found[-1].name, name)) if found else BEFORE
        found.append(Tab(pane, key, name, column, column + len(key) + bool(key and name) + len(name)))
    return found


def _gap(before: str, after: str) -> str:
    """Between two tabs of these names: keys alone stand closer."""
    return "  " if before or after else " "


def tab_markup(found: Sequence[Tab], shown: Pane, focused: bool) -> str:
    """For a border's title. What has the focus is turned round, so that it is seen without colours too."""
    words = [_words(tab, tab.pane is shown, len(found) == 1, focused) for tab in found]
    gaps = [_gap(one.name, other.name) for one, other in pairwise(found)]
    return "".join(part for pair in zip_longest(words, gaps, fillvalue="") for part in pair)


def _words(tab: Tab, is_shown: bool, is_alone: bool, focused: bool) -> str:
    if not tab.key:
        return tab.name
    if is_shown and focused:
        return f"[bold reverse]{tab.key} {tab.name}[/]"
    name = "bold $foreground" if is_shown else "$faint"
    key = "bold $primary" if is_shown else "$muted"
    if is_alone:
        return f"[{key}]{tab.key}[/] {tab.name}"
    return f"[{key}]{tab.key}[/]" + (f"[{name}] {tab.name}[/]" if tab.name else "")


def in_the_middle(lines: list[Line], width: int, height: int) -> list[Line]:
    """The lines centred in the room, as far as they fit."""
    left = max(width - max((width_of(line) for line in lines), default=0), 0) // 2
    above = max(height - len(lines), 0) // 2
    return [*([()] * above), *(((" " * left, ""), *line) for line in lines)][:height]
