"""Where a match goes: recordings begun in one second are files of their own, and none is written over another."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rltui.view.outputs import OutputOptions, Outputs
from rltui.view.recording import Recording
from tests.fakes.moments import moment

SECOND = time.gmtime(1_795_884_318)


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outputs:
    """In a second that does not pass."""
    monkeypatch.setattr("rltui.view.outputs.time.gmtime", lambda: SECOND)
    return Outputs(OutputOptions("127.0.0.1", 9273, tmp_path / "recordings"), lambda text, level: None)


def recorded(outputs: Outputs, moments: int) -> str:
    """What is said at the end of a recording of so many moments."""
    outputs.switch("recording", True)
    for tick in range(moments):
        outputs.show(moment(tick=tick))
    return outputs.switch("recording", False)


def test_two_recordings_of_one_second_are_two_files(outputs: Outputs, tmp_path: Path) -> None:
    said = [recorded(outputs, moments) for moments in (2, 3, 4)]
    files = sorted((tmp_path / "recordings").iterdir())
    assert {path.name: len(Recording(path)) for path in files} == {
        "20261128-164518.npz": 2,
        "20261128-164518-2.npz": 3,
        "20261128-164518-3.npz": 4,
    }
    assert [line.rpartition("/")[2] for line in said] == [
        "20261128-164518.npz",
        "20261128-164518-2.npz",
        "20261128-164518-3.npz",
    ]


def test_one_that_a_viewer_before_has_written_in_this_second_stays(outputs: Outputs, tmp_path: Path) -> None:
    recorded(outputs, 2)
    options = OutputOptions("127.0.0.1", 9273, tmp_path / "recordings")
    recorded(Outputs(options, lambda text, level: None), 5)
    assert sorted(len(Recording(path)) for path in (tmp_path / "recordings").iterdir()) == [2, 5]
