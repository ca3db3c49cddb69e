"""Host of the process that evaluates milestones: one at a time, the newest next, its failure a notice."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from rltui.events.commands import EvaluationLive
from rltui.events.records import LogLine, Record
from rltui.league.state_evaluation import EvaluationProgress, begun, not_evaluated
from rltui.profile.models import EvaluationSection
from rltui.runs.paths import DataDir
from rltui.train.state_evaluator import StateEvaluator
from tests.fakes import run_story
from tests.fakes.saved_runs import make_files, make_meta, place
from tests.fakes.state_evaluations import EvaluationProcesses, evaluated

Made = Callable[..., StateEvaluator]


@pytest.fixture
def processes() -> EvaluationProcesses:
    return EvaluationProcesses()


@pytest.fixture
def told() -> list[Record]:
    return []


@pytest.fixture
def made(tmp_path: Path, processes: EvaluationProcesses, told: list[Record]) -> Made:
    def make(**section: int) -> StateEvaluator:
        paths = DataDir(tmp_path).run("alpha")
        return StateEvaluator(
            paths, EvaluationSection.model_validate({"games": 40} | section), told.append, start=processes.start
        )

    return make


def milestone(evaluator: StateEvaluator, timesteps: int) -> None:
    evaluator.saved(run_story.saved(timesteps, 1.7e9, milestone=True))


def checkpoint(evaluator: StateEvaluator, timesteps: int) -> None:
    evaluator.saved(run_story.saved(timesteps, 1.7e9))


def notices(told: list[Record]) -> list[str]:
    return [record.message for record in told if isinstance(record, LogLine) and record.level == "warning"]


def test_one_at_a_time_and_the_newest_milestone_next(
    made: Made, processes: EvaluationProcesses, told: list[Record]
) -> None:
    evaluator = made()
    for timesteps in (5_000_000, 10_000_000, 15_000_000):
        milestone(evaluator, timesteps)
        assert evaluator.poll() is None
    (first,) = processes.started
    assert (first.spec.timesteps, first.spec.games) == (5_000_000, 40)
    assert evaluator.keeps() == {5_000_000, 15_000_000}
    result = evaluated(5_000_000)
    first.say(result)
    assert evaluator.poll() == result
    assert told[-1] == result
    assert [process.spec.timesteps for process in processes.started] == [5_000_000, 15_000_000], "10 M gave way"
    assert evaluator.poll() is None, "a result comes once"
    evaluator.close()
    assert processes.started[-1].killed


def test_checkpoints_wait_only_where_nothing_else_does(made: Made, processes: EvaluationProcesses) -> None:
    evaluator = made(every_checkpoints=2)
    for timesteps in (100, 200, 300):
        checkpoint(evaluator, timesteps)
    evaluator.poll()
    milestone(evaluator, 400)
    checkpoint(evaluator, 500)
    processes.started[0].say(evaluated(200))
    evaluator.poll()
    assert [process.spec.timesteps for process in processes.started] == [200, 400]


def test_nothing_happens_unasked(made: Made, processes: EvaluationProcesses, told: list[Record]) -> None:
    evaluator = made(games=0, every_checkpoints=1)
    milestone(evaluator, 100)
    evaluator.begin(100)
    evaluator.poll()
    assert not processes.started
    assert not told


def test_a_start_takes_up_the_newest_milestone_again(
    made: Made, processes: EvaluationProcesses, tmp_path: Path
) -> None:
    paths = DataDir(tmp_path).run("alpha")
    for commit, millions in ((1, 5), (2, 10), (3, 15)):
        files = make_files(make_meta("alpha", commit, millions * 1_000_000))
        place(paths.milestones / "Phase1-A" / f"{millions:03}M", files)
    evaluator = made()
    evaluator.begin(12_000_000)
    evaluator.poll()
    assert [process.spec.timesteps for process in processes.started] == [10_000_000]


def test_what_fails_is_a_notice_and_the_next_one_is_tried(
    made: Made, processes: EvaluationProcesses, told: list[Record]
) -> None:
    evaluator = made()
    milestone(evaluator, 100)
    evaluator.poll()
    processes.started[0].exitcode = -9
    assert evaluator.poll() is None
    milestone(evaluator, 200)
    evaluator.poll()
    processes.started[1].say(not_evaluated(200, "trained 1v2: no game of equal teams fits", "a hint"))
    assert evaluator.poll() is None
    killed, refused = notices(told)
    assert "100 timesteps" in killed and "SIGKILL" in killed and "training goes on" in killed
    assert "1v2" in refused and "a hint" in refused
    assert evaluator.keeps() == frozenset()


def test_what_plays_and_what_waits_is_told_and_at_the_end_what_did_not(
    made: Made, processes: EvaluationProcesses, told: list[Record]
) -> None:
    evaluator = made()
    assert evaluator.live() == EvaluationLive(None, None, None) and evaluator.live().words == ""
    milestone(evaluator, 1_100_000)
    evaluator.poll()
    milestone(evaluator, 1_200_000)
    processes.started[0].say(begun(1_100_000, 60))
    assert evaluator.poll() is None
    assert told[-1] == msgspec.structs.replace(begun(1_100_000, 60), time=told[-1].time)
    assert "1.10 M began: 60 games, beside training" in told[-1].message
    assert len(processes.started) == 1, "it has only begun"
    assert evaluator.live() == EvaluationLive(1_100_000, processes.started[0].pid, 1_200_000)
    assert evaluator.live().words == "evaluating 1.10 M, 1.20 M waits"
    for share in (0.0, 0.23):
        processes.started[0].say(EvaluationProgress(60, share))
    before = len(told)
    assert evaluator.poll() is None and len(told) == before, "no record, and the newest counts"
    assert evaluator.live().words == "evaluating 1.10 M, 23 % of 60 games, 1.20 M waits"
    evaluator.end()
    assert processes.started[0].killed
    assert told[-1].message == (
        "not evaluated: 1.10 M and 1.20 M; the next start plays the newest, or: rltui ladder alpha --games 40"
    )
    assert not notices(told)
    assert made(games=0).live() is None


def test_the_end_hears_what_has_just_come(made: Made, processes: EvaluationProcesses, told: list[Record]) -> None:
    evaluator = made()
    milestone(evaluator, 100)
    evaluator.poll()
    for said in (begun(100, 40), begun(100, 20), evaluated(100)):
        processes.started[0].say(said)
    evaluator.end()
    assert told[-1] == evaluated(100) and len(told) == 3, "nothing is left"


def test_milestones_that_come_faster_than_they_play_are_a_warning_once(
    made: Made, processes: EvaluationProcesses, told: list[Record]
) -> None:
    evaluator = made()
    for number in range(1, 17):
        milestone(evaluator, number * 100)
        evaluator.poll()
    (warning,) = notices(told)
    assert "3 of 5 milestones were passed over: milestone_interval is shorter" in warning
    evaluator.end()
    assert "not evaluated: 100 and 1.60 k (14 before were passed over)" in told[-1].message


def test_no_room_for_a_process_is_a_notice(tmp_path: Path, told: list[Record]) -> None:
    processes = EvaluationProcesses([OSError(errno.EAGAIN, "no more")])
    evaluator = StateEvaluator(
        DataDir(tmp_path).run("alpha"), EvaluationSection(games=2), told.append, start=processes.start
    )
    milestone(evaluator, 100)
    assert evaluator.poll() is None
    assert "no process could be started" in notices(told)[0]
    milestone(evaluator, 200)
    evaluator.poll()
    assert len(processes.started) == 1
