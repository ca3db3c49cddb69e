"""TRAINER_STATE.json: reads back, may be missing, never misunderstood."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.checkpoint import write_checkpoint
from rltui.runs.trainer_state import NAME, CurriculumState, RateState, TrainerState, encode, read

STATE = TrainerState(
    learning_rate=RateState(words="linear 1", override=1e-4),
    curriculum=CurriculumState(phase=1, profile="two", started=5, window=[{"goals": 3}]),
)


def checkpoint(folder: Path, content: bytes | None) -> Path:
    files = {"BOOK_KEEPING_VARS.json": b"{}"} | ({} if content is None else {NAME: content})
    shutil.rmtree(folder / "1000", ignore_errors=True)
    write_checkpoint(folder / "1000", files)
    return folder / "1000"


def test_it_reads_back(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[TrainerState] = [STATE, TrainerState(learning_rate=RateState(words=""))]
    for state in cases:
        with subtests.test(state=repr(state)):
            assert read(checkpoint(tmp_path, encode(state))) == state


def test_older_checkpoints_and_rlgym_ppo_s_have_none(tmp_path: Path) -> None:
    assert read(checkpoint(tmp_path, None)) is None
    (tmp_path / "foreign").mkdir()
    assert read(tmp_path / "foreign") is None


def test_what_cannot_be_understood_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[bytes, str]] = [
        (b"{", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"learning_rate": {"words": 3}}', "learning_rate.words"),
        (b'{"schema": 2, "learning_rate": {"words": ""}}', "newer than 1"),
        (b"\xff", "cannot be read"),
    ]
    for content, words in cases:
        with subtests.test(content=repr(content), words=words):
            with pytest.raises(RltuiError) as caught:
                read(checkpoint(tmp_path, content))
            assert words in caught.value.message
            assert NAME in caught.value.message


def test_a_damaged_one_is_no_missing_one(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path, encode(STATE))
    (folder / NAME).write_bytes(b"x")
    with pytest.raises(RltuiError, match="damaged"):
        read(folder)
