"""GameState: K arenas at one instant, as arrays. What observations, rewards and terminals read (RLGym: GameState).

Units: uu, uu/s, rad/s, seconds, boost 0–100. Cars are ordered all blue, then all orange. Everything is in world
coordinates; `team_sign` turns x and y into a team's own view (RLGym: inverted_physics).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]
Int = NDArray[np.int64]


@dataclass(slots=True)
class GameState:
    """Arrays with leading axis K (arenas); C cars an arena. The arrays are overwritten by the next step: copy to keep."""

    blue: int
    orange: int
    team: NDArray[np.int8]  # [C] 0 blue, 1 orange
    team_sign: Float  # [C] +1 blue, −1 orange: multiply x and y to get the car's own team's view

    tick: Int  # [K] ticks since the arena's reset
    last_touch_tick: Int  # [K] tick of the newest step with a touch by any car, or of the reset (0)
    last_toucher: Int  # [K] car index of the newest touch since the reset, −1 none
    goal: NDArray[np.int8]  # [K] 0 none, +1 blue scored, −1 orange scored (ball beyond the goal line)

    ball_position: Float  # [K, 3]
    ball_velocity: Float  # [K, 3]
    ball_angular_velocity: Float  # [K, 3]

    position: Float  # [K, C, 3]
    velocity: Float  # [K, C, 3]
    angular_velocity: Float  # [K, C, 3]
    forward: Float  # [K, C, 3] unit vectors
    up: Float  # [K, C, 3]
    boost: Float  # [K, C] 0–100
    demo_respawn_timer: Float  # [K, C] seconds until respawn, 0 alive
    handbrake: Float  # [K, C] 0–1, ramps
    air_time_since_jump: Float  # [K, C] seconds since a jump off the ground ended
    flip_time: Float  # [K, C] seconds since the flip started
    on_ground: Bool  # [K, C] three or more wheels touch any surface
    is_boosting: Bool  # [K, C]
    is_supersonic: Bool  # [K, C]
    is_holding_jump: Bool  # [K, C]
    has_jumped: Bool  # [K, C]
    is_jumping: Bool  # [K, C]
    has_flipped: Bool  # [K, C]
    is_flipping: Bool  # [K, C]
    has_double_jumped: Bool  # [K, C]
    can_flip: Bool  # [K, C] RLGym's Car.can_flip
    world_contact: Bool  # [K, C] the body (not a wheel) touches the world
    touches: NDArray[np.int16]  # [K, C] ball touches during the step
    pad_timers: Float  # [K, 34] seconds until available, RLGym's pad order

    previous_actions: Float  # [K, C, 8] controls chosen at the last step; zeros after a reset

    @property
    def arenas(self) -> int:
        return len(self.tick)

    @property
    def cars(self) -> int:
        return self.blue + self.orange
