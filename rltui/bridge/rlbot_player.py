"""Player of RLBot's game packets: from a packet to the state of the game, from there to a car's controls.

NumPy alone, so that it plays in an exported folder as it does here. It reads of a packet what is named there, by number
where RLBot has an enumeration. What a packet does not tell is worked out as RocketSim does it: `on_ground` in the first
ticks of a jump, `handbrake`, `air_time_since_jump`, `is_boosting`; `world_contact` from where the hitbox is. Not
there are touches, shots, saves, demolitions and pickups of a step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rltui.env.saved_player import SavedPlayer
from rltui.errors import RltuiError
from rltui.field import (
    BACK_WALL_Y,
    BIG_PAD_SECONDS,
    BIG_PADS,
    CEILING_Z,
    CORNER,
    FLIP_SECONDS,
    FLIP_WINDOW_SECONDS,
    GOAL_CENTRE_Z,
    GOAL_LINE_Y,
    GOAL_POST_X,
    NET_Y,
    PAD_POSITIONS,
    PADS,
    SIDE_WALL_X,
    SMALL_PAD_SECONDS,
    TICKS_PER_SECOND,
)
from rltui.policy.saved import load_policy
from rltui.sim.boost_pads import after_ticks
from rltui.sim.state import Float, Int, blank_state

ON_GROUND, JUMPING = 0, 1  # AirState
KICKOFF, ACTIVE, PAUSED = 2, 3, 6  # MatchPhase
WHEELS_STAY = 5  # ticks that a car's wheels touch what it jumps off
HANDBRAKE_RISE, HANDBRAKE_FALL = 5.0, 2.0  # of its 0–1, a second
TOUCHING = 3.75  # uu from a wall to the hitbox when a tick begins: from about there it touches at its end
RAMP = 256.0  # uu, the radius in which side walls and corners meet the floor
LEAST_LEFT = np.float32(1e-3)  # seconds until a pad is back that is not there yet
PAD_REACH = 100.0  # uu within which a boost pad is the one of that place
SECONDS = np.array([BIG_PAD_SECONDS if pad in BIG_PADS else SMALL_PAD_SECONDS for pad in range(PADS)], np.float32)
IDLE = (0.0,) * 8


class PacketReader:
    """Packets of a match with these players, in turn, into `state`, one arena. teams: of each player, 0 blue, 1 orange."""

    def __init__(self, teams: Sequence[int], pads: Sequence[int] = range(PADS)) -> None:
        """pads: of each pad of the field, its number in RLGym's order."""
        self.teams = tuple(teams)
        self.order = sorted(range(len(teams)), key=lambda player: (teams[player], player))  # players as cars
        self.state = blank_state(1, np.array([teams[player] for player in self.order], np.int8))
        self._pads = np.array(pads)
        self._frame: int | None = None
        self._boosting = [0.0] * len(teams)  # seconds
        self._since_jump = [WHEELS_STAY] * len(teams)  # ticks since it began
        self._distance = [math.inf] * len(teams)  # uu from the world, at the packet before
        self._touched = [-1.0] * len(teams)  # when, last

    def begin(self) -> None:
        """A kickoff: nothing has happened since."""
        state = self.state
        state.tick[:] = state.last_touch_tick[:] = 0
        state.last_toucher[:] = state.last_toucher_of[:] = -1
        state.kickoff[:] = True
        state.previous_actions[:] = 0

    def read(self, packet: Any) -> None:
        """The next one, some ticks later."""
        state, frame = self.state, packet.match_info.frame_num
        ticks = max(frame - self._frame, 0) if self._frame is not None else 0
        self._frame = frame
        state.tick += ticks
        ball = packet.balls[0].physics
        state.ball_position[0], state.ball_velocity[0] = _xyz(ball.location), _xyz(ball.velocity)
        state.ball_angular_velocity[0] = _xyz(ball.angular_velocity)
        y = ball.location.y
        state.goal[0] = (y > GOAL_LINE_Y) - (y < -GOAL_LINE_Y)
        since = np.array([pad.timer for pad in packet.boost_pads], np.float32)
        active = np.array([pad.is_active for pad in packet.boost_pads])
        left = np.maximum(SECONDS[self._pads] - since, LEAST_LEFT)
        state.pad_timers[0, self._pads] = np.where(active, np.float32(0), left)
        for car, player in enumerate(self.order):
            self._read_car(car, packet.players[player], ticks)

    def _read_car(self, car: int, player: Any, ticks: int) -> None:
        state, at, body, held = self.state, (0, car), player.physics, player.last_input
        state.position[at], state.velocity[at] = _xyz(body.location), _xyz(body.velocity)
        state.angular_velocity[at] = _xyz(body.angular_velocity)
        state.forward[at], state.up[at] = axes(body.rotation.pitch, body.rotation.yaw, body.rotation.roll)
        before = float(state.boost[at]), self._boosting[car]
        self._boosting[car] = after_ticks(*before, [held.boost] * ticks)[1]
        state.is_boosting[at] = self._boosting[car] > 0
        state.boost[at] = player.boost
        state.demo_respawn_timer[at] = max(player.demolished_timeout, 0.0)
        rate = HANDBRAKE_RISE if held.handbrake else -HANDBRAKE_FALL
        state.handbrake[at] = min(max(state.handbrake[at] + rate * ticks / TICKS_PER_SECOND, 0.0), 1.0)
        self._read_jumps(car, player, ticks)
        state.is_supersonic[at] = player.is_supersonic
        touches = self._distance[car] <= TOUCHING and not state.on_ground[at] and player.demolished_timeout < 0
        state.world_contact[at], self._distance[car] = touches, self._wall_distance(car, player)
        state.previous_actions[at] = controls_of(held)
        self._read_touch(car, player)

    def _read_jumps(self, car: int, player: Any, ticks: int) -> None:
        state, at, air = self.state, (0, car), int(player.air_state)
        jumped = state.is_jumping[at]
        state.has_jumped[at], state.has_double_jumped[at] = player.has_jumped, player.has_double_jumped
        state.is_jumping[at], state.is_holding_jump[at] = air == JUMPING, player.last_input.jump
        self._since_jump[car] = ticks if air == JUMPING and not jumped else self._since_jump[car] + ticks
        on_ground = air == ON_GROUND or (player.has_jumped and self._since_jump[car] <= WHEELS_STAY)
        state.on_ground[at] = on_ground
        counts = player.has_jumped and air != JUMPING and not on_ground
        state.air_time_since_jump[at] = (
            state.air_time_since_jump[at] + np.float32(ticks / TICKS_PER_SECOND) if counts else 0.0
        )
        state.has_flipped[at], state.flip_time[at] = player.has_dodged, player.dodge_elapsed
        state.is_flipping[at] = player.has_dodged and state.flip_time[at] <= np.float32(FLIP_SECONDS)
        used = player.has_dodged or player.has_double_jumped or on_ground or player.last_input.jump
        state.can_flip[at] = not used and state.air_time_since_jump[at] < FLIP_WINDOW_SECONDS

    def _wall_distance(self, car: int, player: Any) -> float:
        """From the corner of the hitbox that is nearest to it, uu, to floor, ceiling or wall."""
        state, size, offset = self.state, player.hitbox, player.hitbox_offset
        forward, up = state.forward[0, car], state.up[0, car]
        frame = np.stack([forward, np.cross(up, forward), up])
        signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        half = np.array([size.length, size.width, size.height]) / 2
        corners = state.position[0, car] + (signs * half + np.array(_xyz(offset))) @ frame
        x, y = np.abs(corners[:, :2]).T
        z = corners[:, 2]
        back = np.where((x < GOAL_POST_X) & (z < 2 * GOAL_CENTRE_Z), NET_Y, BACK_WALL_Y) - y
        side = np.minimum(SIDE_WALL_X - x, (CORNER - x - y) / math.sqrt(2))
        ramp = np.where((side < RAMP) & (z < RAMP), RAMP - np.hypot(RAMP - side, RAMP - z), side)
        return float(np.minimum.reduce([ramp, back, z, CEILING_Z - z]).min())

    def _read_touch(self, car: int, player: Any) -> None:
        state, touch = self.state, player.latest_touch
        if touch is None or touch.game_seconds <= self._touched[car]:
            return
        self._touched[car] = touch.game_seconds
        if self._touched[car] == max(self._touched):
            state.last_toucher[0] = car
        state.last_toucher_of[0, int(state.team[car])] = car
        state.last_touch_tick[0] = state.tick[0]


