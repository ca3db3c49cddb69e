"""meta.json of a saved state, and the signature that decides whether it fits a profile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.runs.checkpoint import DamagedError, read_file
from rltui.runs.paths import starter_folder


class Signature(msgspec.Struct, frozen=True):
    """Four texts, compared as they are; readable, since a person is told when they differ."""

    obs: str  # kind, parameters and size of the observation
    table_hash: str
    policy: str  # see `net`
    critic: str

    def differences(self, found: Signature) -> list[str]:
        """Each part that differs, `observation: expected …, found …`; empty where all fit. Self is the expected."""
        parts = (
            ("observation", self.obs, found.obs),
            ("action table", self.table_hash, found.table_hash),
            ("policy", self.policy, found.policy),
            ("critic", self.critic, found.critic),
        )
        return [f"{name}: expected {mine}, found {theirs}" for name, mine, theirs in parts if mine != theirs]


def net(kind: str, inputs: int, layers: Sequence[int], outputs: int) -> str:
    """A net as text, `discrete 92-256-256-90`: kind, inputs, hidden layers, outputs."""
    return f"{kind} {'-'.join(str(size) for size in (inputs, *layers, outputs))}"


NAME = "meta.json"
SCHEMA = 1


class Meta(msgspec.Struct, frozen=True, kw_only=True):
    """One saved state of a run, filled in by CheckpointWriter._meta. Unknown is null."""

    schema: int = SCHEMA
    run: str
    commit: int  # counts a run's saved states from 1; a checkpoint and a milestone of one state share it
    phase: int | None
    stage: str | None
    timesteps: int
    time: float  # Unix seconds
    mean_reward: float | None  # over `reward_episodes`, the newest
    reward_episodes: int | None = None  # unknown of a folder whose mean is of one iteration
    reward_short: bool = False  # mostly short episodes had ended since all arenas started
    paid: str = ""  # equal where the same was paid for; empty of older folders
    entropy: float | None  # nats
    approx_kl: float | None
    obs_signature: str
    table_hash: str
    policy: str
    critic: str
    profile: str = ""  # its name
    phase_profile: str = ""  # of a campaign: the name of its phase's
    profile_hash: str
    version: str  # of rltui
    versions: dict[str, str] = {}  # of what it stands on
    sources: dict[str, str] = {}  # of users' own components: name → hash of its file
    parent: str | None  # `<run>@<timesteps>` that this run was branched from
    author: str

    @property
    def signature(self) -> Signature:
        return Signature(self.obs_signature, self.table_hash, self.policy, self.critic)

    @property
    def origin(self) -> str:
        """`<run>@<timesteps>`, as a branch records its parent."""
        return f"{self.run}@{self.timesteps}"


_decoder = msgspec.json.Decoder(Meta)


def encode(meta: Meta) -> bytes:
    """meta.json's content."""
    return msgspec.json.format(msgspec.json.encode(meta), indent=1) + b"\n"


def decode(content: bytes) -> Meta:
    """Raises ValueError, with the reason, for anything that is no Meta of a schema known here."""
    try:
        meta = _decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"cannot be read: {error}") from error
    if meta.schema > SCHEMA:
        raise ValueError(f"has schema {meta.schema}, newer than {SCHEMA}: update rltui")
    if meta.timesteps < 0 or meta.commit < 0:
        raise ValueError("has negative counts")
    return meta


def read(folder: Path) -> Meta:
    """A checkpoint's meta.json, its hash checked. DamagedError where it is missing or damaged."""
    return checked(read_file(folder, NAME))


def read_starter() -> Meta:
    """Of the bot that comes with rltui, a folder without hashes. RltuiError where it cannot be read."""
    path = starter_folder() / NAME
    try:
        return decode(safe_io.read_bytes(path, safe_io.LARGEST))
    except (OSError, ValueError) as error:
        reason = safe_io.reason(error) if isinstance(error, OSError) else error
        raise RltuiError(f"the starter bot: {path}: {reason}", "install rltui again") from error


def checked(content: bytes) -> Meta:
    """meta.json's content, read. DamagedError, with the file's name, for anything that is no Meta."""
    try:
        return decode(content)
    except ValueError as error:
        raise DamagedError(f"{NAME} {error}") from error


def milestone_label(timesteps: int) -> str:
    """Millions, three digits or more, and what decimals it takes: `005M`, `1250M`, `012.35M`, `012.43136M`."""
    whole, rest = divmod(timesteps, 1_000_000)
    return f"{whole:03d}.{rest:06d}".rstrip("0").rstrip(".") + "M"


def phase_folder(phase: int | None, label: str, profile: str) -> str:
    """`Phase<N>-<label>`; `Phase0-<profile>` without a phase, `Phase<N>-<profile>` without a label.

    Characters that a folder should not have become `-`.
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", profile if phase is None else label or profile).strip("-.")
    return f"Phase{phase or 0}-{name or 'unnamed'}"
