"""A start that is refused leaves no run behind, and one that has begun stays."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from rltui.errors import RltuiError
from rltui.learn.ppo import PPOLearner
from rltui.profile.load import load
from rltui.runs.atomic import replace_file
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir
from rltui.train import session
from rltui.train.setup import TrainOptions
from tests.fakes.saved_runs import header, make_run, row
from tests.fakes.training import TINY


@pytest.fixture
def options(tmp_path: Path) -> TrainOptions:
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    return TrainOptions(load(file), str(file), DataDir(tmp_path / "data"))


class Refused:
    """In the place of a session: something of it cannot be had, after some files were written."""

    begins = False

    def __init__(self, context: session.StartContext, *_: object) -> None:
        journal = JournalWriter(context.paths.journal)
        journal.write(row(0))  # as a branch has its parent's
        if self.begins:
            journal.write(header())
        journal.close()
        replace_file(context.paths.profile, b"")
        raise RltuiError("rollouts need more shared memory than there is")


def test_a_refused_start_leaves_no_run(options: TrainOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_Session", Refused)
    with pytest.raises(RltuiError, match="shared memory"):
        session.train(options)
    assert options.data.run_names() == []
    paths = make_run(options.data, "older", commits=0)
    monkeypatch.setattr(session, "_Session", type("Begun", (Refused,), {"begins": True}))
    with pytest.raises(RltuiError, match="shared memory"):
        session.train(options)
    assert len(options.data.run_names()) == 2 and paths.exists()


def test_what_the_system_refuses_while_a_run_is_opened_is_one_sentence(
    options: TrainOptions, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Whichever part it is of: its file is named, and no run is left."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), "some/file")

    monkeypatch.setattr(session.StopRequest, "install", lambda stop: None)
    parts = (
        "RunLock",
        "check_writable",
        "clean_temporary",
        "saved_copies",
        "replace_file",
        "JournalWriter",
        "Publisher",
    )
    for part in (*parts, "OutputLog", "reward_so_far", "elapsed_so_far", "ControlServer", "ViewerHost", "count_start"):
        with subtests.test(part), monkeypatch.context() as patched:
            patched.setattr(session, part, refused)
            with pytest.raises(RltuiError, match=r"some/file.*uota") as found:
                session.train(options)
            assert found.value.hint and found.value.exit_code == 1
            assert options.data.run_names() == []


def test_a_disk_without_locks_or_room_is_refused_before_anything_is_made(
    options: TrainOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patched, pytest.raises(RltuiError, match="cannot lock"):
        patched.setattr("fcntl.flock", refused)
        session.train(options)
    monkeypatch.setattr("rltui.checks.components.free_bytes", lambda root: 1000)
    with pytest.raises(RltuiError, match="no room for checkpoints"):
        session.train(options)
    assert options.data.run_names() == []


def test_a_gpu_that_fails_or_is_full_while_a_run_is_opened_is_a_sentence(
    options: TrainOptions, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(session.StopRequest, "install", lambda stop: None)
    broken, full = RuntimeError("CUDA error: no device\nmore"), torch.OutOfMemoryError("tried to allocate")
    central = replace(options, profile=load(options.profile_argument, ["collect.inference=central"]))
    for part, error, said in (
        ("__init__", broken, "the GPU failed: CUDA error: no device"),
        ("__init__", full, "the nets cannot be built on cpu: "),
        ("batch_policy", broken, "the GPU failed: CUDA error: no device"),
        ("batch_policy", full, "the policy's copy cannot be built on cpu: "),
    ):
        with subtests.test(part=part, error=error), monkeypatch.context() as patched:

            def fails(*_: object, error: Exception = error) -> None:
                raise error

            patched.setattr(PPOLearner, part, fails)
            with pytest.raises(RltuiError) as caught:
                session.train(central)
            assert caught.value.message.startswith(said)
            assert caught.value.spoils_exit == (error is broken)
            assert options.data.run_names() == []
