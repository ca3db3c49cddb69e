"""Actions through the whole environment: each control alone, and what legality forbids, against what the cars do."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.actions.masking import CAN_JUMP, HAS_BOOST, class_ids, legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.shipped_tables import NAMED
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.env.step import StepOut
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.registry import Component, build
from rltui.sim.state import GameState
from tests.fakes.batches import new_out, spec

HYBRID = build("action table", Component("hybrid")).rows()
FOREVER = (Component("timeout", {"seconds": 300.0}),)
PIPELINES = {
    "plain": PipelineOptions(),
    "mask": PipelineOptions("mask"),
    "fallback": PipelineOptions("fallback"),
    "everything": PipelineOptions("fallback", sticky=3, clip=True),
}


def game(
    table: str = "hybrid", pipeline: PipelineOptions = PIPELINES["plain"], arenas: int = 1, **place: Any
) -> tuple[SoccarBatch, StepOut]:
    """One car an arena, begun."""
    resets = (Weighted(Component("tests.fakes.still_car:StillCar", place), 1.0),)
    env = SoccarBatch(
        spec(1, 0, table=Component(table), resets=resets, terminals=FOREVER, pipeline=pipeline), arenas, (0,)
    )
    out = new_out(env)
    env.reset(out)
    return env, out


def drive(env: SoccarBatch, out: StepOut, row: int, steps: int = 4) -> GameState:
    for _ in range(steps):
        env.step(np.full((env.arenas, env.learners), row), out)
    return env.state


def number_of(name: str) -> int:
    """Of a named row in the hybrid table."""
    return HYBRID.tolist().index([float(value) for value in NAMED[name]])


BOOST, THROTTLE = (HYBRID.tolist().index([1.0, 0, 0, 0, 0, 0, boost, 0]) for boost in (1.0, 0.0))  # straight ahead


MEASURES = {
    "along": (60.0, lambda state: state.velocity[0, 0, 0]),
    "turn": (0.3, lambda state: state.angular_velocity[0, 0, 2]),
    "nose": (0.05, lambda state: state.forward[0, 0, 2]),
    "roll": (0.05, lambda state: state.up[0, 0, 1]),
    "height": (5.0, lambda state: state.position[0, 0, 2]),
    "boost": (0.01, lambda state: state.boost[0, 0]),
    "handbrake": (0.01, lambda state: state.handbrake[0, 0]),
}


CONTROLS_ALONE = (  # control, value, where the car is, what it does beside an idle one
    ("throttle", 1, "ground", {"along": 1}),
    ("throttle", -1, "ground", {"along": -1}),
    ("steer", 1, "rolling", {"turn": 1}),
    ("steer", -1, "rolling", {"turn": -1}),
    ("pitch", 1, "air", {"nose": 1}),
    ("pitch", -1, "air", {"nose": -1}),
    ("yaw", 1, "air", {"turn": 1}),
    ("yaw", -1, "air", {"turn": -1}),
    ("roll", 1, "air", {"roll": 1}),
    ("roll", -1, "air", {"roll": -1}),
    ("jump", 1, "ground", {"height": 1}),
    ("boost", 1, "ground", {"along": 1, "boost": -1}),
    ("handbrake", 1, "ground", {"handbrake": 1}),
    ("boost", 1, "air", {"along": 1, "boost": -1}),
    ("steer", 1, "air", {}),
    *((control, 1, "ground", {}) for control in ("pitch", "yaw", "roll")),
)
PLACES: dict[str, dict[str, float]] = {"ground": {}, "rolling": {"speed": 300.0}, "air": {"z": 900.0}}


def test_a_control_alone(subtests: pytest.Subtests, tmp_path: Path) -> None:
    """From a user's file to the wheels: a column swapped anywhere on the way would show."""
    rows = [[0.0] * 8] + [
        [float(value) if name == control else 0.0 for name in CONTROLS] for control, value, _, _ in CONTROLS_ALONE
    ]
    table = tmp_path / "alone.csv"
    table.write_text("\n".join([",".join(CONTROLS), *(",".join(map(str, row)) for row in rows)]))
    for pipeline, place in product(PIPELINES, PLACES):
        env, out = game(str(table), PIPELINES[pipeline], **PLACES[place])
        idle = measured(drive(env, out, 0))
        for number, (control, value, where, expected) in enumerate(CONTROLS_ALONE, start=1):
            if where != place:
                continue
            with subtests.test(pipeline=pipeline, control=control, value=value):
                env.reset(out)
                state = drive(env, out, number)
                changes = {name: change - idle[name] for name, change in measured(state).items()}
                found = {name: int(np.sign(by)) for name, by in changes.items() if abs(by) > MEASURES[name][0]}
                assert found == expected
                assert state.previous_actions[0, 0].tolist() == rows[number]


def measured(state: GameState) -> dict[str, float]:
    return {name: float(measure(state)) for name, (_, measure) in MEASURES.items()}


