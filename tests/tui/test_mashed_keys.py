"""Keys mashed at random: nothing raises, and lower-case keys alone ask the trainer for nothing but what p and c stand for."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rltui.events.commands import Pause, Resume, SaveCheckpoint
from rltui.runs.paths import DataDir
from rltui.tui.actions import COCKPIT, PANE_KEYS
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text
from rltui.tui.widgets.dialogs import ChoiceDialog
from tests.fakes import run_story
from tests.fakes.screens import NOW, cockpit, cockpit_of, live_run, until
from tests.fakes.walked_places import AWAY

MOVES = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "backspace", "delete", "ctrl+c", "ctrl+u", "ctrl+z"}  # fmt: skip
KEYS = sorted({key for action in (*COCKPIT, *PANE_KEYS) for key in action.keys} | MOVES)
SIZES = ((120, 40), (80, 24), (20, 5), (1, 1), (200, 50))


def is_lower(key: str) -> bool:
    """Neither a capital, nor the palette and the prompt, which do what is typed into them."""
    return not (len(key) == 1 and key.isupper()) and key not in ("ctrl+p", "colon")


@pytest.fixture
def stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The cockpit stays where a key would lead away from it; nothing is copied or written outside the test's folder."""
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path / "config"))
    for owner, name in ((RltuiApp, "exit"), (RltuiApp, "action_copy"), *AWAY["cockpit"]):
        monkeypatch.setattr(owner, name, lambda *_, **__: None)


@pytest.mark.usefixtures("stays")
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(("seed", "presses"), [(0, 60), pytest.param(1, 600, marks=pytest.mark.slow)])
async def test_nothing_raises_and_lower_case_keys_do_no_harm(
    data: DataDir, seed: int, presses: int, lower: bool
) -> None:
    chance = random.Random(seed)
    pool = [key for key in KEYS if is_lower(key) or not lower]
    run = live_run()
    assert run.control is not None
    async with cockpit(run) as pilot:
        for number in range(presses):
            if lower and isinstance(pilot.app.screen, ChoiceDialog):  # it asks, and its answers are lower case
                await pilot.press("escape")
            await pilot.press(chance.choice(pool))
            if number % 20 == 0:
                await pilot.resize_terminal(*chance.choice(SIZES))
                run.control.say(run_story.live(NOW + number / 100, state=chance.choice(["collecting", "paused"])))
                assert "cannot draw" not in screen_text(pilot.app.screen)
        reader = cockpit_of(pilot)._reader
        assert reader is not None
        await until(pilot, reader._requests.empty)  # all that was asked for has been sent
    assert pilot.app.return_code != 1
    harmless = (Pause, Resume, SaveCheckpoint)
    assert not lower or [command for command in run.control.sent if not isinstance(command, harmless)] == []
    assert lower or run.control.sent
