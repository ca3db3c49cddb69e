"""Collision meshes: where they lie, whether they can be read, and the simulator's start with them.

RocketSim takes any folder without a word and fails later, from C++, at the first arena: so everything is checked here.
Importing this module loads neither RocketSim nor RLGym.
"""

from __future__ import annotations

import importlib.util
import os
import struct
from pathlib import Path

from rltui import safe_io
from rltui.errors import RltuiError

LOCAL = Path("assets/collision_meshes")  # in the working folder: comes before the wheel's
SOCCAR = "soccar"  # the game mode's folder inside a folder of meshes
MESH_FILES = 16
HEADER = struct.Struct("<2i")  # triangles, vertices; then 12 bytes for each of either

HOW_TO_GET = (
    "the meshes come with RLGym: pip install --force-reinstall 'rlgym[rl-sim]==2.0.1'\n"
    f"or dump them from your own game, put the {MESH_FILES} soccar .cmf files into {LOCAL.as_posix()}/{SOCCAR}/\n"
    'or name another folder in the profile: [game] meshes = "path"'
)


def locate(override: str | os.PathLike[str] | None = None) -> Path:
    """The folder of meshes to use: the profile's, else assets/collision_meshes/, else the one inside the rlgym wheel.

    RltuiError when there is none. What lies in the folder is for `check` to say.
    """
    if override:
        return safe_io.path_of(override)
    if LOCAL.is_dir():
        return LOCAL
    folder = _in_wheel()
    if folder is None:
        raise RltuiError(
            f"no collision meshes: no folder {LOCAL.absolute()}, and the Python package rlgym is not installed",
            HOW_TO_GET,
        )
    return folder


def check(folder: Path) -> None:
    """RltuiError names the folder looked in and what is wrong with it: missing, files missing, unreadable, damaged."""
    soccar = folder.absolute() / SOCCAR
    if not soccar.is_dir():
        raise RltuiError(f"no collision meshes: no folder {soccar}", HOW_TO_GET)
    try:
        files = sorted(soccar.glob("*.cmf"))
        damaged = [file.name for file in files if not _is_whole(file)]
    except OSError as error:
        where, why = error.filename or soccar, safe_io.reason(error)
        raise RltuiError(f"collision meshes: {where} cannot be read: {why}", HOW_TO_GET) from error
    if len(files) != MESH_FILES:
        raise RltuiError(
            f"collision meshes in {soccar}: expected {MESH_FILES} .cmf files, found {len(files)}", HOW_TO_GET
        )
    if damaged:
        raise RltuiError(f"collision meshes in {soccar} are damaged: {', '.join(damaged)}", HOW_TO_GET)


def init_simulator(folder: Path) -> None:
    """Start RocketSim with these meshes, checked first. A process has one simulator: the first folder stays."""
    check(folder)
    import RocketSim

    try:
        RocketSim.init(str(folder.absolute()))
    except RuntimeError as error:
        if "already" not in str(error).lower():
            raise RltuiError(f"RocketSim does not start with the meshes in {folder}: {error}", HOW_TO_GET) from error


def _in_wheel() -> Path | None:
    """Found by name alone: importing rlgym's own finder of it would load the simulator."""
    try:
        spec = importlib.util.find_spec("rlgym.rocket_league")
    except ModuleNotFoundError:
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / "sim" / "collision_meshes"


def _is_whole(file: Path) -> bool:
    """As long as its header says."""
    with safe_io.open_to_read(file) as stream:
        header = stream.read(HEADER.size)
    if len(header) != HEADER.size:
        return False
    triangles, vertices = HEADER.unpack(header)
    length: int = HEADER.size + 12 * (triangles + vertices)
    return triangles > 0 and vertices > 0 and file.stat().st_size == length
