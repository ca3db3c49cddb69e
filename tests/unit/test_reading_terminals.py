"""What tests read off a terminal is the same in kind wherever the stream is cut: nothing is seen that was not written."""

from __future__ import annotations

from tests.fakes.drawn_screen import DrawnScreen
from tests.fakes.left_terminal import colours
from tests.fakes.terminal import text_of

STREAM = "\x1b[?1049h\x1b[2;3H\x1b[38;2;70;70;70mé漢\x1b[0m┃ \x1b[48;5;240mgrey\x1b]0;title\x07\x1b[1;38;5;231m ok \x1b[m\x1b(B".encode()
CUTS = range(len(STREAM) + 1)


def test_text_grows_and_never_shows_a_piece_of_a_sequence_or_of_a_character() -> None:
    whole = text_of(STREAM).replace("\n", "")
    assert whole == "é漢┃ grey ok "
    for cut in CUTS:
        assert whole.startswith(text_of(STREAM[:cut]).replace("\n", "")), STREAM[:cut]


def test_a_screen_fed_in_pieces_is_the_screen_fed_at_once() -> None:
    whole = DrawnScreen(20, 4)
    whole.feed(STREAM)
    for cut in CUTS:
        pieces = DrawnScreen(20, 4)
        pieces.feed(STREAM[:cut])
        pieces.feed(STREAM[cut:])
        assert pieces.text == whole.text, STREAM[:cut]


GREY = b"\x1b[38;2;164;164;164;48;2;17;17;17m"
COLOURED = (b"\x1b[38;2;164;164;165m", b"\x1b[1;31m", b"\x1b[42m", b"\x1b[95m", b"\x1b[38;5;39m", GREY[:-1] + b";31m")


def test_a_grey_is_no_colour_wherever_the_stream_is_cut() -> None:
    for cut in range(len(GREY)):
        assert colours(GREY + b"text 31m" + b"\x1b[0m\x1b[1;7m\x1b[38;5;240m" + GREY[:cut]) == [], cut


def test_a_colour_is_found() -> None:
    for sequence in COLOURED:
        assert len(colours(GREY + sequence + GREY)) == 1, sequence
