"""The player of RLBot's packets: a packet's state is the simulator's, and what it plays is what the same bot plays here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import RocketSim

from rltui.bridge.rlbot_player import IDLE, PacketPlayer, PacketReader, axes
from rltui.errors import RltuiError
from rltui.league.match_batch import MatchBatch
from rltui.league.players import PolicySide, ScriptedSide, Seat
from rltui.opponents.scripted import RandomPlayer
from rltui.policy.saved import load_policy, saved_game
from rltui.sim.state import BALL_VECTORS, CAR_VECTORS
from tests.fakes.bots import write_bot
from tests.fakes.rlbot_packets import ACTIVE, COUNTDOWN, FIELD, PAUSED, moments, rotator

BASE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'
BOTS = {
    "default, normalised": "",
    "masks, another pace": 'tick_skip = 6\naction_delay_ticks = 3\nactions.table = "hybrid"\n',
    "stack, sticky, fallback": 'tick_skip = 4\nobs = {kind = "advanced_plus", stack = 3}\n'
    'actions = {sticky = 3, legality = "fallback"}\n',
    "compact, 2v2": 'obs.kind = "compact"\ngame = {blue = 2, orange = 2}\n',
}
OF_CARS = (
    *CAR_VECTORS,
    *("boost", "demo_respawn_timer", "handbrake", "air_time_since_jump", "flip_time", "is_boosting", "is_supersonic"),
    *("is_holding_jump", "has_jumped", "is_jumping", "has_flipped", "is_flipping", "has_double_jumped"),
)
GUESSED = ("on_ground", "can_flip", "world_contact")
LIVELY = {"is_flipping", "is_jumping", "is_boosting", "handbrake", "can_flip", "flip_time", "pad_timers", "on_ground"}


def random_match(teams: tuple[int, int]) -> MatchBatch:
    blue, orange = (
        ScriptedSide(RandomPlayer(RandomPlayer.Params()), Seat(teams, cars, [1, cars.start]))
        for cars in (slice(0, teams[0]), slice(teams[0], sum(teams)))
    )
    return MatchBatch((blue, orange), teams, [[5]])


def packets_of(ticks: int) -> list[Any]:
    return [moment.packet for moment in moments(random_match((1, 1)), ticks, [0, 1])]


def test_the_state_of_a_packet_is_the_simulators() -> None:
    """RLBot's players may be in any order; those of a team keep theirs. What is guessed is right nearly always."""
    reader = PacketReader([1, 0, 0])
    assert reader.order == [1, 2, 0]
    cars, wrong, seen, count = [1, 0, 2], Counter[str](), set[str](), 0
    for moment in moments(random_match((2, 1)), 300, order=[2, 1, 0]):
        reader.read(moment.packet)
        if moment.packet.match_info.match_phase == COUNTDOWN:
            reader.begin()
        state = moment.state
        for name in (*BALL_VECTORS, "pad_timers", "tick", "goal", *OF_CARS, *GUESSED):
            expected = state[name] if name in (*BALL_VECTORS, "pad_timers", "tick", "goal") else state[name][cars]
            same = np.isclose(getattr(reader.state, name)[0], expected, atol=1e-3)
            assert same.all() or name in GUESSED, (name, moment.packet.match_info.frame_num)
            wrong[name] += int((~same).sum())
            seen |= {name} if np.any(state[name]) else set()
        count += len(cars)
    assert seen >= LIVELY
    assert {name: n for name, n in wrong.items() if n > count * (0.05 if name == "world_contact" else 0.01)} == {}


def test_touches_are_known_from_their_time() -> None:
    reader = PacketReader([0, 1])
    last = packets_of(60)[-1]
    reader.read(last)
    reader.begin()
    assert reader.state.last_toucher[0] == -1
    last.match_info.frame_num += 4
    last.players[1].latest_touch = rotator(np.array([1, 0, 0]), np.array([0, 0, 1]))
    last.players[1].latest_touch.game_seconds = 1.5
    reader.read(last)
    assert (reader.state.last_toucher[0], reader.state.last_touch_tick[0], reader.state.tick[0]) == (1, 4, 4)
    assert reader.state.last_toucher_of[0].tolist() == [-1, 1]


def test_angles_are_rocket_leagues() -> None:
    rng = np.random.default_rng(0)
    for pitch, yaw, roll in rng.uniform((-1.5, -3, -3), (1.5, 3, 3), (20, 3)).tolist():
        matrix = RocketSim.Angle(pitch=pitch, yaw=yaw, roll=roll).as_rot_mat()
        forward, up = axes(pitch, yaw, roll)
        np.testing.assert_allclose(forward, matrix.forward.as_tuple(), atol=1e-6)
        np.testing.assert_allclose(up, matrix.up.as_tuple(), atol=1e-6)
        back = rotator(forward, up)
        np.testing.assert_allclose((back.pitch, back.yaw, back.roll), (pitch, yaw, roll), atol=1e-4)


