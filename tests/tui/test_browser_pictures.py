"""The milestone browser at three sizes, Unicode and ASCII, against golden texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from tests.fakes.browsed import PHASE, browser, browser_of, fill, go_to
from tests.fakes.leagues import put_league
from tests.fakes.screens import FORMS, OTHER_FORMS, assert_fits, compare, form_name, resized, until, until_shown


async def all_checked(pilot: Pilot[str]) -> None:
    """And the notice of that gone, whose time is the machine's."""
    table = browser_of(pilot).table
    await pilot.press("v")
    await until(pilot, lambda: {entry.path for entry in table.entries if entry.usable} == table.sound)
    pilot.app.clear_notifications()
    await until(pilot, lambda: not pilot.app.screen.query(Toast))


@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
@pytest.mark.parametrize(("size", "ascii_only"), FORMS)
async def test_nothing_yet_and_everything(data: DataDir, size: tuple[int, int], ascii_only: bool, filled: bool) -> None:
    if filled:
        fill(data)
        put_league(data, "alpha")
    async with browser(data, size, ascii_only=ascii_only) as pilot:
        text = screen_text(pilot.app.screen)
    assert_fits(text, size, ascii_only)
    compare(f"browser-{'filled' if filled else 'empty'}-{form_name(size, ascii_only)}", text)


async def test_every_other_form_fits(data: DataDir, subtests: pytest.Subtests) -> None:
    fill(data)
    for ascii_only in (False, True):
        async with browser(data, ascii_only=ascii_only) as pilot:
            for size, _ in (form for form in OTHER_FORMS if form[1] is ascii_only):
                with subtests.test(form_name(size, ascii_only)):
                    assert_fits(await resized(pilot, size), size, ascii_only)


@pytest.mark.parametrize(("size", "ascii_only"), FORMS)
async def test_two_side_by_side(data: DataDir, size: tuple[int, int], ascii_only: bool) -> None:
    fill(data)
    milestones = data.run("alpha").milestones / PHASE
    async with browser(data, size, ascii_only=ascii_only) as pilot:
        for label in ("010M", "001.09568M"):
            await go_to(pilot, milestones / label)
            await pilot.press("space")
        await all_checked(pilot)
        await pilot.press("equals_sign")
        await until(pilot, lambda: "reading the journals" not in screen_text(pilot.app.screen))
        box = pilot.app.screen.query_one("#dialog").region
        rows = screen_text(pilot.app.screen).split("\n")[box.y : box.bottom]
        compare(
            f"browser-compare-{form_name(size, ascii_only)}", "\n".join(row[box.x : box.right] for row in rows) + "\n"
        )


async def test_a_damaged_one_and_the_trash(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        await go_to(pilot, data.run("alpha").milestones / PHASE / "000.5M")
        await all_checked(pilot)
        await until_shown(pilot, "✗ policy.npz is damaged")
        compare("browser-damaged-120x40-unicode", screen_text(pilot.app.screen))
        screen = browser_of(pilot)
        screen.tree_list.focus()
        await pilot.press("end")
        await until_shown(pilot, "deleted 2 h ago")
        compare("browser-trash-120x40-unicode", screen_text(pilot.app.screen))


async def test_any_size_is_survived(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        for size in ((1, 1), (20, 5), (45, 10), (59, 15), (300, 90)):
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
