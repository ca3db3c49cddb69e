"""F7: a data folder that may not be written in is refused before anything starts, with path and owner."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.inventory import list_checkpoints, list_milestones
from rltui.runs.journal import JournalWriter
from rltui.runs.keep import keep_checkpoint
from rltui.runs.lock import check_writable
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import SaveJob, Saver
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import make_files, make_meta, make_run, row, tree, without_lock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and user ids")
NOBODY = 65534


@pytest.fixture
def data() -> Iterator[DataDir]:
    """In a place that everybody may look into."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield DataDir(Path(folder) / "data")


def become_nobody() -> None:
    """For good; of a test that root runs."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def refused(data: DataDir, run: str | None = None) -> list[str]:
    """What a user without rights is told: exit code, message, hint; empty where nothing is wrong."""

    def child(report: Callable[[str], None]) -> None:
        become_nobody()
        try:
            check_writable(data, run)
        except RltuiError as error:
            for line in (str(error.exit_code), error.message, error.hint):
                report(line)

    with Forked(child) as process:
        assert process.wait() == 0
        return process.lines(timeout=1)


def test_a_good_folder_is_made_and_left_empty_and_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "a/b/data")
    check_writable(data)
    assert list(data.root.iterdir()) == []
    paths = make_run(data)
    before = tree(tmp_path)
    check_writable(data, paths.name)
    assert tree(tmp_path) == before

    (tmp_path / "data").write_bytes(b"")
    for data in (DataDir(tmp_path / "data"), DataDir(tmp_path / "data/inside")):
        with pytest.raises(RltuiError, match=rf"cannot write in {tmp_path / 'data'}"):
            check_writable(data)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(RltuiError, match="cannot write in"):
        check_writable(DataDir(tmp_path / "loop"))
    good = DataDir(tmp_path / "good")
    good.root.mkdir()
    good.runs.write_bytes(b"")
    with pytest.raises(RltuiError, match=rf"cannot write in {good.runs}: Not a directory"):
        check_writable(good)


def test_each_folder(data: DataDir, subtests: pytest.Subtests) -> None:
    paths = make_run(data, commits=1)
    data.milestones.mkdir()
    for other in [data.root, *data.root.rglob("*")]:
        other.chmod(0o777)
    assert refused(data, "alpha") == []
    folders = (data.root, data.runs, data.checkpoints, data.milestones, paths.folder, paths.checkpoints)
    for folder in folders:
        with subtests.test(str(folder.relative_to(data.root.parent))):
            folder.chmod(0o555)
            code, message, hint = refused(data, "alpha")
            folder.chmod(0o777)
            owner, me = names()
            assert code == "1"
            assert message == f"cannot write in {folder}: Permission denied (it belongs to {owner}; you are {me})"
            assert f"give {me} the right to write there" in hint and "--data-dir" in hint


def test_a_right_that_is_taken_away_while_it_trains_fails_saves_and_nothing_else(data: DataDir) -> None:
    """What is open stays open, so the journal goes on; with the right back the next save works."""
    paths = make_run(data, commits=1)
    before = tree(paths.checkpoints)
    if os.geteuid() == 0:
        for place in [data.root, *data.root.rglob("*")]:
            os.chown(place, NOBODY, NOBODY)

    def trainer(report: Callable[[str], None]) -> None:
        become_nobody()
        journal = JournalWriter(paths.journal)
        saver = Saver(paths, 3, lambda result: report(f"{result.outcome} {result.reason}"))
        for commit, mode in ((2, 0o555), (3, 0o755)):
            for folder in (data.checkpoints, paths.checkpoints):
                folder.chmod(mode)
            saver.submit(job(paths, commit))
            saver.drain()
            report(f"journal {journal.write(row(commit * 1000))}, intact {tree(paths.checkpoints) == before}")

    with Forked(trainer) as process:
        assert process.wait() == 0
        failed, while_failing, *after = process.lines()
    assert failed.startswith("failed") and "Permission denied" in failed and str(paths.checkpoint(2000)) in failed
    assert while_failing == "journal True, intact True"
    assert after == ["saved ", "journal True, intact False"]
    assert [info.commit for info in list_checkpoints(paths)] == [1, 3]


def job(paths: RunPaths, commit: int) -> SaveJob:
    about = make_meta("alpha", commit, commit * 1000)
    return SaveJob("checkpoint", paths.checkpoint(commit * 1000), commit * 1000, lambda: make_files(about))


def test_keeping_a_checkpoint_leaves_nothing_half(data: DataDir, subtests: pytest.Subtests) -> None:
    paths = make_run(data, commits=1)
    data.milestones.mkdir()
    for other in [data.root, *data.root.rglob("*")]:
        other.chmod(0o777)

    def person(report: Callable[[str], None]) -> None:
        become_nobody()
        try:
            keep_checkpoint(paths, list_checkpoints(paths)[0])
        except RltuiError as error:
            report(error.message)

    for folder in (paths.folder, data.checkpoints, data.milestones):
        with subtests.test(folder.name):
            folder.chmod(0o555)
            before = tree(data.root)
            with Forked(person) as process:
                assert process.wait() == 0
                assert "Permission denied" in process.lines()[0]
            assert without_lock(tree(data.root)) == without_lock(before)
            assert not list_milestones(paths) and not paths.milestones.exists()
            assert not list(data.root.rglob(".saving-*"))
            folder.chmod(0o777)


def test_a_journal_of_somebody_else(data: DataDir) -> None:
    paths = make_run(data, commits=1)
    paths.journal.write_bytes(b"")
    for other in [data.root, *data.root.rglob("*")]:
        other.chmod(0o777)
    paths.journal.chmod(0o444)
    code, message, _ = refused(data, "alpha")
    assert code == "1" and f"cannot write in {paths.journal}: Permission denied" in message


def test_a_folder_that_cannot_be_made_names_the_one_in_which(data: DataDir) -> None:
    data.root.parent.chmod(0o555)
    code, message, _ = refused(data)
    assert code == "1" and f"cannot write in {data.root.parent}: Permission denied (it belongs to" in message
    assert not data.root.exists()


def names() -> tuple[str, str]:
    import pwd

    owner = pwd.getpwuid(os.geteuid()).pw_name
    return owner, pwd.getpwuid(NOBODY).pw_name if os.geteuid() == 0 else owner
