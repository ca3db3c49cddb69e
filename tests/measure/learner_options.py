"""Times one update with each option of the learner on and off, in alternation, and tries a GPU's two failures for real.

    python tests/measure/learner_options.py                     both nets on the GPU, then a full memory and a lost GPU
    python tests/measure/learner_options.py --compile           the same two nets with torch.compile, which takes minutes
    OMP_WAIT_POLICY=PASSIVE python tests/measure/learner_options.py --device cpu
                                                                256 x 256 x 256 on two threads, beside bare torch

One row a variant: median and range of an update, timesteps a second, the paired ratio to the first row, the most memory
beyond what is there all the time, and how far log-probabilities (in nats) and the step of the weights are from float32's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch import Tensor

from rltui.debug.update_bench import UpdateShape, _bare, random_rollout
from rltui.learn import adam, device, distributions, networks, report
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.ppo import PPOLearner
from rltui.learn.rollout import Rollout

SMALL, BIG = (256, 256, 256), (2048, 2048, 1024, 1024)
CONFIG = PPOConfig(learning_rate=1e-5, critic_learning_rate=1e-5, batch=10**9, minibatch="auto")


@dataclass
class Variant:
    """patches: targets and values for mock.patch.object, in force whenever it runs."""

    name: str
    changes: dict[str, Any] = field(default_factory=dict)
    patches: tuple[tuple[Any, str, Any], ...] = ()
    host_copy: bool = True
    seconds: list[float] = field(default_factory=list)
    peak: int = 0
    notes: set[str] = field(default_factory=set)
    learner: PPOLearner | None = None

    def run(self, work: Callable[[], Any]) -> Any:
        with ExitStack() as stack:
            for target, name, value in self.patches:
                stack.enter_context(mock.patch.object(target, name, value))
            return work()


class AutogradCategorical(distributions.TorchCategorical):
    """With the gradient that autograd finds."""

    def __init__(self, logits: Tensor, legal: Tensor | None = None) -> None:
        self._log_probs = torch.log_softmax(logits, dim=-1)
        self._entropy = None

    def entropy(self) -> Tensor:
        return -(self._log_probs.exp() * self._log_probs).sum(dim=-1)


def all_layers_low(self: networks.FeedForward, obs: Tensor, hidden: torch.dtype | None = None) -> Tensor:
    if hidden is None:
        return self.model(obs)
    with torch.autocast(obs.device.type, hidden, cache_enabled=False):
        return self.model(obs).float()


def unfused(self: adam.Adam, skip: Tensor | None = None) -> None:
    with torch.no_grad():
        self._count += 1
        self._step_by_parameter()


AUTOGRAD = (distributions, "TorchCategorical", AutogradCategorical)
GPU = (
    Variant("auto"),
    Variant("auto again"),
    Variant("float32", {"precision": "float32"}),
    Variant("tf32", {"precision": "tf32"}),
    Variant("bf16", {"precision": "bf16"}),
    Variant("bf16, all layers", {"precision": "bf16"}, ((networks.FeedForward, "forward", all_layers_low),)),
    Variant("fp16", {"precision": "fp16"}),
    Variant("minibatch 8192", {"minibatch": 8_192}),
    Variant("minibatch 16384", {"minibatch": 16_384}),
    Variant("minibatch 32768", {"minibatch": 32_768}),
    Variant("minibatch 131072", {"minibatch": 131_072}),
    Variant("Adam by parameter", {}, ((adam.Adam, "step", unfused),)),
    Variant("autograd's softmax", {}, (AUTOGRAD,)),
    Variant("no host copy", {}, host_copy=False),
    Variant("batch 10,000", {"batch": 10_000}),
)
COMPILED = (
    Variant("auto"),
    Variant("compiled", {"compile": "on"}),
    Variant("compiled, graphs", {"compile": "graphs"}),
)
CPU = (
    Variant("auto"),
    Variant("auto again"),
    Variant("512 rows", {}, ((device, "CPU_ROWS", 512),)),
    Variant("1024 rows", {}, ((device, "CPU_ROWS", 1024),)),
    Variant("2048 rows", {}, ((device, "CPU_ROWS", 2048),)),
    Variant("8192 rows", {}, ((device, "CPU_ROWS", 8192),)),
    Variant("autograd's softmax", {}, (AUTOGRAD,)),
    Variant("bf16", {"precision": "bf16"}),
)


def shape_of(layers: tuple[int, ...], rows: int) -> UpdateShape:
    """15 workers of 64 arenas of two cars; of few rows two workers of 16."""
    workers, agents = (15, 128) if rows >= 40_000 else (2, 32)
    steps = -(-rows // (workers * agents))
    return UpdateShape(workers, steps, agents, layers=layers, critic_layers=layers)


def measure(variants: tuple[Variant, ...], shape: UpdateShape, where: str, rounds: int) -> None:
    """All variants once uncounted, then `rounds` times in alternation; prints the table."""
    variants = tuple(replace(variant, seconds=[], notes=set()) for variant in variants)
    data = random_rollout(shape)
    sizes = NetSizes(shape.obs_size, shape.actions, shape.layers, shape.critic_layers)
    exact = PPOLearner(sizes, replace(CONFIG, precision="float32"), where)
    start = vector(exact)
    exact_log_probs = log_probs(exact, data)
    exact.update(data)
    exact_step = vector(exact) - start
    far: dict[str, tuple[float, float]] = {}
    for variant in variants:
        begun = time.perf_counter()
        variant.learner = learner = variant.run(
            lambda v=variant: PPOLearner(sizes, replace(CONFIG, **v.changes), where)
        )
        if not variant.host_copy:
            learner._host = None
        apart = (variant.run(lambda one=learner: log_probs(one, data)) - exact_log_probs).square().mean().sqrt()
        variant.run(lambda one=learner: one.update(data))
        off = (vector(learner) - start - exact_step).norm() / exact_step.norm()
        far[variant.name] = float(apart), float(off)
        if (took := time.perf_counter() - begun) > 5:
            print(f"  {variant.name}: {took:.0f} s to begin", flush=True)
    bare = _bare(replace(shape, minibatch=4_096), where) if where == "cpu" else None
    bare_seconds: list[float] = []
    for _ in range(rounds):
        for variant in variants:
            timed(variant, data, where)
        if bare is not None:
            begun = time.perf_counter()
            bare()
            bare_seconds.append(time.perf_counter() - begun)
    print(
        f"\n{shape.layers}, {shape.rows:,} rows, 2 epochs, {where}, {rounds} rounds, {torch.get_num_threads()} threads"
    )
    print(
        f"{'':22}{'ms':>9}{'from':>9}{'to':>9}{'rows/s':>12}{'ratio':>7}{'MB':>8}{'rows':>8}{'d ln p':>9}{'d step':>8}"
    )
    if bare is not None:
        line("bare torch", bare_seconds, variants[0].seconds, shape.rows, "")
    for variant in variants:
        assert variant.learner is not None
        apart, off = far[variant.name]
        rest = f"{variant.peak / 1e6:8.0f}{variant.learner.pass_rows:8d}{apart:9.1e}{off:8.1e}"
        line(variant.name, variant.seconds, variants[0].seconds, shape.rows, rest)
    for note in sorted(set().union(*(variant.notes for variant in variants))):
        print(f"  note: {note}")
    print(f"  auto is {variants[0].learner.precision if variants[0].learner else ''}", flush=True)


def line(name: str, seconds: list[float], first: list[float], rows: int, rest: str) -> None:
    middle = statistics.median(seconds)
    ratio = statistics.median(a / b for a, b in zip(seconds, first, strict=True))
    print(
        f"{name:22}{middle * 1e3:9.1f}{min(seconds) * 1e3:9.1f}{max(seconds) * 1e3:9.1f}{rows / middle:12,.0f}{ratio:7.3f}{rest}"
    )


def timed(variant: Variant, data: Rollout, where: str) -> None:
    learner = variant.learner
    assert learner is not None
    held = 0
    if where != "cpu":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
    begun = time.perf_counter()
    done = variant.run(lambda: learner.update(data))
    variant.seconds.append(time.perf_counter() - begun)
    variant.notes |= {f"{variant.name}: {note}" for note in done.notes if "exceeds" not in note}
    if done.dropped:
        variant.notes.add(f"{variant.name}: DROPPED {done.dropped}")
    if where != "cpu":
        variant.peak = max(variant.peak, torch.cuda.max_memory_allocated() - held)


def vector(learner: PPOLearner) -> Tensor:
    state = learner._state
    return torch.cat([p.detach().reshape(-1) for net in (state.policy, state.critic) for p in net.parameters()]).cpu()


def log_probs(learner: PPOLearner, data: Rollout) -> Tensor:
    """Of the first 8,192 actions, as an update works them out."""
    rows = data.obs[:, :-1].reshape(-1, data.obs.shape[-1])[:8_192]
    actions = torch.from_numpy(data.actions.reshape(-1)[:8_192].copy()).to(learner._device)
    with torch.no_grad(), device.products(learner.precision, learner._device):
        obs = torch.from_numpy(np.ascontiguousarray(rows)).to(learner._device)
        logits = learner._state.policy(obs, device.DTYPES.get(learner.precision))
        return learner._distribution(logits, None).log_prob(actions).cpu()


def profile_host(layers: tuple[int, ...], rows: int, where: str) -> None:
    """Where the processor spends a default update."""
    import cProfile
    import pstats

    shape = shape_of(layers, rows)
    data = random_rollout(shape)
    learner = PPOLearner(NetSizes(shape.obs_size, shape.actions, layers, layers), CONFIG, where)
    for _ in range(3):
        learner.update(data)
    profile = cProfile.Profile()
    profile.runcall(learner.update, data)
    pstats.Stats(profile).sort_stats("tottime").print_stats(14)
    for name, work in (("policy_flat", learner.policy_flat), ("host copy", learner._host and learner._host.take)):
        if work:
            begun = time.perf_counter()
            work()
            print(f"{name}: {1e3 * (time.perf_counter() - begun):.1f} ms")


def unwaited() -> None:
    """Whether the loop over the epochs ever waits for the GPU: torch raises where it does."""
    shape = shape_of(SMALL, 50_000)
    data, sizes = random_rollout(shape), NetSizes(shape.obs_size, shape.actions, SMALL, SMALL)
    settle = report.Totals.settle

    def end(totals: report.Totals) -> None:
        torch.cuda.set_sync_debug_mode("default")
        settle(totals)

    for precision in ("bf16", "fp16"):
        config = replace(CONFIG, batch=20_000, minibatch=8_192, precision=precision)
        learner = PPOLearner(sizes, config, "cuda")
        try:
            with mock.patch.object(report.Totals, "settle", end):
                learner.update(data, lambda: torch.cuda.set_sync_debug_mode("error"))
            print(f"\n{precision}: the loop over the epochs does not wait for the GPU")
        except RuntimeError as error:
            torch.cuda.set_sync_debug_mode("default")
            print(f"\n{precision}: the loop over the epochs WAITS: {error}", flush=True)
            traceback.print_exc()


def full_memory() -> None:
    """A real OutOfMemoryError: halved once or more, nothing lost, and the same update as a run that began so."""
    shape = shape_of(BIG, 100_000)
    data, sizes = random_rollout(shape), NetSizes(shape.obs_size, shape.actions, BIG, BIG)
    config = replace(CONFIG, minibatch=100_000, precision="float32")
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(7e9 / total)
    try:
        one = PPOLearner(sizes, config, "cuda")
        start = vector(one)
        done = one.update(data)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    again = PPOLearner(sizes, replace(config, minibatch=one.pass_rows), "cuda")
    again.update(data)
    off = (vector(again) - vector(one)).norm() / (vector(again) - start).norm()
    print(f"\nfull memory: dropped {done.dropped}, {done.steps} steps, {done.notes}; off by {off:.1e} of the step")


def lost_gpu() -> None:
    """In a child: a kernel's assertion in the third minibatch of the second update. The state before it must come out."""
    shape = shape_of(SMALL, 50_000)
    data, sizes = random_rollout(shape), NetSizes(shape.obs_size, shape.actions, SMALL, SMALL)
    learner = PPOLearner(sizes, replace(CONFIG, minibatch=8_192), "cuda")
    learner.update(data)
    before, calls = learner.snapshot().files(), 0

    def fail() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            torch.zeros(4, device="cuda")[torch.tensor([9], device="cuda")]

    try:
        learner.update(data, fail)
    except RuntimeError as error:
        told = device.device_error(error)
        print(f"lost GPU: {told.message if told else repr(error)}")
    same = learner.snapshot().files() == before
    print(f"lost GPU: the state from before is {'whole' if same else 'NOT whole'}", flush=True)
    os._exit(0)  # as `rltui train` does: the interpreter's end frees what belongs to the GPU, and aborts


