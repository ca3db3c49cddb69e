"""Lines of spans: widths, cropping, wrapping, in terminal columns."""

from __future__ import annotations

from rltui.tui.text import beside, clean, crop, crop_text, ends, fit, pad, plain, text_line, width_of, wrap


def test_a_line_is_cropped_with_an_ellipsis_and_keeps_its_roles() -> None:
    line = (("steps", "muted"), (" 12,431,360", "strong"))
    assert crop(line, 16) == line
    assert crop(line, 10) == (("steps", "muted"), (" 12,…", "strong"))
    assert plain([crop(line, 5)]) == "step…"  # something was cut, so it must be seen
    assert plain([crop(line, 1)]) == "…"
    assert plain([crop(line, 0)]) == ""


def test_wide_characters_count_two_columns() -> None:
    assert width_of(text_line("球球ab")) == 6
    assert width_of(fit(text_line("球球球"), 4)) == 4
    assert pad("球", 4) == "球  "
    assert pad("球", 4, ">") == "  球"


def test_fit_is_exact_at_every_width() -> None:
    line = (("alpha", ""), (" 球 beta", "muted"), ("gamma", ""))
    assert [width_of(fit(line, width)) for width in range(30)] == list(range(30))


def test_ends_keeps_the_right_side() -> None:
    assert plain([ends(text_line("a long left side"), text_line("right"), 12)]) == "a long…right"
    assert plain([ends(text_line("left"), text_line("right"), 12)]) == "left   right"


def test_beside_fills_the_shorter_block() -> None:
    lines = beside([[text_line("ab"), text_line("c")], [text_line("x")]], [3, 2], gap=1)
    assert plain(lines) == "ab  x\nc"
    assert [width_of(line) for line in lines] == [6, 6]


def test_wrap_keeps_words_breaks_and_indents() -> None:
    assert plain(wrap("one two three", 7)) == "one two\nthree"
    assert plain(wrap("first\n\n    return x + y", 12)) == "first\n\n    return x\n    + y"
    assert plain(wrap("abcdefgh ij", 3)) == "abc\ndef\ngh\nij"
    assert wrap("", 5) == [()]


def test_control_characters_cannot_move_the_cursor() -> None:
    assert clean("a\x1b[2Jb\tc\r") == "a [2Jb c "


def test_a_word_of_a_million_characters_is_cut() -> None:
    assert len(wrap("a" * 1_000_000, 80)) == 12_500
    assert plain(wrap("球" * 5, 4)) == "球球\n球球\n球"
    assert plain(wrap("球球", 1)) == "球\n球"
    assert crop_text("e\u0301" * 1_000_000, 3) == "e\u0301e\u0301…"
    assert crop_text("\u0301" * 1_000, 2).endswith("…")
