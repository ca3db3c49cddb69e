"""Modal screens: their base, the command palette, and prompts for a text, a name, a choice, an option, a diff to write.

Textual's `dismiss` takes away whatever is on top: the second click of a double click, or an answer that comes while the
palette is open, would close the wrong screen, in the end the launcher itself, and leave an empty one. A dialog closes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import unwrap
from typing import ClassVar, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette
from textual.containers import Horizontal, Vertical
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.tui.text import Line, clean, crop_text, fit, text_line, wrap
from rltui.tui.widgets.drawn_places import DrawnCompositor
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ListView, Row, ScrollableLines, TextView

Answer = TypeVar("Answer")
Choice = tuple[str, str | None, str, str]  # key, value, title, explanation
NO_FILTER = "no filter here (esc)"
NO_FILTER_IN_PANE = "no filter in this pane (esc)"
VERDICT_ROWS = 2
CHOOSER_STEPS = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}
CHOICE_STEPS = {"up": -1, "shift+tab": -1, "down": 1, "tab": 1}
DIFF_ROLES = {"+": "good", "-": "bad", "@": "muted"}


class Dialog(ModalScreen[Answer]):
    """Modal screen that closes itself once and no other. One with a line or a list takes `/` itself."""

    BINDINGS: ClassVar[list[BindingType]] = [("slash", "no_filter", "Filter")]

    def __init__(self) -> None:
        super().__init__()
        self._compositor = DrawnCompositor()

    def action_no_filter(self) -> None:
        """What is typed behind it would choose an answer."""
        self.app.push_screen(NoFilterScreen())

    def leave(self) -> None:
        """ctrl+q."""
        self.dismiss(None)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        return super().dismiss(result) if bring_to_top(self) else AwaitComplete()


class Palette(CommandPalette):
    """Command palette that survives being taken away while it gathers, and a page turned without room.

    It overrides Textual's private `_gather_commands` and `_action_command_list`; tests/tui/test_resilience.py shows why.
    """

    def __init__(self) -> None:
        super().__init__(id="--command-palette")
        self._compositor = DrawnCompositor()

    def dismiss(self, result: None = None) -> AwaitComplete:
        return super().dismiss(result) if bring_to_top(self) else AwaitComplete()

    @work(exclusive=True, group=CommandPalette._GATHER_COMMANDS_GROUP)
    async def _gather_commands(self, search_value: str) -> None:
        """Textual's own ends the program where the palette is taken away meanwhile: it still looks for its list."""
        try:
            await unwrap(CommandPalette._gather_commands)(self, search_value)
        except NoMatches:
            if self in self.app.screen_stack:
                raise

    def _action_command_list(self, action: str) -> None:
        """Textual's list raises where it is to turn a page that it has had no room to draw."""
        if not action.startswith("page_") or self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)


def bring_to_top(screen: Screen[Answer]) -> bool:
    """Take away what has come above the screen. False where it is there no more."""
    app = screen.app
    if screen not in app.screen_stack:
        return False
    while app.screen is not screen:
        app.pop_screen()
    return True


class NoFilterText(LineWidget):
    """Text in front of the line."""

    def __init__(self, words: str) -> None:
        super().__init__(name="no-filter-text")
        self._words = words

    def on_mount(self) -> None:
        self.styles.width = len(self._words) + 4

    def paint(self, width: int, height: int) -> list[Line]:
        return [((f" {self._words}  ", "warn"), ("/", "key"))]


