"""Every pane, fed from recorded journals: two sizes against tests/golden/panes, and what holds at every size and in every state.

With RLTUI_UPDATE_GOLDEN set, the golden files are written instead; look at what has changed before you keep it.
"""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from rich.cells import cell_len

from rltui.runs.paths import DataDir
from rltui.tui.cockpit.screen import PANES
from tests.fakes.screens import UPDATE
from tests.fakes.snapshots import COCKPIT, MOMENTS, Frame, Pictures, Size, name_of, pictures_of, read, written

GOLDEN = Path(__file__).parents[1] / "golden" / "panes"
NAMES = [COCKPIT, *(name_of(pane) for pane in PANES)]
WIDE, POOR = (120, 40), (80, 24)
KEPT = {"quick": ("collecting", "worker down"), "curriculum": ("campaign", "worker down")}  # states in golden files
SIZES = (POOR, WIDE, (200, 50))
THOROUGH = "worker down"  # the state that is drawn at all sizes in both character sets: its panes have most to say
_drawn: Pictures = {}  # once for all tests: opening the cockpit costs more than drawing a pane


@pytest.fixture
async def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pictures]:
    """Pictures by pane: every state at WIDE, those of golden files at POOR too, one in every form."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path / "config"))
    time.tzset()
    if not _drawn:
        for state in MOMENTS:
            for ascii_only, sizes in forms_of(state).items():
                folder = tmp_path / f"{state}-{ascii_only}"
                folder.mkdir()
                monkeypatch.chdir(folder)
                pictures = await pictures_of(state, ascii_only, sizes, DataDir(Path("data")))
                for name, frames in pictures.items():
                    _drawn.setdefault(name, {}).update(frames)
    yield _drawn
    monkeypatch.undo()
    time.tzset()


def forms_of(state: str) -> dict[bool, tuple[Size, ...]]:
    """The sizes that it is drawn at in Unicode, and in ASCII."""
    if state == THOROUGH:
        return {False: SIZES, True: SIZES}
    return (
        {False: (POOR, WIDE), True: (POOR,)} if any(state in states for states in KEPT.values()) else {False: (WIDE,)}
    )


def is_kept(name: str, frame: Frame) -> bool:
    """Whether the picture stands in a golden file: Unicode where there is room, ASCII where there is little."""
    states = KEPT.get(name, KEPT["quick"])
    return frame.state in states and frame.size == (POOR if frame.ascii_only else WIDE)


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_shown(drawn: Pictures, name: str) -> None:
    pictures = {frame: text for frame, text in drawn[name].items() if is_kept(name, frame)}
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(UPDATE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(pictures), encoding="utf-8")
        return
    assert path.is_file(), f"no {path.name}; look at the pane, then set {UPDATE}=1 once"
    changes = differences(pictures, read(path))
    assert not changes, f"{path.name}: {changes}\nif that is right, set {UPDATE}=1 once"


async def test_every_picture_fits_and_ascii_is_ascii_of_the_same_shape(
    drawn: Pictures, subtests: pytest.Subtests
) -> None:
    """What a poor terminal shows stands where it stands in a good one."""
    for name, pictures in drawn.items():
        for frame, picture in pictures.items():
            with subtests.test(pane=name, frame=frame):
                lines = picture.splitlines()
                assert "This pane cannot draw" not in picture, picture
                assert len(lines) <= frame.size[1] and max(map(cell_len, lines)) <= frame.size[0]
                if frame.ascii_only:
                    assert picture.isascii(), [letter for letter in picture if not letter.isascii()]
                    assert len(lines) == len(pictures[Frame(frame.state, frame.size, False)].splitlines())


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
