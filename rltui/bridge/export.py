"""Export of a policy to another format: formats, the files where the user wants them, proof that they act as the bot does."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rltui.actions.masking import class_ids
from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.actions.spec import Classes
from rltui.env.observer import Observer
from rltui.errors import RltuiError
from rltui.policy.distributions import ILLEGAL
from rltui.policy.saved import SavedPolicy, load_policy, save_policy, saved_game
from rltui.policy.weights import Float
from rltui.registry import EXPORTERS, build
from rltui.rewards.sampling import sample_states
from rltui.runs.atomic import make_folder, remove_tree, replace_file, temporary_name
from rltui.runs.keep import copy_target, give_copy
from rltui.runs.paths import DataDir, absolute
from rltui.sim.state import Bool

STATES = 10_000  # observations that an export is checked on
ARENAS, MOMENTS = 125, 4  # of random states drawn at once; how many follow on each other
LARGEST_ERROR = 1e-5  # of a logit, in logits, or of the largest one where that is beyond 1
CLOSE = 1e-4  # between the two best logits: rounding may choose the other one
MOST_DIFFERING = 0.001  # share of the states in which that may happen


class Exporter(ABC):
    """A format. suffix: of what is written. single: whether that is one file."""

    suffix: str
    single = True

    @abstractmethod
    def files(self, policy: SavedPolicy, name: str) -> Mapping[str, bytes]:
        """Contents by path below the target; of a single file by "". RltuiError for what this format cannot carry."""

    @abstractmethod
    def logits(self, target: Path, obs: Float) -> Float:
        """What the export itself, read from disk, gives for observations [N, D]: [N, actions]."""


class NumpyExporter(Exporter):
    """policy.npz."""

    suffix = ".npz"

    def files(self, policy: SavedPolicy, name: str) -> Mapping[str, bytes]:
        return {"": save_policy(policy)}

    def logits(self, target: Path, obs: Float) -> Float:
        return load_policy(target).network(len(obs)).logits(obs)


@dataclass(frozen=True)
class Parity:
    """How an export acts beside the bot."""

    states: int
    largest: float  # difference of a logit
    bound: float  # of that
    differing: int  # states in which the most probable action is another one
    wrong: int  # of these, where it was not close

    @property
    def proven(self) -> bool:
        return self.largest <= self.bound and not self.wrong and self.differing <= MOST_DIFFERING * self.states


def exporter(name: str) -> Exporter:
    """RltuiError where what it needs is not installed."""
    module, _, cls = EXPORTERS[name].partition(":")
    made: Exporter = getattr(import_module(module), cls)()
    return made


def target_of(data: DataDir, typed: str | None, name: str, made: Exporter, force: bool) -> Path:
    """Where it goes: the path typed, inside it where it is a folder already; without one `<name><suffix>` here.

    RltuiError (exit 2) for a place that is taken, and for one among the data folder's own.
    """
    called = name.replace("/", "-") + made.suffix
    path = absolute(typed) if typed and not made.single and _is_bot(absolute(typed)) else None
    path = path or copy_target(data, typed or called, called)
    if os.path.lexists(path) and not force:
        raise RltuiError(f"{path} exists", "choose another name: -o PATH; or overwrite it: --force", exit_code=2)
    if path.is_dir() if made.single else os.path.lexists(path) and not _is_bot(path):
        raise RltuiError(f"{path} is in the way, and no earlier export", "choose another name: -o PATH", exit_code=2)
    return path


def described(policy: SavedPolicy) -> dict[str, Any]:
    """What is to be done beside the net, for formats that hold nothing else: as policy.npz says it."""
    keys = ("obs_size", "table_hash", "legality", "obs_signature", "tick_skip", "action_delay_ticks", "env")
    return {key: getattr(policy, key) for key in keys} | {"table": policy.table.tolist()}


def export(policy: SavedPolicy, name: str, made: Exporter, target: Path) -> Parity:
    """Write it, read it back and compare it with the bot. RltuiError leaves nothing where nothing was."""
    if not policy.layers:
        raise RltuiError(f"{name} is a TorchScript file, whose weights cannot be read", "export what it was made of")
    files, new = made.files(policy, name), not os.path.lexists(target)
    try:
        _write(target, files)
        return _check(policy, made, target)
    except BaseException:
        if new:
            remove_tree(target)
        raise


def _write(target: Path, files: Mapping[str, bytes]) -> None:
    """All of them, or none where nothing was there; of an earlier folder what is no part of it stays. RltuiError names the path."""
    try:
        if "" in files:
            (replace_file if os.path.lexists(target) else give_copy)(target, files[""])
        elif target.is_dir():
            for path, content in files.items():
                replace_file(target / path, content)
        else:
            _write_folder(target, files)
    except OSError as error:
        raise RltuiError(f"cannot write {target}: {error.strerror or error}") from error


def _check(policy: SavedPolicy, made: Exporter, target: Path) -> Parity:
    """In random states of the game, seen as the bot sees them. RltuiError where the export cannot be read, or acts otherwise."""
    obs, classes = _observations(policy)
    masks = action_spec(policy.table, PipelineOptions(policy.legality)).masks
    found = compare(policy.network(len(obs)).logits(obs), made.logits(target, obs), masks, classes)
    if not found.proven:
        raise RltuiError(
            f"{target} does not act as the bot does: in {found.states:,} states its logits differ by up to {found.largest:.2g}, "
            f"expected at most {found.bound:.2g}; another action in {found.differing:,}",
            "rltui doctor checks this machine",
        )
    return found


def compare(ours: Float, theirs: Float, masks: Bool | None, classes: Classes) -> Parity:
    """Logits [N, actions] of the bot and of its export. masks: what may be chosen in the classes [N]."""
    largest = float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else float("inf")
    if not largest < float("inf"):
        return Parity(len(ours), float("inf"), LARGEST_ERROR, len(ours), len(ours))
    illegal = np.float32(0) if masks is None else np.where(masks, np.float32(0), ILLEGAL)[classes]
    legal = ours + illegal
    best = legal.argmax(axis=1)
    differs = best != (theirs + illegal).argmax(axis=1)
    rest = legal.copy()
    np.put_along_axis(rest, best[:, None], -np.inf, axis=1)
    gap = legal.max(axis=1) - rest.max(axis=1) if legal.shape[1] > 1 else np.full(len(legal), np.inf)
    bound = LARGEST_ERROR * max(1.0, float(np.abs(ours).max()))
    return Parity(len(ours), largest, bound, int(differs.sum()), int((differs & (gap > CLOSE)).sum()))


def _observations(policy: SavedPolicy) -> tuple[Float, Classes]:
    """float32 [STATES, D], and the legality class of each."""
    game = saved_game(policy)
    teams, rng = (game.blue, game.orange), np.random.default_rng(0)
    observer = Observer(build("obs", game.obs), game.obs_stack, ARENAS, teams)
    if observer.size != policy.obs_size:
        raise RltuiError(
            f"the observation has {observer.size} numbers, expected {policy.obs_size}", "is it another file now?"
        )
    rows: list[Float] = []
    classes: list[Classes] = []
    while sum(map(len, rows)) < STATES:
        for state in sample_states(rng, ARENAS, teams, MOMENTS, contacts=True):
            seen = np.zeros((ARENAS, state.cars, observer.size), np.float32)
            kinds = np.zeros((ARENAS, state.cars), np.uint8)
            if not len(rows) % MOMENTS:
                observer.reset(state, np.ones(ARENAS, np.bool_))
            observer.write(state, seen)
            observer.advance(seen)
            class_ids(state, (slice(None), slice(None)), kinds)
            rows.append(seen.reshape(-1, observer.size))
            classes.append(kinds.ravel())
    return np.concatenate(rows)[:STATES], np.concatenate(classes)[:STATES]


def _is_bot(path: Path) -> bool:
    return (path / "bot.toml").is_file() and (path / "policy.npz").is_file()


def _write_folder(target: Path, files: Mapping[str, bytes]) -> None:
    temporary = target.with_name(temporary_name(target.name))
    try:
        for path, content in files.items():
            make_folder((temporary / path).parent)
            (temporary / path).write_bytes(content)
        temporary.rename(target)
    finally:
        remove_tree(temporary)
