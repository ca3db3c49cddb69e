"""ViewerHost: the trainer's side of the viewer process. Nothing here waits for it; whatever becomes of it, training goes on."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from rltui.events.commands import OutputLive, SetRender, ViewerLive
from rltui.events.records import Level
from rltui.train.course import Course
from rltui.train.live_controls import LiveControls, LoopState, Pending
from rltui.train.preparation import Prepared
from rltui.view.outputs import OutputOptions
from rltui.view.run_match import RunMatchSpec
from rltui.view.run_viewer import ViewerSpec, main
from rltui.view.viewer_messages import (
    Close,
    Failed,
    FromViewer,
    Noticed,
    Playing,
    Switched,
    SwitchOutput,
    ToViewer,
    Weigh,
    decode_from_viewer,
    encode,
)
from rltui.view.weights_board import Weights, WeightsBoard

PATIENCE = 30.0  # seconds that the viewer may take to start or to answer
CLOSING = 5.0  # seconds that it has to end by itself when the run ends: it may have a recording to write
SEED = 0x56  # sets its random numbers apart from the workers'

Log = Callable[[Level, str], None]


@dataclass
class _Wait:
    """Somebody waits for the viewer to answer a SwitchOutput, or (number 0) to play. alone: it was started for that."""

    pending: Pending
    number: int
    since: float
    alone: bool = False


@dataclass
class _Running:
    """The process and all that belongs to it alone."""

    process: SpawnProcess
    pipe: Connection
    board: WeightsBoard
    by_hand: dict[str, float]  # reward weights that it knows of
    playing: Playing | None = None
    failure: Failed | None = None


class ViewerHost:
    """One viewer at most. For the loop's thread."""

    def __init__(self, prepared: Prepared, course: Course, loop: LoopState, log: Log) -> None:
        self._prepared, self._course, self._loop, self._log = prepared, course, loop, log
        self._running: _Running | None = None
        self._ended: list[_Running] = []  # told to close, not gone yet
        self._problem = ""  # why the newest one failed
        self._outputs: set[str] = set()  # wanted
        self._waiting: list[_Wait] = []
        self._number = 0

    def serve(self, controls: LiveControls) -> None:
        """Take SetRender commands from there, and say there how it goes."""
        controls.set_render, controls.attend_viewer, controls.viewer = self.obey, self.attend, self.live

    def obey(self, pending: Pending) -> None:
        """A SetRender; answered when it holds."""
        wish = pending.command
        if not isinstance(wish, SetRender):
            return
        if not wish.on and self._running is None:
            self._problem = ""
            pending.applied("the viewer was off already")
        elif not wish.on and not wish.output:
            self._stop()
            pending.applied("the viewer is off")
        else:
            alone = self._running is None and bool(wish.output)
            if self._running is None:
                self._start(set() if alone else self._profile_outputs())
            self._wait(pending, self._switch(wish.output, wish.on) if wish.output else 0, alone)

    def begin(self) -> None:
        """At the start of training: play, if the profile says so."""
        if self._prepared.profile.render.at_start:
            self._start(self._profile_outputs())

    def attend(self) -> None:
        """Hear the viewer and see whether it lives; costs nothing while there is none."""
        self._bury()
        running = self._running
        if running is None:
            return
        self._hear(running)
        if not running.process.is_alive():
            self._hear(running)  # its last words
            self._lost(running)
        for wait in [wait for wait in self._waiting if time.monotonic() - wait.since > PATIENCE]:
            self._waiting.remove(wait)
            wait.pending.refused(f"the viewer did not answer within {PATIENCE:.0f} s")

    def publish(self, weights: Weights) -> None:
        """The learner's newest weights (policy_flat), and the reward weights set by hand, if they have changed."""
        running = self._running
        if running is None:
            return
        by_hand = dict(self._course.overrides.weights)
        if by_hand != running.by_hand:
            running.by_hand = by_hand
            self._send(running, Weigh(by_hand))
        running.board.write(weights, self._loop.timesteps)

    def renew(self) -> None:
        """Another lesson has begun: play that, with the same outputs."""
        if self._running is not None:
            outputs = set(self._outputs)
            self._stop("another lesson has begun")
            self._start(outputs)

    def live(self) -> ViewerLive | None:
        running = self._running
        if running is None:
            return ViewerLive("failed", None, "", [], self._problem) if self._problem else None
        if running.playing is None:
            return ViewerLive("starting", None, "", [OutputLive(name, "", 0) for name in sorted(self._outputs)])
        playing = running.playing
        return ViewerLive("playing", playing.timesteps, playing.address, playing.outputs)

    def close(self) -> None:
        """The run ends: no viewer is left."""
        self._stop("the run has ended")
        deadline = time.monotonic() + CLOSING
        for running in self._ended:
            running.process.join(max(deadline - time.monotonic(), 0.0))
            if running.process.is_alive():
                running.process.kill()
                running.process.join()
            self._hear(running)
            _let_go(running)
        self._ended.clear()

    def kill(self) -> None:
        """At once, in a signal's handler."""
        for running in (*self._ended, *([self._running] if self._running else [])):
            running.process.kill()
            running.board.close(unlink=True)

    def _profile_outputs(self) -> set[str]:
        return {"rocketsimvis"} if self._prepared.profile.render.rocketsimvis else set()

    def _start(self, outputs: set[str]) -> None:
        self._problem, self._outputs = "", set()
        weights = self._course.learner.policy_flat()
        board = WeightsBoard.create(len(weights))
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=main, args=(self._spec(board, len(weights)), theirs), name="viewer", daemon=True
        )
        process.start()
        theirs.close()
        self._running = _Running(process, ours, board, dict(self._course.overrides.weights))
        board.write(weights, self._loop.timesteps)
        for name in sorted(outputs):
            self._switch(name, on=True)

    def _spec(self, board: WeightsBoard, parameters: int) -> ViewerSpec:
        actor = self._course.blueprint.actor(self._loop.timesteps)
        paths, render = self._prepared.paths, self._prepared.profile.render
        match = RunMatchSpec(
            actor.env, actor.policy_sizes, actor.normalize, (*actor.seed, SEED, time.time_ns()), paths.name
        )
        options = OutputOptions(render.host, render.port, paths.recordings)
        weights = dict(self._course.overrides.weights)
        return ViewerSpec(match, paths.folder, options, weights, board.name, parameters)

    def _switch(self, name: str, on: bool) -> int:
        """Returns the number by which the answer is known."""
        self._number += 1
        (self._outputs.add if on else self._outputs.discard)(name)
        if self._running is not None:
            self._send(self._running, SwitchOutput(self._number, name, on))
        return self._number

    def _wait(self, pending: Pending, number: int, alone: bool) -> None:
        self._waiting.append(_Wait(pending, number, time.monotonic(), alone))
        if self._running is not None and self._running.playing is not None:
            self._answer_playing()

    def _send(self, running: _Running, message: ToViewer) -> None:
        with contextlib.suppress(OSError):  # it is gone, as `attend` will find
            running.pipe.send_bytes(encode(message))

    def _hear(self, running: _Running) -> None:
        with contextlib.suppress(EOFError, OSError):
            while running.pipe.poll(0):
                self._take(running, decode_from_viewer(running.pipe.recv_bytes()))

    def _take(self, running: _Running, message: FromViewer) -> None:
        match message:
            case Playing():
                running.playing = message
                self._answer_playing()
            case Switched():
                self._switched(message)
            case Noticed(text=text):
                self._log("info", text)
            case Failed():
                running.failure = message

    def _answer_playing(self) -> None:
        """Tell those who wait for the game itself."""
        for wait in [wait for wait in self._waiting if wait.number == 0]:
            self._waiting.remove(wait)
            wait.pending.applied(self._words())

    def _words(self) -> str:
        playing = self._running.playing if self._running is not None else None
        targets = [f"{output.name} {output.target}" for output in playing.outputs] if playing is not None else []
        return ", ".join(["the viewer plays", *targets])

    def _switched(self, message: Switched) -> None:
        waits = [wait for wait in self._waiting if wait.number == message.number]
        for wait in waits:
            self._waiting.remove(wait)
            if message.problem:
                wait.pending.refused(message.problem)
            else:
                wait.pending.applied(message.detail)
        if message.problem and not waits:
            self._log("warning", message.problem)
        if message.problem and any(wait.alone for wait in waits):
            self._stop()

    def _lost(self, running: _Running) -> None:
        """It has ended by itself."""
        failure = running.failure
        code = running.process.exitcode
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        self._problem = failure.reason if failure is not None else f"the viewer ended: {how}"
        self._running = None
        _let_go(running)
        trace = f"\n{failure.trace.strip()}" if failure is not None else ""
        self._log("error", f"the viewer failed; training goes on. {self._problem}{trace}")
        self._refuse_all(self._problem)

    def _stop(self, reason: str = "the viewer was switched off") -> None:
        running, self._running, self._problem = self._running, None, ""
        self._outputs = set()
        if running is not None:
            self._send(running, Close())
            self._ended.append(running)
        self._refuse_all(reason)

    def _bury(self) -> None:
        """Those that were told to close and have."""
        for running in [running for running in self._ended if not running.process.is_alive()]:
            self._ended.remove(running)
            self._hear(running)
            _let_go(running)

    def _refuse_all(self, reason: str) -> None:
        waiting, self._waiting = self._waiting, []
        for wait in waiting:
            wait.pending.refused(reason)


def _let_go(running: _Running) -> None:
    running.process.join()
    running.pipe.close()
    running.board.close(unlink=True)
