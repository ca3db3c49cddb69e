"""Every pane × size × character set × state of a run, fed from recorded journals, against tests/golden/panes.

With RLTUI_UPDATE_GOLDEN set, the golden files are written instead; look at what has changed before you keep it.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from rltui.runs.paths import DataDir
from rltui.tui.cockpit.screen import PANES
from tests.fakes.screens import UPDATE
from tests.fakes.snapshots import COCKPIT, MOMENTS, Frame, Pictures, name_of, pictures_of, read, written

GOLDEN = Path(__file__).parents[1] / "golden" / "panes"
NAMES = [COCKPIT, *(name_of(pane) for pane in PANES)]
_drawn: Pictures = {}  # once for all tests: opening the cockpit costs more than drawing a pane


@pytest.fixture
async def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pictures]:
    """All pictures, by pane."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path / "config"))
    time.tzset()
    if not _drawn:
        for state in MOMENTS:
            for ascii_only in (False, True):
                folder = tmp_path / f"{state}-{ascii_only}"
                folder.mkdir()
                monkeypatch.chdir(folder)
                for name, pictures in (await pictures_of(state, ascii_only, DataDir(Path("data")))).items():
                    _drawn.setdefault(name, {}).update(pictures)
    yield _drawn
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_shown(drawn: Pictures, name: str) -> None:
    pictures = drawn[name]
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(UPDATE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(pictures), encoding="utf-8")
        return
    assert path.is_file(), f"no {path.name}; look at the pane, then set {UPDATE}=1 once"
    changes = differences(pictures, read(path))
    assert not changes, f"{path.name}: {changes}\nif that is right, set {UPDATE}=1 once"


@pytest.mark.parametrize("name", NAMES)
async def test_ascii_is_ascii_and_the_same_shape(drawn: Pictures, name: str) -> None:
    """What a poor terminal shows stands where it stands in a good one."""
    for frame, picture in drawn[name].items():
        if frame.ascii_only:
            other = drawn[name][Frame(frame.state, frame.size, False)]
            assert picture.isascii(), f"{frame}: {[c for c in picture if not c.isascii()]}"
            assert len(picture.splitlines()) == len(other.splitlines()), frame
        assert "This pane cannot draw" not in picture, f"{frame}\n{picture}"


def test_every_golden_file_belongs_to_a_pane() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= set(NAMES)


def differences(pictures: Mapping[Frame, str], golden: Mapping[tuple[str, str], str]) -> str:
    """Where they first differ, in lines, and how many pictures do; empty where none does."""
    expected = {key: text.rstrip("\n") + "\n" for key, text in golden.items()}
    now = {(frame.form, frame.state): text.rstrip("\n") + "\n" for frame, text in pictures.items()}
    unlike = [key for key in {**expected, **now} if expected.get(key) != now.get(key)]
    if not unlike:
        return ""
    first = unlike[0]
    lines = difflib.unified_diff(
        expected.get(first, "").splitlines(), now.get(first, "").splitlines(), "golden", "now", n=0, lineterm=""
    )
    return f"{len(unlike)} pictures differ; {' '.join(first)}:\n" + "\n".join(lines)
