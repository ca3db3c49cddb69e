"""Whatever is done, the terminal shows what it would if all was drawn anew: no cell of before stays."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from rltui.runs.paths import DataDir
from rltui.tui.actions import Place
from tests.fakes import sent_screen, walking
from tests.fakes.sent_screen import Sent
from tests.fakes.walked_places import AWAY, opened
from tests.fakes.walking import Change, Walk

KEYS = ("t", "t", "z", "f1", "question_mark", "ctrl+p", "escape", "escape", "tab", "shift+tab", "f", "enter")

JOINER = "\u200d"  # of emoji: terminals differ in how wide the joined ones are


class Looking(Walk):
    """After each step at the terminal; where something waits to be sent all the time, at the next step."""

    def __init__(
        self, pilot: Pilot[str], changes: dict[str, Change], found: list[tuple[str, object]], sent: Sent
    ) -> None:
        super().__init__(pilot, changes, found)
        self._sent, self.looks = sent, 0

    async def _wrong(self) -> str:
        for _ in range(20):
            if sent_screen.is_quiet(self._app):
                self.looks += 1
                return self._sent.stale(self._app.screen, anew=self.looks % 3 == 0)
            await self._pilot.pause()
        return ""


@pytest.mark.parametrize(("seed", "count"), [(0, 40), pytest.param(1, 250, marks=pytest.mark.slow)])
@pytest.mark.parametrize("place", ["cockpit", "browser", "form"])
async def test_a_walk_leaves_nothing_behind(
    place: Place,
    seed: int,
    count: int,
    data: DataDir,
    monkeypatch: pytest.MonkeyPatch,
    acted: list[tuple[str, object]],
) -> None:
    with sent_screen.followed() as sent:
        async with opened(place, data) as (pilot, changes):
            with monkeypatch.context() as staying:
                for owner, name in AWAY[place]:
                    staying.setattr(owner, name, lambda *_, **__: None)
                walk = Looking(pilot, changes, acted, sent)
                way = walking.steps(seed, count, [*walking.keys_of(place), *KEYS * 2], changes)
                await walk.go([step for step in way if JOINER not in step.what])
                assert walk.looks > count / 2
