"""History: metric columns by iteration."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from rltui.events.metric_keys import new_column

NAN = math.nan


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The first `length` rows. A value of its own: `extended` and `cut` leave it as it was.

    A longer history may share the columns, for rows are only ever added behind the end of everybody else's; who is not
    at the end copies first.
    """

    length: int = 0
    timesteps: array[float] = field(default_factory=lambda: array("d"))
    columns: Mapping[str, array[float]] = field(default_factory=dict)  # as `new_column`, NaN where unknown

    def extended(self, rows: Iterable[tuple[int, Mapping[str, float | None]]]) -> History:
        """With these (timesteps, metrics) rows behind the last one."""
        base = self if self.length == len(self.timesteps) else self.cut_to_length(self.length)
        timesteps, columns, length = base.timesteps, dict(base.columns), base.length
        for steps, metrics in rows:
            timesteps.append(steps)
            for key, value in metrics.items():
                column = columns.get(key)
                if column is None:
                    column = columns[key] = new_column(key, length)
                column.append(NAN if value is None else value)
            length += 1
            if len(metrics) != len(columns):  # else every column has got its value
                _fill(columns.values(), length)
        return History(length, timesteps, columns)

    def joined(self, timesteps: array[float], columns: Mapping[str, array[float]]) -> History:
        """With these rows behind the last one: columns as `new_column`, as long as `timesteps`. They are copied."""
        base = self if self.length == len(self.timesteps) else self.cut_to_length(self.length)
        own, length = dict(base.columns), base.length + len(timesteps)
        base.timesteps.extend(timesteps)
        for key, values in columns.items():
            if key not in own:
                own[key] = new_column(key, base.length)
            own[key].extend(values)
        _fill(own.values(), length)
        return History(length, base.timesteps, own)

    def cut(self, timesteps: int) -> History:
        """Without the rows above `timesteps`."""
        return self.cut_to_length(bisect_right(self.timesteps, timesteps, 0, self.length))

    def cut_to_length(self, length: int) -> History:
        """The first `length` rows in columns of their own."""
        columns = {key: column[:length] for key, column in self.columns.items()}
        return History(length, self.timesteps[:length], columns)

    def series(self, key: str) -> tuple[Sequence[float], Sequence[float]]:
        """(timesteps, values) of one metric; both empty where no row has it."""
        column = self.columns.get(key)
        if column is None or not self.length:
            return (), ()
        return self.timesteps[: self.length], column[: self.length]

    def last(self, key: str, rows: int = 1) -> list[float]:
        """The known values among the newest `rows` rows, oldest first."""
        column = self.columns.get(key)
        if column is None:
            return []
        return [value for value in column[max(self.length - rows, 0) : self.length] if math.isfinite(value)]

    def mean(self, key: str, rows: int = 20, at_least: int = 1) -> float | None:
        """Mean over the newest rows that know it; None where fewer than `at_least` do."""
        values = self.last(key, rows)
        return sum(values) / len(values) if len(values) >= max(at_least, 1) else None

    def rows(self, start: int = 0) -> Iterable[tuple[float, dict[str, float]]]:
        """Rows from `start` as (timesteps, known metrics)."""
        for row in islice(range(self.length), start, None):
            values = ((key, column[row]) for key, column in self.columns.items())
            yield self.timesteps[row], {key: value for key, value in values if value == value}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        return self.length == other.length and list(self.rows()) == list(other.rows())

    __hash__ = None  # type: ignore[assignment]  # as Python unhashes a class


def _fill(columns: Iterable[array[float]], length: int) -> None:
    """With NaN up to `length` rows."""
    for column in columns:
        if missing := length - len(column):
            column.extend(array(column.typecode, (NAN,)) * missing)
