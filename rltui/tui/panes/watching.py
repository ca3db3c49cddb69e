"""WatchingPane: a pane that follows the viewer's match while it is on screen, and only then."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.message import Message

from rltui import formatting
from rltui.events.match_frames import Watched
from rltui.tui.match_reader import MatchReader
from rltui.tui.paint import Line, wrap
from rltui.tui.panes.pane import Pane, View, in_the_middle
from rltui.tui.run.newest import Newest
from rltui.tui.viewer_words import CONNECTING, Sentence, learned_at, weights_words, why_dark
from rltui.tui.widgets.changes import changed_regions

SILENT_AFTER = 2.0  # seconds without a frame
Reader = Callable[[str, Callable[[Watched], None], float], MatchReader]


class WatchingPane(Pane):
    """`frame` is the newest frame, None before the first; subclasses draw it in `draw_match`."""

    INTERVAL: ClassVar[float] = 1 / 4  # seconds at least between two frames: drawing them takes training time
    read: ClassVar[Reader] = MatchReader
    steady: ClassVar[Callable[[], float]] = time.monotonic

    class FrameReady(Message, bubble=False):
        """The reader thread has left a frame in the slot of its address."""

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.frame: Watched | None = None
        self._inbox: Newest[Watched] = Newest()
        self._reader: MatchReader | None = None
        self._frozen = False
        self._heard = 0.0  # steady() at the newest frame
        self._renewed: float | None = None  # Unix time at which other weights were first seen here

    def show(self, view: View) -> None:
        self._frozen = view is self.view  # the cockpit hands out the same view as long as it is frozen
        self._follow(self._wanted(view))
        super().show(view)

    def on_unmount(self) -> None:
        self._follow("")

    def matters(self, view: View) -> bool:
        return view.snapshot.viewer is not None

    def _wanted(self, view: View) -> str:
        """The address to read from now; "" while nothing of it would be seen."""
        viewer = view.snapshot.viewer
        seen = self.is_attached and self.display and self.screen.is_active
        return viewer.address if viewer is not None and seen and why_dark(view.snapshot, view.now) is None else ""

    def _follow(self, address: str) -> None:
        if address == (self._reader.address if self._reader is not None else ""):
            return
        if self._reader is not None:
            self._reader.stop()
        self._reader, self.frame, self._inbox = None, None, Newest()
        if address:
            self._reader = type(self).read(address, partial(self._deliver, self._inbox), self.INTERVAL)
            self._reader.start()

    def _deliver(self, inbox: Newest[Watched], frame: Watched) -> None:
        """From a reader thread; one that was told to stop still fills its own slot, which nobody empties."""
        if inbox.put(frame):
            self.post_message(self.FrameReady())

    def on_watching_pane_frame_ready(self) -> None:
        frame = self._inbox.take()
        if frame is None or self._frozen or self.view is None:
            return
        if self.frame is None or frame.timesteps != self.frame.timesteps:
            self._renewed = self.view.now if self.frame is not None else None
        self.frame, self._heard = frame, type(self).steady()
        self.take_frame(frame)
        self.repaint()

    def take_frame(self, frame: Watched) -> None:
        """A frame has come."""

    def depends(self, view: View) -> object:
        """While frames come, they bring what is new several times a second, and nothing else has to."""
        dark, silence = why_dark(view.snapshot, view.now), self.silence
        flows = self.frame is not None and dark is None and not silence
        return (
            dark,
            self.frame is None,
            silence,
            view.charts,
            None if flows else (view.snapshot.viewer, self._waiting()),
        )

    @property
    def silence(self) -> float:
        """Whole seconds since the newest frame, 0 while that is not long ago."""
        age = type(self).steady() - self._heard
        return float(int(age)) if self.frame is not None and age > SILENT_AFTER else 0.0

    def _is_lit(self, view: View) -> bool:
        return self.frame is not None and why_dark(view.snapshot, view.now) is None

    def repaint(self) -> None:
        """Several times a second: send only the columns that differ, not whole rows."""
        if not self.is_attached or not self.display:
            return
        before, self.lines = self.lines, self._painted()
        if regions := changed_regions(before, self.lines, *self.size):
            self.refresh(*regions)

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        dark = why_dark(view.snapshot, view.now)
        if dark is None and self.frame is not None:
            return self.draw_match(view, self.frame, width, height)
        text, role = dark or self._waiting()
        return in_the_middle(wrap(self.said(text), min(width, 64), role), width, height)

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        """At most `height` lines for `width` columns."""
        raise NotImplementedError

    def whose(self, view: View, frame: Watched) -> Sentence:
        """Whose weights play and how old they are; where nothing has come for a while, that."""
        if self.silence:
            return f"no picture for {formatting.age(self.silence)}", "warn"
        since = self._renewed if self._renewed is not None else learned_at(view.snapshot, frame.timesteps)
        return weights_words(frame.timesteps, None if since is None else max(view.now - since, 0.0)), "muted"

    def _waiting(self) -> Sentence:
        problem = self._reader.problem if self._reader is not None else ""
        return (problem, "warn") if problem else (CONNECTING, "busy")
