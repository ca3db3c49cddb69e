"""Session of one run: opens all its parts in order, trains, closes them in the reverse order."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from rltui import safe_io
from rltui.checks.components import obs_warnings
from rltui.env.from_profile import reward_warnings
from rltui.errors import RltuiError, report
from rltui.events.records import Level, Record
from rltui.formatting import MEGABYTE
from rltui.learn.ppo import PPOLearner
from rltui.profile.advice import advice
from rltui.profile.copies import saved_copies
from rltui.runs.atomic import replace_file
from rltui.runs.journal import JournalWriter
from rltui.runs.journal_reader import copy_history, elapsed_so_far, reward_so_far, unclean_end
from rltui.runs.launch_plan import confirm
from rltui.runs.lock import (
    Holder,
    RunLock,
    being_trained,
    check_writable,
    claim_run,
    count_start,
    lock_holder,
    undo_start,
)
from rltui.runs.paths import RunPaths
from rltui.runs.saver import clean_temporary
from rltui.supervise.output_log import OutputLog
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.collect.collector import Collector
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from rltui.train.console import Console
from rltui.train.control.commands import StopRequest, Urgency
from rltui.train.control.server import ControlServer
from rltui.train.metric_loggers import PATIENCE, MetricLoggers, log_specs
from rltui.train.publisher import Publisher
from rltui.train.setup import StartContext, TrainOptions, prepare
from rltui.train.state_evaluator import StateEvaluator
from rltui.train.trainer import Trainer
from rltui.train.viewer import ViewerHost

SWITCH_SECONDS = 5e-4  # until a busy thread (saving, serving viewers) gives way to the loop; Python's own is 5e-3


def train(options: TrainOptions) -> int:
    """Train one run to its end and return the exit code. Raises RltuiError for what keeps it from starting."""
    context = prepare(options)
    reached = options.steps is not None and 0 < options.steps <= context.plan.timesteps
    if reached and not context.plan.imported:
        console = Console(sys.stdout)
        console.say(context.plan.reason)
        console.say(
            f"nothing to do: the total of {options.steps:,} is reached; raise --steps, or start from zero: --resume new"
        )
        return 0
    taken = ""
    if options.take_over and (other := lock_holder(context.paths)) is not None and other.by_name:
        with RunLock(context.paths, take_over=True) as lock:
            taken = lock.notice
        context = prepare(options)  # it may have saved meanwhile
    paths = context.paths
    fresh = not paths.exists()
    if context.found_a_name and not claim_run(paths):
        if options.resume == "auto":
            other = lock_holder(paths) or Holder()
            raise being_trained(paths, other, f"rltui train {options.profile_argument} --resume new")
        return train(options)  # a start in the same second has it
    sys.setswitchinterval(SWITCH_SECONDS)
    with ExitStack() as stack:
        if fresh:
            stack.push(partial(undo_start, paths))  # comes last, when the lock is free again
        with _opening(paths):
            lock = stack.enter_context(RunLock(paths))
            confirm(options.data, context.plan)
            check_writable(options.data, context.plan.run)
            clean_temporary(paths)
            session = _Session(context, paths, stack, lock)
            trainer = session.open(taken)
        return session.run(trainer)


@contextmanager
def _opening(paths: RunPaths) -> Iterator[None]:
    """RltuiError for what the system refuses while a run is opened."""
    try:
        yield
    except OSError as error:
        place = error.filename2 or error.filename or paths.folder
        hint = "make room there, or mend or move away what is in its place, and start again; nothing was trained"
        raise RltuiError(f"cannot open run {paths.name!r}: {place}: {safe_io.reason(error)}", hint) from error


class _Session:
    """Everything of one run, opened in order and closed in the reverse order by the stack."""

    def __init__(self, context: StartContext, paths: RunPaths, stack: ExitStack, lock: RunLock) -> None:
        self._context, self._paths, self._stack, self._lock = context, paths, stack, lock
        self._unclean = unclean_end(paths)
        for name, text in saved_copies(context.profile, paths.profile.name).items():
            replace_file(paths.profile.with_name(name), text.encode())
        journal = JournalWriter(paths.journal, context.profile.log.rotate_mb * MEGABYTE)
        stack.callback(journal.close)
        if context.plan.parent_run is not None:
            copy_history(paths.data.run(context.plan.parent_run), journal, context.plan.timesteps)
        begun_at = context.plan.timesteps
        console = Console(sys.stdout, reward_so_far(paths, begun_at))
        self._output = OutputLog(paths.log)
        self._loggers = MetricLoggers(log_specs(context.profile, paths), self._publish, self._output)
        self._publisher = Publisher(
            journal, subscribers=[console, self._output.on_record, self._loggers.on_record]
        ).start()
        stack.callback(self._publisher.close)
        self._output.start(self._publisher.log)
        stack.callback(self._output.close)
        self._stop = StopRequest(self._abandon)
        stack.callback(self._close_loggers)
        self._loop = LoopState(
            self._publisher.publish,
            timesteps=begun_at,
            rewards=reward_so_far(paths, begun_at),
            earlier=elapsed_so_far(paths),
        )
        self._collector: Collector | None = None
        self._shared: SharedRollout | None = None
        self._viewer: ViewerHost | None = None
        self._evaluator: StateEvaluator | None = None
        self._warned: set[str] = set()

    def open(self, taken: str) -> Trainer:
        """All that is still missing. taken: over from whom."""
        self._stop.install()
        publish = self._publisher.publish
        self._stack.callback(self._close_collector)
        learner = self._learner()
        task = ActiveTask(self._context, learner, partial(self._open_collector, learner))
        server = ControlServer(self._paths, self._paths.name, publish, drain=self._publisher.drain).start()
        self._stack.callback(server.close)
        self._evaluator = evaluator = StateEvaluator(
            self._paths, self._context.profile.evaluation, publish, self._output
        )
        self._stack.callback(evaluator.close)
        self._viewer = viewer = ViewerHost(task, self._loop, server.commands, self._log_viewer, self._output)
        self._stack.callback(viewer.close)
        trainer = Trainer(self._loop, task, viewer, evaluator, server, self._stop)
        for notice in filter(None, (taken, self._lock.notice, self._unclean)):
            self._publisher.log("warning", "runs", notice)
        for notice in learner.notices:
            self._publisher.log("warning", "learner", notice)
        self._loop.start = count_start(self._paths)
        self._lock.watch(self._taken_over)
        return trainer

    def run(self, trainer: Trainer) -> int:
        try:
            return trainer.run()
        finally:
            self._stop.close()

    def _learner(self) -> PPOLearner:
        """New, or with the state of the checkpoint that training goes on from."""
        learner = self._context.config.learner()
        plan = self._context.plan
        if plan.checkpoint is not None:
            progress = learner.load(plan.files())
            self._loop.iteration, self._loop.mean_reward = progress.epoch, progress.policy_average_reward
        return learner

    def _open_collector(self, learner: PPOLearner, config: ResolvedConfig, timesteps: int) -> Collector:
        """A collector for this task, in the place of the one before."""
        self._close_collector()
        self._warn(config)
        self._shared = shared = SharedRollout.create(config.shape)
        self._collector = config.collector(learner, shared, timesteps, self._publisher.publish, self._output)
        self._publisher.log("info", "workers", f"the policy is evaluated by {config.inference_words}")
        return self._collector

    def _close_collector(self) -> None:
        if self._collector is not None:
            self._collector.close()
        if self._shared is not None:
            self._shared.close()
        self._collector = self._shared = None

    def _warn(self, config: ResolvedConfig) -> None:
        """Of the profile and the rewards that now begin; nothing twice."""
        found = [("profile", sentence) for sentence in advice(config.profile)]
        found += [("learner", sentence) for sentence in filter(None, [config.device_warning])]
        found += [("observation", sentence) for sentence in obs_warnings(config.spec)]
        found += [("rewards", sentence) for sentence in reward_warnings(config.spec)]
        for source, warning in found:
            if warning not in self._warned:
                self._warned.add(warning)
                self._publisher.log("warning", source, warning)

    def _close_loggers(self) -> None:
        self._publisher.drain()  # they read what it has written
        self._loggers.close(0.0 if self._stop.urgency is Urgency.ABANDON else PATIENCE)

    def _publish(self, record: Record) -> None:
        self._publisher.publish(record)

    def _log_viewer(self, level: Level, line: str) -> None:
        self._publisher.log(level, "viewer", line)

    def _taken_over(self, by: Holder) -> None:
        """On the lock's thread: nothing more may be written, not even that it ends, nor that its workers do."""
        self._publisher.silence()
        report(
            RltuiError(f"run {self._paths.name!r} was taken over by {by}", "it goes on there; nothing is saved here")
        )
        self._abandon()

    def _abandon(self) -> None:
        """The third Ctrl-C, in the signal handler, or a take-over: no worker and no shared memory is left; nothing is saved."""
        try:
            if self._viewer is not None:
                self._viewer.kill()
            if self._evaluator is not None:
                self._evaluator.close()
            if self._collector is not None:
                self._collector.kill()
            if self._shared is not None:
                self._shared.close()
        finally:  # also where the run's own end has taken them away already
            os._exit(1)
