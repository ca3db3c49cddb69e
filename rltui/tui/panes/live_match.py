"""Panes on the match that the viewer plays: thread that reads its frames, texts about it, the field from above."""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Protocol

import msgspec
from textual.message import Message

from rltui import formatting
from rltui.events import match_frames
from rltui.events.commands import OutputLive, ViewerLive
from rltui.events.match_frames import Watched
from rltui.events.records import CLOCK
from rltui.run_state.condition import condition
from rltui.run_state.snapshot import RunSnapshot
from rltui.supervise import sockets
from rltui.supervise.sockets import FrameError, FrameReader
from rltui.tui.background import Newest
from rltui.tui.panes.pane import Pane, View, in_the_middle
from rltui.tui.text import Line, ends, width_of, wrap
from rltui.view import text_view

RETRY = 0.5  # seconds between two attempts to connect
POLL = 0.25  # seconds that the reader takes at most to notice that it is to end
CONNECT = 1.0  # seconds that an attempt may take
SILENT_AFTER = 2.0  # seconds without a frame
OFF = (
    "The viewer is off. <render> starts it: the newest weights play here in real time, under the run's rules, and in "
    "RocketSimVis."
)
STARTING = "The viewer is starting: loading the simulator and the newest weights."
CONNECTING = "Waiting for the first picture."
ROLES: Mapping[str, str] = {  # of the picture's styles
    "": "", "blue": "series-1", "orange": "series-2", "ball": "strong", "trail": "muted",
    "pad": "series-5", "line": "band", "dim": "muted", "goal": "hit",
}  # fmt: skip

Sentence = tuple[str, str]  # text, role


class ViewerStream(Protocol):
    """Byte stream of a viewer's frames."""

    def receive(self, timeout: float) -> bytes | None: ...

    def close(self) -> None: ...


def open_local(address: str) -> ViewerStream:
    """A viewer's local socket. OSError where nobody listens."""
    return sockets.open_path(address, CONNECT)


class MatchReader(threading.Thread):
    """Thread that calls publish(frame) with the newest frame, at most every `interval` seconds; those between are passed over.

    It connects again until it is stopped: another viewer may begin at the same address.
    """

    def __init__(
        self,
        address: str,
        publish: Callable[[Watched], None],
        interval: float,
        connect: Callable[[str], ViewerStream] = open_local,
    ) -> None:
        super().__init__(name="reader of the match", daemon=True)
        self.address = address
        self.problem = ""  # why there are no frames; "" while they come
        self._publish, self._interval, self._connect = publish, interval, connect
        self._leaving = threading.Event()

    def stop(self) -> None:
        """Ends the thread soon; does not wait for it."""
        self._leaving.set()

    def run(self) -> None:
        while not self._leaving.is_set():
            try:
                self._follow(self._connect(self.address))
            except (OSError, FrameError, msgspec.DecodeError, UnicodeDecodeError) as error:
                self.problem = f"no picture: {error}"
            self._leaving.wait(RETRY)

    def _follow(self, stream: ViewerStream) -> None:
        """Until the stream ends, or nobody wants it any more."""
        frames = FrameReader()
        newest: bytes | None = None
        due = time.monotonic()
        try:
            while not self._leaving.is_set():
                wait = POLL if newest is None else max(due - time.monotonic(), 0.0)
                data = stream.receive(wait)
                if data == b"":
                    raise ConnectionResetError("the viewer closed the stream")
                newest = next(reversed(frames.feed(data or b"")), newest)
                if newest is not None and time.monotonic() >= due:
                    due = time.monotonic() + self._interval
                    frame, newest = match_frames.decode(newest), None
                    self.problem = ""
                    self._publish(frame)
        finally:
            stream.close()


def why_no_match(snapshot: RunSnapshot, now: float) -> Sentence | None:
    """Why there is no match to be seen; None where the viewer plays. now: Unix seconds."""
    viewer = snapshot.viewer
    if not condition(snapshot, now).running:
        return f"The run has ended. Watch its newest bot: rltui watch {snapshot.run}", "muted"
    if viewer is None:
        return OFF, "muted"
    if viewer.state == "starting":
        return STARTING, "busy"
    if viewer.state == "failed":
        return (
            f"✗ The viewer failed: {viewer.problem}. Trace in the log (<log>); <render> restarts it.",
            "bad",
        )
    if not viewer.address:
        return "The viewer plays, but cannot send it here: the log (<log>) says why.", "warn"
    return None


def viewer_summary(viewer: ViewerLive | None) -> Sentence | None:
    """For the line of state: `rendering → 127.0.0.1:9273, 1,204 packets`; None while it is off."""
    if viewer is None:
        return None
    if viewer.state == "failed":
        return "viewer failed", "bad"
    if viewer.state == "starting":
        return "viewer starts", "busy"
    if viewer.problem:
        return f"viewer: {viewer.problem}", "warn"
    words = ", ".join(output_words(output) for output in viewer.outputs)
    troubled = any(output.problem for output in viewer.outputs)
    return f"rendering → {words}" if words else "viewer plays", "warn" if troubled else "good"


