"""ControlServer: the trainer's ear. A thread serves the control socket; the training loop polls for commands.

Nothing here may hold up training: `poll` and `live` cost microseconds, and a client that is slow, stopped or hostile
costs its own connection and nothing else. What must not be missed is in the journal, not here.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from rltui.errors import RltuiError
from rltui.events.commands import CommandApplied, CommandRefused, Live
from rltui.events.records import CommandLogged, LogLine
from rltui.supervise import sockets
from rltui.train.client_session import Limits
from rltui.train.control_desk import ControlDesk
from rltui.train.control_loop import ControlLoop
from rltui.train.listener import Listener, open_listener
from rltui.train.pending_command import PendingCommand

if TYPE_CHECKING:
    from types import TracebackType

    from rltui.runs.paths import RunPaths


def _nowhere(record: CommandLogged | LogLine) -> None:
    """The default of `log`."""


def _nothing() -> None:
    """The default of `told`."""


class ControlServer:
    """The control socket of one run, from `start` to `close`; as a context manager, inside the block.

    log: is given CommandLogged for every command accepted, refused or applied, and LogLine for clients closed for a
    fault. It is called from the socket's thread and from any thread that answers (Publisher.publish may be given).
    told: waits until what was logged so far is written, so that whoever hears an answer finds the record of it.
    """

    def __init__(
        self,
        paths: RunPaths,
        run_name: str,
        log: Callable[[CommandLogged | LogLine], None] = _nowhere,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.time,
        told: Callable[[], None] = _nothing,
    ) -> None:
        self._paths, self._limits, self._told = paths, limits or Limits(), told
        self._log, self._clock = log, clock
        self._commands: deque[PendingCommand] = deque()
        self._desk = ControlDesk(run_name, self._limits, self._commands.append, self._settle, log, clock)
        self._loop: ControlLoop | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen and write `socket.json`. RltuiError where no socket can be made, or another trainer listens there."""
        listener = self._listen()
        self._loop = ControlLoop(listener, self._desk, self._limits, self._log, self._clock, self._listen)
        self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="control socket", daemon=True)
        self._thread.start()
        return self

    def poll(self) -> list[PendingCommand]:
        """The commands accepted since the last call, oldest first. Answer each: `.applied(detail)`, `.refused(reason)`."""
        taken = []
        while self._commands:
            taken.append(self._commands.popleft())
        return taken

    def live(self, live: Live) -> None:
        """Offer the state of now to all clients; the newest wins. `clients` and `dropped` are filled in for each."""
        if self._loop is not None:
            self._loop.newest = live
            if self._desk.names:
                self._loop.wake()

    def clients(self) -> list[str]:
        """Who is attached."""
        return list(self._desk.names)

    def closed(self) -> Counter[str]:
        """Connections closed for a fault, by kind (client_session.Fault)."""
        return Counter(self._loop.closed if self._loop is not None else ())

    def close(self, timeout: float = 1.0) -> None:
        """Refuse what is unanswered, deliver what is queued within `timeout` seconds, hang up, remove the socket."""
        if self._loop is None or self._thread is None:
            return
        self._desk.ending = True
        for pending in list(self._desk.unanswered):
            pending.refused("the trainer is ending")
        self._loop.finish(timeout)
        self._thread.join(timeout + 1.0)
        self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self) -> Listener:
        """RltuiError as `start`."""
        listener = open_listener(self._paths.folder)
        try:
            sockets.write(self._paths.socket_file, listener.address)
        except OSError as error:
            listener.close()
            raise RltuiError(f"cannot write {self._paths.socket_file}: {error}") from error
        return listener

    def _settle(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        """Called by whoever answers: the client first, then the journal."""
        self._desk.unanswered.discard(pending)
        self._told()
        if self._loop is not None:
            self._loop.outcomes.append((pending, outcome))
            self._loop.wake()
        self._log(CommandLogged(time=self._clock(), command=pending.name, by=pending.by, outcome=outcome))

    def _serve(self, loop: ControlLoop) -> None:
        try:
            loop.run()
        except (
            Exception
        ):  # a bug here must neither pass in silence nor end the run: it goes on without a remote control
            message = f"the control socket failed, training goes on without it:\n{traceback.format_exc()}"
            self._log(LogLine(time=self._clock(), level="error", source="control", message=message))
        finally:
            self._paths.socket_file.unlink(missing_ok=True)
            loop.hang_up()
