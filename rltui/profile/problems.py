"""What is wrong with a profile: one Problem for each mistake, all of them in one ProfileError."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rltui.errors import RltuiError

KeyPath = tuple[str | int, ...]
LONG = 70  # characters


@dataclass(frozen=True)
class Problem:
    """One mistake. file: as the user named it, or "--set"; line: 1-based, None where there is none."""

    file: str
    line: int | None
    key: str
    message: str
    expected: str = ""
    found: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        text = f"{place}: " + (f"{self.key}: " if self.key else "") + self.message
        parts = []
        if self.expected and not (self.hint and len(self.expected) > LONG):  # a long list says less than the hint
            parts.append(f"expected {self.expected}")
        if self.found and not self.key.endswith(self.found):
            parts.append(f"found {self.found}")
        if self.hint.startswith("did you mean"):  # what helps most comes first
            return "; ".join([text, " ".join([self.hint, ", ".join(parts)]).strip()])
        text = ", ".join([text, *parts])
        return f"{text}; {self.hint}" if self.hint else text

    def as_dict(self) -> dict[str, Any]:
        """For `profile check --json`."""
        return asdict(self)


class ProfileError(RltuiError):
    """A profile, or an override of one, that cannot be used. `problems` has at least one entry; exit code 2."""

    def __init__(self, profile: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        if count == 1:
            message = str(self.problems[0])
        else:
            message = f"{profile}: {count} errors\n" + "\n".join(f"  {problem}" for problem in self.problems)
        about_keys = any(problem.key for problem in self.problems)
        super().__init__(message, "rltui profile schema lists every key" if about_keys else "", exit_code=2)


def show_key(path: KeyPath) -> str:
    """`resets[0].weight`, `rewards."my.py:Ball"`: as a person would write it."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
            continue
        plain = re.fullmatch(r"[A-Za-z0-9_-]+", part)
        text += ("." if text else "") + (part if plain else '"' + part.replace('"', '\\"') + '"')
    return text
