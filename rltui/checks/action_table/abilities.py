"""Canonical states of a car, and what the rows of a table mean to do in each: effects, abilities, which are lacking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rltui.checks.action_table.findings import Outcome, TableCheck, listed
from rltui.field import BOOST, CAR_REST_Z, JUMP, KICKOFF_BOOST, PITCH, ROLL, STEER, THROTTLE
from rltui.formatting import plural
from rltui.sim.readout import Readout, view_state
from rltui.sim.state import Bool, Float, GameState, Int

Surface = Literal["floor", "wall", "air", "roof", "none"]  # what the car stands or lies on; none: it is a wreck
Masks = Mapping[str, Bool]  # name of the canonical state → [N] legal rows

AIR_Z = 900.0
ROOF_Z = 39.6  # of a settled Octane, roof down
WALL_X = 4096.0 - CAR_REST_Z
TORQUE = slice(PITCH, ROLL + 1)  # pitch, yaw, roll
DODGE_DEADZONE = 0.5  # |pitch| + |yaw| + |roll| from which a jump in the air is a flip
GROUND = ("driving", "kickoff", "on a wall", "boost 0")
BOOSTED = ("driving", "kickoff", "on a wall")
AIR = ("airborne with flip", "airborne without flip")
FLIP = ("airborne with flip",)
ROOF = ("turtled",)
EVERYWHERE = (*GROUND, *AIR, *ROOF, "demolished")


@dataclass(frozen=True)
class CanonicalState:
    """A car in one situation. when: how sentences say it."""

    name: str
    when: str
    surface: Surface
    boost: float = 50.0  # 0–100
    speed: float = 0.0  # uu/s forward
    flip: bool = True  # a jump or flip is left
    alive: bool = True

    @property
    def wheels_down(self) -> bool:
        return self.surface in ("floor", "wall")


STATES = (
    CanonicalState("kickoff", "at kickoff", "floor", KICKOFF_BOOST),
    CanonicalState("driving", "while driving", "floor", speed=1000.0),
    CanonicalState("airborne with flip", "in the air", "air"),
    CanonicalState("airborne without flip", "in the air without a flip", "air", flip=False),
    CanonicalState("turtled", "on its roof", "roof", flip=False),
    CanonicalState("on a wall", "on a wall", "wall", speed=1000.0),
    CanonicalState("boost 0", "without boost", "floor", boost=0.0, speed=1000.0),
    CanonicalState("demolished", "when demolished", "none", alive=False),
)
BY_NAME = {state.name: state for state in STATES}


def game_state() -> GameState:
    """All of them as one state of [8, 1]: what legality is asked about."""
    game = view_state(Readout(len(STATES), 1), np.zeros(1, np.int8))
    for arena, state in enumerate(STATES):
        game.boost[arena] = state.boost
        game.on_ground[arena] = state.wheels_down
        game.can_flip[arena] = state.flip and state.surface == "air"
        game.has_jumped[arena] = game.has_double_jumped[arena] = not state.flip
        game.world_contact[arena] = state.surface == "roof"
        game.demo_respawn_timer[arena] = 0.0 if state.alive else 3.0
        game.position[arena], game.forward[arena], game.up[arena] = place(state)
        game.velocity[arena] = game.forward[arena] * state.speed
    game.kickoff[0] = True
    return game


def place(
    state: CanonicalState,
) -> tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
    """Position in uu, forward and up of a car that looks along +y."""
    forward = (0.0, 1.0, 0.0)
    if state.surface == "wall":
        return (WALL_X, 0.0, 800.0), forward, (-1.0, 0.0, 0.0)
    if state.surface == "roof":
        return (0.0, 0.0, ROOF_Z), forward, (0.0, 0.0, -1.0)
    return (0.0, 0.0, AIR_Z if state.surface == "air" else CAR_REST_Z), forward, (0.0, 0.0, 1.0)


def effective_controls(rows: Float, state: CanonicalState) -> Float:
    """Copies of the rows [N, 8] with every control at zero that changes nothing within a step from this state.

    Steering does nothing in the air, pitch nothing on wheels, where boost means full throttle as well; and so on.
    """
    out = rows + np.float32(0.0)  # −0 and 0 are the same control
    if state.surface == "none":
        out[:] = 0
        return out
    if not state.boost:
        out[:, BOOST] = 0
    if state.wheels_down:
        rolling = out[:, JUMP] == 0  # who jumps is in the air before the step is over
        out[rolling, TORQUE] = 0
        out[rolling & (out[:, BOOST] != 0), THROTTLE] = 1
    else:
        out[:, STEER] = 0
    if state.surface == "air" and not state.flip:
        out[:, JUMP] = 0
    return out


def representatives(rows: Float, state: CanonicalState) -> Int:
    """Row numbers, ascending: the first row of each effect."""
    _, first = np.unique(effective_controls(rows, state), axis=0, return_index=True)
    return np.sort(first)


class ControlColumns:
    """The columns of a table by name; buttons as booleans."""

    def __init__(self, rows: Float) -> None:
        self.rows = rows
        self.throttle, self.steer, self.pitch, self.yaw, self.roll = rows.T[:5]
        self.jump, self.boost, self.handbrake = rows.T[5:] != 0


Rule = Callable[[ControlColumns], Bool]


@dataclass(frozen=True)
class Ability:
    """does: as it ends the sentence "no row …"."""

    does: str
    rule: Rule


@dataclass(frozen=True)
class Single:
    """A move that stands alone. loss: what the bot could not do without; missing: how bad it is where the table lacks it."""

    move: Ability
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
    moves: tuple[Ability, Ability]
    states: tuple[str, ...]
    losses: tuple[str, str, str]
    missing: Outcome = "warn"

    @property
    def key(self) -> str:
        return self.does


def _idle(c: ControlColumns) -> Bool:
    idle: Bool = ~(c.rows != 0).any(axis=1)
    return idle


def _full_throttle(c: ControlColumns) -> Bool:
    plain: Bool = (c.throttle == 1) & ~(c.rows[:, 1:] != 0).any(axis=1)
    return plain


def _no_jump(c: ControlColumns) -> Bool:
    free: Bool = ~c.jump
    return free


def _turn(side: int, also: Rule = _no_jump) -> Rule:
    """-1 left, 1 right, without a jump; `also` must hold as well."""
    return lambda c: (c.steer * side > 0) & ~c.jump & also(c)


def _air(name: str, side: int, also: Rule = _no_jump) -> Rule:
    return lambda c: (getattr(c, name) * side > 0) & ~c.jump & also(c)


def _dodges(c: ControlColumns) -> Bool:
    dodges: Bool = c.jump & (np.abs(c.pitch) + np.abs(c.yaw) + np.abs(c.roll) >= DODGE_DEADZONE)
    return dodges


def _flip(ahead: int, side: int) -> Rule:
    """The flip's main direction: pitch against yaw and roll together (both at once and opposite: a stall)."""

    def rule(c: ControlColumns) -> Bool:
        forward, right = -c.pitch, c.yaw + c.roll
        along, across = (forward, right) if ahead else (right, forward)
        flips: Bool = _dodges(c) & (along * (ahead or side) > np.abs(across))
        return flips

    return rule


