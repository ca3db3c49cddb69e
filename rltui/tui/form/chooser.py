"""Choosing one of many by name, group and explanation; or typing another. Lists of rewards, resets, tables, choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input

from rltui.tui.paint import Line, clean, crop_text
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.row_list import Row, RowList
from rltui.tui.widgets.scrolled import Scrolled

MOVES = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}


@dataclass(frozen=True)
class Option:
    """about: its explanation for a width. group: the heading that it stands under, "" for none."""

    name: str
    group: str
    about: Callable[[int], list[Line]]


class About(Scrolled, can_focus=False):
    """What the highlighted option is."""

    def __init__(self) -> None:
        super().__init__(name="chooser-about")
        self.words: Callable[[int], list[Line]] = lambda width: []

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self.words(width), height)


class Chooser(Dialog["str | None"]):
    """Dismissed with a name, or with what was typed where `own` allows that; None when it is left."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, options: Sequence[Option], own: str = "", current: str = "") -> None:
        """own: what else may be typed, in words; "" where nothing may."""
        super().__init__()
        self._title, self._options, self._own, self._current = title, tuple(options), own, current

    def compose(self) -> ComposeResult:
        with Vertical(id="chooser") as box:
            box.border_title = self._title
            box.border_subtitle = "type to filter · ↑ ↓ · enter chooses · esc cancels"
            yield Input(id="chooser-filter", compact=True, placeholder=self._own or "filter")
            with Horizontal(id="chooser-body"):
                yield RowList(name="chooser-rows")
                yield About()

    def on_mount(self) -> None:
        self.query_one(RowList).can_focus = False
        self.query_one(Input).focus()
        self.call_after_refresh(self._show, self._current)

    @on(Input.Changed)
    def filter(self, event: Input.Changed) -> None:
        """Only what has the words in it."""
        self._show()

    def _show(self, wanted: str | None = None) -> None:
        words = self.query_one(Input).value.lower().split()
        found = [each for each in self._options if all(word in f"{each.name} {each.group}".lower() for word in words)]
        rows: list[Row] = []
        group = ""
        width = self.query_one(RowList).size.width
        for each in found:
            if each.group != group:
                group = each.group
                rows.append(Row(None, ((" ", ""), (group, "title"))))
            mark = "●" if each.name == self._current else " "
            rows.append(Row(each.name, ((f" {mark} ", "good"), (crop_text(clean(each.name), max(width - 3, 8)), ""))))
        if not rows:
            rows = [Row(None, ((f" {self._own or 'nothing of that name'}", "muted"),))]
        self.query_one(RowList).set_rows(rows, wanted or None)
        self._tell()

    def _tell(self) -> None:
        about = self.query_one(About)
        key = self.query_one(RowList).key
        option = next((each for each in self._options if each.name == key), None)
        about.words, about.first = (option.about if option else lambda width: []), 0
        about.repaint()

    def on_row_list_highlighted(self) -> None:
        self._tell()

    def on_row_list_chosen(self) -> None:
        self._choose()

    def on_key(self, event: events.Key) -> None:
        if event.key in MOVES:
            self.query_one(RowList).move(MOVES[event.key])
            event.stop()

    @on(Input.Submitted)
    def _choose(self) -> None:
        typed, key = self.query_one(Input).value.strip(), self.query_one(RowList).key
        if self._own and typed and (":" in typed or "/" in typed or "." in typed):
            self.dismiss(typed)
        elif isinstance(key, str):
            self.dismiss(key)
        elif self._own and typed:
            self.dismiss(typed)
