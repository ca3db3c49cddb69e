"""Messages of the control socket: commands to a trainer, its answers, its live state."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

from rltui.formatting import percent, plural, short

# Frames of 4-byte length + JSON. client → trainer: Hello once, then Request.
# trainer → client: Welcome, Accepted / Applied / Refused, Live (newest wins).
MAX_FRAME = 1 << 20  # bytes; a longer frame closes the connection

# Each is explained in MEANING (tui/cockpit/dialogs), short in SHORT (run_state/condition); workers print in train/collect/debug_output.
DebugFlag = Literal["global_debug_mode", "debug_actions", "debug_learning", "debug_checkpoints", "debug_turtled_start"]
FLAGS: tuple[DebugFlag, ...] = get_args(DebugFlag)
OF_TRAINER = frozenset({"debug_learning", "debug_checkpoints"})  # what they print is not one worker's

OUTPUTS = ("rocketsimvis", "rlviser", "recording")  # where the viewer's match can be shown or kept

RequestId = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    pass


class Resume(msgspec.Struct, frozen=True, tag="resume"):
    pass


class SaveCheckpoint(msgspec.Struct, frozen=True, tag="checkpoint"):
    pass


class SaveMilestone(msgspec.Struct, frozen=True, tag="milestone"):
    pass


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """finish: end the iteration, save, stop; now: save at once, stop; abandon: stop without saving."""

    mode: Literal["finish", "now", "abandon"] = "finish"


class SetLearningRate(msgspec.Struct, frozen=True, tag="learning_rate"):
    """Of the policy, from the next update on; the critic's keeps its proportion. None: back to the profile's schedule."""

    value: float | None


class SetEntropy(msgspec.Struct, frozen=True, tag="entropy"):
    """ppo.ent_coef from the next update on. None: the profile's again."""

    ent_coef: float | None


class SetRewardWeight(msgspec.Struct, frozen=True, tag="reward_weight"):
    """Of the reward that reports call by this name, from the next rollout on; `mechanics/<name>`: of the practice group's
    own. None: the profile's again, schedule included.
    """

    name: str
    weight: float | None


class SetFlag(msgspec.Struct, frozen=True, tag="flag"):
    """A debug flag of one worker, or of all. It holds as long as the trainer lives, whatever becomes of the workers."""

    flag: str  # one of FLAGS; text, so that a wrong one is refused with the nearest and the connection lives
    on: bool
    worker: int | None = None


class SetRender(msgspec.Struct, frozen=True, tag="render"):
    """The viewer, which plays the newest weights in real time, on or off; or one of its outputs, for which it comes on."""

    on: bool
    output: str = ""  # one of OUTPUTS; "": the viewer with the outputs of the profile's [render]


class NextPhase(msgspec.Struct, frozen=True, tag="next_phase"):
    """Go on to the campaign's next phase at the end of the iteration, whatever the bot can do."""


class TakeControl(msgspec.Struct, frozen=True, tag="take_control"):
    """Control passes to this client at once; whoever had it may take it back. Answered by the socket's thread."""


# A new one also: command_name below, command_problem (train/control/commands), who takes it from the queue (train/live_controls
# for most), how it is typed (run_state/change_command).
Command = (
    Pause
    | Resume
    | SaveCheckpoint
    | SaveMilestone
    | Stop
    | SetLearningRate
    | SetEntropy
    | SetRewardWeight
    | SetFlag
    | SetRender
    | NextPhase
    | TakeControl
)


def command_name(command: Command) -> str:
    """The command as people read it: pause, checkpoint, next phase; what it sets with the value: debug_actions on."""
    match command:
        case SetLearningRate(value=value):
            return f"learning rate {_number(value)}"
        case SetEntropy(ent_coef=value):
            return f"entropy coefficient {_number(value)}"
        case SetRewardWeight(name=name, weight=value):
            return f"reward {name} {_number(value)}"
        case SetFlag(flag=flag, on=on, worker=worker):
            return f"{flag} {'on' if on else 'off'}" + ("" if worker is None else f", worker {worker}")
        case SetRender(on=on, output=output):
            return f"render {output} {'on' if on else 'off'}".replace("  ", " ")
        case _:
            return str(command.__struct_config__.tag).replace("_", " ")


def _number(value: float | None) -> str:
    return "as in the profile" if value is None else f"{value:g}"


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    client: str  # who, shown to others: "ada on tower, pid 1234"
    readonly: bool = False
    one_shot: bool = msgspec.field(default=False, name="errand")  # a command line: never holds control, may always stop
    protocol: int = 1


