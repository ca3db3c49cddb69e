"""Every field of RLGym's GameState, Car and PhysicsObject, its DefaultObs, and our arrays, against RLGym's own engine: rams,
respawns, pads, aerials, touches and goals, from 1v1 to 3v3.

At 1v1 RLGym plays by itself. With more cars the simulator orders contacts by memory address, and no two arenas are the same
for long: there RLGym's engine reads the arena that we play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from rlgym.rocket_league.api import Car, GameConfig, GameState, PhysicsObject
from rlgym.rocket_league.obs_builders import DefaultObs as RlgymObs
from rlgym.rocket_league.sim import RocketSimEngine

from rltui.bridge.rlgym_states import RlgymStates
from rltui.field import PAD_POSITIONS
from rltui.obs.default import DefaultObs
from rltui.sim.arena import TICK
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.state import ArenaSetup, Simulated
from tests.fakes.arenas import ROWS, batch, fill_rlgym_state, flat_setup
from tests.fakes.tables import FULL_BOOST, IDLE

STEPS = 75  # of an episode: a wreck is away for 45
STRAIGHT = 8  # steps in which blue drives straight on and orange waits
RAM, PAD, AIR = range(3)  # what is about to happen in a lane
SAME = [
    "demo_respawn_timer",
    "handbrake",
    "air_time_since_jump",
    "flip_time",
    "on_ground",
    "is_boosting",
    "is_supersonic",
    "is_holding_jump",
    "has_jumped",
    "is_jumping",
    "has_flipped",
    "is_flipping",
    "has_double_jumped",
    "can_flip",
]
EVENTS = [
    *("goal", "wreck on the ground", "respawn", "bump", "touch", "pad"),
    *("flip", "double jump", "jump", "supersonic", "in the air"),
]
OTHER_NAMES = {
    "boost": "boost_amount",
    "touches": "ball_touches",
    "position": "physics.position",
    "velocity": "physics.linear_velocity",
    "angular_velocity": "physics.angular_velocity",
    "forward": "physics.forward",
    "up": "physics.up",
}


class SeededRespawns:
    """RLGym's own arena, whose cars come back where the generator says: by itself the simulator draws by the clock."""

    def __init__(self, arena: Any, rng: np.random.Generator) -> None:
        self._arena, self._rng = arena, rng

    def step(self, ticks: int) -> None:
        assert ticks == 1
        for car in sorted(self._arena.get_cars(), key=lambda car: car.id):
            state = car.get_state()
            if state.is_demoed and state.demo_respawn_timer <= TICK:
                car.respawn(int(self._rng.integers(2**31)))
        self._arena.step(1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._arena, name)


class Alone:
    """RLGym's engine plays the setup and the same actions."""

    def __init__(self, setup: ArenaSetup, teams: tuple[int, int], rng: np.random.Generator) -> None:
        self._game: Any = RocketSimEngine()
        self._game._arena = SeededRespawns(self._game._arena, rng)
        wanted = self._game.create_base_state()
        fill_rlgym_state(wanted, setup, *teams)
        self.state = self._game.set_state(wanted, {})

    def step(self, actions: dict[str, int]) -> None:
        self.state = self._game.step({name: ROWS[[action] * 8] for name, action in actions.items()}, {})


class Along:
    """RLGym's engine reads the only arena of a batch, once it has been stepped."""

    def __init__(self, arenas: ArenaBatch, agents: list[str]) -> None:
        self._game: Any = RocketSimEngine()
        (own,) = arenas.arenas
        game = self._game
        wanted = game.create_base_state()
        game._game_config, game._tick_count, game._arena = wanted.config, 0, own.arena
        game._cars = dict(zip(agents, own.cars, strict=True))
        ids = [car.id for car in own.cars]
        game._agent_ids = dict(zip(ids, agents, strict=True))
        game._hitboxes, game._touches = (dict.fromkeys(ids, 0) for _ in range(2))
        note_touch = arenas._events._on_touch

        def on_touch(**touch: Any) -> None:
            note_touch(**touch)
            game._ball_touch_callback(**touch)

        own.arena.set_ball_touch_callback(on_touch, 0)
        self.state = game._get_state()

    def step(self, actions: dict[str, int]) -> None:
        self._game._tick_count += 8
        self.state = self._game._get_state()


def episode(cars: int, first: int) -> ArenaSetup:
    """A blue and an orange car in each lane; in the last episode the ball is on its way into a goal."""
    setup = flat_setup([(0, 0, 17)] * (2 * cars), ball=(0, 4000, 93.15))
    for lane in range(cars):
        blue, orange, y = lane, cars + lane, 2200.0 * (lane - 1)
        kind = (first + lane) % 3
        setup.position[blue], setup.position[orange] = (-1200, y, 17), (0, y, 17)
        setup.velocity[blue, 0] = 2290.0
        setup.rotation[orange] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
        if kind == PAD:
            setup.position[blue, :2] = np.subtract(PAD_POSITIONS[(3, 15, 30)[lane]][:2], (500, 0))
            setup.position[orange, 0] = -3500
            setup.boost[blue] = 20.0
        elif kind == AIR:
            setup.position[[blue, orange], 2] = 700, 1100
            setup.position[orange, 0] = 1500
            setup.velocity[blue] = 500, 0, 300
            setup.on_ground[[blue, orange]] = False
    if first == 3:
        setup.ball_velocity[1], setup.ball_position[1:] = 2500, (4500, 300)
    elif first == 1:
        setup.ball_position[:2] = setup.position[0, :2] + (1500, 0)
    return setup