class PacketPlayer:
    """A saved policy that plays one car, at the pace that it has learned: a choice every `tick_skip` ticks, played
    `action_delay_ticks` later, of which the game itself takes one.
    """

    def __init__(self, policy: Path, deterministic: bool, seed: int = 0) -> None:
        """policy: policy.npz. deterministic: always the most probable action."""
        self._policy, self._deterministic, self._seed = load_policy(policy), deterministic, seed
        self._pads: Sequence[int] = range(PADS)
        self._reader: PacketReader | None = None
        self._player: SavedPlayer | None = None
        self._begun = False

    def set_pads(self, locations: Sequence[Any]) -> None:
        """Where the field's boost pads are. RltuiError where it is no field that the bot knows."""
        places = np.array(PAD_POSITIONS)[:, :2]
        found = [np.hypot(*(places - (place.x, place.y)).T) for place in locations]
        pads = [int(distance.argmin()) for distance in found]
        if sorted(pads) != list(range(PADS)) or max(distance.min() for distance in found) > PAD_REACH:
            raise RltuiError(f"expected the {PADS} boost pads of a soccar field, found {len(pads)} elsewhere")
        self._pads = pads

    def controls(self, packet: Any, index: int) -> tuple[float, ...]:
        """For the player of this index, after the packet: throttle, steer, pitch, yaw, roll, jump, boost, handbrake."""
        if not packet.balls:
            return IDLE
        reader, player = self.seat([player.team for player in packet.players])
        reader.read(packet)
        phase = int(packet.match_info.match_phase)
        if phase not in (KICKOFF, ACTIVE):
            self._begun = self._begun and phase == PAUSED
            return IDLE
        car = reader.order.index(index)
        if not self._begun:
            self._begin(reader, player)
        self._take_turn(reader, player, car)
        return tuple(self._playing.tolist())

    def seat(self, teams: list[int]) -> tuple[PacketReader, SavedPlayer]:
        """For players of these teams, 0 blue, 1 orange; anew where they are others. RltuiError where it cannot play there."""
        if self._reader is None or self._player is None or self._reader.teams != tuple(teams):
            sizes = teams.count(0), teams.count(1)
            self._player = SavedPlayer(self._policy, sizes, 1, [self._seed], self._deterministic)
            self._reader, self._begun = PacketReader(teams, self._pads), False
        return self._reader, self._player

    def _begin(self, reader: PacketReader, player: SavedPlayer) -> None:
        reader.begin()
        player.begin(reader.state, np.ones(1, np.bool_))
        self._begun, self._next, self._due = True, 0, 0
        self._playing = self._chosen = np.zeros(8, np.float32)

    def _take_turn(self, reader: PacketReader, player: SavedPlayer, car: int) -> None:
        """Packets may be missed: what was due meanwhile is played now, and steps keep their places."""
        tick = int(reader.state.tick[0])
        if tick >= self._due:
            self._playing = self._chosen
        if tick < self._next:
            return
        reader.state.previous_actions[0, car] = self._chosen
        seat: Int = player.act(reader.state, (slice(None), slice(car, car + 1)))
        self._chosen = player.controls[seat[0, 0]]
        self._next = (tick // player.tick_skip + 1) * player.tick_skip
        self._due = tick + max(player.delay - 1, 0)
        if tick >= self._due:
            self._playing = self._chosen


def axes(pitch: float, yaw: float, roll: float) -> tuple[Float, Float]:
    """Forward and up of a body that is turned so, in radians."""
    (sp, cp), (sy, cy), (sr, cr) = ((math.sin(angle), math.cos(angle)) for angle in (pitch, yaw, roll))
    up = (-cr * cy * sp - sr * sy, -cr * sy * sp + sr * cy, cp * cr)
    return np.array((cp * cy, cp * sy, sp), np.float32), np.array(up, np.float32)


def controls_of(held: Any) -> tuple[float, ...]:
    """RLBot's controls in the order of CONTROLS."""
    return held.throttle, held.steer, held.pitch, held.yaw, held.roll, held.jump, held.boost, held.handbrake


def _xyz(vector: Any) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z
