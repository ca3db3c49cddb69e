"""Arena groups: what one sees of them is what they would give alone, and what they take over while they play."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from rltui.env.arena_groups import MATCH, ArenaGroups, practice_arenas
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import ArenaGroup, Weighted
from rltui.env.step import StepOut
from rltui.registry import Component
from rltui.train.collect.debug_output import ActorDebug, Line, LineLimit
from tests.fakes.batches import new_out, spec

PRACTICE = ArenaGroup(
    "mechanics",
    0.5,
    rewards=(Weighted(Component("touch"), 3.0),),
    resets=(Weighted(Component("random"), 1.0),),
    terminals=(Component("timeout", {"seconds": 0.5}),),
)


def test_without_practice_there_is_one_group_and_it_is_the_plain_batch() -> None:
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


def test_arena_groups_are_their_two_batches_side_by_side() -> None:
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


def test_parts_are_batches_that_step_by_themselves_and_name_their_arenas_by_the_workers_numbers() -> None:
    """Two parts of three arenas, each with one that practises; stepped in any order."""
    both, cursor = spec(mechanics=PRACTICE), np.zeros(1, np.int64)
    groups = ArenaGroups(both, 6, [7], cursor, parts=2)
    assert groups.parts == [slice(0, 3), slice(3, 6)]
    kinds = [
        (spec(), 1, [7]),
        (both.for_group(PRACTICE), 2, [7, 1]),
        (spec(), 1, [7, 2]),
        (both.for_group(PRACTICE), 2, [7, 3]),
    ]
    plain = [SoccarBatch(*kind) for kind in kinds]
    out, expected = new_out(groups), [new_out(batch) for batch in plain]
    groups.reset(out)
    for batch, own in zip(plain, expected, strict=True):
        batch.reset(own)
    episodes = 0
    for chosen in np.random.default_rng(2).integers(0, 90, (40, 6, 2)):
        for part in (1, 0):
            arenas = groups.parts[part]
            seen = StepOut(**{item.name: getattr(out, item.name)[arenas] for item in fields(StepOut)})
            finals = groups.step(chosen[arenas], seen, part)
            assert cursor[0] == arenas.stop - 1
            pair = slice(2 * part, 2 * part + 2)
            ends = [
                batch.step(chosen[arenas][rows], own)
                for batch, own, rows in zip(plain[pair], expected[pair], (slice(0, 1), slice(1, 3)), strict=True)
            ]
            for name in ("obs", "rewards", "terminated", "truncated"):
                wanted = np.concatenate([getattr(own, name) for own in expected[pair]])
                np.testing.assert_array_equal(getattr(seen, name), wanted, err_msg=name)
            np.testing.assert_array_equal(finals.arenas, np.concatenate([ends[0].arenas, ends[1].arenas + 1]))
            episodes += int((seen.terminated | seen.truncated)[1:].sum())
    assert groups.drain_stats()["mechanics"].episodes == episodes > 0


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


PLAYING_PRACTICE = ArenaGroup(
    "mechanics",
    0.5,
    rewards=(Weighted(Component("speed_toward_ball"), 3.0),),
    resets=(Weighted(Component("random"), 1.0),),
    terminals=(Component("timeout", {"seconds": 0.5}),),
)


def steps(count: int, arenas: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 90, (count, arenas, 2))


def test_a_weight_by_hand_is_that_weight_in_the_spec_and_can_be_taken_back() -> None:
    heavy = spec(rewards=(Weighted(Component("speed_toward_ball"), 7.0), Weighted(Component("touch"), 1.0)))
    plain = spec(rewards=(Weighted(Component("speed_toward_ball"), 0.1), Weighted(Component("touch"), 1.0)))
    one, two, three = ArenaGroups(plain, 2, [7]), ArenaGroups(heavy, 2, [7]), ArenaGroups(plain, 2, [7])
    outs = [new_out(groups) for groups in (one, two, three)]
    for groups, out in zip((one, two, three), outs, strict=True):
        groups.reset(out)
        groups.set_timesteps(0)
    one.set_weights({"speed_toward_ball": 7.0})
    for index, chosen in enumerate(steps(20, 2)):
        if index == 5:
            one.set_timesteps(0)
        if index == 12:
            one.set_weights({})
            one.set_timesteps(0)
        for groups, out in zip((one, two, three), outs, strict=True):
            groups.step(chosen, out)
        same_as = outs[1] if 5 <= index < 12 else outs[2]
        np.testing.assert_array_equal(outs[0].rewards, same_as.rewards)
    assert not np.array_equal(outs[1].rewards, outs[2].rewards)


def test_a_lane_with_rewards_of_its_own_has_its_own_weight() -> None:
    groups = ArenaGroups(spec(mechanics=PLAYING_PRACTICE), 4, [7])
    groups.set_weights({"speed_toward_ball": 2.0, "mechanics/speed_toward_ball": 5.0})
    match, practice = groups.batches()
    assert (dict(match.weights), dict(practice.weights)) == ({"speed_toward_ball": 2.0}, {"speed_toward_ball": 5.0})


def upside_down(groups: ArenaGroups) -> int:
    return sum(int((state.up[..., 2] < -0.2).sum()) for state in groups.states())


def test_episodes_begin_on_the_roof_in_every_lane_and_as_before_again() -> None:
    kickoffs = (Weighted(Component("kickoff"), 1.0),)
    groups = ArenaGroups(spec(mechanics=replace(PLAYING_PRACTICE, resets=kickoffs), resets=kickoffs), 4, [7])
    out = new_out(groups)
    groups.reset(out)
    assert upside_down(groups) == 0
    groups.force_reset("turtled")
    assert upside_down(groups) == 0, "running episodes go on as they are"
    groups.reset(out)
    assert upside_down(groups) == 8
    groups.force_reset("")
    groups.reset(out)
    assert upside_down(groups) == 0


def debug(groups: ArenaGroups, *flags: str) -> tuple[ActorDebug, list[Line]]:
    said: list[Line] = []
    return ActorDebug(groups, flags, LineLimit(), said.extend), said


def play(groups: ArenaGroups, spoken: ActorDebug, count: int) -> None:
    out, log_probs = new_out(groups), np.full(groups.arenas * 2, np.log(0.5), np.float32)
    spoken.began()
    for t, chosen in enumerate(steps(count, groups.arenas)):
        groups.step(chosen, out)
        spoken.stepped(t, chosen.ravel(), log_probs)


def test_new_episodes_are_spelled_out_and_probed_after_their_first_step() -> None:
    groups = ArenaGroups(spec(), 2, [7])
    spoken, said = debug(groups, "global_debug_mode", "debug_turtled_start")
    groups.force_reset("turtled")
    groups.reset(new_out(groups))
    begun = len(said)
    assert sum("turtled True" in text for _, text in said) == 4
    assert said[-1] == ("debug_turtled_start", "new episodes that begin on the roof: 2, in arena 0, 1")
    play(groups, spoken, 1)
    probes = [text for flag, text in said[begun:] if flag == "global_debug_mode"]
    assert len(probes) == 4
    assert all(text.startswith("turtle probe, arena") for text in probes)
    assert said[-1][1].startswith("turtle probe after the first step: ")
    assert said[-1][1].endswith("of 4 cars lie on their roof")
    spoken.close()
    heard = len(said)
    groups.reset(new_out(groups))
    assert len(said) == heard


def test_an_action_is_told_before_and_after_the_pipeline() -> None:
    groups = ArenaGroups(spec(), 1, [7])
    groups.reset(new_out(groups))
    spoken, said = debug(groups, "debug_actions")
    play(groups, spoken, 6)
    assert len(said) == 4, "a few in a row"
    row = int(steps(6, 1)[0, 0, 0])
    controls = ", ".join(f"{value:g}" for value in groups.batches()[0].controls[row])
    assert said[0] == ("debug_actions", f"step 0: row {row} = ({controls}), probability 0.500, played so")
    spoken.finished(np.array([[row, row]]))
    turns = bool(groups.batches()[0].controls[row][[1, 3]].any())
    assert said[-1][1].startswith(f"{2 * turns} of 2 chosen actions turn")


@pytest.mark.parametrize("flag", ["debug_learning", "debug_checkpoints"])
def test_with_any_flag_what_cannot_be_is_flagged(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ArenaGroups(spec(), 1, [7])
    _, said = debug(groups, flag)
    groups.reset(new_out(groups))
    assert said == []
    monkeypatch.setattr("rltui.field.GOAL_POST_X", 0.0)
    monkeypatch.setattr("rltui.checks.resets.field.SIDE_WALL_X", 1.0)
    groups.reset(new_out(groups))
    assert any("IMPOSSIBLE: inside a side wall" in text for _, text in said)
    assert {name for name, _ in said} == {flag}
