"""Host of a training script of others (rlgym-ppo, rlgym-learn): runs it on a pseudo-terminal, writes what it prints into a journal.

To viewers it is a trainer: it holds the run's lock, serves the control socket and says how the script is. Commands become the
script's own keys; what becomes of them shows in what it prints.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.events.commands import Live, Pause, Resume, SaveCheckpoint, Stop
from rltui.events.records import (
    CheckpointSaved,
    IterationFinished,
    Level,
    RunFinished,
    RunResumed,
    RunStarted,
    StateChanged,
    TrainerState,
    end_words,
)
from rltui.formatting import duration, plural
from rltui.runs import rlgym_ppo
from rltui.runs.journal import JournalWriter
from rltui.runs.journal_reader import JournalEnd, elapsed_so_far, script_header, unclean_end
from rltui.runs.lock import Holder, RunLock, check_writable, claim_run, count_start, undo_start
from rltui.runs.paths import DataDir, RunPaths, default_run_name
from rltui.supervise.control_client import user_name
from rltui.supervise.output_log import LAUNCH_LOG, OutputLog
from rltui.supervise.processes import ManagedProcess
from rltui.supervise.signals import BY_SIGNAL, exit_words
from rltui.supervise.terminal import GONE, PseudoTerminal, open_keyboard
from rltui.train.control.clients import TokenBucket
from rltui.train.control.commands import PendingCommand, StopRequest, Urgency
from rltui.train.control.server import ControlServer
from rltui.train.publisher import Publisher, QueueThread
from rltui.train.script_report import OutputLines, ReportParser, ScriptReport

SOURCE = "script"  # of log lines
LOOK = 0.1  # seconds that output is waited for: between two looks at everything else
LIVE_INTERVAL = 0.5  # seconds
LINES, LINES_AT_ONCE = 5.0, 200  # a second and in a burst, that the journal keeps; the log file has more
# Seconds from a report to the next key: the script looks for keys right after one, and takes all that wait as one.
KEY_PAUSE = 1.0
QUIET = 60.0  # seconds without output that are worth a word
STOP_SECONDS = 30.0  # of the ladder, from Ctrl-C on
KILL_SECONDS = 3.0  # of the ladder for a script that is abandoned, and for what one leaves behind
LAST_LINES, LAST_CHARACTERS = 20, 200  # told of a script that failed: of its output, of its last line
TOLD_SECONDS = 1.0  # that a script's children may go on printing after it has ended
MOST_CHUNKS = 1_000  # of output that wait for a terminal that is held; then the script waits, as it would without us
ECHO_SECONDS = 3.0  # for a terminal or reader to take what is left
CTRL_C = b"\x03"
# Any key ends a pause of rlgym-ppo, which reads that key again after the next iteration: so one without a meaning.
GO_ON = " "
_UNKNOWN: dict[str, Any] = {  # of the header: nobody can tell what a script trains
    **dict.fromkeys(("phase", "stage", "step_limit"), None),
    **dict.fromkeys(("workers", "arenas", "blue", "orange", "obs_size", "actions", "tick_skip", "seed"), 0),
    **dict.fromkeys(("policy_parameters", "critic_parameters", "iteration", "batch", "minibatch", "epochs"), 0),
    **dict.fromkeys(("learning_rate", "critic_learning_rate", "ent_coef", "gamma"), 0.0),
    **dict.fromkeys(("save_every", "milestone_interval"), 0),
    **{key: [] for key in ("policy_layers", "critic_layers", "reward_names")},
    "versions": {},
    "device": "",
}
_SAID = re.compile(
    r"(?P<listens>Press \(p\) to pause)|(?P<paused>Paused, press any key)|(?P<resumes>Resuming\.\.\.)"
    r"|(?P<saving>Saving checkpoint)|Checkpoint (?P<saved>[0-9]{1,18}) saved"
)
_ERROR = re.compile(
    r"Traceback \(most recent call last\)|[\w.]*(?:Error|Exception|Interrupt|Exit)\b(?::.*)?|.*\bERROR\b.*"
)
_WARNING = re.compile(r".*\bwarn(?:ing)?\b.*", re.IGNORECASE)


@dataclass(frozen=True)
class ScriptOptions:
    """What `rltui run` was asked for."""

    command: Sequence[str]
    data: DataDir
    run: str | None = None  # None: called after the script


def script_name(command: Sequence[str]) -> str:
    """`train` of `python train.py`, `bot.train` of `python -m bot.train`; else the program's own."""
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word == "-m" and following:
            return following
        if word.endswith(".py"):
            return Path(word).stem
    return Path(command[0]).name


