"""A user's own action table: played exactly as it is written, or refused with file, row, column, expected and found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.table import MOST_ROWS, checked_rows, table_hash
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.registry import Component, build

HEADER = ",".join(CONTROLS) + "\n"
IDLE = "0,0,0,0,0,0,0,0\n"
ROWS = np.array(
    [[0] * 8, [1, -0.3, 0, -0.3, 0, 0, 1, 0], [1, -0.3, 0, -0.3, 0, 0, 1, 0], [0.1, 0, 1, 0, -1, 1, 0, 1]], np.float32
)  # in no order, one twice, odd numbers: all of which is the user's business

FUNCTION = """\
import sys
import numpy as np

ROWS = np.array({rows})


def make():
    return ROWS


def lists():
    return {rows}


def random():
    return np.random.default_rng().random((3, 8))


def fails():
    raise KeyError("no such thing")


def leaves():
    sys.exit(5)


def flat():
    return ROWS.ravel()


class Class:
    pass


number = 3
"""


FAILS_LINE = FUNCTION.partition("no such thing")[0].count("\n") + 1


def table(path: Path | str) -> np.ndarray:
    return checked_rows(build("action table", Component(str(path))))


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def message_of(action: Callable[[], object]) -> str:
    with pytest.raises(RltuiError) as caught:
        action()
    assert caught.value.exit_code == 2
    return f"{caught.value.message}\n{caught.value.hint}"


def csv_of(rows: np.ndarray) -> str:
    return "".join(",".join(repr(float(x)) for x in row) + "\n" for row in rows)


def test_a_csv_is_played_as_it_is(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for text in (
        csv_of(ROWS),
        HEADER + csv_of(ROWS),
        "\ufeff" + HEADER + csv_of(ROWS).replace("\n", "\r\n"),
        "# mine, of May\n\n" + HEADER.replace(",", " , ").upper() + csv_of(ROWS).replace(",", ", ") + "\n\n",
        "# " + HEADER + csv_of(ROWS) + "# the end",
    ):
        with subtests.test(text=text):
            rows = table(written(tmp_path / "mine.csv", text))
            assert rows.dtype == np.float32
            np.testing.assert_array_equal(rows, ROWS)
            assert table_hash(rows) == table_hash(ROWS)


def test_numpys_own_text_is_read(tmp_path: Path) -> None:
    np.savetxt(tmp_path / "mine.csv", ROWS, delimiter=",", header=",".join(CONTROLS))
    np.testing.assert_array_equal(table(tmp_path / "mine.csv"), ROWS)


def test_an_array_is_played_as_it_is(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for stored in (ROWS, ROWS.astype(np.float64), np.asfortranarray(ROWS), ROWS.astype(">f4")):
        with subtests.test(stored=stored):
            np.save(tmp_path / "mine.npy", stored)
            np.testing.assert_array_equal(table(tmp_path / "mine.npy"), ROWS)


def test_what_is_wrong_with_a_csv_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for text, words in (
        ("", ["expected 1 to 65,535 rows, found 0"]),
        (HEADER, ["found 0"]),
        (IDLE + "0,0,left,0,0,0,0,0\n", ["mine.csv, line 2, column pitch: expected a number, found 'left'"]),
        (HEADER + IDLE + "0,0,0,0,0,,0,0\n", ["line 3, column jump: expected a number, found ''"]),
        (IDLE + "\n" + "0,0,0\n", ["line 3: expected 8 numbers separated by commas, found 3", "throttle, steer"]),
        (IDLE.replace(",", ";"), ["line 1: expected 8 numbers separated by commas, found 1"]),
        (IDLE + "0,0,0,0,0,0,0,0,0\n", ["line 2: expected 8 numbers", "found 9"]),
        (
            HEADER.replace("pitch,yaw", "yaw,pitch") + IDLE,
            ["line 1: the columns stand in another order", "expected throttle, steer, pitch, yaw", "steer, yaw, pitch"],
        ),
        ("# " + HEADER.replace("jump,boost", "boost,jump") + IDLE, ["another order", "in this order"]),
        (HEADER.replace("yaw", "jaw") + IDLE, ["line 1: these are not the columns", "jaw"]),
        (HEADER + IDLE + "0,nan,0,0,0,0,0,0\n", ["line 3, column steer: expected a number in -1..1, found nan"]),
        (IDLE + "0,0,0,0,inf,0,0,0\n", ["line 2, column roll", "found inf"]),
        (IDLE + "0,0,0,0,1e300,0,0,0\n", ["line 2, column roll", "found inf"]),
        (
            "# first\n" + IDLE + "1.5,0,0,0,0,0,0,0\n",
            ["line 3, column throttle: expected a number in -1..1, or set actions.clip = true, found 1.5"],
        ),
        (IDLE + "0,0,0,0,0,0.5,0,0\n", ["line 2, column jump: expected 0 or 1, for a button is pressed or not"]),
        (IDLE + "0,0,0,0,0,0,-1,0\n", ["line 2, column boost: expected 0 or 1", "clip", "found -1"]),
        (IDLE + "9,9,9,9,9,0,0,0\n", ["column throttle", "column pitch", "and 2 more such cells"]),
    ):
        with subtests.test(text=text, words=words):
            path = written(tmp_path / "mine.csv", text)
            message = message_of(lambda path=path: table(path))
            assert all(word in message for word in words), message


def test_files_that_are_no_tables(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for content, words in (
        (b"\xff\xfe\x00", ["not a text in UTF-8"]),
        (b"0,0,0,0,0,0,0,0\n" * (MOST_ROWS + 1), ["more than 65,535 rows"]),
        (b"0,0,0,0,0,0,0,\0\n", ["line 1"]),
        (b"0" * 200_000, ["line 1"]),
    ):
        with subtests.test(content=content, words=words):
            (tmp_path / "mine.csv").write_bytes(content)
            message = message_of(lambda: table(tmp_path / "mine.csv"))
            assert all(word in message for word in ["mine.csv", *words]), message


def test_what_is_wrong_with_an_array_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for stored, words in (
        (np.zeros((4, 7)), ["expected numbers [rows, 8], found float64 [4, 7]", "throttle, steer"]),
        (np.zeros(8), ["found float64 [8]"]),
        (np.zeros((0, 8)), ["expected 1 to 65,535 rows, found 0"]),
        (np.zeros((MOST_ROWS + 1, 8), np.int8), ["found 65,536"]),
        (np.zeros((4, 8), np.complex64), ["found complex64"]),
        (np.full((2, 8), "x"), ["found <U1"]),
        (np.full((2, 8), np.nan), ["mine.npy, row 0, column throttle", "found nan", "and 13 more"]),
        (np.full((2, 8), 1.01), ["row 0, column throttle", "clip"]),
    ):
        with subtests.test(stored=stored, words=words):
            np.save(tmp_path / "mine.npy", stored)
            message = message_of(lambda: table(tmp_path / "mine.npy"))
            assert all(word in message for word in words), message


def test_pickles_archives_and_noise_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([[{}] * 8]), allow_pickle=True)
    with (tmp_path / "archive.npy").open("wb") as file:
        np.savez(file, ROWS)
    (tmp_path / "noise.npy").write_bytes(b"not an array")
    (tmp_path / "nothing.npy").write_bytes(b"")
    for name in ("objects", "noise", "nothing"):
        assert "not an array of numbers written by numpy.save" in message_of(lambda: table(tmp_path / f"{name}.npy"))  # noqa: B023
    assert "archive" in message_of(lambda: table(tmp_path / "archive.npy"))
    assert f"no file {tmp_path / 'gone.csv'}" in message_of(lambda: table(tmp_path / "gone.csv"))


def test_clip_allows_what_is_beyond_but_no_half_pressed_button(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.csv", IDLE + "2,0,0,0,0,3,0,0\n")
    rows = checked_rows(build("action table", Component(str(path))), clip=True)
    assert rows[1].tolist() == [2, 0, 0, 0, 0, 3, 0, 0]  # as written: the pipeline cuts
    half = written(tmp_path / "half.csv", IDLE + "2,0,0,0,0,0.5,0,0\n")
    built = build("action table", Component(str(half)))
    assert "column jump: expected 0 or 1" in message_of(lambda: checked_rows(built, clip=True))


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module and a file with functions; the module lies in the working folder."""
    name = f"tables_of_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(FUNCTION.format(rows=ROWS.tolist()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def test_a_function_of_a_module_or_a_file(subtests: pytest.Subtests, module: str, tmp_path: Path) -> None:
    for function in ("make", "lists"):
        with subtests.test(function=function):
            for name in (f"{module}:{function}", f"{tmp_path / module}.py:{function}", f"{module}.py:{function}"):
                np.testing.assert_array_equal(table(name), ROWS)


def test_what_is_wrong_with_a_function_is_said(subtests: pytest.Subtests, module: str) -> None:
    for function, words in (
        ("random", ["other rows when it is called again"]),
        ("fails", ["raises KeyError: 'no such thing' (", f".py:{FAILS_LINE})"]),
        ("leaves", ["raises SystemExit: 5 ("]),
        ("flat", ["expected numbers [rows, 8], found float64 [32]"]),
        ("number", ["has no class or function number"]),
        ("gone", ["has no class or function gone"]),
        ("Class", ["class Class is no action table"]),
    ):
        with subtests.test(function=function, words=words):
            message = message_of(lambda function=function: table(f"{module}:{function}"))
            assert all(word in message for word in words), message


def test_a_module_that_is_not_there() -> None:
    message = message_of(lambda: table("no.such.module:make"))
    assert "module no.such.module does not import: ModuleNotFoundError" in message
