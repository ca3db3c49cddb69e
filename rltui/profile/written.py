"""A profile's text as it is written: raw values by key, `2e-4` as `2e-4`. Judges nothing; no pydantic."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rltui.profile.lines import Lines, find_lines
from rltui.profile.problems import KeyPath


@dataclass(frozen=True)
class Written:
    """data: tomllib's values, empty where the text is no TOML; problem says why it is none."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    lines: Lines = field(default_factory=Lines)
    problem: str = ""

    def raw(self, path: KeyPath) -> str | None:
        """The value's own text, of a table with a header "{…}"; None where the key is not written."""
        span = self.lines.spans.get(path)
        if span is not None:
            return self.text[span[0] : span[1]]
        return None if self.value(path) is None else "{…}"

    def value(self, path: KeyPath) -> Any:
        """What tomllib makes of it; None where there is none."""
        here: Any = self.data
        for part in path:
            if isinstance(here, Mapping) and part in here:
                here = here[str(part)]
            elif isinstance(here, list) and isinstance(part, int) and part < len(here):
                here = here[part]
            else:
                return None
        return here


def written(text: str) -> Written:
    """Read a text; line ends may be of either kind."""
    lines = find_lines(text)
    try:
        data = tomllib.loads(text.replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        return Written(text, {}, lines, str(error))
    return Written(text, data, lines)
