"""`rltui diagnose`: measures each part of training on this machine; `recommend` says what the figures mean."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import psutil
import torch

from rltui.debug.bench import LIMIT_ARENAS, Stack, update_shape
from rltui.debug.doctor_training import BUSY, shortened
from rltui.debug.limit import measure_limit
from rltui.debug.recommend import (
    Bottleneck,
    MachineFigures,
    PlayFigures,
    Recommendation,
    bottleneck,
    recommend,
    shares,
)
from rltui.debug.update_bench import UpdateShape, one_update, update_against_bare
from rltui.errors import RltuiError, in_words
from rltui.formatting import plural
from rltui.learn import networks
from rltui.learn.device import device_error
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.weights import flatten
from rltui.profile.curriculum import task_profile
from rltui.profile.models import Profile
from rltui.profile.resolved import cores
from rltui.supervise.gpus import Gpus
from rltui.supervise.shared_memory import free
from rltui.train.collect.central import slots
from rltui.train.config import ResolvedConfig

CORE_ROWS = 25_000  # timesteps a second that a core collects at most
CORE_PRODUCTS = 5e9  # of a policy's parameters by rows that a core evaluates in a second, about
MESSAGES = 300
Tell = Callable[[str], None]


@dataclass(frozen=True)
class InferenceFigures:
    """The policy: of a worker's step in NumPy on one core, and of all workers' in one call of the trainer on a GPU, copies and
    sampling included (None without one). who: evaluates it in training, and why.
    """

    who: str
    rows: int
    numpy_microseconds_per_row: float
    gpu_rows: int | None = None
    gpu_milliseconds: float | None = None


@dataclass(frozen=True)
class LearnerFigures:
    """Timesteps a second of the update, all epochs, and of bare torch passes of the same shapes. ratio: of the two times."""

    device: str
    steps_per_second: float
    bare_steps_per_second: float
    ratio: float


@dataclass(frozen=True)
class IpcFigures:
    """One process copying into and out of a rollout in shared memory; a message to a worker and its answer."""

    write_gigabytes_per_second: float
    read_gigabytes_per_second: float
    round_trip_microseconds: float


@dataclass(frozen=True)
class GpuFigures:
    """The first GPU. use_percent: of it during an update. note: why a figure is missing."""

    name: str | None = None
    memory_total: int | None = None
    memory_free: int | None = None
    use_percent: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """What was not asked for is None, or empty."""

    profile: str
    machine: MachineFigures
    env: tuple[PlayFigures, ...] = ()  # the profile's own numbers first
    inference: InferenceFigures | None = None
    learner: LearnerFigures | None = None
    ipc: IpcFigures | None = None
    gpu: GpuFigures | None = None
    shares: dict[str, float] = field(default_factory=dict)
    bottleneck: Bottleneck | None = None
    recommendations: tuple[Recommendation, ...] = ()
    warnings: tuple[str, ...] = ()  # why the figures may say little

    @property
    def busy(self) -> str:
        """Why nothing measured is to be trusted; empty on an idle machine."""
        percent = self.machine.busy_percent
        return f"the machine was {percent:.0f} % busy with other things: measure again when it is idle" * (
            percent > BUSY
        )


def diagnose(profile: Profile, parts: Collection[str], seconds: float, tell: Tell, kernel: str) -> Diagnosis:
    """Of a curriculum: its first task. seconds: of each measurement, about. tell: gets a line as each part begins. RltuiError
    names the part that fails.

    kernel: NumPy's matrix kernel, in words.
    """
    name, profile = profile.name, task_profile(profile)
    busy = psutil.cpu_percent(interval=0.2)
    config = ResolvedConfig.resolve(profile)
    gpu = torch.cuda.mem_get_info()[1] if torch.cuda.is_available() else 0
    machine = MachineFigures(
        cores(), _with(profile, workers="auto").workers, busy, kernel, psutil.virtual_memory().available, free(), gpu
    )
    found = Diagnosis(name, machine)
    found = replace(found, warnings=tuple(filter(None, (found.busy, config.device_warning))))
    if "env" in parts:
        found = replace(found, env=tuple(measure_env(profile, machine.workers, seconds, tell)))
    for part, measure in MEASURES.items():
        if part in parts:
            tell(part)
            try:
                found = replace(found, **{part: measure(config, seconds)})
            except RuntimeError as error:  # as torch raises all
                raise device_error(error) or RltuiError(f"measuring {part} failed: {in_words(error)}") from error
    advised = recommend(profile, config.net_sizes, machine, found.env)
    found = replace(found, recommendations=advised)
    if not (found.env and found.learner):
        return found
    whole = shares(found.env[0], found.learner.steps_per_second, profile.collect.overlap)
    return replace(
        found,
        shares=whole,
        bottleneck=bottleneck(whole, profile, config.device, config.inference == "central", machine, advised),
    )


def _with(profile: Profile, **collect: object) -> ResolvedConfig:
    """Resolved, with other keys in [collect]."""
    section = profile.collect.model_copy(update=collect)
    return ResolvedConfig.resolve(profile.model_copy(update={"collect": section}))


def measure_env(profile: Profile, most: int, seconds: float, tell: Tell) -> Iterator[PlayFigures]:
    """The profile's workers and arenas; then other numbers of workers up to `most`, and half and twice the arenas."""
    workers, arenas = ResolvedConfig.resolve(profile).workers, profile.collect.arenas
    most = max(workers, most)
    yield measure_play(profile, workers, arenas, seconds, tell, bare=True)
    for count in sorted({1, -(-most // 2), most} - {workers}):
        yield measure_play(profile, count, arenas, seconds, tell, bare=True)
    for games in (arenas // 2, arenas * 2):
        if games:
            yield measure_play(profile, most, games, seconds, tell, bare=False)


def measure_play(profile: Profile, workers: int, arenas: int, seconds: float, tell: Tell, *, bare: bool) -> PlayFigures:
    """bare: beside the simulator alone. New workers are started, and ended."""
    tell(f"{plural(workers, 'worker')} x {plural(arenas, 'arena')}")
    with Stack(_smaller(profile, workers, arenas)) as stack:
        # not counted: the first hundred steps of new arenas cost several times the later ones
        stack.iterate(1, seconds / 2, learn=False)
        found = stack.iterate(1, seconds, learn=False)
        again = stack.iterate(1, seconds / 2, learn=False).collected
    limit = None
    if bare:
        task = stack.shape.cars, seconds / 2, stack.tick_skip, stack.episode_steps
        limit = measure_limit(workers, LIMIT_ARENAS, *task)
    spread = abs(found.collected - again) / max(found.collected, again)
    return PlayFigures(workers, arenas, found.collected, found.parts, found.waited, limit, spread)


def _smaller(profile: Profile, workers: int, arenas: int) -> Profile:
    """With so many of them, and iterations of about a second."""
    config = _with(profile, workers=workers, arenas=arenas)
    speed = CORE_ROWS if config.device != "cpu" else min(CORE_ROWS, CORE_PRODUCTS / config.shape.parameters)
    return shortened(config.profile, int(workers * speed))


def measure_inference(config: ResolvedConfig, seconds: float) -> InferenceFigures:
    """NumPy in this process, which has one thread for it as a worker has; where there is a GPU, torch on it."""
    sizes, rows = config.policy_sizes, config.shape.agents
    net = networks.build(sizes[0], sizes[1:-1], sizes[-1], seed=0)
    policy, noise = DiscretePolicy(sizes, rows), GumbelBank(0)
    policy.set_weights(flatten(networks.layers(net.state_dict())))
    obs, actions, log_probs = (
        np.zeros((rows, sizes[0]), np.float32),
        np.zeros(rows, np.int64),
        np.zeros(rows, np.float32),
    )
    numpy = _seconds(lambda: policy.act(obs, noise, actions, log_probs, None), seconds / 2)
    found = InferenceFigures(config.inference_words, rows, 1e6 * numpy / rows)
    if config.device == "cpu":
        return found
    parts, part_rows = shape = slots(config.shape)
    batch = config.learner().batch_policy(shape)
    gpu = _seconds(lambda: batch.act(parts), seconds / 2)
    return replace(found, gpu_rows=parts * part_rows, gpu_milliseconds=1e3 * gpu)


def _seconds(work: Callable[[], object], seconds: float) -> float:
    """Median of calls over so many seconds, after one that is not counted."""
    work()
    found: list[float] = []
    while sum(found) < seconds or not found:
        before = time.perf_counter()
        work()
        found.append(time.perf_counter() - before)
    return statistics.median(found)


def measure_learner(config: ResolvedConfig, seconds: float) -> LearnerFigures:
    """The profile's update, of fewer rows where all would take too long."""
    shape, rounds = _learned(config, seconds)
    times = update_against_bare(shape, rounds, config.threads, config.device, config.ppo)
    rows = shape.rows
    return LearnerFigures(config.device, rows / times.update_seconds, rows / times.bare_seconds, times.ratio)


def _learned(config: ResolvedConfig, seconds: float) -> tuple[UpdateShape, int]:
    """As many of an iteration's steps as take about so long, and how often there is time for that."""
    whole = update_shape(config.profile, config.shape, config.pass_rows)
    step = replace(whole, workers=1, steps=1)
    took = update_against_bare(step, 1, config.threads, config.device, config.ppo).update_seconds
    steps = max(1, min(whole.rows // step.rows, int(seconds / took)))
    return replace(step, steps=steps), 3 if took * steps < 2 * seconds else 1


def measure_ipc(config: ResolvedConfig, seconds: float) -> IpcFigures:
    """With one worker."""
    with Stack(_smaller(config.profile, workers=1, arenas=1)) as stack:
        write, read = stack.shared_memory_speed()
        trip = statistics.median(stack.round_trip(number) for number in range(1, MESSAGES))
    return IpcFigures(write / 1e9, read / 1e9, 1e6 * trip)


def measure_gpu(config: ResolvedConfig, seconds: float) -> GpuFigures:
    """Its use needs NVML (extra `gpu`); of several GPUs the busiest one's. Raises what the update does."""
    gpus = Gpus()
    seen = gpus.read()
    if not torch.cuda.is_available():
        unused = f"the driver has {seen[0].name}, but torch sees no GPU: install a CUDA build of torch" if seen else ""
        return GpuFigures(note=unused or gpus.note)
    use = None
    if seen and config.device != "cpu":
        update = one_update(_learned(config, seconds)[0], config.device, config.ppo)
        with ThreadPoolExecutor(1) as pool:
            updates = pool.submit(
                _seconds, update, max(seconds, 1.0)
            )  # the driver's figure: the mean of up to a second
            while not updates.done():
                time.sleep(0.1)
                use = max([use or 0.0, *(gpu.use or 0.0 for gpu in gpus.read())])
            updates.result()
    there, total = torch.cuda.mem_get_info()
    return GpuFigures(torch.cuda.get_device_name(), total, there, use, gpus.note)


MEASURES: dict[str, Callable[[ResolvedConfig, float], Any]] = {
    "inference": measure_inference,
    "learner": measure_learner,
    "ipc": measure_ipc,
    "gpu": measure_gpu,
}