def output_words(output: OutputLive) -> str:
    """Where it goes, and how much has gone there or what is wrong: `127.0.0.1:9273, 1,204 packets`."""
    if output.name == "rocketsimvis":
        sent = formatting.plural(output.sent, "packet")
        return f"{output.target}: {output.problem}" if output.problem else f"{output.target}, {sent}"
    if output.name == "recording":
        return f"recording, {formatting.plural(output.sent, 'moment')}"
    return output.name


def weights_words(timesteps: int, age: float | None) -> str:
    """`weights of 12,431,360 timesteps, 8 s old`."""
    text = f"weights of {formatting.count(timesteps)} timesteps"
    return text if age is None else f"{text}, {formatting.age(age)} old"


def learned_at(snapshot: RunSnapshot, timesteps: int) -> float | None:
    """Unix time at which the run had done so many timesteps, by its history; None where that does not say."""
    history, header = snapshot.history, snapshot.header
    row = bisect_right(history.timesteps, timesteps, 0, history.length) - 1
    clock = history.columns.get(CLOCK)
    if row >= 0 and clock is not None and history.timesteps[row] == timesteps and clock[row] == clock[row]:
        return float(clock[row])
    return header.time if header is not None and header.timesteps == timesteps else None


class LiveMatchPane(Pane):
    """`frame` is the newest frame, None before the first; subclasses draw it in `draw_match`."""

    INTERVAL: ClassVar[float] = 1 / 4  # seconds at least between two frames: drawing them takes training time
    read: ClassVar[Callable[[str, Callable[[Watched], None], float], MatchReader]] = MatchReader
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
        return viewer.address if viewer is not None and seen and why_no_match(view.snapshot, view.now) is None else ""

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

    def on_live_match_pane_frame_ready(self) -> None:
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
        dark, silence = why_no_match(view.snapshot, view.now), self.silence
        flows = self.frame is not None and dark is None and not silence
        viewer = None if flows else (view.snapshot.viewer, self._waiting())
        return dark, self.frame is None, silence, view.charts, viewer

    @property
    def silence(self) -> float:
        """Whole seconds since the newest frame, 0 while that is not long ago."""
        age = type(self).steady() - self._heard
        return float(int(age)) if self.frame is not None and age > SILENT_AFTER else 0.0

    def _has_match(self, view: View) -> bool:
        return self.frame is not None and why_no_match(view.snapshot, view.now) is None

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        dark = why_no_match(view.snapshot, view.now)
        if dark is None and self.frame is not None:
            return self.draw_match(view, self.frame, width, height)
        text, role = dark or self._waiting()
        return in_the_middle(wrap(self.with_keys(text), min(width, 64), role), width, height)

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


class ArenaPane(LiveMatchPane):
    """The picture of `rltui watch`, and below it whose weights play and where the match goes."""

    NUMBER = "8"
    SLOT = "charts"
    ROOMY_SLOT = "side"
    NAME = "Arena"
    SHORT = "Arena"
    HELP = (
        "The newest weights play this run's game in real time, in a process of their own. Blue's goal is on the left. B "
        "and O are cars with an arrow for their heading, in small letters above 250 uu; the ball is ● on the floor, ◉ "
        "higher, ○ above 800 uu; ◆ is a big pad, ◇ an empty one; heights are on the right. <render> turns the viewer on "
        "and off; type <change> and render rocketsimvis off, render recording on or render rlviser on for its outputs."
    )

    def wants(self, view: View) -> int:
        return 18 if self.matters(view) else 0

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        ascii_only = view.charts == "ascii"
        rows = text_view.runs(frame.moment, width, max(height - 1, 0), ascii_only, braille=view.charts == "braille")
        lines: list[Line] = [tuple((text, ROLES[style]) for text, style in row) for row in rows]
        whose = self.whose(view, frame)
        where_to = self._where_to(view, width - len(whose[0]) - 2)
        fits = width_of(where_to) + len(whose[0]) + 2 <= width
        return [*lines, ends((whose,) if fits else (), where_to, width)][:height]

    def _where_to(self, view: View, room: int) -> Line:
        """Where else the match goes: with figures, without, or nothing, as there is room; what is wrong with it always."""
        viewer = view.snapshot.viewer
        outputs = viewer.outputs if viewer is not None else []
        wrong = ", ".join(output_words(output) for output in outputs if output.problem)
        choices = (", ".join(map(output_words, outputs)), ", ".join(output.target or output.name for output in outputs))
        words = wrong or next((each for each in choices if each and len(each) + 2 <= room), "")
        return ((f"→ {words}", "warn" if wrong else "good"),) if words else ()
