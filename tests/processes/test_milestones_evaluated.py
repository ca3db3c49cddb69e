"""Real runs whose milestones play games beside them: told in journal and metrics, and no process outlives its trainer."""

from __future__ import annotations

import signal
import sys

import psutil
import pytest

from rltui.events.records import IterationFinished, LogLine, RunFinished, StateEvaluated
from rltui.league import games
from tests.fakes.training import Training, runs, wait_for
from tests.fakes.viewed import viewers

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="priorities and signals of POSIX")


def evaluations(training: Training) -> list[psutil.Process]:
    """The processes that play: they alone are of the lowest priority."""
    return [child for child in training.children() if runs(child) and child.nice() == 19]


def test_a_milestone_is_evaluated_while_training_goes_on(training: Training) -> None:
    training.start("--set", "evaluation.games=2", "--set", "evaluation.seconds=1")
    result = training.wait_records(StateEvaluated)[0]
    assert result.timesteps >= 4096
    assert [(each.opponent, each.games) for each in result.opponents] == [("rule", 2), ("chaser", 2)]
    assert {game.a for game in games.read(training.paths.data.games).games} >= {result.player}
    assert "began: 4 games, beside training" in said(training)[0].message
    told = wait_for(
        lambda: [row for row in training.iterations() if "evaluation/elo" in row.metrics], "a row with its metrics"
    )
    assert told[0].metrics["evaluation/win_rate_rule"] == result.opponents[0].win_rate
    training.check_continues()


def said(training: Training) -> list[LogLine]:
    """Of evaluations, so far."""
    return [record for record in training.poll() if isinstance(record, LogLine) and record.source == "evaluation"]


def test_its_end_is_a_notice_and_the_trainer_takes_it_along(training: Training) -> None:
    training.start("--set", "evaluation.games=10_000", "--set", "evaluation.seconds=3600")
    (first,) = wait_for(lambda: evaluations(training), "a process that plays")
    first.kill()
    notice = wait_for(lambda: [line for line in said(training) if line.level == "warning"], "a notice")[0]
    assert "SIGKILL; training goes on" in notice.message
    training.wait_more_iterations(2)
    (second,) = wait_for(lambda: evaluations(training), "the next milestone's")
    assert training.process is not None
    training.process.send_signal(signal.SIGTERM)
    assert training.wait_end() == 0
    assert training.wait_records(RunFinished)
    assert not runs(second)
    assert any("not evaluated: " in line.message for line in said(training))


def test_it_and_the_viewer_end_with_a_trainer_that_is_killed(training: Training) -> None:
    training.start(
        "--set", "evaluation.games=10_000", "--set", "evaluation.seconds=3600", "--set", "render.at_start=true"
    )
    wait_for(lambda: evaluations(training) and viewers(training), "the processes that play")
    left = training.children()
    assert training.process is not None
    training.process.kill()
    wait_for(lambda: not any(map(runs, left)), "their end", 5.0)
    assert not [record for record in training.poll() if isinstance(record, StateEvaluated)]
    assert any(isinstance(record, IterationFinished) for record in training.poll())
