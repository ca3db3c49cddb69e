"""Which saved state is the best by reward, and which checkpoints pruning keeps for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rltui.profile.load import load
from rltui.profile.resolved import reward_digest
from rltui.runs import saver as pruning
from rltui.runs.best import (
    PROTECTED_SETS,
    best_of,
    is_best,
    protected,
    read_ratings,
    reward_caveat,
    write_ratings,
)
from rltui.runs.inventory import list_checkpoints, read_inventory
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.saver import SaveJob, Saver, SaveResult, prune
from tests.fakes.saved_runs import make_files, make_meta, make_run, place, tree


def state(commit: int, reward: float | None = 1.0, **more: object) -> Meta:
    return msgspec.structs.replace(make_meta("alpha", commit, 1000 * commit), mean_reward=reward, **more)


def test_which_rewards_count(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({}, ""),
        ({"entropy": None, "approx_kl": None}, ""),  # not known: nothing speaks against it
        ({"entropy": 0.5}, ""),
        ({"entropy": 0.49}, "hardly explored"),
        ({"entropy": 0.0}, "hardly explored"),
        ({"entropy": 0.3, "policy": "discrete 4-64-2"}, ""),  # of two actions: their most is 0.69
        ({"approx_kl": 0.03}, ""),  # one update above the usual is noise
        ({"approx_kl": 0.21}, "far above"),
        ({"approx_kl": math.nan}, "far above"),
        ({"reward_short": True, "reward_episodes": 300}, "short episodes"),
        ({"reward_episodes": 9}, "only 9 episodes"),
        ({"reward_episodes": 10}, ""),
        ({"mean_reward": None}, "no episode had ended"),
        ({"mean_reward": math.inf}, "no episode had ended"),
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


DEAD = {"entropy": 0.01}


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    return make_run(DataDir(tmp_path), commits=0)


def put(paths: RunPaths, meta: Meta) -> Path:
    return place(paths.checkpoint(meta.timesteps), make_files(meta))


def left(paths: RunPaths) -> list[int | None]:
    return [info.commit for info in list_checkpoints(paths)]


def saved(paths: RunPaths, last: int, *metas: Meta) -> list[SaveResult]:
    """As a trainer saves them, one after the other."""
    results: list[SaveResult] = []
    saver = Saver(paths, last, results.append)
    for meta in metas:
        saver.submit(SaveJob("checkpoint", paths.checkpoint(meta.timesteps), meta.timesteps, files_of(meta)))
        assert saver.drain(10)
    assert saver.close(10)
    return results


def files_of(meta: Meta) -> Callable[[], dict[str, bytes]]:
    return lambda: make_files(meta)


def test_a_bot_that_died_leaves_its_best_behind(paths: RunPaths) -> None:
    rewards = [10.0, 30.0, 20.0, 25.0]
    metas = [state(n, reward) for n, reward in enumerate(rewards, 1)]
    metas += [state(n, 90.0 - n, **DEAD) for n in range(5, 30)]  # it dies, and is paid well for standing there
    saved(paths, 3, *metas)
    assert left(paths) == [2, 27, 28, 29]


def test_while_it_gets_better_nothing_more_is_kept(paths: RunPaths) -> None:
    results = saved(paths, 3, *(state(n, float(n)) for n in range(1, 10)))
    assert left(paths) == [7, 8, 9]
    assert [path.name for result in results for path in result.pruned] == [f"{n}000" for n in range(1, 7)]


def test_the_best_goes_once_a_better_one_is_there(paths: RunPaths) -> None:
    saved(paths, 2, state(1, 5.0), *(state(n, 1.0) for n in range(2, 6)))
    assert left(paths) == [1, 4, 5]
    saved(paths, 2, state(6, 7.0))
    assert left(paths) == [5, 6]


def test_after_a_change_of_rewards_the_best_from_before_it_stays(paths: RunPaths) -> None:
    """The change may have been what killed the bot."""
    saved(
        paths,
        2,
        state(1, 5.0, paid="a"),
        state(2, 1.0, paid="a"),
        *(state(n, 0.0, paid="b", **DEAD) for n in range(3, 9)),
    )
    assert left(paths) == [1, 7, 8]


def test_of_many_changes_only_the_newest_count(paths: RunPaths) -> None:
    saved(paths, 1, *(state(n, 1.0, paid=str(n)) for n in range(1, 10)))
    assert left(paths) == [8, 9]


def test_games_decide_before_rewards(paths: RunPaths) -> None:
    """What is newer than the newest rated one is judged by reward."""
    write_ratings(paths, {1000: 1100.0, 2000: 1250.0, 3000: 1200.0})
    saved(paths, 2, *(state(n, reward) for n, reward in enumerate([90.0, 10.0, 20.0, 50.0, 40.0, 5.0, 5.0], 1)))
    assert left(paths) == [2, 4, 6, 7]
    inventory = read_inventory(paths)
    assert inventory.best_rated == 2000
    assert [info.commit for info in inventory.checkpoints if info.protected] == [2, 4]


def test_ratings_that_cannot_be_read_are_none(paths: RunPaths) -> None:
    assert read_ratings(paths) == {}
    write_ratings(paths, {5: 1e3})
    assert read_ratings(paths) == {5: 1e3}
    for content in (b"", b"{}", b"[1]", b'{"x": 1}', b'{"5": "much"}', b'{"5": 1e999}', b"\xff", b'{"5": null}'):
        paths.ratings.write_bytes(content)
        assert read_ratings(paths) == {}


def test_what_is_being_evaluated_is_not_pruned(paths: RunPaths) -> None:
    for n in range(1, 6):
        put(paths, state(n, float(n)))
    prune(paths, 2, lambda: frozenset({1000}))
    assert left(paths) == [1, 4, 5]


def test_one_that_is_a_milestone_needs_no_second_copy(paths: RunPaths) -> None:
    good = state(1, 50.0)
    put(paths, good)
    place(paths.milestones / "Phase1-X" / "000.001M", make_files(good))
    saved(paths, 2, *(state(n, 1.0) for n in range(2, 6)))
    assert left(paths) == [4, 5]


def test_damaged_ones_are_neither_the_best_nor_touched(paths: RunPaths) -> None:
    broken = put(paths, state(1, 99.0))
    (broken / "policy.npz").write_bytes(b"cut")
    put(paths, state(2, 5.0))
    for n in range(3, 7):
        put(paths, state(n, 1.0))
    assert prune(paths, 2) == [paths.checkpoint(3000), paths.checkpoint(4000)]
    assert left(paths) == [1, 2, 5, 6]
    assert (broken / "policy.npz").read_bytes() == b"cut"


def test_the_spared_one_is_not_written_to_and_a_second_pruning_finds_nothing(paths: RunPaths) -> None:
    for n, reward in enumerate((9.0, 1.0, 1.0, 1.0), 1):
        put(paths, state(n, reward))
    before = tree(paths.checkpoint(1000))
    assert prune(paths, 1) == [paths.checkpoint(2000), paths.checkpoint(3000)]
    assert prune(paths, 1) == []
    assert tree(paths.checkpoint(1000)) == before


def test_a_full_disk_costs_no_good_bot(paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """F5: what cannot be written makes nothing go, and what cannot be moved keeps nothing else from going."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    metas = [state(n, reward) for n, reward in enumerate((9.0, 1.0, 1.0), 1)]
    saved(paths, 2, *metas)
    with monkeypatch.context() as no_room:
        no_room.setattr("rltui.runs.saver.write_checkpoint", full)
        (result,) = saved(paths, 2, state(4, 1.0))
        assert result.outcome == "failed" and left(paths) == [1, 2, 3]
    with monkeypatch.context() as no_room:
        no_room.setattr(pruning, "make_folder", full)
        assert saved(paths, 2, state(4, 1.0))[0].outcome == "saved"
        assert left(paths) == [1, 2, 3, 4]
    assert saved(paths, 2, state(5, 1.0))[0].outcome == "saved"
    assert left(paths) == [1, 4, 5]


