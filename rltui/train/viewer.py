"""Viewer process of a run: started, fed with weights, switched and ended by the training loop."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from rltui.env.frozen_opponents import OpponentSource
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError, in_words
from rltui.events.commands import OutputLive, SetRender, ViewerLive, stopped_words
from rltui.events.records import Level
from rltui.formatting import duration
from rltui.league.pool import saved_opponents
from rltui.league.sources import saved_bot
from rltui.learn.ppo import PPOLearner
from rltui.policy.saved import foreign_game
from rltui.registry import is_saved_bot
from rltui.supervise.output_log import OutputLog
from rltui.supervise.processes import is_stopped, start_piped
from rltui.supervise.signals import exit_words
from rltui.supervise.sockets import takes_more
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.collect.worker_handle import why
from rltui.train.control.commands import CommandQueue, PendingCommand
from rltui.view.outputs import OutputOptions
from rltui.view.stream import Weights, WeightsBoard
from rltui.view.training_match import RunMatchSpec
from rltui.view.viewer_process import (
    CloseViewer,
    FromViewer,
    Noticed,
    OutputSwitched,
    Playing,
    SetRewardWeights,
    SwitchOutput,
    ToViewer,
    ViewerFailed,
    ViewerSpec,
    decode_from_viewer,
    encode,
    main,
)

CLOSING = 5.0  # seconds that it has to end by itself once asked
WRITTEN = 5_000  # moments of a recording that it writes in a second, of which training leaves it little
PATIENCE = 30.0  # seconds that the viewer may take to start or to answer
SILENT = 5.0  # seconds without a message of one that plays, which sends one twice a second
SEED = 0x56  # sets its random numbers apart from the workers'

Log = Callable[[Level, str], None]


@dataclass
class ViewerChild:
    """The process and all that belongs to it alone."""

    process: SpawnProcess
    pipe: Connection
    board: WeightsBoard
    by_hand: dict[str, float]  # reward weights that it knows of
    playing: Playing | None = None
    failure: ViewerFailed | None = None
    last_message: float = field(
        default_factory=time.monotonic
    )  # when it came; once the viewer was asked to close, when that was

    @classmethod
    def start(cls, spec: ViewerSpec, board: WeightsBoard, output: OutputLog | None) -> ViewerChild:
        """A fresh process that reads `board`. OSError where the system has no room for it."""
        printed = output.pipe("the viewer") if output is not None else None
        return cls(*start_piped(main, spec, "viewer", printed), board, dict(spec.weights))

    def send(self, message: ToViewer) -> None:
        """A viewer that leaves so much unread that sending would wait for it is ended, as its host will find."""
        if not takes_more(self.pipe):
            self.failure = ViewerFailed("ended: it took no more messages (was it stopped?)", "")
            self.process.kill()
            return
        with contextlib.suppress(OSError):  # it is gone, as its host will find
            self.pipe.send_bytes(encode(message))

    def received(self) -> Iterator[FromViewer]:
        """The messages that it has sent since, one by one."""
        with contextlib.suppress(EOFError, OSError):
            while self.pipe.poll(0):
                self.last_message = time.monotonic()
                yield decode_from_viewer(self.pipe.recv_bytes())

    def close(self) -> None:
        """Tell it to end."""
        self.send(CloseViewer())
        self.last_message = time.monotonic()

    @property
    def deadline(self) -> float:
        """Of one asked to close (time.monotonic()): until then it may end by itself, its recording written."""
        return self.last_message + CLOSING + self._recorded / WRITTEN

    @property
    def is_overdue(self) -> bool:
        """Asked to close, and still there after its deadline."""
        return time.monotonic() > self.deadline

    def kill(self) -> None:
        """At once, also from a signal's handler."""
        self.process.kill()
        self.board.close()

    def release(self) -> None:
        """It has ended: nothing of it stays."""
        self.process.join()
        self.pipe.close()
        self.board.close()

    @property
    def end_words(self) -> str:
        """How it ended by itself: its last message, else its exit code."""
        if self.failure is not None:
            return self.failure.reason
        return f"the viewer ended: {exit_words(self.process.exitcode)}"

    @property
    def lost_recording(self) -> str:
        """What went with the process, as a further sentence."""
        return f". Its recording of {self._recorded:,} moments is lost" if self._recorded else ""

    @property
    def _recorded(self) -> int:
        """Moments that its recording holds, as far as it has reported."""
        outputs = self.playing.outputs if self.playing is not None else []
        return sum(output.sent for output in outputs if output.name == "recording")


@dataclass
class _Wait:
    """Somebody waits for the viewer to answer a SwitchOutput, or (number 0) to play. began: it was started for that."""

    pending: PendingCommand
    number: int
    since: float
    began: bool = False


