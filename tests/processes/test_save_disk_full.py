"""F5: the disk fills while saving. Training goes on, old files stay byte-identical, the next save after works."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.runs.checkpoint import verify
from rltui.runs.inventory import list_checkpoints
from rltui.runs.journal import JournalWriter, read_journal
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import SaveJob, Saver, SaveResult
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import make_files, make_meta, make_run, row, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and resource limits")


def job(paths: RunPaths, commit: int, size: int) -> SaveJob:
    about = make_meta("alpha", commit, commit * 1000)
    return SaveJob("checkpoint", paths.checkpoint(commit * 1000), commit * 1000, lambda: make_files(about, size))


def told(report: Callable[[str], None]) -> Callable[[SaveResult], None]:
    return lambda result: report(f"{result.outcome} {result.timesteps} {result.reason}")


def limit_file_size(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_a_limit_on_file_size(disk: Path) -> None:
    data = DataDir(disk)
    paths = make_run(data, commits=3)
    before = tree(paths.checkpoints)

    def trainer(report: Callable[[str], None]) -> None:
        journal = JournalWriter(paths.journal)
        saver = Saver(paths, 3, told(report))
        limit_file_size(50_000)
        for commit in (4, 5):
            saver.submit(job(paths, commit, 100_000))
            journal.write(row(commit * 1000))
            saver.drain()
        report(f"intact {tree(paths.checkpoints) == before} {len(list(data.root.rglob('.saving-*')))}")
        limit_file_size(10_000_000)
        saver.submit(job(paths, 6, 100_000))
        journal.write(row(6000))
        saver.close()

    with Forked(trainer) as process:
        assert process.wait() == 0
        lines = process.lines()
    assert lines[0].startswith("failed 4000") and "disk is full or a limit is reached" in lines[0]
    assert str(paths.checkpoint(4000)) in lines[0]
    assert lines[1].startswith("failed 5000")
    assert lines[2:] == ["intact True 0", "saved 6000 "]
    assert [info.commit for info in list_checkpoints(paths)] == [2, 3, 6]
    assert [record.timesteps for record in read_journal(paths.journal)] == [4000, 5000, 6000]


def test_no_space_at_each_step(disk: Path, subtests: pytest.Subtests) -> None:
    points = [
        "create",
        "write",
        "fsync",
        "manifest.create",
        "manifest.write",
        "fsync_folder",
        "rename",
        "fsync_parent",
        "mkdir",
    ]
    for point in points:
        with subtests.test(point):
            check_no_space(DataDir(disk / point), point)


def check_no_space(data: DataDir, point: str) -> None:
    paths = make_run(data, commits=3)
    before = tree(paths.checkpoints)

    def trainer(report: Callable[[str], None]) -> None:
        os.environ["RLTUI_FAULT"] = f"save.{point}:enospc:1"
        saver = Saver(paths, 2, told(report))
        saver.submit(job(paths, 4, 2000))
        saver.drain()
        report(f"intact {tree(paths.checkpoints) == before} {len(list(data.root.rglob('.saving-*')))}")
        saver.submit(job(paths, 5, 2000))
        saver.close()

    with Forked(trainer) as process:
        assert process.wait() == 0
        failed, intact, saved = process.lines()
    assert failed.startswith("failed 4000 ")
    assert "No space left on device" in failed
    assert (intact, saved) == ("intact True 0", "saved 5000 ")
    assert [info.commit for info in list_checkpoints(paths)] == [3, 5]


def test_a_full_file_system(tmp_path: Path) -> None:
    """A real one of 2 MB, where mounting is allowed."""
    inside = shutil.which("unshare")
    if (
        inside is None
        or subprocess.run([inside, "-rm", "mount", "-t", "tmpfs", "x", tmp_path], capture_output=True).returncode
    ):
        pytest.skip("may not mount a tmpfs here")
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from rltui.runs.checkpoint import verify
        from rltui.runs.inventory import list_checkpoints
        from rltui.runs.journal import JournalWriter, read_journal
        from rltui.runs.paths import DataDir
        from rltui.runs.saver import Saver, SaveJob
        from tests.fakes.saved_runs import make_files, make_meta, make_run, row, tree

        data = DataDir(Path(sys.argv[1]))
        paths = make_run(data, commits=1)
        before, results = tree(paths.checkpoints), []
        saver = Saver(paths, 5, results.append)
        ballast = data.root / "ballast"
        ballast.write_bytes(bytes(1_000_000))
        def save(commit):
            about = make_meta("alpha", commit, commit * 1000)
            saver.submit(SaveJob("checkpoint", paths.checkpoint(commit * 1000), commit * 1000, lambda: make_files(about, 250_000)))
            assert saver.drain(10)
        save(2)
        assert results[-1].outcome == "failed" and "No space left" in results[-1].reason, results[-1]
        assert tree(paths.checkpoints) == before
        journal = JournalWriter(paths.journal)
        filler = data.root / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)): pass
            except OSError: pass
        written = [journal.write(row(steps)) for steps in range(200)]
        assert not all(written) and journal.waiting > 0, "the disk was not full"
        ballast.unlink()
        filler.unlink()
        save(3)
        assert results[-1].outcome == "saved", results[-1]
        verify(results[-1].path)
        assert journal.write(row(200))
        assert [record.timesteps for record in read_journal(paths.journal)] == list(range(201))
        print("good", [info.commit for info in list_checkpoints(paths)])
        """
    )
    command = 'mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" -c "$3" "$1"'
    done = subprocess.run(
        [inside, "-rm", "sh", "-c", command, "sh", tmp_path, sys.executable, program],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "good [1, 3]", done.stderr


def test_what_cannot_be_serialised_is_reported_and_the_thread_lives(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=1)
    results: list[SaveResult] = []

    def broken() -> dict[str, bytes]:
        raise RuntimeError("CUDA error: device-side assert")

    saver = Saver(paths, 5, results.append)
    saver.submit(SaveJob("checkpoint", paths.checkpoint(2000), 2000, broken))
    assert saver.drain(10)
    saver.submit(job(paths, 3, 600))
    assert saver.close(10)
    assert [result.outcome for result in results] == ["failed", "saved"]
    assert "device-side assert" in results[0].reason
    verify(paths.checkpoint(3000))
