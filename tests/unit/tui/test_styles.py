"""Style sheets style what there is."""

from __future__ import annotations

import re
from pathlib import Path

import rltui.tui

FOLDER = Path(rltui.tui.__file__).parent


def test_every_id_in_a_style_sheet_is_a_widget_s() -> None:
    styled = {
        name
        for sheet in FOLDER.glob("styles/*.tcss")
        for name in re.findall(r"#([a-z][a-z-]+)\b(?![^{}]*;)", sheet.read_text(encoding="utf-8"))
    }
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    assert len(styled) > 30 and [name for name in sorted(styled) if f'"{name}"' not in code] == []
