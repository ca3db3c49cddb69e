"""Metric columns: newest rows in memory, older ones in a temporary file."""

from __future__ import annotations

import math
import tempfile
import threading
from array import array
from collections.abc import Iterator, Sequence
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
