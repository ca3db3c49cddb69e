"""GameState: K arenas at one instant, as arrays. What observations, rewards and terminals read (RLGym: GameState).

Units: uu, uu/s, rad/s, seconds, boost 0–100. Cars are ordered all blue, then all orange. Everything is in world
coordinates; `team_sign` turns x and y into a team's own view (RLGym: inverted_physics).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rltui.errors import RltuiError
from rltui.field import CONTROLS, PADS

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]
Int = NDArray[np.int64]
Seats = tuple[slice | Int, slice | Int]  # cars of arenas, as an index into arrays [K, C, …]
MOST_WHEELS = 1  # down
UPSIDE_DOWN = np.array(-0.2, np.float32)  # up.z, below; an array, which NumPy compares with faster
FLOOR_NORMAL = 0.7  # z of the normal of what the body touches, above; without contact it is 0
BALL_VECTORS = ("ball_position", "ball_velocity", "ball_angular_velocity")
CAR_VECTORS = ("position", "velocity", "angular_velocity", "forward", "up")
CAR_NUMBERS = (
    *("boost", "demo_respawn_timer", "handbrake", "air_time_since_jump", "flip_time", "touch_height", "boost_gained"),
)
CAR_FLAGS = (
    *("on_ground", "is_boosting", "is_supersonic", "is_holding_jump", "has_jumped", "is_jumping", "has_flipped"),
    *("is_flipping", "has_double_jumped", "can_flip", "world_contact", "shots", "saves", "demos", "demoed"),
)
NUDGE = 0.01  # uu/s: a ball with exactly no velocity sleeps, and would hang in the air until touched


@dataclass(slots=True)
class Contacts:
    """What touches the world, in more detail than most need: it is read only where a component asks for it."""

    wheels: NDArray[np.int8]  # [K, C] wheels that touch a surface, 0–4; a wreck's none
    normal: Float  # [K, C, 3] of the surface that the body touches; zeros without world contact, also on wheels


@dataclass(slots=True)
class EpisodeEnds:
    """Which episodes end with the step, as the terminals say: an arena may be in both."""

    terminated: Bool  # [K]
    truncated: Bool  # [K]


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
    last_toucher_of: Int  # [K, 2] the same for blue and for orange
    kickoff: Bool  # [K] the episode began with a kickoff
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
    on_ground: Bool  # [K, C] RLGym's Car.on_ground: three or more wheels touch any surface; of a wreck, as it was hit
    is_boosting: Bool  # [K, C]
    is_supersonic: Bool  # [K, C]
    is_holding_jump: Bool  # [K, C]
    has_jumped: Bool  # [K, C]
    is_jumping: Bool  # [K, C]
    has_flipped: Bool  # [K, C]
    is_flipping: Bool  # [K, C]
    has_double_jumped: Bool  # [K, C]
    can_flip: Bool  # [K, C] RLGym's Car.can_flip
    world_contact: Bool  # [K, C] the body (not a wheel) touches the world; a wreck touches nothing
    touches: NDArray[np.int16]  # [K, C] ball touches during the step
    touch_height: Float  # [K, C] z of the ball at the car's newest touch in the step, 0 none
    shots: Bool  # [K, C] the simulator counted a shot of the car's in the step, 0.3 s after its touch (sim.step_events)
    saves: Bool  # [K, C] the car's touch in the step kept a shot from its own goal
    demos: Bool  # [K, C] demolished another car in the step
    demoed: Bool  # [K, C] was demolished in the step
    pad_picked: Int  # [K, C] index of the boost pad picked up in the step, −1 none
    boost_gained: Float  # [K, C] boost that the pickup gave, 0–100
    pad_timers: Float  # [K, 34] seconds until available, RLGym's pad order

    previous_actions: Float  # [K, C, 8] controls chosen at the last step; zeros after a reset
    _contacts: Contacts | None = None
    _ends: EpisodeEnds | None = None

    @property
    def arenas(self) -> int:
        return len(self.tick)

    @property
    def cars(self) -> int:
        return self.blue + self.orange

    @property
    def contacts(self) -> Contacts:
        """RltuiError unless a component of the environment declares `contacts = True`: reading them costs time."""
        if self._contacts is None:
            raise RltuiError("state.contacts is not read here", "write `contacts = True` in the class that uses it")
        return self._contacts

    @property
    def ends(self) -> EpisodeEnds:
        """For rewards, which come after the terminals. Nothing ends where nobody judges."""
        if self._ends is None:
            self._ends = EpisodeEnds(np.zeros(self.arenas, np.bool_), np.zeros(self.arenas, np.bool_))
        return self._ends

    def part(self, arenas: slice) -> GameState:
        """These arenas alone: views, which show each step as it is read. Nobody says there how episodes end."""
        of_cars = ("blue", "orange", "team", "team_sign", "_contacts", "_ends")
        views = {item.name: getattr(self, item.name)[arenas] for item in fields(self) if item.name not in of_cars}
        contacts = self._contacts and Contacts(self._contacts.wheels[arenas], self._contacts.normal[arenas])
        return replace(self, **views, _contacts=contacts, _ends=None)


def blank_state(arenas: int, team: NDArray[np.int8]) -> GameState:
    """A state in which nothing is and nothing has happened, in arrays of its own. team: [C], all blue, then all orange."""
    shape = (arenas, len(team))
    zeros: dict[str, Any] = {}
    for name, kind, size in (
        *((name, np.bool_, shape) for name in CAR_FLAGS),
        *((name, np.float32, shape) for name in CAR_NUMBERS),
        *((name, np.float32, (*shape, 3)) for name in CAR_VECTORS),
        *((name, np.float32, (arenas, 3)) for name in BALL_VECTORS),
        *((name, np.int64, (arenas,)) for name in ("tick", "last_touch_tick")),
        ("kickoff", np.bool_, (arenas,)),
        ("goal", np.int8, (arenas,)),
        ("touches", np.int16, shape),
        ("pad_timers", np.float32, (arenas, PADS)),
        ("previous_actions", np.float32, (*shape, len(CONTROLS))),
    ):
        zeros[name] = np.zeros(size, kind)
    return GameState(
        blue=int((team == 0).sum()),
        orange=int((team == 1).sum()),
        team=team,
        team_sign=(1 - 2 * team).astype(np.float32),
        last_toucher=np.full(arenas, -1, np.int64),
        last_toucher_of=np.full((arenas, 2), -1, np.int64),
        pad_picked=np.full(shape, -1, np.int64),
        **zeros,
    )


def turtled(wheels: Any, up_z: Any, normal_z: Any) -> Any:
    """Of one car, or of arrays of one shape: wheels down, z of the up vector, z of the body's contact normal → bool."""
    return (wheels <= MOST_WHEELS) & (up_z < UPSIDE_DOWN) & (normal_z > FLOOR_NORMAL)


