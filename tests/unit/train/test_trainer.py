"""What ends a run without being foreseen is told in the journal, and the last whole state is kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.events.commands import CommandRefused, SaveCheckpoint
from rltui.events.records import IterationFinished, LogLine, Record, RunFinished, StateChanged
from rltui.learn.device import DeviceFailed
from rltui.learn.ppo import PPOLearner
from rltui.learn.state import LearnerSnapshot
from rltui.profile.load import load
from rltui.runs.inventory import complete_checkpoints
from rltui.runs.paths import DataDir
from rltui.runs.rlgym_ppo import BOOK_KEEPING
from rltui.train.active_task import LoopState
from rltui.train.collect.collector import Collected, SerialCollector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from rltui.train.control.commands import PendingCommand, StopRequest, Urgency
from rltui.train.control.server import ControlServer
from rltui.train.setup import TrainOptions, prepare
from rltui.train.state_evaluator import StateEvaluator
from rltui.train.trainer import Trainer
from rltui.train.update_thread import UpdateThread
from rltui.train.viewer import ViewerHost
from tests.fakes.state_evaluations import evaluated
from tests.fakes.tasks import active_task
from tests.fakes.training import TINY

SHORT = [  # iterations of one optimiser step; saved at the beginning and at the end
    "collect.collector=serial",
    "save_every=1_000_000",
    "ppo.iteration=64",
    "ppo.batch=64",
    "ppo.minibatch=64",
    "ppo.epochs=1",
]


class Failing:
    """A collector that fails where it is told to."""

    def __init__(self, shape: Any, start: Exception | None = None) -> None:
        self.shared = SimpleNamespace(shape=shape, weights=np.zeros(shape.parameters, np.float32))
        self._start = start
        self.closed = False

    def start(self, poll: Callable[[], None]) -> None:
        if self._start is not None:
            raise self._start

    def set_policy(self, learner: Any) -> None:
        pass

    def collect(self, block: int, timesteps: int, poll: Callable[[], None]) -> None:
        raise ZeroDivisionError("in a reward")

    def live(self) -> list[Any]:
        return []

    def progress(self) -> float:
        return 0.0

    def close(self) -> None:
        self.closed = True


class Cut(SerialCollector):
    """Collects twice; in the third rollout the run is stopped, when the update beside it is over."""

    def __init__(self, config: ResolvedConfig, stop: StopRequest) -> None:
        super().__init__(config.actor(0), SharedRollout.create(config.shape))
        self._begun, self._stop = 0, stop
        self.before_stop: Callable[[], None] = lambda: None

    def collect(self, block: int, timesteps: int, poll: Callable[[], None]) -> Collected:
        self._begun += 1
        if self._begun == 3:
            for thread in threading.enumerate():
                if isinstance(thread, UpdateThread):
                    thread.join()
            self.before_stop()
            self._stop.request(Urgency.NOW, "a test")
            poll()
        return super().collect(block, timesteps, poll)


class Run:
    """A trainer with a collector that fails, or another."""

    def __init__(
        self,
        folder: Path,
        start: Exception | None = None,
        settings: Sequence[str] = (),
        collector: Callable[[ResolvedConfig, StopRequest], Any] | None = None,
    ) -> None:
        folder.mkdir(exist_ok=True)
        file = folder / "tiny.toml"
        file.write_text(TINY)
        context = prepare(TrainOptions(load(file, settings), str(file), DataDir(folder / "data"), run="r"))
        self.paths, self.told = context.options.data.run("r"), list[Record]()
        loop, stop = LoopState(self.told.append), StopRequest(lambda: None)
        self.collector = collector(context.config, stop) if collector else Failing(context.config.shape, start)
        server = ControlServer(self.paths, "r")
        self.queue = server.commands
        task = active_task(context, collector=self.collector)
        viewer = ViewerHost(task, loop, server.commands, lambda level, line: None)
        evaluator = StateEvaluator(self.paths, context.profile.evaluation, self.told.append)
        self.trainer = Trainer(loop, task, viewer, evaluator, server, stop)

    def ending(self) -> tuple[StateChanged, RunFinished]:
        state, finished = self.told[-2:]
        assert isinstance(state, StateChanged)
        assert isinstance(finished, RunFinished)
        return state, finished


def test_an_error_in_an_iteration_is_told_with_its_trace(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert run.trainer.run() == 1
    state, finished = run.ending()
    assert state.state == "failed"
    assert (finished.exit_code, finished.reason) == (1, "failed: ZeroDivisionError: in a reward")
    assert any(isinstance(r, LogLine) and r.level == "error" and "Traceback" in r.message for r in run.told)
    assert run.collector.closed
    assert [info.timesteps for info in complete_checkpoints(run.paths)] == [0]


def test_states_are_evaluated_in_a_pause_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(tmp_path)
    monkeypatch.setattr(run.trainer._evaluator, "poll", lambda: evaluated(900))
    run.trainer._controls._serve_paused()
    assert run.trainer._task.evaluated == evaluated(900)


def test_workers_that_do_not_start_are_told_and_nothing_is_kept(tmp_path: Path) -> None:
    run = Run(tmp_path, start=RltuiError("worker 0 did not start", "its trace"))
    with pytest.raises(RltuiError, match="worker 0"):
        run.trainer.run()
    state, finished = run.ending()
    assert state.state == "failed"
    assert finished.reason == "failed: worker 0 did not start"
    assert not list(complete_checkpoints(run.paths))


def test_an_update_that_is_over_when_collecting_beside_it_is_stopped_counts(tmp_path: Path) -> None:
    """What is saved has learned from the timesteps that it says."""
    run = Run(tmp_path, settings=[*SHORT, "collect.overlap=true"], collector=Cut)
    assert run.trainer.run() == 0
    assert [row.timesteps for row in run.told if isinstance(row, IterationFinished)] == [64, 128]
    newest = complete_checkpoints(run.paths)[-1]
    book = json.loads((newest.path / BOOK_KEEPING).read_text())
    assert (newest.timesteps, book["cumulative_model_updates"]) == (128, 2)
    run.collector.shared.close()


def test_a_state_that_cannot_be_copied_ends_the_run_with_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """As of a GPU that has failed without a current copy of its state, or where memory is short."""
    gpu, memory = RuntimeError("CUDA error: device-side assert triggered\nmore"), MemoryError("no room")
    for error, why in (
        (gpu, "the GPU failed: CUDA error: device-side assert triggered"),
        (memory, "MemoryError: no room"),
    ):
        with subtests.test(why=why), monkeypatch.context() as patched:
            run = Run(tmp_path / type(error).__name__, settings=SHORT, collector=Cut)
            answers = list[object]()
            run.collector.before_stop = partial(_nothing_to_copy, run, error, answers, patched)
            if error is gpu:
                with pytest.raises(DeviceFailed, match="device-side assert"):
                    run.trainer.run()
            else:
                assert run.trainer.run() == 1
            state, finished = run.ending()
            assert (state.state, finished.exit_code, finished.timesteps) == ("failed", 1, 128)
            lost = f"failed: the last state is not on disk ({why}); the newest is checkpoint 0 of r; stopped: a test"
            assert finished.reason.startswith(lost)
            assert [type(answer) for answer in answers] == [CommandRefused]
            assert [path.name for path in run.paths.checkpoints.iterdir()] == ["0"]
            assert not list(run.paths.staging.iterdir())
            run.collector.shared.close()


def _nothing_to_copy(run: Run, error: Exception, answers: list[object], patched: pytest.MonkeyPatch) -> None:
    """And somebody asks for a checkpoint."""

    def snapshot(*_: object) -> None:
        raise error

    patched.setattr(PPOLearner, "snapshot", snapshot)
    run.queue.put(PendingCommand(1, SaveCheckpoint(), "ada", lambda pending, answer: answers.append(answer)))


def test_a_copy_that_cannot_be_read_is_made_again_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one on a GPU that has failed since it was made: the host's copy of that state may be whole."""
    run, files, calls = Run(tmp_path, settings=SHORT, collector=Cut), LearnerSnapshot.files, 0

    def once(snapshot: LearnerSnapshot) -> dict[str, bytes]:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("CUDA error")
        return files(snapshot)

    run.collector.before_stop = lambda: monkeypatch.setattr(LearnerSnapshot, "files", once)
    assert run.trainer.run() == 0
    assert complete_checkpoints(run.paths)[-1].timesteps == 128
    assert run.ending()[1].reason.startswith("stopped: a test")
    run.collector.shared.close()
