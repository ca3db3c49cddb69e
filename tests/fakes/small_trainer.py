"""A trainer without training, as a process: lock, journal, control socket, and a loop that obeys. Run by its path.

    python small_trainer.py train PROFILE --data-dir D --run R [--resume M]

PROFILE says how it behaves: `obey`; `deaf` (never polls); `mute` (no control socket); `broken` (an error for people
before it starts); `crash` (a traceback before it starts); `killed` (by itself); `never` (starts).
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import msgspec

from rltui.errors import RltuiError, report
from rltui.events.commands import Pause, Resume, Stop
from rltui.events.records import CheckpointSaved, IterationFinished, RunFinished, RunStarted
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock, count_start
from rltui.runs.paths import DataDir, RunPaths
from rltui.supervise.output_log import OutputLog
from rltui.train.control.server import ControlServer
from rltui.train.publisher import Publisher
from tests.fakes import run_story

STEPS = 4096


def started(run: str, start: int = 0) -> RunStarted:
    here = run_story.header(run, time=time.time())
    return msgspec.structs.replace(here, profile="quick", pid=os.getpid(), host=socket.gethostname(), start=start)


class SmallTrainer:
    """The loop: obeys commands and counts Ctrl-C."""

    def __init__(self, paths: RunPaths, publisher: Publisher) -> None:
        self._paths, self._publisher = paths, publisher
        self._state = "collecting"
        self._end = ""
        self._interrupts = 0
        signal.signal(signal.SIGINT, self._interrupt)

    def run(self, server: ControlServer | None = None) -> int:
        pause = threading.Event()
        while not self._end:
            if server is not None:
                server.show(run_story.live(time.time(), state=self._state, timesteps=STEPS))
            self._obey(server)
            pause.wait(0.01)
        if "abandon" not in self._end:
            self._save()
        self._publisher.publish(RunFinished(time=time.time(), timesteps=STEPS, exit_code=0, reason=self._end))
        return 0

    def _obey(self, server: ControlServer | None) -> None:
        for pending in server.commands.take_all() if server else []:
            match pending.command:
                case Pause():
                    self._state = "paused"
                    pending.applied("paused")
                case Resume() if self._state != "paused":
                    pending.refused("not paused")
                case Resume():
                    self._state = "collecting"
                    pending.applied("goes on")
                case Stop(mode=mode):
                    self._end = f"stop ({mode}) by {pending.by}"
                    pending.applied("stopped")

    def _interrupt(self, *_: object) -> None:
        self._interrupts += 1
        self._end = f"Ctrl-C, {self._interrupts} times"

    def _save(self) -> None:
        path = str(self._paths.checkpoint(STEPS))
        self._publisher.publish(
            CheckpointSaved(
                time=time.time(), kind="checkpoint", path=path, label=str(STEPS), timesteps=STEPS, bytes=1, held_seconds=0.0,
                seconds=0.1,
            )
        )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("profile")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--run", default="alpha")
    parser.add_argument("--resume")
    args = parser.parse_args()
    print("small trainer, before its run")
    if args.profile == "broken":
        return report(
            RltuiError("my.toml: 2 errors\nline 3: weigth: unknown key", "did you mean 'weight'?\nsee the docs", 2)
        )
    if args.profile == "crash":
        raise ZeroDivisionError("a bug")
    if args.profile == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if args.profile == "never":
        threading.Event().wait()
    paths = DataDir(args.data_dir).run(args.run)
    with RunLock(paths):
        journal = JournalWriter(paths.journal)
        publisher = Publisher(journal, subscribers=[OutputLog(paths.log).on_record])
        trainer = SmallTrainer(paths, publisher)  # before anybody can find it: it hears Ctrl-C from now on
        publisher.publish(started(args.run, start=count_start(paths)))
        metrics: dict[str, float | None] = {"rollout/policy_reward": 1.25, "time/overall_steps_per_second": 14100.0}
        publisher.publish(IterationFinished(time=time.time(), iteration=8, timesteps=STEPS, metrics=metrics))
        print("small trainer, in its run", flush=True)
        if args.profile == "mute":
            return trainer.run()
        with ControlServer(paths, args.run, publisher.publish) as server:
            if args.profile == "deaf":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                threading.Event().wait()
            return trainer.run(server)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RltuiError as error:
        sys.exit(report(error))
