"""Modal screens: their base, the command palette, and the four dialogs: a choice, a text, a list to choose from, a text to read.

Textual's `dismiss` takes away whatever is on top: the second click of a double click, or an answer that comes while the
palette is open, would close the wrong screen, in the end the launcher itself, and leave an empty one. A dialog closes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import unwrap
from typing import ClassVar, Literal, TypeVar

from rich.cells import cell_len
from textual import events, on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.command import CommandList, CommandPalette
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.screen import ModalScreen, Screen
from textual.suggester import Suggester
from textual.validation import ValidationResult, Validator
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from rltui.errors import RltuiError
from rltui.tui.text import SOLID, Line, clean, crop_text, pad, wrap
from rltui.tui.widgets.compositor import PlacedCompositor
from rltui.tui.widgets.list_view import TextView

Answer = TypeVar("Answer")
Words = Callable[[int], list[Line]]  # lines for a width
Choice = tuple[str, Answer | None, str]  # its letter, what the dialog is dismissed with, what it does
MOST_LABEL = 40  # columns of a label with a note behind it
VERDICT_ROLES = {"!": "warn", "…": "muted"}
DIFF_ROLES = {"+": "good", "-": "bad", "@": "muted"}


class Dialog(ModalScreen[Answer]):
    """Modal screen with one box: title, `body`, keys in the lower border. Closes itself once and no other.

    esc or q leaves it; one with a line or a list to filter takes `/` and letters itself.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "dismiss(None)", "Cancel"),
        ("slash", "no_filter", "Filter"),
    ]

    def __init__(self, title: str, keys: str = "", size: Literal["", "wide", "list", "full"] = "") -> None:
        """keys: what is to be known of them; they can be changed with `show_keys`."""
        super().__init__()
        self._compositor = PlacedCompositor()
        self._box = Vertical(id="dialog", classes=size or None)
        self._box.border_title = Content(title)
        self.show_keys(keys)

    def compose(self) -> ComposeResult:
        with self._box:
            yield from self.body()

    def body(self) -> ComposeResult:
        """The box's widgets."""
        raise NotImplementedError

    def show_keys(self, keys: str) -> None:
        self._box.border_subtitle = Content(keys)

    def action_no_filter(self) -> None:
        raise RltuiError("nothing to filter here")

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
        self._compositor = PlacedCompositor()

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


class DialogText(TextView, can_focus=False):
    """Text as high as it needs to be."""

    def show(self, words: Words) -> None:
        super().show(words)
        self.refresh(layout=True)


def _words(text: str | Words) -> Words:
    return (lambda width: wrap(text, width, "muted")) if isinstance(text, str) else text