class Request(msgspec.Struct, frozen=True, tag="request"):
    id: RequestId  # chosen by the client, echoed in the answers
    command: Command


ClientMessage = Hello | Request


class CommandAccepted(msgspec.Struct, frozen=True, tag="accepted"):
    id: int


class CommandApplied(msgspec.Struct, frozen=True, tag="applied"):
    id: int
    detail: str
    seconds: float  # from acceptance


class CommandRefused(msgspec.Struct, frozen=True, tag="refused"):
    id: int
    reason: str


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    run: str
    pid: int
    protocol: int
    controller: str | None  # who holds control; sent again whenever that changes
    you: str = ""  # this client's name as others see it


def stopped_words(pid: int | None) -> str:
    """Of a process that a signal has stopped, and what makes it go on."""
    return f"stopped by a signal: kill -CONT {pid}"


class WorkerLive(msgspec.Struct, frozen=True):
    """One worker now. Unknown is None."""

    worker: int
    state: str  # starting, waiting, collecting, restarting; stopped, starved, busy; in the trainer (serial collector)
    pid: int | None
    steps_per_second: float | None  # over its newest rollout
    arenas: int
    memory_mb: float | None
    heartbeat_age: float | None  # seconds
    restarts: int
    progress: float | None  # 0–1 of the running rollout
    own_silence: float | None = None  # of heartbeat_age, the seconds that were its own: on a core, or asleep


class FlagLive(msgspec.Struct, frozen=True):
    """A debug flag that is on. workers: those that have it; None: all of them."""

    flag: str
    workers: list[int] | None = None


class OutputLive(msgspec.Struct, frozen=True):
    """Where the viewer's match goes."""

    name: str  # one of OUTPUTS
    target: str  # 127.0.0.1:9273, a file
    sent: int  # packets or moments so far
    problem: str = ""  # the newest one, "" when it is over


class ViewerLive(msgspec.Struct, frozen=True):
    """The viewer process."""

    state: Literal["starting", "playing", "failed"]
    timesteps: int | None  # of the weights that it plays
    address: str  # of its stream (events/match_frames), a local socket; "" where there is none
    outputs: list[OutputLive]
    problem: str = ""  # why it failed; while it plays, that nothing has been heard of it


class EvaluationLive(msgspec.Struct, frozen=True):
    """Evaluation of saved states beside training: whose games are played now, and who is next."""

    timesteps: int | None  # of the state that plays
    pid: int | None  # of the process
    waiting: int | None  # timesteps of the next one
    games: int = 0  # that it plays; 0: not known yet
    share: float | None = None  # of their play

    @property
    def words(self) -> str:
        """`evaluating 1.10 M, 23 % of 60 games, 1.20 M waits`; empty where nothing is to be played."""
        waits = f"{short(self.waiting)} waits" if self.waiting is not None else ""
        if self.timesteps is None:
            return waits
        how_far = f"{percent(self.share)} of {plural(self.games, 'game')}" if self.games else ""
        return ", ".join(filter(None, (f"evaluating {short(self.timesteps)}", how_far, waits)))


class Live(msgspec.Struct, frozen=True, tag="live"):
    """The state within an iteration; newest wins, nothing here must not be missed."""

    time: float
    state: str
    reason: str
    iteration: int
    timesteps: int
    progress: float | None  # 0–1 of the current state's work (collecting, learning)
    workers: list[WorkerLive]
    clients: list[str]
    dropped: int  # live frames this client was too slow for
    flags: list[FlagLive] = []
    viewer: ViewerLive | None = None  # None: off
    elapsed: float | None = None  # as records have it
    evaluation: EvaluationLive | None = None  # None: no games are asked for


ServerMessage = Welcome | CommandAccepted | CommandApplied | CommandRefused | Live


def plain(value: Any) -> Any:
    """What an encoder does not know: a NumPy or torch scalar as Python's own number; TypeError for anything else."""
    if (item := getattr(value, "item", None)) is None:
        raise TypeError(f"{value!r:.80} of type {type(value).__name__} is no number or text")
    return item()


encode = msgspec.json.Encoder(enc_hook=plain).encode
_client_decoder: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_server_decoder: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)


def decode_from_client(frame: bytes) -> ClientMessage:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _client_decoder.decode(frame)


def decode_from_server(frame: bytes) -> ServerMessage:
    """Raises msgspec.DecodeError (ValidationError included) or UnicodeDecodeError for anything else."""
    return _server_decoder.decode(frame)
