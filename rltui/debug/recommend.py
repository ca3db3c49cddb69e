"""What figures of a machine mean: where an iteration's time goes, the bottleneck in it, and the settings that suit.

Pure functions; `diagnose` measures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Literal

from rltui.events.metric_health import PART_ADVICE, PART_LABELS, UPDATE_ON_GPU
from rltui.formatting import MEGABYTE, percent, size
from rltui.learn.config import NetSizes
from rltui.learn.device import CPU_ROWS, fitting_rows
from rltui.profile.models import Profile
from rltui.profile.resolved import ARENA_MB, TRAINER_MB, WORKER_MB, learning_cars
from rltui.profile.toml_text import toml_value

ENOUGH = 0.97  # of the best speed: the fewest workers that reach it will do
BETTER = 0.05  # by so much at least, and by more than the speeds scatter, another number must be faster, or the profile's own stays
ARENAS = (32, 128)  # where nothing is measured: fewer share too little, more do not fit into the cache
STEPS = 32  # of each arena in an iteration, at least: with fewer, advantages rest on the critic
GPU_ROWS = 4_096  # of a batch, at least: below, a GPU mostly waits for the next call
USABLE = 0.7  # of memory; the rest is others'
SMALL_NET = 64  # neurons of a layer: halving gains nothing
NAMES = {"simulate": "the simulator", "state": "reading its state", "infer": "inference", "wait": "waiting"}


@dataclass(frozen=True)
class MachineFigures:
    """Before measuring. Memory in bytes."""

    cores: int  # that may be used
    workers: int  # that collect.workers = "auto" makes of them: a trainer that answers workers needs one
    busy_percent: float  # of all cores, by others
    matrix_kernel: str  # NumPy's, in words
    memory_free: int
    shared_memory_free: int | None = None  # None: nobody says
    gpu_memory: int = 0  # in all; 0: no GPU that torch can use


@dataclass(frozen=True)
class PlayFigures:
    """Playing with so many workers and arenas, without learning. waiting: share 0–1 of collecting that a worker waits.

    limit_steps_per_second: of the bare simulator in as many processes; None: not measured. spread: share 0–1 by which the
    speed of a second look differed.
    """

    workers: int
    arenas: int
    collected_steps_per_second: float
    microseconds_per_arena_step: Mapping[str, float]
    waiting: float
    limit_steps_per_second: float | None = None
    spread: float = 0.0


@dataclass(frozen=True)
class Recommendation:
    """A setting for this machine. now: what holds; an equal value says that it is right."""

    key: str
    value: int | str
    now: int | str
    basis: Literal["measured", "computed"]
    why: str


@dataclass(frozen=True)
class Bottleneck:
    """The part of an iteration that takes longest. key, value: the setting to change, in TOML; empty where none helps."""

    part: str
    share: float
    sentence: str
    key: str = ""
    value: str = ""


def shares(play: PlayFigures, consumed: float, overlap: bool = False) -> dict[str, float]:
    """Of an iteration by part: update, what workers do, wait; 1 in all. consumed: timesteps a second of the update, of which
    only what outlasts collecting counts where they overlap.
    """
    collect, update = 1 / play.collected_steps_per_second, 1 / consumed
    update = max(0.0, update - collect) if overlap else update
    worked, parts = collect * (1 - play.waiting), play.microseconds_per_arena_step
    seconds = {name: worked * micros / sum(parts.values()) for name, micros in parts.items()}
    seconds |= {"update": update, "wait": collect * play.waiting}
    return {name: value / (collect + update) for name, value in seconds.items()}


def bottleneck(
    found: Mapping[str, float],
    profile: Profile,
    device: str,
    central: bool,
    machine: MachineFigures,
    advised: Sequence[Recommendation],
) -> Bottleneck:
    """The largest of `shares`. device: the learner's. central: the policy is evaluated there too."""
    part = max(found, key=lambda name: found[name])
    if part == "update":
        head = f"the update takes {percent(found[part])} of an iteration"
        key, value, words = _about_update(profile, device, machine)
    else:
        collect = 1 - found["update"]
        of_it = f"{NAMES.get(part, part)} {percent(found[part] / collect)}"
        head = f"collecting takes {percent(collect)} of an iteration, of which {of_it}"
        key, value, words = _about_collecting(part, profile, central, machine, advised)
    text = toml_value(value) if key else ""
    return Bottleneck(part, found[part], f"{head}: " + (f"{key} = {text} ({words})" if key else words), key, text)


def _about_update(profile: Profile, device: str, machine: MachineFigures) -> tuple[str, object, str]:
    """Key, value, what it brings; without a key only words."""
    threads, epochs, cpu = profile.learner.threads, profile.ppo.epochs, device == "cpu"
    if cpu and machine.gpu_memory:
        return "learner.device", "auto", "learns on the GPU"
    if cpu and threads != "auto" and threads < machine.cores:
        return "learner.threads", "auto", "uses all cores"
    if not cpu and profile.learner.precision in ("float32", "tf32"):
        return "learner.precision", "auto", "faster products"
    if epochs > 1:
        more = "; or smaller nets, or a GPU" if cpu else ""
        return "ppo.epochs", epochs - 1, f"takes {percent(1 / epochs)} less{more}"
    return "", "", PART_ADVICE["update"] if cpu else UPDATE_ON_GPU


