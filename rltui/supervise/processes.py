"""Processes: a detached one with its log, a spawned one with a pipe, the time one had for itself, the stop ladder for a tree."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import psutil

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.supervise.signals import start_session, starting_deaf

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from rltui.supervise.output_log import ChildOutput
    from rltui.supervise.terminal import PseudoTerminal

LOOK_INTERVAL = 0.05  # seconds
ASKED_UNTIL, TERMINATED_UNTIL = 0.6, 0.9  # parts of a stop's deadline: most is for an end in good order
How = Literal["had ended", "when asked", "terminated", "killed", "would not die"]
Spec = TypeVar("Spec")
BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TUNABLES = "GLIBC_TUNABLES"
STOPPED = (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP)
HUGE_PAGES = "glibc.malloc.hugetlb"
IDLE = 1.0  # seconds without any use of a core: asleep, where the system does not say so
LONGEST_GAP = 1.0  # seconds between two looks that count at most: who looks may have been stopped too


def prepare_environment() -> None:
    """Set the threads of numerical libraries. Call before NumPy or torch is imported; spawned children inherit it."""
    for name in BLAS_THREADS:  # one a worker: they are many and their products are small; the learner sets its own
        os.environ[name] = "1"
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # learner threads that wait must not spin: cores are shared
    tunables = os.environ.get(TUNABLES, "")
    if HUGE_PAGES not in tunables:  # the arenas of a worker lie scattered over many small pages
        os.environ[TUNABLES] = f"{tunables}:{HUGE_PAGES}=1".lstrip(":")


def start_piped(
    main: Callable[[Spec, Connection], object], spec: Spec, name: str, output: ChildOutput | None = None
) -> tuple[SpawnProcess, Connection]:
    """A fresh daemon process that runs `main(spec, pipe)`, and this end of the pipe. output: of what it prints (None: as ours).
    Ctrl-C, which a terminal sends to both, is for the parent alone.

    OSError or MemoryError where the system has no room for it: then nothing of it is left.
    """
    context = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as ends:
        if output is not None:
            ends.callback(output.close)
        pipe: tuple[Any, Any] = context.Pipe()  # of another class on Windows, with the same methods
        ours, theirs = pipe
        ends.callback(theirs.close)
        # unpickled in this order: what a user's module prints while the spec is read goes to the output already
        process = context.Process(target=_run_piped, args=(output, main, spec, theirs), name=name, daemon=True)
        try:
            if sys.platform != "win32":
                resource_tracker.ensure_running()  # whose start would end the deafness
            with starting_deaf():
                process.start()
        except BaseException:
            ours.close()
            raise
    return process, ours


def _run_piped(output: None, main: Callable[[Spec, Connection], object], spec: Spec, pipe: Connection) -> None:
    main(spec, pipe)


class OwnTime:
    """Clock of what a process had for itself: `seconds` on a core, or asleep of its own accord.

    None pass while a signal has it stopped (`stopped`). `short`: seconds in which it waited for a core or the disk.
    """

    def __init__(self, pid: int) -> None:
        """psutil.Error where it is gone."""
        self.seconds = self.short = self._idle = 0.0
        self.stopped = False
        self._process, self._looked = psutil.Process(pid), time.monotonic()
        self._used = self._on_core()

    def look(self) -> None:
        """Count the time since the last look as what the process is found doing now; nothing once it is gone."""
        now = time.monotonic()
        passed, self._looked = min(now - self._looked, LONGEST_GAP), now
        with contextlib.suppress(psutil.Error):
            status, before = self._process.status(), self._used
            self._used = self._on_core()
            used = self._used - before
            self._idle = 0.0 if used else self._idle + passed
            self.stopped = status in STOPPED
            asleep = status == psutil.STATUS_SLEEPING if sys.platform == "linux" else self._idle > IDLE
            if not self.stopped:
                own = passed if asleep else used
                self.seconds += own
                self.short += max(passed - own, 0.0)

    def _on_core(self) -> float:
        times = self._process.cpu_times()
        return float(times.user + times.system)


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped the process."""
    try:
        return psutil.Process(pid).status() in STOPPED
    except psutil.Error:
        return False


