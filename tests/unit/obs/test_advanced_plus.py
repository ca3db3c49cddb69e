"""AdvancedPlusObs against a slow obvious twin, its range over real states, and its sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from RocketSim import Arena

from rltui.errors import RltuiError
from rltui.field import BIG_PADS, PAD_POSITIONS
from rltui.registry import Component, build
from rltui.sim import meshes
from rltui.sim.resets.standard import RandomReset
from rltui.sim.state import ArenaSetup, GameState
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.game_states import TEAM_SIZES, random_state

CONTROLS = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")


def obs(**options: Any) -> Any:
    return build("obs", Component("advanced_plus", options))


def observe(builder: Any, state: GameState) -> np.ndarray:
    """All rows, written over NaN so that a forgotten number shows."""
    out = np.full((state.arenas, state.cars, builder.size(state.blue, state.orange)), np.nan, np.float32)
    builder.build(state, out)
    return out


class Twin:
    """One car's row by names, from the words of the SPEC, with plain float64 arithmetic."""

    def __init__(self, state: GameState, arena: int, car: int, pads: int) -> None:
        self.state, self.arena, self.car = state, arena, car
        forward, up = self.of("forward"), self.of("up")
        self.frame = np.stack([forward, np.cross(up, forward), up])
        self.row: dict[str, float] = {}
        self.sign = 1 if car < state.blue else -1
        self.ball = state.ball_position[arena].astype(float)
        self.me = self.of("position")
        self.write(pads)

    def of(self, name: str, car: int | None = None) -> Any:
        return getattr(self.state, name)[self.arena, self.car if car is None else car].astype(float)

    def vector(self, name: str, world: np.ndarray, scale: float) -> None:
        self.row |= {f"{name}.{axis}": x for axis, x in zip(("forward", "right", "up"), self.frame @ world / scale, strict=True)}  # fmt: skip

    def write(self, pads: int) -> None:
        state, arena = self.state, self.arena
        self.vector("ball.position", self.ball - self.me, 5120)
        self.vector("ball.velocity", state.ball_velocity[arena].astype(float), 2300)
        self.vector("velocity", self.of("velocity"), 2300)
        self.vector("spin", self.of("angular_velocity"), 5.5)
        self.vector("world_up", np.array([0, 0, 1]), 1)
        alive = self.of("demo_respawn_timer") == 0
        self.row["height"], self.row["boost"] = self.me[2] / 2044, self.of("boost") / 100
        used = self.of("has_double_jumped") or self.of("has_flipped")
        self.row["has_flip"] = not used and self.of("air_time_since_jump") < 1.25
        self.row["on_ground"], self.row["alive"] = alive and self.of("on_ground"), alive
        self.row["kickoff"] = state.kickoff[arena] and state.last_toucher[arena] == -1
        for control, value in zip(CONTROLS, self.of("previous_actions"), strict=True):
            self.row[f"previous_{control}"] = value
        self.row["can_boost"] = alive and self.of("boost") > 0
        self.row["can_flip"] = alive and self.of("can_flip")
        self.write_players()
        self.write_pads("pad", self.me, pads)
        self.write_pads("ball_pad", self.ball, pads)
        for name, side in (("own_goal", -1), ("opponent_goal", 1)):
            goal = np.array([0, 5120 * side * self.sign, 321.39])
            self.vector(f"ball.{name}", goal - self.ball, 5120)
            self.vector(name, goal - self.me, 5120)

    def write_players(self) -> None:
        blue, cars = range(self.state.blue), range(self.state.blue, self.state.cars)
        own, other = (blue, cars) if self.car in blue else (cars, blue)
        distance = {c: np.linalg.norm(self.of("position", c) - self.ball) for c in (*own, *other)}
        for kind, group in (("ally", [c for c in own if c != self.car]), ("opponent", other)):
            for place, car in enumerate(sorted(group, key=lambda c: distance[c])):
                self.vector(f"{kind}{place}.position", self.of("position", car) - self.me, 5120)
                self.vector(f"{kind}{place}.velocity", self.of("velocity", car), 2300)
                self.vector(f"{kind}{place}.spin", self.of("angular_velocity", car), 5.5)
                self.row[f"{kind}{place}.boost"] = self.of("boost", car) / 100
                self.row[f"{kind}{place}.alive"] = self.of("demo_respawn_timer", car) == 0
                self.row[f"{kind}{place}.present"] = 1

    def write_pads(self, kind: str, near: np.ndarray, count: int) -> None:
        places = np.array(PAD_POSITIONS)
        order = np.argsort(np.linalg.norm(places[:, :2] - near[:2], axis=1))
        for place, pad in enumerate(order[:count]):
            timer = float(self.state.pad_timers[self.arena, pad])
            self.vector(f"{kind}{place}.position", places[pad] - self.me, 5120)
            self.row[f"{kind}{place}.big"] = pad in BIG_PADS
            self.row[f"{kind}{place}.active"] = timer == 0
            self.row[f"{kind}{place}.respawn"] = timer / 10


