"""Whatever is pressed, clicked, pasted, and whatever becomes of the world meanwhile: each screen bears it, and the terminal
shows what it would if all was drawn anew: no cell of before stays.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from textual.pilot import Pilot

from rltui.events.commands import Pause, Resume, SaveCheckpoint
from rltui.runs.paths import DataDir
from rltui.tui.actions import Place
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.widgets.dialogs import ChoiceDialog
from tests.fakes import browsed, changing_world, children, sent_screen, walking
from tests.fakes.screen_checks import what_is_wrong
from tests.fakes.screens import cockpit, cockpit_of, launcher, live_run, until
from tests.fakes.sent_screen import Sent
from tests.fakes.walked_places import AWAY, opened, refuse
from tests.fakes.walking import Change, Walk

SHORT = (0, 32)  # seed, steps
LONG = pytest.param(2, 1500, marks=pytest.mark.slow)
OFTEN = ("t", "t", "z", "f1", "question_mark", "ctrl+p", "escape", "escape", "tab", "shift+tab", "f", "enter")
JOINER = "\u200d"  # of emoji: terminals differ in how wide the joined ones are


class LookingWalk(Walk):
    """Looks at the terminal too; where something waits to be sent all the time, at the next step."""

    def __init__(
        self, pilot: Pilot[str], changes: dict[str, Change], acted: list[tuple[str, object]], sent: Sent
    ) -> None:
        super().__init__(pilot, changes, acted)
        self._sent, self.looks = sent, 0

    async def _wrong(self) -> str:
        if wrong := await super()._wrong():
            return wrong
        for _ in range(20):
            if sent_screen.is_quiet(self._app):
                self.looks += 1
                return self._sent.stale(self._app.screen, anew=self.looks % 3 == 0)
            await self._pilot.pause()
        return ""


@pytest.mark.parametrize(("seed", "count"), [SHORT, LONG])
@pytest.mark.parametrize("place", AWAY)
async def test_a_walk(
    place: Place, seed: int, count: int, data: DataDir, monkeypatch: pytest.MonkeyPatch, acted: list[tuple[str, object]]
) -> None:
    with sent_screen.followed() as sent:
        async with opened(place, data) as (pilot, changes):
            with monkeypatch.context() as staying:
                for owner, name in AWAY[place]:
                    staying.setattr(owner, name, lambda *_, **__: None)
                walk = LookingWalk(pilot, changes, acted, sent)
                way = walking.steps(seed, count, [*walking.keys_of(place), *OFTEN * 2], changes)
                await walk.go([step for step in way if JOINER not in step.what])
                assert walk.looks > count / 2
            await pilot.resize_terminal(120, 40)
            assert what_is_wrong(pilot.app) == ""
        assert pilot.app.return_code != 1


@pytest.mark.parametrize(("seed", "count"), [(0, 60), LONG])
async def test_lower_case_keys_ask_the_trainer_for_nothing_but_what_p_and_c_stand_for(
    seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the palette nor the prompt, which do what is typed into them, nor what answers a dialog."""
    for owner, name in AWAY["cockpit"]:
        monkeypatch.setattr(owner, name, lambda *_, **__: None)
    keys = [key for key in walking.keys_of("cockpit") if not key.isupper() and key not in ("ctrl+p", "ctrl+q", "colon")]
    chance, run = random.Random(seed), live_run()
    async with cockpit(run) as pilot:
        for _ in range(count):
            if isinstance(pilot.app.screen, ChoiceDialog):
                await pilot.press("escape")
            await pilot.press(chance.choice(keys))
        reader = cockpit_of(pilot)._reader
        assert reader is not None and run.control is not None
        await until(pilot, reader._requests.empty)  # all that was asked for has been sent
    assert [sent for sent in run.control.sent if not isinstance(sent, Pause | Resume | SaveCheckpoint)] == []


@pytest.mark.parametrize(("seed", "count"), [(0, 60), LONG])
async def test_a_walk_through_all_places(seed: int, count: int, data: DataDir, acted: list[tuple[str, object]]) -> None:
    browsed.fill(data)
    run = live_run()
    async with launcher(data, launch=refuse, run=run, tools=children.tools()) as pilot:
        assert isinstance(pilot.app.screen, LauncherScreen)
        clock = pilot.app.dependencies.clock  # type: ignore[attr-defined]
        changes = {**changing_world.of_the_disk(data, Path.cwd(), clock), **changing_world.of_a_run(run, clock)}
        keys = walking.keys_of("launcher", "browser", "cockpit", "form")
        await Walk(pilot, changes, acted).go(walking.steps(seed, count, keys, changes))
    assert pilot.app.return_code != 1


async def test_all_that_was_changed_in_the_form_can_be_taken_back(
    data: DataDir, acted: list[tuple[str, object]]
) -> None:
    keys = ("down", "up", "X", "delete", "space", "enter", "0", "5", "n", "u", "U", "pagedown", "home")
    async with opened("form", data) as (pilot, _):
        screen = pilot.app.screen
        assert isinstance(screen, FormScreen)
        opened_with, session = screen.session.draft.text, screen.session
        way = [walking.Step("key", key) for key in ("down", "down", "X", "space", "down", "enter", "X")]
        way += [step for step in walking.steps(4, 60, keys, {"": print}) if step.kind == "key"]
        await Walk(pilot, {}, acted).go(way)
        while pilot.app.screen is not screen or screen.line.row is not None or screen.as_text:
            await pilot.press("escape")
        changed, count = session.draft.text, len(session.drafts) - 1
        assert count
        await pilot.press(*["u"] * count)
        await until(pilot, lambda: session.draft.text == opened_with)
        await pilot.press(*["U"] * count)
        await until(pilot, lambda: session.draft.text == changed)
