"""Events of whole random games against the simulator asked after every tick, and against what its cars count."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rltui.field import PAD_POSITIONS
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import ROWS, batch, flat_setup
from tests.fakes.tables import FULL_BOOST

TEAMS = [(1, 0), (1, 1), (2, 1), (3, 3)]
COUNTERS = ("shots", "saves", "demos")  # of RocketSim's own Car


def busy_setup(rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
    """Fast cars in a ring around the ball that look at it or away, before one of the goals, the ball on its way there."""
    cars = blue + orange
    side = rng.choice([-1, 1])
    centre = np.array([rng.uniform(-600, 600), side * rng.uniform(1500, 4000)])
    angles = rng.permutation(np.linspace(0, 2 * np.pi, cars, endpoint=False)) + rng.uniform(0, 6)
    radius = rng.uniform(350, 600)
    places = [(centre[0] + radius * np.cos(a), centre[1] + radius * np.sin(a), 17.0) for a in angles]
    setup = flat_setup(places, ball=(*centre, rng.uniform(94, 130)))
    inwards = -np.stack([np.cos(angles), np.sin(angles), np.zeros(cars)], axis=1) * rng.choice([1, 1, 1, -1], (cars, 1))
    up = np.tile([0.0, 0.0, 1.0], (cars, 1))
    setup.rotation = np.stack([inwards, np.cross(up, inwards), up], axis=2).astype(np.float32)
    setup.velocity = (inwards * rng.uniform(500, 2290, (cars, 1))).astype(np.float32)
    setup.ball_velocity = np.array([rng.uniform(-100, 100), side * rng.choice([0, 1200]), 0.0], np.float32)
    setup.boost = rng.uniform(0, 100, cars).astype(np.float32)
    return setup


class Judge:
    """One arena played a tick at a time, with callbacks of its own and the cars asked before and after each tick."""

    def __init__(self, seed: int, index: int, teams: tuple[int, int], pace: Pace) -> None:
        self._batch = batch(index + 1, teams, seed=seed)  # the last of them draws what arena `index` draws
        self._pace = pace
        self.arena = self._batch._arenas[index]
        self.arena.arena.set_ball_touch_callback(self._touch)
        self.arena.arena.set_boost_pickup_callback(self._pickup)
        self.arena.arena.set_car_demo_callback(self._demo)

    def reset(self, setup: ArenaSetup) -> None:
        self.arena.reset(setup)
        self.touchers: list[int] = []

    def step(self, actions: list[int]) -> None:
        cars = len(actions)
        self.touches, self.heights = [0] * cars, [0.0] * cars
        self.pads, self.gains = [-1] * cars, [0.0] * cars
        self.demos, self.demoed = [False] * cars, [False] * cars
        for tick in range(self._pace.tick_skip + 1):
            if tick == self._pace.delay:
                for car, action in zip(self.arena.cars, actions, strict=True):
                    car.set_controls(self._batch._controls[action])
            if tick < self._pace.tick_skip:
                self._tick()

    def _tick(self) -> None:
        before = [car.get_state().boost for car in self.arena.cars]
        self._taken: set[int] = set()
        self.arena.step_with_respawns(1)
        for index in self._taken:
            now = self.arena.cars[index].get_state()
            burnt = 33.3 / 120 if now.time_spent_boosting else 0.0
            self.gains[index] += now.boost - max(0.0, before[index] - burnt)

    def _index(self, car: Any) -> int:
        return [other.id for other in self.arena.cars].index(car.id)

    def _touch(self, car: Any, **_: Any) -> None:
        index = self._index(car)
        self.touches[index] += 1
        self.heights[index] = car.get_state().ball_hit_info.ball_pos.z
        self.touchers.append(index)

    def _pickup(self, car: Any, boost_pad: Any, **_: Any) -> None:
        x, y, _z = boost_pad.get_pos().as_tuple()
        places = np.array(PAD_POSITIONS)[:, :2]
        self.pads[self._index(car)] = int(np.hypot(*(places - (x, y)).T).argmin())
        self._taken.add(self._index(car))

    def _demo(self, bumper: Any, victim: Any, **_: Any) -> None:
        self.demos[self._index(bumper)] = self.demoed[self._index(victim)] = True


def same_place(arenas: ArenaBatch, index: int, judge: Judge) -> bool:
    """Whether the judge still plays the same game. Seldom it does not: the simulator goes through cars in the order of
    their addresses, which an arena beside it need not share, and three that collide may then part.
    """
    ours, theirs = (
        [car.get_state().pos.as_tuple() for car in arena.cars] for arena in (arenas._arenas[index], judge.arena)
    )
    return ours == theirs


def check(arenas: ArenaBatch, index: int, judge: Judge, blue: int) -> None:
    state = arenas.state

    def ours(name: str) -> Any:
        return getattr(state, name)[index].tolist()

    assert ours("touches") == judge.touches and ours("touch_height") == judge.heights
    assert ours("demos") == judge.demos and ours("demoed") == judge.demoed
    assert ours("pad_picked") == judge.pads
    np.testing.assert_allclose(ours("boost_gained"), judge.gains, atol=2e-4)
    newest = [next((i for i in reversed(judge.touchers) if (i >= blue) == team), -1) for team in (False, True)]
    assert ours("last_toucher_of") == newest
    assert ours("last_toucher") == (judge.touchers[-1] if judge.touchers else -1)


@settings(max_examples=6, deadline=None)
@given(
    teams=st.sampled_from(TEAMS),
    pace=st.sampled_from([Pace(8, 1), Pace(8, 0), Pace(4, 4), Pace(12, 3)]),
    seed=st.integers(0, 2**32 - 1),
)
@example(teams=(3, 3), pace=Pace(8, 1), seed=25716)  # a car demolishes two in one step
def test_events_are_the_simulators(teams: tuple[int, int], pace: Pace, seed: int) -> None:
    """Two arenas side by side, the second of which begins anew halfway."""
    rng = np.random.default_rng(seed)
    arenas = batch(2, teams, pace=pace, seed=seed)
    judges = [Judge(seed, index, teams, pace) for index in range(2)]
    for index in range(2):
        begin(arenas, judges, index, busy_setup(rng, *teams))
    before, totals = counters(arenas), dict.fromkeys((*COUNTERS, "touches"), 0)
    for step in range(50):
        if step == 25:
            begin(arenas, judges, 1, busy_setup(rng, *teams))
            before = counters(arenas)  # new cars begin at 0
        actions = rng.integers(0, len(ROWS), (2, sum(teams)))
        actions[rng.random(actions.shape) < 0.9] = FULL_BOOST
        arenas.step(actions)
        for index, judge in enumerate(judges):
            judge.step(actions[index].tolist())
            if same_place(arenas, index, judge):
                check(arenas, index, judge, teams[0])
        now = counters(arenas)
        for name in COUNTERS:
            assert getattr(arenas.state, name).tolist() == (now[name] > before[name]).tolist(), name
            totals[name] = totals[name] + now[name] - before[name]
        totals["touches"] = totals["touches"] + (arenas.state.touches > 0)
        before = now
    for name, counts in totals.items():
        assert getattr(arenas.totals, name).tolist() == counts.tolist(), name


def counters(arenas: ArenaBatch) -> dict[str, np.ndarray]:
    """What RocketSim's cars count themselves [K, C], by name."""
    return {
        name: np.array([[getattr(car, name) for car in arena.cars] for arena in arenas._arenas]) for name in COUNTERS
    }


def begin(arenas: ArenaBatch, judges: list[Judge], index: int, setup: ArenaSetup) -> None:
    arenas.reset([index], [setup])
    judges[index].reset(setup)