def test_named_flips_push_the_car_where_their_names_say(subtests: pytest.Subtests) -> None:
    env, out = game(z=900.0)
    for name, along, aside in (
        ("flip forward", 1, 0),
        ("flip backward", -1, 0),
        ("flip left", 0, -1),
        ("flip right", 0, 1),
        ("flip forward left", 1, -1),
        ("flip forward right", 1, 1),
        ("flip backward left", -1, -1),
        ("flip backward right", -1, 1),
        ("flip left by yaw", 0, -1),
        ("flip right by yaw", 0, 1),
    ):
        with subtests.test(name=name, along=along, aside=aside):
            env.reset(out)
            state = drive(env, out, number_of(name), steps=1)
            assert state.has_flipped.all()
            pushed = np.where(np.abs(state.velocity[0, 0, :2]) > 100, np.sign(state.velocity[0, 0, :2]), 0)
            assert pushed.tolist() == [along, aside]


def test_a_stall_spends_the_flip_without_a_push(subtests: pytest.Subtests) -> None:
    for name in ("stall left", "stall right"):
        with subtests.test(name=name):
            state = drive(*game(z=900.0), number_of(name), steps=1)
            assert state.has_flipped.all()
            assert np.abs(state.velocity[0, 0, :2]).max() < 1.0


def test_a_forbidden_jump_does_nothing_unless_the_car_lands_just_then(subtests: pytest.Subtests) -> None:
    """Twins in the same episodes: one presses jump where that is illegal, the other plays the same row without it.

    The twins stay the same to the last bit, but for those presses that meet a wheel's landing within the first ticks.
    """
    for delay in (0, 1):
        with subtests.test(delay=delay):
            jumps = np.flatnonzero(HYBRID[:, CONTROLS.index("jump")])
            changes = {"action_delay_ticks": delay, "terminals": (Component("timeout", {"seconds": 8.0}),)}
            table = Component("tests.fakes.jump_twins:JumpTwins")
            twins = [SoccarBatch(spec(1, 1, table=table, **changes), 8, (5,)) for _ in range(2)]
            outs = [new_out(twin) for twin in twins]
            for twin, out in zip(twins, outs, strict=True):
                twin.reset(out)
            rng, classes = np.random.default_rng(0), np.zeros((8, 2), np.uint8)
            illegal, landings, apart = 0, 0, np.zeros(8, np.bool_)
            pressed = np.zeros((8, 2), np.bool_)
            for _ in range(250):
                chosen = np.where(pressed, 0, rng.choice(np.concatenate([jumps, np.arange(30)]), (8, 2)))
                class_ids(twins[0].state, np.s_[:, :], classes)
                forbidden = np.isin(chosen, jumps) & (classes & CAN_JUMP == 0)
                without = len(HYBRID) + np.searchsorted(jumps, chosen)
                twins[0].step(chosen, outs[0])
                twins[1].step(np.where(forbidden, without, chosen), outs[1])
                pressed = forbidden  # a held button is no press: the next row lets go of it
                one, two = (twin.state for twin in twins)
                differs = (one.position != two.position).any((1, 2)) | (one.velocity != two.velocity).any((1, 2))
                illegal += int(forbidden[~apart].sum())
                for arena in np.flatnonzero(differs & ~apart):
                    assert (one.is_jumping[arena] & forbidden[arena]).any()  # it had wheels down again
                    landings += 1
                apart = (apart | differs) & ~outs[0].truncated
            assert illegal > 500
            assert landings < illegal / 30


def test_after_a_jump_and_a_flip_no_jump_is_left_until_the_car_lands() -> None:
    env, out = game(pipeline=PIPELINES["mask"])
    jump, flip, idle = (number_of(name) for name in ("jump", "flip forward", "idle"))
    seen = []
    for row in [jump, jump, idle, flip, idle, idle]:
        seen.append(bool(out.legality[0, 0] & CAN_JUMP))
        env.step(np.array([[row]]), out)
    assert seen == [True, True, True, True, False, False]
    for _ in range(60):
        env.step(np.array([[idle]]), out)
        if env.state.on_ground[0, 0]:
            break
    assert out.legality[0, 0] & CAN_JUMP


def test_a_jump_that_is_held_lasts_and_is_then_no_press_any_more() -> None:
    """It goes on for 0.2 s = 24 ticks; held longer it does nothing, and must be let go of for the flip."""
    env, out = game(pipeline=PIPELINES["mask"])
    jump, idle = number_of("jump"), number_of("idle")
    seen = []
    for row in [jump] * 5 + [idle] * 2:
        env.step(np.array([[row]]), out)
        seen.append(bool(out.legality[0, 0] & CAN_JUMP))
    assert seen == [True, True, True, False, False, True, True]


