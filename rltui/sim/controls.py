"""The eight controls of a car in RLGym's order: the columns of an action table, and of everything that is played."""

from __future__ import annotations

CONTROLS = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")
THROTTLE, STEER, PITCH, YAW, ROLL, JUMP, BOOST, HANDBRAKE = range(8)
AXES = 5  # so many come first, −1..1; buttons follow, 0 or 1
