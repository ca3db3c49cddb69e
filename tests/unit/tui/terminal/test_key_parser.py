"""Whatever a terminal sends is a key, a mouse event, or nothing; never an exception, and garbled reports are no keys."""

from __future__ import annotations

import random

import pytest
from textual import events
from textual.message import Message

from rltui.tui.terminal.driver import PASTE_END, KeyParser
from tests.fakes.garbled_keys import garbled


def fed(parser: KeyParser, text: str) -> list[Message]:
    return list(parser.feed(text))


def keys(messages: list[Message]) -> list[str]:
    return [message.key for message in messages if isinstance(message, events.Key)]


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[1;1:99u",  # a text of two code points that are none
        "\x1b[1:2;1u",
        "\x1b[1114112u",  # past the last code point
        "\x1b[55296u",  # half a surrogate pair
        "\x1b[99999999999999u",
        "\x1b[1;1:99S",  # its last letter alone would stop the training
        "\x1b[?1;0;80S",
        "\x1b[>41;354;0c",
        "\x1b[?62;22c",
        "\x1b[;;;M",
        "\x1b[<0;-5;-5M",
    ],
)
def test_what_means_nothing_is_swallowed_whole(sequence: str) -> None:
    parser = KeyParser()
    assert keys(fed(parser, sequence + "z")) == ["z"]


@pytest.mark.parametrize(
    ("sequence", "key"),
    [
        ("\x1b[A", "up"),
        ("\x1b[1;5A", "ctrl+up"),
        ("\x1b[[A", "f1"),
        ("\x1b[15~", "f5"),
        ("\x1b[97;5u", "ctrl+a"),
        ("\x1bOP", "f1"),
        ("S", "S"),
        ("\u00e9", "\u00e9"),
    ],
)
def test_real_keys_are_still_keys(sequence: str, key: str) -> None:
    assert keys(fed(KeyParser(), sequence)) == [key]


def test_mouse_and_mode_reports_still_arrive() -> None:
    parser = KeyParser()
    (down,) = fed(parser, "\x1b[<0;11;6M")
    assert isinstance(down, events.MouseDown)
    assert (down.x, down.y) == (10, 5)
    assert type(fed(parser, "\x1b[?2026;1$y")[0]).__name__ == "TerminalSupportsSynchronizedOutput"


def test_the_mouse_survives_a_terminal_of_no_size() -> None:
    parser = KeyParser()
    fed(parser, "\x1b[48;0;0;0;0t")
    (down,) = fed(parser, "\x1b[<0;11;6M")
    assert isinstance(down, events.MouseDown)


def test_ten_thousand_garbled_sequences() -> None:
    parser = KeyParser()
    for data in garbled(random.Random(4), 10_000):
        if text := data.decode("utf-8", "ignore"):  # an empty text would end all input
            fed(parser, text)
    fed(parser, PASTE_END + " " * 40)
    assert keys(fed(parser, "z")) == ["z"]
