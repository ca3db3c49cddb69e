"""rltui stop."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_run, named_or_training_run, training_runs
from rltui.errors import RltuiError, report
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.events.commands import ServerMessage
    from rltui.runs.journal import JournalTail
    from rltui.runs.lock import Holder
    from rltui.runs.paths import RunPaths
    from rltui.supervise.control_client import ControlClient


Mode = Literal["finish", "now", "abandon"]
Say = Callable[[str], None]

WORDS = {
    "finish": "finish the iteration, save, end",
    "now": "save now and end",
    "abandon": "end without saving",
}
SIGNALS = {"finish": 1, "now": 2, "abandon": 3}  # how many
BETWEEN_SIGNALS = 0.3  # seconds; two signals that come together count as one
ACCEPT_SECONDS = 5.0  # a trainer's socket thread answers within a second
ABANDON_SECONDS = 10.0  # an abandoned trainer that lives on so long is killed
KILL_SECONDS = 3.0  # for the ladder from SIGTERM to SIGKILL
LOOK_INTERVAL = 0.1  # seconds
WAIT = 120.0  # seconds; an iteration can last a minute


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "stop",
        "stop a run: finish the iteration, save, end",
        "rltui stop alpha --now --wait 30\n  rltui stop --all",
    )
    add_run(parser, "the one in training")
    parser.add_argument("--all", action="store_true", help="stop every run in training")
    add_data_dir(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--now", action="store_true", help="save now, without finishing the iteration")
    how.add_argument("--abandon", action="store_true", help="end without saving; kill a trainer that does not answer")
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        default=WAIT,
        help=f"how long to wait for the end (default {WAIT:.0f}); 0: only ask",
    )


def run(args: argparse.Namespace) -> int:
    """Stop the run, or all. 0: ended (or, with --wait 0, was asked). RltuiError (1): one runs on."""
    from rltui.runs.paths import data_dir

    mode: Mode = "abandon" if args.abandon else "now" if args.now else "finish"
    data = data_dir(args.data_dir)
    if args.all:
        if args.run is not None:
            raise RltuiError("stop: RUN and --all exclude each other", "leave one out", exit_code=2)
        return _stop_all(training_runs(data), mode, args.wait)
    stop(named_or_training_run(data, args.run), mode, args.wait, _say)
    return 0


def _stop_all(running: Sequence[RunPaths], mode: Mode, wait: float) -> int:
    """A thread for each, so that none trains on while another saves."""
    from concurrent.futures import ThreadPoolExecutor

    def one(paths: RunPaths) -> int:
        def named(line: str) -> None:
            _say(f"{paths.name}: {line.removeprefix(f'run {paths.name}').lstrip(': ')}")

        try:
            stop(paths, mode, wait, named)
        except RltuiError as error:
            return report(error)
        return 0

    with ThreadPoolExecutor(len(running)) as threads:
        return max(threads.map(one, running))


def _say(line: str) -> None:
    say(line)
    sys.stdout.flush()  # it may be long until the next line


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0.0 <= seconds <= 1e6:
        raise ValueError
    return seconds


_seconds.__name__ = "number of seconds"  # argparse names the type in its error: "invalid number of seconds value: 'x'"


def stop(paths: RunPaths, mode: Mode, wait: float, say: Say) -> None:
    """Ask the trainer to stop and wait up to `wait` seconds for its end; `say` is told what happens, line by line.

    RltuiError when no trainer runs, when it cannot be asked, refuses, or has not ended in time.
    """
    from rltui.runs.journal import JournalTail
    from rltui.runs.lock import lock_holder

    trainer = lock_holder(paths)
    if trainer is None:
        raise RltuiError(f"run {paths.name} is not training", f"its state: rltui status {paths.name}")
    asked = JournalTail.at_end(paths.journal)
    deadline = time.monotonic() + (min(wait, ABANDON_SECONDS) if mode == "abandon" else wait)
    _ask(paths, trainer, mode, deadline, say)
    if wait == 0.0:
        return
    if not _ended(paths, deadline):
        _not_in_time(paths, trainer, mode, wait, say)
    say(_ending(paths, asked))


def _ask(paths: RunPaths, trainer: Holder, mode: Mode, deadline: float, say: Say) -> None:
    """By command; by signal where the trainer's socket is not there or silent."""
    from rltui.events.commands import Stop
    from rltui.supervise.control_client import ControlClient

    try:
        client = ControlClient(one_shot=True)
        client.connect(paths)
    except RltuiError as error:
        say(error.message)
        _signal(trainer, mode, say, error)
        return
    with client:
        number = client.send(Stop(mode))
        _listen(
            client,
            number,
            deadline,
            lambda: say(f"run {paths.name}: asked pid {trainer.pid} to stop: {WORDS[mode]}"),
            say,
        )


