"""Resets: every sample is valid, the distribution has no side, and the simulator does not throw anything about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.actions.rlgym_table import IDLE
from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, Component, build
from rltui.sim import field
from rltui.sim.arena_batch import Pace
from rltui.sim.arena_setup import ArenaSetup
from rltui.sim.resets.kickoff import SPAWNS, Kickoff
from rltui.sim.resets.random import Random
from rltui.sim.resets.reset import MixedReset, Reset
from tests.fakes.arenas import batch

SAMPLES = 10_000
RESETS = [Component("kickoff"), Component("random"), Component("random", {"cars_on_ground": True})]
IDS = ["kickoff", "random", "random on the ground"]
HITBOX_LOW, HITBOX_HIGH = np.array([-46.4, -43.4, 1.4]), np.array([74.2, 43.4, 40.1])  # Octane, from its origin
CORNERS = (
    np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (HITBOX_HIGH - HITBOX_LOW) + HITBOX_LOW
)


def samples(component: Component, number: int, teams: tuple[int, int], seed: int = 0) -> dict[str, Any]:
    """Each field of many setups, stacked."""
    reset, rng = build("reset", component), np.random.default_rng(seed)
    setups = [reset.sample(rng, *teams) for _ in range(number)]
    names = [name for name in ArenaSetup.__slots__ if name not in ("pad_timers", "kickoff")]
    return {name: np.stack([getattr(setup, name) for setup in setups]) for name in names}


def inside(points: np.ndarray, margin: float) -> bool:
    x, y, z = np.abs(points[..., 0]), np.abs(points[..., 1]), points[..., 2]
    walls = x.max() <= field.SIDE_WALL_X - margin and y.max() <= field.BACK_WALL_Y - margin
    corners = (x + y).max() <= field.CORNER - margin * np.sqrt(2)
    return bool(walls and corners and z.min() >= margin and z.max() <= field.CEILING_Z - margin)


@pytest.mark.parametrize("component", RESETS, ids=IDS)
@pytest.mark.parametrize("teams", [(1, 1), (3, 3)])
def test_every_sample_is_valid(component: Component, teams: tuple[int, int]) -> None:
    got = samples(component, SAMPLES // 2, teams)
    assert all(np.isfinite(array).all() for array in got.values())
    assert all(array.dtype == (np.bool_ if name == "on_ground" else np.float32) for name, array in got.items())
    ball, cars, rotations = got["ball_position"], got["position"], got["rotation"]
    assert inside(ball, field.BALL_RADIUS)
    hitboxes = cars[:, :, None] + np.einsum("scij,pj->scpi", rotations, CORNERS)
    assert inside(hitboxes, -1.0)  # at 1950 uu a corner can reach 2044.8
    identity = np.einsum("scij,scik->scjk", rotations, rotations)
    np.testing.assert_allclose(identity, np.broadcast_to(np.eye(3), identity.shape), atol=1e-5)
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0, atol=1e-5)
    lengths = {name: np.linalg.norm(got[name], axis=-1) for name in got if "velocity" in name}
    assert lengths["ball_velocity"].max() <= 3000.5 and lengths["ball_angular_velocity"].max() <= 6.001
    assert lengths["velocity"].max() <= 2300.5 and lengths["angular_velocity"].max() <= 5.501
    assert got["boost"].min() >= 0 and got["boost"].max() <= 100
    bodies = np.concatenate([ball[:, None], cars], axis=1)
    gaps = np.linalg.norm(bodies[:, :, None] - bodies[:, None], axis=-1) + 1e9 * np.eye(bodies.shape[1])
    assert gaps[:, 0].min() > field.BALL_RADIUS + field.CAR_REACH and gaps[:, 1:, 1:].min() > 2 * field.CAR_REACH
    ground = got["on_ground"]
    assert (cars[ground][:, 2] == field.CAR_REST_Z).all() and (rotations[ground][:, 2, 2] > 0.9999).all()
    assert (cars[~ground][:, 2] >= 150).all()


@pytest.mark.parametrize("component", RESETS, ids=IDS)
def test_nothing_is_inside_anything(component: Component) -> None:
    """At rest, two ticks move nothing by more than gravity and suspension: an overlap throws a body many uu."""
    arenas = batch(arenas=8, teams=(1, 1), pace=Pace(2, 0))
    reset, rng = build("reset", component), np.random.default_rng(1)
    for _ in range(60):
        setups = [reset.sample(rng, 1, 1) for _ in range(8)]
        for setup in setups:
            for motion in ("ball_velocity", "ball_angular_velocity", "velocity", "angular_velocity"):
                getattr(setup, motion)[:] = 0.0
        arenas.reset(range(8), setups)
        ball, cars = arenas.state.ball_position.copy(), arenas.state.position.copy()
        arenas.step(np.full((8, 2), IDLE))
        assert np.abs(arenas.state.ball_position - ball).max() < 0.5
        assert np.abs(arenas.state.position - cars).max() < 0.5


def turned(got: dict[str, Any]) -> dict[str, Any]:
    """The samples of 1v1 seen from the other side: turned by 180°, teams swapped."""
    turn = np.array([-1.0, -1.0, 1.0])
    seen = {name: got[name] * turn for name in got if name.startswith("ball")}
    seen |= {name: got[name][:, ::-1] * turn for name in ("position", "velocity", "angular_velocity")}
    seen["rotation"] = got["rotation"][:, ::-1] * turn[:, None]
    return seen | {name: got[name][:, ::-1] for name in ("boost", "on_ground")}


@pytest.mark.parametrize("component", RESETS, ids=IDS)
def test_no_side_is_favoured(component: Component) -> None:
    """Means and spreads of every number and of products between bodies agree with those of the turned samples."""
    got = samples(component, SAMPLES, (1, 1))
    seen = turned(got)
    for name in got:
        ours, theirs = got[name].astype(float), seen[name].astype(float)
        error = 4.5 * (ours.std(axis=0) + 1e-9) / np.sqrt(SAMPLES / 2)
        assert (np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) <= error).all(), name
        spread = np.abs(ours.std(axis=0) - theirs.std(axis=0))
        assert (spread <= 0.05 * ours.std(axis=0) + 1e-6).all(), name
    between = [(np.diff(side["position"], axis=1)[:, 0] ** 2).sum(axis=1).mean() for side in (got, seen)]
    assert between[0] == pytest.approx(between[1], rel=0.03)


def test_random_covers_all_directions_and_the_whole_range() -> None:
    got = samples(Component("random"), SAMPLES, (1, 1))
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
    assert samples(Component("random", {"cars_on_ground": True}), 500, (2, 1))["on_ground"].all()


def test_kickoff_spawns() -> None:
    """Five spawns, all in use; car i of both teams on the same one; the two of a team on different ones."""
    got = samples(Component("kickoff"), 400, (3, 3))
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
    assert Kickoff(Kickoff.Params()).sample(np.random.default_rng(0), 1, 1).kickoff


@pytest.mark.parametrize("teams", [(1, 0), (0, 1), (1, 2), (0, 3), (3, 1)])
@pytest.mark.parametrize("component", RESETS, ids=IDS)
def test_any_team_sizes(component: Component, teams: tuple[int, int]) -> None:
    setup = build("reset", component).sample(np.random.default_rng(0), *teams)
    assert setup.position.shape == (sum(teams), 3) and setup.rotation.shape == (sum(teams), 3, 3)


class Marked(Reset):
    """Says its number by the boost of its cars."""

    def __init__(self, number: float) -> None:
        super().__init__(Reset.Params())
        self._number = number

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup = Random(Random.Params()).sample(rng, blue, orange)
        setup.boost[:] = self._number
        return setup


def test_resets_are_mixed_by_weight() -> None:
    mixed = MixedReset([(Marked(1), 1.0), (Marked(2), 0.0), (Marked(3), 3.0)])
    rng = np.random.default_rng(0)
    drawn = [float(mixed.sample(rng, 1, 0).boost[0]) for _ in range(4000)]
    assert set(drawn) == {1.0, 3.0}
    assert drawn.count(3.0) / 4000 == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("boost", np.array([np.nan, 3.0]), "boost is not finite"),
        ("position", np.zeros((1, 3)), r"position must be of shape \(2, 3\), found \(1, 3\)"),
    ],
)
def test_a_reset_that_gives_no_state_is_named(name: str, value: np.ndarray, words: str) -> None:
    class Broken(Random):
        def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
            setup = super().sample(rng, blue, orange)
            setattr(setup, name, value)
            return setup

    with pytest.raises(RltuiError, match=f"reset Broken: {words}"):
        MixedReset([(Broken(Random.Params()), 1.0)]).sample(np.random.default_rng(0), 1, 1)


def test_the_same_generator_gives_the_same_sample() -> None:
    first, again, other = (samples(Component("random"), 3, (2, 2), seed) for seed in (1, 1, 2))
    assert all((first[name] == again[name]).all() for name in first)
    assert (first["position"][..., :2] != other["position"][..., :2]).all()


@pytest.mark.parametrize("kind", ["reset", "terminal"])
def test_parameters_are_documented(kind: Any) -> None:
    import dataclasses

    from rltui.registry import resolve

    for name in BUILT_IN[kind]:
        for parameter in dataclasses.fields(resolve(kind, name).Params):
            assert parameter.metadata["doc"].endswith("."), (name, parameter.name)
            if parameter.type in ("float", "int"):
                assert {"unit", "min", "max"} <= set(parameter.metadata), (name, parameter.name)