def test_equals_the_twin(subtests: pytest.Subtests) -> None:
    for pads in (1, 4, 34):
        for blue, orange in TEAM_SIZES:
            with subtests.test(pads=pads, blue=blue, orange=orange):
                state = random_state(np.random.default_rng(blue * 4 + orange), 6, blue, orange)
                builder = obs(pads=pads)
                names, rows = builder.feature_names(), observe(builder, state)
                assert len(names) == len(set(names)) == rows.shape[-1]
                for arena in range(6):
                    for car in range(state.cars):
                        twin = Twin(state, arena, car, pads).row
                        assert twin.keys() <= set(names)
                        expected = [float(twin.get(name, 0)) for name in names]  # absent players: zeros
                        np.testing.assert_allclose(rows[arena, car], expected, atol=2e-6, err_msg=f"{arena} {car}")


def test_layout_is_that_of_the_docstring() -> None:
    names = obs().feature_names()
    assert len(names) == 151
    starts = {0: "ball.position.forward", 3: "ball.velocity.forward", 6: "velocity.forward", 9: "spin.forward"}
    starts |= {12: "world_up.forward", 14: "world_up.up", 15: "height", 20: "kickoff", 21: "previous_throttle"}
    starts |= {29: "can_boost", 30: "can_flip", 31: "ally0.position.forward", 55: "opponent0.position.forward"}
    starts |= {90: "opponent2.present", 91: "pad0.position.forward", 115: "ball_pad0.position.forward"}
    starts |= {138: "ball_pad3.respawn", 139: "ball.own_goal.forward", 150: "opponent_goal.up"}
    assert {index: names[index] for index in starts} == starts


def test_match_context_is_time_left_and_score() -> None:
    state = random_state(np.random.default_rng(1), 3, 1, 1)
    state.tick[:] = [0, 120 * 150, 120 * 400]
    state.goal[:] = [0, 1, -1]
    builder = obs(match_context=True)
    assert builder.feature_names()[-2:] == ["time_left", "score_difference"]
    rows = observe(builder, state)
    np.testing.assert_array_equal(rows[..., :-2], observe(obs(), state))
    np.testing.assert_array_equal(rows[:, 0, -2], [1, 0.5, 0])
    won = np.tanh(0.5)
    np.testing.assert_allclose(rows[..., -1], [[0, 0], [won, -won], [-won, won]], atol=1e-6)


def test_too_many_cars_are_refused_with_the_key_to_set(subtests: pytest.Subtests) -> None:
    for options, teams, words in (
        ({"max_allies": 1}, (3, 1), "max_allies = 1, but 3v1 needs 2"),
        ({"max_allies": 1}, (1, 3), "max_allies = 1, but 1v3 needs 2"),
        ({"max_opponents": 1}, (1, 2), "max_opponents = 1, but 1v2 needs 2"),
        ({"max_opponents": 0}, (1, 1), "max_opponents = 0, but 1v1 needs 1"),
    ):
        with subtests.test(options=options, teams=teams, words=words):
            with pytest.raises(RltuiError) as caught:
                obs(**options).size(*teams)
            assert words in caught.value.message and caught.value.exit_code == 2
            assert next(iter(options)) in caught.value.hint


