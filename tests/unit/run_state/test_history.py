"""A column against a plain list: whatever is added, cut and asked, with a disk that takes nothing now and then."""

from __future__ import annotations

import random
import threading
from array import array

import pytest

from rltui.run_state.history import PAGE, History, PagedColumn, Spill


class FullNowAndThen(Spill):
    """A disk that refuses every third time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def put(self, content: bytes | memoryview) -> int | None:
        self.asked += 1
        return None if self.asked % 3 == 0 else super().put(content)


class Full(Spill):
    """A disk that takes nothing."""

    def put(self, content: bytes | memoryview) -> int | None:
        return None


def test_it_is_as_a_list_of_the_same_values(subtests: pytest.Subtests) -> None:
    for disk in (Spill, FullNowAndThen, Full):
        for seed in range(4):
            with subtests.test(disk=disk, seed=seed):
                chance = random.Random(seed)
                spill = disk()
                column, twin = PagedColumn(spill), array("d")
                for _ in range(120):
                    match chance.randrange(6):
                        case 0:
                            values = array(
                                "d", (chance.random() for _ in range(chance.choice((0, 1, PAGE, 5 * PAGE + 3))))
                            )
                            column.extend(values)
                            twin.extend(values)
                        case 1 if twin:
                            length = chance.randrange(len(twin) + 1)
                            column, twin = column.cut(length), twin[:length]
                        case _:
                            for _ in range(chance.randrange(PAGE)):
                                column.append(float(len(twin)))
                                twin.append(float(len(twin)))
                    start, stop = (chance.randrange(-3, len(twin) + 4) for _ in range(2))
                    assert column[start:stop] == twin[start:stop]
                    assert column[:] == twin
                    assert len(column) == len(twin)
                    if twin:
                        row = chance.randrange(-len(twin), len(twin))
                        assert column[row] == twin[row]


def test_a_row_that_is_not_there_is_no_row() -> None:
    column = PagedColumn(Spill(), unknown=3 * PAGE)

    with pytest.raises(IndexError):
        column[3 * PAGE]
    with pytest.raises(IndexError):
        column[-3 * PAGE - 1]
    with pytest.raises(ValueError, match="steps of 2"):
        column[::2]


def test_what_goes_on_after_a_cut_leaves_the_other_as_it_was() -> None:
    column = PagedColumn(Spill())
    column.extend(array("d", range(5 * PAGE)))

    other = column.cut(3 * PAGE + 7)
    other.extend(array("d", (-1.0,)) * (4 * PAGE))

    assert list(column) == list(range(5 * PAGE))
    assert list(other) == [*range(3 * PAGE + 7), *[-1.0] * (4 * PAGE)]


def test_memory_does_not_grow_with_the_rows(subtests: pytest.Subtests) -> None:
    for rows in (2 * PAGE, 40 * PAGE):
        with subtests.test(rows=rows):
            history = History().extended((row, {"a": float(row), "b": 0.5}) for row in range(rows))

            for column in history.columns.values():
                assert len(column._newest[1]) <= 2 * PAGE
                assert not column._unspilled


def test_who_reads_while_rows_are_added_reads_what_was_added() -> None:
    column, ended = PagedColumn(Spill()), threading.Event()
    wrong: list[float] = []

    def read() -> None:
        chance = random.Random(0)
        while not ended.is_set():
            length = len(column)
            start = chance.randrange(length + 1)
            wrong.extend(place for place, value in enumerate(column[start:length], start) if value != place)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for row in range(40 * PAGE):
        column.append(float(row))
    ended.set()
    for reader in readers:
        reader.join()

    assert not wrong


def test_a_disk_that_fails_says_how_much_it_gave() -> None:
    spill = Spill()
    place = spill.put(b"12345678")
    assert place is not None

    assert spill.get(place, 8) == b"12345678"
    with pytest.raises(OSError, match="8 of 16 bytes"):
        spill.get(place, 16)
    with pytest.raises(OSError, match="nothing was put aside"):
        Spill().get(0, 8)


def test_a_folder_that_takes_no_file_keeps_the_rows_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    column = PagedColumn(Spill())
    column.extend(array("d", range(7 * PAGE)))

    assert list(column) == list(range(7 * PAGE))