def check_command(command: Sequence[str]) -> None:
    """RltuiError (exit 2) where there is no such program."""
    if shutil.which(command[0]) is None:
        hint = "write the command as in a shell: rltui run -- python train.py"
        raise RltuiError(f"there is no program {safe_io.clipped(command[0])!r}", hint, exit_code=2)


def host(options: ScriptOptions) -> int:
    """Run the script to its end and return its exit code. RltuiError for what keeps it from starting: then no run is left."""
    check_command(options.command)
    check_writable(options.data)
    paths = _paths(options)
    fresh = options.run is None or not paths.exists()
    with ExitStack() as stack:
        try:
            terminal = PseudoTerminal()
        except OSError as error:
            raise RltuiError(f"no pseudo-terminal for the script: {safe_io.reason(error)}") from error
        stack.callback(terminal.close)
        if fresh:
            stack.push(partial(undo_start, paths))  # comes late, when the lock is free again
        lock = stack.enter_context(RunLock(paths))
        check_writable(options.data, paths.name)
        script = ManagedProcess("script", options.command, paths.log)
        try:
            script.start(terminal)
        finally:
            terminal.close_inner()
        stack.callback(script.stop, KILL_SECONDS)
        return _ScriptHost(options, paths, script, terminal, stack).run(lock)


def _paths(options: ScriptOptions) -> RunPaths:
    if options.run is not None:
        paths = options.data.run(options.run)
        if paths.exists() and script_header(paths) is None and (paths.profile.exists() or paths.journal.exists()):
            raise RltuiError(
                f"run {paths.name!r} is one of rltui's own trainer", "choose another: --run NAME", exit_code=2
            )
        return paths
    while True:
        paths = options.data.run(default_run_name(options.data, script_name(options.command)))
        if claim_run(paths):
            return paths