class NoFilterScreen(Dialog[None]):
    """Notice where `/` has nothing to filter, with a line that takes what is typed behind it, which would act as keys.

    Closed by enter or esc, or a click elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Close")]

    def __init__(self, words: str = NO_FILTER) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        with Horizontal(id="no-filter"):
            yield NoFilterText(self._words)
            yield Input(id="no-filter-line", compact=True)

    @on(Input.Submitted)
    def close(self) -> None:
        """As esc does."""
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()


@dataclass(frozen=True, slots=True)
class InputCheck:
    """Verdict on what is typed so far. good: enter takes it."""

    words: str
    good: bool = False


@dataclass(frozen=True, slots=True)
class TextPrompt:
    """What is asked for.

    empty: what enter does with nothing typed: None stays in the dialog, "cancel" closes it, "take" takes it.
    """

    title: str
    lines: tuple[tuple[str, str], ...]  # (text, role)
    judge: Callable[[str], InputCheck]
    value: str = ""
    placeholder: str = ""
    subtitle: str = "enter takes it · esc cancels"
    empty: str | None = None


class DialogText(LineWidget):
    """Text that takes the room it needs. words: its lines for a width; rows: at least so many."""

    def __init__(self, name: str, words: Callable[[int], list[Line]] = lambda width: [], rows: int = 1) -> None:
        super().__init__(name=name)
        self._words, self._rows = words, rows

    def show(self, words: Callable[[int], list[Line]]) -> None:
        self._words = words
        self.refresh(layout=True)
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        return self._words(width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(len(self._words(width)), self._rows)


class PromptDialog(Dialog[str | None]):
    """Dismissed with the text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, prompt: TextPrompt) -> None:
        super().__init__()
        self._prompt = prompt
        self._verdict = DialogText("typed-verdict", rows=VERDICT_ROWS)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = self._prompt.title
            box.border_subtitle = self._prompt.subtitle
            yield DialogText("typed-words", self._lines)
            yield Input(self._prompt.value, id="typed", compact=True, placeholder=self._prompt.placeholder)
            yield self._verdict

    def _lines(self, width: int) -> list[Line]:
        return [row for text, role in self._prompt.lines for row in wrap(text, width, role)]

    def on_mount(self) -> None:
        self._judge(self._prompt.value)

    @on(Input.Changed)
    def judge(self, event: Input.Changed) -> None:
        """What enter would do."""
        self._judge(event.value)

    def _judge(self, text: str) -> None:
        check = self._prompt.judge(text)
        self._verdict.show(lambda width: wrap(check.words, width, "good" if check.good else "muted"))

    @on(Input.Submitted)
    def send(self, event: Input.Submitted) -> None:
        """The text where it is good; nothing typed closes or takes, as asked."""
        if not event.value.strip() and self._prompt.empty is not None:
            self.dismiss("" if self._prompt.empty == "take" else None)
        elif self._prompt.judge(event.value).good:
            self.dismiss(event.value)


@dataclass(frozen=True)
class Option:
    """about: its explanation for a width. group: the heading that it stands under, "" for none."""

    name: str
    group: str
    about: Callable[[int], list[Line]]


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
                yield ListView(name="chooser-rows")
                yield TextView("chooser-about")

    def on_mount(self) -> None:
        self.query_one(ListView).can_focus = self.query_one(TextView).can_focus = False
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
        width = self.query_one(ListView).size.width
        for each in found:
            if each.group != group:
                group = each.group
                rows.append(Row(None, ((" ", ""), (group, "title"))))
            mark = "●" if each.name == self._current else " "
            rows.append(Row(each.name, ((f" {mark} ", "good"), (crop_text(clean(each.name), max(width - 3, 8)), ""))))
        if not rows:
            rows = [Row(None, ((f" {self._own or 'nothing of that name'}", "muted"),))]
        self.query_one(ListView).set_rows(rows, wanted or None)
        self._explain()

    def _explain(self) -> None:
        about, key = self.query_one(TextView), self.query_one(ListView).key
        option = next((each for each in self._options if each.name == key), None)
        about.first = 0
        about.show(option.about if option else lambda width: [])

    def on_list_view_highlighted(self) -> None:
        self._explain()

    def on_list_view_chosen(self) -> None:
        self._choose()

    def on_key(self, event: events.Key) -> None:
        if event.key in CHOOSER_STEPS:
            self.query_one(ListView).move(CHOOSER_STEPS[event.key])
            event.stop()

    @on(Input.Submitted)
    def _choose(self) -> None:
        typed, key = self.query_one(Input).value.strip(), self.query_one(ListView).key
        if self._own and typed and (":" in typed or "/" in typed or "." in typed):
            self.dismiss(typed)
        elif isinstance(key, str):
            self.dismiss(key)
        elif self._own and typed:
            self.dismiss(typed)


