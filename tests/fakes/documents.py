"""What a user reads, README and docs/*.md, and its snippets."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
KEYS = ROOT / "docs" / "keys.md"
TEXTS = {path: path.read_text(encoding="utf-8") for path in (README, *sorted((ROOT / "docs").glob("*.md")))}
BLOCKS = [block for text in TEXTS.values() for block in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)]


def snippet(language: str, word: str) -> str:
    """The only block of this language with the word in it."""
    [found] = [block for name, block in BLOCKS if name == language and word in block]
    return found