def _sides(does: str, rule: Callable[[int], Rule], left: str = "left", right: str = "right") -> tuple[Ability, Ability]:
    return Ability(does.format(left), rule(-1)), Ability(does.format(right), rule(1))


ABILITIES: tuple[Single | Pair, ...] = (
    Single(Ability("is idle", _idle), EVERYWHERE, "the bot could never let go of all controls", "fail"),
    Single(
        Ability("is plain full throttle", _full_throttle),
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
        Ability("reverses", lambda c: (c.throttle < 0) & ~c.jump),
        GROUND,
        "the bot could neither brake nor drive backward",
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
    Single(
        Ability("boosts", lambda c: c.boost & ~c.jump), (*BOOSTED, *AIR), "the bot would carry its boost about unused"
    ),
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
    Single(Ability("jumps", lambda c: c.jump), GROUND, "the bot could not leave the ground"),
    Single(
        Ability("presses jump", lambda c: c.jump),
        ROOF,
        "the bot could not right itself with a jump, the fastest way",
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
        Ability("jumps a second time", lambda c: c.jump & ~_dodges(c)),
        FLIP,
        "every second jump of the bot would be a flip",
    ),
    Pair(
        "flips forward or backward",
        (Ability("flips forward", _flip(1, 0)), Ability("flips backward", _flip(-1, 0))),
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
            "the bot would have to let go of the boost to lift or lower its nose, and could hardly fly",
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


def ability_checks(rows: Float, masks: Masks) -> Iterator[TableCheck]:
    """One check for each ability, more where it fails in different ways. rows: finite [N, 8]."""
    columns = ControlColumns(rows)
    for ability in ABILITIES:
        found = list(
            _single(ability, columns, masks) if isinstance(ability, Single) else _pair(ability, columns, masks)
        )
        yield from found or [_passed(ability, columns)]


def moves(rows: Float, legal: Bool, state: str) -> dict[str, int]:
    """Legal rows that make each move that means something in the state."""
    columns = ControlColumns(rows)
    return {move.does: int((move.rule(columns) & legal).sum()) for move in _moves(state)}


def shortcomings(rows: Float) -> set[str]:
    """What no row does, legal or not, as "no row turns left"."""
    columns = ControlColumns(rows)
    every = [move for ability in ABILITIES for move in _of(ability)]
    return {f"no row {move.does}" for move in every if not move.rule(columns).any()}


def _moves(state: str) -> Iterator[Ability]:
    for ability in ABILITIES:
        if state in ability.states:
            yield from _of(ability)


def _of(ability: Single | Pair) -> tuple[Ability, ...]:
    return (ability.move,) if isinstance(ability, Single) else ability.moves


def _single(ability: Single, columns: ControlColumns, masks: Masks) -> Iterator[TableCheck]:
    doing = ability.move.rule(columns)
    lacking = [state for state in ability.states if not (doing & masks[state]).any()]
    if lacking:
        outcome: Outcome = "fail" if doing.any() else ability.missing
        yield TableCheck(ability.key, outcome, _lack(ability.move.does, doing, lacking) + ability.loss, tuple(lacking))


def _pair(ability: Pair, columns: ControlColumns, masks: Masks) -> Iterator[TableCheck]:
    one, other = (move.rule(columns) for move in ability.moves)
    has = {state: (bool((one & masks[state]).any()), bool((other & masks[state]).any())) for state in ability.states}
    cases = (
        ((False, True), ability.moves[0].does, one, ability.losses[0]),
        ((True, False), ability.moves[1].does, other, ability.losses[1]),
        ((False, False), ability.does, one | other, ability.losses[2]),
    )
    for case, does, doing, loss in cases:
        lacking = [state for state in ability.states if has[state] == case]
        if lacking:
            outcome: Outcome = ability.missing if case == (False, False) and not doing.any() else "fail"
            yield TableCheck(ability.key, outcome, _lack(does, doing, lacking) + loss, tuple(lacking))


def _lack(does: str, doing: Bool, states: list[str]) -> str:
    """`no row turns left while driving: `, or that the rows are there and illegal."""
    if not doing.any():
        return f"no row {does}{_when(states if 'demolished' in states else states[:1])}: "
    return f"every row that {does} ({int(doing.sum()):,}) is illegal{_when(states)}: "


def _when(states: list[str]) -> str:
    """Where it is everywhere, no place is named."""
    return "" if "demolished" in states and len(states) > 1 else " " + listed([BY_NAME[state].when for state in states])


def _passed(ability: Single | Pair, columns: ControlColumns) -> TableCheck:
    counts = [f"{move.does}: {plural(int(move.rule(columns).sum()), 'row')}" for move in _of(ability)]
    return TableCheck(ability.key, "pass", "; ".join(counts), ability.states)


def all_legal(rows: Float) -> dict[str, Bool]:
    """Masks of a table without legality."""
    return {state: np.ones(len(rows), np.bool_) for state in BY_NAME}
