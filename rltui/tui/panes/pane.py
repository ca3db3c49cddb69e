"""Pane: one bordered room of the cockpit that draws a view of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.geometry import Region
from textual.message import Message

from rltui.tui.paint import Line, width_of, wrap
from rltui.tui.panes.tabs import Tab, markup, tabs
from rltui.tui.settings.own_keys import OwnKeys
from rltui.tui.settings.spoken_keys import pane_key, with_keys
from rltui.tui.symbols import ChartStyle
from rltui.tui.typed_filter import PASTE, one_line
from rltui.tui.widgets.painted import Painted

if TYPE_CHECKING:
    from rltui.tui.run.model import RunSnapshot

# A place in the cockpit, held by one pane at a time. side is beside the log, where there is room; else its panes are with table's.
Slot = Literal["charts", "table", "rewards", "time", "facts", "log", "side"]


@dataclass(frozen=True, slots=True)
class View:
    """What a pane draws from: the run, the moment (Unix seconds), how charts are drawn.

    frozen: since when the display stands still while training goes on, for the status with what has come meanwhile.
    """

    snapshot: RunSnapshot
    now: float
    charts: ChartStyle = "braille"
    frozen: str = ""


class Pane(Painted, can_focus=True):
    """Subclasses give `draw`, and `depends`: what of the view it reads, so that nothing else makes it draw again.

    Whatever a subclass raises, with a new view or at a key, is shown in the pane until the next view that it can take.
    """

    NUMBER: ClassVar[str] = ""  # the key that shows it, unless the user has given it another one
    SLOT: ClassVar[Slot] = "table"
    ROOMY_SLOT: ClassVar[Slot | None] = None  # where it stands instead in a terminal that has this slot too
    NAME: ClassVar[str] = ""
    SHORT: ClassVar[str] = ""  # the name where there is little room
    HELP: ClassVar[str] = ""  # `<action>` in it stands for a key, in EMPTY too
    EVERY: ClassVar[float] = 0.0  # seconds at least between two drawings: a chart need not follow each short iteration
    EMPTY: ClassVar[str] = ""  # what will appear here and how to get it
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
        title = markup(self._tabs, self, self.has_focus)
        if title != self._title:
            self._title = self.border_title = title

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

    def said(self, text: str) -> str:
        """With the keys that `<action>` in it stands for."""
        return with_keys(text, self.own_keys)

    @property
    def typing(self) -> bool:
        """Whether keys go into a line or a list in it."""
        return False

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return self.typing

    def on_paste(self, event: events.Paste) -> None:
        """Goes into the line that is typed in, if one is."""
        if self.check_consume_key("v", "v"):
            event.stop()
            self.post_message(events.Key(PASTE, one_line(event.text)))

    @classmethod
    def pane_id(cls) -> str:
        """As the registry of keys and ui.toml call it: the class's name without "Pane", in lower case."""
        return cls.__name__.removesuffix("Pane").lower()

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

    def show_at_once(self, view: View) -> None:
        """Take this view however soon it comes after another."""
        self._drawn = None
        self.show(view)

    def _painted(self) -> list[Line]:
        """The lower border follows: it may tell of what was drawn."""
        lines = super()._painted()
        if self.view is not None and self._problem is None and lines:
            try:
                self._set_subtitle(self.subtitle(self.view))
            except Exception as error:
                return self._failure(error, self.size.width)
        return lines

    def _is_too_soon(self, now: float) -> bool:
        return self._drawn is not None and 0 <= now - self._drawn < self.EVERY

    def _set_subtitle(self, text: str) -> None:
        """Only a change is set, and only its row drawn: by `border_subtitle` Textual would draw the whole pane again.

        `_border_subtitle` is private to it; the pictures of the panes show whether it still is the place.
        """
        if text != self._subtitle:
            self._subtitle = text
            self._border_subtitle = self.render_str(text)
            width, height = self.outer_size
            self.refresh(Region(-self.gutter.left, height - 1 - self.gutter.top, width, 1))

    def paint(self, width: int, height: int) -> list[Line]:
        if self._problem is not None:
            return self._failure(self._problem, width)
        if self.view is None:
            return []
        if self.has_nothing(self.view):
            return in_the_middle(wrap(self.said(self.EMPTY), min(width, 56), "muted"), width, height)
        return self.draw(self.view, width, height)

    def has_nothing(self, view: View) -> bool:
        """True where EMPTY is to be shown instead."""
        return False

    def depends(self, view: View) -> object:
        """Compared by equality with that of the last drawing."""
        raise NotImplementedError

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        """At most `height` lines for `width` columns."""
        raise NotImplementedError

    def subtitle(self, view: View) -> str:
        """The lower border's text, in Textual markup; usually empty."""
        return ""


def in_the_middle(lines: list[Line], width: int, height: int) -> list[Line]:
    """The lines centred in the room, as far as they fit."""
    left = max(width - max((width_of(line) for line in lines), default=0), 0) // 2
    above = max(height - len(lines), 0) // 2
    return [*([()] * above), *(((" " * left, ""), *line) for line in lines)][:height]
