"""A worker's match and practice arena groups: what one sees of them is what the two would give alone."""

from __future__ import annotations

import numpy as np
import pytest

from rltui.env.arena_groups import MATCH, ArenaGroups, practice_arenas
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import ArenaGroup, Weighted
from rltui.registry import Component
from tests.fakes.batches import new_out, spec

PRACTICE = ArenaGroup(
    "mechanics",
    0.5,
    rewards=(Weighted(Component("touch"), 3.0),),
    resets=(Weighted(Component("random"), 1.0),),
    terminals=(Component("timeout", {"seconds": 0.5}),),
)


def test_without_practice_there_is_one_lane_and_it_is_the_plain_batch() -> None:
    groups, plain = ArenaGroups(spec(), 3, [7]), SoccarBatch(spec(), 3, [7])
    out, expected = new_out(groups), new_out(plain)
    groups.reset(out)
    plain.reset(expected)
    actions = np.random.default_rng(0).integers(0, 90, (40, 3, 2))
    for chosen in actions:
        groups.step(chosen, out)
        plain.step(chosen, expected)
        np.testing.assert_array_equal(out.obs, expected.obs)
        np.testing.assert_array_equal(out.rewards, expected.rewards)
    assert list(groups.drain_stats()) == [MATCH]


def test_lanes_are_their_two_batches_side_by_side() -> None:
    both = spec(mechanics=PRACTICE)
    groups = ArenaGroups(both, 4, [7])
    match, practice = SoccarBatch(spec(), 2, [7]), SoccarBatch(both.for_group(PRACTICE), 2, [7, 1])
    out, first, second = new_out(groups), new_out(match), new_out(practice)
    groups.reset(out)
    match.reset(first)
    practice.reset(second)
    cut = []
    for chosen in np.random.default_rng(1).integers(0, 90, (80, 4, 2)):
        finals = groups.step(chosen, out)
        ends = match.step(chosen[:2], first), practice.step(chosen[2:], second)
        for name in ("obs", "rewards", "terminated", "truncated"):
            expected = np.concatenate([getattr(first, name), getattr(second, name)])
            np.testing.assert_array_equal(getattr(out, name), expected, err_msg=name)
        np.testing.assert_array_equal(finals.arenas, np.concatenate([ends[0].arenas, ends[1].arenas + 2]))
        np.testing.assert_array_equal(finals.obs, np.concatenate([ends[0].obs, ends[1].obs]))
        cut += finals.arenas.tolist()
    assert {2, 3} <= set(cut)
    stats = groups.drain_stats()
    assert stats["mechanics"].episodes == 2 * (80 // 8)  # half a second is 7.5 steps: cut at the eighth
    assert list(stats[MATCH].rewards) != list(stats["mechanics"].rewards) == ["touch"]


def test_timings_are_of_all_arena_groups() -> None:
    groups = ArenaGroups(spec(mechanics=PRACTICE), 2, [7])
    out = new_out(groups)
    groups.reset(out)
    groups.step(np.zeros((2, 2), np.int64), out)
    assert all(seconds >= 0 for seconds in groups.take_timings().values())
    assert set(groups.take_timings().values()) == {0.0}


def test_arenas_that_practise(subtests: pytest.Subtests) -> None:
    for share, arenas, expected in ((0.2, 32, 6), (0.2, 2, 1), (0.01, 32, 1), (0.9, 4, 3), (0.5, 1, 0)):
        with subtests.test(share=share, arenas=arenas, expected=expected):
            assert practice_arenas(share, arenas) == expected
