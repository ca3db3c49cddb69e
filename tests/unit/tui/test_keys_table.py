"""The keys in docs are those of the registry. RLTUI_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os

import pytest

from rltui.tui.actions import PANE_KEYS, PLACES, key_name, plain_name
from rltui.tui.keys_table import BEGIN, END, keys_table, with_table
from tests.fakes.documents import KEYS


def test_the_document_names_the_keys_that_there_are() -> None:
    text = KEYS.read_text(encoding="utf-8")
    if os.environ.get("RLTUI_UPDATE_GOLDEN"):
        KEYS.write_text(with_table(text), encoding="utf-8")
        return
    assert text == with_table(text), "python -m rltui.tui.keys_table writes the table anew"


def test_every_key_is_in_the_table() -> None:
    """Digits as one; none of what does as another that has a row."""
    table = keys_table()
    for action in (*(action for actions in PLACES.values() for action in actions), *PANE_KEYS):
        if action.help:
            keys = {key_name(key) for key in action.keys} - set("123456789")
            assert all(f"`{key}`".replace("|", "\\|") in table for key in keys), action.name
            assert (action.row or action.help).replace("|", "\\|") in table
            assert not action.bound or f"`{plain_name(action)}`" in table
    assert "`1–9`" in table


def test_only_what_is_between_the_markers_is_written() -> None:
    text = with_table(f"before\n{BEGIN}\nTHE OLD ONE\n{END}\nafter\n")
    assert text.startswith(f"before\n{BEGIN}\n## ")
    assert text.endswith(f"{END}\nafter\n")
    assert "THE OLD ONE" not in text
    assert with_table(text) == text
    with pytest.raises(ValueError, match="there is no"):
        with_table("no markers")
