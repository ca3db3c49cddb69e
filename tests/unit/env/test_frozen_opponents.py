"""Frozen opponents: who plays in an episode and for how long, that each plays as it does elsewhere, what is learned from and counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.pipeline import PipelineOptions
from rltui.env.arena_groups import ArenaGroups
from rltui.env.from_profile import env_spec, sizes
from rltui.env.frozen_opponents import STAND_IN, LearnersGame, Loaded, OpponentSource
from rltui.env.saved_player import SavedPlayer
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import ArenaGroup, EnvSpec
from rltui.env.stats import total
from rltui.env.step import StepOut
from rltui.events.game_record import GameRecord
from rltui.opponents.base import ScriptedPlayer
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.profile.load import load
from rltui.profile.locate import SHIPPED
from rltui.registry import Component, build
from rltui.sim.state import GameState, Int, Seats
from tests.fakes.batches import spec
from tests.fakes.bots import write_bot

ARENAS, FROZEN, SKIP = 6, 4, 8
PROFILE = """\
schema = 1
rewards.touch = 1.0
terminals = [{kind = "goal"}, {kind = "timeout", seconds = 1.0}]
"""
OTHER_GAME = 'obs.stack = 2\nactions.table = "hybrid"\nactions.sticky = 2\n'


class Keeping(ScriptedPlayer):
    """Plays one row, and keeps where it was asked to."""

    def __init__(self) -> None:
        super().__init__(ScriptedPlayer.Params())
        self.asked: list[set[tuple[int, int]]] = []

    def rows(self) -> np.ndarray:
        return np.array([[0.5, 0.25, 0, 0, 0, 0, 0, 0]], np.float32)

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        arenas, cars = seats
        self.asked.append({*zip(arenas.tolist(), cars.tolist(), strict=True)})
        return np.zeros(len(arenas), np.int64)


def batch(changed: EnvSpec | None = None, frozen: int = FROZEN) -> tuple[SoccarBatch, StepOut]:
    env = SoccarBatch(changed or spec(), ARENAS, [3], frozen=frozen)
    out = StepOut.zeros(ARENAS, env.learners, env.obs_size)
    return env, out


def played(env: SoccarBatch, out: StepOut, steps: int, seed: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Who acted in each step, and in which arenas an episode ended with it; random actions of the learner."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        assert out.player is not None
        acted = out.player == 0
        env.step(rng.integers(0, env.action_spec.outputs, acted.shape), out)
        yield acted, out.terminated | out.truncated


def game(tmp_path: Path, text: str) -> tuple[EnvSpec, SavedPolicy]:
    path = tmp_path / f"p{len(text)}.toml"
    path.write_text(PROFILE + text, encoding="utf-8")
    return env_spec(load(str(path))), write_bot(tmp_path / f"b{len(text)}", str(path), normalized=True)


def test_without_opponents_it_is_mirror_play_bit_for_bit() -> None:
    (env, out), (plain, expected) = batch(), batch(frozen=0)
    env.reset(out)
    plain.reset(expected)
    for (acted, _), _ in zip(played(env, out, 40), played(plain, expected, 40), strict=True):
        assert acted.all()
        for name in ("obs", "rewards", "terminated", "truncated"):
            np.testing.assert_array_equal(getattr(out, name), getattr(expected, name))


def test_who_plays_is_drawn_for_each_episode_and_stays_to_its_end() -> None:
    env, out = batch()
    one, two = Keeping(), Keeping()
    env.reset(out)
    assert env.set_opponents({"one": one, "two": two}) == {}
    before, changed, sides, ended = np.ones((ARENAS, 2), np.bool_), 0, [], np.zeros(ARENAS, np.bool_)
    for acted, ends in played(env, out, 400):
        assert acted[: ARENAS - FROZEN].all()
        np.testing.assert_array_equal(acted[~ended], before[~ended])
        changed += int((acted != before).any(axis=1).sum())
        sides += np.argwhere(~acted[ended])[:, 1].tolist()
        before, ended = acted, ends.copy()
        opponents = {(arena, car) for arena, car in np.argwhere(~acted[ARENAS - FROZEN :]).tolist()}
        now = [player.asked.pop() if player.asked else set() for player in (one, two)]
        assert now[0] | now[1] == opponents and not now[0] & now[1]
        one.asked.clear()
        two.asked.clear()
        row = np.array([0.5, 0.25, 0, 0, 0, 0, 0, 0], np.float32)
        assert (env.state.previous_actions[~acted & ~ends[:, None]] == row).all()
    assert changed > 20 and 0.25 < np.mean(sides) < 0.75
    drained = env.drain_stats()
    assert sum(games.games for games in drained.against.values()) > 20
    assert set(drained.against) == {"one", "two"} and not env.drain_stats().against


def test_new_opponents_take_over_with_the_next_episodes_and_leave_running_ones_alone() -> None:
    env, out = batch()
    one, two = Keeping(), Keeping()
    env.set_opponents({"one": one})
    env.reset(out)
    list(played(env, out, 3))
    assert len(one.asked) == 3 and all(len(asked) == FROZEN for asked in one.asked)
    env.set_opponents({"two": two})
    running = np.ones(FROZEN, np.bool_)
    for _, ends in played(env, out, 120):
        old = {arena for arena, _ in one.asked.pop()} if one.asked else set()
        one.asked.clear()
        assert old == {*np.flatnonzero(running).tolist()}
        running &= ~ends[ARENAS - FROZEN :]
        if not running.any():
            break
    env.set_opponents({})
    *_, (acted, _) = played(env, out, 120)
    assert acted.all()


def silent(noise: GumbelBank) -> None:
    """Have those who draw with it choose what is most probable."""
    noise.next = lambda n, m: np.zeros((n, m), np.float32)


def check_against_twin(env: SoccarBatch, out: StepOut, policy: SavedPolicy) -> None:
    """The controls of the opponent's cars are those of a SavedPlayer that is shown the same states."""
    kept: list[np.ndarray] = []
    env.on_judged = lambda *_: kept.append(env.state.previous_actions.copy())
    env.reset(out)
    twin = SavedPlayer(policy, (env.state.blue, env.state.orange), ARENAS, [0], deterministic=True)
    begun, rng = np.ones(ARENAS, np.bool_), np.random.default_rng(1)
    for _ in range(60):
        twin.begin(env.state, begun)
        expected = twin.controls[twin.act(env.state, (slice(None), slice(None)))]
        assert out.player is not None
        acted = out.player == 0
        env.step(rng.integers(0, env.action_spec.outputs, acted.shape), out)
        assert (~acted).sum() == (env.state.orange * ARENAS if env._counted == ARENAS else FROZEN)
        np.testing.assert_array_equal(kept.pop()[~acted], expected[~acted])
        begun = out.terminated | out.truncated


