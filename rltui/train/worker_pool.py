"""WorkerPool: starts the workers, watches them, and replaces one that dies, hangs or raises. Its partial data is dropped."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Literal

import msgspec

from rltui.errors import RltuiError
from rltui.events.commands import WorkerLive
from rltui.events.records import Record, WorkerFailed, WorkerStarted
from rltui.figures import duration
from rltui.train.actor import ActorSpec
from rltui.train.messages import (
    Close,
    Collect,
    Configure,
    Configured,
    Failed,
    Ready,
    RolloutDone,
    Said,
    ToWorker,
    decode_from_worker,
    encode,
)
from rltui.train.said_lines import tell_lines
from rltui.train.shared_rollout import SharedRollout
from rltui.train.worker import WorkerSpec, main
from rltui.train.worker_live import worker_live

State = Literal["starting", "waiting", "collecting"]
START_TIMEOUT = 60.0  # seconds for a worker to become ready, however short workers.timeout_s is
POLL = 0.05  # seconds between looks at heartbeats and controls
LITTLE_MEMORY = 256 * 2**20  # bytes: below this a SIGKILL is put down to the kernel
DEATHS, DEATH_WINDOW = 3, 60.0  # so many deaths within so many seconds stop the run
_NAMED = frozenset(map(int, signal.Signals))  # the real-time ones have no name
FailureKind = Literal["died", "hung", "raised", "start"]


class WorkersFailing(RltuiError):
    """Workers die faster than it makes sense to replace them."""


@dataclass
class _Member:
    """One worker and what is known of it."""

    process: SpawnProcess
    pipe: Connection
    trace: Path
    spawned: float
    state: State = "starting"
    restarts: int = 0
    failure: Failed | None = None  # what it said before it exited
    done: RolloutDone | None = None  # of the running iteration
    newest: RolloutDone | None = None
    obeys: int = 0  # number of the newest order in force
    since: float = field(default_factory=time.monotonic)  # of the state


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
        """tell: gets WorkerStarted, WorkerFailed and debug lines. describe_crash(worker, block): what it was doing, in words."""
        self._actor, self._shared, self._timeout = actor, shared, timeout_s
        self._tell, self._describe_crash = tell, describe_crash
        self._context = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory(prefix="rltui-traces-")
        self._members: list[_Member] = []
        self._orders = [Configure(0) for _ in range(shared.shape.workers)]
        self._deaths: deque[float] = deque(maxlen=DEATHS)
        self._block = 0

    def start(self, poll: Callable[[], None]) -> None:
        """Spawn all workers and wait until each is ready. RltuiError with the first failure's trace; none is left over.

        poll: called every 50 ms; what it raises abandons the start; then only `close` or `kill` may follow.
        """
        for index in range(self._shared.shape.workers):
            self._members.append(self._spawn(index, restarts=0))
        while any(member.state == "starting" for member in self._members):
            self._receive(POLL)
            poll()
            for index, member in enumerate(self._members):
                reason = self._ended(member)
                if reason is not None:
                    kind, text, trace = reason
                    self.close()
                    raise RltuiError(f"worker {index} did not start ({kind}): {text}", trace.strip()[-4000:])

    def collect(self, block: int, timesteps: int, poll: Callable[[], None]) -> list[RolloutDone | None]:
        """One rollout from every worker that is ready, in worker order; None for one whose data is to be dropped.

        poll: called every 50 ms; what it raises abandons the rollout; then only `close` or `kill` may follow.
        Raises WorkersFailing after three deaths within a minute.
        """
        self._block = block
        while not any(member.state == "waiting" for member in self._members):
            self._watch(poll)
        for index, member in enumerate(self._members):
            member.done = None
            if member.state == "waiting":
                self._shared.steps_done[index] = 0
                self._send(member, Collect(block, timesteps))
                self._enter(member, "collecting")
        while any(member.state == "collecting" for member in self._members):
            self._watch(poll)
        return [member.done for member in self._members]

    def configure(self, worker: int, order: Configure) -> None:
        """Tell a worker now, or as soon as it, or the one in its place, is ready."""
        self._orders[worker] = order
        if self._members and self._members[worker].state != "starting":
            self._send(self._members[worker], order)

    def listen(self) -> None:
        """Take in what the workers have said, without waiting."""
        for index, member in enumerate(self._members):
            self._drain(index, member)

    def obeyed(self, worker: int) -> int:
        """The number of the newest order that is in force in a worker; 0: none."""
        return self._members[worker].obeys if self._members else 0

    def live(self) -> list[WorkerLive]:
        """The workers as they are now."""
        return [self._live(index, member) for index, member in enumerate(self._members)]

    def _live(self, index: int, member: _Member) -> WorkerLive:
        """Heartbeat and progress are of a running rollout."""
        state = "restarting" if member.state == "starting" and member.restarts else member.state
        known = worker_live(self._shared, index, member.newest, state=state, pid=member.process.pid)
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
            self._send(member, Close())
        deadline = time.monotonic() + seconds
        for member in self._members:
            member.process.join(max(0.0, deadline - time.monotonic()))
        self.kill()
        self._folder.cleanup()

    def kill(self) -> None:
        """End every worker at once."""
        for member in self._members:
            if member.process.is_alive():
                member.process.kill()
        for member in self._members:
            member.process.join()
            member.pipe.close()
        self._members.clear()

    def _spawn(self, index: int, restarts: int) -> _Member:
        ours, theirs = self._context.Pipe()
        trace = Path(self._folder.name) / f"worker-{index}-{restarts}.trace"
        trace.parent.mkdir(mode=0o700, exist_ok=True)  # systems clean /tmp, and runs last for weeks
        actor = replace(self._actor, seed=(*self._actor.seed, index, restarts))
        spec = WorkerSpec(index, actor, self._shared.shape, self._shared.name, str(trace))
        self._shared.heartbeat[index] = time.monotonic()
        process = self._context.Process(target=main, args=(spec, theirs), name=f"rltui-worker-{index}", daemon=True)
        process.start()
        theirs.close()
        return _Member(process, ours, trace, time.monotonic(), restarts=restarts)

    def _watch(self, poll: Callable[[], None]) -> None:
        """Wait a moment for news, replace what has failed, look at the controls."""
        self._receive(POLL)
        for index, member in enumerate(self._members):
            reason = self._ended(member)
            if reason is not None:
                self._replace(index, *reason)
        poll()

    def _receive(self, seconds: float) -> None:
        waiting: list[Connection | int] = [m.pipe for m in self._members if not m.pipe.closed]
        waiting += [m.process.sentinel for m in self._members]
        wait(waiting, seconds)
        for index, member in enumerate(self._members):
            self._drain(index, member)

    def _drain(self, index: int, member: _Member) -> None:
        try:
            while not member.pipe.closed and member.pipe.poll(0):
                self._hear(index, member, member.pipe.recv_bytes())
        except (EOFError, OSError):
            member.pipe.close()

    def _hear(self, index: int, member: _Member, data: bytes) -> None:
        match decode_from_worker(data):
            case Ready(pid=pid):
                self._enter(member, "waiting")
                if self._orders[index].number:
                    self._send(member, self._orders[index])
                seconds = member.since - member.spawned
                self._tell(
                    WorkerStarted(time=time.time(), worker=index, pid=pid, restarts=member.restarts, seconds=seconds)
                )
            case RolloutDone() as done:
                member.done = member.newest = done
                self._enter(member, "waiting")
            case Configured(number=number):
                member.obeys = number
            case Said(lines=lines):
                tell_lines(self._tell, index, lines)
            case Failed() as failure:
                member.failure = failure
            case _:
                pass

    def _enter(self, member: _Member, state: State) -> None:
        member.state, member.since = state, time.monotonic()

    def _ended(self, member: _Member) -> tuple[FailureKind, str, str] | None:
        """(kind, reason, trace) when this worker can no longer work."""
        index = self._members.index(member)
        if not member.process.is_alive():
            self._drain(index, member)
            if member.failure is not None:
                return "raised", member.failure.reason, member.failure.trace
            return "died", self._death(index, member), member.trace.read_text() if member.trace.exists() else ""
        silent = time.monotonic() - max(float(self._shared.heartbeat[index]), member.since)
        if member.state == "collecting" and silent > self._timeout:
            return "hung", f"no heartbeat for {duration(silent)} (workers.timeout_s = {self._timeout:g}); killed", ""
        if member.state == "starting" and silent > START_TIMEOUT:
            return "start", f"not ready after {duration(silent)}; killed", ""
        return None

    def _death(self, index: int, member: _Member) -> str:
        code = member.process.exitcode or 0
        if code >= 0:
            return f"exited with {code}"
        name = signal.Signals(-code).name if -code in _NAMED else f"signal {-code}"
        likely = ", likely out of memory" if name == "SIGKILL" and _out_of_memory() else ""
        doing = self._describe_crash(index, self._block) if member.state == "collecting" else f"while {member.state}"
        return f"killed by {name}{likely}, {doing}"

    def _replace(self, index: int, kind: FailureKind, reason: str, trace: str) -> None:
        member = self._members[index]
        self._tell(WorkerFailed(time=time.time(), worker=index, kind=kind, reason=reason, trace=trace))
        if member.process.is_alive():
            member.process.kill()
        member.process.join()
        member.pipe.close()
        self._deaths.append(time.monotonic())
        if len(self._deaths) == DEATHS and self._deaths[-1] - self._deaths[0] < DEATH_WINDOW:
            raise WorkersFailing(
                f"{DEATHS} workers failed within {DEATH_WINDOW:g} s; the newest: worker {index} {kind}: {reason}",
                trace.strip()[-4000:],
            )
        self._members[index] = self._spawn(index, member.restarts + 1)

    def _send(self, member: _Member, message: ToWorker) -> None:
        with contextlib.suppress(OSError):  # dead: its sentinel tells
            member.pipe.send_bytes(encode(message))


def _out_of_memory() -> bool:
    """A guess: a SIGKILL that is not ours, while little memory is left."""
    import psutil

    return bool(psutil.virtual_memory().available < LITTLE_MEMORY)
