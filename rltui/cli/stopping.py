"""Stopping a run from outside: by command where the trainer listens, by signal where it does not."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Literal

from rltui.errors import RltuiError
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused, Live, ServerMessage, Stop
from rltui.events.records import CheckpointSaved, RunFinished, state_word
from rltui.runs.journal import read_end
from rltui.runs.listing import list_checkpoints
from rltui.runs.lock import Holder, holder
from rltui.runs.paths import RunPaths
from rltui.supervise.control_client import ControlClient, TrainerGoneError
from rltui.supervise.process_tree import ProcessTree
from rltui.supervise.stop_ladder import stop_tree

Mode = Literal["finish", "now", "abandon"]

WORDS = {
    "finish": "it finishes its iteration, saves and ends",
    "now": "it saves at once and ends",
    "abandon": "it ends without saving",
}
SIGNALS = {"finish": 1, "now": 2, "abandon": 3}  # how many
BETWEEN_SIGNALS = 0.3  # seconds; two signals that come together count as one
ACCEPT_SECONDS = 5.0  # a trainer's socket thread answers within a second
ABANDON_SECONDS = 10.0  # an abandoned trainer that lives on so long is killed
KILL_SECONDS = 3.0  # for the ladder from SIGTERM to SIGKILL
LOOK_INTERVAL = 0.1  # seconds

Say = Callable[[str], None]


def stop(paths: RunPaths, mode: Mode, wait: float, say: Say) -> None:
    """Ask the trainer to stop and wait up to `wait` seconds for its end; `say` is told what happens, line by line.

    RltuiError when no trainer runs, when it cannot be asked, refuses, or has not ended in time.
    """
    trainer = holder(paths)
    if trainer is None:
        raise RltuiError(f"run {paths.name} is not training", f"its state: rltui status {paths.name}")
    begun = time.time()
    deadline = time.monotonic() + (min(wait, ABANDON_SECONDS) if mode == "abandon" else wait)
    _ask(paths, trainer, mode, deadline, say)
    if wait == 0.0:
        return
    if not _ended(paths, deadline):
        _not_in_time(paths, trainer, mode, wait, say)
    say(_ending(paths, begun))


def _ask(paths: RunPaths, trainer: Holder, mode: Mode, deadline: float, say: Say) -> None:
    """By command; by signal where the trainer's socket is not there or silent."""
    try:
        client = ControlClient(errand=True)
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
                        "see what it does: rltui status; end it without saving: rltui stop --abandon",
                    )
                if isinstance(message, CommandApplied):
                    return
                waiting = False
                accepted()
    if waiting:
        raise RltuiError(
            f"the trainer did not accept the command within {ACCEPT_SECONDS:g} s",
            "see what it does: rltui status; end it without saving: rltui stop --abandon",
        )


def _about(message: ServerMessage, number: int) -> bool:
    return isinstance(message, CommandAccepted | CommandApplied | CommandRefused) and message.id == number


def _signal(trainer: Holder, mode: Mode, say: Say, error: RltuiError) -> None:
    """SIGTERM to finish, which may be repeated; else as many Ctrl-C as the mode is worth. Raises `error` where the trainer is on another machine or takes no signals."""
    if trainer.pid is None or trainer.host != socket.gethostname() or sys.platform == "win32":
        raise error
    say(f"telling pid {trainer.pid} by signal instead: {WORDS[mode]}")
    number = signal.SIGTERM if mode == "finish" else signal.SIGINT
    for count in range(SIGNALS[mode]):
        time.sleep(BETWEEN_SIGNALS * (count > 0))
        try:
            os.kill(trainer.pid, number)
        except ProcessLookupError:
            return
        except PermissionError as refused:
            raise RltuiError(
                f"pid {trainer.pid} belongs to another user", "only that user can stop it; nothing was changed"
            ) from refused


def _ended(paths: RunPaths, deadline: float) -> bool:
    """Whether the run's lock is free by the deadline."""
    while holder(paths) is not None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(LOOK_INTERVAL)
    return True


def _not_in_time(paths: RunPaths, trainer: Holder, mode: Mode, wait: float, say: Say) -> None:
    if mode != "abandon":
        raise RltuiError(
            f"run {paths.name} had not ended after {wait:g} s; it goes on stopping",
            f"wait longer: rltui stop {paths.name} --wait SECONDS\nend it without saving: rltui stop {paths.name} --abandon",
        )
    if trainer.pid is None or trainer.host != socket.gethostname():
        raise RltuiError(
            f"run {paths.name} does not end, and its process is not on this machine: {trainer}", "stop it there"
        )
    ending = stop_tree(ProcessTree(trainer.pid), KILL_SECONDS)
    say(f"pid {trainer.pid} did not end by itself: {ending.how}")


def _ending(paths: RunPaths, begun: float) -> str:
    """How it went, by the journal."""
    records = [record for record in read_end(paths.journal) if record.time >= begun - 1.0]
    finished = next((record for record in reversed(records) if isinstance(record, RunFinished)), None)
    saved = next((record for record in reversed(records) if isinstance(record, CheckpointSaved)), None)
    whole = [info.path for info in list_checkpoints(paths) if info.damage is None]
    kept = (
        f"saved {saved.path}" if saved else f"its newest checkpoint is {whole[-1]}" if whole else "it has no checkpoint"
    )
    if finished is None:
        return f"run {paths.name} has ended without a word; {kept}"
    return f"run {paths.name} has ended at {finished.timesteps:,} timesteps ({finished.reason}); {kept}"
