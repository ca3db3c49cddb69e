"""Which saved state is the best by reward, and which rewards do not count: against a slow twin, and by hand."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rltui.profile.load import load
from rltui.profile.resolved import reward_digest
from rltui.runs.best import best_of, is_best, reward_caveat
from rltui.runs.meta import Meta
from tests.fakes.saved_runs import make_meta


def state(commit: int, reward: float | None = 1.0, **more: object) -> Meta:
    return msgspec.structs.replace(make_meta("alpha", commit, 1000 * commit), mean_reward=reward, **more)


def test_which_rewards_count(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({}, ""),
        ({"entropy": None, "approx_kl": None}, ""),  # not known: nothing speaks against it
        ({"entropy": 0.5}, ""),
        ({"entropy": 0.49}, "hardly explored"),
        ({"entropy": 0.0}, "hardly explored"),
        ({"approx_kl": 0.03}, ""),  # one update above the usual is noise
        ({"approx_kl": 0.21}, "far above"),
        ({"approx_kl": math.nan}, "far above"),
        ({"reward_short": True, "reward_episodes": 300}, "short episodes"),
        ({"reward_episodes": 9}, "9 episodes only"),
        ({"reward_episodes": 10}, ""),
        ({"mean_reward": None}, "no reward"),
        ({"mean_reward": math.inf}, "no reward"),
    ]
    for more, reason in cases:
        with subtests.test(more=repr(more), reason=reason):
            found = reward_caveat(msgspec.structs.replace(state(1), **more))
            assert reason in found
            assert bool(found) is bool(reason)


def test_a_collapsed_bot_is_never_the_best() -> None:
    found = best_of([state(1, 3.0), state(2, 99.0, entropy=0.02), state(3, 2.0)])
    assert [(best.commit, best.reward, best.of) for best in found] == [(1, 3.0, 2)]
    assert is_best(found, state(2)) is None


def test_rewards_are_compared_only_where_the_same_was_paid_for() -> None:
    found = best_of([state(n, float(n), paid="a" if n < 4 else "b") for n in range(1, 7)])
    assert [(best.commit, best.of, best.now) for best in found] == [(3, 3, False), (6, 3, True)]
    phases = best_of([state(1, 9.0), state(2, 8.0), state(3, 1.0, phase=2), state(4, 2.0, phase=2)])
    assert [best.commit for best in phases] == [1, 4]


def test_one_alone_is_the_best_of_nothing_and_copies_are_one() -> None:
    assert best_of([]) == []
    assert best_of([state(1), state(1)]) == []  # a checkpoint, and the milestone of the same commit
    assert [best.commit for best in best_of([state(1), state(2)])] == [2]  # of equals the newer


STATES = st.lists(
    st.builds(
        lambda reward, entropy, short, paid: {
            "mean_reward": reward, "entropy": entropy, "reward_short": short, "paid": paid,
        },
        st.one_of(st.none(), st.integers(-3, 3).map(float)), st.sampled_from([None, 0.1, 2.0]), st.booleans(), st.sampled_from("ab"),
    ),
    max_size=12,
)  # fmt: skip


@given(STATES)
def test_as_a_slow_twin_finds_it(states: list[dict[str, object]]) -> None:
    metas = [msgspec.structs.replace(state(commit), **more) for commit, more in enumerate(states, 1)]
    for one in metas:
        rivals = [
            other
            for other in metas
            if other.paid == one.paid
            and other.mean_reward is not None
            and not other.reward_short
            and other.entropy != 0.1
        ]
        ahead = [r for r in rivals if one in rivals and (r.mean_reward, r.commit) > (one.mean_reward, one.commit)]
        assert (is_best(best_of(metas), one) is not None) is (one in rivals and not ahead and len(rivals) > 1)


def test_what_is_paid_is_told_apart_by_weights_and_not_by_the_rest() -> None:
    quick = load("quick")
    assert reward_digest(quick, {}) == reward_digest(load("quick", ["ppo.learning_rate=1e-5"]), {})
    others = [
        reward_digest(quick, {"touch": 3.0}),
        reward_digest(load("quick", ["rewards.touch=3.5"]), {}),
        reward_digest(load("quick", ["reward_options.team_spirit=0.3"]), {}),
    ]
    assert len({reward_digest(quick, {}), *others}) == 4
