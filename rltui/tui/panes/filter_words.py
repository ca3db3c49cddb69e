"""What a table's lower border says of the filter typed in it: how much it shows, how much it hides, the ways out. Pure."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content

from rltui.tui.paint import clean, crop_text
from rltui.tui.typed_filter import TypedFilter

LEAST_TEXT = 8  # columns that the filter's own text keeps
ASKED = "a regular expression, ! inverts"
CLEARS = "esc clears"


def filter_words(typed: TypedFilter[object], shown: int, of: int, usual: str, room: int) -> str:
    """Markup of at most `room` columns: `/jump▏ 24 of 90, 66 hidden · enter sets it · esc clears`.

    usual: what the border says without a filter (markup); it follows where there is room for it.
    """
    caret = "▏" if typed.typing else ""
    if typed.pattern.problem:
        text = _end(typed.pattern.text, room, CLEARS)
        problem = crop_text(typed.pattern.problem, max(room - cell_len(f"/{text}{caret} "), 1))
        return f"[$error]{_escaped(f'/{text}{caret} {problem}')}[/]"
    told = _forms(typed, shown, of)
    words = next((words for words in told if cell_len(f"/{typed.pattern.text}{caret} {words}") <= room), told[-1])
    text = _end(typed.pattern.text, room, words)
    found = f"[$primary]{_escaped(f'/{text}{caret}')} [/][$muted]{words}[/]"  # a blank first: \\[ would be no markup
    whole = f"{found}[$muted] · [/]{usual}"
    return whole if usual and Content.from_markup(whole).cell_length <= room else found


def _forms(typed: TypedFilter[object], shown: int, of: int) -> list[str]:
    """From the whole to the briefest: how to clear it is the last to go."""
    text = typed.pattern.text
    count = f"{shown:,} of {of:,}" if text else ASKED
    hidden = f", {of - shown:,} hidden" if text else ""
    keeps = "enter sets it · " if typed.typing else ""
    return [f"{count}{hidden} · {keeps}{CLEARS}", f"{count}{hidden} · {CLEARS}", f"{count} · {CLEARS}", CLEARS]


def _end(text: str, room: int, beside: str) -> str:
    """The end of what is typed, where the caret is."""
    text, fits = clean(text), max(room - cell_len(beside) - len("/▏ "), LEAST_TEXT)
    while text and cell_len(text) > fits:
        text = "…" + text.removeprefix("…")[1:]
    return text


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")
