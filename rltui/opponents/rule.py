"""RulePlayer: kicks off, drives to where it meets the ball, lines up, shoots, returns to goal, fetches boost, recovers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rltui.field import BIG_PADS, CAR_MAX_SPEED, CAR_REST_Z, GOAL_LINE_Y, PAD_POSITIONS, PADS, THROTTLE
from rltui.opponents import driving
from rltui.opponents.base import ScriptedPlayer
from rltui.opponents.own_view import TIMES, OwnView, Plane, clipped, dot, unit
from rltui.sim.state import Bool, Float, GameState, Int, Seats

GOAL, OWN_GOAL = complex(0, GOAL_LINE_Y), complex(0, -GOAL_LINE_Y)
PAD_PLACES = np.array([complex(x, y) for x, y, _ in PAD_POSITIONS], np.complex64)
DETOURS = np.where(np.isin(np.arange(PADS), BIG_PADS), 1400.0, 250.0).astype(np.float32)  # uu, for an empty car
CONTACT = 150.0  # uu from the ball's middle to the car's when they touch
REACH_Z = 190.0  # height of the ball's middle up to which a jump reaches it
DRIVING_SPEED, BOOSTED_SPEED = 1400.0, 2100.0  # uu/s that a car can count on
PICK_UP = 0.6  # s: time constant of the way there
HALF_TURN = 0.8  # s
HIT_SPEED = 2500.0  # uu/s that a hit gives the ball
SHOT_WIDTH = 500.0  # uu from the middle of the goal that a shot may go
CLEARING = 1.3  # rad: so far to the side may go, more than a shot, what is hit at the own goal line
LOST = 1.2  # rad: a car that comes from so far off the way to push the ball goes back first
DEEP_Y = -3300.0  # the ball is near the own goal
POST_X, POST_Y = np.float32(700), -4900.0  # where the car goes then, on the side away from the ball
BESIDE = np.float32(200)  # uu that it keeps to its side of the ball otherwise
HOLDING = np.array([0.5, 0.5, 0.25], np.float32)  # of the way from the own goal to the ball, by the place in the queue
DODGE_TIME = 0.28  # s from the jump to the hit
FRESH = 0.25  # s after a jump within which it dodges

FLAT_OUT: Float = np.array(CAR_MAX_SPEED, np.float32)
CREEPING: Float = np.array(700, np.float32)  # uu/s: turning toward a ball that comes
TIGHT: Bool = np.array(True)


class Meeting(NamedTuple):
    """Where and when a car can be at the ball first."""

    place: Plane  # of the ball
    after: Float  # s
    early: Bool  # the car could be there before the ball is low enough
    push: Plane  # unit: which way the car should push the ball
    off: Float  # rad between where it should send the ball and the way it comes
    lost: Bool  # from there it would only push the ball back, or the ball is behind it


class Plan(NamedTuple):
    """Where to go."""

    target: Plane
    speed: Float  # uu/s
    tight: Bool  # slower where the target lies inside the turning circle


class RulePlayer(ScriptedPlayer):
    """Plays by fixed rules from what it sees, and remembers nothing. Of a team the car nearest to the ball plays it, the
    others keep behind.
    """

    @dataclass(frozen=True)
    class Params(ScriptedPlayer.Params):
        error: float = field(
            default=0.03,
            metadata={"doc": "Standard deviation of its steering's error.", "unit": "rad", "min": 0.0, "max": 1.0},
        )

    params: Params

    def rows(self) -> Float:
        return driving.rows()

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        view = OwnView(state, seats)
        meeting, queue = meet(view), places_in_queue(state)[seats]
        kickoff = (np.abs(view.ball) < 5) & (np.abs(view.ball_velocity) < 1) & (queue == 0)
        plan = either(kickoff, Plan(view.ball, FLAT_OUT, ~TIGHT), planned(view, meeting, queue))
        angle, distance = view.bearing(plan.target, CAR_REST_Z)
        angle += rng.normal(0, self.params.error, angle.shape).astype(np.float32)
        to_ball, _ = view.bearing(view.ball + DODGE_TIME * view.ball_velocity, CAR_REST_Z)
        jumps = may_hit(view, meeting, to_ball, kickoff) & (queue == 0) | may_hurry(view, angle, distance) & ~kickoff
        pushing = state.previous_actions[seats][..., THROTTLE] == 1
        jumps |= pushing & _stands(view)  # a car, nose to nose, or a post is in its way
        driven = driving.drive(view, angle, distance, plan.speed, plan.tight)
        driven = np.where(jumps & (view.up_z > 0.9), driving.JUMP, driven)
        at_hand = (np.abs(view.ball - view.place) < 600) & (np.abs(to_ball) < 1)
        flown = fly(state, seats, view, plan.target, np.where(at_hand, to_ball, angle))
        return np.where(view.on_ground, driven, flown)


def fly(state: GameState, seats: Seats, view: OwnView, target: Plane, aim: Float) -> Int:
    """Rows for cars in the air: the dodge `aim` off the nose that a jump was for, then back onto the wheels."""
    released = ~state.is_holding_jump[seats]
    jumped = state.has_jumped[seats] & state.can_flip[seats] & (state.air_time_since_jump[seats] < FRESH)
    dodges = jumped & released & (view.up_z > 0.7) & ((np.abs(aim) < 0.8) | _stands(view))
    rows = driving.level_out(view, target, jumped | state.is_flipping[seats])
    on_roof = state.world_contact[seats] & (view.up_z < 0) & released
    return np.where(on_roof, driving.JUMP, np.where(dodges, driving.dodge(aim), rows))


def meet(view: OwnView) -> Meeting:
    """At the first of the ball's places that the car can reach in time, else at the last."""
    places, heights = view.ball_path()
    spare = _spare(view, places)
    possible = (spare >= 0) & (heights < REACH_Z)
    possible[..., -1] = True
    first = possible.argmax(-1)
    at = (*np.indices(first.shape, sparse=True), first)
    place = clipped(places[at], np.inf, 5000)

    goal = unit(GOAL - place)
    way = np.angle((place - view.place) * np.conj(goal))  # rad off the way to the middle of the goal
    wide = np.arctan2(SHOT_WIDTH, np.abs(GOAL - place)) + CLEARING * _defending(place)
    send = np.minimum(np.maximum(way, -wide), wide)
    off = np.abs(way - send)
    direction = goal * np.exp(1j * send)
    push = unit(HIT_SPEED * direction - view.ball_velocity)
    push = np.where(dot(push, direction) > 0.3, push, direction)
    lost = (off > LOST) | (view.place.imag > place.imag + 200)
    return Meeting(place, TIMES[first], spare[at] > 300, push, off, lost)


