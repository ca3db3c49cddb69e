"""Viewer process: main loop and messages."""

from __future__ import annotations

import contextlib
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec

from rltui.errors import RltuiError, in_words, users_line
from rltui.events import match_frames
from rltui.events.commands import OutputLive
from rltui.events.match_frames import MatchFrame
from rltui.events.records import Level
from rltui.supervise.shared_memory import SharedBlock
from rltui.supervise.signals import become_subordinate
from rltui.view.live_match import Pacer
from rltui.view.outputs import OutputOptions, Outputs
from rltui.view.stream import MatchStream, WeightsBoard
from rltui.view.training_match import RunMatch, RunMatchSpec

NICE = 10  # below the workers
TELL = 0.5  # seconds between two reports
LISTEN = 0.1  # seconds between two looks for the trainer's requests: one costs as much as a moment
WAIT = 0.02  # seconds between two looks for the first weights


class SwitchOutput(msgspec.Struct, frozen=True, tag="switch"):
    """An output on or off. number: echoed in Switched."""

    number: int
    name: str
    on: bool


class SetRewardWeights(msgspec.Struct, frozen=True, tag="weigh"):
    """Reward weights that are set by hand, all of them."""

    weights: dict[str, float]


class CloseViewer(msgspec.Struct, frozen=True, tag="close"):
    pass


class Playing(msgspec.Struct, frozen=True, tag="playing"):
    """How it goes, twice a second; the first comes when the first moment has been shown."""

    timesteps: int
    address: str
    outputs: list[OutputLive]


class OutputSwitched(msgspec.Struct, frozen=True, tag="switched"):
    """What became of a SwitchOutput. problem: why it could not be done, "" where it was."""

    number: int
    detail: str
    problem: str = ""


class Noticed(msgspec.Struct, frozen=True, tag="noticed"):
    """A sentence for people."""

    text: str
    level: Level = "info"


class ViewerFailed(msgspec.Struct, frozen=True, tag="failed"):
    """The viewer raised. Sent just before it exits."""

    reason: str
    trace: str


ToViewer = SwitchOutput | SetRewardWeights | CloseViewer
FromViewer = Playing | OutputSwitched | Noticed | ViewerFailed

encode = msgspec.msgpack.Encoder().encode
_to_viewer = msgspec.msgpack.Decoder(ToViewer)
_from_viewer = msgspec.msgpack.Decoder(FromViewer)


def decode_to_viewer(data: bytes) -> ToViewer:
    """Raises msgspec.DecodeError for anything else."""
    message: ToViewer = _to_viewer.decode(data)
    return message


def decode_from_viewer(data: bytes) -> FromViewer:
    """Raises msgspec.DecodeError for anything else."""
    message: FromViewer = _from_viewer.decode(data)
    return message


@dataclass(frozen=True)
class ViewerSpec:
    """What the process is started with: plain data, and the memory."""

    match: RunMatchSpec
    run_folder: Path
    outputs: OutputOptions
    weights: dict[str, float]  # of rewards, set by hand
    memory: SharedBlock  # of the WeightsBoard
    parameters: int


class _ViewerClosed(Exception):
    """The trainer wants no viewer any more, or is gone."""


def main(spec: ViewerSpec, pipe: Connection) -> None:
    """Entry point of the spawned process."""
    become_subordinate(NICE)
    try:
        viewer = _Viewer(spec, pipe)
        with contextlib.closing(viewer):
            viewer.run()
    except (_ViewerClosed, EOFError, BrokenPipeError, ConnectionResetError):
        pass  # the trainer is done with us, or dead: no one is left to tell
    except Exception as error:  # whatever a user's component raised travels whole
        place = users_line(error)
        reason = f"{f'{place}: ' if place else ''}{in_words(error)}"
        with contextlib.suppress(OSError):
            pipe.send_bytes(encode(ViewerFailed(reason, traceback.format_exc())))
        raise SystemExit(1) from None


class _Viewer:
    """The match, what it is shown on, and the trainer's requests."""

    def __init__(self, spec: ViewerSpec, pipe: Connection) -> None:
        self._pipe = pipe
        self._board = WeightsBoard(spec.memory, spec.parameters)
        self._version, self._timesteps = 0, 0
        self._pacer = Pacer()
        self._outputs = Outputs(spec.outputs, lambda text, level: self._say(Noticed(text, level)))
        self._stream = MatchStream(spec.run_folder)
        self._match = RunMatch(spec.match, self._show)
        self._match.set_reward_weights(spec.weights)
        self._next_word = self._next_look = 0.0
        if self._stream.problem:
            self._say(Noticed(self._stream.problem, "warning"))

    def run(self) -> None:
        """Until the trainer is done with it. _Closing, EOFError."""
        while not self._renewed():
            self._listen()
            time.sleep(WAIT)
        while True:
            self._match.step()
            self._renewed()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # nobody hears how the outputs ended
            self._outputs.close()
        self._stream.close()
        self._board.close()

    def _renewed(self) -> bool:
        """Take over newer weights, if there are any."""
        if self._board.version == self._version:
            return False
        found = self._board.read()
        if found is None:  # being written
            return False
        self._version, self._timesteps, weights = found
        self._match.set_weights(weights, self._timesteps)
        return True

    def _show(self, moment: MatchFrame) -> None:
        self._pacer.wait_for(moment.tick)
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LISTEN
            self._listen()
        self._outputs.show(moment)
        self._stream.offer(lambda: self._frame(moment))
        if now >= self._next_word:
            self._next_word = now + TELL
            self._say(Playing(self._timesteps, self._stream.address, self._outputs.live()))

    def _frame(self, moment: MatchFrame) -> bytes:
        match = self._match
        return match_frames.encode(
            match_frames.Watched(moment, match.episode, self._timesteps, tuple(match.names), match.newest_steps)
        )

    def _listen(self) -> None:
        while self._pipe.poll(0):
            message = decode_to_viewer(self._pipe.recv_bytes())
            if isinstance(message, SwitchOutput):
                self._switch(message)
            elif isinstance(message, SetRewardWeights):
                self._match.set_reward_weights(message.weights)
            else:
                raise _ViewerClosed

    def _switch(self, request: SwitchOutput) -> None:
        try:
            self._say(OutputSwitched(request.number, self._outputs.switch(request.name, request.on)))
        except RltuiError as error:
            hint = f" ({error.hint})" if error.hint else ""
            self._say(OutputSwitched(request.number, "", error.message + hint))
        self._next_word = 0.0

    def _say(self, message: FromViewer) -> None:
        self._pipe.send_bytes(encode(message))
