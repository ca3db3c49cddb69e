"""F3, F4, F25: what is read is what was written, or it is refused by name."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs import checkpoint, meta
from rltui.runs.checkpoint import damage, is_complete, read_checkpoint, verify, write_checkpoint
from rltui.runs.inventory import list_checkpoints, read_marks
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_runs
from tests.fakes.patience import patience
from tests.fakes.saved_runs import SIGNATURE, make_files, make_meta, make_run, place, tree

NAMES = [*make_files(make_meta("alpha", 1, 1000)), checkpoint.MANIFEST]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    files = make_files(make_meta("alpha", 1, 1000), size=700_000)
    size = write_checkpoint(tmp_path / "run/1000", files)
    assert read_checkpoint(tmp_path / "run/1000") == files
    assert size == sum(path.stat().st_size for path in (tmp_path / "run/1000").iterdir())
    assert list((tmp_path / "run").iterdir()) == [tmp_path / "run/1000"]
    verify(tmp_path / "run/1000")


def test_nothing_existing_is_ever_written_to(subtests: pytest.Subtests, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "complete", {"a": b"1"})
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = tree(tmp_path)
    for kind in ("complete", "empty", "file", "loop", "dangling"):
        with subtests.test(kind=kind):
            with pytest.raises(RltuiError, match=rf"cannot save .*{kind}: it exists already"):
                write_checkpoint(tmp_path / kind, {"a": b"2"}, tmp_path / "staging")
            assert tree(tmp_path) == before


def test_not_even_what_came_to_exist_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rename onto an empty folder would succeed without a word."""
    folder = tmp_path / "run/1000"
    monkeypatch.setattr("rltui.runs.checkpoint.fsync_folder", lambda path: folder.mkdir())
    with pytest.raises(RltuiError, match="it exists already"):
        write_checkpoint(folder, {"a": b"1"})
    assert list((tmp_path / "run").rglob("*")) == [folder]


def test_strays_inside_a_checkpoint_are_not_read(tmp_path: Path) -> None:
    files = {"a": b"1"}
    write_checkpoint(tmp_path / "1", files)
    (tmp_path / "1/.DS_Store").write_bytes(b"x")
    (tmp_path / "1/evil.pt").write_bytes(b"x")
    assert read_checkpoint(tmp_path / "1") == files


@pytest.mark.parametrize("lengths", [1, pytest.param(18, marks=pytest.mark.slow)])
def test_a_truncated_file_is_refused_by_name_and_the_previous_one_chosen(
    subtests: pytest.Subtests, tmp_path: Path, lengths: int
) -> None:
    """F3: every file, at length 0, one byte short, and random lengths between."""
    data = DataDir(tmp_path)
    paths = make_run(data, commits=2)
    for name in NAMES:
        chance, path = random.Random(name), paths.checkpoint(2000) / name
        whole = path.read_bytes()
        for length in [0, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(lengths))]:
            with subtests.test(name=name, length=length):
                path.write_bytes(whole[:length])
                with pytest.raises(RltuiError, match=name):
                    read_checkpoint(paths.checkpoint(2000))
                assert not is_complete(paths.checkpoint(2000))
                plan = plan_launch(StartRequest(data, SIGNATURE, "quick"))
                assert plan.checkpoint == paths.checkpoint(1000)
                assert len(plan.warnings) == 1
                assert "checkpoint 2000" in plan.warnings[0] and name in plan.warnings[0]
                with pytest.raises(RltuiError, match=name) as caught:
                    plan_launch(StartRequest(data, SIGNATURE, "quick", mode=str(paths.checkpoint(2000))))
                assert str(paths.checkpoint(1000)) in caught.value.hint
        path.write_bytes(whole)


