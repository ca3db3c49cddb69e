"""A second run beside the charts: how it is chosen, and read in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from textual.message import Message

from rltui.run_state.other_run import OtherReader, OtherRun, OtherRuns, RunBrief, run_lines
from rltui.tui.widgets.dialogs import ChooserDialog, Chosen

NO_RUN = "-"  # the list's name for comparing with none; no run can be called so

Choice = Literal["choose", "next", "previous"]


def run_chooser(briefs: Sequence[RunBrief], now: float, compared: bool) -> ChooserDialog:
    """To choose the run to compare with. compared: there is one already. now: Unix seconds."""
    none = [Chosen(NO_RUN, label="none: this run alone")] if compared else []
    rows = [Chosen(brief.name, note=note) for brief, note in zip(briefs, run_lines(briefs, now), strict=True)]
    return ChooserDialog("Compare with which run?", [*none, *rows])


class OtherRunRead(Message):
    """More of the compared run is known."""

    def __init__(self, run: OtherRun) -> None:
        super().__init__()
        self.run = run


class RunsListed(Message):
    """The runs that can be compared with, of which more is known where one is to be chosen; problem: why they are not known."""

    def __init__(
        self, names: Sequence[str], choice: Choice, problem: str = "", briefs: Sequence[RunBrief] = ()
    ) -> None:
        super().__init__()
        self.names, self.choice, self.problem, self.briefs = names, choice, problem, briefs


@dataclass(slots=True)
class RunComparison:
    """The compared run and the thread that reads it. post: how threads tell the pane. run: what is known of it, None for none."""

    post: Callable[[Message], object]
    run: OtherRun | None = None
    _reader: OtherReader | None = None

    def ask(self, runs: OtherRuns, own: str, choice: Choice) -> None:
        """Have all runs but one's own listed; RunsListed comes."""
        threading.Thread(target=self._list, args=(runs, own, choice), name="lists runs", daemon=True).start()

    def start(self, name: str, runs: OtherRuns, words: Callable[[BaseException], str]) -> None:
        """Compare one's own run with this one; OtherRunRead comes when it has been read. words: for what keeps it from that."""
        self.stop()
        self.run = OtherRun(name, reading=True)
        self._reader = OtherReader(name, runs, self._tell, words)
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

    def _list(self, runs: OtherRuns, own: str, choice: Choice) -> None:
        try:
            names = [name for name in runs.names() if name != own]
            briefs = [runs.brief(name) for name in names] if choice == "choose" else []
        except OSError as error:
            self.post(RunsListed((), choice, f"cannot list the runs: {error.strerror or error}"))
        else:
            self.post(RunsListed(names, choice, briefs=briefs))
