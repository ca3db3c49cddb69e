"""TokenBucket: how often somebody may do something."""

from __future__ import annotations

from collections.abc import Callable


class TokenBucket:
    """`burst` at once, then `rate` a second. A refused attempt starts the refill anew: who keeps trying gets nothing."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._tokens = float(burst)
        self._since = clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self._clock()
        tokens = min(self._burst, self._tokens + (now - self._since) * self._rate)
        self._since = now
        if tokens < 1.0:
            self._tokens = 0.0
            return False
        self._tokens = tokens - 1.0
        return True
