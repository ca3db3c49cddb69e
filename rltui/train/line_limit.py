"""LineLimit: how many debug lines are said in a second; the others are counted, and the count is said."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

Line = tuple[str, str]  # debug flag, text
SECOND = 1.0


class LineLimit:
    """`rate` lines in every second, shared equally by the flags that are on, so that none drowns another; 0: all lines."""

    def __init__(self, rate: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.flags, self._clock = rate, 1, clock
        self._started = -SECOND
        self._said: Counter[str] = Counter()  # in this second, by flag
        self._dropped: Counter[str] = Counter()

    def taken(self, lines: Sequence[Line]) -> list[Line]:
        """Those that may be said now, after the counts of what was left out in a second that is over."""
        if self.rate <= 0:
            return list(lines)
        found = self._turn_second() if self._clock() - self._started >= SECOND else []
        share = max(int(self.rate) // max(self.flags, 1), 1)
        for flag, text in lines:
            if self._said[flag] < share:
                self._said[flag] += 1
                found.append((flag, text))
            else:
                self._dropped[flag] += 1
        return found

    def only(self, flags: Iterable[str]) -> None:
        """These are on. What was left out of others is said no more: whoever has switched a flag off hears nothing of it."""
        self._dropped = Counter({flag: self._dropped[flag] for flag in flags if flag in self._dropped})

    def _turn_second(self) -> list[Line]:
        """A new second begins; each flag's count of the last one is the first of its lines."""
        self._started = self._clock()
        found = [(flag, f"{count:,} lines left out: more than can be read") for flag, count in self._dropped.items()]
        self._said = Counter(self._dropped.keys())
        self._dropped.clear()
        return found
