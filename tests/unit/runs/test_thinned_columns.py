"""Rows that wait in a block, against one append a figure: the same columns, whatever keys come and go."""

from __future__ import annotations

import math
import random
from array import array

import pytest

from rltui.events.records import IterationFinished
from rltui.runs.journal_cache import Segment

KEYS = ("a", "b", "c", "d")


def some_rows(rng: random.Random, count: int) -> list[IterationFinished]:
    """Runs of rows with the same keys, some of them in another order; some figures are not known."""
    rows = []
    keys = list(KEYS)
    for number in range(count):
        if rng.random() < 0.2:
            keys = rng.sample(KEYS, rng.randint(0, len(KEYS)))
        metrics = {key: rng.choice((None, rng.random(), float(number))) for key in keys}
        rows.append(IterationFinished(time=float(number), iteration=number, timesteps=10 * number, metrics=metrics))
    return rows


def one_by_one(rows: list[IterationFinished]) -> dict[str, list[float | None]]:
    """The slow twin; None stands for NaN, which equals nothing."""
    figures = [row.columns() for row in rows]
    return {key: [row.get(key) for row in figures] for key in {key for row in figures for key in row}}


def as_lists(columns: dict[str, array[float]]) -> dict[str, list[float | None]]:
    return {key: [None if math.isnan(value) else value for value in column] for key, column in columns.items()}


def test_columns_are_those_of_single_appends(subtests: pytest.Subtests) -> None:
    for seed in range(30):
        with subtests.test(seed=seed):
            rng = random.Random(seed)
            rows = some_rows(rng, 40)
            segment = Segment()
            for count, row in enumerate(rows, 1):
                segment.add_row(row)
                if rng.random() < 0.3:  # somebody looks in between
                    assert as_lists(segment.columns) == one_by_one(rows[:count])
            assert as_lists(segment.columns) == one_by_one(rows)
            assert list(segment.timesteps) == [row.timesteps for row in rows]
            assert {len(column) for column in segment.columns.values()} == {len(rows)}