def _listen(client: ControlClient, number: int, deadline: float, accepted: Callable[[], None], say: Say) -> None:
    """Until the command is applied, the trainer hangs up or the deadline; always until it is accepted."""
    from rltui.events.commands import CommandApplied, CommandRefused, Live
    from rltui.events.records import state_word
    from rltui.supervise.control_client import TrainerGoneError

    accept_by = time.monotonic() + ACCEPT_SECONDS
    waiting, state = True, ""
    while time.monotonic() < (accept_by if waiting else deadline):
        try:
            messages = client.poll(LOOK_INTERVAL)
        except TrainerGoneError:
            return  # ending is what it was asked to do
        for message in messages:
            if isinstance(message, Live) and message.state != state and not waiting:
                state = message.state
                say(f"state: {state_word(state)}" + (f", {message.reason}" if message.reason else ""))
            elif _about(message, number):
                if isinstance(message, CommandRefused):
                    raise RltuiError(
                        f"the trainer refused to stop: {message.reason}",
                        "its state: rltui status; end without saving: rltui stop --abandon",
                    )
                if isinstance(message, CommandApplied):
                    return
                waiting = False
                accepted()
    if waiting:
        raise RltuiError(
            f"the trainer did not accept the command within {ACCEPT_SECONDS:g} s",
            "its state: rltui status; end without saving: rltui stop --abandon",
        )


def _about(message: ServerMessage, number: int) -> bool:
    from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused

    return isinstance(message, CommandAccepted | CommandApplied | CommandRefused) and message.id == number


def _signal(trainer: Holder, mode: Mode, say: Say, error: RltuiError) -> None:
    """SIGTERM to finish, which may be repeated; else as many Ctrl-C as the mode is worth. Raises `error` where the trainer is on another machine or takes no signals."""
    from rltui.supervise.signals import CAN_ASK

    if trainer.pid is None or trainer.host != socket.gethostname() or not CAN_ASK:
        raise error
    say(f"sending pid {trainer.pid} a signal instead: {WORDS[mode]}")
    number = signal.SIGTERM if mode == "finish" else signal.SIGINT
    for count in range(SIGNALS[mode]):
        time.sleep(BETWEEN_SIGNALS * (count > 0))
        try:
            os.kill(trainer.pid, number)
        except ProcessLookupError:
            return
        except PermissionError as refused:
            raise RltuiError(f"pid {trainer.pid} belongs to another user", "only that user can stop it") from refused


def _ended(paths: RunPaths, deadline: float) -> bool:
    """Whether the run's lock is free by the deadline."""
    from rltui.runs.lock import lock_holder

    while lock_holder(paths) is not None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_INTERVAL)
    return True


def _not_in_time(paths: RunPaths, trainer: Holder, mode: Mode, wait: float, say: Say) -> None:
    from rltui.supervise.processes import ProcessTree, stop_tree

    if mode != "abandon":
        raise RltuiError(
            f"run {paths.name} had not ended after {wait:g} s, and is still stopping",
            f"wait longer: rltui stop {paths.name} --wait SECONDS\nend without saving: rltui stop {paths.name} --abandon",
        )
    if trainer.pid is None or trainer.host != socket.gethostname():
        raise RltuiError(f"run {paths.name} does not end, and runs on another machine: {trainer}", "stop it there")
    ending = stop_tree(ProcessTree(trainer.pid), KILL_SECONDS)
    say(f"pid {trainer.pid} did not end by itself: {ending.how}")


def _ending(paths: RunPaths, asked: JournalTail) -> str:
    """How it went, by what the journal has got since."""
    from rltui.events.records import CheckpointSaved, RunFinished
    from rltui.runs.inventory import list_checkpoints

    records = list(asked.rest())
    finished = next((record for record in reversed(records) if isinstance(record, RunFinished)), None)
    saved = next((record for record in reversed(records) if isinstance(record, CheckpointSaved)), None)
    whole = [info.path for info in list_checkpoints(paths) if info.damage is None]
    newest = f"saved {saved.path}" if saved else f"its newest checkpoint is {whole[-1]}" if whole else "no checkpoint"
    if finished is None:
        return f"run {paths.name} died; {newest}"
    return f"run {paths.name} ended at {finished.timesteps:,} timesteps ({finished.reason}); {newest}"
