"""Moves: what the controls of a row mean in a situation, and what a bot lacks that has no row for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rltui.debug.lut_findings import Outcome
from rltui.sim.state import Bool, Float

DODGE_DEADZONE = 0.5  # |pitch| + |yaw| + |roll| from which a jump in the air is a flip

GROUND = ("driving", "kickoff", "on a wall", "boost 0")
BOOSTED = ("driving", "kickoff", "on a wall")
AIR = ("airborne with flip", "airborne without flip")
FLIP = ("airborne with flip",)
ROOF = ("turtled",)
EVERYWHERE = (*GROUND, *AIR, *ROOF, "demolished")


class Columns:
    """The columns of a table by name; buttons as booleans."""

    def __init__(self, rows: Float) -> None:
        self.rows = rows
        self.throttle, self.steer, self.pitch, self.yaw, self.roll = rows.T[:5]
        self.jump, self.boost, self.handbrake = rows.T[5:] != 0


Rule = Callable[[Columns], Bool]


@dataclass(frozen=True)
class Move:
    """does: as it ends the sentence "no row …"."""

    does: str
    rule: Rule


@dataclass(frozen=True)
class Single:
    """A move that stands alone. loss: what the bot could not do without; missing: how bad it is where the table lacks it."""

    move: Move
    states: tuple[str, ...]
    loss: str
    missing: Outcome = "warn"

    @property
    def key(self) -> str:
        return self.move.does


@dataclass(frozen=True)
class Pair:
    """Two moves of which one without the other is always a mistake; both may be missing on purpose.

    losses: without the first, without the second, without either.
    """

    does: str  # either
    moves: tuple[Move, Move]
    states: tuple[str, ...]
    losses: tuple[str, str, str]
    missing: Outcome = "warn"

    @property
    def key(self) -> str:
        return self.does


def _idle(c: Columns) -> Bool:
    idle: Bool = ~(c.rows != 0).any(axis=1)
    return idle


def _full_throttle(c: Columns) -> Bool:
    plain: Bool = (c.throttle == 1) & ~(c.rows[:, 1:] != 0).any(axis=1)
    return plain


def _no_jump(c: Columns) -> Bool:
    free: Bool = ~c.jump
    return free


def _turn(side: int, also: Rule = _no_jump) -> Rule:
    """-1 left, 1 right, without a jump; `also` must hold as well."""
    return lambda c: (c.steer * side > 0) & ~c.jump & also(c)


def _air(name: str, side: int, also: Rule = _no_jump) -> Rule:
    return lambda c: (getattr(c, name) * side > 0) & ~c.jump & also(c)


def _dodges(c: Columns) -> Bool:
    dodges: Bool = c.jump & (np.abs(c.pitch) + np.abs(c.yaw) + np.abs(c.roll) >= DODGE_DEADZONE)
    return dodges


def _flip(ahead: int, side: int) -> Rule:
    """The flip's main direction: pitch against yaw and roll together (both at once and opposite: a stall)."""

    def rule(c: Columns) -> Bool:
        forward, right = -c.pitch, c.yaw + c.roll
        along, across = (forward, right) if ahead else (right, forward)
        flips: Bool = _dodges(c) & (along * (ahead or side) > np.abs(across))
        return flips

    return rule


def _sides(does: str, rule: Callable[[int], Rule], left: str = "left", right: str = "right") -> tuple[Move, Move]:
    return Move(does.format(left), rule(-1)), Move(does.format(right), rule(1))


