"""MatchBatch: many games at once are each the game that it is, played whole or in pieces; what is counted is what training counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, Weighted
from rltui.env.step import StepOut
from rltui.league.match_batch import MatchBatch
from rltui.league.players import Player, PolicySide, ScriptedSide, Seat
from rltui.policy.saved import SavedPolicy
from rltui.registry import Component, build
from tests.fakes.bots import write_bot
from tests.fakes.fixed_kickoff import FixedKickoff

PROFILE = """\
schema = 1
tick_skip = {skip}
action_delay_ticks = {delay}
terminals = [{{kind = "timeout", seconds = 30}}]
rewards.touch = 1.0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bots")


def bot(folder: Path, skip: int = 8, delay: int = 1) -> SavedPolicy:
    profile = folder / f"{skip}-{delay}.toml"
    profile.write_text(PROFILE.format(skip=skip, delay=delay), encoding="utf-8")
    return write_bot(Path(f"{profile}.bot-{len(list(folder.iterdir()))}"), str(profile))


def seat(games: int, car: int, cars: int = 1) -> Seat:
    return Seat((cars, cars), slice(car * cars, car * cars + cars), [7, car], arenas=games)


def chaser(games: int, car: int, name: str = "chaser") -> Player:
    return ScriptedSide(build("player", Component(name)), seat(games, car))


def idle(games: int, car: int) -> Player:
    return chaser(games, car, "idle")


def played(batch: MatchBatch, ticks: int, piece: int = 1 << 30) -> bytes:
    """All that can be seen of the games at their end, played in pieces of so many ticks."""
    while batch.tick < ticks:
        batch.advance(min(piece, ticks - batch.tick))
    state = batch.state
    return b"".join(np.ascontiguousarray(array).tobytes() for array in (
        batch.score, state.position, state.velocity, state.ball_position, state.boost, state.pad_timers, state.tick,
    ))  # fmt: skip


def test_a_game_in_pieces_is_the_same_game(folder: Path, subtests: pytest.Subtests) -> None:
    for skip, delay in ((8, 1), (8, 8), (6, 0)):
        policy = bot(folder, skip, delay)
        games = []
        for piece in (1 << 30, 3, 1):
            players = (PolicySide(policy, seat(2, 0)), chaser(2, 1))
            games.append(played(MatchBatch(players, (1, 1), [[1], [2]]), 480, piece))
        with subtests.test(skip=skip, delay=delay):
            assert games[0] == games[1] == games[2]


def test_games_side_by_side_do_not_touch_each_other() -> None:
    """Goals come at different times and so do kickoffs; each game is the one that it is alone."""
    seeds = [[3], [4], [5]]
    together = MatchBatch((idle(3, 0), chaser(3, 1)), (1, 1), seeds)
    alone = [MatchBatch((idle(1, 0), chaser(1, 1)), (1, 1), [seed]) for seed in seeds]
    played(together, 2000)
    for batch in alone:
        played(batch, 2000)
    assert together.score.sum() > 0
    np.testing.assert_array_equal(together.score, np.concatenate([batch.score for batch in alone]))
    np.testing.assert_array_equal(together.state.position, np.concatenate([batch.state.position for batch in alone]))


def test_each_side_is_counted_by_itself() -> None:
    games = MatchBatch((chaser(1, 0), chaser(1, 1)), (1, 1), [[3]])
    while not games.score.any():
        games.advance(1 << 30)
    blue, orange = games.drain_stats()
    assert (blue.goals, blue.conceded) == (orange.conceded, orange.goals)
    assert blue.goals + orange.goals == 1
    assert blue.seconds == orange.seconds == games.tick / 120
    assert blue.kickoffs == orange.kickoffs == 1 and blue.kickoffs_touched == 1
    assert blue.touches > 0 and orange.touches > 0


def test_kickoffs_shots_and_goals_are_those_of_soccar_batch() -> None:
    spec = EnvSpec(
        1,
        1,
        Component("default"),
        Component("rlgym"),
        rewards=(Weighted(Component("touch"), 1.0),),
        resets=(Weighted(Component("tests.fakes.fixed_kickoff:FixedKickoff", {"seed": 9}), 1.0),),
        terminals=(Component("goal"),),
        opponent=Component("chaser"),
    )
    env = SoccarBatch(spec, 1, [9])
    out = StepOut.zeros(1, 1, env.obs_size)
    env.reset(out)
    games = MatchBatch((idle(1, 0), chaser(1, 1)), (1, 1), [[9]], FixedKickoff(FixedKickoff.Params(seed=9)))
    row = int(np.flatnonzero((env.controls == 0).all(axis=1))[0])
    for _ in range(900):
        env.step(np.full((1, 1), row), out)
        games.advance(8)
        np.testing.assert_array_equal(games.state.ball_position, env.state.ball_position)
    theirs, (ours, chasing) = env.drain_stats(), games.drain_stats()
    assert theirs.goals > 0, "the chaser's own"
    for name in ("goals", "conceded", "own_goals", "touches", "shots", "saves", "kickoffs_touched", "seconds"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert (chasing.conceded, chasing.own_goals) == (theirs.goals, theirs.goals)
    assert chasing.kickoffs_touched > theirs.kickoffs_touched == 0
