"""Comparing: the charts' other run, as the user asks for it: chosen from a list, the next one, or none again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from rltui.tui.panes.comparison import NO_RUN, OtherRunRead, RunsListed, Wish, run_picker
from rltui.tui.run.other_run import OtherRuns, neighbour

if TYPE_CHECKING:
    from rltui.tui.panes.metrics import MetricsPane

ALONE = "There is no other run in this data folder to compare with."


class _HasRuns(Protocol):
    other_runs: OtherRuns


class Comparing:
    """Of the charts' pane, which hears of what its threads find and hands it on."""

    def __init__(self, pane: MetricsPane) -> None:
        self._pane = pane

    @property
    def _runs(self) -> OtherRuns:
        return cast("_HasRuns", self._pane.app).other_runs

    def ask(self, wish: Wish) -> None:
        """Have the runs listed."""
        pane = self._pane
        if pane.view is not None:
            pane.comparison.ask(self._runs, pane.view.snapshot.run, wish)

    def listed(self, message: RunsListed) -> None:
        """A list to choose from, or the run next to the one compared so far."""
        pane, now = self._pane, self._pane.comparison.run
        if message.problem or not message.names:
            pane.say(message.problem or ALONE)
        elif message.wish == "choose":
            moment = pane.view.now if pane.view is not None else 0.0
            pane.picker = run_picker(message.briefs, moment, now is not None)
        else:
            here = now.name if now is not None else ""
            self.with_run(neighbour(message.names, here, 1 if message.wish == "next" else -1))

    def with_run(self, name: str) -> None:
        """name: NO_RUN for none."""
        pane = self._pane
        pane.memory.forget()  # of the run compared so far
        pane.charting = pane.comparison.unfitted(pane.charting)
        if name == NO_RUN:
            pane.comparison.stop()
        else:
            pane.comparison.start(name, self._runs, pane.view.snapshot.run if pane.view is not None else "")

    def read(self, message: OtherRunRead) -> None:
        """More of it is known: both shall be seen."""
        pane = self._pane
        pane.comparison.take(message.run)
        if pane.view is not None:
            pane.charting = pane.comparison.fitted(pane.charting, pane.view.snapshot.history)