@pytest.mark.parametrize("trials", [3 * len(NAMES), pytest.param(200, marks=pytest.mark.slow)])
def test_bit_flips_are_all_found(tmp_path: Path, trials: int) -> None:
    """F4: the newest is refused, the previous one taken."""
    data, chance = DataDir(tmp_path), random.Random(4)
    paths = make_run(data, commits=2)
    found = 0
    for trial in range(trials):
        path = paths.checkpoint(2000) / NAMES[trial % len(NAMES)]
        whole = path.read_bytes()
        flipped = bytearray(whole)
        flipped[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped)
        reason = damage(paths.checkpoint(2000), thorough=True)
        plan = plan_launch(StartRequest(data, SIGNATURE, "quick"))
        found += reason is not None and plan.checkpoint == paths.checkpoint(1000) and len(plan.warnings) == 1
        path.write_bytes(whole)
    assert found == trials
    assert damage(paths.checkpoint(2000), thorough=True) is None


@pytest.mark.parametrize("kind", ["missing", "longer", "folder", "pipe", "loop"])
def test_other_damage_is_named_without_reading(subtests: pytest.Subtests, tmp_path: Path, kind: str) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            folder = tmp_path / name
            write_checkpoint(folder, make_files(make_meta("alpha", 1, 1000)))
            path = folder / name
            whole = path.read_bytes()
            path.unlink()
            if kind == "longer":
                path.write_bytes(whole + b"x")
            elif kind == "folder":
                path.mkdir()
            elif kind == "pipe":
                os.mkfifo(path)
            elif kind == "loop":
                path.symlink_to(path)
            reason = damage(folder)
            assert reason is not None and name in reason
            with pytest.raises(RltuiError, match=name):
                read_checkpoint(folder)


@pytest.mark.skipif(
    sys.platform == "win32" or (hasattr(os, "geteuid") and os.geteuid() == 0), reason="root may read all"
)
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "1", {"a": b"1"})
    (tmp_path / "1/a").chmod(0)
    with pytest.raises(RltuiError, match="a: Permission denied"):
        read_checkpoint(tmp_path / "1")


def test_changed_while_reading(tmp_path: Path) -> None:
    """Somebody rewrites a file all the time: each read gives the written content or an error, never a mixture."""
    files = make_files(make_meta("alpha", 1, 1000), size=200_000)
    write_checkpoint(tmp_path / "1", files)
    target, stop = tmp_path / "1/PPO_POLICY.pt", threading.Event()
    good, bad = files["PPO_POLICY.pt"], bytes(200_000)

    def disturb() -> None:
        while not stop.is_set():
            for content in (bad, good):
                with target.open("r+b") as file:
                    file.write(content)

    thread = threading.Thread(target=disturb)
    thread.start()
    outcomes = []
    try:
        deadline = time.monotonic() + patience(10)
        while len(set(outcomes)) < 2 or len(outcomes) < 50:
            assert time.monotonic() < deadline, outcomes
            try:
                outcomes.append(read_checkpoint(tmp_path / "1") == files)
            except RltuiError:
                outcomes.append(None)
    finally:
        stop.set()
        thread.join()
    assert set(outcomes) == {True, None}


class _Touch:
    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.canary),)


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    """F25 for what is parsed here: 100 payloads in meta.json, milestones.json, lock.json, the journal and run.toml."""
    data, canary = DataDir(tmp_path / "data"), tmp_path / "canary"
    paths = make_run(data, commits=1)
    payloads = [pickle.dumps(shape, protocol=protocol) for protocol in range(6) for shape in shapes(canary)]
    payloads += [b"cos\nsystem\n(S'touch %s'\ntR." % str(canary).encode(), b"PK\x03\x04" + payloads[0]]
    payloads = (payloads * 5)[:100]
    for number, payload in enumerate(payloads):
        files = make_files(make_meta("alpha", 2, 2000)) | {"meta.json": payload}
        place(paths.checkpoint(2000 + number), files)
        for path in (paths.milestones_json, paths.lock_json, paths.journal, paths.profile):
            path.write_bytes(payload)
        with pytest.raises(ValueError, match="cannot be read"):
            meta.decode(payload)
        with pytest.raises(RltuiError, match=r"milestones\.json"):
            read_marks(paths)
    (summary,) = describe_runs(data)
    assert len(summary.damaged) == 100 and "meta.json" in (summary.damaged[0].damage or "")
    assert plan_launch(StartRequest(data, SIGNATURE, "quick")).checkpoint == paths.checkpoint(1000)
    assert not canary.exists()
    pickle.loads(payloads[0])
    assert canary.exists(), "the payload itself was harmless, so the test showed nothing"


