"""Watch: moments shown in real time until they end, or somebody wants no more."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rltui.events.match_frames import Moment
from rltui.view.keyboard import GONE
from rltui.view.output import Output
from rltui.view.pacer import Pacer

PAUSED_SLEEP = 0.05  # seconds between two looks at the keyboard
QUIT, PAUSE, LINK = "q", " ", "v"


class Watch:
    """keys: what was pressed since the last call. toggle: what the key `v` does."""

    def __init__(
        self,
        pacer: Pacer,
        keys: Callable[[], str] = lambda: "",
        toggle: Callable[[], None] = lambda: None,
    ) -> None:
        self._pacer, self._keys, self._toggle = pacer, keys, toggle
        self.paused = self.stopped = False
        self.last: Moment | None = None

    def stop(self, *_: object) -> None:
        """At the next moment; may be called by a signal."""
        self.stopped = True

    def run(self, moments: Iterable[Moment], outputs: Sequence[Output]) -> None:
        """Show them all, or until stopped. The outputs are the caller's to close."""
        for moment in moments:
            self._pacer.wait_for(moment.tick)
            self._obey(self._keys())
            self.last = moment
            for output in outputs:
                output.show(moment)
            while self.paused and not self.stopped:
                self._pacer.rest(PAUSED_SLEEP)
                self._obey(self._keys())
                for output in outputs:
                    output.still(moment)
            if self.stopped:
                return

    def _obey(self, keys: str) -> None:
        for key in keys:
            if key in (QUIT, GONE):
                self.stopped = True
            elif key == PAUSE:
                self.paused = not self.paused
            elif key == LINK:
                self._toggle()


@contextlib.contextmanager
def stopping_by_signal(stop: Callable[..., None]) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed window ask to stop; Ctrl-Z is not heard, for it would leave the screen behind."""
    wanted: dict[str, Any] = dict.fromkeys(("SIGINT", "SIGTERM", "SIGHUP"), stop) | {"SIGTSTP": signal.SIG_IGN}
    before = {
        number: signal.signal(number, handler)
        for name, handler in wanted.items()
        if (number := getattr(signal, name, None)) is not None
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
