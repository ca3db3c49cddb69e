"""A filter typed in a pane: enter keeps it, esc drops it, what is no text is left to the pane."""

from __future__ import annotations

from rltui.tui.widgets.filter_bar import PASTE, Pattern, TypedFilter, one_line, typed_text


def test_what_is_pasted_is_typed() -> None:
    assert one_line("re\tward/\x1b[31mtouch\nq") == "reward/[31mtouch"
    assert one_line("") == one_line("\n") == ""
    assert typed_text("kl", PASTE, "_divergence") == "kl_divergence"


def test_what_keys_type() -> None:
    assert typed_text("kl", "backspace", None) == "k"
    assert typed_text("kl", "ctrl+u", "\x15") == ""
    assert typed_text("kl", "é", "é") == "klé"
    assert typed_text("kl", "f5", None) is None


def test_enter_keeps_it_and_the_line_opens_with_it_again() -> None:
    line = TypedFilter[int]()
    line.open(3)
    assert [line.press(key, key) for key in "kl"] == ["typed", "typed"]
    assert line.press("up", None) == "ignored"
    assert (line.press("enter", "\r"), line.typing, line.pattern) == ("kept", False, Pattern("kl"))
    line.open(0)
    assert (line.typing, line.pattern, line.before) == (True, Pattern("kl"), 0)


def test_esc_drops_it_and_names_where_to_go_back_to() -> None:
    line = TypedFilter[int]()
    line.open(3)
    line.press("k", "k")
    assert (line.press("escape", None), line.typing, line.pattern, line.before) == ("dropped", False, Pattern(), 3)