def _spare(view: OwnView, places: Plane) -> Float:
    """uu that the car could drive further until TIMES than to these places: below 0 it comes late."""
    gaps = places - view.place[..., None]
    distances = np.abs(gaps) + 1
    times = np.maximum(TIMES - HALF_TURN / 2 * (1 - dot(gaps, view.forward[..., None]) / distances), 0)
    speed = view.speed[..., None]
    top = np.where(view.boost > 15, BOOSTED_SPEED, np.maximum(DRIVING_SPEED, view.speed))[..., None]
    ways = top * times - PICK_UP * (top - speed) * (1 - np.exp(-times / PICK_UP))
    # to go around the ball and push it up the field, which matters less the nearer it is to the own goal
    around = np.minimum(distances / 2, 500) * (1 - gaps.imag / distances) * (1 - _defending(places))
    spare: Float = ways - (distances - CONTACT + around)
    return spare


def planned(view: OwnView, meeting: Meeting, queue: Int) -> Plan:
    """What a car does in play: whoever is nearest attacks or goes back behind the ball, the others wait; on the way boost."""
    plan = either(meeting.lost, arriving(view, retreat(view, meeting.place), 600), attack(view, meeting))
    plan = either(queue > 0, arriving(view, hold(view, queue), 0), plan)
    pad, worth = pad_on_the_way(view, plan.target)
    return either(worth, Plan(pad, FLAT_OUT, TIGHT), plan)


def either(condition: Bool, this: Plan, other: Plan) -> Plan:
    """Where the condition holds this, elsewhere the other."""
    return Plan(*(np.where(condition, a, b) for a, b in zip(this, other, strict=True)))


def arriving(view: OwnView, target: Plane, speed: float) -> Plan:
    """Fast while it is far, and there at this speed."""
    return Plan(target, speed + 1.5 * np.abs(target - view.place), TIGHT)