class ProcessTree:
    """A process and its descendants, of which psutil tells later ones of the same number apart: only what was meant is
    ever signalled.

    session: the process leads a session of its own; then children whose parent has died are found by it (POSIX).
    """

    def __init__(self, pid: int, session: bool = False) -> None:
        """A process that is gone already makes a tree without it."""
        self._session = pid if session else None
        self._members: dict[int, psutil.Process] = {}
        self._remember(pid)

    def look(self) -> None:
        """Remember whom the members have started since the last look."""
        for pid in [*self._children(), *self._in_session()]:
            self._remember(pid)

    def alive(self) -> list[psutil.Process]:
        """The members that still run; a zombie runs no more."""
        return [process for process in self._members.values() if _runs(process)]

    def terminate(self) -> None:
        """SIGTERM to each that lives."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.terminate()

    def kill(self) -> None:
        """SIGKILL to each that lives."""
        self.look()
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                process.kill()

    def wait(self, seconds: float) -> bool:
        """Whether all have ended within `seconds`. Looks only: waiting would take our own child's exit code from Popen."""
        deadline = time.monotonic() + seconds
        while True:
            self.look()
            if not self.alive():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, LOOK_INTERVAL))

    def _remember(self, pid: int) -> None:
        if pid not in self._members:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._members[pid] = psutil.Process(pid)

    def _children(self) -> Iterator[int]:
        for process in self.alive():
            with contextlib.suppress(psutil.Error):
                yield from [child.pid for child in process.children(recursive=True)]

    def _in_session(self) -> Iterator[int]:
        if sys.platform == "win32" or self._session is None:
            return
        for pid in psutil.pids():
            with contextlib.suppress(OSError):
                if os.getsid(pid) == self._session:
                    yield pid


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


@dataclass(frozen=True)
class StopOutcome:
    """How a stop went."""

    how: How
    seconds: float


def stop_tree(tree: ProcessTree, seconds: float = 10.0, ask: Callable[[], None] | None = None) -> StopOutcome:
    """End a process and all that it started. Children that outlive it are climbed after just so.

    ask: how it is asked to end by itself, say a Stop on its control socket; RltuiError and OSError from it count as a
    refusal. Without it the ladder begins at SIGTERM.
    """
    begun = time.monotonic()

    def ended_by(share: float) -> bool:
        return tree.wait(max(begun + seconds * share - time.monotonic(), 0.0))

    def ending(how: How) -> StopOutcome:
        return StopOutcome(how, time.monotonic() - begun)

    tree.look()
    if not tree.alive():
        return ending("had ended")
    if ask is not None and _asked(ask) and ended_by(ASKED_UNTIL):
        return ending("when asked")
    tree.terminate()
    if ended_by(TERMINATED_UNTIL):
        return ending("terminated")
    tree.kill()
    return ending("killed" if ended_by(1.0) else "would not die")


def _asked(ask: Callable[[], None]) -> bool:
    with contextlib.suppress(RltuiError, OSError):
        ask()
        return True
    return False


class ManagedProcess:
    """Started in a session of its own, so that no terminal's signals reach it; nothing to read, output into a file.

    It outlives this object: only `stop` ends it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """name: what people call it, say "trainer". env: variables on top of this process's own."""
        self.name = name
        self.log = log
        self._command, self._cwd, self._env = list(command), cwd, dict(env or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._tree: ProcessTree | None = None

    @property
    def pid(self) -> int:
        return self._running().pid

    def pids(self) -> set[int]:
        """Its own pid; on Windows also its children's, for a virtual environment's python.exe only starts the real one."""
        if sys.platform != "win32" or self._tree is None:
            return {self.pid}
        self._tree.look()
        return {self.pid, *(process.pid for process in self._tree.alive())}

    def start(self, terminal: PseudoTerminal | None = None) -> None:
        """Start it. RltuiError when the system will not. terminal: in the place of nothing to read and the log; in the child
        Python runs for a moment, so no other thread may hold a lock.
        """
        try:
            with safe_io.open_to_append(self.log) if terminal is None else contextlib.nullcontext() as log:
                self._process = start_session(
                    self._command,
                    stdin=subprocess.DEVNULL if terminal is None else terminal.inner,
                    stdout=log if terminal is None else terminal.inner,
                    stderr=subprocess.STDOUT,
                    cwd=self._cwd,
                    env={**os.environ, **self._env},
                    preexec_fn=None if terminal is None else terminal.take,
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise RltuiError(f"cannot start the {self.name}: {error}", f"command: {' '.join(self._command)}") from error
        self._tree = ProcessTree(self._process.pid, session=True)

    def poll(self) -> int | None:
        """The exit code (-N: ended by signal N); None while it runs."""
        return self._running().poll()

    def wait(self, seconds: float) -> int | None:
        """The exit code; None where it still runs after `seconds`."""
        try:
            return self._running().wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, seconds: float = 10.0, ask: Callable[[], None] | None = None) -> StopOutcome:
        """Climb the stop ladder, at most `seconds` long, with the process and everything that it started."""
        self._running()
        assert self._tree is not None
        ending = stop_tree(self._tree, seconds, ask)
        self.poll()
        return ending

    def tail(self, lines: int = 20) -> str:
        """The last lines that it wrote."""
        return safe_io.tail(self.log, lines)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError(f"the {self.name} was not started")
        return self._process
