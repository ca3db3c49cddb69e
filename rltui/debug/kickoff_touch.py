"""How often the ball is touched within 10 s of a kickoff, both cars playing the sampled policy.

    python -m rltui.debug.kickoff_touch CHECKPOINT [--kickoffs 500] [--seconds 10] [--seed 0]

The first measure of a bot that learns to move: 0 for one that stands still.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, Weighted, saved_game
from rltui.env.step import StepOut
from rltui.errors import RltuiError, report
from rltui.field import TICKS_PER_SECOND
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.registry import Component
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.paths import is_folder
from rltui.safe_io import path_of

ARENAS = 50  # games at a time


@dataclass(frozen=True)
class TouchRate:
    """Share of kickoffs with a touch, and the standard error of that share."""

    kickoffs: int
    touched: int

    @property
    def share(self) -> float:
        return self.touched / self.kickoffs

    @property
    def error(self) -> float:
        return math.sqrt(self.share * (1 - self.share) / self.kickoffs)


def kickoff_touch_rate(policy: SavedPolicy, kickoffs: int = 500, seconds: float = 10.0, seed: int = 0) -> TouchRate:
    """Play so many kickoffs in arenas side by side, each until `seconds` have passed."""
    touched = 0
    for first in range(0, kickoffs, ARENAS):
        count = min(ARENAS, kickoffs - first)
        touched += _play(policy, count, seconds, (seed, first))
    return TouchRate(kickoffs, touched)


def _play(policy: SavedPolicy, arenas: int, seconds: float, seed: Sequence[int]) -> int:
    """Number of arenas in which the ball was touched in time."""
    batch = SoccarBatch(_spec(policy), arenas, seed)
    rows = arenas * batch.cars
    network, noise = policy.network(rows), GumbelBank([*seed, 1])
    out = StepOut.zeros(arenas, batch.cars, batch.obs_size)
    actions, log_probs = np.zeros(rows, np.int64), np.zeros(rows, np.float32)
    touched = np.zeros(arenas, np.bool_)
    batch.reset(out)
    for _ in range(math.ceil(seconds * TICKS_PER_SECOND / policy.tick_skip)):
        network.act(out.obs.reshape(rows, -1), noise, actions, log_probs, out.legality.reshape(rows))
        batch.step(actions.reshape(arenas, batch.cars), out)
        touched |= (batch.state.touches > 0).any(axis=1)
    return int(touched.sum())


def _spec(policy: SavedPolicy) -> EnvSpec:
    """1v1 kickoffs that nothing ends, seen as the policy sees them."""
    game = saved_game(policy)
    plain = EnvSpec(
        blue=1,
        orange=1,
        obs=game.obs,
        table=game.table,
        rewards=(Weighted(Component("touch"), 1.0),),
        resets=(Weighted(Component("kickoff"), 1.0),),
        terminals=(Component("timeout", {"seconds": 300}),),
    )
    return game.put_into(plain)


def main() -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m rltui.debug.kickoff_touch", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("checkpoint", help="a checkpoint folder or policy.npz")
    parser.add_argument("--kickoffs", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    try:
        path = path_of(args.checkpoint)
        policy = load_policy(path / POLICY_FILE if is_folder(path) else path)
        rate = kickoff_touch_rate(policy, args.kickoffs, args.seconds, args.seed)
    except RltuiError as error:
        return report(error)
    print(json.dumps({"kickoffs": rate.kickoffs, "touched": rate.touched, "share": rate.share, "error": rate.error}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
