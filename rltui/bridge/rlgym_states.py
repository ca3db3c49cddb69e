"""GameState arrays as RLGym v2 objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from rlgym.rocket_league.api import Car, GameConfig, GameState, PhysicsObject

from rltui.sim.state import GameState as Arrays
from rltui.sim.state import Simulated, SimulatedArena

OCTANE = 0  # RLGym's number of the hitbox
DODGE_DEADZONE = 0.5
NO_TORQUE = np.zeros(3, np.float32)
UPRIGHT = np.eye(3, dtype=np.float32)


class RlgymStates:
    """The newest state of each arena, built once for all of RLGym's components that ask for it.

    agents: `blue-0`, `blue-1` … `orange-0` …, in car order. shared_info: of each arena, for as long as it lasts.
    """

    def __init__(self, state: Arrays, simulated: Simulated | None) -> None:
        self.agents = [f"blue-{i}" for i in range(state.blue)] + [f"orange-{i}" for i in range(state.orange)]
        self.shared_info: list[dict[str, Any]] = [SharedInfo() for _ in range(state.arenas)]
        self._simulated = simulated
        self._config = _config()
        self._built: list[GameState[str] | None] = [None] * state.arenas

    @classmethod
    def shared(cls, state: Arrays, simulated: Simulated | None) -> RlgymStates:
        """Those that all components of an environment share."""
        if simulated is None:
            return cls(state, None)
        found: RlgymStates = simulated.shared.setdefault("rlgym_v2", None) or cls(state, simulated)
        simulated.shared["rlgym_v2"] = found
        return found

    def of(self, state: Arrays, arena: int) -> GameState[str]:
        """The arena now. No two instants in a row have the same tick: who asks must also ask at each reset."""
        built = self._built[arena]
        if built is None or built.tick_count != state.tick[arena]:
            built = self._built[arena] = self._build(state, arena)
        return built

    def _build(self, state: Arrays, arena: int) -> GameState[str]:
        game: Any = GameState()
        game.tick_count = int(state.tick[arena])
        game.config = self._config
        game.goal_scored = bool(state.goal[arena])
        game.boost_pad_timers = state.pad_timers[arena].copy()
        if self._simulated is None:
            game.ball = _moving(state.ball_position, state.ball_velocity, state.ball_angular_velocity, arena)
            game.ball.rotation_mtx = UPRIGHT
            cars = [_car_of_arrays(state, (arena, car)) for car in range(state.cars)]
        else:
            own = self._simulated.arenas[arena]
            game.ball = _physics(own.arena.ball.get_state())
            cars = [_car_of_simulator(own, car, self.agents) for car in range(state.cars)]
        for index, car in enumerate(cars):
            car.team_num, car.ball_touches = int(state.team[index]), int(state.touches[arena, index])
        game.cars = dict(zip(self.agents, cars, strict=True))
        built: GameState[str] = game
        return built


class SharedInfo(dict[str, Any]):
    """RLGym's shared_info of one arena: what its RewardFunctions have put there, for no SharedInfoProvider runs here."""

    def __missing__(self, key: str) -> Any:
        raise KeyError(
            f"{key} is not in shared_info: SharedInfoProviders do not run here; let a RewardFunction that stands before "
            "this one in [rewards] put it there"
        )


def _config() -> GameConfig:
    config: Any = GameConfig()
    config.gravity = config.boost_consumption = 1.0
    config.dodge_deadzone = DODGE_DEADZONE
    built: GameConfig = config
    return built


def _physics(body: Any) -> PhysicsObject:
    """Of the simulator's BallState or CarState."""
    physics: Any = PhysicsObject()
    physics.position = body.pos.as_numpy()
    physics.linear_velocity = body.vel.as_numpy()
    physics.angular_velocity = body.ang_vel.as_numpy()
    physics.rotation_mtx = np.ascontiguousarray(body.rot_mat.as_numpy().reshape(3, 3).T)
    built: PhysicsObject = physics
    return built


def _car_of_simulator(own: SimulatedArena, index: int, agents: list[str]) -> Any:
    read = own.cars[index].get_state()
    car: Any = Car()
    car.hitbox_type = OCTANE
    car.physics = _physics(read)
    car.demo_respawn_timer = read.demo_respawn_timer
    car.wheels_with_contact = read.wheels_with_contact
    car.supersonic_time = read.supersonic_time
    car.boost_amount = read.boost
    car.boost_active_time = read.time_spent_boosting
    car.handbrake = read.handbrake_val
    car.has_jumped = read.has_jumped
    car.is_holding_jump = read.last_controls.jump
    car.is_jumping = read.is_jumping
    car.jump_time = read.jump_time
    car.has_flipped = read.has_flipped
    car.has_double_jumped = read.has_double_jumped
    car.air_time_since_jump = read.air_time_since_jump
    car.flip_time = read.flip_time
    car.flip_torque = read.flip_rel_torque.as_numpy()
    car.is_autoflipping = read.is_auto_flipping
    car.autoflip_timer = read.auto_flip_timer
    car.autoflip_direction = read.auto_flip_torque_scale
    in_contact = read.car_contact_cooldown_timer > 0
    car.bump_victim_id = agents[read.car_contact_id - own.first_id] if in_contact else None
    return car


def _car_of_arrays(state: Arrays, at: tuple[int, int]) -> Any:
    """What the arrays tell; times that they do not have are 0, or 1 where something is going on."""
    car: Any = Car()
    car.hitbox_type = OCTANE
    car.physics = _moving(state.position, state.velocity, state.angular_velocity, at)
    (fx, fy, fz), (ux, uy, uz) = state.forward[at].tolist(), state.up[at].tolist()
    right = (uy * fz - uz * fy, uz * fx - ux * fz, ux * fy - uy * fx)  # NumPy's cross product takes ten times as long
    car.physics.rotation_mtx = np.array([(fx, fy, fz), right, (ux, uy, uz)], np.float32).T
    for name in ("has_jumped", "is_jumping", "is_holding_jump", "has_flipped", "has_double_jumped"):
        setattr(car, name, bool(getattr(state, name)[at]))
    for name in ("demo_respawn_timer", "handbrake", "air_time_since_jump", "flip_time"):
        setattr(car, name, float(getattr(state, name)[at]))
    car.on_ground = bool(state.on_ground[at])
    car.boost_amount = float(state.boost[at])
    car.supersonic_time, car.boost_active_time = float(state.is_supersonic[at]), float(state.is_boosting[at])
    car.jump_time = car.autoflip_timer = car.autoflip_direction = 0.0
    car.is_autoflipping, car.flip_torque = False, NO_TORQUE
    return car


def _moving(position: Any, velocity: Any, spin: Any, at: int | tuple[int, int]) -> Any:
    """Copies: RLGym's states are for keeping."""
    physics: Any = PhysicsObject()
    physics.position = position[at].copy()
    physics.linear_velocity = velocity[at].copy()
    physics.angular_velocity = spin[at].copy()
    return physics
