"""Sources of players: a run, a saved state, a file, the starter bot or a scripted player, as named by the user."""

from __future__ import annotations

import hashlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

from rltui import safe_io
from rltui.env.frozen_opponents import OpponentSource
from rltui.errors import RltuiError, did_you_mean, hints
from rltui.formatting import timesteps_of
from rltui.league.games import player_name
from rltui.league.players import Player, PolicySide, ScriptedSide, Seat, trained_in
from rltui.policy.saved import SavedPolicy, load_policy, weights_hash
from rltui.registry import BUILT_IN, STARTER, Component, build, resolve
from rltui.runs.checkpoint import POLICY_FILE, DamagedError, damage, read_file
from rltui.runs.inventory import LABEL, complete_checkpoints, read_checkpoint_info
from rltui.runs.meta import read_starter
from rltui.runs.paths import DataDir, RunPaths, folders, name_problem, starter_folder
from rltui.runs.resolve import Retyped, find_checkpoint, run_called, state_address
from rltui.runs.rlgym_ppo import checkpoint_at

TORCHSCRIPT = (".pt", ".ts")  # ends of such files' names
_NO_NAME = re.compile(r"[^A-Za-z0-9@#._:/+-]")  # what no player's name in the log of games holds


class PlayerSource(ABC):
    """name: as the score names it."""

    name: str

    @property
    @abstractmethod
    def id(self) -> str:
        """As games are logged: which player it is, wherever it lies."""

    @property
    def teams(self) -> tuple[int, int] | None:
        """Team sizes that it was trained in; None where any will do."""
        return None

    @abstractmethod
    def player(self, seat: Seat) -> Player:
        """RltuiError where it cannot play there."""

    def newer(self) -> SavedPolicy | None:
        """A policy that has come since the last one; RltuiError where there is one that cannot be used."""
        return None


class ScriptedSource(PlayerSource):
    """A scripted player."""

    def __init__(self, name: str) -> None:
        self._component = Component(name)
        self.name = self._component.label

    @property
    def id(self) -> str:
        """One of one's own has the hash of its file: others may have its name, also `rule`, and changed it is another player."""
        if self._component.name in BUILT_IN["player"]:
            return self.name
        try:
            content = safe_io.read_bytes(Path(inspect.getfile(resolve("player", self._component.name))))
        except (OSError, TypeError) as error:
            raise RltuiError(f"{self.name}: its file cannot be read: {error}") from error
        return f"{_as_id(self.name)}#{hashlib.sha256(content).hexdigest()[:8]}"

    def player(self, seat: Seat) -> Player:
        return ScriptedSide(build("player", self._component), seat)


class PolicySource(PlayerSource):
    """A policy.npz, or the folder of a checkpoint or milestone."""

    folder: Path | None  # of the saved state, where it is one

    def __init__(self, path: Path, policy: SavedPolicy | None = None) -> None:
        """policy: where it is not there to be read. RltuiError where it cannot be used."""
        self.file = path / POLICY_FILE if path.is_dir() else path
        self.policy = policy or load_policy(self.file)
        self.folder = path if path.is_dir() else path.parent if path.name == POLICY_FILE else None
        *_, run, folder, last = ("", "", *path.absolute().parts)
        named = (run if LABEL.fullmatch(last) else folder, last)  # of a milestone its phase is left out
        self.name = "/".join(named) if path.is_dir() else last

    @property
    def id(self) -> str:
        """Of a saved state of a run `<run>@<timesteps>#<hash>`; of a file from elsewhere, its name and the hash."""
        digest = weights_hash(self.policy)
        meta = read_checkpoint_info(self.folder).meta if self.folder else None
        if meta is not None and name_problem(meta.run) is None:
            return player_name(meta.run, meta.timesteps, digest)
        return f"{_as_id(self.name)}#{digest[:8]}"

    @property
    def teams(self) -> tuple[int, int] | None:
        return trained_in(self.policy)

    def player(self, seat: Seat) -> Player:
        return PolicySide(self.policy, seat)


class StarterSource(PolicySource):
    """The bot that comes with rltui."""

    def __init__(self) -> None:
        """RltuiError where it is not there, or damaged."""
        self._timesteps = read_starter().timesteps
        super().__init__(starter_folder())
        self.name = STARTER

    @property
    def id(self) -> str:
        """`starter@<timesteps>#<hash>`: another for each version of it."""
        return player_name(STARTER, self._timesteps, weights_hash(self.policy))


