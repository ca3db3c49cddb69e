"""Two starts that choose their run's name in the same second: each gets a run of its own."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.events.records import IterationFinished, RunFinished
from rltui.runs.journal import read_journal
from rltui.runs.lock import claim_run
from rltui.runs.paths import DataDir
from tests.fakes import simultaneous, warm_start
from tests.fakes.forked import Forked
from tests.fakes.patience import patience
from tests.fakes.saved_runs import make_run
from tests.fakes.training import DEADLINE, TINY, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and flock")

FIRST, SECOND = "tiny-1", "tiny-2"


def two_starts(folder: Path, mode: str = "new") -> list[tuple[int, str]]:
    """Exit code and words of each; both have planned before either goes on."""
    profile, barrier = folder / "tiny.toml", folder / "barrier"
    profile.write_text(TINY, encoding="utf-8")
    barrier.touch()
    arguments = ["train", str(profile), "--resume", mode, "--steps", "1024", "--data-dir", str(folder / "data")]
    env = {**os.environ, simultaneous.BARRIER: str(barrier)}
    outputs, started = [folder / "one.txt", folder / "other.txt"], list[warm_start.Process]()
    with barrier.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            for output in outputs:
                with output.open("wb") as file:
                    started.append(warm_start.start(simultaneous.__name__, arguments, file.fileno(), env))
            planned = f"planned {FIRST}\n"
            wait_for(lambda: [output.read_text() for output in outputs] == [planned] * 2, "the same plan of both")
            fcntl.flock(held, fcntl.LOCK_UN)
            codes = [process.wait(patience(DEADLINE)) for process in started]
        finally:
            for process in started:
                process.kill()
                process.wait()
    return sorted(zip(codes, [output.read_text() for output in outputs], strict=True))


def test_two_new_runs_are_two_runs(tmp_path: Path) -> None:
    ends = two_starts(tmp_path)
    assert [code for code, _ in ends] == [0, 0], ends
    assert any(f"planned {SECOND}\n" in words for _, words in ends), ends
    data = DataDir(tmp_path / "data")
    assert data.run_names() == [FIRST, SECOND]
    for name in data.run_names():
        records = list(read_journal(data.run(name).journal))
        assert [row.iteration for row in records if isinstance(row, IterationFinished)] == [1, 2]
        assert [end.exit_code for end in records if isinstance(end, RunFinished)] == [0]


def test_a_profile_started_twice_is_trained_once(tmp_path: Path) -> None:
    ends = two_starts(tmp_path, "auto")
    assert [code for code, _ in ends] == [0, 1], ends
    assert f"{FIRST!r} is being trained already" in ends[1][1] and "--resume new" in ends[1][1]
    assert DataDir(tmp_path / "data").run_names() == [FIRST]


def test_one_alone_has_a_name(tmp_path: Path) -> None:
    gun, trigger = os.pipe()
    paths = DataDir(tmp_path).run("alpha")

    def racer(report: Callable[[str], None]) -> None:
        os.close(trigger)
        os.read(gun, 1)
        report(str(claim_run(paths)))

    with Forked(racer) as one, Forked(racer) as other:
        os.close(trigger)
        os.close(gun)
        assert sorted([*one.lines(1), *other.lines(1)]) == ["False", "True"]
    assert list(paths.folder.iterdir()) == []


def test_a_name_is_claimed_once_and_never_a_run_that_is_there(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    assert claim_run(data.run("new"))
    assert not claim_run(data.run("new"))
    assert not claim_run(make_run(data, "alpha"))


def test_what_else_is_in_the_way_is_left_to_the_lock(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.runs.write_bytes(b"a file")
    assert claim_run(data.run("alpha"))
