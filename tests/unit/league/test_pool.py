"""The opponent pool: who is in it, how strong they are by their games, who is drawn, who leaves it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.env.frozen_opponents import OpponentSource
from rltui.events.game_record import GameRecord
from rltui.league.pool import MEMORY, SPARED, OpponentPool, RatedOpponent, Strategy, saved_opponents
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.paths import DataDir
from tests.fakes.saved_runs import save, save_milestone


def sources(count: int, first: int = 0) -> dict[int, OpponentSource]:
    """By timesteps."""
    return {n * 1_000_000: OpponentSource(f"P/{n:03}M", f"/x/{n}/{POLICY_FILE}") for n in range(first, count)}


def pool(count: int = 5, strategy: Strategy = "uniform", scripted: tuple[str, ...] = ()) -> OpponentPool:
    made = OpponentPool(strategy, scripted=scripted)
    assert made.refresh(sources(count)) == []
    return made


def beaten(made: OpponentPool, name: str, wins: int, losses: int) -> None:
    made.played({name: GameRecord(wins=wins, losses=losses)})


def test_strength_is_by_the_games_and_two_draws() -> None:
    one = RatedOpponent(OpponentSource("a", "x"))
    assert (one.expected, one.elo) == (0.5, 0.0)
    one.add(GameRecord(wins=10, draws=4, losses=2))
    assert one.expected == (12 + 1) / (16 + 2)
    assert one.elo == pytest.approx(-400 * np.log10(13 / 5))
    for _ in range(50):
        one.add(GameRecord(losses=10))
    assert one.games == MEMORY and one.expected < 0.02 and np.isfinite(one.elo)


def test_those_are_drawn_whom_the_strategy_wants(subtests: pytest.Subtests) -> None:
    """Of five, 0 is the oldest; 1 always loses, 2 always wins, 3 is even."""
    weights = {}
    for strategy in ("uniform", "elo_weighted", "recent_weighted", "difficulty_adjusted", "prioritized"):
        made = pool(5, strategy)
        for name, games in (("P/001M", (60, 2)), ("P/002M", (2, 60)), ("P/003M", (30, 30))):
            beaten(made, name, *games)
        weights[strategy] = made.weights(list(made.opponents.values()))
        with subtests.test(strategy=strategy):
            assert weights[strategy].shape == (5,) and (weights[strategy] > 0).all()
    assert len({*weights["uniform"]}) == 1
    _, weak, strong, even, _ = weights["elo_weighted"]
    assert weak == pytest.approx(strong) and weak < even / 3
    delta = 400 * np.log10(61 / 3)
    assert weak == pytest.approx(np.exp(-delta / 200))
    assert weights["recent_weighted"].tolist() == [1, 2, 3, 4, 5]
    _, weak, strong, even, _ = weights["difficulty_adjusted"]
    assert even == 1 and weak == pytest.approx(np.exp(-(61 / 64 - 0.5) / 0.5)) == pytest.approx(strong)
    _, weak, strong, even, _ = weights["prioritized"]
    assert strong > even > weak
    assert weak == pytest.approx((3 / 64) ** 2)


def test_whoever_is_far_beyond_the_window_can_still_be_drawn() -> None:
    made = pool(3)
    made.strategy, made.window = "elo_weighted", 0.5
    for name in [*made.opponents]:
        beaten(made, name, 0, 100)
    assert len(made.draw(2, np.random.default_rng(0))) == 2
    assert [each.share for each in made.standings(9)] == pytest.approx([1 / 3] * 3)


def test_draws_are_as_frequent_as_the_weights_and_different_ones() -> None:
    made, rng = pool(4, "recent_weighted"), np.random.default_rng(0)
    singles = [made.draw(1, rng)[0].name for _ in range(2000)]
    shares = [singles.count(f"P/{index:03}M") / 2000 for index in range(4)]
    np.testing.assert_allclose(shares, [0.1, 0.2, 0.3, 0.4], atol=0.04)
    assert all(len(set(made.draw(2, rng))) == 2 for _ in range(50))
    assert len(made.draw(9, rng)) == 4 and OpponentPool().draw(2, rng) == ()


def test_much_weaker_ones_leave_but_never_the_last_few_nor_scripted_ones_and_do_not_come_back() -> None:
    made = pool(6, scripted=("idle",))
    for name in [*made.opponents]:
        beaten(made, name, 80, 0)
    notices = made.refresh(sources(6))
    assert len(notices) == 6 - SPARED and all(
        "the bot scores " in notice and " episodes" in notice for notice in notices
    )
    assert [*made.opponents] == ["idle", *(f"P/{index:03}M" for index in range(6 - SPARED, 6))]
    made.refresh(sources(7))
    assert "P/000M" not in made.opponents and "P/006M" in made.opponents
    more = pool(6)
    for name in [*more.opponents]:
        beaten(more, name, 80, 0)
    more.play_in((1, 2))
    assert more.refresh(sources(6)) == []  # of two against one it says nothing
    more.play_in((2, 2))
    assert more.refresh(sources(6)) == [] and not more.state().results
    few = pool(6)
    beaten(few, "P/000M", 10, 0)
    assert few.refresh(sources(6)) == []  # too few games say so


def test_who_is_damaged_leaves_for_good_with_a_notice_and_who_is_gone_without_a_word(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    for commit in (1, 2, 3):
        save(paths, commit, commit * 1000)
    made, found = OpponentPool(), saved_opponents(paths, checkpoints=True)
    assert made.refresh(found) == []
    Path(found[1000].path).unlink()  # of a folder that is left
    Path(found[2000].path).write_bytes(b"nothing")
    [notice] = made.refresh(saved_opponents(paths, checkpoints=True))
    assert notice.startswith("opponent 2,000 leaves the pool: ") and POLICY_FILE in notice
    assert [*made.opponents] == ["3,000"] and made.left == {"2,000"}
    made.refresh(found)
    assert [*made.opponents] == ["3,000", "1,000"]
    made.played({"2,000": GameRecord(1)})  # a late result of one that has left


def test_results_and_who_has_left_are_kept_over_a_resume() -> None:
    made = pool(6, scripted=("chaser",))
    made.play_in((1, 1))
    beaten(made, "chaser", 3, 1)
    beaten(made, "P/004M", 2, 6)
    beaten(made, "P/000M", 80, 0)
    assert len(made.refresh(sources(6))) == 1
    again = OpponentPool("uniform", scripted=("chaser", "rule"), earlier=made.state())
    assert again.state() == made.state()  # before the first look
    others = OpponentPool(earlier=made.state())
    others.play_in((2, 2))  # of a task that comes before the first look
    assert not others.state().results and others.state().left == ["P/000M"]
    assert again.refresh(sources(7)) == []
    assert (again.opponents["P/004M"].wins, again.opponents["P/004M"].games) == (2, 8)
    assert (again.opponents["chaser"].wins, again.opponents["chaser"].games) == (3, 4)
    assert "P/000M" not in again.opponents and again.opponents["P/006M"].games == 0
    assert again.state() == made.state()


def test_the_saved_ones_are_the_runs_whole_milestones_and_checkpoints_if_asked(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    assert saved_opponents(paths, checkpoints=True) == {}
    for commit, label in ((4, "004M"), (2, "002M"), (3, "003M")):
        save_milestone(paths, commit, commit * 1_000_000, label)
    save(paths, 4, 4_000_000)
    save(paths, 5, 5_000_000)
    (paths.milestones / "Phase1-BallTouching" / "003M" / POLICY_FILE).unlink()
    found = saved_opponents(paths, checkpoints=False)
    assert [*found] == [2_000_000, 4_000_000]
    assert [source.name for source in found.values()] == ["Phase1-BallTouching/002M", "Phase1-BallTouching/004M"]
    assert all(Path(source.path).is_file() for source in found.values())
    assert [source.name for source in saved_opponents(paths, checkpoints=True).values()][2:] == ["5,000,000"]


def test_standings_are_the_chances_of_a_draw_and_the_games_that_count() -> None:
    made = pool(3, "prioritized", ("chaser",))
    beaten(made, "P/000M", 18, 2)
    beaten(made, "chaser", 2, 18)
    found = made.standings(10)
    assert [each.name for each in found] == ["chaser", "P/001M", "P/002M", "P/000M"]
    assert sum(each.share for each in found) == pytest.approx(1.0)
    assert [(each.games, each.score) for each in found] == [(20, 0.1), (0, None), (0, None), (20, 0.9)]
    weights = np.array([(1 - 3 / 22) ** 2, 0.25, 0.25, (1 - 19 / 22) ** 2])
    assert [each.share for each in found] == pytest.approx((weights / weights.sum()).tolist())
    assert [each.name for each in made.standings(1)] == ["chaser"]
    assert OpponentPool().standings(10) == []


def test_near_clones_share_one_chance_and_are_shown_as_such() -> None:
    made = pool(5)
    near = {1_000_000: {0: 0.03}, 2_000_000: {0: 0.04, 1_000_000: 0.01}, 9_000_000: {0: 0.001}}
    assert made.refresh(sources(5), near) == []
    weights = made.weights(list(made.opponents.values()))
    assert weights.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 1])
    shown = {each.name: each.near for each in made.standings(9)}
    assert shown == {
        "P/000M": ("P/001M", 0.03),
        "P/001M": ("P/002M", 0.01),
        "P/002M": ("P/001M", 0.01),
        "P/003M": None,
        "P/004M": None,
    }
    made.drop("P/001M", "why")
    assert made.weights(list(made.opponents.values())).tolist() == pytest.approx([1 / 2, 1 / 2, 1, 1])
    assert {each.name: each.near for each in made.standings(9)}["P/000M"] == ("P/002M", 0.04)
