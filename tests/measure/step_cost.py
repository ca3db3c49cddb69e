"""What a step of one arena costs, bare and in training, as one thing after another is changed: where the difference goes.

Each variant is a process of its own, and they take turns: a short block each, in CPU time, so that what else the machine
does falls on all alike. `python -m tests.measure.step_cost [VARIANT …] [--rounds N]`; `--list` names them.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from types import SimpleNamespace

from rltui.supervise.processes import HUGE_PAGES, TUNABLES, prepare_environment, start_piped

EPISODE = 450  # steps without a touch, after which seed-task begins anew
BLOCK = 2_000  # arena-steps, at least, in a variant's turn
ALONE = b"alone"
Parts = dict[str, float]  # part → µs an arena-step


@dataclass(frozen=True)
class Variant:
    """kind: "bare", the limit's loop, or "training", a worker's own rollout with a policy that knows nothing."""

    kind: str
    arenas: int = 128
    light: bool = False  # RocketSim's MemoryWeightMode.LIGHT
    core: int | None = None
    environment: dict[str, str] = field(default_factory=dict)


SMALL_PAGES = {TUNABLES: f"{HUGE_PAGES}=0"}
VARIANTS = {
    **{f"bare {arenas}": Variant("bare", arenas) for arenas in (16, 32, 64, 128)},
    **{f"training {arenas}": Variant("training", arenas) for arenas in (32, 64, 128)},
    **{f"{kind} 128 light": Variant(kind, light=True) for kind in ("bare", "training")},
    **{f"{kind} 128 small pages": Variant(kind, environment=SMALL_PAGES) for kind in ("bare", "training")},
    **{f"{kind} 128 pinned": Variant(kind, core=0) for kind in ("bare", "training")},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--processes", type=int, default=2, help="of each variant, at the same time (default: 2)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--alone", action="store_true", help="take a core for each turn (root): for a busy machine")
    args = parser.parse_args()
    names = args.variants or list(VARIANTS)
    if args.list:
        print("\n".join(VARIANTS))
        return
    prepare_environment()
    with contextlib.ExitStack() as stack:
        started = {name: [stack.enter_context(_started(name)) for _ in range(args.processes)] for name in names}
        for pipes in started.values():
            for pipe in pipes:
                pipe.recv_bytes()
        order = ALONE if args.alone else b"go"
        rounds = [{name: _turn(pipes, order) for name, pipes in started.items()} for _ in range(args.rounds)]
    print(f"{'µs an arena-step, median (quartiles)':40} simulate")
    for name in names:
        costs = [one[name]["simulate"] for one in rounds]
        low, middle, high = statistics.quantiles(costs, n=4)
        rest = {part: statistics.median(one[name][part] for one in rounds) for part in rounds[0][name]}
        shown = "  ".join(f"{part} {cost:.1f}" for part, cost in rest.items() if part != "simulate")
        print(f"{name:40} {middle:6.1f} ({low:.1f} to {high:.1f})  {shown}", flush=True)


@contextlib.contextmanager
def _started(name: str) -> Iterator[Connection]:
    before = dict(os.environ)
    os.environ.update(VARIANTS[name].environment)
    try:
        process, pipe = start_piped(_serve, name, name)
    finally:
        os.environ.clear()
        os.environ.update(before)
    try:
        yield pipe
    finally:
        process.kill()
        process.join()


def _turn(pipes: list[Connection], order: bytes) -> Parts:
    """The mean of its processes, which run at the same time."""
    for pipe in pipes:
        pipe.send_bytes(order)
    found: list[Parts] = [json.loads(pipe.recv_bytes()) for pipe in pipes]
    return {part: statistics.fmean(parts[part] for parts in found) for part in found[0]}


def _serve(name: str, pipe: Connection) -> None:
    variant = VARIANTS[name]
    if variant.core is not None:
        os.sched_setaffinity(0, {variant.core})
    if variant.light:
        _make_light()
    block = (_bare if variant.kind == "bare" else _training)(variant)
    pipe.send_bytes(b"ready")
    while order := pipe.recv_bytes():
        if order == ALONE:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            block()  # finds the caches as the others have left them
        parts = block()
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        pipe.send_bytes(json.dumps(parts).encode())


def _make_light() -> None:
    """Every arena of this process."""
    import RocketSim

    heavy = RocketSim.Arena
    RocketSim.Arena = lambda mode: heavy(mode, RocketSim.MemoryWeightMode.LIGHT)


def _bare(variant: Variant) -> Callable[[], Parts]:
    from rltui.debug.limit import BareArenas

    bare = BareArenas(variant.arenas, 2, 8, EPISODE, 1)
    bare._age = [EPISODE * index // variant.arenas for index in range(variant.arenas)]  # spread over the episode
    sweeps = -(-BLOCK // variant.arenas)

    def block() -> Parts:
        begun = time.process_time()
        for _ in range(sweeps):
            bare.sweep()
        return {"simulate": 1e6 * (time.process_time() - begun) / sweeps / variant.arenas}

    for _ in range(-(-EPISODE // sweeps)):
        block()
    return block


def _training(variant: Variant) -> Callable[[], Parts]:
    import numpy as np

    from rltui.env import soccar_batch
    from rltui.env.from_profile import env_spec, sizes
    from rltui.policy.weights import flat_size
    from rltui.profile.load import load
    from rltui.train.collect import worker
    from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout

    soccar_batch.perf_counter = time.process_time  # type: ignore[assignment]
    worker.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[assignment]
    spec = env_spec(load("seed-task"))
    size = sizes(spec)
    widths = (size.obs, 256, 256, 256, size.actions.outputs)
    steps = -(-BLOCK // variant.arenas)
    shared = SharedRollout.create(
        RolloutShape(1, 1, steps, variant.arenas, 2, size.obs, size.actions, flat_size(widths))
    )
    actor = worker.Actor(worker.ActorSpec(spec, variant.arenas, widths, (1,)), shared.arena_cursor, lambda lines: None)
    memory, (batch,) = shared.worker_block(0, 0), actor.env.batches()
    weights = np.random.default_rng(0).normal(0, 0.02, len(shared.weights)).astype(np.float32)

    def block() -> Parts:
        shared.weights[:] = weights  # and it is kept open
        parts = actor.rollout(memory, shared.weights, 0, lambda t: True).parts
        return {name: 1e6 * seconds / steps / variant.arenas for name, seconds in parts.items()}

    rounds = -(-EPISODE // steps)
    for number in range(rounds):  # spread over the episode
        first, last = (variant.arenas * at // rounds for at in (number, number + 1))
        if last > first:
            batch._begin(np.arange(first, last))
        block()
    return block


if __name__ == "__main__":
    main()
