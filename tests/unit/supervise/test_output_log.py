"""The log of what children print: capped, counted, rotated."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from ctypes import c_uint64
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from rltui.events.records import Level
from rltui.supervise import output_log
from rltui.supervise.output_log import RATE, CappedText, OutputLog
from rltui.supervise.processes import start_piped
from tests.fakes.training import wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes")
LINE = b"touched the ball\n"


class Speaking:
    """Speaks while it is unpickled, as a module does that is imported for it."""

    def __setstate__(self, state: dict[str, int]) -> None:
        print("read")

    def __getstate__(self) -> dict[str, int]:
        return {"some": 1}


def say(spec: Speaking, pipe: Connection) -> None:
    print("said", file=sys.stderr)


@pytest.fixture
def told() -> list[tuple[Level, str]]:
    return []


@pytest.fixture
def log(tmp_path: Path, told: list[tuple[Level, str]]) -> Iterator[OutputLog]:
    made = OutputLog(tmp_path / "trainer.log", part_bytes=1 << 13)
    yield made.start(lambda level, source, message: told.append((level, message)))
    made.close()


def descriptor(log: OutputLog, name: str) -> int:
    """What a child of that name would print into."""
    output = log.pipe(name)
    assert output is not None
    return output._descriptor


def text(folder: Path) -> str:
    return "".join(part.read_text() for part in sorted(folder.glob("trainer*.log"), reverse=True))


def test_a_flood_is_capped_counted_to_the_byte_and_told_once(
    tmp_path: Path, log: OutputLog, told: list[tuple[Level, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_log, "RATE", 1 << 12)
    log._part_bytes = 1 << 30
    flood, quiet = descriptor(log, "worker 0"), descriptor(log, "worker 1")
    os.write(quiet, b"half a ")
    for _ in range(20):
        os.write(flood, LINE * 10_000)
    os.write(quiet, b"line, and no end")
    os.close(flood)
    os.close(quiet)
    log.close()
    written = (tmp_path / "trainer.log").read_text()
    left_out = sum(int(found.replace(",", "")) for found in re.findall(r"worker 0: ([\d,]+) bytes left out", written))
    assert written.count("touched the ball") * len(LINE) + left_out == 200_000 * len(LINE)
    assert len(written) < RATE
    assert "worker 1: half a line, and no end\n" in written
    assert [level for level, _ in told] == ["info", "warning"]


def test_a_long_part_is_rotated_and_what_is_deleted_is_counted(tmp_path: Path, log: OutputLog) -> None:
    pipe = descriptor(log, "worker 0")
    for number in range(4):
        os.write(pipe, LINE * 300)
        os.write(pipe, f"written {number}\n".encode())
        wait_for(lambda: f"written {number}" in text(tmp_path), "it")  # noqa: B023
        log._turn_second()
    os.close(pipe)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trainer.1.log", "trainer.log"]
    assert re.search(r"goes on from trainer.1.log; [1-9][\d.]* kB before that are deleted", text(tmp_path))


def test_a_log_that_was_taken_away_is_begun_anew(tmp_path: Path, log: OutputLog) -> None:
    pipe, path = descriptor(log, "worker 0"), tmp_path / "trainer.log"
    os.write(pipe, b"one\n")
    wait_for(lambda: "one" in text(tmp_path), "the first line")
    path.unlink()
    log._turn_second()
    os.write(pipe, b"two\n")
    wait_for(path.exists, "a new log")
    os.close(pipe)
    log.close()
    assert path.read_text() == "worker 0: two\n"


def test_a_spawned_child_prints_into_it_from_its_first_import_on(tmp_path: Path, log: OutputLog) -> None:
    process, pipe = start_piped(say, Speaking(), "child", log.pipe("worker 7"))
    process.join()
    pipe.close()
    wait_for(lambda: "worker 7: said\n" in text(tmp_path), "what it said")
    assert text(tmp_path) == "worker 7: read\nworker 7: said\n"


def test_a_flood_is_cut_before_the_pipe_whatever_it_is_printed_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """In whole lines, and counted to the byte."""
    monkeypatch.setattr(output_log, "SECOND", 3600.0)
    line = "touched the böll"

    def log(stream: CappedText) -> None:
        handler = logging.StreamHandler(stream)
        for _ in range(10_000):
            handler.emit(logging.makeLogRecord({"msg": line}))

    for name, flood in {
        "print": lambda stream: [print(line, file=stream) for _ in range(10_000)],
        "write": lambda stream: [stream.write(line + "\n") for _ in range(10_000)],
        "bytes": lambda stream: stream.buffer.write((line + "\n").encode() * 10_000),
        "at once": lambda stream: stream.write((line + "\n") * 10_000),
        "logging": log,
    }.items():
        with subtests.test(name):
            left_out, into = c_uint64(), (tmp_path / "pipe").open("wb")
            stream = CappedText(into.fileno(), left_out)
            print("before", file=stream)
            assert (tmp_path / "pipe").read_bytes() == b"before\n", "at once"
            flood(stream)
            stream.flush()
            into.close()
            passed = (tmp_path / "pipe").read_bytes().removeprefix(b"before\n")
            assert RATE // 2 < len(passed) < RATE
            assert set(passed.splitlines()) == {line.encode()} and passed.endswith(b"\n")
            assert len(passed) + left_out.value == 10_000 * len((line + "\n").encode())


def test_a_line_longer_than_may_pass_is_cut_and_what_follows_begins_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_log, "SECOND", 0.2)
    left_out = c_uint64()
    with (tmp_path / "pipe").open("wb") as into:
        stream = CappedText(into.fileno(), left_out)
        stream.write("x" * (2 * RATE) + "\n")
        wait_for(lambda: stream._pipe.room and stream.line_buffering, "the next second")
        print("next", file=stream)
    assert (tmp_path / "pipe").read_bytes() == b"x" * RATE + b"\nnext\n"
    assert left_out.value == RATE + 1


def pour(spec: Speaking, pipe: Connection) -> None:
    for _ in range(20_000):
        print("touched the ball")
        print("touched the ball", file=sys.stderr)
    while not pipe.poll(0.1):
        print("still touching it")


def test_what_a_child_left_out_itself_is_counted_and_later_lines_arrive(tmp_path: Path, log: OutputLog) -> None:
    log._part_bytes = 1 << 30
    process, pipe = start_piped(pour, Speaking(), "child", log.pipe("worker 0"))
    wait_for(lambda: "bytes left out" in text(tmp_path), "the count")
    wait_for(lambda: text(tmp_path).endswith("worker 0: still touching it\n"), "a later line")
    pipe.close()
    process.join()
    log.close()
    left_out = sum(int(found.replace(",", "")) for found in re.findall(r"([\d,]+) bytes left out", text(tmp_path)))
    assert text(tmp_path).count("touched the ball") * len(LINE) + left_out >= 40_000 * len(LINE)
