"""A second run beside the charts: how it is chosen, read in a thread, and fitted to what both runs have."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from textual.message import Message

from rltui.run_state.history import History
from rltui.run_state.other_run import OtherReader, OtherRun, OtherRuns, RunBrief, run_lines
from rltui.tui.panes.chart_view import Charting
from rltui.tui.widgets.chart import Curve, common_range
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
    _begun: bool = False  # the charts have been fitted to the present pair
    _shown: tuple[float, float] | None = None  # the part of the charts that was chosen here, so that both can be seen

    def fitted(self, charting: Charting, own: History) -> Charting:
        """The charts on what both runs have, where one is so much shorter that it would not be seen; they grow with it.

        What the user has zoomed to stays.
        """
        other = self.run.history if self.run is not None else None
        if other is None or not other.length or not self._may_fit(charting):
            return charting
        both = common_range(
            Curve(own.timesteps, own.timesteps, own.length), Curve(other.timesteps, other.timesteps, other.length)
        )
        self._begun, self._shown = True, both
        return replace(charting, window=both[1] - both[0] if both else None, end=both[1] if both else None)

    def refitted(self, charting: Charting, own: History) -> Charting:
        """As when the comparison began, for charts that show all."""
        self._begun = False
        return self.fitted(charting, own)

    def unfitted(self, charting: Charting) -> Charting:
        """All of one's own run again, unless the user has zoomed meanwhile."""
        is_ours = self._is_ours(charting)
        self._begun, self._shown = False, None
        return replace(charting, window=None, end=None) if is_ours else charting

    def _may_fit(self, charting: Charting) -> bool:
        return self._is_ours(charting) if self._begun else charting.window is None

    def _is_ours(self, charting: Charting) -> bool:
        shown = self._shown
        return shown is not None and (charting.window, charting.end) == (shown[1] - shown[0], shown[1])

    def ask(self, runs: OtherRuns, own: str, choice: Choice) -> None:
        """Have all runs but one's own listed; RunsListed comes."""
        threading.Thread(target=self._list, args=(runs, own, choice), name="lists runs", daemon=True).start()

    def start(self, name: str, runs: OtherRuns, own: str) -> None:
        """Compare one's own run with this one; OtherRunRead comes when it has been read."""
        self.stop()
        self.run = OtherRun(name, reading=True)
        self._reader = OtherReader(name, runs, self._tell, own)
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
            self.post(RunsListed((), choice, f"the runs cannot be listed: {error.strerror or error}"))
        else:
            self.post(RunsListed(names, choice, briefs=briefs))
