"""The pipeline's stages against slow twins that follow one car at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rltui.actions.masking import class_ids, idle_row, legal_rows
from rltui.actions.pipeline import ActionPipeline, PipelineOptions, action_spec
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.registry import Component, build
from rltui.sim.state import GameState
from tests.fakes.game_states import random_state

ROWS = build("action table", Component("hybrid")).rows()
IDLE = idle_row(ROWS)
JUMP = CONTROLS.index("jump")


def state_of(rng: np.random.Generator, arenas: int = 30, blue: int = 1, orange: int = 1) -> GameState:
    state = random_state(rng, arenas, blue, orange)
    state.boost[rng.random(state.boost.shape) < 0.4] = 0
    state.demo_respawn_timer[rng.random(state.boost.shape) < 0.7] = 0
    return state


def test_with_nothing_on_it_hands_on_what_it_gets() -> None:
    pipeline = ActionPipeline(ROWS, PipelineOptions(), 2, 1)
    actions = np.array([[3], [5]])
    state = state_of(np.random.default_rng(0), 2, 1, 0)
    out = np.full((2, 1), 77, np.uint8)
    pipeline.classify(state, out)
    assert pipeline.play(actions, state) is actions
    assert pipeline.controls is ROWS and pipeline.spec.masks is None
    assert (out == 77).all() and pipeline.take_fallbacks() == 0


def test_classes_are_written(subtests: pytest.Subtests) -> None:
    for legality in ("mask", "fallback"):
        with subtests.test(legality=legality):
            state = state_of(np.random.default_rng(1))
            ours, expected = np.zeros((30, 2), np.uint8), np.zeros((30, 2), np.uint8)
            ActionPipeline(ROWS, PipelineOptions(legality), 30, 2).classify(state, ours)
            class_ids(state, np.s_[:, :2], expected)
            np.testing.assert_array_equal(ours, expected)


def test_only_mask_gives_masks() -> None:
    for legality in ("off", "fallback"):
        assert action_spec(ROWS, PipelineOptions(legality)).masks is None
    masks = ActionPipeline(ROWS, PipelineOptions("mask"), 1, 1).spec.masks
    np.testing.assert_array_equal(masks, legal_rows(ROWS))


def test_fallback_against_the_slow_twin(subtests: pytest.Subtests) -> None:
    for seed in range(4):
        with subtests.test(seed=seed):
            rng = np.random.default_rng(seed)
            state = state_of(rng, blue=2, orange=1)
            recovery = int(np.flatnonzero(ROWS[:, JUMP])[0])
            pipeline = ActionPipeline(ROWS, PipelineOptions("fallback", IDLE, recovery), 30, 3)
            chosen = rng.integers(0, len(ROWS), (30, 3))
            before = chosen.copy()
            played, replaced = pipeline.play(chosen, state), 0
            classes, legal = np.zeros((30, 3), np.uint8), legal_rows(ROWS)
            class_ids(state, np.s_[:, :3], classes)
            for at in np.ndindex(30, 3):
                expected = chosen[at]
                if not legal[classes[at], chosen[at]]:
                    turtled = state.world_contact[at] and state.up[at][2] < -0.2 and not state.on_ground[at]
                    expected, replaced = recovery if turtled else IDLE, replaced + 1
                assert played[at] == expected
            np.testing.assert_array_equal(chosen, before)
            assert replaced > 10
            assert (pipeline.take_fallbacks(), pipeline.take_fallbacks()) == (replaced, 0)


def test_fallback_rows_are_the_idle_row_by_default() -> None:
    state = state_of(np.random.default_rng(2))
    state.demo_respawn_timer[...] = 1.0
    pipeline = ActionPipeline(ROWS, PipelineOptions("fallback"), 30, 2)
    assert (pipeline.play(np.full((30, 2), 100), state) == IDLE).all()


def slow_sticky(pressed: list[bool], steps: int) -> list[bool]:
    """One button: down while chosen, and until `steps` steps after it went down."""
    down: list[bool] = []
    since = steps
    for chosen in pressed:
        if chosen and not (down and down[-1]):
            since = 0
        down.append(chosen or since < steps)
        since += 1
    return down


def test_sticky_buttons_against_the_slow_twin(subtests: pytest.Subtests) -> None:
    for steps in (2, 3, 7):
        for buttons in (("jump", "boost", "handbrake"), ("boost",), ("handbrake", "jump")):
            with subtests.test(steps=steps, buttons=buttons):
                rng = np.random.default_rng(steps)
                pipeline = ActionPipeline(ROWS, PipelineOptions(sticky=steps, sticky_buttons=buttons), 5, 2)
                state = state_of(rng, 5)
                chosen = rng.integers(0, len(ROWS), (60, 5, 2))
                played = np.stack([pipeline.play(step, state) for step in chosen])
                controls = pipeline.controls[played]
                for column, name in enumerate(CONTROLS):
                    wanted = ROWS[chosen][..., column]
                    if name not in buttons:
                        np.testing.assert_array_equal(controls[..., column], wanted)
                        continue
                    for arena, car in np.ndindex(5, 2):
                        expected = slow_sticky((wanted[:, arena, car] != 0).tolist(), steps)
                        np.testing.assert_array_equal(controls[:, arena, car, column] != 0, expected)
                    assert (controls[..., column] > wanted).any()


def test_a_press_lasts_as_long_as_said_and_can_then_be_let_go() -> None:
    jump = int(np.flatnonzero((ROWS != 0).sum(axis=1) + 10 * (ROWS[:, JUMP] == 0) == 1)[0])
    pipeline = ActionPipeline(ROWS, PipelineOptions(sticky=3), 1, 1)
    state = state_of(np.random.default_rng(0), 1, 1, 0)
    chosen = [jump, IDLE, IDLE, IDLE, jump, jump, jump, jump, IDLE]
    down = [bool(pipeline.controls[pipeline.play(np.array([[row]]), state)[0, 0], JUMP]) for row in chosen]
    assert down == [True, True, True, False, True, True, True, True, False]


def test_a_new_episode_lets_go_of_the_buttons_in_its_arena_alone() -> None:
    jump = int(np.flatnonzero(ROWS[:, JUMP])[0])
    pipeline = ActionPipeline(ROWS, PipelineOptions(sticky=5), 2, 1)
    state = state_of(np.random.default_rng(0), 2, 1, 0)
    pipeline.play(np.array([[jump], [jump]]), state)
    pipeline.reset(np.array([True, False]))
    played = pipeline.play(np.array([[IDLE], [IDLE]]), state)
    assert pipeline.controls[played[:, 0], JUMP].tolist() == [0.0, 1.0]


def test_the_table_stands_first_among_the_controls() -> None:
    pipeline = ActionPipeline(ROWS, PipelineOptions(sticky=2), 1, 1)
    assert pipeline.controls.shape == (8 * len(ROWS), 8)
    np.testing.assert_array_equal(pipeline.controls[: len(ROWS)], ROWS)


def test_clip_cuts_what_is_played_and_not_the_table() -> None:
    rows = np.array([[0] * 8, [2, -3, 0.5, -0.25, 1.5, 3, 0, -1]], np.float32)
    before = rows.copy()
    pipeline = ActionPipeline(rows, PipelineOptions(clip=True), 1, 1)
    assert pipeline.controls[1].tolist() == [1, -1, 0.5, -0.25, 1, 1, 0, 0]
    np.testing.assert_array_equal(rows, before)


def test_no_stage_hides_a_row_that_does_not_exist(subtests: pytest.Subtests) -> None:
    """Minus one would wrap, and with variants behind the table a large one would be a row."""
    for options in (PipelineOptions("fallback"), PipelineOptions(sticky=2)):
        for wrong in (-1, len(ROWS), 8 * len(ROWS) - 1):
            with subtests.test(options=options, wrong=wrong):
                actions = np.zeros((4, 2), np.int64)
                actions[3, 1] = wrong
                with pytest.raises(RltuiError, match=f"arena 3, car 1: action {wrong} is not a row"):
                    ActionPipeline(ROWS, options, 4, 2).play(actions, state_of(np.random.default_rng(0), 4))


def test_options_that_do_not_fit_the_table(subtests: pytest.Subtests) -> None:
    for options, rows, message in (
        (PipelineOptions("mask"), ROWS[IDLE + 1 :], "actions.legality: the action table has no idle row"),
        (PipelineOptions("fallback"), ROWS[IDLE + 1 :], "actions.legality: the action table has no idle row"),
        (PipelineOptions("fallback", 221), ROWS, "actions.fallback_row: no row of the action table, expected 0 to 220"),
        (PipelineOptions("fallback", None, -1), ROWS, "actions.recovery_row: no row"),
        (
            PipelineOptions("fallback", 30),
            ROWS,
            f"actions.fallback_row: row 30 is not idle but full throttle, left, boost, expected row {IDLE}, which idles",
        ),
    ):
        with subtests.test(options=options, rows=rows, message=message):
            with pytest.raises(RltuiError) as caught:
                ActionPipeline(rows, options, 1, 1)
            assert caught.value.message.startswith(message)
            assert ActionPipeline(rows, replace(options, legality="off", fallback_row=None, recovery_row=None), 1, 1)
