"""Turtle statistics against a slow twin that follows each car by itself, in interleaved arenas with ends in between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from rltui.env.turtle import TurtleStats, TurtleTracker, total_turtles
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.resets.standard import RandomReset
from tests.fakes.arenas import ROWS, batch
from tests.fakes.tables import FULL_BOOST, IDLE

ARENAS, STEPS = 8, 400


@dataclass
class SlowCar:
    """The rules as they are written, for one car that knows nothing of others."""

    started: int | None = None
    failed: bool = False
    counts: dict[str, int] = field(default_factory=lambda: {"events": 0, "failed": 0, "censored": 0})
    ticks: list[int] = field(default_factory=list)

    def step(self, tick: int, car: Any) -> None:
        wheels, up = sum(car.wheels_with_contact), car.rot_mat.up.z
        upright = wheels >= 3 and up > 0.6 and not car.is_demoed
        if self.started is not None:
            self._outcome(tick - self.started, upright, car.is_demoed)
        if upright or car.is_demoed:
            self.failed = False
        lies = wheels <= 1 and up < -0.2 and car.has_world_contact and car.world_contact_normal.z > 0.7
        if self.started is None and not self.failed and lies and not car.is_demoed:
            self.started = tick
            self.counts["events"] += 1

    def _outcome(self, ticks: int, upright: bool, demoed: bool) -> None:
        if upright and ticks <= 360:
            self.ticks.append(ticks)
        elif demoed:
            self.counts["censored"] += 1
        elif ticks >= 360:
            self.counts["failed"] += 1
            self.failed = True
        else:
            return
        self.started = None

    def end(self) -> None:
        self.counts["censored"] += self.started is not None
        self.started, self.failed = None, False


def slow(cars: list[list[SlowCar]]) -> TurtleStats:
    every = [car for arena in cars for car in arena]
    return total_turtles(TurtleStats(**car.counts, recovery_ticks=car.ticks) for car in every)


def reset(arenas: ArenaBatch, rng: np.random.Generator, which: list[int]) -> None:
    sampler = RandomReset(RandomReset.Params())
    arenas.reset(which, [sampler.sample(rng, arenas.state.blue, arenas.state.orange) for _ in which])


@pytest.mark.parametrize("teams", [(1, 0), (1, 1), (2, 1)])
def test_the_tracker_is_its_slow_twin(teams: tuple[int, int]) -> None:
    """Cars that tumble and jump at random or do nothing; each arena's episodes end at random times; only the first car of each learns."""
    rng = np.random.default_rng(sum(teams))
    arenas, learners = batch(ARENAS, teams), max(1, sum(teams) - 1)
    tracker = TurtleTracker(arenas.state, slice(learners), 8, arenas.contact)
    twins = [[SlowCar() for _ in range(learners)] for _ in range(ARENAS)]
    reset(arenas, rng, list(range(ARENAS)))
    parts = []
    for step in range(STEPS):
        actions = rng.integers(0, len(ROWS), (ARENAS, sum(teams)))
        actions[rng.random(actions.shape) < 0.3] = FULL_BOOST
        actions[(step // 80 + np.arange(ARENAS)) % 2 == 0] = IDLE  # by turns for four seconds, in which turtles fail
        arenas.step(actions)
        tracker.step(np.count_nonzero(arenas.state.demo_respawn_timer[:, :learners]))
        for arena, cars in enumerate(twins):
            for index, car in enumerate(cars):
                car.step(int(arenas.state.tick[arena]), arenas._arenas[arena].cars[index].get_state())
        ended = np.flatnonzero(rng.random(ARENAS) < 0.006)
        if len(ended):
            tracker.end(ended)
            for arena in ended.tolist():
                for car in twins[arena]:
                    car.end()
            reset(arenas, rng, ended.tolist())
        if step % 50 == 49:
            parts.append(tracker.drain())
    got, expected = total_turtles(parts), slow(twins)
    assert (got.events, got.failed, got.censored) == (expected.events, expected.failed, expected.censored)
    assert sorted(got.recovery_ticks) == sorted(expected.recovery_ticks)
    assert got.recovered > 2 and got.failed > 0
