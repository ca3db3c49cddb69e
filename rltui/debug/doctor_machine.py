"""The doctor's checks of the machine: versions, terminal, folders, meshes, memory, disk."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

import psutil

from rltui import formatting
from rltui.checks.components import checkpoint_size, disk_faults, memory_faults
from rltui.debug.doctor_check import DoctorCase, DoctorCheck, DoctorResult
from rltui.env.from_profile import sizes
from rltui.profile.resolved import estimate_memory
from rltui.runs.best import PROTECTED_SETS
from rltui.runs.inventory import free_bytes
from rltui.runs.lock import check_writable
from rltui.sim import meshes
from rltui.supervise.shared_memory import room

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*(?P<limits>[^;]*)(?P<marker>;.*)?")
LIMIT = re.compile(r"(>=|<=|==|!=|<|>)\s*([0-9.]+)")
LEAST_COLUMNS, LEAST_LINES = 80, 24
SPARE_BYTES = 10**9  # for the journal, logs and milestones


def versions(case: DoctorCase) -> DoctorResult:
    """Python and every package that the program declares, against the versions that it declares."""
    wrong = []
    python, wanted = platform.python_version(), metadata("rltui")["Requires-Python"]
    if not within(python, wanted):
        wrong.append(f"Python {python}, needed {wanted}")
    found = [f"Python {python}"]
    for text in requires("rltui") or []:
        match = REQUIREMENT.match(text)
        if match is None or "extra" in (match["marker"] or ""):
            continue
        installed = _installed(match["name"])
        found.append(f"{match['name']} {installed}")
        if installed is None:
            wrong.append(f"{match['name']} is not installed")
        elif not within(installed, match["limits"]):
            wrong.append(f"{match['name']} {installed}, needed {match['limits'].strip()}")
    if wrong:
        return DoctorResult("fail", "; ".join(wrong), "reinstall in a fresh virtual environment: pip install -e .")
    return DoctorResult("pass", ", ".join(found))


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def within(found: str, limits: str) -> bool:
    """Whether a version such as `2.10.1+cpu` is within limits such as `>=2.10,<2.14`."""
    here = _numbers(found)
    for sign, text in LIMIT.findall(limits):
        there = _numbers(text)
        size = max(len(here), len(there))
        mine, its = (numbers + (0,) * (size - len(numbers)) for numbers in (here, there))
        holds = {
            ">=": mine >= its,
            "<=": mine <= its,
            "==": mine == its,
            "!=": mine != its,
            "<": mine < its,
            ">": mine > its,
        }
        if not holds[sign]:
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    release = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in release[0].split(".")) if release else ()


def terminal(case: DoctorCase) -> DoctorResult:
    """Whether the cockpit can be drawn here; nothing here can fail, since all works without it."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        return DoctorResult("pass", "none in use: the cockpit needs one, training does not")
    size, encoding, kind = shutil.get_terminal_size(), sys.stdout.encoding or "ascii", os.environ.get("TERM", "")
    found = f"{kind or 'TERM is not set'}, {size.columns}x{size.lines}, {encoding}"
    if kind in ("", "dumb"):
        return DoctorResult("warn", f"{found}: the cockpit cannot be drawn", "use TERM=xterm-256color or similar")
    if size.columns < LEAST_COLUMNS or size.lines < LEAST_LINES:
        return DoctorResult(
            "warn", f"{found}: the cockpit shows one pane at a time", f"make it {LEAST_COLUMNS}x{LEAST_LINES} or larger"
        )
    if "utf" not in encoding.lower():
        return DoctorResult("warn", f"{found}: charts are drawn in ASCII", "set a UTF-8 locale, as in LANG=C.UTF-8")
    return DoctorResult("pass", found)


def data_folder(case: DoctorCase) -> DoctorResult:
    """Whether runs can be kept there. A folder that is not there yet is left so."""
    root = case.data.root
    check_writable(case.data, make=False)
    there = "can be written and locked" if root.is_dir() else "will be made by the first run"
    return DoctorResult("pass", f"{root} {there}")


def collision_meshes(case: DoctorCase) -> DoctorResult:
    """The profile's own, else the usual ones."""
    folder = meshes.locate(_own_meshes(case))
    meshes.check(folder)
    return DoctorResult("pass", f"the {meshes.MESH_FILES} soccar meshes in {_short(folder)} are whole")


def _own_meshes(case: DoctorCase) -> str | None:
    try:
        return case.spec.meshes
    except Exception:  # what is wrong with the profile is for the check of that to say
        return None


def _short(folder: Path) -> str:
    absolute = folder.absolute()
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(absolute)


def matrix_kernel(case: DoctorCase) -> DoctorResult:
    """What the workers' products are computed with."""
    kernel = case.kernel
    return DoctorResult("pass", kernel.words if kernel else formatting.UNKNOWN, figures=kernel.speeds if kernel else {})


def memory_room(case: DoctorCase) -> DoctorResult:
    """The estimate of trainer and workers against what is free now."""
    size = sizes(case.spec)
    needed = estimate_memory(case.profile, size.obs, size.actions.outputs).total * formatting.MEGABYTE
    found = psutil.virtual_memory()
    summary = f"about {formatting.size(needed)} needed, {formatting.size(found.available)} of {formatting.size(found.total)} free"
    if memory_faults([case.profile], case.profile_argument):
        return DoctorResult("fail", summary, "lower collect.workers, collect.arenas or ppo.iteration")
    if needed > found.available:
        return DoctorResult("warn", summary, "close other programs, or lower collect.workers or collect.arenas")
    return DoctorResult("pass", summary)


def disk_room(case: DoctorCase) -> DoctorResult:
    """Checkpoints are written beside the old ones before these go."""
    profile, root = case.profile, case.data.root.absolute()
    free, one = free_bytes(root), checkpoint_size(profile)
    if free is None:
        return DoctorResult("warn", f"it is not known how much is free for {root}")
    summary = f"{formatting.size(free)} free for {root}; a checkpoint takes about {formatting.size(one)}, {profile.keep.last} to {profile.keep.last + PROTECTED_SETS} are kept"
    if disk_faults(profile, root, case.profile_argument):
        return DoctorResult("fail", summary, "make room, or choose another folder: --data-dir DIR")
    if free < (profile.keep.last + PROTECTED_SETS + 1) * one + SPARE_BYTES:
        return DoctorResult("warn", summary, "make room: milestones are never deleted, and journals grow")
    return DoctorResult("pass", summary)


def shared_memory(case: DoctorCase) -> DoctorResult:
    """Rollouts lie in /dev/shm, where there is one."""
    from rltui.train.collect.shared_rollout import check_room

    shape = case.config.shape
    check_room(shape)
    taken = f"rollouts take {formatting.size(shape.expected_bytes)}"
    return DoctorResult("pass", ", ".join(filter(None, (taken, room()))))


MACHINE_CHECKS = (
    DoctorCheck("versions", versions),
    DoctorCheck("terminal", terminal),
    DoctorCheck("data folder", data_folder),
    DoctorCheck("meshes", collision_meshes),
    DoctorCheck("matrix kernel", matrix_kernel),
)
ROOM_CHECKS = (
    DoctorCheck("memory", memory_room, ("profile",)),
    DoctorCheck("shared memory", shared_memory, ("profile",)),
    DoctorCheck("disk", disk_room, ("profile", "data folder")),
)