ABILITIES: tuple[Single | Pair, ...] = (
    Single(Move("is idle", _idle), EVERYWHERE, "the bot could never let go of all controls", "fail"),
    Single(
        Move("is plain full throttle", _full_throttle),
        GROUND,
        "the bot could not drive straight on without doing something else as well",
        "fail",
    ),
    Pair(
        "turns",
        _sides("turns {}", _turn),
        GROUND,
        ("the bot could only turn right", "the bot could only turn left", "the bot could only drive straight on"),
        "fail",
    ),
    Pair(
        "turns at full throttle",
        _sides("turns {} at full throttle", lambda side: _turn(side, lambda c: c.throttle == 1)),
        GROUND,
        (
            "the bot would have to slow down to turn left",
            "the bot would have to slow down to turn right",
            "the bot would have to slow down for every turn",
        ),
    ),
    Single(
        Move("reverses", lambda c: (c.throttle < 0) & ~c.jump), GROUND, "the bot could neither brake nor drive backward"
    ),
    Pair(
        "turns with the handbrake",
        _sides("turns {} with the handbrake", lambda side: _turn(side, lambda c: c.handbrake)),
        GROUND,
        (
            "the bot could slide round to the right only",
            "the bot could slide round to the left only",
            "the bot could not slide round",
        ),
    ),
    Single(Move("boosts", lambda c: c.boost & ~c.jump), (*BOOSTED, *AIR), "the bot would carry its boost about unused"),
    Pair(
        "boosts and turns",
        _sides("boosts and turns {}", lambda side: _turn(side, lambda c: c.boost)),
        BOOSTED,
        (
            "the bot would have to let go of the boost to turn left",
            "the bot would have to let go of the boost to turn right",
            "the bot would have to let go of the boost for every turn",
        ),
    ),
    Single(Move("jumps", lambda c: c.jump), GROUND, "the bot could not leave the ground"),
    Single(
        Move("presses jump", lambda c: c.jump),
        ROOF,
        "the bot could not right itself with a jump, which is the fastest way",
    ),
    Pair(
        "pitches",
        _sides("pitches {}", lambda side: _air("pitch", side), "down", "up"),
        AIR,
        (
            "the bot could only lift its nose",
            "the bot could only lower its nose",
            "the bot could neither lift nor lower its nose",
        ),
    ),
    Pair(
        "yaws",
        _sides("yaws {}", lambda side: _air("yaw", side)),
        AIR,
        (
            "the bot could turn in the air to the right only",
            "the bot could turn in the air to the left only",
            "the bot could not turn left or right in the air",
        ),
    ),
    Pair(
        "rolls",
        _sides("rolls {}", lambda side: _air("roll", side)),
        AIR,
        ("the bot could only roll right", "the bot could only roll left", "the bot could not roll"),
    ),
    Single(
        Move("jumps a second time", lambda c: c.jump & ~_dodges(c)),
        FLIP,
        "every second jump of the bot would be a flip",
    ),
    Pair(
        "flips forward or backward",
        (Move("flips forward", _flip(1, 0)), Move("flips backward", _flip(-1, 0))),
        FLIP,
        (
            "the bot could only flip backward",
            "the bot could only flip forward",
            "the bot could flip neither forward nor backward",
        ),
    ),
    Pair(
        "flips to a side",
        _sides("flips to the {}", lambda side: _flip(0, side)),
        FLIP,
        (
            "the bot could only flip to the right",
            "the bot could only flip to the left",
            "the bot could not flip sideways",
        ),
    ),
    Pair(
        "boosts and pitches",
        _sides("boosts and pitches {}", lambda side: _air("pitch", side, lambda c: c.boost), "down", "up"),
        AIR,
        (
            "the bot would have to let go of the boost to lower its nose",
            "the bot would have to let go of the boost to lift its nose",
            "the bot would have to let go of the boost to lift or lower its nose: it could hardly fly",
        ),
    ),
    Pair(
        "boosts and yaws",
        _sides("boosts and yaws {}", lambda side: _air("yaw", side, lambda c: c.boost)),
        AIR,
        (
            "the bot would have to let go of the boost to turn left in the air",
            "the bot would have to let go of the boost to turn right in the air",
            "the bot would have to let go of the boost to turn in the air",
        ),
    ),
)
