"""Regular expression with a time limit: a search that would take for ever is given up.

`(\\w+ ?)+:` tries each way to cut a word in pieces: 30 letters take minutes, in which no key would be heard. Python's re
looks for signals on its way, so that a timer's ends it; where there is no such timer (Windows, other threads) it is waited for.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import time
from itertools import islice
from types import FrameType

PATIENCE = 0.25  # seconds of processor time for one search, and for all slow ones of an expression together
SLOW = 0.001  # from here on one counts


class TooSlow(Exception):
    """Given up."""


class Expression:
    """problem: why it is not searched with, to show; empty where it is."""

    def __init__(self, text: str) -> None:
        self.text, self.problem, self._spent = text, "", 0.0
        try:
            self._compiled = re.compile(text, re.IGNORECASE)
        except (re.error, ValueError, RecursionError, OverflowError) as error:
            self.problem = f"✗ no regular expression: {error}"

    def places(self, text: str, most: int | None = None) -> list[tuple[int, int]]:
        """(start, end) of the first `most` that are found. TooSlow where that takes too long; it is a problem from then on."""
        begun = time.thread_time()
        try:
            _limit(PATIENCE)
            return [found.span() for found in islice(self._compiled.finditer(text), most)]
        except TooSlow:
            self._spent = PATIENCE
            raise
        finally:
            _limit(0.0)
            self._count(time.thread_time() - begun)

    def _count(self, seconds: float) -> None:
        self._spent += seconds if seconds > SLOW else 0.0
        if self._spent >= PATIENCE:
            self.problem = "✗ takes too long to look for"


if sys.platform == "win32":

    def _limit(seconds: float) -> None:
        """There is no timer."""

else:

    def _limit(seconds: float) -> None:
        """Raise TooSlow in the main thread after so much processor time; 0: no longer."""
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGVTALRM) is not _ring:
                signal.signal(signal.SIGVTALRM, _ring)
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)

    def _ring(number: int, frame: FrameType | None) -> None:
        raise TooSlow
