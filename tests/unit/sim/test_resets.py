"""Resets: every sample is valid, the distribution has no side, and the simulator does not throw anything about."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from rltui import field
from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, Component, build, resolve
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.resets.base import MixedReset, Reset
from rltui.sim.resets.mechanics import WallScene
from rltui.sim.resets.standard import SPAWNS, KickoffReset, RandomReset
from rltui.sim.state import ArenaSetup
from tests.fakes.arenas import batch
from tests.fakes.resets import FIELDS, MOTIONS, NAMES, built, samples, turned
from tests.fakes.tables import IDLE

SIZES = {(1, 1): 2500, (3, 3): 500, (1, 0): 200, (0, 1): 200, (1, 2): 200, (3, 2): 400}  # 4,000 samples of each reset
HITBOX_LOW, HITBOX_HIGH = np.array([-46.4, -43.4, 1.4]), np.array([74.2, 43.4, 40.1])  # Octane, from its origin
CORNERS = (
    np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (HITBOX_HIGH - HITBOX_LOW) + HITBOX_LOW
)
SPEED_LIMITS = {"ball_velocity": 6000, "ball_angular_velocity": 6, "velocity": 2300, "angular_velocity": 5.5}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recordings")


def inside(points: np.ndarray, margin: float) -> bool:
    x, y, z = np.abs(points[..., 0]), np.abs(points[..., 1]), points[..., 2]
    walls = x.max() <= field.SIDE_WALL_X - margin and y.max() <= field.BACK_WALL_Y - margin
    corners = (x + y).max() <= field.CORNER - margin * np.sqrt(2)
    return bool(walls and corners and z.min() >= margin and z.max() <= field.CEILING_Z - margin)


def ball_to_hitboxes(got: dict[str, Any]) -> np.ndarray:
    """[S, C] from the ball's centre to the nearest point of each car's hitbox."""
    way = got["ball_position"][:, None] - got["position"]
    local = np.einsum("scij,sci->scj", got["rotation"], way)
    distance: np.ndarray = np.linalg.norm(local - np.clip(local, HITBOX_LOW, HITBOX_HIGH), axis=-1)
    return distance


@cache
def drawn(name: str, recordings: Path, teams: tuple[int, int], number: int) -> dict[str, Any]:
    return samples(built(name, recordings, *teams), number, *teams)


def test_every_sample_is_valid(subtests: pytest.Subtests, recordings: Path) -> None:
    for name in NAMES:
        for teams in SIZES:
            with subtests.test(name=name, teams=teams):
                check_valid(name, drawn(name, recordings, teams, SIZES[teams]))


def limits() -> Iterator[tuple[str, str, Any]]:
    """Every range and number of every reset, at the least and the most that a profile may set."""
    for name in NAMES:
        for parameter in dataclasses.fields(resolve("reset", name).Params):
            for end in ("min", "max") if "min" in parameter.metadata else ():
                value = parameter.metadata[end]
                yield name, parameter.name, (value, value) if parameter.metadata.get("span") else value


def test_samples_are_valid_at_the_limits_of_parameters(subtests: pytest.Subtests) -> None:
    for name, parameter, value in list(limits()):
        with subtests.test(name=name, parameter=parameter, value=value):
            check_valid(name, samples(build("reset", Component(name, {parameter: value})), 200, 2, 2))


def check_valid(name: str, got: dict[str, Any]) -> None:
    assert all(np.isfinite(array).all() for array in got.values())
    assert all(array.dtype == (np.bool_ if name == "on_ground" else np.float32) for name, array in got.items())
    ball, cars, rotations, ground = got["ball_position"], got["position"], got["rotation"], got["on_ground"]
    identity = np.einsum("scij,scik->scjk", rotations, rotations)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-5)
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0, atol=1e-5)
    for quantity, limit in SPEED_LIMITS.items():
        assert np.linalg.norm(got[quantity], axis=-1).max() <= limit * 1.0003, quantity
    assert got["boost"].min() >= 0 and got["boost"].max() <= 100
    assert inside(ball, field.BALL_RADIUS)
    assert inside(cars[:, :, None] + np.einsum("scij,pj->scpi", rotations, CORNERS), -1.0)  # at 1950 uu up to 2044.8
    gaps = np.linalg.norm(cars[:, :, None] - cars[:, None], axis=-1) + 1e9 * np.eye(cars.shape[1])
    assert gaps.min() > 2 * field.CAR_REACH
    assert ball_to_hitboxes(got).min() > field.BALL_RADIUS + (0.1 if name == "dribble" else 10.0)
    standing = cars[ground]
    to_surface = np.minimum(field.SIDE_WALL_X - np.abs(standing[:, 0]), field.CEILING_Z - standing[:, 2])
    assert np.allclose(np.minimum(standing[:, 2], to_surface), field.CAR_REST_Z, atol=1e-3)
    assert (cars[~ground][:, 2] >= (30 if name == "turtled" else 100)).all()


@cache
def small_batch(teams: tuple[int, int]) -> ArenaBatch:
    """Steps of two ticks; new arenas are slow, so one batch serves all tests."""
    return batch(arenas=10, teams=teams, pace=Pace(2, 0))


def test_nothing_is_thrown(subtests: pytest.Subtests, recordings: Path) -> None:
    """In two ticks a body falls, brakes, or is held by what it stands on; what is inside another is thrown out.

    `random`, and the recording of it, are looked at with all bodies at rest: at such speeds they may meet within a tick.
    """
    for name in NAMES:
        for teams in ((1, 1), (3, 2)):
            with subtests.test(name=name, teams=teams):
                arenas, count = small_batch(teams), range(10)
                reset, rng = built(name, recordings, *teams), np.random.default_rng(1)
                fall = np.array([0.0, 0.0, -field.GRAVITY * 2 / field.TICKS_PER_SECOND])
                for _ in range(12):
                    setups = [reset.sample(rng, *teams) for _ in count]
                    for setup in setups if name in ("random", "replay") else ():
                        for motion in MOTIONS:
                            getattr(setup, motion)[:] = 0.0
                    arenas.reset(count, setups)
                    state = arenas.state
                    ball, cars, ground = state.ball_velocity.copy(), state.velocity.copy(), state.on_ground.copy()
                    places = state.position + cars / 60
                    arenas.step(np.full((10, sum(teams)), IDLE))
                    assert np.linalg.norm(state.ball_velocity - ball - fall, axis=-1).max() < 15  # 10.9 when it rests
                    held = state.velocity - cars - fall * ~ground[..., None]
                    assert np.linalg.norm(held, axis=-1).max() < 30  # the brake of a slow car: 29
                    assert np.linalg.norm(state.position - places, axis=-1).max() < (4 if name == "turtled" else 1)
                    assert (state.on_ground == ground).all()


def features(both: list[dict[str, Any]]) -> np.ndarray:
    """[2, S, F] every number, sums of many of them, and products of such sums: what belongs together is seen together."""
    numbers = np.stack(
        [
            np.concatenate([got[name].reshape(len(got[name]), -1).astype(float) for name in FIELDS], axis=1)
            for got in both
        ]
    )
    scaled = numbers / np.abs(numbers).max(axis=(0, 1), initial=1e-3)
    mixed = scaled @ np.random.default_rng(5).normal(size=(numbers.shape[2], 40))
    return np.round(np.concatenate([scaled, mixed, mixed[..., ::2] * mixed[..., 1::2]], axis=2), 4)


def difference(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    """Largest distance of two empirical distributions (Kolmogorov–Smirnov) over all features, as a share of the distance
    that equal distributions exceed once in 10,000 times by chance, all features together.
    """
    both = features([ours, theirs])
    _, size, count = both.shape
    both.sort(axis=1)
    farthest = 0.0
    for left, right in both.transpose(2, 0, 1):
        places = np.concatenate([left, right])
        steps = [np.searchsorted(side, places, side="right") for side in (left, right)]
        farthest = max(farthest, np.abs(steps[0] - steps[1]).max() / size)
    return float(farthest / np.sqrt(np.log(2 * count / 1e-4) / size))


def test_no_side_is_favoured(subtests: pytest.Subtests, recordings: Path) -> None:
    """Samples, and others turned by 180° with the teams swapped, look like draws from one distribution."""
    for name in NAMES:
        for teams, number in (((1, 1), SIZES[1, 1]), ((2, 3), 500), ((0, 1), 500)):
            with subtests.test(name=name, teams=teams, number=number):
                ours = drawn(name, recordings, teams, number)
                theirs = samples(built(name, recordings, *teams), number, *teams[::-1], 1)
                assert difference(ours, turned(theirs, teams[1])) < 1


class Lopsided(WallScene):
    """Blue's scene five times in nine."""

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup = super().sample(rng, blue, orange)
        again = setup.ball_velocity[1] < 0 and rng.random() < 0.2
        return super().sample(rng, blue, orange) if again else setup


