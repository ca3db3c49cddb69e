"""Match: bots play as they were trained, score and touches are counted, every player keeps its own pace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, Weighted
from rltui.env.step import StepOut
from rltui.errors import RltuiError
from rltui.league.match import Match
from rltui.league.players import Player, PolicySide, ScriptedSide, Seat
from rltui.opponents.base import ScriptedPlayer
from rltui.opponents.scripted import ChaserPlayer, IdlePlayer, RandomPlayer
from rltui.policy.mlp import DiscretePolicy
from rltui.policy.saved import SavedPolicy, saved_game
from rltui.registry import Component
from rltui.sim.resets.base import Reset
from rltui.sim.state import ArenaSetup, Bool, GameState, Int
from tests.fakes.arenas import flat_setup
from tests.fakes.bots import write_bot
from tests.fakes.fixed_kickoff import FixedKickoff

STEPS = 120
PLAIN = {
    "skip": 8, "delay": 1, "table": "rlgym", "legality": "off", "sticky": 1, "obs": "default", "stack": 1, "more": "",
}  # fmt: skip
PROFILE = """\
schema = 1
tick_skip = {skip}
action_delay_ticks = {delay}
terminals = [{{kind = "timeout", seconds = 30}}]
[actions]
table = "{table}"
legality = "{legality}"
sticky = {sticky}
[obs]
kind = "{obs}"
stack = {stack}
{more}
[rewards]
touch = 1.0
"""


def bot(folder: Path, normalized: bool = False, **settings: object) -> SavedPolicy:
    """Of a profile with these settings."""
    folder.mkdir(exist_ok=True)
    profile = folder / "made.toml"
    profile.write_text(PROFILE.format(**PLAIN | settings), encoding="utf-8")
    return write_bot(folder / "bot", str(profile), normalized)


def side(policy: SavedPolicy, car: int) -> Player:
    return PolicySide(policy, Seat((1, 1), slice(car, car + 1), [car], deterministic=True))


def scripted(kind: type[ScriptedPlayer], car: int) -> Player:
    return ScriptedSide(kind(kind.Params()), Seat((1, 1), slice(car, car + 1), [car]))


def kickoff(seed: int) -> Reset:
    return FixedKickoff(FixedKickoff.Params(seed=seed))


def as_trained(policy: SavedPolicy, opponent: str, seed: int) -> tuple[SoccarBatch, StepOut]:
    """The environment that a trainer builds, at its first step."""
    game = saved_game(policy)
    spec = EnvSpec(
        1,
        1,
        game.obs,
        game.table,
        rewards=(Weighted(Component("touch"), 1.0),),
        resets=(Weighted(Component("tests.fakes.fixed_kickoff:FixedKickoff", {"seed": seed}), 1.0),),
        terminals=(Component("timeout", {"seconds": 300}),),
        opponent=Component(opponent),
    )
    env = SoccarBatch(spec.as_saved(game), 1, [0])
    shape = (1, env.learners)
    out = StepOut(
        np.zeros((*shape, env.obs_size), np.float32),
        np.zeros(shape, np.uint8),
        np.zeros(shape, np.float32),
        np.zeros(1, np.bool_),
        np.zeros(1, np.bool_),
    )
    env.reset(out)
    return env, out


def best(network: DiscretePolicy, out: StepOut) -> Int:
    """Car by car, as the match asks: another number of rows may round differently."""
    cars = out.obs.shape[1]
    return np.array([[network.best(out.obs[0, i : i + 1], out.legality[0, i : i + 1])[0] for i in range(cars)]])


SETTINGS: list[dict[str, object]] = [
    {},
    {"table": "hybrid", "legality": "mask", "obs": "advanced_plus"},
    {"legality": "fallback", "sticky": 3, "stack": 3},
    {"skip": 4, "delay": 4},
    {"skip": 6, "delay": 0, "normalized": True},
]
BODIES = ("position", "velocity", "ball_position", "boost", "is_holding_jump", "pad_timers")
EVENTS = ("touches", "touch_height", "pad_picked", "boost_gained", "previous_actions")


def test_bots_play_bit_for_bit_as_in_training(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for number, settings in enumerate(SETTINGS):
        with subtests.test(settings=settings):
            policy = bot(tmp_path / str(number), **settings)  # type: ignore[arg-type]
            env, out = as_trained(policy, "mirror", seed=3)
            network = policy.network(1)
            match = Match((side(policy, 0), side(policy, 1)), (1, 1), [0], reset=kickoff(3))
            for _ in range(STEPS):
                env.step(best(network, out), out)
                match.play(policy.tick_skip)
                for name in BODIES:
                    np.testing.assert_array_equal(getattr(match.state, name), getattr(env.state, name), err_msg=name)
            assert np.ptp(match.state.position) > 0


def test_a_player_sees_the_events_of_its_whole_step(tmp_path: Path) -> None:
    policy = bot(tmp_path)
    env, out = as_trained(policy, "chaser", seed=5)
    network = policy.network(1)
    match = Match((side(policy, 0), scripted(ChaserPlayer, 1)), (1, 1), [0], reset=kickoff(5))
    happened = dict.fromkeys(EVENTS, 0)
    for _ in range(STEPS):
        env.step(best(network, out), out)
        match.play(policy.tick_skip)
        if sum(match.score):
            break  # a kickoff at once; in training at the end of the step
        seen: GameState = match.batch.sides[0].view.state
        for name in EVENTS:
            np.testing.assert_array_equal(getattr(seen, name), getattr(env.state, name), err_msg=name)
            happened[name] += int((getattr(seen, name) > 0).any())
    assert all(happened.values())


class Spy(Player):
    """Chooses another row each time and remembers when."""

    def __init__(self, tick_skip: int, delay: int) -> None:
        self.tick_skip, self.delay = tick_skip, delay
        self.controls = np.zeros((1000, 8), np.float32)
        self.controls[:, 0] = np.arange(1, 1001) / 1000
        self.chosen_at: list[int] = []

    def begin(self, state: GameState, arenas: Bool) -> None:
        self.chosen_at.clear()

    def choose(self, state: GameState) -> Int:
        self.chosen_at.append(int(state.tick[0]))
        return np.array([[len(self.chosen_at) - 1]])


def test_every_player_keeps_its_own_pace(subtests: pytest.Subtests) -> None:
    for one, other in (((8, 1), (6, 0)), ((4, 4), (8, 3)), ((1, 0), (5, 5))):
        with subtests.test(one=one, other=other):
            spies = (Spy(*one), Spy(*other))
            match = Match(spies, (1, 1), [0])
            for tick in range(60):
                match.play(1)
                throttles = [car.controls[0] for car in match.moment().cars]
                for (skip, delay), throttle in zip((one, other), throttles, strict=True):
                    choices = (tick - delay) // skip + 1  # that were due before this tick
                    assert throttle == pytest.approx(max(choices, 0) / 1000)
            assert [spy.chosen_at for spy in spies] == [list(range(0, 60, skip)) for skip, _ in (one, other)]


class Shot(Reset):
    """The ball flies into the goal of orange, or of blue."""

    def __init__(self, direction: int) -> None:
        super().__init__(Reset.Params())
        self._direction = direction

    def sample(self, rng: np.random.Generator, blue: int, orange: int) -> ArenaSetup:
        setup = flat_setup([(3000.0, 0.0, 17.0), (-3000.0, 0.0, 17.0)], (0.0, 4000.0 * self._direction, 93.15))
        setup.ball_velocity[1] = 3000.0 * self._direction
        return setup


def test_goals_count_and_kickoffs_follow(subtests: pytest.Subtests) -> None:
    for direction, score in ((1, (2, 0)), (-1, (0, 2))):
        with subtests.test(direction=direction, score=score):
            match = Match((scripted(IdlePlayer, 0), scripted(IdlePlayer, 1)), (1, 1), [0], ("a", "b"), Shot(direction))
            assert (match.moment().score, match.moment().goal) == ((0, 0), 0)
            ticks = 0
            while sum(match.score) < 2:
                match.play(1)
                ticks += 1
            moment = match.moment()
            assert (moment.score, moment.goal, moment.tick, moment.names) == (score, direction, ticks, ("a", "b"))
            assert moment.ball_position == (0.0, 4000.0 * direction, pytest.approx(93.15))
            assert moment.trail == ()


def test_touches_are_counted_by_contact() -> None:
    match = Match((scripted(ChaserPlayer, 0), scripted(ChaserPlayer, 1)), (1, 1), [0])
    contacts: list[list[int]] = [[], []]
    for tick in range(1, 3000):
        match.play(1)
        for car in (0, 1):
            if match.state.touches[0, car]:
                contacts[car].append(tick)
    expected = [sum(at - before > 8 for before, at in zip([-99, *ticks], ticks, strict=False)) for ticks in contacts]
    assert [car.touches for car in match.moment().cars] == expected
    assert sum(map(len, contacts)) > sum(expected) > 3


def test_the_same_seed_is_the_same_match() -> None:
    def play(seed: int) -> object:
        match = Match((scripted(ChaserPlayer, 0), scripted(RandomPlayer, 1)), (1, 1), [seed])
        match.play(600)
        return match.moment()

    assert play(1) == play(1) != play(2)


def test_a_bot_of_other_team_sizes_is_told_which_fit(tmp_path: Path) -> None:
    with pytest.raises(RltuiError, match=r"in 3v3 the bot's observation has .* numbers, expected") as error:
        PolicySide(bot(tmp_path, more="zero_padding = 0"), Seat((3, 3), slice(0, 3), [0]))
    assert "trained in 1v1" in error.value.hint


def test_an_unreadable_game_is_no_crash(tmp_path: Path) -> None:
    for env in ("{}", "[]", "nonsense", '{"obs": 1, "table": 2}', '{"obs": {"kind": "default"}, "table": {}}'):
        with pytest.raises(RltuiError, match="key 'env'"):
            saved_game(replace(bot(tmp_path / str(hash(env))), env=env))
