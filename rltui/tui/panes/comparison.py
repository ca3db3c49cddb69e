"""Comparison: the run that the charts show beside their own, and the threads that look for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from rltui.tui.run.other_run import OtherReader, OtherRun, OtherRuns

Wish = Literal["choose", "next", "previous"]


class OtherRunRead(Message):
    """More of the compared run is known."""

    def __init__(self, run: OtherRun) -> None:
        super().__init__()
        self.run = run


class RunsListed(Message):
    """The runs that can be compared with; problem: why they are not known."""

    def __init__(self, names: Sequence[str], wish: Wish, problem: str = "") -> None:
        super().__init__()
        self.names, self.wish, self.problem = names, wish, problem


@dataclass(slots=True)
class Comparison:
    """post: how threads tell the pane. run: what is known of the compared run, None for none."""

    post: Callable[[Message], object]
    run: OtherRun | None = None
    _reader: OtherReader | None = None

    def ask(self, runs: OtherRuns, own: str, wish: Wish) -> None:
        """Have all runs but one's own listed; RunsListed comes."""
        threading.Thread(target=self._list, args=(runs, own, wish), name="lists runs", daemon=True).start()

    def start(self, name: str, runs: OtherRuns) -> None:
        """Compare with this run; OtherRunRead comes when it has been read."""
        self.stop()
        self.run = OtherRun(name, reading=True)
        self._reader = OtherReader(name, runs, self._tell)
        self._reader.start()

    def take(self, run: OtherRun) -> None:
        """What its thread has read; of another run than the present one nothing is taken."""
        if self.run is not None and self.run.name == run.name:
            self.run = run

    def stop(self) -> None:
        """Compare no more."""
        if self._reader is not None:
            self._reader.stop()
        self.run = self._reader = None

    def _tell(self, run: OtherRun) -> None:
        self.post(OtherRunRead(run))

    def _list(self, runs: OtherRuns, own: str, wish: Wish) -> None:
        try:
            names = [name for name in runs.names() if name != own]
        except OSError as error:
            self.post(RunsListed((), wish, f"the runs cannot be listed: {error.strerror or error}"))
        else:
            self.post(RunsListed(names, wish))
