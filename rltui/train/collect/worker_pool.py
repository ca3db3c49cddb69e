"""Start, watch and replace workers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Literal

import msgspec
import psutil

from rltui.errors import RltuiError
from rltui.events.commands import WorkerLive
from rltui.events.records import Level, LogLine, Record, WorkerFailed, WorkerStarted
from rltui.formatting import duration
from rltui.supervise.signals import signal_name
from rltui.train.collect.actor import ActorSpec
from rltui.train.collect.debug_output import tell_lines
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
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.collect.worker_handle import Pauses, WorkerHandle, WorkerStarter, why, worker_live

START_TIMEOUT = 60.0  # seconds for a worker to become ready, however short workers.timeout_s is
SCARCE_START = (
    60.0  # seconds that a start waits for the workers that the system has no room for, while others are ready
)
PATIENCE = 600.0  # seconds that a run waits without a single worker for one to be had, and to become ready
POLL = 0.05  # seconds between looks at heartbeats and controls
LITTLE_MEMORY = 256 * 2**20  # bytes: below this a SIGKILL is put down to the kernel
DEATHS, DEATH_WINDOW = 3, 60.0  # so many deaths within so many seconds stop the run
FailureKind = Literal["died", "hung", "raised", "start"]


class WorkersFailing(RltuiError):
    """Workers die faster than it makes sense to replace them, or none can be had."""


class WorkerPool:
    """W workers around one SharedRollout."""

    def __init__(
        self,
        actor: ActorSpec,
        shared: SharedRollout,
        timeout_s: float,
        tell: Callable[[Record], None],
        describe_crash: Callable[[int, int], str],
    ) -> None:
        """tell: gets WorkerStarted, WorkerFailed and lines. describe_crash(worker, block): what it was doing, in words."""
        self._shared, self._timeout = shared, timeout_s
        self._tell, self._describe_crash = tell, describe_crash
        self._starter, self._pauses = WorkerStarter(actor, shared), Pauses()
        self._members: list[WorkerHandle] = []
        self._orders = [Configure(0) for _ in range(shared.shape.workers)]
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        self._block = 0
        # time.monotonic(): the newest look at the workers; when it came much too late; the newest at which one was ready
        self._looked = self._fair_from = self._had_some = 0.0

    def start(self, poll: Callable[[], None]) -> None:
        """Spawn all workers and wait until each is ready, or for a minute only some where the system has no room for more.
        RltuiError with the first failure's trace; none is left over.

        poll: called every 50 ms; what it raises abandons the start; then only `close` or `kill` may follow.
        """
        self._members = [WorkerHandle() for _ in range(self._shared.shape.workers)]
        self._had_some = time.monotonic()
        while not self._ready():
            self._fill()
            self._receive(POLL)
            poll()
            for index, member in enumerate(self._members):
                reason = self._ended(index, member)
                if reason is not None:
                    kind, text, trace = reason
                    self.close()
                    raise RltuiError(f"worker {index} did not start ({kind}): {text}", trace.strip()[-4000:])

    def collect(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        """One rollout from every worker that is ready, in worker order; None for one that is not, or whose data is dropped.

        poll: called every 50 ms; what it raises abandons the rollout; then only `close` or `kill` may follow.
        Raises WorkersFailing after three deaths within a minute, and after ten minutes without a worker that is ready.
        """
        self._block = block
        while not any(member.state == "waiting" for member in self._members):
            self._watch(poll)
        for index, member in enumerate(self._members):
            member.done = None
            if member.state == "waiting":
                self._shared.steps_done[index] = 0
                member.send(Collect(block, timesteps))
                member.enter("collecting")
        while any(member.state == "collecting" for member in self._members):
            self._watch(poll)
        return [member.done for member in self._members]

    def configure(self, worker: int, order: Configure) -> None:
        """Tell a worker now, or as soon as it, or the one in its place, is ready."""
        self._orders[worker] = order
        if self._members and self._members[worker].state not in ("absent", "starting"):
            self._members[worker].send(order)

    def listen(self) -> None:
        """Take in what the workers have said, without waiting."""
        for index, member in enumerate(self._members):
            self._hear(index, member)

    def obeyed(self, worker: int) -> int:
        """The number of the newest order that is in force in a worker; 0: none."""
        return self._members[worker].obeys if self._members else 0

    def live(self) -> list[WorkerLive]:
        """The workers as they are now."""
        return [self._live(index, member) for index, member in enumerate(self._members)]

    def _live(self, index: int, member: WorkerHandle) -> WorkerLive:
        """Heartbeat and progress are of a running rollout."""
        begins = member.state in ("absent", "starting")
        state = ("restarting" if member.restarts else "starting") if begins else member.state
        known = worker_live(self._shared, index, member.newest, state=state, pid=member.pid)
        collecting = member.state == "collecting"
        return msgspec.structs.replace(
            known,
            heartbeat_age=time.monotonic() - float(self._shared.heartbeat[index]) if collecting else None,
            restarts=member.restarts,
            progress=known.progress if collecting else None,
        )

    def close(self, seconds: float = 2.0) -> None:
        """Ask, wait, terminate, kill: no worker is left."""
        for member in self._members:
            member.send(CloseWorker())
        deadline = time.monotonic() + seconds
        for member in self._members:
            member.join(max(0.0, deadline - time.monotonic()))
        self.kill()
        self._starter.close()

    def kill(self) -> None:
        """End every worker at once."""
        for member in self._members:
            member.kill()
        for member in self._members:
            member.let_go()
        self._members.clear()

    def _ready(self) -> bool:
        """Whether training can begin."""
        states = {member.state for member in self._members}
        since = self._pauses.since
        enough = "absent" not in states or (since is not None and time.monotonic() - since > SCARCE_START)
        return "waiting" in states and "starting" not in states and enough

    def _fill(self) -> None:
        """Start those that are absent. Where the system has no room for one, that is tried again later."""
        absent = [(index, member) for index, member in enumerate(self._members) if member.state == "absent"]
        if not absent or not self._pauses.over:
            return
        try:
            for index, member in absent:
                member.begin(self._starter.start(index, member.restarts))
        except (OSError, MemoryError) as error:
            self._no_room(error)
        else:
            self._pauses.succeeded()

    def _no_room(self, error: OSError | MemoryError) -> None:
        absent = [str(index) for index, member in enumerate(self._members) if member.state == "absent"]
        who = f"worker{'s' if len(absent) > 1 else ''} {', '.join(absent)} cannot be started: {why(error)}"
        pause, alone = self._pauses.failed(), len(absent) == len(self._members)
        without = self._without()
        if alone and without > PATIENCE:
            raise WorkersFailing(f"for {duration(without)} no worker could be had; {who}")
        meanwhile = "training waits" if alone else "training goes on with the others"
        self._say("warning", f"{who}. It is tried again in {duration(pause)}; until then {meanwhile}")

    def _say(self, level: Level, message: str) -> None:
        self._tell(LogLine(time=time.time(), level=level, source="workers", message=message))

    def _watch(self, poll: Callable[[], None]) -> None:
        """Wait a moment for news, replace what has failed, look at the controls."""
        self._receive(POLL)
        for index, member in enumerate(self._members):
            reason = self._ended(index, member)
            if reason is not None:
                self._replace(index, *reason)
        self._fill()
        poll()

    def _receive(self, seconds: float) -> None:
        wait([one for member in self._members for one in member.waited_for()], seconds)
        self._notice_standstill()
        self.listen()
        if any(member.state in ("waiting", "collecting") for member in self._members):
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

    def _hear(self, index: int, member: WorkerHandle) -> None:
        for message in member.said():
            self._take(index, member, message)

    def _take(self, index: int, member: WorkerHandle, message: FromWorker) -> None:
        match message:
            case Ready(pid=pid):
                seconds = time.monotonic() - member.since
                member.enter("waiting")
                if self._orders[index].number:
                    member.send(self._orders[index])
                self._tell(
                    WorkerStarted(time=time.time(), worker=index, pid=pid, restarts=member.restarts, seconds=seconds)
                )
            case RolloutDone() as done:
                member.done = member.newest = done
                member.enter("waiting")
            case Configured(number=number):
                member.obeys = number
            case DebugLines(lines=lines):
                tell_lines(self._tell, index, lines)
            case WorkerRaised() as failure:
                member.failure = failure

    def _ended(self, index: int, member: WorkerHandle) -> tuple[FailureKind, str, str] | None:
        """(kind, reason, trace) when the process of this worker can no longer work."""
        if member.running is None:
            return None
        if not member.alive:
            self._hear(index, member)
            if member.failure is not None:
                return "raised", member.failure.reason, member.failure.trace
            return "died", self._death(index, member), member.running.last_trace
        silent = time.monotonic() - max(float(self._shared.heartbeat[index]), member.since, self._fair_from)
        if member.state == "collecting" and silent > self._timeout:
            return "hung", f"no heartbeat for {duration(silent)} (workers.timeout_s = {self._timeout:g}); killed", ""
        if member.state == "starting" and silent > START_TIMEOUT:
            return "start", f"not ready after {duration(silent)}; killed", ""
        return None

    def _death(self, index: int, member: WorkerHandle) -> str:
        code = (member.running.process.exitcode if member.running else None) or 0
        if code >= 0:
            return f"exited with {code}"
        name = signal_name(-code)
        likely = ", likely out of memory" if name == "SIGKILL" and _out_of_memory() else ""
        doing = self._describe_crash(index, self._block) if member.state == "collecting" else f"while {member.state}"
        return f"killed by {name}{likely}, {doing}"

    def _replace(self, index: int, kind: FailureKind, reason: str, trace: str) -> None:
        member = self._members[index]
        self._tell(WorkerFailed(time=time.time(), worker=index, kind=kind, reason=reason, trace=trace))
        member.kill()
        member.let_go()
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
        self._members[index] = WorkerHandle(member.restarts + 1)


def _out_of_memory() -> bool:
    """A guess: a SIGKILL that is not ours, while little memory is left. No, where the system does not say."""
    try:
        return bool(psutil.virtual_memory().available < LITTLE_MEMORY)
    except (OSError, RuntimeError):  # no descriptor to be had for /proc, or one without the line
        return False
