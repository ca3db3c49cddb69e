"""The terminal's title: the run and what its trainer does, without a new word each second."""

from __future__ import annotations

from typing import Any

import pytest

from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.notifications import Announcer
from rltui.tui.settings import UiSettings
from tests.fakes import run_story

NOW = run_story.now_of(5)
RUN = fold(RunSnapshot(run="alpha", alive=True), run_story.told(5))


def title(snapshot: RunSnapshot, moment: float = NOW) -> str:
    nobody: Any = None
    written: list[str] = []
    Announcer(nobody, UiSettings(), written.append).name_run(snapshot, moment)
    return "".join(written).partition(";")[2].removesuffix("\x07")


@pytest.mark.parametrize(
    ("state", "word"),
    [("collecting", "training"), ("learning", "training"), ("saving", "training"), ("paused", "paused"), ("stopping", "stopping")],
)  # fmt: skip
def test_all_that_it_does_by_itself_is_training(state: Any, word: str) -> None:
    assert title(fold_control(RUN, run_story.live(NOW, state=state), NOW)) == f"alpha: {word} - rltui"


def test_a_trainer_that_is_silent_or_gone_trains_no_more() -> None:
    heard = fold_control(RUN, run_story.live(NOW), NOW)
    assert title(heard, NOW + 60) == "alpha: silent - rltui"
    assert title(fold(heard, [run_story.finished(5, NOW)])) == "alpha: stopped - rltui"
