"""The doctor's checks of training itself: viewer port, GPU, speed, torch, a worker."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import numpy as np
import psutil

from rltui.debug.doctor_check import DoctorCase, DoctorCheck, DoctorResult, new_out
from rltui.errors import RltuiError
from rltui.formatting import duration, size
from rltui.policy.mlp import DiscretePolicy
from rltui.policy.weights import flatten
from rltui.profile.models import Profile
from rltui.profile.resolved import learning_cars, worker_count

VISUALISER = ("127.0.0.1", 9273)
MEASURED_ROWS = 10_000  # of one iteration in a measurement, at most
LEAST_STEPS = 16  # of each arena in one
MEASURED_SECONDS = 2.0
BUSY = 30.0  # % of all cores that others take: figures of a busy machine say little
SAME = 1e-4  # between torch's logits and NumPy's, where they are of size 1
WORKER_SECONDS = 30.0
WORKER_STEPS, WORKER_ARENAS = 4, 2
HEALTHY_START = 10.0  # seconds


def visualiser(case: DoctorCase) -> DoctorResult:
    """RocketSimVis listens on a UDP port; nothing needs it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(VISUALISER)
        except OSError:
            return DoctorResult("pass", f"something listens on UDP {VISUALISER[1]}: RocketSimVis, or another viewer")
    return DoctorResult("pass", f"UDP {VISUALISER[1]} is free: start RocketSimVis to see games there")


def gpu(case: DoctorCase) -> DoctorResult:
    """Which device the learner will use. A GPU that is demanded and missing fails."""
    device = case.config.device
    if device == "cpu":
        found = "the processor (learner.device)"
        if _auto(case):
            import torch

            without = "" if torch.version.cuda or torch.version.hip else f"; torch {torch.__version__} has no CUDA"
            found = f"no GPU: the learner uses the processor{without}"
        warning = case.config.device_warning
        return DoctorResult("warn" if warning else "pass", found, warning)
    import torch

    free, total = torch.cuda.mem_get_info()
    return DoctorResult("pass", f"{torch.cuda.get_device_name()}, {size(free)} of {size(total)} free")


def _auto(case: DoctorCase) -> bool:
    return case.profile.learner.device == "auto"


