"""LiveMatch: a match of two sources as a stream of moments; a run's newer weights take over while it is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rltui.errors import RltuiError
from rltui.events.match_frames import Moment
from rltui.sim.field import TICKS_PER_SECOND
from rltui.view.match import Match
from rltui.view.output import Notice
from rltui.view.player import Player, PolicySide
from rltui.view.source import Seat, Source

LOOK_TICKS = 2 * TICKS_PER_SECOND  # between two looks for newer weights


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

    def __init__(self, a: Source, b: Source, options: MatchOptions, notice: Notice) -> None:
        """RltuiError where they cannot play each other. notice: told of new weights."""
        self._sources, self._options, self._notice = (a, b), options, notice
        self.teams = _teams(a, b, options.size)
        self._players = self._seat()
        self.match = Match(self._players, self.teams, [options.seed], (a.name, b.name))
        self._look_at = LOOK_TICKS

    def moments(self) -> Iterator[Moment]:
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
        """Take over newer weights. One of another game begins a new kickoff; what cannot be used is told and passed over."""
        for place, source in enumerate(self._sources):
            try:
                policy = source.newer()
                if policy is None:
                    continue
                player = self._players[place]
                if isinstance(player, PolicySide) and player.fits(policy):
                    player.renew(policy)
                else:
                    self._begin_anew()
                self._notice(f"{source.name}: newer weights")
            except RltuiError as error:
                self._notice(f"{source.name}: newer weights cannot be used: {error.message}")

    def _begin_anew(self) -> None:
        old, players = self.match, self._seat()
        match = Match(players, self.teams, [self._options.seed, old.tick], old.names)
        match.go_on_from(old)
        self._players, self.match = players, match

    def _seat(self) -> tuple[Player, Player]:
        a, b = self._sources
        blue, cars = self.teams[0], sum(self.teams)
        seed, deterministic = self._options.seed, self._options.deterministic
        return (
            a.player(Seat(self.teams, slice(0, blue), [seed, 1], deterministic)),
            b.player(Seat(self.teams, slice(blue, cars), [seed, 2], deterministic)),
        )


def _teams(a: Source, b: Source, size: int | None) -> tuple[int, int]:
    return (size, size) if size is not None else a.teams or b.teams or (1, 1)
