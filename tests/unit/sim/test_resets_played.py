"""What each scene is for: the simulator plays it and shows that it is the scene that it says."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from rltui import field
from rltui.registry import Component, build
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.resets.mechanics import climb
from rltui.sim.state import GameState
from tests.fakes.arenas import batch
from tests.fakes.resets import SCENES
from tests.fakes.tables import FULL_BOOST, IDLE, JUMP

COUNT = 25
SECOND = 15  # steps


@cache
def arenas_of(teams: tuple[int, int]) -> ArenaBatch:
    return batch(arenas=COUNT, teams=teams, contacts=True)


def begin(name: str, teams: tuple[int, int] = (1, 0), **options: Any) -> ArenaBatch:
    """In 1v0 the scene's car is the only one, and attacks toward +y."""
    arenas, reset, rng = arenas_of(teams), build("reset", Component(name, options)), np.random.default_rng(4)
    arenas.reset(range(COUNT), [reset.sample(rng, *teams) for _ in range(COUNT)])
    return arenas


def play(arenas: ArenaBatch, row: int, steps: int = 1) -> None:
    for _ in range(steps):
        arenas.step(np.full((COUNT, arenas.state.cars), row))


def is_turtle(state: GameState) -> np.ndarray:
    """[K, C] the rule of turtle statistics, not the obvious one: the body lies on what is nearly level."""
    on_roof = (state.up[..., 2] < -0.2) & (state.contacts.normal[..., 2] > 0.7)
    turtle: np.ndarray = on_roof & state.world_contact & (state.contacts.wheels <= 1)
    return turtle


def to_ball(state: GameState) -> np.ndarray:
    return state.ball_position[:, None] - state.position


def cosine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    result: np.ndarray = (one * other).sum(axis=-1) / lengths
    return result


def test_a_turtle_lies_on_its_roof_and_stays_there() -> None:
    """From the first state on, ten seconds long; it sinks to the height of a flat roof and is never thrown up."""
    arenas = begin("turtled", (2, 1))
    state = arenas.state
    assert state.world_contact.all() and not state.on_ground.any()
    start = state.position[..., 2].copy()
    for _ in range(10 * SECOND):
        play(arenas, IDLE)
        assert is_turtle(state).all()
        assert (state.position[..., 2] < start + 1).all()
    assert state.position[..., 2] == pytest.approx(39.6, abs=0.5)
    assert state.up[..., 2].max() < -0.99


def test_a_jump_press_rights_a_settled_turtle() -> None:
    arenas = begin("turtled", (2, 1))
    play(arenas, IDLE, SECOND)
    play(arenas, JUMP)
    play(arenas, IDLE, 2 * SECOND)
    righted = (arenas.state.contacts.wheels >= 3) & (arenas.state.up[..., 2] > 0.6)
    assert righted.mean() > 0.95


def test_a_jump_press_at_once_rights_what_lies_nearly_flat() -> None:
    """The game rolls a car over only from within 0.34 rad of upside down; the first press counts as any other."""
    arenas = begin("turtled", (2, 1))
    flat = -arenas.state.up[..., 2] > np.cos(0.3)
    tilted = -arenas.state.up[..., 2] < np.cos(0.4)
    play(arenas, JUMP)
    play(arenas, IDLE, 2 * SECOND)
    righted = arenas.state.up[..., 2] > 0.6
    assert righted[flat].all() and not righted[tilted].any()


def test_the_ball_stays_on_the_roof() -> None:
    """Three steps without anybody doing anything: as a rule some six, while the car slows down."""
    arenas = begin("dribble", (1, 1))
    for _ in range(3):
        play(arenas, IDLE)
        beside = np.linalg.norm(to_ball(arenas.state)[..., :2], axis=-1).min(axis=1)
        assert (arenas.state.ball_position[:, 2] > 140).all() and (beside < 60).all()


def test_a_shot_on_the_own_net_goes_in() -> None:
    arenas = begin("save", (1, 1))
    state = arenas.state
    own_end = np.sign(state.ball_velocity[:, 1])
    assert 0.3 < (own_end < 0).mean() < 0.7
    conceded = np.zeros(COUNT)
    for _ in range(6 * SECOND):
        play(arenas, IDLE)
        conceded = np.where(conceded, conceded, state.goal)
    assert (conceded == own_end).mean() > 0.9 and not (conceded == -own_end).any()


def test_the_climb_of_a_shot(subtests: pytest.Subtests) -> None:
    """Against the ball's motion tick by tick: gravity, then drag."""
    for way, up, speed in ((3000.0, 200.0, 2000.0), (6000.0, -100.0, 1500.0)):
        with subtests.test(way=way, up=up, speed=speed):
            vertical, along, height = climb(way, up, speed), 0.0, 0.0
            while along < way:
                vertical = (vertical - field.GRAVITY / 120) * (1 - 0.03) ** (1 / 120)
                speed *= (1 - 0.03) ** (1 / 120)
                along, height = along + speed / 120, height + vertical / 120
            assert height == pytest.approx(up, abs=15)