def attack(view: OwnView, meeting: Meeting) -> Plan:
    """Line up behind the ball, then through it."""
    place, push = meeting.place, meeting.push
    distance = np.abs(place - view.place)
    lead = CONTACT + np.minimum(0.6 * distance, 900) * np.minimum(1.5 * meeting.off, 1)
    behind = clipped(place - lead * push, 4000, 5060)
    way = np.abs(behind - view.place)
    through = (distance < 900) & (meeting.off < 0.2) & ~meeting.early
    speed = np.where(through, FLAT_OUT, np.maximum(way / np.maximum(meeting.after - 0.1, 0.05), 300))
    waits = (way < 400) & (meeting.after > 0.4)
    return either(waits, Plan(view.ball, CREEPING, TIGHT), Plan(behind, speed, ~through))


def retreat(view: OwnView, ball: Plane) -> Plane:
    """Behind the ball on the own side; near the own goal to the far post."""
    side = np.where(view.place.real < ball.real, -BESIDE, BESIDE)
    behind = 0.6 * ball.real + side + 1j * np.maximum(ball.imag - 1500, POST_Y)
    post = np.where(ball.real > 0, -POST_X, POST_X) + complex(0, POST_Y)
    return np.where(ball.imag < DEEP_Y, post, behind)


def hold(view: OwnView, queue: Int) -> Plane:
    """Between the ball and the own goal: half of the way out for the second, a quarter for the third."""
    post: Plane = OWN_GOAL + (view.ball - OWN_GOAL) * HOLDING[queue]
    return post


def pad_on_the_way(view: OwnView, target: Plane) -> tuple[Plane, Bool]:
    """The pad with the least detour, and whether it is worth it: the emptier the car, the further, if the ball is far."""
    gaps = PAD_PLACES - view.place[..., None]
    far = np.abs(gaps)
    detours = far + np.abs(target[..., None] - PAD_PLACES) - np.abs(target - view.place)[..., None]
    hunger = np.maximum(70 - view.boost, 0) / 70
    threatened = (view.ball.imag < -2000) & (view.ball_velocity.imag < 0)
    calm = (np.abs(view.ball - view.place) > 1800) & ~threatened
    taken = view.pad_timers > 0.5
    aside = (dot(gaps, view.forward[..., None]) < 0.5 * far) | (far < 100)
    detours += 1e6 * (taken | aside | (detours > DETOURS * (hunger * calm)[..., None]))
    best = detours.argmin(-1)
    return PAD_PLACES[best], detours.min(-1) < 1e5


def may_hit(view: OwnView, meeting: Meeting, to_ball: Float, kickoff: Bool) -> Bool:
    """Whether to jump now, for a dodge into the ball."""
    gap = view.ball - view.place
    distance = np.abs(gap)
    line = gap / np.maximum(distance, 1)
    closing = dot(view.velocity - view.ball_velocity, line)
    near = (distance > CONTACT) & (distance - CONTACT < DODGE_TIME * closing)
    low = view.ball_height + DODGE_TIME * view.ball_rise < 260
    right = (dot(line, meeting.push) > 0.9) & ~meeting.lost
    hits: Bool = near & low & (closing > 500) & (np.abs(to_ball) < 0.35) & (right | kickoff)
    return hits


def may_hurry(view: OwnView, angle: Float, distance: Float) -> Bool:
    """Whether to jump now, for a dodge that gains speed: without boost, on a long straight way, the ball not in it."""
    fits = (view.speed > 900) & (view.speed < 1800) & (distance > 1.3 * view.speed + 300)
    hurries: Bool = fits & (np.abs(angle) < 0.12) & (view.boost < 12) & (np.abs(view.ball - view.place) > 1500)
    return hurries


def places_in_queue(state: GameState) -> Int:
    """[K, C] How many of its team are nearer to the ball, a car beyond the ball counted as further, a wreck as away."""
    if max(state.blue, state.orange) <= 1:
        return np.zeros(state.on_ground.shape, np.int64)
    gaps = state.position - state.ball_position[:, None]
    beyond = gaps[..., 1] * state.team_sign > 0
    far = np.hypot(gaps[..., 0], gaps[..., 1]) + 1500 * beyond + 1e6 * (state.demo_respawn_timer > 0)
    order = np.arange(state.cars)
    nearer = (far[:, None] < far[..., None]) | (far[:, None] == far[..., None]) & (order < order[:, None])
    queue: Int = np.sum(nearer & (state.team == state.team[:, None]), axis=-1)
    return queue


def _stands(view: OwnView) -> Bool:
    stands: Bool = np.abs(view.velocity) < 50
    return stands


def _defending(ball: Plane) -> Float:
    """0 in the opponents' half to 1 near the own goal."""
    return np.minimum(np.maximum((1500 - ball.imag) / 6000, 0), 1)