class _Keys:
    """Keys for the script, one at a time: it looks for them after an iteration, and then takes all that wait as one."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._terminal = terminal
        self._waiting: deque[str] = deque()
        self._pressed = ""  # and not looked at yet
        self._free_at: float | None = None  # time.monotonic() from which one may be pressed; None: it does not listen

    def __contains__(self, key: str) -> bool:
        return key in self._waiting or key == self._pressed

    def add(self, key: str) -> None:
        if key not in self:
            self._waiting.append(key)

    def looked_for(self, pause: float) -> None:
        """The script does so now; `pause` seconds from now it surely has, and the next may come."""
        free_at = time.monotonic() + pause
        self._pressed, self._free_at = "", free_at if self._free_at is None else min(self._free_at, free_at)

    def poll(self) -> None:
        if self._waiting and self._free_at is not None and time.monotonic() >= self._free_at:
            self._pressed, self._free_at = self._waiting.popleft(), None
            self._terminal.press(self._pressed.encode())


class _ScriptHost:
    """One script, from its first output to its end."""

    def __init__(
        self,
        options: ScriptOptions,
        paths: RunPaths,
        script: ManagedProcess,
        terminal: PseudoTerminal,
        stack: ExitStack,
    ) -> None:
        self._options, self._paths, self._script, self._terminal = options, paths, script, terminal
        before = JournalEnd(paths, brief=True)
        self._iteration, self._timesteps = (before.row.iteration, before.row.timesteps) if before.row else (0, 0)
        self._began, self._earlier = time.monotonic(), elapsed_so_far(paths)
        unclean = unclean_end(paths)
        journal = JournalWriter(paths.journal)
        stack.callback(journal.close)
        output = OutputLog(paths.log)
        self._shown = LAUNCH_LOG not in os.environ  # in the background there is nobody to see what it prints
        self._publisher = Publisher(journal, subscribers=[output.on_record]).start()
        stack.callback(self._publisher.close)
        output.start(self._publisher.log)
        stack.callback(output.close)
        self._log_pipe = output.pipe(SOURCE)
        if self._log_pipe is not None:
            stack.callback(self._log_pipe.close)
        self._echo: QueueThread[bytes] = QueueThread("echo", _print)
        self._echo.start()
        stack.callback(self._echo.close, 0.0)
        self._server = ControlServer(paths, paths.name, self._publisher.publish, drain=self._publisher.drain).start()
        stack.callback(self._server.close)
        self._warnings = [unclean] if unclean else []
        self._stop, self._handled = StopRequest(lambda: None), Urgency.NONE
        self._stopping: list[PendingCommand] = []
        self._state: TrainerState = "starting"
        self._reason, self._heard, self._next_live = "", time.monotonic(), 0.0
        self._lines, self._parser, self._keys = OutputLines(), ReportParser(), _Keys(terminal)
        self._kept, self._left_out = TokenBucket(LINES, LINES_AT_ONCE, time.monotonic), 0
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._saving_since = time.monotonic()
        self._saved_in: Path | None = None

    def run(self, lock: RunLock) -> int:
        start = count_start(self._paths)
        lock.watch(self._taken_over)
        self._stop.install()
        try:
            self._publisher.publish(self._header(start))
            for notice in filter(None, (lock.notice, *self._warnings)):
                self._log("warning", notice)
            self._enter("starting", "the script has printed nothing that rltui knows yet")
            self._tell(f"run {self._paths.name}: rltui attach {self._paths.name} watches it")
            return self._end(self._follow())
        finally:
            self._stop.close()

    def _follow(self) -> int:
        """Until the script has ended; its exit code. What its children print after that is heard for a moment."""
        hung_up, ended_at = False, None
        with open_keyboard() if self._shown else contextlib.nullcontext() as keyboard:
            while True:
                full = self._echo.waiting >= MOST_CHUNKS
                data = None if hung_up else b"" if full else self._terminal.read(LOOK)
                if full:
                    time.sleep(LOOK)
                elif data is None:  # it has closed its terminal, and goes on
                    hung_up = True
                    self._script.wait(LOOK)
                elif data:
                    self._take(data)
                else:
                    self._idle()
                for key in keyboard.pressed() if keyboard is not None else "":
                    if key != GONE:
                        self._keys.add(GO_ON if self._state == "paused" and key != "q" else key)
                self._serve()
                if (code := self._script.poll()) is not None:
                    ended_at = time.monotonic() if ended_at is None else ended_at
                    if not (data or full) or time.monotonic() - ended_at > TOLD_SECONDS:
                        return code

    def _take(self, data: bytes) -> None:
        self._heard = time.monotonic()
        if self._shown:
            self._echo.put(data)
        self._take_lines(list(self._lines.feed(data)))

    def _idle(self) -> None:
        """Nothing has come for a moment: what a question or a report without an end mark has left is all of it."""
        if rest := self._lines.rest():
            self._take_lines([rest])
        if (report := self._parser.idle()) is not None:
            self._report(report)

    def _take_lines(self, lines: Sequence[str]) -> None:
        if lines and self._log_pipe is not None:
            self._log_pipe.write("".join(f"{line}\n" for line in lines).encode())
        for line in lines:
            of_report, report = self._parser.take(line)
            if report is not None:
                self._report(report)
            if not of_report and line.strip():
                self._hear(line)

    def _report(self, report: ScriptReport) -> None:
        steps, now = report.timesteps or 0, time.time()
        if self._iteration and steps <= self._timesteps:
            begin = max(steps - (report.collected or 0), 0)
            reason = f"the script goes on from {begin:,} timesteps"
            self._publisher.publish(RunResumed(time=now, timesteps=begin, checkpoint="", reason=reason))
        self._timesteps, self._iteration = steps, self._iteration + 1
        self._publisher.publish(
            IterationFinished(
                time=now, elapsed=self._elapsed, iteration=self._iteration, timesteps=steps, metrics=report.metrics
            )
        )
        self._keys.looked_for(KEY_PAUSE)
        if self._state in ("starting", "paused"):
            self._enter("running")

    def _hear(self, line: str) -> None:
        """A line that is no figure: what it says of the script's state, and for the log."""
        self._last.append(line)
        said = _SAID.search(line)
        match said.lastgroup if said else None:
            case "listens":
                self._keys.looked_for(0.0)
                if self._state == "starting":
                    self._enter("running")
            case "paused":
                self._keys.looked_for(0.0)
                if self._state != "stopping":
                    self._enter("paused", "by key p")
            case "resumes" if self._state == "paused":
                self._enter("running")
            case "saving":
                self._saving_since = time.monotonic()
            case "saved":
                self._saved(int(said["saved"]) if said else 0)
        if not self._kept.take():
            self._left_out += 1
            return
        self._say_left_out()
        self._log("error" if _ERROR.fullmatch(line) else "warning" if _WARNING.fullmatch(line) else "info", line)

    def _say_left_out(self) -> None:
        if self._left_out:
            self._log(
                "warning",
                f"{plural(self._left_out, 'line')} left out: it prints too much; more is in {self._paths.log.name}",
            )
            self._left_out = 0

    def _saved(self, timesteps: int) -> None:
        """It says that it has saved a checkpoint: where, is to be found."""
        beside = self._saved_in / str(timesteps) if self._saved_in is not None else None
        roots = (Path.cwd(), self._options.data.root)
        found = beside if beside is not None and beside.is_dir() else None
        found = found or next((path for root in roots if (path := rlgym_ppo.find_saved(root, timesteps))), None)
        if found is None:
            self._log("warning", f"its checkpoint {timesteps} is not found below {roots[0]}")
            return
        if found.parent != self._saved_in:
            self._saved_in = found.parent
            self._log(
                "info", f"its checkpoints, in rlgym-ppo's format: {found.parent}; rltui import makes a run of one"
            )
        seconds = time.monotonic() - self._saving_since
        size = sum(file.stat().st_size for file in found.iterdir() if file.is_file())
        self._publisher.publish(
            CheckpointSaved(
                time=time.time(),
                kind="checkpoint",
                path=str(found),
                label="",
                timesteps=timesteps,
                bytes=size,
                held_seconds=seconds,
                seconds=seconds,
            )
        )

    def _serve(self) -> None:
        """Commands, stops, keys, the live state."""
        for pending in self._server.commands.take_all():
            self._apply(pending)
        if self._stop.urgency > self._handled:
            self._handled = self._stop.urgency
            self._begin_stop(self._handled)
        self._keys.poll()
        if (now := time.monotonic()) >= self._next_live:
            self._next_live = now + LIVE_INTERVAL
            self._server.show(self._live(now - self._heard))

    def _apply(self, pending: PendingCommand) -> None:
        match pending.command:
            case Stop(mode=mode):
                self._stop.request(Urgency[mode.upper()], f"asked by {pending.by.partition(', pid')[0]}")
                self._stopping.append(pending)
            case Pause() if self._state == "paused" or "p" in self._keys:
                pending.refused("asked for already")
            case Resume() if self._state != "paused":
                pending.refused("not paused")
            case SaveCheckpoint() if self._state == "paused":
                pending.refused("a paused script saves nothing: resume it first")
            case Pause():
                self._press("p", pending)
            case Resume():
                self._press(GO_ON, pending)
            case SaveCheckpoint():
                self._press("c", pending)
            case _:
                pending.refused("a script of others is paused, saved and stopped here; all else is its own")

    def _press(self, key: str, pending: PendingCommand) -> None:
        self._keys.add(key)
        pending.applied(
            f"key {key} is for the script, which looks after each iteration" if key.strip() else "it goes on"
        )

    def _begin_stop(self, urgency: Urgency) -> None:
        if urgency is Urgency.FINISH:
            self._keys.add("q")
            what = "key q is for the script, which saves and ends after its iteration"
        else:
            ask = partial(self._terminal.press, CTRL_C) if urgency is Urgency.NOW else None
            seconds = STOP_SECONDS if ask else KILL_SECONDS
            # beside the loop: a script that saves must not wait for somebody to read what it prints
            threading.Thread(target=self._script.stop, args=(seconds, ask), name="stop", daemon=True).start()
            what = f"Ctrl-C for the script; killed after {seconds:g} s" if ask else "it is killed"
        again = (
            " (Ctrl-C again: Ctrl-C for the script itself)" if self._stop.by_key and urgency is Urgency.FINISH else ""
        )
        self._enter("stopping", f"{self._stop.reason}: {what}")
        self._log("info", f"{self._stop.reason}: {what}{again}")
        self._tell(f"{self._stop.reason}: {what}{again}")

    def _live(self, quiet: float) -> Live:
        return Live(
            time=time.time(),
            state=self._state,
            reason=self._reason or (f"it has printed nothing for {duration(quiet)}" if quiet > QUIET else ""),
            iteration=self._iteration,
            timesteps=self._timesteps,
            progress=None,
            workers=[],
            clients=[],
            dropped=0,
            elapsed=self._elapsed,
        )

    def _end(self, code: int) -> int:
        """After its last output. What it has left behind is ended."""
        self._idle()
        if (report := self._parser.flush()) is not None:
            self._report(report)
        self._say_why(code)
        self._script.stop(KILL_SECONDS)
        how = "" if code == 0 else f" with {exit_words(code)}" if code > 0 else f" by {exit_words(code)}"
        failed = 0 if code == 0 else code if code > 0 else BY_SIGNAL - code
        if self._stop.urgency and (code == 0 or self._stop.urgency is Urgency.NOW):
            failed, reason = 0, f"stopped: {self._stop.reason}"
        elif self._stop.urgency is Urgency.ABANDON:
            failed, reason = 1, "abandoned"
        elif failed:
            reason = f"failed: the script ended{how}" + (f": {self._last[-1][:LAST_CHARACTERS]}" if self._last else "")
        else:
            reason = "finished: the script ended"
        self._enter("failed" if failed else "stopped", reason)
        end = RunFinished(
            time=time.time(), elapsed=self._elapsed, timesteps=self._timesteps, exit_code=failed, reason=reason
        )
        self._publisher.publish(end)
        for pending in self._stopping:
            pending.applied(f"stopped at {self._timesteps:,} timesteps")
        self._echo.drain(ECHO_SECONDS)
        self._tell(f"run {self._paths.name} {end_words(end)}")
        return failed

    def _say_why(self, code: int) -> None:
        """What was left out, and of a script that failed in a flood its last lines: why is among them."""
        flooded = self._left_out > 0
        self._say_left_out()
        if flooded and code and not self._stop.urgency:
            self._log("error", "its last lines:\n" + "\n".join(self._last))

    def _header(self, start: int) -> RunStarted:
        name = script_name(self._options.command)
        return RunStarted(
            time=time.time(),
            elapsed=self._elapsed,
            run=self._paths.name,
            start=start,
            profile=name,
            label="",
            command=list(self._options.command),
            author=user_name(),
            pid=os.getpid(),
            host=socket.gethostname(),
            timesteps=self._timesteps,
            **_UNKNOWN,
        )

    def _enter(self, state: TrainerState, reason: str = "") -> None:
        self._state, self._reason = state, reason
        self._publisher.publish(StateChanged(time=time.time(), state=state, reason=reason))

    def _log(self, level: Level, message: str) -> None:
        self._publisher.log(level, SOURCE, message)

    def _tell(self, words: str) -> None:
        """Whoever sees what the script prints."""
        if self._shown:
            safe_io.say(f"rltui: {words}", sys.stderr)

    @property
    def _elapsed(self) -> float:
        return self._earlier + time.monotonic() - self._began

    def _taken_over(self, by: Holder) -> None:
        """On the lock's thread: the run is another's now."""
        self._publisher.silence()
        self._tell(f"run {self._paths.name} was taken over by {by}; the script is ended here")
        try:
            self._script.stop(KILL_SECONDS)
        finally:
            os._exit(1)


def _print(data: bytes) -> None:
    """As it is. A terminal or reader that is gone never stops the script. Without Python's stream, whose lock a write that is
    held would keep at the end.
    """
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(1, data) :]
