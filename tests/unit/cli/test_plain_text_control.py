"""What a file says never acts on the terminal."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from rltui.safe_io import say


@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_no_control_character_but_tabs_and_line_ends_is_printed(text: str) -> None:
    out = io.StringIO()
    say(text, out)
    assert all(character.isprintable() or character in "\t\n" or ord(character) > 0x9F for character in out.getvalue())


def test_a_title_sequence_in_a_run_s_profile_is_harmless() -> None:
    out = io.StringIO()
    say("\x1b]0;pwn\x07quick", out)
    assert out.getvalue() == "\\x1b]0;pwn\\x07quick\n"
