"""The screen as a file: SVG, and plain text beside it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen


def screen_text(screen: Screen[object]) -> str:
    """What is on the screen, row by row, trailing blanks stripped."""
    strips = screen._compositor.render_strips(screen.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


def save_picture(app: App[str], folder: Path) -> Path:
    """Writes `<folder>/<time>.svg` and `.txt`; returns the first. OSError where that cannot be."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now():%Y%m%d-%H%M%S}.svg"
    path.write_text(app.export_screenshot(), encoding="utf-8")
    path.with_suffix(".txt").write_text(screen_text(app.screen), encoding="utf-8")
    return path
