"""Arena-steps a second of processor time with frozen opponents against mirror play, in pairs: python -m tests.measure.selfplay_cost."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from rltui.env.from_profile import env_spec, signature, sizes, table_rows
from rltui.env.frozen_opponents import OpponentSource
from rltui.env.spec import policy_to_save
from rltui.policy.saved import save_policy
from rltui.policy.weights import Layer, flat_size, flatten
from rltui.profile.load import load
from rltui.train.collect.messages import Configure
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout
from rltui.train.collect.worker import Actor, ActorSpec

ARENAS, STEPS, SHARE = 32, 60, 0.2
HIDDEN = (256, 256, 256)
OTHERS = {"the run's own": "", "with another observation": "obs.stack=2"}


def layers(shape: tuple[int, ...], seed: int) -> list[Layer]:
    rng = np.random.default_rng(seed)
    return [(rng.normal(0, n**-0.5, (n, m)).astype(np.float32), np.zeros(m, np.float32)) for n, m in pairwise(shape)]


def bot(folder: Path, change: str, seed: int) -> OpponentSource:
    profile = load("phase-2-bronze-skills", [change] if change else [])
    spec = env_spec(profile)
    size = sizes(spec)
    made = policy_to_save(
        spec, signature(profile, spec), table_rows(spec), layers((size.obs, *HIDDEN, size.actions.outputs), seed), (None, None)
    )  # fmt: skip
    path = folder / f"{change}{seed}.npz"
    path.write_bytes(save_policy(made))
    return OpponentSource(path.stem, str(path))


@contextmanager
def actor(share: float, opponents: tuple[OpponentSource, ...] = ()) -> Iterator[Callable[[], float]]:
    """The processor seconds of a rollout, whenever called."""
    spec = replace(env_spec(load("phase-2-bronze-skills")), frozen_share=share)
    size = sizes(spec)
    shape = (size.obs, *HIDDEN, size.actions.outputs)
    shared = SharedRollout.create(RolloutShape(1, 1, STEPS, ARENAS, 2, size.obs, size.actions, flat_size(shape)))
    made = Actor(ActorSpec(spec, ARENAS, shape, (1,)), np.zeros(1, np.int64), lambda lines: None)
    made.configure(Configure(1, opponents=opponents, restart_episodes=True))
    weights = flatten(layers(shape, 0))

    def rollout() -> float:
        began = time.process_time()
        made.rollout(shared.worker_block(0, 0), weights, 0, lambda t: True)
        return time.process_time() - began

    try:
        yield rollout
    finally:
        shared.close()


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as folder:
        for name, change in OTHERS.items():
            opponents = tuple(bot(Path(folder), change, seed) for seed in (1, 2))
            with actor(0.0) as mirror, actor(SHARE, opponents) as frozen:
                mirror()
                frozen()
                taken = [(mirror(), frozen()) for _ in range(pairs)]
            ratios = [one / two for one, two in taken]
            speed = ARENAS * STEPS / statistics.median(one for one, _ in taken)
            print(
                f"two opponents, {name}: {statistics.median(ratios):.3f} of mirror play's {speed:,.0f} arena-steps/s of processor time "
                f"({pairs} pairs, quartiles {np.percentile(ratios, 25):.3f} to {np.percentile(ratios, 75):.3f}); "
                f"load {os.getloadavg()[0]:.1f}"
            )


if __name__ == "__main__":
    main()
