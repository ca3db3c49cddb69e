"""ArenaSetup: the first state of an episode in one arena, as a reset samples it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rltui.sim.state import Bool, Float

NUDGE = 0.01  # uu/s: a ball with exactly no velocity sleeps, and would hang in the air until touched


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
