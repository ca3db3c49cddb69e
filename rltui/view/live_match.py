"""LiveMatch: a match as a paced stream of frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rltui.errors import RltuiError
from rltui.events.match_frames import MatchFrame
from rltui.field import TICKS_PER_SECOND
from rltui.league.match import Match
from rltui.league.players import Player, PolicySide, Seat
from rltui.league.sources import PlayerSource
from rltui.supervise.terminal import GONE
from rltui.view.output import Notice, Output

LOOK_TICKS = 2 * TICKS_PER_SECOND  # between two looks for newer weights
MOST_LAG = 0.25  # seconds behind that are caught up with; after a longer stop the game goes on from where it is
PAUSED_SLEEP = 0.05  # seconds between two looks at the keyboard
QUIT, PAUSE, LINK = "q", " ", "v"


@dataclass(frozen=True)
class MatchOptions:
    """size: cars a team; None: as A was trained. ticks: between two moments. seconds: of the game; None: without end."""

    size: int | None = None
    ticks: int = 2
    seconds: float | None = None
    seed: int = 0
    deterministic: bool = False


class LiveMatch:
    """A plays blue, B orange."""

    def __init__(self, a: PlayerSource, b: PlayerSource, options: MatchOptions, notice: Notice) -> None:
        """RltuiError where they cannot play each other. notice: called for new weights."""
        self._sources, self._options, self._notice = (a, b), options, notice
        self.teams = _teams(a, b, options.size)
        self._players = self._seat()
        self.match = Match(self._players, self.teams, [options.seed], (a.name, b.name))
        self._look_at = LOOK_TICKS

    def moments(self) -> Iterator[MatchFrame]:
        """The first is the kickoff."""
        end = None if self._options.seconds is None else round(self._options.seconds * TICKS_PER_SECOND)
        yield self.match.moment()
        while end is None or self.match.tick < end:
            left = self._options.ticks if end is None else min(self._options.ticks, end - self.match.tick)
            self.match.play(left)
            if self.match.tick >= self._look_at:
                self._look_at = self.match.tick + LOOK_TICKS
                self.renew()
            yield self.match.moment()

    def renew(self) -> None:
        """Take over newer weights. One of another game begins a new kickoff; what cannot be used is noticed and passed over."""
        for place, source in enumerate(self._sources):
            try:
                policy = source.newer()
                if policy is None:
                    continue
                player = self._players[place]
                if isinstance(player, PolicySide) and player.fits(policy):
                    player.renew(policy)
                else:
                    self._restart()
                self._notice(f"{source.name}: newer weights")
            except RltuiError as error:
                self._notice(f"{source.name}: newer weights cannot be used: {error.message}")

    def _restart(self) -> None:
        old, players = self.match, self._seat()
        match = Match(players, self.teams, [self._options.seed, old.tick], old.names)
        match.carry_over(old)
        self._players, self.match = players, match

    def _seat(self) -> tuple[Player, Player]:
        a, b = self._sources
        blue, cars = self.teams[0], sum(self.teams)
        seed, deterministic = self._options.seed, self._options.deterministic
        return (
            a.player(Seat(self.teams, slice(0, blue), [seed, 1], deterministic)),
            b.player(Seat(self.teams, slice(blue, cars), [seed, 2], deterministic)),
        )


def _teams(a: PlayerSource, b: PlayerSource, size: int | None) -> tuple[int, int]:
    return (size, size) if size is not None else a.teams or b.teams or (1, 1)


class Pacer:
    """Waits until a tick is due. speed: game seconds a second."""

    def __init__(
        self,
        speed: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._ticks_per_second = TICKS_PER_SECOND * speed
        self._clock, self._sleep = clock, sleep
        self._anchor: tuple[int, float] | None = None  # a tick, and when it was due

    def wait_for(self, tick: int) -> None:
        """The first tick is due at once."""
        now = self._clock()
        if self._anchor is None:
            self._anchor = tick, now
        due = self._anchor[1] + (tick - self._anchor[0]) / self._ticks_per_second
        if due > now:
            self._sleep(due - now)
        elif now - due > MOST_LAG:
            self._anchor = tick, now

    def rest(self, seconds: float) -> None:
        """Wait without playing; what comes next is due at once."""
        self._sleep(seconds)
        self._anchor = None


class Watch:
    """keys: what was pressed since the last call. toggle: what the key `v` does."""

    def __init__(
        self,
        pacer: Pacer,
        keys: Callable[[], str] = lambda: "",
        toggle: Callable[[], None] = lambda: None,
    ) -> None:
        self._pacer, self._keys, self._toggle = pacer, keys, toggle
        self.paused = self.stopped = False
        self.last: MatchFrame | None = None

    def stop(self, *_: object) -> None:
        """At the next moment; may be called by a signal."""
        self.stopped = True

    def run(self, moments: Iterable[MatchFrame], outputs: Sequence[Output]) -> None:
        """Show them all, or until stopped. The outputs are the caller's to close."""
        for moment in moments:
            self._pacer.wait_for(moment.tick)
            self._obey(self._keys())
            self.last = moment
            for output in outputs:
                output.show(moment)
            while self.paused and not self.stopped:
                self._pacer.rest(PAUSED_SLEEP)
                self._obey(self._keys())
                for output in outputs:
                    output.still(moment)
            if self.stopped:
                return

    def _obey(self, keys: str) -> None:
        for key in keys:
            if key in (QUIT, GONE):
                self.stopped = True
            elif key == PAUSE:
                self.paused = not self.paused
            elif key == LINK:
                self._toggle()
