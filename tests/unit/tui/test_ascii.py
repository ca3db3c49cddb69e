"""Where ASCII is needed, and that every line becomes ASCII of the same width."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.color import Color

from rltui.supervise.terminal import WEB_DRIVER
from rltui.tui.ascii import AsciiFilter, chart_style, needs_ascii, to_ascii


def test_where_ascii_is_needed(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], bool]] = [
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "C.utf8"}, False),
        ({"LC_CTYPE": "UTF-8"}, False),
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),  # Python sets LC_CTYPE itself where LANG is C
        ({"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "dumb"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "linux"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "xterm-256color"}, False),
        ({"LANG": "C", "TERM": "linux", "TEXTUAL_DRIVER": WEB_DRIVER}, False),
    ]
    for environ, ascii_only in cases:
        with subtests.test(environ=environ):
            assert needs_ascii(environ) is ascii_only


def test_what_charts_are_drawn_with() -> None:
    assert chart_style({}, ascii_only=True) == "ascii"
    assert chart_style({}, ascii_only=False, windows=False) == "braille"
    assert chart_style({}, ascii_only=False, windows=True) == "blocks"
    assert chart_style({"WT_SESSION": "1"}, ascii_only=False, windows=True) == "braille"


def test_every_line_becomes_ascii_of_the_same_width() -> None:
    text = "╭─ 1 Metrics ─╮ ● COLLECTING · 58.4 µs – ━━╸── ⣿ 球 é"
    found = to_ascii(text)
    assert found.isascii()
    assert len(found) == len(text) + 1  # the ideograph takes two columns
    assert found.startswith("+- 1 Metrics -+ * COLLECTING | 58.4 us - ==--- ? ?? ?")
    segments = AsciiFilter().apply([Segment("━"), Segment("plain")], Color.parse("black"))
    assert [segment.text for segment in segments] == ["=", "plain"]
