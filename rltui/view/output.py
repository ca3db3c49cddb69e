"""Output: where the frames of a match go."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from rltui.events.match_frames import MatchFrame

Notice = Callable[[str], None]


class Output(ABC):
    """Is given moment after moment, in time."""

    @abstractmethod
    def show(self, moment: MatchFrame) -> None:
        """Never waits."""

    def still(self, moment: MatchFrame) -> None:  # noqa: B027 - most have nothing to do
        """The same moment again, as long as the match is paused."""

    def close(self) -> None:  # noqa: B027 - most have nothing to do
        """No more will come. Called once."""


class ThinnedOutput(Output):
    """Passes on moments that are `ticks` or more apart."""

    def __init__(self, output: Output, ticks: int) -> None:
        self._output, self._ticks = output, ticks
        self._due = 0

    def show(self, moment: MatchFrame) -> None:
        if moment.tick >= self._due:
            self._due = moment.tick + self._ticks
            self._output.show(moment)

    def still(self, moment: MatchFrame) -> None:
        self._output.still(moment)

    def close(self) -> None:
        self._output.close()