class ViewerHost:
    """Host of the run's viewer process; one at most. For the training loop's thread."""

    def __init__(
        self,
        task: ActiveTask,
        loop: LoopState,
        queue: CommandQueue,
        log: Log,
        output: OutputLog | None = None,
    ) -> None:
        """output: gets what the viewer prints (None: it prints as we do)."""
        self._context, self._task, self._loop, self._queue, self._log = task.context, task, loop, queue, log
        self._output = output
        self._running: ViewerChild | None = None
        self._ended: list[ViewerChild] = []  # asked to close, not gone yet
        self._problem = ""  # why the newest one failed
        self._outputs: set[str] = set()  # wanted
        self._waiting: list[_Wait] = []
        self._number = 0

    def begin(self) -> None:
        """At the start of training: play, if the profile says so."""
        if self._context.profile.render.at_start:
            self._start(self._profile_outputs())

    def poll(self) -> None:
        """Apply SetRender commands, receive the viewer's messages, see whether it lives; costs nothing without either."""
        for pending in self._queue.take(SetRender):
            self._render(pending)
        self._release_ended()
        running = self._running
        if running is None:
            return
        self._receive(running)
        if not running.process.is_alive():
            self._receive(running)  # what it sent before it ended
            self._lost(running)
        for wait in [wait for wait in self._waiting if time.monotonic() - wait.since > PATIENCE]:
            self._waiting.remove(wait)
            wait.pending.refused(f"the viewer did not answer within {PATIENCE:g} s")

    def publish(self, learner: PPOLearner) -> None:
        """The learner's newest weights, and the reward weights set by hand, if they have changed."""
        running = self._running
        if running is None:
            return
        by_hand = dict(self._task.overrides.weights)
        if by_hand != running.by_hand:
            running.by_hand = by_hand
            running.send(SetRewardWeights(by_hand))
        running.board.write(learner.policy_flat(), self._loop.timesteps)

    def renew(self) -> None:
        """Another task has begun: play that, with the same outputs."""
        if self._running is not None:
            outputs = set(self._outputs)
            self._stop("another task began")
            self._start(outputs)

    def live(self) -> ViewerLive | None:
        running = self._running
        if running is None:
            return ViewerLive("failed", None, "", [], self._problem) if self._problem else None
        if running.playing is None:
            return ViewerLive("starting", None, "", [OutputLive(name, "", 0) for name in sorted(self._outputs)])
        playing, silence = running.playing, time.monotonic() - running.last_message
        problem = self._silent(running, silence) if silence > SILENT else ""
        return ViewerLive("playing", playing.timesteps, playing.address, playing.outputs, problem)

    def _silent(self, running: ViewerChild, seconds: float) -> str:
        pid = running.process.pid or 0
        return stopped_words(pid) if is_stopped(pid) else f"silent for {duration(seconds)}"

    def close(self) -> None:
        """The run ends: no viewer is left."""
        self._stop("the run has ended")
        for running in self._ended:
            running.process.join(max(running.deadline - time.monotonic(), 0.0))
            if running.process.is_alive():
                running.process.kill()
                running.process.join()
            self._receive(running)
            running.release()
        self._ended.clear()

    def kill(self) -> None:
        """At once, in a signal's handler."""
        for running in (*self._ended, *([self._running] if self._running else [])):
            running.kill()

    def _render(self, pending: PendingCommand) -> None:
        """Answered when it holds."""
        wanted = pending.command
        if not isinstance(wanted, SetRender):
            return
        if not wanted.on and self._running is None:
            self._problem = ""
            pending.applied("the viewer was already off")
        elif not wanted.on and not wanted.output:
            self._stop()
            pending.applied("the viewer is off")
        else:
            began = self._running is None
            if began and not self._start(set() if wanted.output else self._profile_outputs()):
                pending.refused(self._problem)
                return
            self._wait(pending, self._switch(wanted.output, wanted.on) if wanted.output else 0, began)

    def _profile_outputs(self) -> set[str]:
        return {"rocketsimvis"} if self._context.profile.render.rocketsimvis else set()

    def _start(self, outputs: set[str]) -> bool:
        """False, with the problem logged, where the system has no room for it."""
        self._problem, self._outputs = "", set()
        try:
            self._running = self._child(self._task.learner.policy_flat())
        except (RltuiError, OSError, MemoryError) as error:
            reason = in_words(error) if isinstance(error, RltuiError) else why(error)
            self._problem = f"cannot start the viewer: {reason}"
            self._log("error", f"{self._problem}; training goes on")
            return False
        for name in sorted(outputs):
            self._switch(name, on=True)
        return True

    def _child(self, weights: Weights) -> ViewerChild:
        """A fresh process that plays these. RltuiError, OSError or MemoryError leaves nothing of it."""
        board = WeightsBoard.create(len(weights))
        try:
            board.write(weights, self._loop.timesteps)
            return ViewerChild.start(self._spec(board, len(weights)), board, self._output)
        except BaseException:
            board.close()
            raise

    def _spec(self, board: WeightsBoard, parameters: int) -> ViewerSpec:
        actor = self._task.config.actor(self._loop.timesteps)
        if actor.env.environment:
            raise foreign_game(actor.env.environment)
        paths, render = self._context.paths, self._context.profile.render
        match = RunMatchSpec(
            actor.env,
            actor.policy_sizes,
            actor.normalize,
            (*actor.seed, SEED, time.time_ns()),
            paths.name,
            self._orange(actor.env),
        )
        options = OutputOptions(render.host, render.port, paths.recordings)
        weights = dict(self._task.overrides.weights)
        return ViewerSpec(match, paths.folder, options, weights, board.memory, parameters)

    def _orange(self, env: EnvSpec) -> OpponentSource | None:
        """The newest of the saved policies that play orange; None where none does, or is there yet. RltuiError as `_child`."""
        if is_saved_bot(env.opponent.name):
            return saved_bot(env.opponent.name, self._context.paths.data)
        saved = saved_opponents(self._context.paths, checkpoints=True) if env.frozen_orange else {}
        return next(reversed(saved.values()), None)

    def _switch(self, name: str, on: bool) -> int:
        """Returns the number by which the answer is known."""
        self._number += 1
        (self._outputs.add if on else self._outputs.discard)(name)
        if self._running is not None:
            self._running.send(SwitchOutput(self._number, name, on))
        return self._number

    def _wait(self, pending: PendingCommand, number: int, began: bool) -> None:
        self._waiting.append(_Wait(pending, number, time.monotonic(), began))
        if self._running is not None and self._running.playing is not None:
            self._answer_playing()

    def _receive(self, running: ViewerChild) -> None:
        for message in running.received():
            self._take(running, message)

    def _take(self, running: ViewerChild, message: FromViewer) -> None:
        match message:
            case Playing():
                running.playing = message
                if running is self._running:  # the last messages of one that was asked to close answer no command
                    self._answer_playing()
            case OutputSwitched():
                self._switched(message)
            case Noticed(text=text, level=level):
                self._log(level, text)
            case ViewerFailed():
                running.failure = message

    def _answer_playing(self) -> None:
        """Answer those who wait for the game itself."""
        for wait in [wait for wait in self._waiting if wait.number == 0]:
            self._waiting.remove(wait)
            wait.pending.applied(self._begun(wait) + self._words())

    def _begun(self, wait: _Wait) -> str:
        """What a command started beside what it asked for, to stand before its answer."""
        return (
            f"the viewer process was started (pid {self._running.process.pid}): "
            if wait.began and self._running
            else ""
        )

    def _words(self) -> str:
        playing = self._running.playing if self._running is not None else None
        targets = [f"{output.name} {output.target}" for output in playing.outputs] if playing is not None else []
        return ", ".join(["the viewer plays", *targets])

    def _switched(self, message: OutputSwitched) -> None:
        waits = [wait for wait in self._waiting if wait.number == message.number]
        for wait in waits:
            self._waiting.remove(wait)
            if message.problem:
                wait.pending.refused(message.problem)
            else:
                wait.pending.applied(self._begun(wait) + message.detail)
        if message.problem and not waits:
            self._log("warning", message.problem)
        if message.problem and any(wait.began for wait in waits):
            self._stop()

    def _lost(self, running: ViewerChild) -> None:
        """It has ended by itself."""
        self._problem, self._running = running.end_words, None
        running.release()
        trace = f"\n{running.failure.trace.strip()}" if running.failure is not None else ""
        self._log("error", f"the viewer failed; training goes on. {self._problem}{running.lost_recording}{trace}")
        self._refuse_all(self._problem)

    def _stop(self, reason: str = "the viewer was switched off") -> None:
        running, self._running, self._problem = self._running, None, ""
        self._outputs = set()
        if running is not None:
            running.close()
            self._ended.append(running)
        self._refuse_all(reason)

    def _release_ended(self) -> None:
        """Those that were asked to close and have; those that do not are killed."""
        for running in self._ended:
            if running.is_overdue:
                running.process.kill()
        for running in [running for running in self._ended if not running.process.is_alive()]:
            self._ended.remove(running)
            self._receive(running)
            running.release()

    def _refuse_all(self, reason: str) -> None:
        waiting, self._waiting = self._waiting, []
        for wait in waiting:
            wait.pending.refused(reason)
