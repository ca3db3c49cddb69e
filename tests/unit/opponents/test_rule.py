"""RulePlayer: each behaviour in a scene by hand, blind to team, one car at a time as many; and against the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rltui.field import BIG_PADS, CONTROLS, PAD_POSITIONS, THROTTLE
from rltui.league.match_batch import MatchBatch
from rltui.league.players import Player, ScriptedSide, Seat
from rltui.opponents import rule
from rltui.opponents.own_view import OwnView
from rltui.opponents.rule import RulePlayer
from rltui.registry import Component, build
from rltui.sim.state import GameState
from tests.fakes.field_scenes import Ball, Blue, scene, seen
from tests.fakes.game_states import counterparts, random_state, turned

BLUE = np.s_[:, :1]
PLAYER = RulePlayer(RulePlayer.Params(error=0.0))
ROWS = PLAYER.rows()
GROUND = 93.15
BIG_RIGHT = 18  # the big pad at x 3584, y 0
NO_PADS: tuple[int, ...] = ()
SECONDS, GAMES = 300, 100


def pressed(state: GameState) -> dict[str, float]:
    """Controls of the first blue car."""
    row = PLAYER.act(state, BLUE, np.random.default_rng(0)).item()
    return dict(zip(CONTROLS, ROWS[row].tolist(), strict=True))


def meeting(ball: Ball, blue: Blue) -> rule.Meeting:
    return rule.meet(OwnView(seen(ball, blue), BLUE))


def plan(ball: Ball, *blues: Blue, pads: tuple[int, ...] = NO_PADS) -> tuple[complex, float]:
    """Target and speed of the first blue car."""
    state = seen(ball, *blues, pads=pads)
    view = OwnView(state, BLUE)
    found = rule.planned(view, rule.meet(view), rule.places_in_queue(state)[BLUE])
    return complex(found.target.item()), float(np.broadcast_to(found.speed, (1, 1)).item())


def test_at_a_kickoff_it_boosts_straight_at_the_ball() -> None:
    for place in ((-2048.0, -2560.0), (256.0, -3840.0), (0.0, -4608.0)):
        yaw = float(np.angle(-complex(*place)))
        found = pressed(seen(Ball(), Blue(place, yaw=yaw, boost=33)))
        assert (found["throttle"], found["boost"], found["steer"]) == (1, 1, 0)
        askew = pressed(seen(Ball(), Blue(place, yaw=yaw - 0.3, boost=33)))
        assert askew["steer"] > 0.5, "the ball is on the right"


def test_it_meets_a_ball_where_it_will_be() -> None:
    still = meeting(Ball((0, 1000, GROUND)), Blue((0, -1000), 1400, boost=0))
    assert still.place.item() == 1000j
    assert 1.2 < still.after.item() < 1.8
    away = meeting(Ball((0, 1000, GROUND), (0, 900, 0)), Blue((0, -1000), 1400, boost=0))
    assert away.place.imag.item() > 2000
    assert away.after.item() > still.after.item()
    boosted = meeting(Ball((0, 1000, GROUND), (0, 900, 0)), Blue((0, -1000), 1400, boost=100))
    assert boosted.after.item() < away.after.item()


def test_it_waits_for_a_high_ball_to_come_down() -> None:
    high = meeting(Ball((0, 500, 1500)), Blue((0, -500), 1000))
    assert high.early.item()
    assert high.after.item() == pytest.approx(2.0, abs=0.25)
    assert not meeting(Ball((0, 500, GROUND)), Blue((0, -500), 1000)).early.item()
    _, speed = plan(Ball((0, 500, 1500)), Blue((0, -500), 1000))
    assert speed < 800


def test_it_lines_up_behind_the_ball_on_the_line_to_the_goal() -> None:
    ball = Ball((0, 2000, GROUND))
    for side in (-1, 1):
        target, _ = plan(ball, Blue((side * 1500, 1800)))
        assert target.imag < 1800, "behind the ball"
        assert abs(target.real) < 500
    straight, speed = plan(ball, Blue((0, 1300), 1500))
    assert straight == pytest.approx(1850j, abs=20)
    assert speed == pytest.approx(2300)


def test_a_push_makes_up_for_the_way_that_the_ball_goes() -> None:
    for sideways in (-600, 600):
        found = meeting(Ball((-sideways, 1000, GROUND), (sideways, 0, 0)), Blue((0, -500), 1400))
        assert np.sign(found.push.real.item()) == -np.sign(sideways)
        assert found.push.imag.item() > 0.8


def test_near_its_own_goal_it_clears_to_any_side() -> None:
    """What is no shot at the other end is a good hit at this one."""
    for x in (-1500, 1500):
        assert meeting(Ball((x, -4200, GROUND)), Blue((0, -4600), 500)).off.item() < 0.2
        assert meeting(Ball((x, 4200, GROUND)), Blue((0, 3800), 500)).off.item() > 0.5


def test_it_goes_back_when_the_ball_is_nearer_to_its_own_goal() -> None:
    behind, speed = plan(Ball((500, -1000, GROUND)), Blue((0, 1500), 1000, yaw=-np.pi / 2))
    assert behind.imag < -2000
    assert speed > 2300, "as fast as it can"
    _, speed = plan(Ball((1000, -4000, GROUND)), Blue((-600, -4400), 1000, yaw=-np.pi / 2))
    assert speed < 1600, "or it ends in its own net"
    for x in (-1000, 1000):
        post, _ = plan(Ball((x, -4000, GROUND)), Blue((0, 0), 1000, yaw=-np.pi / 2))
        assert post == pytest.approx(complex(-np.sign(x) * 700, -4900))
    assert pressed(seen(Ball((500, -1000, GROUND)), Blue((0, 1500), 1000)))["handbrake"] == 1


def test_it_fetches_boost_on_the_way_when_empty_and_in_peace(subtests: pytest.Subtests) -> None:
    far, car = Ball((2500, 4000, GROUND)), Blue((2500, -3000), 1000, boost=5)
    place = complex(*PAD_POSITIONS[BIG_RIGHT][:2])
    for name, ball, blue, pads, fetches in (
        ("empty", far, car, BIG_PADS, True),
        ("full", far, replace(car, boost=90), BIG_PADS, False),
        ("none there", far, car, NO_PADS, False),
        ("behind it", far, replace(car, place=(2500, 500)), (BIG_RIGHT,), False),
        ("the ball near", Ball((2500, -1800, GROUND)), car, BIG_PADS, False),
        ("its goal in danger", Ball((-3000, -2500, GROUND), (500, -500, 0)), car, BIG_PADS, False),
    ):
        with subtests.test(name):
            target, _ = plan(ball, blue, pads=pads)
            assert (abs(target - place) < 1) == fetches


def test_it_jumps_for_a_dodge_into_a_ball_at_hand(subtests: pytest.Subtests) -> None:
    near = Blue((0, 1550), 1500)
    for name, ball, blue, jumps in (
        ("at hand", Ball((0, 2000, GROUND)), near, 1),
        ("still far", Ball((0, 3000, GROUND)), near, 0),
        ("too high", Ball((0, 2000, 700)), near, 0),
        ("toward its own goal", Ball((0, -2000, GROUND)), replace(near, place=(0, -1550), yaw=-np.pi / 2), 0),
        ("slow", Ball((0, 2000, GROUND)), replace(near, speed=300), 0),
    ):
        with subtests.test(name):
            assert pressed(seen(ball, blue))["jump"] == jumps


def test_it_dodges_for_speed_on_a_long_straight_way_without_boost() -> None:
    for boost, y, jumps in ((0, 4000, 1), (80, 4000, 0), (0, -2500, 0)):
        assert pressed(seen(Ball((0, y, GROUND)), Blue((0, -4000), 1350, boost=boost), pads=NO_PADS))["jump"] == jumps


def test_after_the_jump_it_lets_go_and_dodges_at_the_ball() -> None:
    arenas = scene(
        Ball((0, 2000, GROUND)), Blue((0, 1550), 1500), rows=np.concatenate([ROWS, np.zeros((1, 8), np.float32)])
    )
    found = []
    for _ in range(3):
        row = PLAYER.act(arenas.state, BLUE, np.random.default_rng(0))
        found.append(ROWS[row.item()])
        arenas.step(np.append(row, [[len(ROWS)]], axis=1))
    assert [row[CONTROLS.index("jump")] for row in found] == [1, 0, 1]
    assert found[2][CONTROLS.index("pitch")] == -1
    assert arenas.state.has_flipped[0, 0]


def test_a_car_that_gets_no_further_jumps() -> None:
    """Two nose to nose would push each other for good."""
    state = seen(Ball((0, 4000, GROUND)), Blue((0, 0)), pads=NO_PADS)
    assert pressed(state)["jump"] == 0, "at rest it has not tried yet"
    state.previous_actions[0, 0, THROTTLE] = 1
    assert pressed(state)["jump"] == 1
    state.velocity[0, 0, 1] = 100
    assert pressed(state)["jump"] == 0


def test_the_nearest_plays_the_ball_and_the_others_keep_behind() -> None:
    first, second, third = Blue((0, 500)), Blue((300, -800)), Blue((0, -3000))
    ball = Ball((0, 1500, GROUND))
    assert rule.places_in_queue(seen(ball, second, third, first))[0].tolist() == [1, 2, 0, 0]
    beyond = Blue((0, 1800))
    assert rule.places_in_queue(seen(ball, beyond, first))[0].tolist() == [1, 0, 0]
    held = [plan(ball, *order)[0] for order in ((second, third, first), (third, second, first))]
    assert -5000 < held[1].imag < held[0].imag < 0
    wrecked = seen(ball, first, second)
    wrecked.demo_respawn_timer[0, 0] = 2.0
    assert rule.places_in_queue(wrecked)[0].tolist() == [1, 0, 0]


def test_orange_plays_as_blue_does_in_the_turned_game() -> None:
    for blue, orange in ((1, 1), (2, 3)):
        state, rng = random_state(np.random.default_rng(7), 300, blue, orange), np.random.default_rng(0)
        mine, theirs = PLAYER.act(state, np.s_[:, :], rng), PLAYER.act(turned(state), np.s_[:, :], rng)
        np.testing.assert_array_equal(theirs, mine[:, counterparts(state)])


def test_many_cars_play_as_each_does_alone() -> None:
    state, rng = random_state(np.random.default_rng(8), 40, 2, 2), np.random.default_rng(0)
    every = PLAYER.act(state, np.s_[:, :], rng)
    for arena, car in np.ndindex(every.shape):
        alone = PLAYER.act(state, (np.array([arena]), np.array([car])), rng)
        assert alone.tolist() == [every[arena, car]]


def test_its_error_is_drawn_from_its_own_random_numbers() -> None:
    state, player = random_state(np.random.default_rng(9), 200, 1, 1), build("player", Component("rule"))
    first, again, other = (player.act(state, np.s_[:, :], np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def side(name: str, car: int, games: int, seed: int) -> Player:
    return ScriptedSide(build("player", Component(name)), Seat((1, 1), slice(car, car + 1), [seed, car], arenas=games))


def win_rate(opponent: str, games: int, seconds: int) -> float:
    """Of half as many games on each side; a draw is half a win."""
    won = 0.0
    for own in (0, 1):
        names = ("rule", opponent) if own == 0 else (opponent, "rule")
        players = (side(names[0], 0, games // 2, own), side(names[1], 1, games // 2, own))
        batch = MatchBatch(players, (1, 1), [[own, game] for game in range(games // 2)])
        while batch.tick < seconds * 120:
            batch.advance(seconds * 120 - batch.tick)
        lead = batch.score[:, own] - batch.score[:, 1 - own]
        won += float(np.sum(lead > 0) + np.sum(lead == 0) / 2)
    return won / games


@pytest.mark.slow
def test_it_beats_the_other_scripted_players() -> None:
    assert win_rate("chaser", GAMES, SECONDS) >= 0.85
    for opponent in ("idle", "random"):
        assert win_rate(opponent, GAMES // 5, SECONDS) >= 0.95
