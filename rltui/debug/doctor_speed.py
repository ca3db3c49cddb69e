"""The doctor's checks of the machine's parts that make a training fast, and how fast this profile's will be."""

from __future__ import annotations

import socket
import time

import psutil

from rltui.debug.doctor_case import Case
from rltui.debug.doctor_finding import Check, Result
from rltui.formatting import duration, size
from rltui.profile.machine import learning_cars, worker_count
from rltui.profile.models import Profile

VISUALISER = ("127.0.0.1", 9273)
MEASURED_ROWS = 10_000  # of one iteration in a measurement, at most
LEAST_STEPS = 16  # of each arena in one
MEASURED_SECONDS = 2.0
BUSY = 30.0  # % of all cores that others take: figures of a busy machine say little


def visualiser(case: Case) -> Result:
    """RocketSimVis listens on a UDP port; nothing needs it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(VISUALISER)
        except OSError:
            return Result("pass", f"something listens on UDP {VISUALISER[1]}: RocketSimVis, or another viewer")
    return Result("pass", f"UDP {VISUALISER[1]} is free: start RocketSimVis to see games there")


def gpu(case: Case) -> Result:
    """Which device the learner will use. A GPU that is demanded and missing fails."""
    device = case.blueprint.device
    if device == "cpu":
        return Result(
            "pass", "no GPU: the learner uses the processor" if _auto(case) else "the processor, as asked for"
        )
    import torch

    free, total = torch.cuda.mem_get_info()
    return Result("pass", f"{torch.cuda.get_device_name()}, {size(free)} of {size(total)} free")


def _auto(case: Case) -> bool:
    return case.profile.learner.device == "auto"


def speed(case: Case) -> Result:
    """Play and learn for a few seconds as the run will, without a run folder."""
    from rltui.debug.bench import Stack

    busy = psutil.cpu_percent(interval=0.2)
    with Stack(shortened(case.profile)) as stack:
        stack.iterate(1)  # new arenas are slow
        rates: list[float] = []
        started = time.perf_counter()
        while not rates or time.perf_counter() - started < MEASURED_SECONDS:
            rates.append(stack.iterate(1)[1])
    rate = sorted(rates)[len(rates) // 2]
    told = f"{rate:,.0f} steps/s overall, measured over {duration(time.perf_counter() - started)}"
    figures = {"steps_per_second": round(rate), "time": time.time(), "busy_percent": round(busy)}
    if busy > BUSY:
        return Result("pass", f"{told}; the machine was {busy:.0f} % busy with other things", figures=figures)
    return Result("pass", told, figures=figures)


def shortened(profile: Profile) -> Profile:
    """The same profile with shorter iterations: as many rows a step of the optimizer, fewer of them."""
    games = worker_count(profile) * profile.collect.arenas * learning_cars(profile)
    rows = min(profile.ppo.iteration, max(MEASURED_ROWS, LEAST_STEPS * games))
    batch = min(profile.ppo.batch, rows)
    ppo = profile.ppo.model_copy(
        update={"iteration": rows, "batch": batch, "minibatch": min(profile.ppo.minibatch, batch)}
    )
    return profile.model_copy(update={"ppo": ppo})


SPEED_CHECKS = (
    Check("visualiser", visualiser),
    Check("gpu", gpu, ("profile",)),
)
MEASURE = Check("speed", speed, ("profile", "spaces", "shared memory"))  # only when asked for by name