class Unturned(WallScene):
    """Orange's ball spins as blue's does."""

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup = super().sample(rng, blue, orange)
        if setup.ball_velocity[1] < 0:
            setup.ball_angular_velocity[2] *= -1
        return setup


def test_a_favoured_side_would_be_found(subtests: pytest.Subtests) -> None:
    for kind in (Lopsided, Unturned):
        with subtests.test(kind=kind):
            reset = kind(kind.Params())
            size = SIZES[1, 1]
            assert difference(samples(reset, size, 1, 1), turned(samples(reset, size, 1, 1, 1), 1)) > 1


@pytest.mark.slow
def test_a_sample_is_cheap(subtests: pytest.Subtests, recordings: Path) -> None:
    """It is drawn in the workers: at most 60 µs, some 30 with six cars."""
    for name in NAMES:
        with subtests.test(name=name):
            reset, rng = built(name, recordings, 3, 3), np.random.default_rng(0)
            times = []
            for _ in range(30):
                began = time.thread_time()
                for _ in range(20):
                    reset.sample(rng, 3, 3)
                times.append((time.thread_time() - began) / 20)
            assert min(times) < 60e-6


def test_heights_of_random_cars(subtests: pytest.Subtests) -> None:
    for options, low, high in (({}, 150, 1950), ({"car_z": (200, 800)}, 200, 800), ({"car_z": (500, 500)}, 500, 500)):
        with subtests.test(options=options, low=low, high=high):
            got = samples(build("reset", Component("random", {"ground_share": 0.25, **options})), 4000, 1, 1)
            heights = got["position"][..., 2][~got["on_ground"]]
            assert heights.min() >= low and heights.max() <= high
            assert np.ptp(heights) >= 0.98 * (high - low)
            assert got["on_ground"].mean() == pytest.approx(0.25, abs=0.02)


