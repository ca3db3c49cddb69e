"""Tables that are shipped: `rlgym`, the 90 rows of RLGym's LookupTableAction, and `hybrid` of 221 rows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from rltui.actions.table import ActionTable
from rltui.sim.state import Float

Row = tuple[float, float, float, float, float, float, float, float]


class RlgymTable(ActionTable):
    """24 rows for driving, then 66 for flying; steer and yaw are one control."""

    def rows(self) -> Float:
        return np.array(_rlgym_ground() + _rlgym_air(), dtype=np.float32)


def _rlgym_ground() -> list[Row]:
    """Throttle × steer × boost × handbrake; boost only with full throttle."""
    return [
        (throttle, steer, 0, steer, 0, 0, boost, handbrake)
        for throttle, steer, boost, handbrake in product((-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1))
        if throttle == 1 or not boost
    ]


def _rlgym_air() -> list[Row]:
    """Pitch × yaw × roll × jump × boost; a jump never yaws (roll serves for side flips), and rows that `_rlgym_ground` has
    are left out. Jumps that turn hold the handbrake, for wavedashes.
    """
    return [
        (boost, yaw, pitch, yaw, roll, jump, boost, int(jump == 1 and (pitch != 0 or roll != 0)))
        for pitch, yaw, roll, jump, boost in product((-1, 0, 1), (-1, 0, 1), (-1, 0, 1), (0, 1), (0, 1))
        if not (jump and yaw) and (pitch or roll or jump)
    ]


BINS = (-1.0, -0.5, 0.0, 0.5, 1.0)
WAYS = (-1.0, 0.0, 1.0)
BUTTON = (0.0, 1.0)


def _row(
    throttle: float = 0, turn: float = 0, pitch: float = 0, roll: float = 0, jump: float = 0, handbrake: float = 0
) -> Row:
    """Steer and yaw are one control."""
    return (throttle, turn, pitch, turn, roll, jump, 0, handbrake)


# What players have names for. Many stand among the products already, and keep their place there.
NAMED: Mapping[str, Row] = {
    "idle": _row(),
    "jump": _row(jump=1),
    "wavedash pop forward": _row(throttle=1, pitch=-1, jump=1, handbrake=1),
    "wavedash pop left": _row(throttle=1, roll=-1, jump=1, handbrake=1),
    "wavedash pop right": _row(throttle=1, roll=1, jump=1, handbrake=1),
    "small jump nose down": _row(pitch=-0.5, jump=1),
    "small jump nose up": _row(pitch=0.5, jump=1),
    "small jump left": _row(turn=-0.5, jump=1),
    "small jump right": _row(turn=0.5, jump=1),
    "small jump rolling left": _row(roll=-0.5, jump=1),
    "small jump rolling right": _row(roll=0.5, jump=1),
    "torque nose down": _row(pitch=-1),
    "torque nose up": _row(pitch=1),
    "torque left": _row(turn=-1),
    "torque right": _row(turn=1),
    "torque rolling left": _row(roll=-1),
    "torque rolling right": _row(roll=1),
    "flip forward": _row(pitch=-1, jump=1),
    "flip backward": _row(pitch=1, jump=1),
    "flip left": _row(roll=-1, jump=1),
    "flip right": _row(roll=1, jump=1),
    "flip forward left": _row(pitch=-1, roll=-1, jump=1),
    "flip forward right": _row(pitch=-1, roll=1, jump=1),
    "flip backward left": _row(pitch=1, roll=-1, jump=1),
    "flip backward right": _row(pitch=1, roll=1, jump=1),
    "flip left by yaw": _row(turn=-1, jump=1),
    "flip right by yaw": _row(turn=1, jump=1),
    "stall left": _row(turn=-1, roll=1, jump=1),  # yaw and roll cancel: the flip is spent without a push
    "stall right": _row(turn=1, roll=-1, jump=1),
}


class HybridTable(ActionTable):
    """Rows for driving (40), flying (140 more), jumping (30), then the named ones that these lack (11)."""

    def rows(self) -> Float:
        return np.array(list(dict.fromkeys([*_ground(), *_air(), *_jump(), *NAMED.values()])), dtype=np.float32)


def _ground() -> list[Row]:
    """Throttle × steer × handbrake, then the same with boost where the throttle is full."""
    return [
        (throttle, steer, 0, steer, 0, 0, boost, handbrake)
        for boost, throttle, steer, handbrake in product(BUTTON, WAYS, BINS, BUTTON)
        if throttle == 1 or not boost
    ]


def _air() -> list[Row]:
    """Pitch × steer × roll × boost; throttle is boost."""
    return [
        (boost, steer, pitch, steer, roll, 0, boost, 0)
        for pitch, steer, roll, boost in product(BINS, BINS, WAYS, BUTTON)
    ]


def _jump() -> list[Row]:
    """Pitch × roll × boost, never steering. Off the ground all but the straight ones flip: ±0.5 reaches the deadzone."""
    return [(boost, 0, pitch, 0, roll, 1, boost, 0) for pitch, roll, boost in product(BINS, WAYS, BUTTON)]
