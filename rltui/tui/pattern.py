"""Pattern: what people type to filter a list: a regular expression, a leading `!` for all that does not match. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Pattern:
    """As typed. One that is no regular expression matches everything and says why."""

    text: str = ""

    @property
    def inverted(self) -> bool:
        return self.text.startswith("!")

    @property
    def problem(self) -> str:
        """Why it is no regular expression; empty where it is one."""
        return _compiled(self._expression)[1]

    @property
    def _expression(self) -> str:
        return self.text.removeprefix("!")

    def matches(self, *texts: str) -> bool:
        """Whether it is found in any of the texts (`!`: in none), upper and lower case alike."""
        expression = _compiled(self._expression)[0]
        if expression is None or not self._expression:
            return True
        return any(expression.search(text) for text in texts) is not self.inverted


@lru_cache(64)
def _compiled(expression: str) -> tuple[re.Pattern[str] | None, str]:
    try:
        return re.compile(expression, re.IGNORECASE), ""
    except (re.error, RecursionError, OverflowError) as error:
        return None, str(error)
