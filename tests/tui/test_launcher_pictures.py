"""The launcher as text, empty and filled, at the sizes that matter, in Unicode and ASCII."""

from __future__ import annotations

import pytest

from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from tests.fakes import data_folder
from tests.fakes.screens import LAUNCHER_NOW, SIZES, compare, launcher


def fill(data: DataDir) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
    data_folder.make_stopped(data, "beta", iterations=250, time=LAUNCHER_NOW - 86_400)
    data_folder.make_stopped(data, "gamma", iterations=12, time=LAUNCHER_NOW - 300_000, ended=False)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("filled", [False, True], ids=["empty", "filled"])
async def test_launcher(data: DataDir, size: tuple[int, int], ascii_only: bool, filled: bool) -> None:
    if filled:
        fill(data)
    async with launcher(data, size, ascii_only=ascii_only) as pilot:
        text = screen_text(pilot.app.screen)
    assert text.isascii() is ascii_only
    compare(
        f"launcher-{'filled' if filled else 'empty'}-{size[0]}x{size[1]}-{'ascii' if ascii_only else 'unicode'}", text
    )
