"""How many arenas still play the episode that they began with: until none does, only short episodes can have ended."""

from __future__ import annotations

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.registry import Component
from tests.fakes.batches import new_out, spec

IDLE = 8


def test_first_episodes_are_counted_until_the_longest_has_ended() -> None:
    """Arena 0 is made to have lasted longer than the others: its first episode ends first, by the timeout of 2 s."""
    env = SoccarBatch(spec(terminals=(Component("timeout", {"seconds": 2.0}),)), 3, [1])
    out = new_out(env)
    env.reset(out)
    env.state.tick[0] += 120
    counted = []
    for _ in range(30 + 30):
        env.step(np.full((3, env.learners), IDLE), out)
        stats = env.drain_stats()
        counted.append((stats.first_episodes, stats.arenas))
    assert counted[:14] == [(3, 3)] * 14  # 14 steps of 8 ticks are 112, 120 wanted
    assert counted[14:29] == [(2, 3)] * 15
    assert counted[29:] == [(0, 3)] * 31, "later episodes are nobody's first"