def test_heights_of_a_random_ball_and_scaled_boost() -> None:
    plain = samples(RandomReset(RandomReset.Params()), 3000, 1, 1)
    got = samples(RandomReset(RandomReset.Params(ball_z=(200.0, 800.0), boost_scale=1.5)), 3000, 1, 1)
    assert got["ball_position"][:, 2].min() >= 200 and got["ball_position"][:, 2].max() <= 800
    assert got["boost"].max() == 100 and (got["boost"] == 100).mean() == pytest.approx(1 / 3, abs=0.03)
    assert np.median(got["boost"]) == pytest.approx(1.5 * np.median(plain["boost"]), abs=3)


def test_wrong_parameters(subtests: pytest.Subtests) -> None:
    for name, options, words in (
        ("random", {"car_z": (800, 200)}, r"car_z must be \[low, high\] with low <= high, found \(800, 200\)"),
        ("random", {"car_z": (200,)}, r"car_z must be \[low, high\]"),
        ("random", {"car_z": (20, 800)}, r"car_z must be in \[100.0, 1950.0\], found 20"),
        ("random", {"ball_z": 300}, r"ball_z must be in|ball_z must be \[low, high\]"),
        ("random", {"boost_scale": -1}, "boost_scale must be in"),
        ("wall", {"ball_speed": (500, "fast")}, "ball_speed must be a number, found 'fast'"),
        ("turtled", {"roll": 1.5}, "roll must be in"),
        ("turtled", {"distance": (900, 500)}, "distance must be"),
        ("replay", {}, "path"),
    ):
        with subtests.test(name=name, options=options, words=words), pytest.raises(RltuiError, match=words):
            build("reset", Component(name, options))


def test_random_covers_all_directions_and_the_whole_range() -> None:
    got = samples(RandomReset(RandomReset.Params()), 10_000, 1, 1)
    forward = got["rotation"][..., 0][~got["on_ground"]]
    assert np.abs(forward.mean(axis=0)).max() < 0.03
    assert np.abs((forward**2).mean(axis=0) - 1 / 3).max() < 0.02
    spin, speed = got["ball_angular_velocity"], np.linalg.norm(got["ball_velocity"], axis=1)
    assert np.abs(spin.mean(axis=0)).max() < 0.15
    assert speed.mean() == pytest.approx(1500, rel=0.03) and speed.max() > 2990 and speed.min() < 10
    assert got["on_ground"].mean() == pytest.approx(0.5, abs=0.02)
    assert got["ball_position"].min(axis=0) == pytest.approx([-3500, -4500, 100], abs=20)
    assert got["ball_position"].max(axis=0) == pytest.approx([3500, 4500, 1900], abs=20)
    heading = got["rotation"][..., 0][got["on_ground"]]
    assert np.abs((heading[:, :2] ** 2).mean(axis=0) - 0.5).max() < 0.02