def test_the_ball_goes_up_the_wall_and_the_car_follows() -> None:
    arenas = begin("wall")
    state = arenas.state
    height, car = state.ball_position[:, 2].copy(), state.position[:, 0].copy()
    assert cosine(state.velocity, to_ball(state)).min() > 0.5
    on_wall = car[:, 2] > 100
    assert 0.3 < on_wall.mean() < 0.7
    assert (np.abs(state.up[on_wall, 0, 0]) > 0.999).all() and (state.up[~on_wall, 0, 2] > 0.999).all()
    play(arenas, IDLE, 2)
    assert (state.ball_position[:, 2] > height + 20).all()
    assert (np.abs(state.ball_position[:, 0]) > 3990).all()
    assert (state.contacts.wheels == 4).all()
    rise = (state.ball_position[:, 2] - height).copy()
    for _ in range(SECOND):
        play(arenas, IDLE)
        rise = np.maximum(rise, state.ball_position[:, 2] - height)
    assert rise.min() > 60 and np.median(rise) > 250


def test_the_popped_up_ball_is_reached_by_boosting() -> None:
    arenas = begin("air_dribble")
    state = arenas.state
    assert cosine(state.forward, to_ball(state)).min() > 0.999 and (state.velocity[..., 2] > 0).all()
    assert state.can_flip.all() and (state.boost >= 60).all() and not state.on_ground.any()
    touched = np.zeros(COUNT, bool)
    for _ in range(SECOND):
        play(arenas, FULL_BOOST)
        touched |= state.touches[:, 0] > 0
    assert touched.mean() > 0.95


def test_a_flip_reset_begins_without_a_flip_and_from_below() -> None:
    arenas = begin("flip_reset")
    state = arenas.state
    way = to_ball(state)
    assert not state.can_flip.any() and state.has_double_jumped.all()
    assert (way[..., 2] >= 250).all() and (way[..., 1] > 0).all()
    assert (cosine(state.velocity - state.ball_velocity[:, None], way) > 0.7).all()
    play(arenas, JUMP)
    assert not state.is_flipping.any() and not state.has_flipped.any()


def test_a_car_falls_off_the_ceiling_with_its_flip() -> None:
    arenas = begin("ceiling")
    state = arenas.state
    assert state.on_ground.all() and (state.up[..., 2] < -0.999).all()
    assert (to_ball(state)[..., 1] > 0).all() and (state.ball_velocity[:, 1] > 0).all()
    play(arenas, IDLE, SECOND)
    assert not state.on_ground.any() and state.can_flip.all() and not state.world_contact.any()


def test_both_challengers_would_arrive_together_at_a_ball_within_a_jump() -> None:
    state = begin("jump_challenge", (1, 1)).state
    apart = np.linalg.norm(to_ball(state)[..., :2], axis=-1)
    seconds = (apart - 200) / np.linalg.norm(state.velocity, axis=-1)
    assert seconds[:, 0] == pytest.approx(seconds[:, 1], abs=1e-3) and seconds.min() >= 0.4 and seconds.max() <= 0.8
    assert cosine(state.velocity, to_ball(state) * [1, 1, 0]).min() > 0.98
    assert cosine(*(to_ball(state) * [1, 1, 0]).transpose(1, 0, 2)).max() < -0.99  # from opposite sides
    rise = state.ball_velocity[:, 2] * seconds[:, 0] - field.GRAVITY / 2 * seconds[:, 0] ** 2
    height = state.ball_position[:, 2] + rise
    assert height.min() > 130 and height.max() < 500


def test_nobody_guards_an_open_ball() -> None:
    state = begin("shot", (3, 3)).state
    end = np.sign(state.ball_position[:, 1])  # the half of the ball is that of the goal
    along = state.position[..., 1] * end[:, None]
    assert (np.abs(state.ball_position[:, 1]) > 900).all()
    assert (along < np.abs(state.ball_position[:, 1])[:, None]).all()
    assert ((along < -700).sum(axis=1) == 5).all()
    shooter = np.argmax(along, axis=1)
    pace, way = state.velocity[np.arange(COUNT), shooter], to_ball(state)[np.arange(COUNT), shooter]
    assert cosine(pace, way * [1, 1, 0]).min() > 0.95


def test_the_others_keep_away_and_look_to_the_ball(subtests: pytest.Subtests) -> None:
    for name in sorted({*SCENES} - {"turtled"}):
        with subtests.test(name=name):
            state = begin(name, (3, 3)).state
            places = np.concatenate([state.ball_position[:, None], state.position], axis=1)[..., :2]
            gaps = np.linalg.norm(places[:, 1:, None] - places[:, None], axis=-1)
            for car in (1, 2, 4, 5):  # the second and third of each team take part in no scene
                assert (np.delete(gaps[:, car], car + 1, axis=1) > 399).all()
            waiting = [1, 2, 4, 5]
            assert cosine(state.forward[:, waiting, :2], to_ball(state)[:, waiting, :2]).min() > np.cos(0.51)
            assert state.on_ground[:, waiting].all() and not state.velocity[:, waiting].any()
