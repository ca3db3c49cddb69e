"""Collector with worker processes: starts, watches and replaces them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Literal

import msgspec
import psutil

from rltui.errors import RltuiError, hung_line
from rltui.events.commands import WorkerLive, stopped_words
from rltui.events.records import Level, LogLine, Record, WorkerFailed, WorkerStarted
from rltui.formatting import duration
from rltui.supervise.output_log import OutputLog
from rltui.supervise.processes import OwnTime
from rltui.supervise.shared_memory import room
from rltui.supervise.signals import exit_words
from rltui.train.collect.collector import Collector
from rltui.train.collect.debug_output import publish_lines
from rltui.train.collect.messages import (
    CloseWorker,
    Collect,
    Configure,
    Configured,
    DebugLines,
    FromWorker,
    Ready,
    RolloutDone,
    WorkerRaised,
)
from rltui.train.collect.shared_rollout import HINT, SharedRollout
from rltui.train.collect.worker import ActorSpec
from rltui.train.collect.worker_handle import Held, Pauses, WorkerHandle, WorkerStarter, why

START_TIMEOUT = 60.0  # seconds for a worker to become ready, however short workers.timeout_s is
SCARCE_START = 60.0  # seconds that a start waits for workers that the system has no room for, while others are ready
PATIENCE = 600.0  # seconds that a run waits without a single worker for one to be had, and to become ready
POLL = 0.05  # seconds between looks at heartbeats and controls
QUIET = 0.5  # seconds without a heartbeat after which the process is looked at
TOLD_STOPPED = 4.0  # seconds after which a stopped worker is told
BUSY = 0.1  # of the time out, had for itself: more than a step takes on a machine that leaves it little
TRACE_SECONDS = 0.5  # for a worker that hangs to write where
LITTLE_MEMORY = 256 * 2**20  # bytes: below this a SIGKILL is put down to the kernel
DEATHS, DEATH_WINDOW = 3, 60.0  # so many deaths within so many seconds stop the run
FailureKind = Literal["died", "hung", "raised", "start"]


class WorkersFailing(RltuiError):
    """Workers die faster than it makes sense to replace them, or none can be had."""


class LocalCollector(Collector):
    """Spawned worker processes around one SharedRollout, each with its own NumPy copy of the policy: no message per step."""

    def __init__(
        self,
        actor: ActorSpec,
        shared: SharedRollout,
        timeout_s: float,
        publish: Callable[[Record], None],
        output: OutputLog | None = None,
    ) -> None:
        """publish: gets WorkerStarted, WorkerFailed and lines. output: gets what workers print (None: they print as we do)."""
        super().__init__(shared)
        self._timeout, self._publish = timeout_s, publish
        self._starter, self._pauses = WorkerStarter(actor, shared, output), Pauses()
        self._handles: list[WorkerHandle] = []
        self._settings = [Configure(0) for _ in range(shared.shape.workers)]
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        self._block = 0
        # time.monotonic(): the newest look at the workers; when it came much too late; the newest at which one was ready
        self._looked = self._fair_from = self._had_some = 0.0

    def start(self, poll: Callable[[], None]) -> None:
        """Spawn all workers and wait until each is ready, or for a minute only some where the system has no room for more.
        RltuiError with the first failure's trace; none is left over.

        poll: called every 50 ms; what it raises abandons the start; then only `close` or `kill` may follow.
        """
        self._handles = [WorkerHandle() for _ in range(self.shared.shape.workers)]
        self._had_some = time.monotonic()
        while not self._ready():
            self._fill()
            self._wait(POLL)
            poll()
            for index, handle in enumerate(self._handles):
                reason = self._ended(index, handle)
                if reason is not None:
                    kind, text, trace = reason
                    self.close()
                    raise RltuiError(f"worker {index} did not start ({kind}): {text}", trace.strip()[-4000:])

    def fill(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        """One rollout from every worker that is ready, in worker order; None for one that is not, or whose data is dropped.

        poll: called every 50 ms; what it raises abandons the rollout; then only `close` or `kill` may follow.
        Raises WorkersFailing after three deaths within a minute, and after ten minutes without a worker that is ready.
        """
        self._block = block
        self.shared.asked[:] = self.shared.answered[:] = self.shared.steps_done[:] = self.shared.all_begun[:] = 0
        while not any(handle.state == "waiting" for handle in self._handles):
            self._watch(poll)
        for handle in self._handles:
            handle.done = None
            if handle.state == "waiting":
                handle.send(Collect(block, timesteps))
                handle.enter("collecting")
        while any(handle.state == "collecting" for handle in self._handles):
            self._watch(poll)
        return [handle.done for handle in self._handles]

    def configure(self, worker: int, settings: Configure) -> None:
        """Send it now, or as soon as the worker, or the one in its place, is ready."""
        self._settings[worker] = settings
        if self._handles and self._handles[worker].state not in ("absent", "starting"):
            self._handles[worker].send(settings)

    def receive(self) -> None:
        for index, handle in enumerate(self._handles):
            self._receive(index, handle)

    def applied(self, worker: int) -> int:
        return self._handles[worker].applied if self._handles else 0

    def live(self) -> list[WorkerLive]:
        return [self._live(index, handle) for index, handle in enumerate(self._handles)]

    def _live(self, index: int, handle: WorkerHandle) -> WorkerLive:
        """Heartbeat and progress are of a running rollout."""
        begins = handle.state in ("absent", "starting")
        state = ("restarting" if handle.restarts else "starting") if begins else handle.state
        known = self._worker_live(index, handle.newest, state=handle.held or state, pid=handle.pid)
        collecting = handle.state == "collecting"
        return msgspec.structs.replace(
            known,
            steps_per_second=None if handle.held == "stopped" else known.steps_per_second,
            heartbeat_age=time.monotonic() - float(self.shared.heartbeat[index]) if collecting else None,
            restarts=handle.restarts,
            progress=known.progress if collecting else None,
            own_silence=(handle.own.seconds if handle.own is not None else 0.0) if collecting else None,
        )

    def close(self, seconds: float = 2.0) -> None:
        """Ask, wait, terminate, kill: no worker is left."""
        for handle in self._handles:
            handle.send(CloseWorker())
        deadline = time.monotonic() + seconds
        for handle in self._handles:
            handle.join(max(0.0, deadline - time.monotonic()))
        self.kill()
        self._starter.close()

    def kill(self) -> None:
        """End every worker at once."""
        for handle in self._handles:
            handle.kill()
        for handle in self._handles:
            handle.release()
        self._handles.clear()

    def _ready(self) -> bool:
        """Whether training can begin."""
        states = {handle.state for handle in self._handles}
        since = self._pauses.since
        enough = "absent" not in states or (since is not None and time.monotonic() - since > SCARCE_START)
        return "waiting" in states and "starting" not in states and enough

    def _fill(self) -> None:
        """Start those that are absent. Where the system has no room for one, that is tried again later."""
        absent = [(index, handle) for index, handle in enumerate(self._handles) if handle.state == "absent"]
        if not absent or not self._pauses.over:
            return
        try:
            for index, handle in absent:
                handle.begin(self._starter.start(index, handle.restarts))
        except (OSError, MemoryError) as error:
            self._no_room(error)
        else:
            self._pauses.succeeded()

    def _no_room(self, error: OSError | MemoryError) -> None:
        absent = [str(index) for index, handle in enumerate(self._handles) if handle.state == "absent"]
        who = f"worker{'s' if len(absent) > 1 else ''} {', '.join(absent)} cannot start: {why(error)}"
        pause, alone = self._pauses.failed(), len(absent) == len(self._handles)
        without = self._without()
        if alone and without > PATIENCE:
            raise WorkersFailing(f"for {duration(without)} no worker could be had; {who}")
        meanwhile = "training waits" if alone else "training goes on with the others"
        self._log("warning", f"{who}. It is tried again in {duration(pause)}; until then {meanwhile}")

    def _log(self, level: Level, message: str) -> None:
        self._publish(LogLine(time=time.time(), level=level, source="workers", message=message))

    def _watch(self, poll: Callable[[], None]) -> None:
        """Wait a moment for messages, replace workers that have failed, poll the controls."""
        self._wait(POLL)
        for index, handle in enumerate(self._handles):
            reason = self._ended(index, handle)
            if reason is not None:
                self._replace(index, *reason)
        self._fill()
        poll()

    def _wait(self, seconds: float) -> None:
        wait([one for handle in self._handles for one in handle.waitables()], seconds)
        self._notice_standstill()
        self.receive()
        if any(handle.state in ("waiting", "collecting") for handle in self._handles):
            self._had_some = time.monotonic()

    def _notice_standstill(self) -> None:
        """Whoever was stopped (Ctrl-Z, a frozen machine) was stopped with its workers, and cannot say that they hang."""
        now = time.monotonic()
        if now - self._looked > self._timeout / 2:
            self._fair_from = now
        self._looked = now

    def _without(self) -> float:
        """Seconds since one was ready; those in which nobody could look do not count."""
        return time.monotonic() - max(self._had_some, self._fair_from)

    def _receive(self, index: int, handle: WorkerHandle) -> None:
        for message in handle.received():
            self._take(index, handle, message)

    def _take(self, index: int, handle: WorkerHandle, message: FromWorker) -> None:
        match message:
            case Ready(pid=pid):
                seconds = time.monotonic() - handle.since
                handle.enter("waiting")
                if self._settings[index].number:
                    handle.send(self._settings[index])
                self._publish(
                    WorkerStarted(time=time.time(), worker=index, pid=pid, restarts=handle.restarts, seconds=seconds)
                )
            case RolloutDone() as done:
                handle.done = handle.newest = done
                handle.enter("waiting")
            case Configured(number=number):
                handle.applied = number
            case DebugLines(lines=lines):
                publish_lines(self._publish, index, lines)
            case WorkerRaised() as failure:
                handle.failure = failure

    def _ended(self, index: int, handle: WorkerHandle) -> tuple[FailureKind, str, str] | None:
        """(kind, reason, trace) when the process of this worker can no longer work."""
        if handle.running is None:
            return None
        if not handle.alive:
            self._receive(index, handle)
            if handle.failure is not None:
                return "raised", handle.failure.reason, handle.failure.trace
            return "died", self._death(index, handle), handle.running.last_trace
        limit = {"collecting": self._timeout, "starting": START_TIMEOUT}.get(handle.state)
        silent = time.monotonic() - max(float(self.shared.heartbeat[index]), handle.since, self._fair_from)
        if limit is None or silent < min(QUIET, limit):
            self._hold(index, handle, "")
            handle.own, handle.asked = None, False
            return None
        try:
            own = handle.own = handle.own or OwnTime(handle.running.process.pid or 0)
        except psutil.Error:  # it has ended since `alive` was asked
            return None
        own.look()
        if own.stopped:
            self._hold(index, handle, "stopped" if silent > TOLD_STOPPED else handle.held)
        elif own.seconds + own.short > limit:
            return self._late(index, handle, own, silent)
        elif handle.held == "stopped":
            self._hold(index, handle, "")
        return None

    def _late(
        self, index: int, handle: WorkerHandle, own: OwnTime, silent: float
    ) -> tuple[FailureKind, str, str] | None:
        """It hangs if the time was its own; until that is known it is busy, or the machine leaves it none: it is waited for."""
        starts = handle.state == "starting"
        limit = START_TIMEOUT if starts else self._timeout
        if own.seconds <= limit:
            self._hold(index, handle, "busy" if own.seconds > BUSY * limit else "starved", silent)
        elif starts:
            return "start", f"not ready after {duration(silent)}; killed", ""
        elif not handle.asked:
            handle.ask_trace()
        elif own.seconds > limit + TRACE_SECONDS and handle.running is not None:
            trace = handle.running.last_trace
            where = f" in {place}" if (place := hung_line(trace)) else ""
            return "hung", f"stuck{where} for {duration(silent)} (workers.timeout_s = {limit:g}); killed", trace
        return None

    def _hold(self, index: int, handle: WorkerHandle, held: Held, silent: float = 0.0) -> None:
        """Say when a worker is stopped and when it goes on; once a process, that it is starved or busy, silent for so long."""
        before, handle.held = handle.held, held
        if held == before:
            return
        if held == "stopped":
            self._log("warning", f"worker {index} is {stopped_words(handle.pid)}. Training waits for it")
        elif before == "stopped":
            self._log("info", f"worker {index} goes on")
        elif held and held not in handle.warned:
            handle.warned.add(held)
            few = "gets too little of the processor and is waited for: fewer workers (collect.workers), or less beside them"
            limit = START_TIMEOUT if handle.state == "starting" else self._timeout
            busy = f"is busy in its step for {duration(silent)}: replaced once {limit:g} s of that were its own"
            self._log("warning", f"worker {index} {busy if held == 'busy' else few}")

    def _death(self, index: int, handle: WorkerHandle) -> str:
        code = handle.running.process.exitcode if handle.running else None
        how = exit_words(code)
        if (code or 0) >= 0:
            return how
        if how == "SIGBUS":
            return f"killed by SIGBUS: no room in shared memory ({room()}), or a file that it had mapped was cut short; {HINT}"
        likely = ", likely out of memory" if how == "SIGKILL" and _out_of_memory() else ""
        doing = self._describe_crash(index) if handle.state == "collecting" else f"while {handle.state}"
        return f"killed by {how}{likely}, {doing}"

    def _describe_crash(self, worker: int) -> str:
        """The arena that was being simulated when a worker was killed, and what its cars had chosen."""
        shape = self.shared.shape
        step = min(int(self.shared.steps_done[worker]), shape.most_steps - 1)
        arena = int(self.shared.arena_cursor[worker])
        first = arena * shape.cars
        rows = self.shared.worker_block(self._block, worker)["actions"][step, first : first + shape.cars].tolist()
        return f"in arena {arena} at step {step} of its rollout, action rows {rows}"

    def _replace(self, index: int, kind: FailureKind, reason: str, trace: str) -> None:
        handle = self._handles[index]
        self._publish(WorkerFailed(time=time.time(), worker=index, kind=kind, reason=reason, trace=trace))
        handle.kill()
        handle.release()
        for counts in (self.shared.steps_done[index : index + 1], *self.shared.asking(index)):
            counts[:] = 0  # what it had is dropped: the others go on for it, as far as there is room
        self._deaths.append(time.monotonic())
        if len(self._deaths) == DEATHS and self._deaths[-1] - self._deaths[0] < DEATH_WINDOW:
            raise WorkersFailing(
                f"{DEATHS} workers failed within {DEATH_WINDOW:g} s; the newest: worker {index} {kind}: {reason}",
                trace.strip()[-4000:],
            )
        without = self._without()
        if kind == "start" and without > PATIENCE:  # they hang as they begin, too seldom for three within a minute
            raise WorkersFailing(
                f"for {duration(without)} no worker has become ready; the newest: worker {index} {kind}: {reason}"
            )
        self._handles[index] = WorkerHandle(handle.restarts + 1)


def _out_of_memory() -> bool:
    """A guess: a SIGKILL that is not ours, while little memory is left. No, where the system does not say."""
    try:
        return bool(psutil.virtual_memory().available < LITTLE_MEMORY)
    except (OSError, RuntimeError):  # no descriptor to be had for /proc, or one without the line
        return False
