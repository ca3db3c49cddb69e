"""A table that fails is refused before anything is written, unless forced; what is forced is told in the journal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.checks import components
from rltui.cli.parser import parse
from rltui.errors import RltuiError
from rltui.profile.load import load
from rltui.runs.paths import DataDir
from rltui.train.setup import StartContext, TrainOptions, prepare
from tests.fakes.tables import RLGYM, column, without
from tests.fakes.training import TINY


def context(folder: Path, rows: np.ndarray, force: bool = False) -> StartContext:
    np.savetxt(folder / "rows.csv", rows, delimiter=",", fmt="%g")
    (folder / "mine.toml").write_text(f'{TINY}\n[actions]\ntable = "rows.csv"\n')
    path = folder / "mine.toml"
    return prepare(TrainOptions(load(path), "mine.toml", DataDir(folder / "data"), force=force))


NO_LEFT = without(RLGYM, column(RLGYM, "steer") < 0)
NO_SECOND_JUMP = RLGYM[~((column(RLGYM, "jump") != 0) & (RLGYM[:, 2:5] == 0).all(axis=1))]


def test_a_failing_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RltuiError) as told:
        context(tmp_path, NO_LEFT)
    error = told.value
    assert error.exit_code == 1
    assert "fails 6 checks" in error.message
    assert "- no row turns left while driving: the bot could only turn right" in error.message
    assert "- and 2 more" in error.message
    assert "rltui lut mine.toml" in error.hint and "add --force" in error.hint
    assert DataDir(tmp_path / "data").run_names() == []


def test_forced_it_is_a_warning_and_a_warning_keeps_nobody_from_training(tmp_path: Path) -> None:
    warnings = context(tmp_path, NO_LEFT, force=True).trial_warnings
    assert len(warnings) == 6
    assert warnings[0] == "action table: no row turns left while driving: the bot could only turn right"

    [warning] = context(tmp_path, NO_SECOND_JUMP).trial_warnings
    assert warning.startswith("action table: no row jumps a second time")

    assert context(tmp_path, RLGYM).trial_warnings == ()


def test_the_table_is_tried_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half a second of a core."""
    tried = list[object]()
    examine = components.examine
    monkeypatch.setattr(components, "examine", lambda *args: tried.append(args) or examine(*args))
    context(tmp_path, RLGYM)
    assert len(tried) == 1


def test_force_goes_with_a_detached_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from rltui.supervise import launch

    given: list[str] = []

    class Launched:
        run, pid = "r", 1

    def detached(profile: str, data: DataDir, run: str | None, extra: list[str]) -> Launched:
        given.extend(extra)
        return Launched()

    monkeypatch.setattr(launch, "detached", detached)
    monkeypatch.setattr("rltui.supervise.launch.start_messages", lambda journal, pid: [])
    command, args = parse(["train", "quick", "--detach", "--force", "--data-dir", str(tmp_path)])
    assert command(args) == 0
    assert "--force" in given
