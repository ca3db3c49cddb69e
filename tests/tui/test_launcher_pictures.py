"""The launcher as text, empty and filled, at the sizes that matter, in Unicode and ASCII."""

from __future__ import annotations

import pytest

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from tests.fakes import data_folder
from tests.fakes.screens import FORMS, LAUNCHER_NOW, OTHER_FORMS, assert_fits, compare, form_name, launcher, resized


def fill(data: DataDir) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
    data_folder.make_stopped(data, "beta", iterations=250, time=LAUNCHER_NOW - 86_400)
    data_folder.make_stopped(data, "gamma", iterations=12, time=LAUNCHER_NOW - 300_000, ended=False)


@pytest.mark.parametrize(("size", "ascii_only"), FORMS)
@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
async def test_launcher(data: DataDir, size: tuple[int, int], ascii_only: bool, filled: bool) -> None:
    if filled:
        fill(data)
    async with launcher(data, size, ascii_only=ascii_only) as pilot:
        text = screen_text(pilot.app.screen)
    assert_fits(text, size, ascii_only)
    compare(f"launcher-{'filled' if filled else 'empty'}-{form_name(size, ascii_only)}", text)


async def test_every_other_form_fits(data: DataDir, subtests: pytest.Subtests) -> None:
    fill(data)
    for ascii_only in (False, True):
        async with launcher(data, ascii_only=ascii_only) as pilot:
            for size, _ in (form for form in OTHER_FORMS if form[1] is ascii_only):
                with subtests.test(form_name(size, ascii_only)):
                    assert_fits(await resized(pilot, size), size, ascii_only)
