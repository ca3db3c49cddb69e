"""Rewards for mechanics: dribble, flip reset, wavedash, aerial, recovery, demolition. Plain air and ground are in movement.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rltui.field import BALL_RADIUS, CAR_ROOF, FLIP_WINDOW_SECONDS, JUMP, TICKS_PER_SECOND
from rltui.rewards.base import ArenaMemory, Reward, alive, off_the_ground
from rltui.rewards.geometry import component, length
from rltui.sim.state import Bool, Float, GameState, turtled

CARRY_REACH = 150.0  # uu, horizontally
TILT = 10.0  # uu that a roof may rise over the ball's lowest point while it pitches and rolls
NEAR = 300.0  # uu from car to ball one step after its wheels left it, at most
WHEELS_ON_BALL = 150.0  # uu from car to ball with the wheels on it, at most
BELOW = 0.7  # cosine between the car's down and the direction to the ball
AERIAL_REACH = 500.0  # uu from the ball
LONG_FLIGHT = 6.0 * TICKS_PER_SECOND  # ticks
NOSE_UP, ALIGNED = 0.5, 0.8  # forward.z; cosine between velocity and direction to the ball
STANDING = 3  # wheels
CLEAN = 0.85  # uprightness of a good landing


class Dribble(Reward):
    """1 while the car is on the ground and the ball off it, within 150 uu horizontally and above the roof, else 0.

    Above the roof: its lowest point at least as high as the roof of a car on a level floor, less 10 uu for tilt. A demolished car
    gives 0.
    """

    category = "mechanics"
    sign = 1

    def value(self, state: GameState) -> Float:
        lines = state.ball_position[:, None] - state.position
        carried = np.hypot(lines[..., 0], lines[..., 1]) <= CARRY_REACH
        carried &= lines[..., 2] >= CAR_ROOF + BALL_RADIUS - TILT
        carried &= state.on_ground & alive(state)
        return carried.astype(np.float32)


class FlipReset(Reward):
    """1 on the step in which a car in the air whose flip was used up or timed out has it back from the ball, else 0.

    The wheels' touch gives it back, on the world too: what counts is that they are on the ball (within 150 uu, below the
    car) or left it (within 300 uu) since the last step, the body touching nothing and no new jump made.
    """

    category = "mechanics"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._spent = ArenaMemory(np.bool_)  # [K, C] without a flip at the last step

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._spent.begin(arenas, _spent(state))

    def value(self, state: GameState) -> Float:
        spent = _spent(state)
        regained = self._spent.values & ~spent
        np.copyto(self._spent.values, spent)
        if not regained.any():
            return np.zeros(regained.shape, np.float32)
        regained &= alive(state) & ~state.world_contact
        regained &= np.where(state.on_ground, _wheels_on_ball(state), _left_ball(state))
        return regained.astype(np.float32)


def _spent(state: GameState) -> Bool:
    """[K, C] no flip left, by its use or by time; a demolished car has nothing to get back."""
    late = state.has_jumped & (state.air_time_since_jump >= FLIP_WINDOW_SECONDS)
    spent: Bool = state.has_flipped | state.has_double_jumped | late
    return spent & alive(state)


def _wheels_on_ball(state: GameState) -> Bool:
    """[K, C] for cars with wheels on something: it is the ball."""
    lines = state.ball_position[:, None] - state.position
    distances = length(lines)
    below = -np.einsum("kci,kci->kc", lines, state.up)
    on_ball: Bool = (distances <= WHEELS_ON_BALL) & (below > BELOW * distances)
    return on_ball


def _left_ball(state: GameState) -> Bool:
    """[K, C] for cars in the air: the ball can be what their wheels touched since the last step."""
    near: Bool = length(state.ball_position[:, None] - state.position) <= NEAR
    return near & ~state.has_jumped


class Wavedash(Reward):
    """1 on the step in which three wheels land during a flip, `gain` uu/s or more faster than before the flip, else 0.

    A flip that begins and lands within one step shows in no state: it is one if the car had a flip, its jump button was
    pressed, it landed without a jump, and the speed is there.
    """

    category = "mechanics"
    sign = 1

    @dataclass(frozen=True)
    class Params(Reward.Params):
        gain: float = field(
            default=100.0, metadata={"doc": "Least speed gained.", "unit": "uu/s", "min": 1.0, "max": 2300.0}
        )

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        self._gain = params.gain
        self._standing = ArenaMemory(np.bool_)  # [K, C] at the last step, as the next two
        self._flipping = ArenaMemory(np.bool_)
        self._could_flip = ArenaMemory(np.bool_)
        self._speed = ArenaMemory()  # [K, C] uu/s, the last one without a flip

    def reset(self, state: GameState, arenas: Bool) -> None:
        here = alive(state)
        self._standing.begin(arenas, state.on_ground)
        self._flipping.begin(arenas, state.is_flipping & here)
        self._could_flip.begin(arenas, state.can_flip & here)
        self._speed.begin(arenas, length(state.velocity))

    def value(self, state: GameState) -> Float:
        here, speed = alive(state), length(state.velocity)
        pressed = self._could_flip.values & (state.previous_actions[..., JUMP] > 0) & ~state.has_jumped
        dashed = state.on_ground & here & ~self._standing.values & (self._flipping.values | pressed)
        dashed &= speed - self._speed.values >= self._gain
        np.copyto(self._standing.values, state.on_ground)
        np.logical_and(state.is_flipping, here, out=self._flipping.values)
        np.logical_and(state.can_flip, here, out=self._could_flip.values)
        np.copyto(self._speed.values, speed, where=~self._flipping.values)
        return dashed.astype(np.float32)


class BasicAerial(Reward):
    """Off the ground within 500 uu of the ball: 0.2 · airborne seconds / 6 + 0.2 nose up + 0.3 boosting + 0.3 aligned, ≤ 1.

    Airborne seconds since the car was last seen on the ground, or since the episode's start; nose up: forward.z > 0.5;
    boosting: with boost left, while rising; aligned: cosine between velocity and direction to the ball > 0.8. 0 elsewhere.
    """

    category = "aerial"
    sign = 1

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._left = ArenaMemory(np.int64)  # [K, C] tick at which the car was last seen on the ground

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._left.begin(arenas, np.repeat(state.tick[:, None], state.cars, axis=1))

    def value(self, state: GameState) -> Float:
        airborne, left = off_the_ground(state), self._left.values
        np.copyto(left, state.tick[:, None], where=~airborne)
        lines = state.ball_position[:, None] - state.position
        value: Float = ((state.tick[:, None] - left) * (0.2 / LONG_FLIGHT)).astype(np.float32)
        np.minimum(value, 0.2, out=value)
        value += 0.2 * (state.forward[..., 2] > NOSE_UP)
        value += 0.3 * (state.is_boosting & (state.boost > 0) & (state.velocity[..., 2] > 0))
        value += 0.3 * (component(state.velocity, lines) > ALIGNED * length(state.velocity))
        value *= airborne & (length(lines) <= AERIAL_REACH)
        return np.minimum(value, 1.0, out=value)


class RecoveryAndLanding(Reward):
    """Aloft or turtled: 0.3 · upright + 0.2 · gain; on landing: 1 + 0.2 · upright if > 0.85, else −0.5 · (1 − upright).

    Aloft: no wheel and no body contact. Turtled: at most one wheel, up.z < −0.2, the body on a floor (normal.z > 0.7).
    Landing: the first step with three wheels or the body newly down after one without a wheel down; a car that starts
    its episode on its roof has not landed on it. Upright: 1 on a step that ends with three wheels newly down; up · contact
    normal with the body down; else up.z. Gain: max(0, how much more upright than at the last step). A demolished car gives
    0, and so does one that has respawned, above the ground, until its wheels are down.
    """

    category = "mechanics"
    sign = 0
    contacts = True

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._upright = ArenaMemory()  # [K, C] at the last step, as all of these
        self._standing = ArenaMemory(np.bool_)  # three wheels down
        self._body = ArenaMemory(np.bool_)  # the body down
        self._falling = ArenaMemory(np.bool_)  # no wheel was down since the last landing, or the episode's first step
        self._gone = ArenaMemory(np.bool_)  # demolished, or respawned and not yet on the wheels

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._upright.begin(arenas, _uprightness(state))
        self._standing.begin(arenas, state.contacts.wheels >= STANDING)
        self._body.begin(arenas, state.world_contact)
        self._falling.begin(arenas, np.zeros_like(state.world_contact))
        self._gone.begin(arenas, ~alive(state))

    def value(self, state: GameState) -> Float:
        wheels = state.contacts.wheels
        standing, off_wheels = wheels >= STANDING, wheels == 0
        on_roof: Bool = turtled(wheels, state.up[..., 2], state.contacts.normal[..., 2])
        upright = _uprightness(state)
        upright[standing & ~self._standing.values] = 1.0
        landed = self._landed(state, standing)
        gain = np.maximum(upright - self._upright.values, 0.0)
        value: Float = (0.3 * upright + 0.2 * gain) * (off_wheels & ~state.world_contact | on_roof)
        np.copyto(value, _landing(upright), where=landed)
        value *= self._here(state, standing)
        np.copyto(self._upright.values, upright)
        np.copyto(self._standing.values, standing)
        np.copyto(self._body.values, state.world_contact)
        np.copyto(self._falling.values, off_wheels | on_roof | self._falling.values & ~landed)
        return value

    def _landed(self, state: GameState, standing: Bool) -> Bool:
        landed: Bool = self._falling.values & (standing | state.world_contact & ~self._body.values)
        return landed

    def _here(self, state: GameState, standing: Bool) -> Bool:
        """[K, C] neither demolished nor still falling, or just landing, from where the car respawned."""
        gone = self._gone.values
        gone |= ~alive(state)
        here: Bool = ~gone
        gone &= ~(standing & alive(state))
        return here


def _landing(upright: Float) -> Float:
    """[K, C] what a landing pays, or costs."""
    return np.where(upright > CLEAN, 1.0 + 0.2 * upright, -0.5 * (1.0 - upright))


def _uprightness(state: GameState) -> Float:
    """[K, C] −1..1: up · normal of the surface that the body touches, or up.z where it touches none."""
    on_surface = np.einsum("kci,kci->kc", state.up, state.contacts.normal)
    return np.where(state.world_contact, on_surface, state.up[..., 2])


class Demo(Reward):
    """1 on a step in which this car demolished another, else 0."""

    category = "events"
    sign = 1

    def value(self, state: GameState) -> Float:
        return state.demos.astype(np.float32)


class Demoed(Reward):
    """1 on the step in which this car was demolished, else 0: meant for a negative weight."""

    category = "events"
    sign = 1
    penalty = True

    def value(self, state: GameState) -> Float:
        return state.demoed.astype(np.float32)
