"""EpisodeStats and what counts them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rltui.env.turtle import TurtleStats, TurtleTracker, total_turtles
from rltui.events.game_record import GameRecord
from rltui.field import TICKS_PER_SECOND
from rltui.sim.state import Bool, Float, GameState, Int

if TYPE_CHECKING:
    from rltui.sim.arena_batch import ArenaBatch, FirstArenas  # load the simulator, which reports do not need
IN_TIME = 10 * TICKS_PER_SECOND


class NewGoals:
    """Edge detector over K arenas: a ball that stays in the net is one goal."""

    def __init__(self, state: GameState) -> None:
        """state: the one that every step is read into."""
        self._goal = state.goal
        self._inside: Bool = np.zeros(state.arenas, np.bool_)
        self._any_inside = False

    def begin(self, arenas: Int | Bool) -> None:
        """New episodes in these arenas (indices or mask)."""
        self._inside[arenas] = False

    def step(self) -> list[int]:
        """Indices of the arenas in which the newest step ended with a goal and the one before did not."""
        goals = np.count_nonzero(self._goal)
        if not goals and not self._any_inside:
            return []
        inside = self._goal != 0
        new: list[int] = np.flatnonzero(inside > self._inside).tolist()
        self._inside, self._any_inside = inside, bool(goals)
        return new


class GoalCounts:
    """Counts for these cars of K arenas. When they are of both teams, each goal is both scored and conceded."""

    def __init__(self, state: GameState, cars: slice) -> None:
        """state: the one that every step is read into."""
        self._goal, self._toucher = state.goal, state.last_toucher
        self._cars, self._team = range(state.cars)[cars], state.team.tolist()
        self._signs = set(state.team_sign[cars].tolist())  # of their teams, as in `state.goal`
        self._new = NewGoals(state)
        self.clear()

    def clear(self) -> None:
        """Begin at 0."""
        self.scored = self.conceded = self.own = 0

    def step(self) -> None:
        """Count one step."""
        for arena in self._new.step():
            self._count(int(self._goal[arena]), int(self._toucher[arena]))

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        self._new.begin(arenas)

    def _count(self, goal: int, toucher: int) -> None:
        self.scored += goal in self._signs
        if -goal not in self._signs:
            return
        self.conceded += 1
        conceding = 1 if goal > 0 else 0
        self.own += toucher in self._cars and self._team[toucher] == conceding


class KickoffTouches:
    """Counts for these cars of K arenas. A kickoff is decided by a touch of one of them, when the time is over, or when its
    episode ends; those decided count.
    """

    def __init__(self, state: GameState, cars: slice, tick_skip: int) -> None:
        """state: the one that every step is read into."""
        self._kickoff, self._touches = state.kickoff, state.touches[:, cars]
        self._tick_skip, self._step = tick_skip, 0
        self._open: dict[int, int] = {}  # step at which the undecided kickoff of each arena began
        self._due: deque[tuple[int, int]] = deque()  # every kickoff, oldest first: step, arena; decided ones too
        self.clear()

    def clear(self) -> None:
        """Begin at 0; kickoffs that are being played stay open."""
        self.decided = self.touched = 0

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        for arena in arenas[self._kickoff[arenas]].tolist():
            self._open[arena] = self._step
            self._due.append((self._step, arena))

    def step(self) -> None:
        """Count one step."""
        self._step += 1
        if not self._open:
            return
        if np.count_nonzero(self._touches):
            for arena in self._touches.nonzero()[0].tolist():
                self.touched += self._decide(arena)
        while self._due and (self._step - self._due[0][0]) * self._tick_skip >= IN_TIME:
            began, arena = self._due.popleft()
            if self._open.get(arena) == began:
                self._decide(arena)

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended."""
        for arena in arenas.tolist():
            self._decide(arena)

    def _decide(self, arena: int) -> bool:
        """Whether it was open."""
        was_open = self._open.pop(arena, None) is not None
        self.decided += was_open
        return was_open


