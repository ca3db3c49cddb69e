"""Launching a trainer in the background, and what it says when it starts."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.errors import RltuiError
from rltui.events.records import CurriculumPlanned, LogLine, Record, RunResumed, RunStarted
from rltui.runs.journal import read_end
from rltui.runs.lock import newest_start, start_number
from rltui.supervise.output_log import LAUNCH_LOG
from rltui.supervise.processes import ManagedProcess
from rltui.supervise.signals import exit_words

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir

LOOK_INTERVAL = 0.05  # seconds
INTERRUPTED_SECONDS = 5.0
PATIENCE = 2.0  # seconds for the messages of a start; they are written right behind the header
MESSAGES_INTERVAL = 0.02  # seconds
START_SECONDS = 120.0  # importing torch on a busy or cold machine takes its time
_PACKAGE_PARENT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class LaunchedTrainer:
    """A trainer whose run has started."""

    run: str
    pid: int  # the trainer's own, as in its records
    process: ManagedProcess


def detached(
    profile: str,
    data: DataDir,
    run: str | None = None,
    extra_args: Sequence[str] = (),
    timeout: float = START_SECONDS,
) -> LaunchedTrainer:
    """As `launched`, of `rltui train PROFILE …`. extra_args: more options of `train`."""
    options = ["--data-dir", str(data.root), *(["--run", run] if run else []), *extra_args]
    return launched(["train", profile, *options], data, timeout)


def launched(words: Sequence[str], data: DataDir, timeout: float = START_SECONDS) -> LaunchedTrainer:
    """Start a command of rltui that opens a run there and outlives whoever launches it; wait until its run has started.

    What it says before goes to a temporary file, for a launch that fails must leave nothing in the data folder;
    `OutputLog` in the trainer carries that over to the run's `trainer.log`.

    RltuiError with the trainer's own message, hint and exit code when it ends before that, and when it has not started
    within `timeout` seconds (it is then stopped).
    """
    descriptor, name = tempfile.mkstemp(prefix="rltui-launch-", suffix=".log")
    os.close(descriptor)
    process = ManagedProcess("trainer", command(*words), Path(name), env=_environment(name))
    before = newest_start(data)
    try:
        process.start()
        return _await_start(process, data, before, timeout)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):  # whoever gives up waiting does not want it in the background
            process.stop(INTERRUPTED_SECONDS)
        Path(name).unlink(missing_ok=True)
        raise


def command(*words: str) -> list[str]:
    """`rltui WORDS` by this interpreter."""
    # -P: a random.py in the user's folder must not take the place of Python's. Run from a checkout, the folder is needed.
    safe = [] if Path.cwd() == _PACKAGE_PARENT else ["-P"]
    return [sys.executable, *safe, "-m", "rltui", *words]


def _environment(log: str) -> dict[str, str]:
    return {LAUNCH_LOG: log, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8:replace"}


def _await_start(process: ManagedProcess, data: DataDir, before: int, timeout: float) -> LaunchedTrainer:
    deadline = time.monotonic() + timeout
    while True:
        code = process.poll()
        started = _started_run(data, process, before)
        if started is not None:
            return LaunchedTrainer(started.run, started.pid, process)
        if code is not None:
            raise _failure(process, code)
        if time.monotonic() >= deadline:
            process.stop(5.0)
            raise RltuiError(f"stopped: the trainer had not started its run after {timeout:g} s", process.tail())
        time.sleep(LOOK_INTERVAL)


def _started_run(data: DataDir, process: ManagedProcess, before: int) -> RunStarted | None:
    """The record that this trainer wrote when it opened its run; it may have chosen or branched the run itself.

    before: the highest number of a start from before it.
    """
    pids = process.pids()
    for paths in map(data.run, data.run_names()):
        if start_number(paths) <= before:
            continue
        for record in reversed(read_end(paths.journal)):
            if isinstance(record, RunStarted) and record.pid in pids and record.start > before:
                return record
    return None


def _failure(process: ManagedProcess, code: int) -> RltuiError:
    """What the trainer said last, as its error; else how it ended and its last lines."""
    lines = process.tail(200).splitlines()
    error_lines = [index for index, line in enumerate(lines) if line.startswith("rltui: ")]
    exit_code = code if code in (1, 2) else 1
    if not error_lines:
        return RltuiError(
            f"the trainer ended before its run started: {exit_words(code)}", "\n".join(lines[-20:]), exit_code
        )
    own = [lines[error_lines[-1]].removeprefix("rltui: "), *lines[error_lines[-1] + 1 :]]
    hint_at = next((index for index, line in enumerate(own) if line.startswith("  ")), len(own))
    hint = "\n".join(line.removeprefix("  ") for line in own[hint_at:])
    return RltuiError("\n".join(own[:hint_at]), hint, exit_code)


def start_messages(journal: Path, pid: int, patience: float = PATIENCE) -> list[str]:
    """What a trainer has written about its start: the reason first, warnings marked as such; as many as are there within
    `patience` seconds. pid: the trainer's.
    """
    deadline = time.monotonic() + patience
    while True:
        records = _since_start(read_end(journal), pid)
        if any(isinstance(record, CurriculumPlanned) for record in records) or time.monotonic() >= deadline:
            return [text for record in records if (text := _message(record))]
        time.sleep(MESSAGES_INTERVAL)


def _since_start(records: Sequence[Record], pid: int) -> list[Record]:
    """Behind this trainer's header, up to the curriculum's plan, which comes last."""
    starts = [index for index, one in enumerate(records) if isinstance(one, RunStarted) and one.pid == pid]
    written = list(records[starts[-1] + 1 :]) if starts else []
    plans = [index for index, one in enumerate(written) if isinstance(one, CurriculumPlanned)]
    return written[: plans[0] + 1] if plans else written


def _message(record: Record) -> str:
    match record:
        case RunResumed(reason=reason):
            return reason
        case LogLine(level="info", source="runs", message=message):
            return message
        case LogLine(level="warning" | "error", message=message):
            return f"! {message}"
        case _:
            return ""
