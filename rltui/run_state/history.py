"""History: metric columns by iteration, newest rows in memory, older ones in a temporary file."""

from __future__ import annotations

import math
import tempfile
import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, overload

PAGE = 256  # rows put aside together
ITEM = 8  # bytes of a float64
NAN = math.nan


class Spill:
    """The file is made with the first bytes, has no name, and vanishes with the process. For several threads."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end = 0
        self._lock = threading.Lock()

    def put(self, content: bytes | memoryview) -> int | None:
        """The place to ask for it; None where the disk takes no more."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(prefix="rltui-", buffering=0)  # noqa: SIM115 (lives as long as we)
                self._file.seek(self._end)
                written = self._file.write(content)
            except OSError:
                return None
            if written != memoryview(content).nbytes:
                return None
            self._end += written
            return self._end - written

    def get(self, place: int, length: int) -> bytes:
        """`length` bytes from `place` on. Raises OSError where the disk fails."""
        with self._lock:
            if self._file is None:
                raise OSError("nothing was put aside")
            self._file.seek(place)
            content = self._file.read(length)
        if len(content) != length:
            raise OSError(f"{len(content)} of {length} bytes put aside can be read")
        return content


class PagedColumn(Sequence[float]):
    """float64, NaN where unknown. One to two pages of newest rows are in memory, the older ones put aside.

    Rows are only ever added behind the last one, by one thread; others may read meanwhile.
    """

    __slots__ = ("_looked_at", "_newest", "_places", "_spill", "_unspilled")

    def __init__(self, spill: Spill, unknown: int = 0) -> None:
        """unknown: so many rows of NaN."""
        self._spill = spill
        self._places = array("q")  # of each page put aside, in the spill
        self._unspilled: dict[int, array[float]] = {}  # pages that the disk did not take
        self._newest: tuple[int, array[float]] = (0, array("d"))  # number of the first row, and the rows
        self._looked_at: tuple[int, array[float]] = (-1, array("d"))  # a page's number and rows: who walks stays on it
        if unknown:
            self.extend(array("d", (NAN,)) * unknown)

    def __len__(self) -> int:
        first, newest = self._newest
        return first + len(newest)

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> array[float]: ...
    def __getitem__(self, place: int | slice) -> float | array[float]:
        first, newest = self._newest
        if isinstance(place, slice):
            start, stop, step = place.indices(first + len(newest))
            if step != 1:
                raise ValueError(f"a column is read row after row, not in steps of {step}")
            return self._read(start, max(start, stop), first, newest)
        row = place if place >= 0 else first + len(newest) + place
        if row >= first:
            return newest[row - first]
        if row < 0:
            raise IndexError(f"row {place} of {first + len(newest)}")
        page, at = divmod(row, PAGE)
        number, rows = self._looked_at
        if number != page:
            rows = self._read(page * PAGE, (page + 1) * PAGE, first, newest)
            self._looked_at = page, rows
        return rows[at]

    def __iter__(self) -> Iterator[float]:
        return iter(self[:])

    def append(self, value: float) -> None:
        """One more row."""
        newest = self._newest[1]
        newest.append(value)
        if len(newest) >= 2 * PAGE:
            self._put_aside()

    def extend(self, values: array[float]) -> None:
        """More rows."""
        newest = self._newest[1]
        newest.extend(values)
        if len(newest) >= 2 * PAGE:
            self._put_aside()

    def cut(self, length: int) -> PagedColumn:
        """The first `length` rows, which may go on in another way. What has been put aside serves both."""
        first, _ = self._newest
        shared = min(length, first) // PAGE
        other = PagedColumn(self._spill)
        other._places = self._places[:shared]
        other._unspilled = {page: rows for page, rows in self._unspilled.items() if page < shared}
        other._newest = (shared * PAGE, self[shared * PAGE : length])
        return other

    def _put_aside(self) -> None:
        """All whole pages but the newest."""
        first, newest = self._newest
        rows = (len(newest) // PAGE - 1) * PAGE
        with memoryview(newest)[:rows] as pages:
            place = self._spill.put(pages)
        if place is None:
            begin = len(self._places)
            self._unspilled.update((begin + row // PAGE, newest[row : row + PAGE]) for row in range(0, rows, PAGE))
            place = 0
        self._places.extend(range(place, place + rows * ITEM, PAGE * ITEM))
        self._newest = (first + rows, newest[rows:])  # last: who reads meanwhile sees the one or the other

    def _read(self, start: int, stop: int, first: int, newest: array[float]) -> array[float]:
        """Rows [start, stop)."""
        if start >= first:
            return newest[start - first : stop - first]
        values = array("d")
        while start < min(stop, first):
            page, begin = divmod(start, PAGE)
            rows = min(self._pages_in_one(page, min(stop, first)) * PAGE - begin, min(stop, first) - start)
            rows_there = self._unspilled.get(page)
            if rows_there is None:
                values.frombytes(self._spill.get(self._places[page] + begin * ITEM, rows * ITEM))
            else:
                values.extend(rows_there[begin : begin + rows])
            start += rows
        if stop > first:
            values.extend(newest[: stop - first])
        return values

    def _pages_in_one(self, page: int, stop: int) -> int:
        """How many pages from this one on, up to row `stop`, lie one behind the other."""
        places, last = self._places, page
        if page not in self._unspilled:
            while (
                (last + 1) * PAGE < stop
                and places[last + 1] == places[last] + PAGE * ITEM
                and last + 1 not in self._unspilled
            ):
                last += 1
        return last - page + 1


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The first `length` rows. A value of its own: `extended` and `cut` leave it as it was.

    A longer history may share the columns, for rows are only ever added behind the end of everybody else's; who is not
    at the end copies first.
    """

    length: int = 0
    timesteps: array[float] = field(default_factory=lambda: array("d"))
    columns: Mapping[str, PagedColumn] = field(default_factory=dict)
    spill: Spill = field(default_factory=Spill)

    def extended(self, rows: Iterable[tuple[int, Mapping[str, float | None]]]) -> History:
        """With these (timesteps, metrics) rows behind the last one."""
        base = self if self.length == len(self.timesteps) else self.cut_to_length(self.length)
        timesteps, columns, length = base.timesteps, dict(base.columns), base.length
        for steps, metrics in rows:
            timesteps.append(steps)
            for key, value in metrics.items():
                column = columns.get(key)
                if column is None:
                    column = columns[key] = PagedColumn(base.spill, length)
                column.append(NAN if value is None else value)
            length += 1
            if len(metrics) != len(columns):  # else every column has got its value
                _fill(columns.values(), length)
        return History(length, timesteps, columns, base.spill)

    def joined(self, timesteps: array[float], columns: Mapping[str, array[float]]) -> History:
        """With these rows behind the last one: columns as long as `timesteps`, NaN where unknown. They are copied."""
        base = self if self.length == len(self.timesteps) else self.cut_to_length(self.length)
        own, length = dict(base.columns), base.length + len(timesteps)
        base.timesteps.extend(timesteps)
        for key, values in columns.items():
            if key not in own:
                own[key] = PagedColumn(base.spill, base.length)
            own[key].extend(values)
        _fill(own.values(), length)
        return History(length, base.timesteps, own, base.spill)

    def cut(self, timesteps: int) -> History:
        """Without the rows above `timesteps`."""
        return self.cut_to_length(bisect_right(self.timesteps, timesteps, 0, self.length))

    def cut_to_length(self, length: int) -> History:
        """The first `length` rows in columns of their own."""
        columns = {key: column.cut(length) for key, column in self.columns.items()}
        return History(length, self.timesteps[:length], columns, self.spill)

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


def _fill(columns: Iterable[PagedColumn], length: int) -> None:
    """With NaN up to `length` rows."""
    for column in columns:
        if missing := length - len(column):
            column.extend(array("d", (NAN,)) * missing)