class BoostSpent:
    """Adds up over these cars of K arenas. Settled only at the ends of episodes and reports: what is missing then, and
    was not lost by respawning, has been burnt.
    """

    def __init__(self, state: GameState, cars: slice) -> None:
        """state: the one that every step is read into."""
        self._boost: Float = state.boost[:, cars]
        self._had: Float = np.zeros_like(self._boost)
        self._missing = 0.0

    def begin(self, arenas: Int) -> None:
        """New episodes in these arenas (indices)."""
        self._had[arenas] = self._boost[arenas]

    def end(self, arenas: Int | slice) -> None:
        """Episodes of these arenas ended."""
        self._missing += float((self._had[arenas] - self._boost[arenas]).sum(dtype=np.float64))
        self._had[arenas] = self._boost[arenas]

    def drain(self, received: NDArray[np.float64]) -> float:
        """Boost since the last drain, 0–100 each. received: in that time, EventTotals.boost_received."""
        self.end(slice(None))
        spent, self._missing = self._missing + float(received.sum()), 0.0
        return spent


@dataclass(frozen=True)
class EpisodeStats:
    """Sums. Episodes count when they end; everything else counts each step. A car is one that learns."""

    episodes: int
    car_episodes: int  # episodes × cars: what a mean reward is taken over
    episode_ticks: int  # of the ended episodes
    rewards: dict[str, float]  # by name: weighted, over the ended episodes and their cars
    goals: int  # of the cars' teams
    touches: int  # steps of a car in which it touched the ball
    airborne: int  # steps of a car, not demolished, with fewer than three wheels down
    boost: float  # over all steps of all cars, 0–100 each
    car_steps: int
    arena_steps: int
    seconds: float  # of game time, over all arenas
    fallbacks: int = 0  # choices of a car, of car_steps in all, that legality replaced
    conceded: int = 0  # goals against the cars' teams
    own_goals: int = 0  # of those conceded: after a car's own last touch
    shots: int = 0
    saves: int = 0
    demos: int = 0
    boost_spent: float = 0.0
    kickoffs: int = 0  # in which it is known whether a car touched the ball in time
    kickoffs_touched: int = 0
    arenas: int = 0
    first_episodes: int = 0  # of these arenas, still in the episode that they began with
    turtles: TurtleStats = field(default_factory=TurtleStats)
    measures: dict[str, float] = field(
        default_factory=dict
    )  # by reward of weight 0: its values, over all steps of all cars
    against: dict[str, GameRecord] = field(default_factory=dict)  # frozen opponents, by name; in nothing above
    of_game: bool = True  # False: of an environment that tells rewards and ends alone; all else is unknown, not 0

    @property
    def car_seconds(self) -> float:
        """Game time over all cars."""
        return self.seconds * self.car_steps / self.arena_steps if self.arena_steps else 0.0


def total(parts: Sequence[EpisodeStats]) -> EpisodeStats:
    """The sums of several together; one at least."""
    first = parts[0]
    others = ("rewards", "turtles", "measures", "against", "of_game")
    numbers = [item.name for item in fields(first) if item.name not in others]
    sums = {name: sum(getattr(part, name) for part in parts) for name in numbers}
    return EpisodeStats(
        **sums,
        rewards={name: sum(part.rewards[name] for part in parts) for name in first.rewards},
        turtles=total_turtles(part.turtles for part in parts),
        measures={name: sum(part.measures[name] for part in parts) for name in first.measures},
        against=total_against(parts),
        of_game=first.of_game,
    )


def total_against(parts: Iterable[EpisodeStats]) -> dict[str, GameRecord]:
    """Games against each frozen opponent, all of them together."""
    found: dict[str, GameRecord] = {}
    for part in parts:
        for name, games in part.against.items():
            found[name] = found.get(name, GameRecord()) + games
    return found


