"""What tests read off a terminal is the same in kind wherever the stream is cut: nothing is seen that was not written."""

from __future__ import annotations

from tests.fakes.drawn_screen import DrawnScreen
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
