"""The table's hash, the check of row numbers, rows in words."""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.actions.table import check_indices, describe, mirror_rows, table_hash
from rltui.errors import RltuiError
from rltui.registry import Component, build
from tests.fakes.game_states import mirrored_controls
from tests.fakes.tables import HYBRID, RLGYM, changed, naive

ROWS = np.arange(16, dtype=np.float32).reshape(2, 8) / 16


def test_hash_is_of_shape_and_little_endian_floats() -> None:
    by_hand = hashlib.sha256(b"2x8" + struct.pack("<16f", *(i / 16 for i in range(16)))).hexdigest()
    assert table_hash(ROWS) == by_hand


def test_hash_looks_at_the_values_and_not_at_how_they_are_stored() -> None:
    assert table_hash(ROWS.astype(">f8")) == table_hash(np.asfortranarray(ROWS)) == table_hash(ROWS.tolist())
    assert table_hash(np.float32([[-0.0]])) == table_hash(np.float32([[0.0]]))


def test_hash_tells_tables_apart() -> None:
    changed = ROWS.copy()
    changed[1, 7] += 1e-6
    assert len({table_hash(t) for t in (ROWS, ROWS[::-1], ROWS[:, ::-1], ROWS.reshape(4, 4), ROWS[:1], changed)}) == 6


def test_a_row_that_does_not_exist_names_arena_and_car(subtests: pytest.Subtests) -> None:
    for wrong in (-1, 90, -(2**63), 2**63 - 1):
        with subtests.test(wrong=wrong):
            actions = np.zeros((4, 3), dtype=np.int64)
            actions[2, 1] = wrong
            with pytest.raises(RltuiError) as caught:
                check_indices(actions, 90)
            assert caught.value.message == f"arena 2, car 1: action {wrong} is not a row of the action table"
            assert caught.value.hint == "rows are 0 to 89"


def test_all_rows_of_the_table_pass() -> None:
    check_indices(np.arange(90).reshape(45, 2), 90)
    check_indices(np.zeros((0, 2), dtype=np.int64), 90)


def test_anything_but_int64_is_refused(subtests: pytest.Subtests) -> None:
    for dtype in (np.float32, np.float64, np.int32, np.bool_):
        with subtests.test(dtype=dtype), pytest.raises(RltuiError, match=f"found {np.dtype(dtype)}"):
            check_indices(np.zeros((2, 2), dtype=dtype), 90)  # type: ignore[arg-type]


def test_mirrored_rows_are_pairs_with_the_same_masks(subtests: pytest.Subtests) -> None:
    twice = np.concatenate([RLGYM, HYBRID[::-1], RLGYM])
    for name, rows in (("rlgym", RLGYM), ("hybrid", HYBRID), ("naive", naive()), ("rows twice", twice)):
        with subtests.test(name):
            partners = mirror_rows(rows)
            np.testing.assert_array_equal(rows[partners], mirrored_controls(rows))
            np.testing.assert_array_equal(partners[partners], np.arange(len(rows)))
            masks = legal_rows(rows)
            np.testing.assert_array_equal(masks[:, partners], masks)


def test_a_row_without_a_mirror_image_is_named() -> None:
    row = int(np.flatnonzero((RLGYM[:, :5] == [1, 1, 0, 1, 0]).all(axis=1))[0])
    with pytest.raises(RltuiError) as caught:
        mirror_rows(changed(RLGYM, row, "steer", 0.25))
    assert caught.value.message == (
        f"action table: row {mirror_rows(RLGYM)[row]} (full throttle, left) has no left-right mirror image, which "
        "ppo.mirror_augmentation needs"
    )
    assert caught.value.hint == "add a row 1, 1, 0, 1, 0, 0, 0, 0"
    assert caught.value.exit_code == 2


def test_words(subtests: pytest.Subtests) -> None:
    for row, words in (
        ((0, 0, 0, 0, 0, 0, 0, 0), "idle"),
        ((1, 0, 0, 0, 0, 0, 0, 0), "full throttle"),
        ((1, -1, 0, -1, 0, 0, 1, 0), "full throttle, left, boost"),
        ((-1, 0.5, 0, 0.5, 0, 0, 0, 1), "full reverse, half right, handbrake"),
        ((0.5, 0, 0, 0, 0, 0, 0, 0), "half throttle"),
        ((-0.25, 0, 0, 0, 0, 0, 0, 0), "25 % reverse"),
        ((0, 0, -1, 0, 0, 1, 0, 0), "nose down, jump"),
        ((0, 0, 0.5, 0, -1, 0, 0, 0), "half nose up, roll left"),
        ((0, 1, 0, 0, 0, 0, 0, 0), "steer right"),
        ((0, 0, 0, -1, 0, 0, 0, 0), "yaw left"),
        ((0, 1, 0, -1, 0.125, 0, 0, 0), "steer right, yaw left, 12.5 % roll right"),
    ):
        with subtests.test(row=row, words=words):
            assert describe(row) == words


def test_no_two_rows_have_the_same_words(subtests: pytest.Subtests) -> None:
    for table in ("rlgym", "hybrid"):
        with subtests.test(table=table):
            rows = build("action table", Component(table)).rows()
            assert len({describe(row) for row in rows}) == len(rows)