def _about_collecting(
    part: str, profile: Profile, central: bool, machine: MachineFigures, advised: Sequence[Recommendation]
) -> tuple[str, object, str]:
    if part == "infer" and central != bool(machine.gpu_memory):
        key = "learner.device" if profile.learner.device == "cpu" and not central else "collect.inference"
        return key, "auto", "each worker for itself" if central else "a batch for all workers on the GPU"
    if part == "infer" and not central and max(profile.policy.layers) > SMALL_NET:
        half = [max(width // 2, 1) for width in profile.policy.layers]
        return "policy.layers", half, "a smaller net, or a GPU"
    keys = {"simulate": "collect.workers", "wait": "ppo.iteration collect.workers"}.get(part, "collect.arenas")
    for one in advised:
        if one.key in keys.split() and one.value != one.now:
            return one.key, one.value, one.why
    return "", "", PART_ADVICE[PART_LABELS.get(part, part)]


def recommend(
    profile: Profile, net: NetSizes, machine: MachineFigures, played: Sequence[PlayFigures]
) -> tuple[Recommendation, ...]:
    """Workers, arenas and rows for this machine; of a curriculum give its first task. played: empty where not measured."""
    arenas = _arenas(profile, machine, played)
    workers = _workers(profile, machine, played, int(arenas.value))
    games = (machine.workers if isinstance(workers.value, str) else workers.value) * int(arenas.value)
    return (workers, arenas, *_rows(profile, net, machine, games))


def _workers(profile: Profile, machine: MachineFigures, played: Sequence[PlayFigures], arenas: int) -> Recommendation:
    """arenas: that each will have."""
    now = profile.collect.workers
    compared = {one.workers: one for one in played if one.arenas == profile.collect.arenas}
    faster = _clearly_faster(compared, machine.workers if isinstance(now, str) else now)
    free_mb = USABLE * machine.memory_free / MEGABYTE - TRAINER_MB
    fit = max(1, int(free_mb / (WORKER_MB + ARENA_MB * arenas)))
    count = (machine.workers if isinstance(now, str) else now) if compared else machine.workers
    if faster:
        count = next(count for count in sorted(faster) if faster[count] >= ENOUGH * max(faster.values()))
    if fit < count:
        free = f"as many fit into {size(machine.memory_free)} of memory"
        return Recommendation("collect.workers", fit, now, "computed", free)
    value = now if now == count else "auto" if count == machine.workers else count
    if len(compared) > 1:
        return Recommendation("collect.workers", value, now, "measured", _speeds(compared))
    return Recommendation("collect.workers", value, now, "computed", f"{machine.workers}, of {machine.cores} cores")


def _arenas(profile: Profile, machine: MachineFigures, played: Sequence[PlayFigures]) -> Recommendation:
    now, most = profile.collect.arenas, max((one.workers for one in played), default=0)
    compared = {one.arenas: one for one in played if one.workers == most}
    if len(compared) > 1:
        faster = _clearly_faster(compared, now)
        value = max(faster, key=lambda arenas: faster[arenas], default=now)
        return Recommendation("collect.arenas", value, now, "measured", _speeds(compared))
    value = min(max(now, ARENAS[0]), ARENAS[1])
    return Recommendation("collect.arenas", value, now, "computed", f"{ARENAS[0]} to {ARENAS[1]} suit most machines")


def _clearly_faster(compared: Mapping[int, PlayFigures], now: int) -> dict[int, float]:
    """Steps a second of those that beat the number that holds by more than chance; all, where that one is not known."""
    own = compared[now].collected_steps_per_second if now in compared else 0.0
    margin = max([BETTER, *(one.spread for one in compared.values())])
    return {
        count: one.collected_steps_per_second
        for count, one in compared.items()
        if one.collected_steps_per_second >= (1 + margin) * own
    }


def _speeds(compared: Mapping[int, PlayFigures]) -> str:
    return ", ".join(
        f"{count}: {one.collected_steps_per_second:,.0f} steps/s" for count, one in sorted(compared.items())
    )


def _rows(profile: Profile, net: NetSizes, machine: MachineFigures, games: int) -> list[Recommendation]:
    """Iteration, batch and minibatch. games: arenas of all workers."""
    ppo = profile.ppo
    iteration = max(ppo.iteration, _round_up(STEPS * games * learning_cars(profile)))
    batch, why = ceil(ppo.batch * iteration / ppo.iteration), "as many optimizer steps an epoch as now"
    if machine.gpu_memory and batch < GPU_ROWS:
        batch, why = min(GPU_ROWS, iteration), "with less a GPU waits"
    rows = fitting_rows(machine.gpu_memory, net) if machine.gpu_memory else CPU_ROWS
    at_a_time = f"{min(rows, batch):,} rows at a time; the device is good for {rows:,}"
    return [
        Recommendation("ppo.iteration", iteration, ppo.iteration, "computed", f"{STEPS} steps of each arena or more"),
        Recommendation("ppo.batch", batch, ppo.batch, "computed", why),
        Recommendation("ppo.minibatch", "auto", ppo.minibatch, "computed", at_a_time),
    ]


def _round_up(number: int) -> int:
    """To two digits: 61,440 is 62,000."""
    unit: int = 10 ** max(0, floor(log10(number)) - 1)
    return -(-number // unit) * unit


def changes(profile: Profile, advised: Sequence[Recommendation]) -> dict[str, str]:
    """Key → TOML value of what must be written for all of it to hold. A campaign has no [ppo] of its own."""
    values = {one.key: one.value for one in advised}
    found = {}
    for one in advised:
        section = getattr(profile, one.key.partition(".")[0])
        follows = one.key == "ppo.batch" and "batch" not in section.model_fields_set
        holds = values["ppo.iteration"] if follows else one.now
        if one.value != holds and not (section is profile.ppo and profile.phases):
            found[one.key] = toml_value(one.value)
    return found