def test_a_bot_of_the_same_game_and_one_of_another_play_as_they_do_by_themselves(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    run, same = game(tmp_path, "")
    _, other = game(tmp_path, OTHER_GAME)
    two = replace(run, orange=2, opponent=Component("checkpoints"))
    for name, policy, plays in (("same", same, run), ("other", other, run), ("same", same, two), ("other", other, two)):
        with subtests.test(name=name, orange=plays.orange):
            env, out = batch(plays)
            assert env.set_opponents({name: policy}) == {}
            [opponent] = env._frozen._numbered.values()
            assert (opponent.network is None) == (name == "other")
            silent(env._frozen._noise if opponent.player is None else opponent.player._noise)
            check_against_twin(env, out, policy)


def test_what_opponents_do_changes_nothing_that_is_counted_of_the_learner() -> None:
    env, out = batch()
    plain, expected = SoccarBatch(spec(), ARENAS - FROZEN, [3]), StepOut.zeros(ARENAS - FROZEN, 2, env.obs_size)
    env.set_opponents({"chaser": build("player", Component("chaser"))})
    env.reset(out)
    plain.reset(expected)
    for chosen in np.random.default_rng(2).integers(0, 90, (150, ARENAS, 2)):
        env.step(chosen, out)
        plain.step(chosen[: ARENAS - FROZEN], expected)
    ours, theirs = env.drain_stats(), plain.drain_stats()
    assert ours.against and replace(ours, against={}) == theirs


def test_where_orange_is_theirs_blue_is_counted_and_paid_as_against_a_scripted_player(
    subtests: pytest.Subtests,
) -> None:
    """Bit for bit, whatever stands in orange's actions; choices that legality replaces are blue's alone."""
    pipeline = PipelineOptions(legality="fallback")
    for name in ("idle", "chaser"):
        with subtests.test(name=name):
            scripted = SoccarBatch(spec(opponent=Component(name), pipeline=pipeline), ARENAS, [3])
            env, out = batch(spec(opponent=Component("checkpoints"), pipeline=pipeline))
            expected = StepOut.zeros(ARENAS, 1, env.obs_size)
            assert (scripted.learners, env.learners) == (1, 2)
            env.set_opponents({name: build("player", Component(name))})
            env.reset(out)
            scripted.reset(expected)
            for chosen in np.random.default_rng(2).integers(0, 90, (150, ARENAS, 2)):
                assert out.player is not None and (out.player == [0, 255]).all()
                env.step(chosen, out)
                scripted.step(chosen[:, :1], expected)
                np.testing.assert_array_equal(out.obs[:, :1], expected.obs)
                np.testing.assert_array_equal(out.rewards[:, :1], expected.rewards)
            ours, theirs = env.drain_stats(), scripted.drain_stats()
            assert theirs.fallbacks > 0 and theirs.episodes > 0
            assert ours.against[name].games == ours.episodes and replace(ours, against={}) == theirs


def test_orange_is_never_without_a_player() -> None:
    """Until the first opponent, and where none that is named can play, a scripted one does; each from the next episode on."""
    env, out = batch(spec(1, 2, opponent=Component("checkpoints")))
    env.reset(out)
    assert env.playing == [STAND_IN]
    one = Keeping()
    env.set_opponents({"one": one})
    while env.playing != ["one"]:
        [(acted, _)] = played(env, out, 1)
        assert (acted == [True, False, False]).all()
    assert all(len({car for _, car in asked}) == 2 for asked in one.asked)
    slow = SavedPolicy(
        (), np.zeros((0, 8), np.float32), "", "", tick_skip=4, action_delay_ticks=1, legality="off", env=""
    )
    assert "chooses every 4 ticks" in env.set_opponents({"slow": slow})["slow"]
    while env.playing != [STAND_IN]:
        [(acted, _)] = played(env, out, 1)
        assert (acted == [True, False, False]).all()


def test_practice_arenas_have_the_same_opponents_in_orange() -> None:
    practice = ArenaGroup("mechanics", 0.5, spec().rewards, spec().resets, spec().terminals)
    groups = ArenaGroups(spec(1, 2, opponent=Component("checkpoints"), mechanics=practice), 4, [1])
    assert groups.set_opponents([OpponentSource("idle")]) == {}
    groups.reset(out := StepOut.zeros(4, groups.learners, groups.obs_size))
    assert groups.playing() == {"idle"} and out.player is not None and (out.player == [0, 255, 255]).all()


def test_goals_of_an_episode_are_those_of_the_learners_side() -> None:
    env, out = batch(spec(terminals=(Component("timeout", {"seconds": 0.5}),)))
    env.set_opponents({"idle": build("player", Component("idle"))})
    env.reset(out)
    frozen = env._frozen
    learner_blue = frozen.player[-FROZEN:, 0] == 0
    simulate = env._sim.read

    def read() -> None:  # the ball lies in orange's goal for two steps
        simulate()
        env.state.goal[:] = env.state.tick < 4 * SKIP

    env._sim.read = read
    while not frozen._against:
        env.step(np.zeros((ARENAS, 2), np.int64), out)
    blue = int(learner_blue.sum())
    games = frozen.drain()["idle"]
    assert games == GameRecord(blue, 0, FROZEN - blue, blue, FROZEN - blue)
    assert games.score == blue / FROZEN


def test_who_cannot_play_here_is_refused_with_the_reason_and_the_others_play(tmp_path: Path) -> None:
    run, same = game(tmp_path, "")
    _, slow = game(tmp_path, "action_delay_ticks = 0\n#\n")
    slower = replace(slow, tick_skip=4)
    groups = ArenaGroups(replace(run, frozen_share=0.5), 4, [1])
    files = {name: tmp_path / f"{name}.npz" for name in ("good", "flipped", "gone")}
    data = (tmp_path / "b0" / "policy.npz").read_bytes()
    files["good"].write_bytes(data)
    files["flipped"].write_bytes(data[:5000] + bytes([data[5000] ^ 1]) + data[5001:])
    sources = [OpponentSource(name, str(path)) for name, path in files.items()]
    refused = groups.set_opponents([*sources, OpponentSource("nobody")])
    assert set(refused) == {"flipped", "gone", "nobody"} and all(refused.values())
    [env] = groups.batches()
    players: dict[str, Loaded] = {"slower": slower, "good": same}
    assert "chooses every 4 ticks" in env.set_opponents(players)["slower"]


def test_games_against_the_same_one_are_added_up() -> None:
    env, out = batch()
    env.reset(out)
    stats = env.drain_stats()
    one = replace(stats, against={"a": GameRecord(1, 2, 3, 4, 5), "b": GameRecord(1)})
    two = replace(stats, against={"a": GameRecord(10, 20, 30, 40, 50)})
    assert total([one, two]).against == {"a": GameRecord(11, 22, 33, 44, 55), "b": GameRecord(1)}


def test_a_saved_state_of_any_shipped_profile_is_of_its_own_game(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """What a file says of observation, table and pipeline is what the profile says, so that nothing is worked out twice."""
    for name in sorted(SHIPPED - {"cartpole"}):  # which is not of our game
        with subtests.test(name=name):
            run = env_spec(load(name))
            size = sizes(run)
            policy = write_bot(tmp_path / name, name, normalized=True)
            own = LearnersGame(run, size.table_hash, size.obs, 0)
            assert own.plays(load_policy(tmp_path / name / "policy.npz"))
            assert not own.plays(replace(policy, table_hash="another"))
            assert not LearnersGame(replace(run, obs_stack=3), size.table_hash, size.obs, 0).plays(policy)
