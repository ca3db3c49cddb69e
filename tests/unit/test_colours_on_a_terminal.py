"""The judge of colours on a terminal: a colour is found, a grey is none, and neither is half of one."""

from __future__ import annotations

import pytest

from tests.fakes.left_terminal import colours

GREY = b"\x1b[38;2;164;164;164;48;2;17;17;17m"
COLOURED = (b"\x1b[38;2;164;164;165m", b"\x1b[1;31m", b"\x1b[42m", b"\x1b[95m", b"\x1b[38;5;39m", GREY[:-1] + b";31m")


@pytest.mark.parametrize("cut", range(len(GREY)))
def test_a_grey_is_no_colour_wherever_the_stream_is_cut(cut: int) -> None:
    assert colours(GREY + b"text 31m" + b"\x1b[0m\x1b[1;7m\x1b[38;5;240m" + GREY[:cut]) == []


@pytest.mark.parametrize("sequence", COLOURED)
def test_a_colour_is_found(sequence: bytes) -> None:
    assert len(colours(GREY + sequence + GREY)) == 1