def played_alike(folder: Path, ticks: int) -> tuple[int, int, int]:
    """Of a match of the bot in the folder with itself, drawn: ticks of all cars, those in which a packet's player would
    have played something else, and how many rows were played.
    """
    policy = load_policy(folder / "policy.npz")
    n = saved_game(policy).blue
    teams, cars = (n, n), 2 * n
    best = n > 1  # cars of a team draw together here, each by itself there: only what is most probable can be compared
    blue, orange = (PolicySide(policy, Seat(teams, slice(i * n, i * n + n), [i], best)) for i in (0, 1))
    players = [PacketPlayer(folder / "policy.npz", best, seed) for seed in (0, 1) for _ in range(n)]
    for player in players:
        player.set_pads(FIELD)
    said, count, other, rows = None, 0, 0, set[tuple[float, ...]]()
    for moment in moments(MatchBatch((blue, orange), teams, [[3]]), ticks, range(cars)):
        if said is not None and moment.packet.match_info.match_phase != COUNTDOWN:
            count += cars
            other += sum(not np.array_equal(own, played) for own, played in zip(said, moment.played, strict=True))
            rows |= {tuple(row) for row in moment.played.tolist()}
        said = [player.controls(moment.packet, car) for car, player in enumerate(players)]
    return count, other, len(rows)


@pytest.fixture(params=BOTS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "made.toml").write_text(BOTS[request.param] + BASE, encoding="utf-8")
    write_bot(tmp_path / "bot", str(tmp_path / "made.toml"), normalized="normal" in request.param)
    return tmp_path / "bot"


def tolerance(folder: Path) -> float:
    """Share of the ticks in which another action may be played: a fallback asks whether a car lies on its roof, which
    is worked out from where its hitbox is.
    """
    return 0.02 if load_policy(folder / "policy.npz").legality == "fallback" else 0.001


def test_it_plays_what_the_bot_plays_here(folder: Path) -> None:
    count, other, rows = played_alike(folder, 300)
    assert rows > 1
    assert other <= count * tolerance(folder)


def test_it_idles_out_of_play_begins_anew_at_a_kickoff_and_goes_on_after_a_pause(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", "quick")
    player = PacketPlayer(tmp_path / "bot" / "policy.npz", True)
    packets = packets_of(40)
    begun = []
    for number, packet in enumerate(packets):
        packet.match_info.match_phase = COUNTDOWN if number < 3 or 30 <= number < 33 else ACTIVE
        packet.match_info.match_phase = PAUSED if 20 <= number < 23 else packet.match_info.match_phase
        said = player.controls(packet, 1)
        assert len(said) == 8
        if packet.match_info.match_phase in (COUNTDOWN, PAUSED):
            assert said == IDLE
        begun += [number] if player._reader is not None and player._reader.state.tick[0] == 0 else []
    assert begun == [0, 1, 3, 33]


def test_missed_packets_shift_no_step(tmp_path: Path) -> None:
    """As the game sends them with 40 frames a second: the choice comes late, the next one in time."""
    write_bot(tmp_path / "bot", "quick")
    player = PacketPlayer(tmp_path / "bot" / "policy.npz", True)
    chosen = []
    stream = packets_of(60)[1:]
    for packet in stream[::3]:
        player.controls(packet, 0)
        chosen.append((int(packet.match_info.frame_num) - stream[0].match_info.frame_num, player._next))
    assert chosen[:9] == [(0, 8), (3, 8), (6, 8), (9, 16), (12, 16), (15, 16), (18, 24), (21, 24), (24, 32)]


def test_what_it_cannot_play_is_said(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", "quick")
    player = PacketPlayer(tmp_path / "bot" / "policy.npz", True)
    *_, last = moments(random_match((2, 2)), 3, [0, 1, 2, 3])
    with pytest.raises(RltuiError, match="in 2v2 the bot's observation has"):
        player.controls(last.packet, 0)
    with pytest.raises(RltuiError, match="34 boost pads of a soccar field, found 33"):
        player.set_pads(FIELD[1:])
    assert player.controls(packets_of(1)[-1], 0) != ()


@pytest.mark.slow
def test_it_plays_what_the_bot_plays_here_for_10_000_states(folder: Path) -> None:
    count, other, rows = played_alike(folder, 40_000)
    assert rows > 1
    assert other <= count * tolerance(folder)
