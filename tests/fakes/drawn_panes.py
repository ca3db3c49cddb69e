"""Panes drawn as text on a run that is half told, at one moment."""

from __future__ import annotations

from dataclasses import replace

from rltui.events.episode_reward import EPISODES, REWARD, WINDOW
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.pane import Pane, View
from rltui.tui.text import plain, width_of
from tests.fakes import run_story

NOW = run_story.now_of()
STORY = fold_control(fold(RunSnapshot(run="alpha", alive=True), run_story.told()), run_story.live(NOW - 0.1), NOW - 0.1)


def drawn(pane: Pane, snapshot: RunSnapshot, width: int = 78, height: int = 40) -> str:
    """The text that the pane shows; every line fits."""
    pane.view = View(snapshot, NOW)
    lines = pane.paint(width, height)
    assert len(lines) <= height
    assert all(width_of(line) <= width for line in lines), [line for line in lines if width_of(line) > width]
    return plain(lines)


def with_metrics(**metrics: float | None) -> View:
    """The run with these metrics, of 100 episodes; `__` in a name stands for `/`."""
    named = {key.replace("__", "/"): value for key, value in metrics.items()}
    row = {**named, EPISODES: WINDOW, REWARD: named.get(REWARD, 0.0)}
    history = STORY.history.extended([(STORY.timesteps + 1, row)])
    return View(replace(STORY, metrics=named, history=history), NOW)
