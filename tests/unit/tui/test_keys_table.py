"""The README's keys are those of the registry. RLTUI_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rltui.tui.actions import PANE_KEYS, PLACES, key_name
from rltui.tui.keys_table import BEGIN, END, keys_table, with_table

README = Path(__file__).parents[3] / "README.md"


def test_the_readme_names_the_keys_that_there_are() -> None:
    text = README.read_text(encoding="utf-8")
    if os.environ.get("RLTUI_UPDATE_GOLDEN"):
        README.write_text(with_table(text), encoding="utf-8")
        return
    assert text == with_table(text), "python -m rltui.tui.keys_table README.md writes the table anew"


def test_every_key_is_in_the_table() -> None:
    table = keys_table()
    for action in (*(action for actions in PLACES.values() for action in actions), *PANE_KEYS):
        assert all(f"`{key_name(key)}`".replace("|", "\\|") in table for key in action.keys), action.name
        assert action.help.replace("|", "\\|") in table


def test_long_tables_are_folded_with_empty_lines_around_them() -> None:
    text = keys_table()
    assert text.count("<details>") == text.count("</details>") == text.count("</summary>\n\n| key") == 3
    assert text.count(" |\n\n</details>") == 3
    for title in ("In the milestone browser", "In a profile's form", "In a pane, while it has the focus"):
        assert f"<details>\n<summary>{title}</summary>\n" in text


def test_only_what_is_between_the_markers_is_written() -> None:
    text = with_table(f"before\n{BEGIN}\nTHE OLD ONE\n{END}\nafter\n")
    assert text.startswith(f"before\n{BEGIN}\n**In the cockpit**")
    assert text.endswith(f"{END}\nafter\n")
    assert "THE OLD ONE" not in text
    assert with_table(text) == text
    with pytest.raises(ValueError, match="there is no"):
        with_table("no markers")
