"""While a trainer starts: what is being waited for, and in place whatever went wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size

from rltui import formatting
from rltui.errors import RltuiError
from rltui.tui.paint import Line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.widgets.scrolled import Scrolled

if TYPE_CHECKING:
    from rltui.supervise.launch import LaunchedTrainer
    from rltui.tui.launcher.offers import Offer

    Launch = Callable[[Offer], LaunchedTrainer]


class LaunchingText(Scrolled):
    """Words of the start, then of its failure."""

    def __init__(self, offer: Offer, clock: Callable[[], float]) -> None:
        super().__init__(name="launching-text")
        self._offer, self._clock = offer, clock
        self._begun = clock()
        self.error: RltuiError | None = None

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(self._lines(width), height)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def _lines(self, width: int) -> list[Line]:
        lines = [*wrap(self._offer.title, width, "strong"), *wrap(self._offer.reason, width, "muted")]
        if self.error is None:
            waited = formatting.duration(self._clock() - self._begun)
            return [
                *lines,
                (),
                *wrap(f"◌ The trainer starts: it loads torch, then spawns its workers. {waited}", width, "busy"),
            ]
        lines += [(), *wrap(f"✗ It did not start: {self.error.message}", width, "bad")]
        return [*lines, *([()] if self.error.hint else []), *wrap(self.error.hint, width, "muted")]


class LaunchingScreen(Dialog["LaunchedTrainer | None"]):
    """Dismissed with the trainer once its run has started; a failure stays until it is closed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close", "Close"),
        ("q", "close", "Close"),
        ("enter", "close", "Close"),
    ]

    def __init__(self, offer: Offer, launch: Launch, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._offer, self._launch = offer, launch
        self._text = LaunchingText(offer, clock)

    def compose(self) -> ComposeResult:
        with Vertical(id="launching") as box:
            box.border_title = "Launching"
            yield self._text

    def on_mount(self) -> None:
        self.set_interval(0.5, self._text.repaint)
        self.run_worker(self._start, thread=True, exit_on_error=False)

    def _start(self) -> None:
        try:
            trainer = self._launch(self._offer)
        except RltuiError as error:
            self.app.call_from_thread(self._failed, error)
        except Exception as error:  # whatever it was, it belongs on the screen and not into a crash
            self.app.call_from_thread(self._failed, RltuiError(f"{type(error).__name__}: {error}"))
        else:
            self.app.call_from_thread(self.dismiss, trainer)

    def _failed(self, error: RltuiError) -> None:
        self._text.error = error
        self._text.refresh(layout=True)
        self._text.repaint()
        self.query_one("#launching").border_subtitle = "esc closes"

    def action_close(self) -> None:
        """Only a failure can be closed: the trainer that is being started cannot be called back from here."""
        if self._text.error is not None:
            self.dismiss(None)