def test_cars_on_ground_are_all_on_the_ground() -> None:
    assert samples(RandomReset(RandomReset.Params(cars_on_ground=True)), 500, 2, 1)["on_ground"].all()


def test_kickoff_spawns() -> None:
    """Five spawns, all in use; car i of both teams on the same one; the two of a team on different ones."""
    got = samples(KickoffReset(KickoffReset.Params()), 400, 3, 3)
    blue, orange = got["position"][:, :3], got["position"][:, 3:]
    np.testing.assert_array_equal(blue * [-1, -1, 1], orange)
    spawns = [tuple(spawn) for spawn in blue[:, :, :2].reshape(-1, 2).tolist()]
    assert set(spawns) == set(SPAWNS)
    assert all(len(set(spawns[at : at + 3])) == 3 for at in range(0, len(spawns), 3))
    forward = got["rotation"][..., 0]
    np.testing.assert_array_equal(forward[:, :3] * [-1, -1, 1], forward[:, 3:])
    yaw = dict(zip(spawns, np.arctan2(forward[:, :3, 1], forward[:, :3, 0]).ravel() / np.pi, strict=True))
    assert [yaw[spawn] for spawn in SPAWNS] == pytest.approx([0.25, 0.75, 0.5, 0.5, 0.5], abs=1e-6)
    assert got["ball_position"][0].tolist() == pytest.approx([0, 0, 93.15])
    assert (got["boost"] == np.float32(33.3)).all()
    assert KickoffReset(KickoffReset.Params()).sample(np.random.default_rng(0), 1, 1).kickoff


def test_any_team_sizes(subtests: pytest.Subtests, recordings: Path) -> None:
    for teams in ((1, 0), (0, 1), (1, 2), (0, 3), (3, 1), (2, 2)):
        for name in NAMES:
            with subtests.test(teams=teams, name=name):
                setup = built(name, recordings, *teams).sample(np.random.default_rng(0), *teams)
                assert setup.problem(sum(teams)) == "" and setup.kickoff == (name == "kickoff")


class Marked(Reset):
    """Says its number by the boost of its cars."""

    def __init__(self, number: float) -> None:
        super().__init__(Reset.Params())
        self._number = number

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup = RandomReset(RandomReset.Params()).sample(rng, blue, orange)
        setup.boost[:] = self._number
        return setup


def test_resets_are_mixed_by_weight() -> None:
    mixed = MixedReset([(Marked(1), 1.0), (Marked(2), 0.0), (Marked(3), 3.0)])
    rng = np.random.default_rng(0)
    drawn = [float(mixed.sample(rng, 1, 0).boost[0]) for _ in range(4000)]
    assert set(drawn) == {1.0, 3.0}
    assert drawn.count(3.0) / 4000 == pytest.approx(0.75, abs=0.03)


def test_a_reset_that_gives_no_state_is_named(subtests: pytest.Subtests) -> None:
    for name, value, words in (
        ("boost", np.array([np.nan, 3.0]), "boost is not finite"),
        ("position", np.zeros((1, 3)), r"position must be of shape \(2, 3\), found \(1, 3\)"),
    ):
        with subtests.test(name=name, value=value, words=words):

            class Broken(RandomReset):
                wrong: ClassVar = (name, value)

                def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
                    setup = super().sample(rng, blue, orange)
                    setattr(setup, *self.wrong)
                    return setup

            with pytest.raises(RltuiError, match=f"reset Broken: {words}"):
                MixedReset([(Broken(RandomReset.Params()), 1.0)]).sample(np.random.default_rng(0), 1, 1)


def test_the_same_generator_gives_the_same_sample(subtests: pytest.Subtests, recordings: Path) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            reset = built(name, recordings, 2, 2)
            first, again, other = (samples(reset, 3, 2, 2, seed) for seed in (1, 1, 2))
            assert all((first[field] == again[field]).all() for field in first)
            assert (first["position"] != other["position"]).any()


def test_parameters_of_resets_are_documented() -> None:
    _check_documented("reset")


def test_parameters_of_terminals_are_documented() -> None:
    _check_documented("terminal")


def _check_documented(kind: Any) -> None:
    for name in BUILT_IN[kind]:
        for parameter in dataclasses.fields(resolve(kind, name).Params):
            assert parameter.metadata["doc"].endswith("."), (name, parameter.name)
            if parameter.type in ("float", "int", "Span"):
                assert {"unit", "min", "max"} <= set(parameter.metadata), (name, parameter.name)