class Choices(LineWidget, can_focus=True):
    """Choices with an explanation each; arrows move, enter and the letters choose."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__(name="choices")
        self.choices = choices
        self.cursor = 0
        self._owners: list[int] = []  # which choice each painted row belongs to

    def paint(self, width: int, height: int) -> list[Line]:
        lines: list[Line] = []
        self._owners = []
        for index, (key, _, title, text) in enumerate(self.choices):
            rows: list[Line] = [
                ((f" {'▸' if index == self.cursor else ' '} ", "key"), (key, "key"), (f"  {title}", "strong"))
            ]
            rows += [(("      ", ""), *row) for row in wrap(text, width - 7, "muted")]
            if index == self.cursor:
                rows = [tuple((span, f"{role} cursor".strip()) for span, role in fit(row, width)) for row in rows]
            lines += [*rows, ()]
            self._owners += [index] * (len(rows) + 1)
        return lines[:-1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100))

    def on_key(self, event: events.Key) -> None:
        letters = {key: index for index, (key, *_) in enumerate(self.choices)}
        if event.key in letters:
            self._choose(letters[event.key])
        elif event.key in CHOICE_STEPS:
            self._go((self.cursor + CHOICE_STEPS[event.key]) % len(self.choices))
        elif event.key == "enter":
            self._choose(self.cursor)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        if event.y < len(self._owners):
            self._choose(self._owners[event.y])

    def _go(self, cursor: int) -> None:
        self.cursor = cursor
        self.repaint()

    def _choose(self, index: int) -> None:
        self.screen.dismiss(self.choices[index][1])


class AskDialog(Dialog["str | None"]):
    """A question with choices; the safe one first."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title, self._choices = title, choices

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as box:
            box.border_title = self._title
            yield Choices(self._choices)


class NameDialog(Dialog["str | None"]):
    """Dismissed with a name that `judge` has nothing against."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str, text: str, suggested: str, judge: Callable[[str], str]) -> None:
        """judge: a name → what it becomes, in words; RltuiError for one that cannot be."""
        super().__init__()
        self._title, self._explained, self._suggested, self._judge = title, text, suggested, judge

    def compose(self) -> ComposeResult:
        with Vertical(id="save-box") as box:
            box.border_title, box.border_subtitle = self._title, "enter goes on · esc cancels"
            yield DialogText("new-name-about", lambda width: [*wrap(self._explained, width, "muted"), ()])
            yield Input(self._suggested, id="new-name", compact=True, select_on_focus=True)
            yield DialogText("new-name-words", self._verdict)

    def _verdict(self, width: int) -> list[Line]:
        name = self.query_one(Input).value.strip()
        try:
            return wrap(f"✓ {self._judge(name)}", width, "good")
        except RltuiError as error:
            return (
                wrap(f"✗ {error.message}; {error.hint}", width, "bad") if name else [text_line("a name, as in my-bot")]
            )

    @on(Input.Changed)
    def judge(self, event: Input.Changed) -> None:
        """What the name becomes."""
        self.query_one("#new-name-words", DialogText).show(self._verdict)

    @on(Input.Submitted)
    def accept(self, event: Input.Submitted) -> None:
        """Only a name that can be."""
        name = event.value.strip()
        try:
            self._judge(name)
        except RltuiError:
            return
        self.dismiss(name)


def diff_lines(head: Sequence[tuple[str, str]], diff: Sequence[str], width: int) -> list[Line]:
    """What to know before the diff is written, then its lines, coloured."""
    lines = [line for text, role in head for line in wrap(text, width, role)]
    lines += [()] if lines else []
    for line in diff:
        text = "…" if line.startswith("@@") else line
        lines.append(((crop_text(clean(text), width), DIFF_ROLES.get(line[:1], "")),))
    return lines


class DiffDialog(Dialog[bool]):
    """What will be written. Dismissed with whether to write it."""

    CSS_PATH = "../styles/form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(False)", "Cancel"),
        ("q", "dismiss(False)", "Cancel"),
        ("enter", "dismiss(True)", "Write"),
    ]

    def __init__(self, title: str, head: Sequence[tuple[str, str]], diff: Sequence[str], *, asks: bool = True) -> None:
        """head: (text, role) above the diff. asks: whether anything follows from enter."""
        super().__init__()
        self._title, self._head, self._diff, self._asks = title, head, diff, asks

    def compose(self) -> ComposeResult:
        with Vertical(id="save-box") as box:
            box.border_title = self._title
            box.border_subtitle = (
                "enter writes it · ↑ ↓ scroll · esc cancels" if self._asks else "esc closes · ↑ ↓ scroll"
            )
            yield TextView("save-diff", partial(diff_lines, self._head, self._diff))

    def on_mount(self) -> None:
        self.query_one(TextView).focus()


class TextDialog(Dialog[None]):
    """Shows a text; any of esc, q and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss", "Close"),
        ("q", "dismiss", "Close"),
        ("enter", "dismiss", "Close"),
    ]

    def __init__(self, title: str, text: ScrollableLines) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        with Vertical(id="help") as box:
            box.border_title = self._title
            box.border_subtitle = "esc closes · ↑ ↓ scroll"
            yield self._text