def fields(kind: type) -> list[str]:
    """All that one of RLGym's classes tells, properties too; what it keeps for itself is behind them."""
    return [name for name in dir(kind) if not name.startswith("_") and not callable(getattr(kind, name))]


def differences(ours: Any, theirs: Any, where: str) -> Iterator[str]:
    if isinstance(theirs, GameState | Car | PhysicsObject | GameConfig):
        assert type(ours) is type(theirs), where
        for name in fields(type(theirs)):
            yield from differences(getattr(ours, name), getattr(theirs, name), f"{where}.{name}")
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for name in theirs:
            yield from differences(ours[name], theirs[name], f"{where}[{name}]")
    elif not np.array_equal(np.asarray(ours), np.asarray(theirs)):
        yield f"{where}: {ours}, RLGym {theirs}"


def array_differences(arenas: ArenaBatch, theirs: Any) -> Iterator[str]:
    state = arenas.state
    for name in ("position", "linear_velocity", "angular_velocity"):
        own = f"ball_{name.removeprefix('linear_')}"
        yield from differences(getattr(state, own)[0], getattr(theirs.ball, name), own)
    yield from differences(state.pad_timers[0], theirs.boost_pad_timers, "pad_timers")
    yield from differences({1: 0, 0: None, -1: 1}[int(state.goal[0])], theirs.scoring_team, "goal")
    for index, car in enumerate(theirs.cars.values()):
        for own, name in [*zip(SAME, SAME, strict=True), *OTHER_NAMES.items()]:
            value: Any = car
            for part in name.split("."):
                value = getattr(value, part)
            value = np.asarray(value, getattr(state, own).dtype)
            yield from differences(getattr(state, own)[0, index], value, f"{own} of car {index}")


def happened(theirs: Any, before: Any) -> Iterator[str]:
    yield from ["goal"] * bool(theirs.goal_scored)
    for name, car in theirs.cars.items():
        was = before.cars[name]
        yield from ["wreck on the ground"] * (car.is_demoed and car.on_ground)
        yield from ["respawn"] * (was.is_demoed and not car.is_demoed)
        yield from ["bump"] * car.had_car_contact + ["touch"] * (car.ball_touches > 0)
        yield from ["flip"] * car.is_flipping + ["double jump"] * car.has_double_jumped + ["jump"] * car.is_jumping
        yield from ["supersonic"] * car.is_supersonic + ["in the air"] * (not car.on_ground)
    yield from ["pad"] * bool((theirs.boost_pad_timers > before.boost_pad_timers).any())


@pytest.mark.parametrize("cars", [1, pytest.param(2, marks=pytest.mark.slow), 3], ids=["1v1", "2v2", "3v3"])
def test_all_of_a_state_is_rlgyms(cars: int) -> None:
    seen: Counter[str] = Counter()
    rng = np.random.default_rng(cars)
    for first in range(4):
        arenas, setup = batch(teams=(cars, cars), seed=cars), episode(cars, first)
        arenas.reset([0], [setup])
        states = RlgymStates(arenas.state, Simulated(arenas.arenas))
        alone = Alone(setup, (cars, cars), np.random.default_rng([cars, 0])) if cars == 1 else None
        rlgym = alone or Along(arenas, states.agents)
        ours, judge = DefaultObs(DefaultObs.Params()), RlgymObs()
        row = np.zeros((1, 2 * cars, ours.size(cars, cars)), np.float32)
        for step in range(STEPS):
            where, theirs = f"episode {first}, step {step}", rlgym.state
            found = [*differences(states.of(arenas.state, 0), theirs, "state"), *array_differences(arenas, theirs)]
            assert not found, f"{where}: " + "; ".join(found)
            ours.build(arenas.state, row)
            expected = list(judge.build_obs(states.agents, theirs, {}).values())
            np.testing.assert_allclose(row[0], expected, rtol=1e-5, atol=1e-6, err_msg=where)
            actions = np.where(rng.random((1, 2 * cars)) < 0.5, rng.integers(0, len(ROWS), (1, 2 * cars)), FULL_BOOST)
            if step < STRAIGHT:
                actions[:] = [[FULL_BOOST] * cars + [IDLE] * cars]
            arenas.step(actions)
            rlgym.step(dict(zip(states.agents, actions[0].tolist(), strict=True)))
            seen.update(happened(rlgym.state, theirs))
    missing = [name for name in EVENTS if not seen[name]]
    assert not missing, seen
