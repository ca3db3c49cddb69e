"""The doctor's checks of room: memory, shared memory and disk, against what the profile will need."""

from __future__ import annotations

import shutil
from pathlib import Path

import psutil

from rltui import formatting
from rltui.debug.doctor_case import Case
from rltui.debug.doctor_finding import Check, Result
from rltui.env.from_profile import sizes
from rltui.profile.machine import memory, parameter_count
from rltui.runs.best import SPARED

SHARED = Path("/dev/shm")
CHECKPOINT_BYTES = 16  # a parameter: weights twice, two moments of Adam
SPARE_BYTES = 10**9  # for the journal, logs and milestones


def memory_room(case: Case) -> Result:
    """The estimate of trainer and workers against what is free now."""
    size = sizes(case.spec)
    needed = memory(case.profile, size.obs, size.actions).total * formatting.MEGABYTE
    found = psutil.virtual_memory()
    told = f"about {formatting.size(needed)} needed, {formatting.size(found.available)} of {formatting.size(found.total)} free"
    if needed > found.total:
        return Result("fail", told, "fewer collect.workers, collect.arenas or a smaller ppo.iteration")
    if needed > found.available:
        return Result("warn", told, "close other programs, or take fewer collect.workers and collect.arenas")
    return Result("pass", told)


def disk_room(case: Case) -> Result:
    """Checkpoints are written beside the old ones before these go."""
    size, profile = sizes(case.spec), case.profile
    nets = ((profile.policy.layers, size.actions), (profile.critic.layers, 1))
    one = CHECKPOINT_BYTES * sum(parameter_count(size.obs, layers, outputs) for layers, outputs in nets)
    root = case.data.root.absolute()
    nearest = next(folder for folder in (root, *root.parents) if folder.is_dir())
    free = shutil.disk_usage(nearest).free
    told = f"{formatting.size(free)} free for {root}; a checkpoint takes about {formatting.size(one)}, of which the newest {profile.keep.last} stay, and up to {SPARED} older ones: the best by reward"
    if free < 2 * one:
        return Result("fail", told, "make room, or choose another folder: --data-dir DIR")
    if free < (profile.keep.last + SPARED + 1) * one + SPARE_BYTES:
        return Result("warn", told, "make room: milestones are never deleted, and journals grow")
    return Result("pass", told)


def shared_memory(case: Case) -> Result:
    """Rollouts lie in /dev/shm, where there is one."""
    from rltui.train.shared_rollout import check_room

    shape = case.blueprint.shape
    check_room(shape)
    room = f", {formatting.size(shutil.disk_usage(SHARED).free)} free in {SHARED}" if SHARED.is_dir() else ""
    return Result("pass", f"rollouts take {formatting.size(shape.expected_bytes)}{room}")


ROOM_CHECKS = (
    Check("memory", memory_room, ("profile",)),
    Check("shared memory", shared_memory, ("profile",)),
    Check("disk", disk_room, ("profile", "data folder")),
)
