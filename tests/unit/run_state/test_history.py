"""Histories against the rows that they were made of: rows, cuts, and values that must stay exact."""

from __future__ import annotations

import math
import random
from array import array

import pytest

from rltui.events.metric_keys import EXACT, new_column
from rltui.run_state.history import History

Row = tuple[int, dict[str, float | None]]


def rows_of(history: History) -> list[tuple[float, dict[str, float]]]:
    return list(history.rows())


def known(rows: list[Row]) -> list[tuple[float, dict[str, float]]]:
    return [(steps, {key: value for key, value in row.items() if value is not None}) for steps, row in rows]


def test_it_is_what_it_was_made_of_and_what_goes_on_leaves_the_other_as_it_was(subtests: pytest.Subtests) -> None:
    for seed in range(6):
        with subtests.test(seed=seed):
            chance, histories = random.Random(seed), [(History(), list[Row]())]
            for number in range(60):
                history, rows = chance.choice(histories)
                if chance.random() < 0.2:
                    length = chance.randrange(len(rows) + 1)
                    histories.append((history.cut_to_length(length), rows[:length]))
                    continue
                keys = chance.sample(("lut/a", "train/b", "clock", "worker/0/c"), chance.randrange(1, 5))
                row: Row = number, {key: chance.choice((None, 0.5, float(number))) for key in keys}
                if chance.random() < 0.5:
                    columns = {key: new_column(key) for key in keys}
                    for key, value in row[1].items():
                        columns[key].append(math.nan if value is None else value)
                    longer = history.joined(array("d", [row[0]]), columns)
                else:
                    longer = history.extended([row])
                histories.append((longer, [*rows, row]))
            for history, rows in histories:
                assert rows_of(history) == known(rows)


def test_counts_and_settings_stay_exact() -> None:
    value = float(2**40 + 1)
    for key in (*EXACT - {"timesteps"}, "curriculum/phase_steps", "train/updates", "weight/touch"):
        history = History().extended([(int(value), {key: value})]).extended([(int(value) + 1, {key: 0.1})])
        assert list(history.columns[key]) == [value, 0.1]
        assert list(history.timesteps) == [value, value + 1]


def test_what_there_is_much_of_takes_half_the_room() -> None:
    history = History().extended((row, {"lut/left": 0.1}) for row in range(3))
    assert history.columns["lut/left"].itemsize == 4
    assert history.mean("lut/left") == pytest.approx(0.1)
