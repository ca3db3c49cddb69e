"""Where everything of a run is; nobody else joins these names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rltui.errors import RltuiError
from rltui.profile.locate import RUN_FILE, packaged
from rltui.registry import OPPONENTS
from rltui.safe_io import clipped, new_name_problem, path_of, path_problem, real

# <data>/runs/<run>/                       run.toml journal.jsonl milestones.json trainer.log (trainer.1.log: before it) lock lock.json
# socket.json start left.json ratings.json near_clones.json metrics.csv tensorboard/ wandb/ wandb.json
# <data>/checkpoints/<run>/<timesteps>/    numbered folders and nothing else: rlgym-ppo reads every name here as a number
# <data>/checkpoints/milestones/<run>/Phase<N>-<label>/<millions>M/
# <data>/checkpoints/.saving/<run>/        folders being written or removed; no reader looks here
# <data>/checkpoints/.damaged/<run>/       what stood in the way of a save and was no complete checkpoint
# <data>/runs/.names/<run>/                empty: a name that was given, which no later run gets
# <data>/games.csv                         every game between players of any run, see league/games.py
# <data>/trash/<run>/<entry>/              what a person deleted, until the trash is emptied

MILESTONES = "milestones"  # the folder beside the runs' checkpoints, hence no run's name
DATA_VARIABLE = "RLTUI_DATA"
LONGEST_RUN_NAME = 100

NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")  # of timesteps: a checkpoint's folder
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class DataDir:
    """The data folder."""

    root: Path

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def checkpoints(self) -> Path:
        return self.root / "checkpoints"

    @property
    def milestones(self) -> Path:
        return self.checkpoints / MILESTONES

    @property
    def trash(self) -> Path:
        return self.root / "trash"

    @property
    def games(self) -> Path:
        return self.root / "games.csv"

    @property
    def taken(self) -> Path:
        return self.runs / ".names"

    def run(self, name: str) -> RunPaths:
        """The run's paths, whether it exists or not. RltuiError (exit 2) for a name that no run may have."""
        return RunPaths(self, check_run_name(name))

    def run_names(self) -> list[str]:
        """Every run that has a folder of its own anywhere here, sorted; stray entries are ignored."""
        return sorted(
            {name for folder in (self.runs, self.checkpoints, self.milestones) for name in _run_folders(folder)}
        )

    def has_run(self, name: str) -> bool:
        return self.run(name).exists()


@dataclass(frozen=True)
class RunPaths:
    """The files and folders of one run."""

    data: DataDir
    name: str

    @property
    def folder(self) -> Path:
        return self.data.runs / self.name

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    @property
    def profile(self) -> Path:
        """The resolved profile of the newest start, as text."""
        return self.folder / RUN_FILE

    @property
    def milestones_json(self) -> Path:
        return self.folder / "milestones.json"

    @property
    def ratings(self) -> Path:
        """Of its states by games, see best.py."""
        return self.folder / "ratings.json"

    @property
    def near_clones(self) -> Path:
        """Which of its states are nearly the same player, see near_clones.py."""
        return self.folder / "near_clones.json"

    @property
    def log(self) -> Path:
        return self.folder / "trainer.log"

    @property
    def csv(self) -> Path:
        """Of its metrics, as `tensorboard` and `wandb_state`: see metric_logs.py."""
        return self.folder / "metrics.csv"

    @property
    def tensorboard(self) -> Path:
        return self.folder / "tensorboard"

    @property
    def wandb_state(self) -> Path:
        """W&B's own files are in `wandb` beside it."""
        return self.folder / "wandb.json"

    @property
    def left(self) -> Path:
        """When a cockpit on it was last left."""
        return self.folder / "left.json"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def lock_json(self) -> Path:
        return self.folder / "lock.json"

    @property
    def start(self) -> Path:
        """The number of its newest start, see lock.py."""
        return self.folder / "start"

    @property
    def socket_file(self) -> Path:
        return self.folder / "socket.json"

    @property
    def checkpoints(self) -> Path:
        return self.data.checkpoints / self.name

    @property
    def milestones(self) -> Path:
        return self.data.milestones / self.name

    @property
    def staging(self) -> Path:
        return self.data.checkpoints / ".saving" / self.name

    @property
    def damaged(self) -> Path:
        return self.data.checkpoints / ".damaged" / self.name

    @property
    def recordings(self) -> Path:
        """Matches that the viewer has kept."""
        return self.folder / "recordings"

    @property
    def trash(self) -> Path:
        return self.data.trash / self.name

    def checkpoint(self, timesteps: int) -> Path:
        return self.checkpoints / str(timesteps)

    def exists(self) -> bool:
        return any(is_folder(folder) for folder in (self.folder, self.checkpoints, self.milestones))