def speed(case: DoctorCase) -> DoctorResult:
    """Play and learn for a few seconds as the run will, without a run folder."""
    from rltui.debug.bench import Stack

    busy = psutil.cpu_percent(interval=0.2)
    with Stack(shortened(case.profile)) as stack:
        stack.iterate(1)  # new arenas are slow
        rates: list[float] = []
        started = time.perf_counter()
        while not rates or time.perf_counter() - started < MEASURED_SECONDS:
            rates.append(stack.iterate(1).overall)
    rate = sorted(rates)[len(rates) // 2]
    summary = f"{rate:,.0f} steps/s overall, measured over {duration(time.perf_counter() - started)}"
    figures = {"steps_per_second": round(rate), "time": time.time(), "busy_percent": round(busy)}
    if busy > BUSY:
        return DoctorResult("pass", f"{summary}; the machine was {busy:.0f} % busy with other things", figures=figures)
    return DoctorResult("pass", summary, figures=figures)


def shortened(profile: Profile, most: int = MEASURED_ROWS) -> Profile:
    """The same profile with shorter iterations, of `most` rows if that is enough: as many rows a step of the optimizer,
    fewer of them.
    """
    games = worker_count(profile) * profile.collect.arenas * learning_cars(profile)
    rows = min(profile.ppo.iteration, max(most, LEAST_STEPS * games))
    batch = min(profile.ppo.batch, rows)
    minibatch = profile.ppo.minibatch
    minibatch = minibatch if minibatch == "auto" else min(minibatch, batch)
    ppo = profile.ppo.model_copy(update={"iteration": rows, "batch": batch, "minibatch": minibatch})
    return profile.model_copy(update={"ppo": ppo})


def forward_pass(case: DoctorCase) -> DoctorResult:
    """The profile's policy on real observations, in torch on its device and in NumPy as the workers have it."""
    import torch

    from rltui.learn import networks

    config, out = case.config, new_out(case.game)
    case.game.reset(out)
    obs = out.obs.reshape(-1, config.size.obs)
    net = networks.build(config.size.obs, case.profile.policy.layers, config.size.actions.outputs, seed=0)
    policy = DiscretePolicy(config.policy_sizes, len(obs))
    policy.set_weights(flatten(networks.layers(net.state_dict())))
    with torch.no_grad():
        logits = net.to(config.device)(torch.from_numpy(obs).to(config.device)).cpu().numpy()
    apart = float(np.abs(logits - policy.logits(obs)).max()) / max(1.0, float(np.abs(logits).max()))
    if not apart <= SAME:
        return DoctorResult(
            "fail",
            f"torch on {config.device} and NumPy disagree on the policy's logits by {apart:.2g}",
            "reinstall torch and numpy",
        )
    return DoctorResult(
        "pass",
        f"torch {torch.__version__} on {_device(config.device)}, and the workers' NumPy gives the same logits",
    )


def _device(device: str) -> str:
    import torch

    return torch.cuda.get_device_name() if device == "cuda" else device


def mixed_precision(case: DoctorCase) -> DoctorResult:
    """torch.autocast and GradScaler, which half precision needs."""
    import torch

    device = case.config.device
    kind = torch.bfloat16 if device == "cpu" or torch.cuda.is_bf16_supported() else torch.float16
    square = torch.ones(8, 8, device=device)
    with torch.autocast(device, dtype=kind):
        product = square @ square
    torch.amp.GradScaler(device, enabled=device == "cuda")
    if product.dtype != kind or not bool(torch.isfinite(product).all()):
        return DoctorResult(
            "warn",
            f"autocast on {device} gives {product.dtype} where {kind} was asked for",
            "train in float32, the default",
        )
    return DoctorResult("pass", f"autocast works on {device} ({str(kind).removeprefix('torch.')})")


def worker_process(case: DoctorCase) -> DoctorResult:
    """A real worker is spawned, plays a few steps and is ended."""
    from rltui.train.collect.shared_rollout import SharedRollout
    from rltui.train.collect.worker_pool import LocalCollector

    config = case.config
    shape = replace(config.shape, blocks=1, workers=1, steps=WORKER_STEPS, arenas=WORKER_ARENAS, slack=0)
    started = time.monotonic()

    def poll() -> None:
        if time.monotonic() - started > WORKER_SECONDS:
            raise RltuiError(
                f"a worker process was not ready after {WORKER_SECONDS:g} s",
                "is the machine very busy, or short of memory?",
            )

    shared = SharedRollout.create(shape)
    collector = LocalCollector(
        replace(config.actor(0), arenas=WORKER_ARENAS, central=False), shared, WORKER_SECONDS, lambda record: None
    )
    try:
        collector.start(poll)
        ready = time.monotonic() - started
        shared.weights[:] = config.learner().policy_flat()
        [report] = collector.collect(0, 0, poll).reports
    finally:
        collector.kill()
        shared.close()
    summary = f"a worker was ready after {duration(ready)} and played; {size(None if report is None else report.memory)} of memory"
    if ready > HEALTHY_START:
        return DoctorResult("warn", summary, "slow disk or busy machine: all workers will take a while to start")
    return DoctorResult("pass", summary)


SPEED_CHECKS = (
    DoctorCheck("visualiser", visualiser),
    DoctorCheck("gpu", gpu, ("profile",)),
)
MEASURE = DoctorCheck("speed", speed, ("profile", "spaces", "shared memory"))  # only when asked for by name
LEARNING_CHECKS = (
    DoctorCheck("forward pass", forward_pass, ("profile", "spaces")),
    DoctorCheck("mixed precision", mixed_precision, ("profile",)),
    DoctorCheck("worker process", worker_process, ("profile", "spaces", "shared memory")),
)