def main() -> None:
    """See the module."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    options.add_argument("--compile", action="store_true")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--rows", type=int, nargs="*", default=None)
    options.add_argument("--lost-gpu", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.lost_gpu:
        lost_gpu()
        return
    begun = time.perf_counter()
    if chosen.device == "cpu":
        torch.set_num_threads(2)
        measure(CPU, shape_of(SMALL, (chosen.rows or [20_000])[0]), "cpu", chosen.rounds)
        return
    print(torch.__version__, torch.cuda.get_device_name())
    variants = COMPILED if chosen.compile else GPU
    for layers, rows in ((BIG, 200_000), (BIG, 50_000), (SMALL, 50_000)):
        if chosen.rows is None or rows in chosen.rows:
            measure(variants, shape_of(layers, rows), "cuda", chosen.rounds)
            print(f"  {time.perf_counter() - begun:.0f} s so far", flush=True)
            torch.cuda.empty_cache()
    if not chosen.compile:
        profile_host(BIG, 200_000, "cuda")
        unwaited()
        full_memory()
        done = subprocess.run(
            [sys.executable, __file__, "--lost-gpu"],
            capture_output=True,
            text=True,
            check=False,
        )
        print(done.stdout, *done.stderr.splitlines()[-3:], sep="\n")
    print(f"{time.perf_counter() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