class RunPlayerSource(PolicySource):
    """A run's newest checkpoint or milestone, and each newer one as it appears."""

    def __init__(self, paths: RunPaths) -> None:
        """RltuiError where the run has none yet."""
        self._paths = paths
        self._stamp = _stamp(paths)
        newest = _newest(paths)
        if newest is None:
            raise RltuiError(f"run {paths.name!r} has no complete checkpoint", "wait for its first; rltui ls shows it")
        self.folder: Path = newest  # whose policy it was last
        self.policy = _read(newest)
        self.name = paths.name

    def newer(self) -> SavedPolicy | None:
        """Looks only where a folder has come or gone."""
        stamp = _stamp(self._paths)
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        newest = _newest(self._paths)
        if newest is None or newest == self.folder:
            return None
        self.folder = newest
        self.policy = _read(newest)
        return self.policy


def source(
    argument: str,
    data: DataDir,
    convert: Callable[[Path], SavedPolicy] | None = None,
    retyped: Retyped = lambda state: f"rltui watch {state}",
) -> PlayerSource:
    """retyped: the command, with another player in the place of this one. convert: rlgym-ppo's checkpoint, or a TorchScript file, into a policy; None where
    neither plays. RltuiError (exit 2) says what is
    wrong, or what could have been meant.
    """
    path = safe_io.path_of(argument)
    if argument in BUILT_IN["player"]:
        return ScriptedSource(argument)
    if argument.partition("@")[0] == STARTER:
        return _as_named(StarterSource(), argument)
    if path.suffix == ".npz" or (path / POLICY_FILE).is_file():
        return PolicySource(path)
    if path.suffix in TORCHSCRIPT:
        return PolicySource(path, _convert(path, convert))
    if path.is_dir():
        if (theirs := checkpoint_at(path.absolute())) is not None:
            return PolicySource(theirs, _convert(theirs, convert))
        reason = damage(path) or f"no {POLICY_FILE}"
        raise RltuiError(f"{path}: no checkpoint of a player: {reason}", "rltui ls shows the runs", exit_code=2)
    if (run := run_called(data, argument)) is not None:
        return RunPlayerSource(run)
    if ":" in argument:
        return ScriptedSource(argument)
    if "/" in state_address(argument) or timesteps_of(argument) is not None:
        return _as_named(PolicySource(find_checkpoint(data, argument, retyped)[1].path), argument)
    ours = [*BUILT_IN["player"], STARTER]
    raise RltuiError(
        f"there is no run, checkpoint or player {argument!r}",
        hints(
            did_you_mean(argument, [*ours, *data.run_names()]),
            f"players: {', '.join(ours)}; rltui ls shows the runs in {data.root}",
        ),
        exit_code=2,
    )


def saved_bot(opponent: str, data: DataDir) -> OpponentSource:
    """The one that a profile names as its opponent. RltuiError where there is none."""
    found = source(opponent, data, retyped=lambda state: f'opponent = "{state}"')
    if not isinstance(found, PolicySource) or not found.file.is_file():
        raise RltuiError(f"{opponent}: no saved bot", "name one of rltui's checkpoints or milestones, or a policy.npz")
    return OpponentSource(found.name, str(found.file.absolute()))


def _as_named(found: PolicySource, argument: str) -> PolicySource:
    """RltuiError where the ladder's name of a player is of other weights, or of another version of the starter bot."""
    at, marked, digest = argument.partition("#")
    other = found.name == STARTER != at and not found.id.startswith(f"{at}#")
    if other or (marked and found.id.rpartition("#")[2] != digest):
        raise RltuiError(f"{argument} is not there any more: it is {found.id} now", f"name it: {found.id}", exit_code=2)
    return found


def _as_id(name: str) -> str:
    return _NO_NAME.sub("_", name)[:100].lstrip("._:/+-") or "player"


def needs_profile(path: Path) -> RltuiError:
    """Of a policy without its game."""
    what = "rlgym-ppo's checkpoint" if path.is_dir() else "a TorchScript file"
    return RltuiError(
        f"{path}: {what} does not say what the bot observes and can do",
        "name the profile that does: --profile PROFILE",
        exit_code=2,
    )


def _convert(path: Path, convert: Callable[[Path], SavedPolicy] | None) -> SavedPolicy:
    if convert is None:
        raise needs_profile(path)
    return convert(path)


def _newest(paths: RunPaths) -> Path | None:
    saved = complete_checkpoints(paths)
    return saved[-1].path if saved else None


def _read(folder: Path) -> SavedPolicy:
    try:
        return load_policy(read_file(folder, POLICY_FILE))
    except DamagedError as error:
        raise RltuiError(f"{folder}: {error}", "choose another checkpoint") from error


def _stamp(paths: RunPaths) -> tuple[int, ...]:
    """Changes when a checkpoint or milestone comes or goes."""
    watched = [paths.checkpoints, paths.milestones, *folders(paths.milestones)]
    return tuple(_modified(folder) for folder in watched)


def _modified(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