def test_only_cars_that_there_can_be_need_places() -> None:
    assert obs(max_allies=0, max_opponents=0).size(1, 0) == 151 - 60
    assert obs(max_allies=2, max_opponents=0).size(3, 0) == 151 - 36
    assert obs(max_allies=0, max_opponents=1).size(1, 1) == 151 - 48


def test_a_wrong_parameter_is_named(subtests: pytest.Subtests) -> None:
    for options, words in (
        ({"pads": 0}, "pads must be in [1, 34]"),
        ({"pads": 2.5}, "pads must be a whole number"),
        ({"max_allies": 3}, "max_allies must be in [0, 2]"),
        ({"max_oponents": 2}, 'did you mean "max_opponents"?'),
    ):
        with subtests.test(options=options, words=words):
            with pytest.raises(RltuiError) as caught:
                obs(**options)
            assert words in f"{caught.value.message}\n{caught.value.hint}"


def simulated_states(cars: int, steps: int) -> list[np.ndarray]:
    """Rows of random resets and of random play from there."""
    builder, reset, rng = obs(), RandomReset(RandomReset.Params()), np.random.default_rng(3)
    arenas = 40
    world = batch(arenas, (cars, cars))
    setups: list[ArenaSetup] = [reset.sample(rng, cars, cars) for _ in range(arenas)]
    world.reset(range(arenas), setups)
    rows = [observe(builder, world.state)]
    for _ in range(steps):
        world.step(rng.integers(0, 90, (arenas, 2 * cars)))
        rows.append(observe(builder, world.state))
    return rows


def test_numbers_are_about_minus_one_to_one_in_the_game() -> None:
    rows = np.concatenate(simulated_states(3, 30)).reshape(-1, 151)
    assert np.isfinite(rows).all()
    assert np.abs(rows).max() < 3  # from corner to corner: 2.6 times the centre's distance from the back wall
    assert (np.abs(rows) <= 1).mean() > 0.95
    names = np.array(obs().feature_names())
    constant = {name.rpartition(".")[2] for name in names[np.ptp(rows, axis=0) == 0].tolist()}
    assert constant <= {"kickoff", "present", "alive"}  # no kickoffs, nobody is missing, and demolitions are rare


def test_pads_are_the_simulators() -> None:
    meshes.init_simulator(meshes.locate())
    arena = Arena(0)  # kept: its pads live as long as it does
    pads = [pad.get_pos().as_tuple() for pad in arena.get_boost_pads()]
    np.testing.assert_allclose(PAD_POSITIONS, pads)


def test_a_demolished_car_can_do_nothing() -> None:
    state = random_state(np.random.default_rng(0), 1, 1, 0)
    state.boost[:], state.can_flip[:] = 50, True
    names = obs().feature_names()
    flags = [names.index(name) for name in ("alive", "can_boost", "can_flip")]
    for timer, able in ((0, 1), (2.5, 0)):
        state.demo_respawn_timer[:] = timer
        np.testing.assert_array_equal(observe(obs(), state)[0, 0, flags], able)


def test_kickoff_ends_with_the_first_touch() -> None:
    state = random_state(np.random.default_rng(0), 2, 1, 0)
    state.kickoff[:], state.last_toucher[:] = True, [-1, 0]
    np.testing.assert_array_equal(observe(obs(), state)[:, 0, obs().feature_names().index("kickoff")], [1, 0])


def test_one_frame_by_hand() -> None:
    """A car at (0, -1000) that looks along +x: the ball at (500, -1000 + 300) is ahead and to the right (+y)."""
    world = batch(1, (1, 0))
    world.reset([0], [flat_setup([(0, -1000, 17)], ball=(500, -700, 93.15))])
    row = observe(obs(), world.state)[0, 0]
    np.testing.assert_allclose(row[:3] * 5120, [500, 300, 76.15], atol=0.1)
    np.testing.assert_allclose(row[12:15], [0, 0, 1], atol=1e-3)
