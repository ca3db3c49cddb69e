"""EpisodeStats: what happened since the last report, as sums that add up over workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rltui.sim.field import TICKS_PER_SECOND
from rltui.sim.state import GameState, Int


@dataclass(frozen=True)
class EpisodeStats:
    """Sums. Episodes count when they end; everything else counts each step."""

    episodes: int
    car_episodes: int  # episodes × cars: what a mean reward is taken over
    episode_ticks: int  # of the ended episodes
    rewards: dict[str, float]  # by name: weighted, over the ended episodes and their cars
    goals: int
    touches: int  # steps of a car in which it touched the ball
    airborne: int  # steps of a car, not demolished, with fewer than three wheels down
    boost: float  # over all steps of all cars, 0–100 each
    car_steps: int
    arena_steps: int
    seconds: float  # of game time, over all arenas

    @property
    def car_seconds(self) -> float:
        """Game time over all cars."""
        return self.seconds * self.car_steps / self.arena_steps if self.arena_steps else 0.0


class EpisodeTally:
    """Counts for K arenas, of which C cars learn, and R rewards."""

    def __init__(self, reward_names: Sequence[str], arenas: int, cars: int, tick_skip: int) -> None:
        self._names = list(reward_names)
        self._tick_skip, self._cars = tick_skip, slice(cars)
        self._running = np.zeros((len(self._names), arenas, cars))  # of the episodes that go on
        self._boost = np.zeros((arenas, cars))
        self._clear()

    def step(self, state: GameState, contributions: NDArray[np.float32]) -> None:
        """Count one step; contributions [R, K, C] are the weighted rewards."""
        np.add(self._running, contributions[:, :, self._cars], out=self._running)
        mine = self._cars
        np.add(self._boost, state.boost[:, mine], out=self._boost)
        self._steps += 1
        self._grounded += np.count_nonzero(state.on_ground[:, mine])
        self._touches += np.count_nonzero(state.touches[:, mine])
        self._demolished += np.count_nonzero(state.demo_respawn_timer[:, mine])
        self._goals += np.count_nonzero(state.goal)

    def end(self, arenas: Int, ticks: Int) -> None:
        """Episodes of these arenas (indices) ended after this many ticks each."""
        self._episodes += len(arenas)
        self._ticks += int(ticks.sum())
        self._ended += self._running[:, arenas].sum(axis=(1, 2))
        self._running[:, arenas] = 0.0

    def drain(self) -> EpisodeStats:
        """Everything since the last drain. Running episodes keep their rewards until they end."""
        arenas, cars = self._boost.shape
        car_steps = self._steps * arenas * cars
        stats = EpisodeStats(
            episodes=self._episodes,
            car_episodes=self._episodes * cars,
            episode_ticks=self._ticks,
            rewards=dict(zip(self._names, self._ended.tolist(), strict=True)),
            goals=int(self._goals),
            touches=int(self._touches),
            airborne=int(car_steps - self._grounded - self._demolished),
            boost=float(self._boost.sum()),
            car_steps=car_steps,
            arena_steps=self._steps * arenas,
            seconds=self._steps * arenas * self._tick_skip / TICKS_PER_SECOND,
        )
        self._clear()
        return stats

    def _clear(self) -> None:
        self._boost.fill(0.0)
        self._ended = np.zeros(len(self._names))
        self._steps = self._episodes = self._ticks = 0
        self._goals = self._touches = self._grounded = self._demolished = 0
