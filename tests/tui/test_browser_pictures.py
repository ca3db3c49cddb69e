"""The milestone browser at three sizes, Unicode and ASCII, against golden texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from tests.fakes.browsed import PHASE, browser, browser_of, fill, go_to
from tests.fakes.screens import SIZES, compare, until, until_shown


@pytest.fixture(autouse=True)
def disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rltui.runs.inventory.free_bytes", lambda root: 212_000_000_000)


def name_of(what: str, size: tuple[int, int], ascii_only: bool) -> str:
    return f"browser-{what}-{size[0]}x{size[1]}-{'ascii' if ascii_only else 'unicode'}"


async def all_checked(pilot: Pilot[str]) -> None:
    """So that what can be seen does not depend on where the cursor happened to rest."""
    screen = browser_of(pilot)
    await until(pilot, lambda: not screen._verifying.busy)
    await pilot.press("v")
    await until(pilot, lambda: all(screen._checks.verdict(e.path)[0] == "sound" for e in screen.shown if e.usable))


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_everything(data: DataDir, size: tuple[int, int], ascii_only: bool) -> None:
    fill(data)
    async with browser(data, size, ascii_only=ascii_only) as pilot:
        compare(name_of("filled", size, ascii_only), screen_text(pilot.app.screen))


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_nothing_yet(data: DataDir, size: tuple[int, int], ascii_only: bool) -> None:
    async with browser(data, size, ascii_only=ascii_only) as pilot:
        compare(name_of("empty", size, ascii_only), screen_text(pilot.app.screen))


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_two_side_by_side(data: DataDir, size: tuple[int, int], ascii_only: bool) -> None:
    fill(data)
    milestones = data.run("alpha").milestones / PHASE
    async with browser(data, size, ascii_only=ascii_only) as pilot:
        for label in ("010M", "001.09568M"):
            await go_to(pilot, milestones / label)
            await pilot.press("space")
        await all_checked(pilot)
        await pilot.press("equals_sign")
        await until_shown(pilot, " single iterations")
        box = pilot.app.screen.query_one("#compare").region
        rows = screen_text(pilot.app.screen).split("\n")[box.y : box.bottom]
        compare(name_of("compare", size, ascii_only), "\n".join(row[box.x : box.right] for row in rows) + "\n")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_damaged_one_and_the_trash(data: DataDir, size: tuple[int, int]) -> None:
    fill(data)
    async with browser(data, size) as pilot:
        await go_to(pilot, data.run("alpha").milestones / PHASE / "000.5M")
        await all_checked(pilot)
        await until_shown(pilot, "damaged: policy.npz is damaged")
        compare(name_of("damaged", size, False), screen_text(pilot.app.screen))
        screen = browser_of(pilot)
        screen.tree_list.focus()
        await pilot.press("end")
        await until_shown(pilot, "deleted 2 h ago")
        compare(name_of("trash", size, False), screen_text(pilot.app.screen))


@pytest.mark.parametrize("size", [(1, 1), (20, 5), (45, 10), (59, 15), (300, 90)], ids=str)
async def test_any_size_is_survived(data: DataDir, size: tuple[int, int]) -> None:
    fill(data)
    async with browser(data) as pilot:
        await pilot.resize_terminal(*size)
        await pilot.resize_terminal(120, 40)
        await until_shown(pilot, "Milestones and checkpoints")


async def test_five_hundred_milestones_are_read_in_pieces(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been read is shown while the rest is being read."""
    from rltui.tui.browser.library import Library, LibraryReader
    from tests.fakes import saved_runs

    for number in range(4):
        paths = data.run(f"run{number}")
        for commit in range(40):
            saved_runs.save_milestone(paths, commit, (commit + 1) * 1_000_000, f"{commit + 1:03d}M")
    seen: list[Library] = list(LibraryReader(data).read())
    assert [library.complete for library in seen] == [False, True]
    assert [len(library.entries) for library in seen] == [80, 160]
    again = list(LibraryReader(DataDir(Path("none"))).read())
    assert [library.complete for library in again] == [True]
