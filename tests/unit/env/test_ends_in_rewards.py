"""Rewards come after the terminals: `state.ends` tells them which episodes end with the step, and why."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.registry import Component
from tests.fakes.batches import new_out, spec

OWN = """
import numpy as np
from rltui.rewards.base import Reward

class AtTheEnd(Reward):
    category, sign = "events", 0

    def value(self, state):
        paid = 3.0 * state.ends.terminated - 1.0 * state.ends.truncated
        return np.repeat(paid[:, None], state.cars, axis=1)
"""


def test_ends_are_known_and_an_arena_may_be_in_both(tmp_path: Path) -> None:
    """A goal in the last step: terminal wins in what learning sees, a reward is told both."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    env = SoccarBatch(
        spec(
            rewards=(Weighted(Component(f"{tmp_path / 'own.py'}:AtTheEnd"), 1.0),),
            terminals=(Component("goal"), Component("timeout", {"seconds": 1.0})),
        ),
        3,
        [0],
    )
    out = new_out(env)
    env.reset(out)
    paid = []
    for step in range(15):
        if step in (4, 14):
            arena = 0 if step == 4 else 1
            ball = env._sim._arenas[arena].arena.ball
            moved = ball.get_state()
            moved.pos.y = 5500.0
            ball.set_state(moved)
        env.step(np.full((3, 2), 8), out)
        paid.append(out.rewards[:, 0].tolist())
    assert [row for row in paid[:14] if any(row)] == [[3, 0, 0]]
    # arena 0 began anew a third of a second later; 1 scores as its time runs out, 2 only runs out of time
    assert paid[14] == [0, 2, -1]
    assert out.terminated.tolist() == [False, True, False] and out.truncated.tolist() == [False, False, True]
