"""Wherever a line cuts what a terminal sends, it comes out whole; answers to nobody's questions are no keys."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from textual import events

from rltui.tui.terminal.driver import LONGEST, PASTE, PASTE_END, Pieces

WHOLE = (
    "a", "S", "é", "\x1b[A", "\x1bOP", "\x1b[[A", "\x1b[15~", "\x1b[97;5u", "\x1b[7$", "\x1b[M !!", "\x1b[<0;5;5M", "\x1b[I", "\x1b[?2026;2$y",
    f"{PASTE}lr 1e-4\nS\x1b[A\x1b]11;x\x07 漢{PASTE_END}", f"{PASTE}{PASTE_END}",
)  # fmt: skip
ANSWERS = (
    "\x1b]11;rgb:0000/0000/0000\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1b]52;c;UFBQUw==\x07", "\x1b]4;1;rgb:cd/0/0\x1b\\",
    "\x1bP1$r0m\x1b\\", "\x1bP>|XTerm(380)\x1b\\", "\x1bP1+r544e=78\x1b\\", "\x1b_Gi=31;OK\x1b\\",
)  # fmt: skip


def fed(pieces: Pieces, *parts: str) -> list[str]:
    """Pastes in braces."""
    found = [piece for part in parts for piece in pieces.feed(part)]
    return [piece if isinstance(piece, str) else f"{{{piece.text}}}" for piece in found]


@pytest.mark.parametrize("seed", range(20))
def test_where_it_is_cut_makes_no_difference(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choices((*WHOLE, *ANSWERS), k=40)) + "z"
    cuts = sorted({0, len(text), *(chance.randrange(len(text)) for _ in range(60))})
    parts = [text[start:end] for start, end in pairwise(cuts)]
    whole = "".join(fed(Pieces(), text))
    assert "".join(fed(Pieces(), *parts)) == whole
    assert "rgb" not in whole
    assert "".join(fed(Pieces(), *text)) == whole


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_passed_over(answer: str) -> None:
    assert fed(Pieces(), answer + "q") == ["q"]
    assert fed(Pieces(), *answer, "q") == ["q"]


@pytest.mark.parametrize("sequence", ["\x1b[A", "\x1bOA", "\x1b[<64;5;5M", "\x1b[M !!", f"{PASTE}PS{PASTE_END}"])
def test_a_cut_sequence_waits_for_its_rest(sequence: str) -> None:
    for cut in range(2, len(sequence)):
        pieces = Pieces()
        before = fed(pieces, sequence[:cut])
        assert list(pieces.pause()) == []
        assert "".join(before + fed(pieces, sequence[cut:])) == sequence.replace(PASTE, "{").replace(PASTE_END, "}")


@pytest.mark.parametrize("cut", ["\x1b[", "\x1bO", "\x1b[1;5", "\x1b]11;rgb:00", "\x1bP1$r", "\x1b[M "])
def test_what_never_becomes_whole_is_nothing(cut: str) -> None:
    pieces = Pieces()
    assert fed(pieces, cut) == []
    assert list(pieces.end()) == []
    assert fed(pieces, "q") == ["q"]


def test_an_escape_alone_is_the_key() -> None:
    pieces = Pieces()
    assert fed(pieces, "a\x1b") == ["a"]
    assert [key.key for key in pieces.pause()] == ["escape"]
    assert fed(pieces, "[") == ["["]


def test_a_paste_without_an_end_ends_and_one_without_measure_is_cut() -> None:
    pieces = Pieces()
    assert fed(pieces, f"x{PASTE}lo", "st") == ["x"]
    assert [paste.text for paste in pieces.end()] == ["lost"]
    (piece,) = [piece for part in (PASTE, *["é" * 400_000] * 4, PASTE_END) for piece in pieces.feed(part)]
    assert isinstance(piece, events.Paste)
    assert piece.text == "é" * LONGEST
    assert fed(pieces, "q") == ["q"]