class EpisodeTally:
    """Counts for these cars of K arenas, and R rewards. Those of an arena that a policy learns with, or those of a player."""

    def __init__(
        self,
        reward_names: Sequence[str],
        sim: ArenaBatch | FirstArenas,
        cars: slice,
        tick_skip: int,
        state: GameState | None = None,
        measured: Sequence[str] = (),
    ) -> None:
        """The simulation's totals of these cars are taken over: nobody else clears them.

        state: what every step is read into; None: the simulation's own. measured: names of the rewards that are measured only.
        """
        state = state or sim.state
        self._names, self._measured, self._totals = list(reward_names), list(measured), sim.totals
        self._tick_skip, self._cars = tick_skip, cars
        self._tick, self._boost_now = state.tick, state.boost[:, cars]
        self._on_ground, self._respawn_timer = state.on_ground[:, cars], state.demo_respawn_timer[:, cars]
        self._boost = np.zeros(self._boost_now.shape)
        self._running = np.zeros((len(self._names), *self._boost.shape))  # of the episodes that go on
        self._is_first = np.ones(state.arenas, np.bool_)
        self._spent = BoostSpent(state, cars)
        self._goals = GoalCounts(state, cars)
        self._kickoffs = KickoffTouches(state, cars, tick_skip)
        self._turtles = TurtleTracker(state, cars, tick_skip, sim.contact)
        self._clear()

    def begin(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) begin; the state shows their first moment."""
        self._spent.begin(arenas)
        self._goals.begin(arenas)
        self._kickoffs.begin(arenas)

    def step(self, contributions: NDArray[np.float32], measures: NDArray[np.float32] | None = None) -> None:
        """Count one step; contributions [R, K, C] are the weighted rewards, measures [M, K, C] those measured, unweighted."""
        np.add(self._running, contributions[:, :, self._cars], out=self._running)
        if measures is not None:
            self._measures += measures[:, :, self._cars].sum(axis=(1, 2), dtype=np.float64)
        np.add(self._boost, self._boost_now, out=self._boost)
        self._steps += 1
        demolished = np.count_nonzero(self._respawn_timer)
        self._not_in_air += np.count_nonzero(
            np.logical_or(self._on_ground, self._respawn_timer) if demolished else self._on_ground
        )
        self._goals.step()
        self._kickoffs.step()
        self._turtles.step(demolished)

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended; the state shows their last moment."""
        self._episodes += len(arenas)
        self._ticks += int(self._tick[arenas].sum())
        self._ended += self._running[:, arenas].sum(axis=(1, 2))
        self._running[:, arenas] = 0.0
        self._is_first[arenas] = False
        self._spent.end(arenas)
        self._kickoffs.end(arenas)
        self._turtles.end(arenas)

    def drain(self) -> EpisodeStats:
        """Everything since the last drain. Running episodes keep their rewards until they end."""
        arenas, cars = self._boost.shape
        totals, mine = self._totals, self._cars
        car_steps = self._steps * arenas * cars
        stats = EpisodeStats(
            episodes=self._episodes,
            car_episodes=self._episodes * cars,
            episode_ticks=self._ticks,
            rewards=dict(zip(self._names, self._ended.tolist(), strict=True)),
            goals=self._goals.scored,
            touches=int(totals.touches[:, mine].sum()),
            airborne=int(car_steps - self._not_in_air),
            boost=float(self._boost.sum()),
            car_steps=car_steps,
            arena_steps=self._steps * arenas,
            seconds=self._steps * arenas * self._tick_skip / TICKS_PER_SECOND,
            conceded=self._goals.conceded,
            own_goals=self._goals.own,
            shots=int(totals.shots[:, mine].sum()),
            saves=int(totals.saves[:, mine].sum()),
            demos=int(totals.demos[:, mine].sum()),
            boost_spent=self._spent.drain(totals.boost_received[:, mine]),
            kickoffs=self._kickoffs.decided,
            kickoffs_touched=self._kickoffs.touched,
            arenas=arenas,
            first_episodes=int(np.count_nonzero(self._is_first)),
            turtles=self._turtles.drain(),
            measures=dict(zip(self._measured, self._measures.tolist(), strict=True)),
        )
        self._clear()
        return stats

    def _clear(self) -> None:
        self._boost.fill(0.0)
        self._ended, self._measures = np.zeros(len(self._names)), np.zeros(len(self._measured))
        self._steps = self._episodes = self._ticks = 0
        self._not_in_air = 0
        self._totals.clear(self._cars)
        self._goals.clear()
        self._kickoffs.clear()
