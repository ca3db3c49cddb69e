"""Pattern: what people type to filter a list: a regular expression, a leading `!` for all that does not match. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rltui.tui.expression import Expression, TooSlow


@dataclass(frozen=True, slots=True)
class Pattern:
    """As typed. One that is no regular expression, or takes too long, matches everything and says why."""

    text: str = ""

    @property
    def inverted(self) -> bool:
        return self.text.startswith("!")

    @property
    def problem(self) -> str:
        """Why nothing is searched with it, to show; empty where it is."""
        return self._expression.problem

    @property
    def _expression(self) -> Expression:
        return _expression(self.text.removeprefix("!"))

    def matches(self, *texts: str) -> bool:
        """Whether it is found in any of the texts (`!`: in none), upper and lower case alike."""
        expression = self._expression
        if expression.problem or not expression.text:
            return True
        try:
            return any(expression.places(text, most=1) for text in texts) is not self.inverted
        except TooSlow:
            return True

    def places(self, text: str) -> Sequence[tuple[int, int]]:
        """(start, end) of what it finds, to be marked: nothing where it is inverted, for that is not there."""
        expression = self._expression
        if expression.problem or not expression.text or self.inverted:
            return ()
        try:
            return expression.places(text)
        except TooSlow:
            return ()


@lru_cache(64)
def _expression(text: str) -> Expression:
    return Expression(text)
