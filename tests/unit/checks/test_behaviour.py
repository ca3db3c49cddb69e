"""Tables played in the real simulator: what is said must be what the car did."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from rltui.actions.masking import class_ids
from rltui.checks.action_table import behaviour
from rltui.checks.action_table.abilities import STATES, all_legal, effective_controls, game_state
from rltui.checks.action_table.behaviour import CarStates, RowSimulator, behaviour_checks, control_check
from rltui.checks.action_table.findings import TableCheck
from rltui.checks.action_table.report import examine
from rltui.errors import RltuiError
from rltui.sim import arena_batch, meshes
from rltui.sim.state import Float
from tests.fakes.tables import HYBRID, RLGYM, changed, column, naive

NOISE = 0.003  # measured: up to 0.0017 by rounding, from 0.0044 by a control (steering of a car that stands)
PLAYABLE = [state for state in STATES if state.alive]


@pytest.fixture(autouse=True)
def simulator() -> None:
    meshes.init_simulator(meshes.locate())


def outcomes(rows: Float, masks: dict[str, Any] | None = None) -> dict[str, TableCheck]:
    return {check.key: check for check in behaviour_checks(rows, masks or all_legal(rows))}


def test_the_cars_are_in_the_situation_that_legality_is_asked_about(subtests: pytest.Subtests) -> None:
    for state in PLAYABLE:
        with subtests.test(state=state):
            stage = RowSimulator(RLGYM)
            stage.put(state)
            classes = np.zeros((len(STATES), 1), np.uint8)
            class_ids(game_state(), np.s_[:, :1], classes)
            played = np.zeros((1, behaviour.CARS), np.uint8)
            class_ids(stage.state, np.s_[:, : behaviour.CARS], played)
            assert set(played[0].tolist()) == {int(classes[STATES.index(state), 0])}
            assert (stage.state.on_ground == state.wheels_down).all()
            assert (stage.state.world_contact == (state.surface == "roof")).all()


def test_rows_of_the_same_effect_are_those_that_do_the_same_in_the_simulator(subtests: pytest.Subtests) -> None:
    """The slow twin: every row is played for a step, and compared with every other."""
    for state in PLAYABLE:
        with subtests.test(state=state):
            rows = naive()[np.random.default_rng(1).choice(1800, 2 * behaviour.CARS, replace=False)]
            before, after = RowSimulator(rows).play(state, np.arange(len(rows)), 1)
            change = difference(before, after)
            apart = np.abs(change[:, None] - change[None]).max(axis=2)
            key = effective_controls(rows, state)
            same = (key[:, None] == key[None]).all(axis=2)
            assert apart[same].max() < NOISE < apart[~same].min()


def difference(before: CarStates, after: CarStates) -> Float:
    """[N, …] scaled so that rounding, for the cars stand in different places, stays below NOISE."""
    flags = [after.has_jumped, after.has_flipped, after.has_double_jumped]
    columns = [
        after.position - before.position,
        (after.velocity - before.velocity) / 5,
        (after.spin - before.spin) * 5,
        after.forward * 20,
        after.up * 20,
        after.handbrake[:, None],
        (before.boost - after.boost)[:, None],
        np.stack(flags, axis=1).astype(np.float32),
    ]
    return np.concatenate(columns, axis=1)


def test_each_control_alone_does_what_its_name_says() -> None:
    assert control_check().outcome == "pass"


def test_an_adapter_that_exchanges_two_controls_is_caught(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = arena_batch.car_controls

    def exchanging(one: str, other: str, row: Any) -> Any:
        controls = true(row)
        first, second = getattr(controls, one), getattr(controls, other)
        setattr(controls, one, type(first)(second))
        setattr(controls, other, type(second)(first))
        return controls

    for one, other, sentence in (
        ("pitch", "yaw", "with pitch +1 alone the car turns right in the air"),
        ("jump", "boost", "with boost +1 alone the car jumps"),
        ("steer", "throttle", "with throttle +1 alone the car turns right on the ground"),
    ):
        with subtests.test(one=one, other=other):
            monkeypatch.setattr(arena_batch, "car_controls", partial(exchanging, one, other))
            found = control_check()
            assert found.outcome == "fail"
            assert sentence in found.sentence
            assert "the columns reach the simulator in another order" in found.sentence


def test_a_control_that_is_turned_round_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    true = arena_batch.car_controls

    def wrong(row: Any) -> Any:
        controls = true(row)
        controls.pitch = -controls.pitch
        return controls

    monkeypatch.setattr(arena_batch, "car_controls", wrong)
    assert "with pitch +1 alone the car does the contrary of what pitch does" in control_check().sentence


def test_good_tables_can_do_everything(subtests: pytest.Subtests) -> None:
    for rows in [RLGYM, HYBRID]:
        with subtests.test(rows=rows):
            found = outcomes(rows)
            assert {check.outcome for check in found.values()} == {"pass"}
            assert len(found) == 21
            assert "back on its wheels after 0.7 s" in found["in the simulator: rights itself"].sentence


def test_rows_that_mean_to_turn_and_hardly_do() -> None:
    weak = RLGYM.copy()
    column(weak, "steer")[:] *= 0.1
    column(weak, "yaw")[:] *= 0.1
    found = outcomes(weak)
    assert found["in the simulator: turns left"].outcome == "warn"
    assert found["in the simulator: turns left"].sentence.startswith("the car only turns 8")
    yaws = found["in the simulator: yaws right"]
    assert yaws.outcome == "fail"
    assert "24 rows mean to do this, yet with none the car turns right in the air" in yaws.sentence


def test_what_no_row_means_to_do_is_not_told_twice() -> None:
    right = RLGYM[column(RLGYM, "steer") >= 0]
    assert "in the simulator: turns left" not in outcomes(right)


def test_only_legal_rows_are_played() -> None:
    masks = all_legal(RLGYM) | {"turtled": (column(RLGYM, "jump") == 0) & (column(RLGYM, "throttle") == 0)}
    assert outcomes(RLGYM, masks)["in the simulator: rights itself"].outcome == "warn"


def test_rows_are_called_by_their_own_numbers_also_behind_a_row_of_nan() -> None:
    found = outcomes(changed(RLGYM, 0, "roll", np.nan))
    assert "(row 16)" in found["in the simulator: is plain full throttle"].sentence


def test_where_the_simulator_does_not_start_the_rest_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: object) -> None:
        raise RltuiError("no collision meshes")

    monkeypatch.setattr(meshes, "init_simulator", broken)
    found = examine(RLGYM)
    assert [check.sentence for check in found.of("warn")] == [
        "what cars do with the table was not tried: no collision meshes"
    ]
    assert len(found.of("pass")) > 20
