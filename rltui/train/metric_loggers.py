"""Host of the processes that log metrics beside training, one for each format, and what runs in them.

They read the journal, as viewers do. Training neither waits for them nor needs them: one that fails, hangs or cannot begin is a
line in the log. They end within seconds of their trainer, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, NoReturn

import psutil

from rltui.errors import in_words
from rltui.events.records import IterationFinished, Level, LogLine, Record, decode, encode
from rltui.runs.metric_logs import LogSpec, follow, open_log
from rltui.runs.paths import RunPaths
from rltui.supervise.output_log import OutputLog
from rltui.supervise.processes import ProcessTree, start_piped
from rltui.supervise.signals import become_subordinate, exit_words

if TYPE_CHECKING:
    from rltui.profile.models import Profile  # pydantic, which the processes do not need

NICE = 19
LOOK = 1.0  # seconds between two looks at the journal
SILENCE = 30.0  # seconds in one call of a library: then it is said that it hangs
LAST_SECONDS = 8.0  # for what is left, once the training has ended; then the process ends itself
PATIENCE = LAST_SECONDS + 1  # of the trainer
GOES_ON = "training goes on without it"


def log_specs(profile: Profile, paths: RunPaths) -> list[LogSpec]:
    """What the profile wants logged."""
    log, found = profile.log, []
    if log.csv:
        found.append(LogSpec("csv", paths, paths.csv))
    if log.tensorboard:
        found.append(LogSpec("tensorboard", paths, paths.tensorboard))
    if log.wandb:
        config = profile.model_dump(mode="json", by_alias=True)
        found.append(LogSpec("wandb", paths, paths.folder, log.wandb_project, config))
    return found


@dataclass(frozen=True)
class _Logger:
    kind: str
    process: SpawnProcess
    pipe: Connection
    hearer: threading.Thread


class MetricLoggers:
    """Host of the processes. `on_record` is a subscriber of the publisher: they begin when there is a first iteration to log."""

    def __init__(
        self, specs: Sequence[LogSpec], publish: Callable[[Record], None], output: OutputLog | None = None
    ) -> None:
        self._waiting, self._publish, self._output = list(specs), publish, output
        self._running: list[_Logger] = []
        self._mutex = threading.Lock()  # the run may end while they begin

    def on_record(self, record: Record) -> None:
        if not self._waiting or not isinstance(record, IterationFinished):
            return
        with self._mutex:
            while self._waiting:
                self._begin(self._waiting.pop(0))

    def close(self, patience: float = PATIENCE) -> None:
        """Let them write what is left. One that takes longer (seconds) is killed."""
        with self._mutex:
            self._waiting.clear()
        for logger in self._running:
            with contextlib.suppress(OSError):  # it has ended
                logger.pipe.send_bytes(b"end")
        deadline = time.monotonic() + patience
        for logger in self._running:
            logger.hearer.join(max(deadline - time.monotonic(), 0.0))
            if logger.process.is_alive() and logger.process.pid is not None:
                ProcessTree(logger.process.pid).kill()
            logger.hearer.join(LOOK)

    def _begin(self, spec: LogSpec) -> None:
        try:
            output = self._output.pipe(f"the {spec.kind} logger") if self._output is not None else None
            process, pipe = start_piped(main, spec, spec.kind, output)
        except (OSError, MemoryError) as error:
            self._publish(_line("warning", spec.kind, f"no process could be started: {in_words(error)}; {GOES_ON}"))
            return
        hearer = threading.Thread(target=self._hear, args=(spec.kind, process, pipe), name=spec.kind, daemon=True)
        self._running.append(_Logger(spec.kind, process, pipe, hearer))
        hearer.start()

    def _hear(self, kind: str, process: SpawnProcess, pipe: Connection) -> None:
        """Thread that publishes what a process says, until it ends."""
        with contextlib.suppress(EOFError, OSError):
            while True:
                if (said := decode(pipe.recv_bytes())) is not None:
                    self._publish(said)
        process.join()
        pipe.close()
        if process.exitcode:
            self._publish(_line("warning", kind, f"the logger ended: {exit_words(process.exitcode)}; {GOES_ON}"))


def _line(level: Level, kind: str, message: str) -> LogLine:
    return LogLine(time=time.time(), level=level, source=kind, message=message)


def main(spec: LogSpec, pipe: Connection) -> None:
    """Entry point of a process. Nothing is ever sent to it but that the training has ended."""
    become_subordinate(NICE)
    watch = _Watch(spec.kind, pipe)
    watch.start()
    try:
        watch.touch()
        log = open_log(spec, watch.touch)
        follow(log, spec.paths.journal, watch.pause, lambda: watch.say("info", f"metrics go to {log.where}"))
        log.close()
    except Exception as error:  # whatever a library raises
        watch.say("warning", f"{in_words(error)}; {GOES_ON}")
    _leave()  # at once: libraries wait for their servers when Python ends


def _leave() -> NoReturn:
    """End this process and what its library has started."""
    sys.stdout.flush()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            child.kill()
    os._exit(0)


class _Watch(threading.Thread):
    """Thread of a logging process that says when a library hangs, and ends the process when the training has ended."""

    def __init__(self, kind: str, pipe: Connection) -> None:
        super().__init__(name="watch", daemon=True)
        self._kind, self._pipe, self._mutex = kind, pipe, threading.Lock()
        self._ended = threading.Event()
        self.touched: float | None = None  # when the call began that the process is in (time.monotonic())

    def touch(self) -> None:
        self.touched = time.monotonic()

    def pause(self) -> bool:
        """Until the next look at the journal; True: the training has ended."""
        self.touched = None
        ended = self._ended.wait(LOOK)
        self.touch()
        return ended

    def say(self, level: Level, message: str) -> None:
        with self._mutex, contextlib.suppress(OSError):  # the trainer is gone
            self._pipe.send_bytes(encode(_line(level, self._kind, message)))

    def run(self) -> None:
        told = False
        while not self._asked_to_end():
            touched = self.touched
            if not told and touched is not None and time.monotonic() - touched > SILENCE:
                told = True
                self.say("warning", f"no answer for {SILENCE:g} s; training goes on, and it is waited for")
        self._ended.set()
        time.sleep(LAST_SECONDS)
        self.say("warning", f"no end within {LAST_SECONDS:g} s of the training's: the newest figures may be missing")
        _leave()

    def _asked_to_end(self) -> bool:
        try:
            return self._pipe.poll(LOOK)
        except OSError:  # Windows: the trainer is gone
            return True