def test_the_disk_holds_so_many_at_most(subtests: pytest.Subtests, paths: RunPaths) -> None:
    """While one is written there is one more; `rltui doctor` reckons with that."""
    for last in [1, 2, 5]:
        with subtests.test(last=last):
            paths = make_run(paths.data, f"last{last}", commits=0)
            most = 0
            for n, (reward, paid) in enumerate(story(last + 1), 1):
                saved(paths, last, state(n, reward, paid=paid))
                most = max(most, len(left(paths)))
            assert most == last + PROTECTED_SETS


def story(states: int) -> Iterator[tuple[float, str]]:
    """Three sets of rewards one after the other; under each the bot is at its best first."""
    for paid in "abc":
        yield from ((float(10 - n), paid) for n in range(states))


SAVED = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 5).map(float)), st.sampled_from([2.0, 0.01]), st.sampled_from("abc")),
    max_size=14,
)


@given(SAVED, st.sets(st.integers(1, 14)))
def test_spared_against_a_slow_twin(drawn: list[tuple[float | None, float, str]], copies: set[int]) -> None:
    metas = [state(n, reward, entropy=entropy, paid=paid) for n, (reward, entropy, paid) in enumerate(drawn, 1)]
    milestones = [meta for meta in metas if meta.commit in copies]
    healthy = [meta for meta in metas if not reward_caveat(meta)]
    last = metas[-1].paid if metas else ""
    bests = []
    for paid in {meta.paid for meta in healthy}:
        of_it = [meta for meta in healthy if meta.paid == paid]
        top = max(meta.mean_reward or 0.0 for meta in of_it)
        bests.append([meta for meta in of_it if meta.mean_reward == top][-1])
    bests.sort(key=lambda meta: (meta.paid == last, meta.commit))
    expected = {meta.commit for meta in bests[-PROTECTED_SETS:]} - copies
    assert protected(metas, milestones) == expected