class Options(OptionList):
    """List of options, the cursor a shape too. Each option's content leaves its first column blank for the sign."""

    BINDINGS: ClassVar[list[BindingType]] = [("j,tab", "cursor_down", "Down"), ("k,shift+tab", "cursor_up", "Up")]

    def __init__(self, name: str, *options: Option) -> None:
        self._signed: Option | None = None
        super().__init__(*options, id=name, compact=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Textual raises where it is to turn a page that it has had no room to draw."""
        return not action.startswith("page_") or bool(self.scrollable_content_region)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._sign(self._signed, Content(" "))
        self._sign(event.option, Content.styled(SOLID, "$primary"))
        self._signed = event.option

    def _sign(self, option: Option | None, sign: Content) -> None:
        if option in self.options and option is not None and isinstance(option.prompt, Content):
            self.replace_option_prompt_at_index(self.options.index(option), sign + option.prompt[1:])


class ChoiceDialog(Dialog[Answer | None]):
    """Question with its answers, each with a letter; the safe one comes first."""

    def __init__(self, title: str, choices: Sequence[Choice[Answer]], text: str | Words = "") -> None:
        """text: what changes by it."""
        super().__init__(title)
        self._choices = choices
        self._text = DialogText("dialog-text", _words(text)) if text else None

    def body(self) -> ComposeResult:
        if self._text is not None:
            yield self._text
        yield Options("choices", *map(_option, self._choices))

    def on_mount(self) -> None:
        self.query_one(Options).focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._answer(event.option_id)

    def on_key(self, event: events.Key) -> None:
        if any(event.key == key for key, *_ in self._choices):
            event.stop()
            self._answer(event.key)

    def _answer(self, letter: str | None) -> None:
        self.dismiss(next(answer for key, answer, _ in self._choices if key == letter))


def _option(choice: Choice[object]) -> Option:
    letter, _, words = choice
    return Option(Content.assemble((f" {letter}", "$primary bold"), f"  {clean(words)}"), letter)


class PromptValidator(Validator):
    """Validator by a function of the text: it says what enter does, or raises an RltuiError."""

    def __init__(self, judge: Callable[[str], str]) -> None:
        super().__init__()
        self._judge = judge
        self.words = ""

    def validate(self, value: str) -> ValidationResult:
        try:
            self.words = self._judge(value)
        except RltuiError as error:
            return self.failure(f"{error.message}; {error.hint}" if error.hint else error.message)
        return self.success()


class PromptDialog(Dialog[str | None]):
    """Line to type in, judged with each key. Dismissed with the text, or None."""

    def __init__(
        self,
        title: str,
        judge: Callable[[str], str],
        text: str | Words = "",
        value: str = "",
        placeholder: str = "",
        suggester: Suggester | None = None,
    ) -> None:
        """judge: what enter does with the text, a doubt with a `!` in front; raises an RltuiError where it does nothing, with
        a `…` in front where the text may go on so. text: what is to be known of it.
        """
        super().__init__(title, "esc cancels")
        self._text = DialogText("dialog-text", _words(text)) if text else None
        self._validator = PromptValidator(judge)
        self._verdict = DialogText("verdict")
        self.line = Input(
            value, placeholder, id="typed", compact=True, validators=[self._validator], suggester=suggester
        )

    def body(self) -> ComposeResult:
        if self._text is not None:
            yield self._text
        yield self.line
        yield self._verdict

    def on_mount(self) -> None:
        self._show(self.line.validate(self.line.value))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self._show(event.validation_result)

    def _show(self, result: ValidationResult | None) -> None:
        """Nothing typed is no mistake yet."""
        words = self._validator.words
        role = VERDICT_ROLES.get(words[:1], "good")
        if result is not None and not result.is_valid:
            words = "; ".join(result.failure_descriptions) if self.line.value.strip() else ""
            role = VERDICT_ROLES.get(words[:1], "bad")
        sign = {"good": "✓ ", "bad": "✗ "}.get(role, "") if words else ""
        self._verdict.show(lambda width: wrap(sign + words, width, role))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.validation_result is None or event.validation_result.is_valid:
            self.take(event.value)

    def take(self, text: str) -> None:
        """enter."""
        self.dismiss(text)


@dataclass(frozen=True)
class Chosen:
    """One of a chooser's list. label, note: what is shown of it. about: its explanation. group: the heading above it."""

    name: str
    group: str = ""
    about: Words | None = None
    label: str = ""
    note: str = ""


class ChooserLine(Input):
    """Line that filters a chooser; where that has marks, it leaves space to them."""

    def __init__(self, placeholder: str, *, marks: bool) -> None:
        super().__init__(id="chooser-filter", compact=True, placeholder=placeholder)
        self._marks = marks

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return not (self._marks and key == "space") and super().check_consume_key(key, character)


class ChooserDialog(Dialog["str | None"]):
    """List with a line that filters it. Dismissed with the name under the cursor, or what was typed where `own` allows it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("up", "move('cursor_up')", "Up"),
        ("down", "move('cursor_down')", "Down"),
        ("pageup", "move('page_up')", "Page up"),
        ("pagedown", "move('page_down')", "Page down"),
        Binding("home", "move('first')", "First", priority=True),
        Binding("end", "move('last')", "Last", priority=True),
        Binding("space", "mark", "Mark", priority=True),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Chosen],
        own: str = "",
        current: str = "",
        marked: set[str] | None = None,
        keys: str = "enter chooses · esc cancels",
    ) -> None:
        """own: what else may be typed, in words; "" where nothing may. marked: names that space marks, changed in place."""
        super().__init__(title, keys, "list")
        self._choices, self._own, self._marked = {each.name: each for each in choices}, own, marked
        self._current = {current} if marked is None else marked
        self._wanted = current
        self._labels = min(max((cell_len(each.label or each.name) for each in choices), default=0), MOST_LABEL)
        self._line = ChooserLine(own or "filter", marks=marked is not None)
        self._list, self._about = Options("chooser-list"), TextView("chooser-about")

    def body(self) -> ComposeResult:
        yield self._line
        with Horizontal(id="chooser-body"):
            yield self._list
            if any(each.about for each in self._choices.values()):
                yield self._about

    def on_mount(self) -> None:
        self._list.can_focus = self._about.can_focus = False
        self._show(self._wanted)

    @on(Input.Changed)
    def _filter(self) -> None:
        self._show()

    def _show(self, wanted: str | None = "") -> None:
        """What has all the words in it; the cursor on `wanted`, else on the first."""
        words = self._line.value.lower().split()
        found = [
            each
            for each in self._choices.values()
            if all(word in f"{each.name} {each.label} {each.note} {each.group}".lower() for word in words)
        ]
        self._list.set_options(self._rows(found))
        names = [option.id for option in self._list.options]
        self._list.highlighted = (
            names.index(wanted) if wanted in names else next((i for i, name in enumerate(names) if name), None)
        )
        if not found:
            self._about.show(lambda width: [])

    def _rows(self, found: Sequence[Chosen]) -> Iterable[Option]:
        group = ""
        for each in found:
            if each.group != group:
                group = each.group
                yield Option(Content.styled(f" {group}", "$foreground bold"), disabled=True)
            label = clean(each.label or each.name)
            note = ("  " + clean(each.note), "$muted") if each.note else ""
            sign = ("●" if each.name in self._current else " ", "$success")
            yield Option(Content.assemble(" ", sign, " ", pad(label, self._labels) if note else label, note), each.name)
        if not found:
            yield Option(Content.styled(f" {self._own or 'nothing of that name'}", "$muted"), disabled=True)

    def action_mark(self) -> None:
        option = self._list.highlighted_option
        if self._marked is not None and option is not None and option.id is not None:
            self._marked ^= {option.id}
            self._show(option.id)

    @on(OptionList.OptionHighlighted)
    def _explain(self, event: OptionList.OptionHighlighted) -> None:
        about = self._choices[event.option_id].about if event.option_id in self._choices else None
        self._about.first = 0
        self._about.show(about or (lambda width: []))

    async def action_move(self, to: str) -> None:
        await self._list.run_action(to)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        if self._marked is None:
            self.dismiss(event.option_id)
        else:
            self.action_mark()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        typed, option = event.value.strip(), self._list.highlighted_option
        is_path = any(sign in typed for sign in ":/.")
        if self._own and typed and (is_path or option is None):
            self.dismiss(typed)
        elif option is not None:
            self.dismiss(option.id)


def diff_lines(head: Sequence[tuple[str, str]], diff: Sequence[str], width: int) -> list[Line]:
    """What to know before the diff is written, then its lines, coloured."""
    lines = [line for text, role in head for line in wrap(text, width, role)]
    lines += [()] if lines else []
    for line in diff:
        text = "…" if line.startswith("@@") else line
        lines.append(((crop_text(clean(text), width), DIFF_ROLES.get(line[:1], "")),))
    return lines


class TextDialog(Dialog[bool | None]):
    """Text to read. Dismissed with whether enter was pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "dismiss(True)", "Enter")]

    def __init__(self, title: str, words: Words, enter: str = "") -> None:
        """enter: what enter does; "" where it only closes."""
        super().__init__(title, f"enter {enter} · esc cancels" if enter else "esc closes", "wide")
        self._words = words

    def body(self) -> ComposeResult:
        yield TextView("dialog-words", self._words)

    def on_mount(self) -> None:
        self.query_one(TextView).focus()
