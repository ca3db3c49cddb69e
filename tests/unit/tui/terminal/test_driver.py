"""Wherever a line cuts what a terminal sends, it comes out whole; garbled reports and answers to nobody's questions are no keys."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from textual import events
from textual.message import Message

from rltui.tui.terminal.driver import LONGEST, PASTE, PASTE_END, KeyParser, SequenceBuffer
from tests.fakes.garbled_keys import garbled

WHOLE = (
    "a", "S", "é", "\x1b[A", "\x1bOP", "\x1b[[A", "\x1b[15~", "\x1b[97;5u", "\x1b[7$", "\x1b[M !!", "\x1b[<0;5;5M", "\x1b[I", "\x1b[?2026;2$y",
    f"{PASTE}lr 1e-4\nS\x1b[A\x1b]11;x\x07 漢{PASTE_END}", f"{PASTE}{PASTE_END}",
)  # fmt: skip
ANSWERS = (
    "\x1b]11;rgb:0000/0000/0000\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1b]52;c;UFBQUw==\x07", "\x1b]4;1;rgb:cd/0/0\x1b\\",
    "\x1bP1$r0m\x1b\\", "\x1bP>|XTerm(380)\x1b\\", "\x1bP1+r544e=78\x1b\\", "\x1b_Gi=31;OK\x1b\\",
)  # fmt: skip


def fed(buffer: SequenceBuffer, *parts: str) -> list[str]:
    """Pastes in braces."""
    found = [piece for part in parts for piece in buffer.feed(part)]
    return [piece if isinstance(piece, str) else f"{{{piece.text}}}" for piece in found]


def test_where_it_is_cut_makes_no_difference(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            chance = random.Random(seed)
            text = "".join(chance.choices((*WHOLE, *ANSWERS), k=40)) + "z"
            cuts = sorted({0, len(text), *(chance.randrange(len(text)) for _ in range(60))})
            parts = [text[start:end] for start, end in pairwise(cuts)]
            whole = "".join(fed(SequenceBuffer(), text))
            assert "".join(fed(SequenceBuffer(), *parts)) == whole
            assert "rgb" not in whole
            assert "".join(fed(SequenceBuffer(), *text)) == whole


def test_an_answer_is_passed_over(subtests: pytest.Subtests) -> None:
    for answer in ANSWERS:
        with subtests.test(answer=answer):
            assert fed(SequenceBuffer(), answer + "q") == ["q"]
            assert fed(SequenceBuffer(), *answer, "q") == ["q"]


def test_a_cut_sequence_waits_for_its_rest(subtests: pytest.Subtests) -> None:
    for sequence in ("\x1b[A", "\x1bOA", "\x1b[<64;5;5M", "\x1b[M !!", f"{PASTE}PS{PASTE_END}"):
        for cut in range(2, len(sequence)):
            with subtests.test(sequence=sequence, cut=cut):
                buffer = SequenceBuffer()
                before = fed(buffer, sequence[:cut])
                assert list(buffer.pause()) == []
                whole = sequence.replace(PASTE, "{").replace(PASTE_END, "}")
                assert "".join(before + fed(buffer, sequence[cut:])) == whole


def test_what_never_becomes_whole_is_nothing(subtests: pytest.Subtests) -> None:
    for cut in ("\x1b[", "\x1bO", "\x1b[1;5", "\x1b]11;rgb:00", "\x1bP1$r", "\x1b[M "):
        with subtests.test(cut=cut):
            buffer = SequenceBuffer()
            assert fed(buffer, cut) == []
            assert list(buffer.end()) == []
            assert fed(buffer, "q") == ["q"]


def test_an_escape_alone_is_the_key() -> None:
    buffer = SequenceBuffer()
    assert fed(buffer, "a\x1b") == ["a"]
    assert [key.key for key in buffer.pause()] == ["escape"]
    assert fed(buffer, "[") == ["["]


def test_a_paste_without_an_end_ends_and_one_without_measure_is_cut() -> None:
    buffer = SequenceBuffer()
    assert fed(buffer, f"x{PASTE}lo", "st") == ["x"]
    assert [paste.text for paste in buffer.end()] == ["lost"]
    (piece,) = [piece for part in (PASTE, *["é" * 400_000] * 4, PASTE_END) for piece in buffer.feed(part)]
    assert isinstance(piece, events.Paste)
    assert piece.text == "é" * LONGEST
    assert fed(buffer, "q") == ["q"]


def parsed(parser: KeyParser, text: str) -> list[Message]:
    return list(parser.feed(text))


def keys(messages: list[Message]) -> list[str]:
    return [message.key for message in messages if isinstance(message, events.Key)]


MEANINGLESS = (
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
)


def test_what_means_nothing_is_swallowed_whole(subtests: pytest.Subtests) -> None:
    for sequence in MEANINGLESS:
        with subtests.test(sequence=sequence):
            assert keys(parsed(KeyParser(), sequence + "z")) == ["z"]


def test_real_keys_are_still_keys(subtests: pytest.Subtests) -> None:
    for sequence, key in (
        ("\x1b[A", "up"),
        ("\x1b[1;5A", "ctrl+up"),
        ("\x1b[[A", "f1"),
        ("\x1b[15~", "f5"),
        ("\x1b[97;5u", "ctrl+a"),
        ("\x1bOP", "f1"),
        ("S", "S"),
        ("\u00e9", "\u00e9"),
    ):
        with subtests.test(key=key):
            assert keys(parsed(KeyParser(), sequence)) == [key]


def test_mouse_and_mode_reports_still_arrive() -> None:
    parser = KeyParser()
    (down,) = parsed(parser, "\x1b[<0;11;6M")
    assert isinstance(down, events.MouseDown)
    assert (down.x, down.y) == (10, 5)
    assert type(parsed(parser, "\x1b[?2026;1$y")[0]).__name__ == "TerminalSupportsSynchronizedOutput"


def test_the_mouse_survives_a_terminal_of_no_size() -> None:
    parser = KeyParser()
    parsed(parser, "\x1b[48;0;0;0;0t")
    (down,) = parsed(parser, "\x1b[<0;11;6M")
    assert isinstance(down, events.MouseDown)


def test_ten_thousand_garbled_sequences() -> None:
    parser = KeyParser()
    for data in garbled(random.Random(4), 10_000):
        if text := data.decode("utf-8", "ignore"):  # an empty text would end all input
            parsed(parser, text)
    parsed(parser, PASTE_END + " " * 40)
    assert keys(parsed(parser, "z")) == ["z"]
