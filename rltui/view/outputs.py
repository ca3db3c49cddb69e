"""Outputs that are switched while a match is played."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rltui.errors import RltuiError
from rltui.events.commands import OutputLive
from rltui.events.match_frames import MatchFrame
from rltui.events.records import Level
from rltui.view.output import Output
from rltui.view.recording import Recorder
from rltui.view.rlviser import RlViser
from rltui.view.rocketsimvis import LinkState, RocketSimVis

MOMENTS_PER_SECOND = 30.0


@dataclass(frozen=True)
class OutputOptions:
    """host and port: of RocketSimVis. recordings: the folder for matches that are kept."""

    host: str
    port: int
    recordings: Path


class Outputs:
    """Those that are on, by name (events.commands.OUTPUTS)."""

    def __init__(self, options: OutputOptions, notice: Callable[[str, Level], None]) -> None:
        self._options, self._notice = options, notice
        self._on: dict[str, Output] = {}
        self._sent: dict[str, int] = {}
        self._recording = Path()
        self._named: set[Path] = set()  # recordings begun so far: the newest is not on disk yet

    def show(self, moment: MatchFrame) -> None:
        for name, output in self._on.items():
            output.show(moment)
            self._sent[name] += 1

    def switch(self, name: str, on: bool) -> str:
        """What it means, in words. RltuiError where it cannot be done; a recording that cannot be written then goes on."""
        if on == (name in self._on):
            return f"{name} was {'on' if on else 'off'} already"
        if not on:
            return self._end(name)
        self._on[name] = self._begin(name)
        self._sent[name] = 0
        return f"{name} on, {self._target(name)}".removesuffix(", ")

    def live(self) -> list[OutputLive]:
        return [self._live(name, output) for name, output in self._on.items()]

    def close(self) -> None:
        """All of them; a recording is written, and a failure is noticed."""
        for name in tuple(self._on):
            try:
                self._notice(self._end(name), "info")
            except RltuiError as error:
                self._notice(f"{error.message}: the recording of {self._sent[name]:,} moments is lost", "error")

    def _begin(self, name: str) -> Output:
        if name == "rocketsimvis":
            return RocketSimVis(self._options.host, self._options.port, self._warn)
        if name == "rlviser":
            return RlViser(MOMENTS_PER_SECOND, self._warn)
        folder = self._options.recordings
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RltuiError(f"cannot make {folder}: {error.strerror or error}") from error
        self._recording = self._new_name(folder)
        return Recorder(self._recording, self._warn)

    def _new_name(self, folder: Path) -> Path:
        """By the second (UTC); one that is taken, as by a recording begun in the same second, is followed by `-2`, `-3` …"""
        second = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        names = (folder / f"{second}{f'-{number}' if number > 1 else ''}.npz" for number in itertools.count(1))
        path = next(path for path in names if path not in self._named and not os.path.lexists(path))
        self._named.add(path)
        return path

    def _warn(self, text: str) -> None:
        self._notice(text, "warning")

    def _end(self, name: str) -> str:
        output = self._on[name]
        try:
            output.close()
        except RltuiError as error:  # nothing is lost yet
            raise RltuiError(error.message, "it goes on; make room and switch it off again") from error
        del self._on[name]
        if isinstance(output, Recorder) and output.moments:
            return f"recorded {output.moments:,} moments: rltui watch --replay {self._recording}"
        return f"{name} off"

    def _target(self, name: str) -> str:
        if name == "rocketsimvis":
            return f"{self._options.host}:{self._options.port}"
        return str(self._recording) if name == "recording" else ""

    def _live(self, name: str, output: Output) -> OutputLive:
        if isinstance(output, RocketSimVis):
            return OutputLive(name, output.state.address, output.state.packets, output.state.error)
        return OutputLive(name, self._target(name), self._sent[name])


class LinkSwitch(Output):
    """make: a new link; it looks the host up again, so that switching off and on is another try."""

    def __init__(self, make: Callable[[], RocketSimVis], on: bool = False) -> None:
        self._make = make
        self._link: RocketSimVis | None = make() if on else None
        self._state = LinkState("", 0, "")  # of the links before

    @property
    def on(self) -> bool:
        return self._link is not None

    @property
    def state(self) -> LinkState:
        """packets: since the match began."""
        if self._link is None:
            return self._state
        state = self._link.state
        return replace(state, packets=state.packets + self._state.packets)

    def toggle(self) -> None:
        if self._link is None:
            self._link = self._make()
        else:
            self.close()

    def show(self, moment: MatchFrame) -> None:
        if self._link is not None:
            self._link.show(moment)

    def close(self) -> None:
        if self._link is not None:
            self._state = self.state
            self._link.close()
            self._link = None

    def words(self) -> str:
        """For a line of status."""
        if self._link is None:
            return "RocketSimVis off"
        state = self.state
        return f"RocketSimVis {state.address}" + (f": {state.error}" if state.error else f" {state.packets:,} packets")

    @property
    def troubled(self) -> bool:
        """Whether it is on, and does not work."""
        return self._link is not None and bool(self.state.error)
