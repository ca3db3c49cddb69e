"""Thread that rates a run's players for its pane, and the ratings of saved states for the browser, from data/games.csv.

NumPy comes with the first games, not with the interface.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.league.games import Games, read
from rltui.runs.inventory import file_stamp
from rltui.runs.paths import DataDir

if TYPE_CHECKING:
    from rltui.league.ladder import Ladder

LOOK = 1.0  # seconds between two looks at the file
SPARING = 10.0  # times as long as the last reading took, until the next one

Elo = tuple[float, float]  # with half its 95 % interval


@dataclass(frozen=True)
class League:
    """A run's players as they are rated now. problem: why they cannot be."""

    ladder: Ladder | None = None
    problem: Exception | None = None


class GamesFile:
    """games.csv, read again only where it has changed, and not all the time where that takes long."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._stamp: object = self  # equal to no file's
        self._next = 0.0

    def changed(self) -> bool:
        return self._clock() >= self._next and file_stamp(self._path) != self._stamp

    def forget(self) -> None:
        """Nothing came of the reading: it has changed again."""
        self._stamp = self

    def read(self, work: Callable[[Games], None]) -> None:
        """Have `work` done with all games; the time that takes counts."""
        began = self._clock()
        self._stamp = file_stamp(self._path)  # before the reading: what is written meanwhile is read next time
        work(read(self._path))
        self._next = self._clock() + SPARING * (self._clock() - began)


class LeagueReader:
    """start and stop as often as wanted; it delivers the first league at once, then each that games have changed."""

    def __init__(self, data: DataDir, run: str) -> None:
        self._data, self._run = data, run
        self._file = GamesFile(data.games)
        self._end: threading.Event | None = None

    def start(self, deliver: Callable[[League], None]) -> None:
        """Begin to deliver, from another thread; nothing where it does so already."""
        if self._end is None:
            self._end = threading.Event()
            threading.Thread(target=self._follow, args=(deliver, self._end), name="league reader", daemon=True).start()

    def stop(self) -> None:
        """End soon; does not wait."""
        if self._end is not None:
            self._end.set()
            self._end = None

    def _follow(self, deliver: Callable[[League], None], end: threading.Event) -> None:
        def rate(games: Games) -> None:
            from rltui.league.ladder import build_ladder

            ladder = build_ladder(self._data, games, self._run)
            if not end.is_set():
                deliver(League(ladder))
            else:  # the pane may be shown again by now, and another thread look
                self._file.forget()

        try:
            while not end.is_set():
                if self._file.changed():
                    self._file.read(rate)
                end.wait(LOOK)
        except Exception as error:  # a thread that dies must be seen, whatever killed it
            if not end.is_set():
                deliver(League(problem=error))


class StateRatings:
    """Cache of the ratings of saved states by (run, timesteps). Not for two threads at once."""

    def __init__(self, data: DataDir) -> None:
        self._file, self._path = GamesFile(data.games), data.games
        self._known: Mapping[tuple[str, int], Elo] = {}

    def look(self) -> Mapping[tuple[str, int], Elo]:
        """As the games have it now, of those that they rate."""
        if self._file.changed():
            self._file.read(self._rate)
        return self._known

    def _rate(self, games: Games) -> None:
        if not games.games:
            self._known = {}
            return
        from rltui.league.ratings import fit

        states = fit(games.games).of_states.items()
        self._known = {state: (rating.elo, rating.margin) for state, rating in states if rating.connected}
