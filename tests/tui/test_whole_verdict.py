"""An unhealthy verdict says which pane has the advice; there it can be read to the end, with what else is ill."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.records import IterationFinished
from tests.fakes import run_story
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.screens import NOW, Clock, cockpit, until_shown

ROWS = 240
ADVICE = "it hardly explores: raise the entropy coefficient"


def collapsed(row: int) -> IterationFinished:
    base = run_story.iteration(row)
    ill = {"train/entropy": 0.0, "train/explained_variance": -3.0} if row > ROWS - 40 else {}
    return msgspec.structs.replace(base, metrics={**base.metrics, **ill})


def ill_run() -> FakeRun:
    control = FakeControl()
    control.say(run_story.live(NOW - 0.1))
    return FakeRun([*run_story.opening(), *(collapsed(row) for row in range(1, ROWS + 1))], control=control)


def joined(text: str) -> str:
    """The words of the left pane, across its rows."""
    return " ".join(text.replace("│", " ").replace("┃", " ").split())


async def test_what_to_try_stands_in_the_pane_of_the_run(subtests: pytest.Subtests) -> None:
    for size in ((80, 24), (120, 40), (200, 50)):
        with subtests.test(size=size):
            async with cockpit(ill_run(), size, clock=Clock(run_story.now_of(ROWS))) as pilot:
                line = next(row for row in (await until_shown(pilot, "unhealthy")).split("\n") if "unhealthy" in row)
                assert "entropy 0, usual 0.5 or more; 1 more" in line and line.rstrip().endswith("i to try")
                await pilot.press("i", "f")
                text = joined(await until_shown(pilot, "to try"))
                assert ADVICE in text
                assert "also ill explained variance -3.00, usual 0.3 or more" in text