def data_dir(option: str | None = None) -> DataDir:
    """`--data-dir`, else RLTUI_DATA, else ./data. Nothing is created. RltuiError (exit 2) where something else is there."""
    variable = os.environ.get(DATA_VARIABLE)
    typed = option or variable or "data"
    root = absolute(typed)
    if os.path.exists(root):  # noqa: PTH110 - Path's raises where it may not look
        problem = "" if os.path.isdir(root) else "it is not a folder"  # noqa: PTH112
    else:
        problem = path_problem(typed) or new_name_problem(root.name)
    if problem:
        given_by = "--data-dir" if option else DATA_VARIABLE if variable else "the default"
        hint = "choose a folder for the runs: --data-dir DIR"
        raise RltuiError(f"{clipped(str(root))} ({given_by}): {problem}", hint, exit_code=2)
    return DataDir(root)


def absolute(path: str | Path) -> Path:
    """The path from the root, `~` expanded where that can be."""
    return path_of(path).absolute()


def name_problem(name: str) -> str | None:
    """Why no run may be called so, a sentence; None where it may."""
    if not name or len(name) > LONGEST_RUN_NAME:
        return f"it must have 1 to {LONGEST_RUN_NAME} characters, found {len(name)}"
    if not _NAME.fullmatch(name) or name.endswith("."):
        return "it may hold letters, digits, '.', '_' and '-', starts with a letter or digit, and does not end with '.'"
    if name.lower() == MILESTONES:
        return f"it is the folder in which all runs' {MILESTONES} are kept"
    if name.lower() in OPPONENTS:
        return "rltui has an opponent of that name"
    return new_name_problem(name) or None


def check_run_name(name: str) -> str:
    """The name itself. RltuiError (exit 2) where no run may be called so."""
    problem = name_problem(name)
    if problem is not None:
        raise RltuiError(f"run name {name!r}: {problem}", "choose another: --run NAME", exit_code=2)
    return name


def default_run_name(data: DataDir, profile: str) -> str:
    """`<profile>-<n>`, as in `quick-1`: n is one more than any such run has, a deleted one and its branches too."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", profile).strip("-._")[: LONGEST_RUN_NAME - 16] or "run"
    numbered = re.compile(rf"{re.escape(stem)}-([0-9]{{1,6}})(-b[0-9]+)?", re.IGNORECASE)
    names = {*data.run_names(), *_run_folders(data.trash), *_run_folders(data.taken)}
    return f"{stem}-{max((int(found[1]) for found in map(numbered.fullmatch, names) if found), default=0) + 1}"


def branch_name(data: DataDir, run: str) -> str:
    """The first free of `<run>-b2`, `<run>-b3` …; a branch of a branch counts on from its root."""
    root = re.sub(r"-b\d+$", "", run)[: LONGEST_RUN_NAME - 8]
    number = 2
    while data.has_run(f"{root}-b{number}") or is_folder(data.taken / f"{root}-b{number}"):
        number += 1
    return f"{root}-b{number}"


def folders(folder: Path) -> Iterator[Path]:
    """The folders (or links to folders) directly inside; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            paths = [folder / entry.name for entry in entries]
    except OSError:
        return
    yield from (path for path in paths if is_folder(path))


def _run_folders(folder: Path) -> Iterator[str]:
    return (path.name for path in folders(folder) if name_problem(path.name) is None)


def is_folder(path: Path) -> bool:
    """As Path.is_dir, and False for a loop of links or one that may not be looked at."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_below(path: Path, folder: Path) -> bool:
    """Whether what the path leads to lies somewhere inside the folder."""
    return real(folder) in real(path).parents


def run_of(data: DataDir, path: Path) -> RunPaths | None:
    """The run among whose checkpoints or milestones the path lies by its name; None for one from elsewhere."""
    for name in data.run_names():
        run = data.run(name)
        if run.checkpoints in path.parents or run.milestones in path.parents:
            return run
    return None


def check_own(data: DataDir, path: Path) -> None:
    """RltuiError unless this is a folder itself (no link), and really lies in the data folder."""
    if not os.path.lexists(path):
        raise RltuiError(f"{path} is gone", "list them: rltui milestones")
    if path.is_symlink():
        raise RltuiError(f"{path} is a link to {path.readlink()}: it is left alone", "remove the link by hand")
    if not is_below(path, data.root):
        raise RltuiError(
            f"{path} lies outside the data folder, at {real(path)}: it is left alone", "move or remove it there by hand"
        )


def starter_folder() -> Path:
    """Of the bot that comes with rltui: policy.npz, meta.json and profile.toml of a saved state."""
    return packaged("assets/starter")


def cache_folder() -> Path:
    """The user's cache of this program."""
    from platformdirs import user_cache_path

    return user_cache_path("rltui", appauthor=False)
