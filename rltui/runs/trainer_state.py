"""TRAINER_STATE.json: what a resume needs beside the learner's own files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.events.records import RATE_SETTING, StateEvaluated, setting_words
from rltui.runs import checkpoint
from rltui.runs.checkpoint import DamagedError, read_file

NAME = "TRAINER_STATE.json"
SCHEMA = 1


class RateState(msgspec.Struct, frozen=True, kw_only=True):
    """Of the learning rate. words: what the profile said of it then, to find out whether it says something else now."""

    words: str
    adapted: float | None = None  # where KL had taken it
    override: float | None = None  # as set by hand


class OverrideState(msgspec.Struct, frozen=True, kw_only=True):
    """A number set by hand. words: what the profile said in its place then."""

    words: str
    value: float


class CurriculumState(msgspec.Struct, frozen=True, kw_only=True):
    """The place in a campaign, and the newest iterations' statistics, by which skill is measured."""

    phase: int  # from 0
    profile: str  # the name of the phase's profile
    started: int  # timesteps at which the phase began
    window: list[dict[str, Any]] = []  # EpisodeStats, the oldest first


class PoolState(msgspec.Struct, frozen=True, kw_only=True):
    """Of the opponents of self-play, by name. results: the learner's wins (a draw is half of one) and of how many games; left: who
    is never drawn again; teams: blue and orange cars of those games, 0 and 0 before any.
    """

    results: dict[str, tuple[float, float]] = {}
    left: list[str] = []
    teams: tuple[int, int] = (0, 0)


class TrainerState(msgspec.Struct, frozen=True, kw_only=True):
    """What a resume needs beside the learner's own files."""

    schema: int = SCHEMA
    learning_rate: RateState
    curriculum: CurriculumState | None = None  # None without phases
    overrides: dict[str, OverrideState] = {}  # by what they set: entropy, reward <name>
    evaluated: StateEvaluated | None = None  # the newest state that games had rated
    pool: PoolState = PoolState()

    @property
    def by_hand(self) -> dict[str, float]:
        """All that was in force in the place of the profile's, by its setting as in SettingChanged."""
        rate = self.learning_rate.override
        return {
            **({} if rate is None else {RATE_SETTING: rate}),
            **{setting: state.value for setting, state in self.overrides.items()},
        }

    def held(self, said: Mapping[str, str] | None = None) -> list[tuple[str, float, str]]:
        """(setting, value, what the profile has in its place) of all set by hand that holds under a profile.

        said: what that says of each setting; None: the same as when this was saved.
        """
        rate, found = self.learning_rate, dict(self.overrides)
        if rate.override is not None:
            found = {RATE_SETTING: OverrideState(words=rate.words, value=rate.override), **found}
        return [
            (setting, state.value, _profile_value(setting, state.words))
            for setting, state in found.items()
            if (said is None or said.get(setting) == state.words) and not _same(state)
        ]


def _same(state: OverrideState) -> bool:
    """Set by hand to what the profile says anyway."""
    kind, _, rest = state.words.partition(" ")
    words = rest.partition(" ")[0] if kind == "constant" else state.words
    try:
        return float(words) == state.value
    except ValueError:  # a schedule
        return False


def _profile_value(setting: str, words: str) -> str:
    if setting == RATE_SETTING:
        kind, _, rest = words.partition(" ")
        return rest.partition(" ")[0] if kind == "constant" else f"{kind} schedule"
    return "a schedule" if words.startswith("(") else words.removesuffix(".0")


def held_words(folder: Path, said: Mapping[str, str] | None = None) -> str:
    """What of a saved state is set by hand and goes on, in one line; empty where nothing is, or its state cannot be read."""
    try:
        state = read(folder)
    except (RltuiError, OSError):
        return ""
    found = state.held(said) if state else []
    held = [f"{setting_words(name, value)} (profile {theirs})" for name, value, theirs in found]
    return f"set by hand, still in force: {', '.join(held)}" if held else ""


_decoder = msgspec.json.Decoder(TrainerState)


def encode(state: TrainerState) -> bytes:
    """The file's content."""
    return msgspec.json.encode(state) + b"\n"


def read(folder: Path) -> TrainerState | None:
    """Of a checkpoint; None where it has none. RltuiError for one that cannot be understood."""
    if not _has_one(folder):
        return None
    try:
        state = _decoder.decode(read_file(folder, NAME))
    except (DamagedError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RltuiError(f"{folder / NAME} cannot be read: {error}", "choose another checkpoint") from error
    if state.schema > SCHEMA:
        raise RltuiError(f"{folder / NAME} has schema {state.schema}, newer than {SCHEMA}", "update rltui")
    return state


def _has_one(folder: Path) -> bool:
    try:
        return NAME in checkpoint.parse_manifest(
            safe_io.read_bytes(folder / checkpoint.MANIFEST, checkpoint.LARGEST_MANIFEST)
        )
    except (OSError, ValueError):
        return False
