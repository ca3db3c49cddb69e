"""What a policy chooses, as data: against loops over single actions."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from rltui.actions.spec import ActionSpec
from rltui.train.collect.shared_rollout import RolloutShape

MASKS = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 0, 1], [0, 1, 0, 0, 0]], np.bool_)
MASKED = ActionSpec(5, MASKS)


class Buttons(ActionSpec):
    """Another kind: eight numbers a choice."""

    dtype, shape = np.dtype(np.int8), (8,)


def test_what_is_known_legal_and_counted_against_loops() -> None:
    rng = np.random.default_rng(0)
    actions = rng.integers(-2, 8, (4, 5, 6))
    classes = rng.integers(0, 5, (4, 5, 6)).astype(np.uint8)
    known, legal = MASKED.known(actions), MASKED.legal(actions, classes)
    for at in np.ndindex(actions.shape):
        assert known[at] == (actions[at] in range(5))
    for at in zip(*np.nonzero(known), strict=True):
        assert legal[at] == (classes[at] < 3 and MASKS[classes[at], actions[at]])
    assert ActionSpec(5).legal(actions, classes).all()
    chosen = actions[known]
    assert MASKED.count(chosen).tolist() == [chosen.tolist().count(row) for row in range(5)]


def test_random_actions_are_legal_and_all_that_are_legal_come() -> None:
    classes = np.repeat(np.arange(3, dtype=np.uint8), 100).reshape(3, 10, 10)
    actions = MASKED.at_random(np.random.default_rng(0), classes)
    assert MASKED.legal(actions, classes).all()
    for class_id, mask in enumerate(MASKS):
        assert set(actions[class_id].ravel().tolist()) == set(np.flatnonzero(mask).tolist())
    assert set(ActionSpec(5).at_random(np.random.default_rng(0), classes).ravel().tolist()) == set(range(5))


def test_it_travels_to_the_workers_and_sizes_their_memory() -> None:
    shape = RolloutShape(blocks=2, workers=3, steps=5, arenas=2, cars=2, obs_size=7, actions=MASKED, parameters=11)
    assert shape.fields()["actions"] == ((2, 3, 5, 4), np.int64)
    assert replace(shape, actions=Buttons(5)).fields()["actions"] == ((2, 3, 5, 4, 8), np.int8)
    there = pickle.loads(pickle.dumps(shape))
    assert there == shape
    np.testing.assert_array_equal(there.actions.masks, MASKS)
    with pytest.raises(AttributeError):
        MASKED.outputs = 6  # type: ignore[misc]