def shapes(canary: Path) -> list[object]:
    bomb = _Touch(canary)
    return [bomb, [bomb], {"schema": 1, "run": bomb}, (1, (2, (bomb,)))]


def test_the_size_of_what_claims_to_be_a_manifest_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    with (tmp_path / "1/manifest.sha256").open("wb") as file:
        file.truncate(50 << 30)
    assert damage(tmp_path / "1") == f"manifest.sha256 is too large: {50 << 30} bytes"


def test_a_save_to_another_disk_than_the_staging_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a run's checkpoints are a link to another disk, the temporary folder is made beside the target."""
    monkeypatch.setattr("rltui.runs.checkpoint.same_disk", lambda one, other: False)
    paths = DataDir(tmp_path).run("alpha")
    for commit in (1, 2):
        files = make_files(make_meta("alpha", commit, commit * 1000))
        write_checkpoint(paths.checkpoint(commit * 1000), files, paths.staging)
    assert [info.damage for info in list_checkpoints(paths)] == [None, None]
    assert not any(paths.staging.iterdir())
    assert sorted(path.name for path in paths.checkpoints.iterdir()) == ["1000", "2000"]


FILES = {"PPO_POLICY.pt": b"policy", "meta.json": b"{}"}


def test_the_text_by_hand() -> None:
    lines = (
        hashlib.sha256(b"policy").hexdigest()
        + "  PPO_POLICY.pt\n"
        + hashlib.sha256(b"{}").hexdigest()
        + "  meta.json\n"
    )
    last = hashlib.sha256(lines.encode()).hexdigest() + "  sizes 6 2\n"
    text = checkpoint.render_manifest(checkpoint.manifest_of(FILES))
    assert text == (lines + last).encode()
    assert checkpoint.parse_manifest(text) == checkpoint.manifest_of(FILES)


def test_sha256sum_agrees(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "1", FILES)
    check = "head -n -1 manifest.sha256 | sha256sum -c --strict && head -n -1 manifest.sha256 | sha256sum"
    done = subprocess.run(["sh", "-c", check], cwd=tmp_path / "1", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.splitlines()[-1].split()[0]
        == (tmp_path / "1/manifest.sha256").read_text().splitlines()[-1].split()[0]
    )


def test_names_that_could_leave_the_folder_are_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["../x", "a/b", "", ".hidden", "manifest.sha256", "a b", "a\n", "/etc/passwd", "-"]
    for name in cases:
        with subtests.test(name=name), pytest.raises(ValueError, match="cannot be a file of a checkpoint"):
            checkpoint.manifest_of({name: b""})


def test_nothing_is_no_checkpoint() -> None:
    with pytest.raises(ValueError, match="cannot be empty"):
        checkpoint.manifest_of({})


def test_a_forged_manifest_cannot_name_a_file_outside(subtests: pytest.Subtests) -> None:
    for name in ["../../escape", "/etc/hostname", ".x", "a/b"]:
        with subtests.test(name=name):
            entry = checkpoint.ManifestEntry(checkpoint.sha256(b""), 0)
            with pytest.raises(ValueError, match="outside"):
                checkpoint.parse_manifest(checkpoint.render_manifest({name: entry}))


def test_what_is_no_manifest(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [b"", b"\n", b"\xff\xfe", b"hello", b"\x80\x04N.", b"0" * 64, b"0" * 64 + b"  sizes \n"]
    for content in cases:
        with subtests.test(content=repr(content)), pytest.raises(ValueError, match=r"damaged|not text|match"):
            checkpoint.parse_manifest(content)


def test_a_line_twice_is_found() -> None:
    text = checkpoint.render_manifest(checkpoint.manifest_of({"a": b"1"}))
    line, last = text.splitlines(keepends=True)
    with pytest.raises(ValueError, match="last line"):
        checkpoint.parse_manifest(line + line + last)