def test_a_car_on_its_roof_may_press_jump_and_it_rights_it() -> None:
    env, out = game(pipeline=PIPELINES["mask"], roof_down=True)
    idle, jump = number_of("idle"), number_of("jump")
    drive(env, out, idle, 30)
    state = env.state
    assert state.world_contact[0, 0] and state.up[0, 0, 2] < -0.9 and not state.on_ground[0, 0]
    state.has_flipped[0, 0] = True  # even so
    assert out.legality[0, 0] & CAN_JUMP
    drive(env, out, jump, 1)
    drive(env, out, idle, 20)
    assert env.state.on_ground[0, 0] and env.state.up[0, 0, 2] > 0.9


def test_without_boost_boosting_is_forbidden_and_would_do_nothing() -> None:
    env, out = game(pipeline=PIPELINES["mask"], z=900.0, boost=0.0)
    assert not out.legality[0, 0] & HAS_BOOST
    with_it = drive(env, out, BOOST).velocity.copy()
    np.testing.assert_array_equal(with_it, drive(*game(z=900.0, boost=0.0), THROTTLE).velocity)


def test_boost_lasts_until_it_is_spent() -> None:
    env, out = game(pipeline=PIPELINES["mask"], z=1500.0, boost=5.0)
    while env.state.boost[0, 0] > 0:
        assert out.legality[0, 0] & HAS_BOOST
        env.step(np.array([[BOOST]]), out)
    assert not out.legality[0, 0] & HAS_BOOST


def test_a_fallback_is_played_seen_and_counted() -> None:
    env, out = game(pipeline=PIPELINES["fallback"], arenas=3, z=900.0, boost=0.0)
    assert not env.state.previous_actions.any()
    env.step(np.array([[BOOST], [0], [BOOST]]), out)
    assert env.state.previous_actions[:, 0].tolist() == [[0] * 8, HYBRID[0].tolist(), [0] * 8]
    stats = env.drain_stats()
    assert (stats.fallbacks, stats.car_steps) == (2, 3)
    assert env.drain_stats().fallbacks == 0
    assert env.action_spec.masks is None


def test_masks_are_the_tables_and_no_choice_is_replaced() -> None:
    env, out = game(pipeline=PIPELINES["mask"], z=900.0, boost=0.0)
    np.testing.assert_array_equal(env.action_spec.masks, legal_rows(HYBRID))
    drive(env, out, number_of("jump"), 3)
    assert env.drain_stats().fallbacks == 0


def test_sticky_buttons_are_seen_as_played_and_forgotten_with_the_episode() -> None:
    env, out = game(pipeline=PipelineOptions(sticky=3))
    jump, idle = number_of("jump"), number_of("idle")
    seen = []
    for row in [jump, idle, idle, idle]:
        env.step(np.array([[row]]), out)
        seen.append(env.state.previous_actions[0, 0, CONTROLS.index("jump")])
    assert seen == [1, 1, 1, 0]
    env.step(np.array([[jump]]), out)
    env.reset(out)
    env.step(np.array([[idle]]), out)
    assert not env.state.previous_actions.any()


def test_a_long_table_is_played_like_a_short_one() -> None:
    """Its controls are built when they are first played."""
    sticky, jump = PipelineOptions(sticky=3), number_of("jump")
    (short, out), (long, long_out) = game(pipeline=sticky), game("tests.fakes.long_table:rows", sticky)
    for row in [jump, 0, THROTTLE, BOOST, 0]:
        short.step(np.array([[row]]), out)
        long.step(np.array([[row + 9 * len(HYBRID)]]), long_out)
        np.testing.assert_array_equal(long.state.position, short.state.position)
    with pytest.raises(RltuiError, match="action 2210 is not a row"):
        long.step(np.array([[2210]]), long_out)
    with pytest.raises(KeyError):
        long._sim.simulate(np.array([[8 * 2210]]))


def test_a_row_that_does_not_exist_is_named(subtests: pytest.Subtests) -> None:
    for pipeline in PIPELINES:
        env, out = game(pipeline=PIPELINES[pipeline], arenas=2)
        for wrong in (-1, 221, 5000):
            with (
                subtests.test(pipeline=pipeline, wrong=wrong),
                pytest.raises(RltuiError, match=f"arena 1, car 0: action {wrong} is not a row of the action table"),
            ):
                env.step(np.array([[0], [wrong]]), out)


def test_numbers_that_are_no_rows_are_refused(subtests: pytest.Subtests) -> None:
    for pipeline in PIPELINES:
        with subtests.test(pipeline=pipeline):
            env, out = game(pipeline=PIPELINES[pipeline], arenas=2)
            with pytest.raises(RltuiError, match="arena 1, car 0 has nan"):
                env.step(np.array([[0.0], [np.nan]]), out)  # type: ignore[arg-type]
            with pytest.raises(RltuiError, match=r"arena 0, car 0 has 0\.5"):
                env.step(np.array([[0.5], [1.0]]), out)  # type: ignore[arg-type]
