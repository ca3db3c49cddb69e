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
from typing import Any

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
    split: bool = False  # bare: a tick, the controls, seven ticks, as RLGym's delay has it
    callbacks: bool = False  # bare: those that the product listens to
    walk_mb: int = 0  # bare: read and written between two sweeps
    allocate: bool = False  # bare: other memory taken between two arenas
    zigzag: bool = False  # bare: every other sweep begins with the last arena, which the caches still have
    whole: bool = False  # training: no delay, so one call for all ticks
    deaf: bool = False  # training: without callbacks
    at_once: bool = False  # training: each arena read as soon as it was stepped
    core: int | None = None
    environment: dict[str, str] = field(default_factory=dict)


SMALL_PAGES = {TUNABLES: f"{HUGE_PAGES}=0"}
VARIANTS = {
    "bare 16": Variant("bare", 16),
    "bare 32": Variant("bare", 32),
    "bare 64": Variant("bare", 64),
    "bare 128": Variant("bare"),
    "bare 128 light": Variant("bare", light=True),
    "bare 128 small pages": Variant("bare", environment=SMALL_PAGES),
    "bare 128 pinned": Variant("bare", core=0),
    "bare 128 split": Variant("bare", split=True),
    "bare 128 split, callbacks": Variant("bare", split=True, callbacks=True),
    "bare 128 walk 1 MB": Variant("bare", walk_mb=1),
    "bare 128 walk 4 MB": Variant("bare", walk_mb=4),
    "bare 128 zigzag": Variant("bare", zigzag=True),
    "bare 64 zigzag": Variant("bare", 64, zigzag=True),
    "bare 16 split": Variant("bare", 16, split=True),
    "bare 16 split, callbacks": Variant("bare", 16, split=True, callbacks=True),
    "bare 128 scattered": Variant("bare", allocate=True),
    "bare 16 walk 4 MB": Variant("bare", 16, walk_mb=4),
    "training 32": Variant("training", 32),
    "training 64": Variant("training", 64),
    "training 64 light": Variant("training", 64, light=True),
    "training 128": Variant("training"),
    "training 128 light": Variant("training", light=True),
    "training 128 small pages": Variant("training", environment=SMALL_PAGES),
    "training 128 pinned": Variant("training", core=0),
    "training 128 whole": Variant("training", whole=True),
    "training 128 deaf": Variant("training", deaf=True),
    "training 128 at once": Variant("training", at_once=True),
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
    import numpy as np

    from rltui.debug.limit import BareArenas

    kept: list[Any] = []

    class Arenas(BareArenas):
        def _arena(self, simulator: Any, index: int, cars: int) -> Any:
            if variant.allocate:
                kept.extend(np.zeros(size, np.uint8) for size in (3_000, 40_000, 700, 90_000))
            arena = super()._arena(simulator, index, cars)
            if variant.callbacks:
                for name in ("ball_touch", "boost_pickup", "car_demo", "shot_event", "save_event"):
                    getattr(arena, f"set_{name}_callback")(lambda *_, **__: None, index)
            return arena

    bare = Arenas(variant.arenas, 2, 8, EPISODE, 1)
    if variant.split:
        bare._arenas = [_Split(arena) for arena in bare._arenas]
    bare._age = [EPISODE * index // variant.arenas for index in range(variant.arenas)]  # spread over the episode
    memory = np.zeros(variant.walk_mb << 18, np.float32)
    sweeps = -(-BLOCK // variant.arenas)

    def block() -> Parts:
        used = 0.0
        for _ in range(sweeps):
            np.add(memory, 1.0, out=memory)
            begun = time.process_time()
            bare.sweep()
            if variant.zigzag:
                bare._arenas.reverse()
                bare._cars.reverse()
            used += time.process_time() - begun
        return {"simulate": 1e6 * used / sweeps / variant.arenas}

    for _ in range(-(-EPISODE // sweeps)):
        block()
    return block


class _Split:
    """An arena whose step is two calls. The controls are not set between them, which costs the same anywhere."""

    def __init__(self, arena: Any) -> None:
        self._step, self.reset_kickoff = arena.step, arena.reset_kickoff

    def step(self, ticks: int) -> None:
        self._step(1)
        self._step(ticks - 1)


def _training(variant: Variant) -> Callable[[], Parts]:
    import numpy as np

    from rltui.env import soccar_batch
    from rltui.env.from_profile import env_spec
    from rltui.policy.weights import flat_size
    from rltui.profile.load import load
    from rltui.sim import arena, arena_batch
    from rltui.train.collect import worker
    from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout

    soccar_batch.perf_counter = time.process_time  # type: ignore[assignment]
    worker.time = SimpleNamespace(perf_counter=time.process_time)  # type: ignore[assignment]
    if variant.deaf:
        arena.SoccarArena.listen = lambda *_: None  # type: ignore[method-assign,assignment]
    if variant.at_once:
        _read_at_once(arena_batch.ArenaBatch)
    changes = ["action_delay_ticks=0"] if variant.whole else []
    spec = env_spec(load("seed-task", changes))
    sizes = (92, 256, 256, 256, 90)
    steps = -(-BLOCK // variant.arenas)
    shape = RolloutShape(1, 1, steps, variant.arenas, 2, sizes[0], flat_size(sizes, False))
    shared = SharedRollout.create(shape)
    actor = worker.Actor(worker.ActorSpec(spec, variant.arenas, sizes, (1,)), shared.arena_cursor, lambda lines: None)
    memory, (batch,) = shared.worker_block(0, 0), actor.env.batches()
    weights = np.random.default_rng(0).normal(0, 0.02, len(shared.weights)).astype(np.float32)

    def block() -> Parts:
        shared.weights[:] = weights  # and it is kept open
        parts = actor.rollout(memory, shared.weights, 0, lambda t: None).parts
        return {name: 1e6 * seconds / steps / variant.arenas for name, seconds in parts.items()}

    rounds = -(-EPISODE // steps)
    for number in range(rounds):  # spread over the episode
        first, last = (variant.arenas * at // rounds for at in (number, number + 1))
        if last > first:
            batch._begin(np.arange(first, last))
        block()
    return block


def _read_at_once(batch: Any) -> None:
    """Read each arena as soon as it was stepped."""

    def simulate(self: Any, actions: Any) -> None:
        delay, rest, controls = self._delay, self._rest, self._controls
        chosen = iter([controls[row] for row in actions.ravel().tolist()])
        self._balls, self._cars = [], []
        for step, setters, ball, cars in self._handles:
            step(delay)
            for set_controls, control in zip(setters, chosen):  # noqa: B905 - takes from `chosen` what it needs
                set_controls(control)
            step(rest)
            self._readout.append_numbers(ball, cars, self._balls, self._cars)
        self._note_controls(actions)

    def read(self: Any) -> None:
        self._readout.store_all(self._balls, self._cars)
        self.state.tick += self._tick_skip
        self._note_events()
        self._derive()

    batch.simulate, batch.read = simulate, read


if __name__ == "__main__":
    main()