@dataclass(slots=True)
class ArenaSetup:
    """Ball and C cars, all blue, then all orange. World coordinates; uu, uu/s, rad/s, boost 0–100."""

    ball_position: Float  # [3]
    ball_velocity: Float  # [3]
    ball_angular_velocity: Float  # [3]
    position: Float  # [C, 3]
    velocity: Float  # [C, 3]
    angular_velocity: Float  # [C, 3]
    rotation: Float  # [C, 3, 3], columns forward, right, up
    boost: Float  # [C]
    on_ground: Bool  # [C] all four wheels down
    pad_timers: Float | None = None  # [34] seconds until available, rounded to ticks; None: all available
    kickoff: bool = False  # the ball sleeps until touched
    flip_used: Bool | None = None  # [C] neither flip nor double jump is left; None: all have theirs
    body_down: Bool | None = None  # [C] the body, not a wheel, lies on the floor; None: nobody's

    def problem(self, cars: int) -> str:
        """What is wrong with it, or "": the simulator itself takes anything, NaN too, without a word."""
        shapes = {
            "ball_position": (3,),
            "ball_velocity": (3,),
            "ball_angular_velocity": (3,),
            "position": (cars, 3),
            "velocity": (cars, 3),
            "angular_velocity": (cars, 3),
            "rotation": (cars, 3, 3),
            "boost": (cars,),
            "on_ground": (cars,),
        } | {name: (cars,) for name in ("flip_used", "body_down") if getattr(self, name) is not None}
        arrays = [getattr(self, name) for name in shapes]
        for (name, shape), array in zip(shapes.items(), arrays, strict=True):
            if array.shape != shape:
                return f"{name} must be of shape {shape}, found {array.shape}"
        if np.isfinite(np.concatenate([array.ravel() for array in arrays])).all():
            return ""
        return f"{next(name for name in shapes if not np.isfinite(getattr(self, name)).all())} is not finite"

    def woken(self) -> ArenaSetup:
        """The setup with a resting ball given a touch of velocity, unless it is a kickoff."""
        if self.kickoff or self.ball_velocity.any() or self.ball_angular_velocity.any():
            return self
        return replace(self, ball_velocity=np.array([0.0, 0.0, -NUDGE], dtype=np.float32))


class SimulatedArena(Protocol):
    """RocketSim's own objects of one arena (SoccarArena). cars: new ones after each reset, with ids from first_id on."""

    arena: Any
    cars: list[Any]
    first_id: int


@dataclass(frozen=True)
class Simulated:
    """arenas: [K]. shared: what components of one environment keep in common, by a name of theirs."""

    arenas: Sequence[SimulatedArena]
    shared: dict[str, Any] = field(default_factory=dict)
