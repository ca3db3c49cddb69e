"""What an action table does in the simulator: each control alone, then the table's own rows held for a while.

The numbers of a table say what is meant; here the car says what happens. Rows go the way that training's rows go, through
`sim.arena_batch`, legality applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.checks.action_table.abilities import BY_NAME, CanonicalState, Masks, moves, place, representatives
from rltui.checks.action_table.findings import TableCheck
from rltui.field import AXES, CONTROLS, JUMP, PADS, THROTTLE, TICKS_PER_SECOND
from rltui.formatting import duration
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.state import ArenaSetup, Bool, Float, GameState, Int

CARS = 63  # of one arena: many are the quickest, about 10 µs a car and step, where a new arena's first tick costs 20 ms
TICKS = 8  # of a step, without delay: what a row does is read at the end of the step that played it
BALL = (0.0, 4900.0, 1700.0)  # out of the way
PAD_SECONDS = 10.0  # no boost lies about
UPRIGHT = 0.6  # up.z of a car back on its wheels
DRIVING, FLYING = "driving", "airborne with flip"  # canonical states
DRIVING_STEPS, FLYING_STEPS = 8, 6  # steps of 8 ticks: 0.5 s and 0.4 s
STRAIGHT = 5.0  # degrees
ROOF, ROOF_STEPS = "turtled", 24  # 1.6 s: a jump takes 0.7 s, driving 0.9 s
CONTROL_STEPS = 4
PART = 0.25  # of enough, below which a move does not happen


@dataclass(frozen=True)
class CarStates:
    """N cars at one time. Vectors in uu, uu/s, rad/s."""

    position: Float  # [N, 3]
    velocity: Float  # [N, 3]
    spin: Float  # [N, 3] angular velocity
    forward: Float  # [N, 3]
    up: Float  # [N, 3]
    boost: Float  # [N] 0–100
    handbrake: Float  # [N] 0–1
    on_ground: Bool  # [N]
    has_jumped: Bool  # [N]
    has_flipped: Bool  # [N]
    has_double_jumped: Bool  # [N]


FIELDS = {name: name for name in CarStates.__dataclass_fields__} | {"spin": "angular_velocity"}
Trajectory = list[CarStates]  # before the first step, then after each
Measure = Callable[[Trajectory], Float]  # [N] of the rows played


class RowSimulator:
    """One arena full of cars in the same canonical state, each of which holds a row of its own.

    The simulator must have been started (sim.meshes.init_simulator).
    """

    def __init__(self, rows: Float) -> None:
        """rows: float32 [N, 8], finite."""
        self._idle = len(rows)
        table = np.concatenate([rows, np.zeros((1, 8), np.float32)])
        self._batch = ArenaBatch([np.random.default_rng(0)], (CARS, 0), table, Pace(TICKS, delay=0))

    @property
    def state(self) -> GameState:
        """Of the cars that played last, [1, CARS]."""
        return self._batch.state

    def play(self, state: CanonicalState, rows: Int, steps: int) -> Trajectory:
        """Each of these rows (numbers [n]), held for so many steps by a car of its own."""
        parts = [self._play(state, rows[first : first + CARS], steps) for first in range(0, len(rows), CARS)]
        return [_joined([part[step] for part in parts]) for step in range(steps + 1)] if parts else []

    def _play(self, state: CanonicalState, rows: Int, steps: int) -> Trajectory:
        self.put(state)
        actions = np.full((1, CARS), self._idle)
        actions[0, : len(rows)] = rows
        states = [_car_states(self.state, len(rows))]
        for _ in range(steps):
            self._batch.step(actions)
            states.append(_car_states(self.state, len(rows)))
        return states

    def put(self, state: CanonicalState) -> None:
        """All cars into this situation, idle for a step: the simulator works out contacts at its first tick."""
        self._batch.reset([0], [_setup(state)])
        self._batch.step(np.full((1, CARS), self._idle))


def _setup(state: CanonicalState) -> ArenaSetup:
    """The cars in rows and columns, looking along +y, far enough from each other for half a second at any speed."""
    position, forward, up = map(np.array, place(state))
    cars = np.arange(CARS)
    if state.surface == "wall":
        offsets = np.stack([0 * cars, cars % 21 * 300 - 3150, cars // 21 * 400 - 400], axis=1)
    else:
        offsets = np.stack([cars % 9 * 800 - 3200, cars // 9 * 1200 - 4000, 0 * cars], axis=1)
    rotation = np.stack([forward, np.cross(up, forward), up], axis=1)
    return ArenaSetup(
        ball_position=np.array(BALL, np.float32),
        ball_velocity=np.zeros(3, np.float32),
        ball_angular_velocity=np.zeros(3, np.float32),
        position=(position + offsets).astype(np.float32),
        velocity=np.tile(forward * state.speed, (CARS, 1)).astype(np.float32),
        angular_velocity=np.zeros((CARS, 3), np.float32),
        rotation=np.tile(rotation, (CARS, 1, 1)).astype(np.float32),
        boost=np.full(CARS, state.boost, np.float32),
        on_ground=np.full(CARS, state.wheels_down),
        pad_timers=np.full(PADS, PAD_SECONDS, np.float32),
        flip_used=np.full(CARS, not state.flip),
        body_down=np.full(CARS, state.surface == "roof"),
    )


def _car_states(state: GameState, cars: int) -> CarStates:
    return CarStates(**{name: getattr(state, source)[0, :cars].copy() for name, source in FIELDS.items()})


def _joined(parts: list[CarStates]) -> CarStates:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    return CarStates(**{name: column(name) for name in FIELDS})


def gain(played: Trajectory) -> Float:
    """uu/s won along the nose that it began with."""
    first, last = played[0], played[-1]
    return _along(last.velocity - first.velocity, first.forward)


def heading(played: Trajectory) -> Float:
    """Degrees that the nose turned to the right."""
    first, last = played[0], played[-1]
    ahead, right = _along(last.forward, first.forward), _along(last.forward, _right(first))
    degrees: Float = np.degrees(np.arctan2(right, ahead)) * ~jumped(played)
    return degrees


def sideways(played: Trajectory) -> Float:
    """uu/s won to the right."""
    first, last = played[0], played[-1]
    return _along(last.velocity - first.velocity, _right(first))


def climb(played: Trajectory) -> Float:
    """uu/s won upward."""
    won: Float = played[-1].velocity[:, 2] - played[0].velocity[:, 2]
    return won


def pitch(played: Trajectory) -> Float:
    """rad/s that the nose rises with at the end, of cars that did not jump."""
    return -_along(played[-1].spin, _right(played[-1])) * ~jumped(played)


def yaw(played: Trajectory) -> Float:
    """rad/s to the right."""
    return _along(played[-1].spin, played[-1].up) * ~jumped(played)


def roll(played: Trajectory) -> Float:
    """rad/s to the right."""
    return -_along(played[-1].spin, played[-1].forward) * ~jumped(played)


def boost_used(played: Trajectory) -> Float:
    """0–100."""
    used: Float = played[0].boost - played[-1].boost
    return used


def handbrake(played: Trajectory) -> Float:
    """0–1."""
    return played[-1].handbrake


def jumped(played: Trajectory) -> Bool:
    """Whether the car jumped, jumped again or flipped since the beginning."""
    first = played[0]
    new = [
        (moment.has_jumped & ~first.has_jumped)
        | (moment.has_flipped & ~first.has_flipped)
        | (moment.has_double_jumped & ~first.has_double_jumped)
        for moment in played
    ]
    found: Bool = np.any(new, axis=0)
    return found


def flipped(played: Trajectory) -> Bool:
    """Whether the car flipped."""
    return played[-1].has_flipped & ~played[0].has_flipped


def steps_to_wheels(played: Trajectory) -> Float:
    """Steps until the car stands on its wheels; infinite where it never does."""
    upright = np.array([moment.on_ground & (moment.up[:, 2] > UPRIGHT) for moment in played])
    steps: Float = np.where(upright.any(axis=0), upright.argmax(axis=0), np.inf)
    return steps


def _right(moment: CarStates) -> Float:
    right: Float = np.cross(moment.up, moment.forward)
    return right


def _along(vectors: Float, directions: Float) -> Float:
    dots: Float = np.einsum("ij,ij->i", vectors, directions)
    return dots


@dataclass(frozen=True)
class RowTrial:
    """move: what it proves, named as in `abilities`. goal: in words, with `enough` in the place of {}; enough: of measure."""

    move: str
    state: str
    measure: Measure
    enough: float
    goal: str


def _against(measure: Measure) -> Measure:
    return lambda played: -measure(played)


def _boosting(measure: Measure) -> Measure:
    """Of the cars that used boost, the others have done nothing."""
    return lambda played: np.where(boost_used(played) > 0, measure(played), 0)


def _flip(measure: Measure) -> Measure:
    return lambda played: np.where(flipped(played), measure(played), 0)


def _plain_gain(played: Trajectory) -> Float:
    """Speed won straight on, without boost and with all wheels down."""
    plain = (boost_used(played) == 0) & ~jumped(played) & (np.abs(heading(played)) < STRAIGHT)
    return np.where(plain, gain(played), -np.inf)


def _jump(played: Trajectory) -> Float:
    return np.where(jumped(played), climb(played), 0)


def _second_jump(played: Trajectory) -> Float:
    return np.where(played[-1].has_double_jumped & ~flipped(played), climb(played), -np.inf)


TRIALS = (
    RowTrial("is plain full throttle", DRIVING, _plain_gain, 50, "gains {} uu/s at 1,000 uu/s without boost"),
    RowTrial("turns left", DRIVING, _against(heading), 20, "turns {} degrees to the left in half a second"),
    RowTrial("turns right", DRIVING, heading, 20, "turns {} degrees to the right in half a second"),
    RowTrial("reverses", DRIVING, _against(gain), 500, "brakes by {} uu/s in half a second"),
    RowTrial("boosts", DRIVING, _boosting(gain), 100, "gains {} uu/s by boost"),
    RowTrial(
        "boosts and turns left", DRIVING, _boosting(_against(heading)), 20, "turns {} degrees to the left at boost"
    ),
    RowTrial("boosts and turns right", DRIVING, _boosting(heading), 20, "turns {} degrees to the right at boost"),
    RowTrial("jumps", DRIVING, _jump, 10, "climbs at {} uu/s half a second after a jump"),
    RowTrial("pitches down", FLYING, _against(pitch), 1.5, "lowers its nose at {} rad/s"),
    RowTrial("pitches up", FLYING, pitch, 1.5, "lifts its nose at {} rad/s"),
    RowTrial("yaws left", FLYING, _against(yaw), 1.5, "turns left in the air at {} rad/s"),
    RowTrial("yaws right", FLYING, yaw, 1.5, "turns right in the air at {} rad/s"),
    RowTrial("rolls left", FLYING, _against(roll), 1.5, "rolls left at {} rad/s"),
    RowTrial("rolls right", FLYING, roll, 1.5, "rolls right at {} rad/s"),
    RowTrial("jumps a second time", FLYING, _second_jump, 20, "climbs at {} uu/s after a second jump"),
    RowTrial("flips forward", FLYING, _flip(gain), 250, "gains {} uu/s forward by a flip"),
    RowTrial("flips backward", FLYING, _flip(_against(gain)), 250, "gains {} uu/s backward by a flip"),
    RowTrial("flips to the left", FLYING, _flip(_against(sideways)), 250, "gains {} uu/s to the left by a flip"),
    RowTrial("flips to the right", FLYING, _flip(sideways), 250, "gains {} uu/s to the right by a flip"),
)


# control → where it is felt, how, beyond which that is no chance, and in words when it is
FELT: dict[str, tuple[str, Measure, float, str]] = {
    "throttle": (DRIVING, gain, 60.0, "speeds up"),
    "steer": (DRIVING, heading, 5.0, "turns right on the ground"),
    "pitch": (FLYING, pitch, 0.3, "lifts its nose in the air"),
    "yaw": (FLYING, yaw, 0.3, "turns right in the air"),
    "roll": (FLYING, roll, 0.3, "rolls right in the air"),
    "jump": (DRIVING, lambda played: jumped(played).astype(np.float32), 0.5, "jumps"),
    "boost": (DRIVING, boost_used, 0.5, "uses boost"),
    "handbrake": (DRIVING, handbrake, 0.1, "slides"),
}
SPEED_FOLLOWS = ("steer", "jump", "boost", "handbrake")  # who turns, jumps, boosts or slides changes speed too


def behaviour_checks(rows: Float, masks: Masks) -> Iterator[TableCheck]:
    """rows: [N, 8], anything in them; masks: legal rows of each canonical state. The simulator must have been started."""
    yield control_check()
    finite = np.isfinite(rows).all(axis=1)
    playable = np.clip(np.where(finite[:, None], rows, 0), -1, 1).astype(np.float32)
    simulator = RowSimulator(playable)
    for state, steps in ((DRIVING, DRIVING_STEPS), (FLYING, FLYING_STEPS)):
        yield from _trials(simulator, playable, masks[state] & finite, state, steps)
    yield _righting(simulator, playable, masks[ROOF] & finite)


def control_check() -> TableCheck:
    """Each control alone, both ways, must do what its name says and nothing that another's name says."""
    pure = np.concatenate([np.zeros((1, 8)), np.eye(8), -np.eye(8)[:AXES]]).astype(np.float32)
    simulator = RowSimulator(pure)
    everything = np.arange(len(pure))
    played = {state: simulator.play(BY_NAME[state], everything, CONTROL_STEPS) for state in (DRIVING, FLYING)}
    effects = _effects(played)
    wrong = [_sentence(row, effects[row]) for row in range(1, len(pure)) if effects[row] != _expected(row)]
    if not wrong:
        return TableCheck("controls", "pass", "each control alone does in the simulator what its name says")
    return TableCheck(
        "controls",
        "fail",
        f"{'; '.join(wrong)}: the columns reach the simulator in another order",
    )


def _effects(played: dict[str, Trajectory]) -> list[dict[str, int]]:
    """For each row, the controls that are felt and which way, against the idle row, which is the first."""
    signs = {}
    for control, (state, measure, noise, _) in FELT.items():
        change = measure(played[state]) - measure(played[state])[0]
        signs[control] = np.where(np.abs(change) > noise, np.sign(change), 0).astype(int).tolist()
    rows = len(played[DRIVING][0].boost)
    found = [{control: signs[control][row] for control in FELT if signs[control][row]} for row in range(rows)]
    for row in found:
        if any(control in row for control in SPEED_FOLLOWS):
            row.pop("throttle", None)
    return found


def _expected(row: int) -> dict[str, int]:
    """Row 1 … 8: +1 of a control; then −1 of the axes."""
    return {CONTROLS[row - 1]: 1} if row <= len(CONTROLS) else {CONTROLS[row - 1 - len(CONTROLS)]: -1}


def _sentence(row: int, found: dict[str, int]) -> str:
    [(control, value)] = _expected(row).items()
    does = [FELT[name][3] if sign > 0 else f"does the contrary of what {name} does" for name, sign in found.items()]
    return f"with {control} {value:+d} alone the car {' and '.join(does) or 'does nothing'}"


def _trials(simulator: RowSimulator, rows: Float, legal: Bool, state: str, steps: int) -> Iterator[TableCheck]:
    allowed = np.flatnonzero(legal)
    tried = allowed[representatives(rows[allowed], BY_NAME[state])]
    if not len(tried):
        return
    played = simulator.play(BY_NAME[state], tried, steps)
    claimed = moves(rows, legal, state)
    for trial in TRIALS:
        if trial.state == state and claimed[trial.move]:  # what no row means to do has been told
            yield _judged(trial, claimed[trial.move], trial.measure(played), tried)


def _judged(trial: RowTrial, claimed: int, values: Float, tried: Int) -> TableCheck:
    """Pass when some row does enough of it; warn when the best does a part, fail when none does anything to speak of."""
    best = int(np.argmax(values))
    key, value = f"in the simulator: {trial.move}", float(values[best])
    does = trial.goal.format(_figure(value))
    if value >= trial.enough:
        return TableCheck(key, "pass", f"the car {does} (row {tried[best]})", (trial.state,))
    if value >= trial.enough * PART:
        return TableCheck(
            key, "warn", f"the car only {does}, with the best row, {tried[best]}: little to play with", (trial.state,)
        )
    wanted = f"{trial.move}: {claimed:,} rows mean to do this"
    goal = trial.goal.format(_figure(trial.enough))
    return TableCheck(
        key,
        "fail",
        f"{wanted}, yet with none the car {goal} (the best: {_figure(value)})",
        (trial.state,),
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}"


def _righting(simulator: RowSimulator, rows: Float, legal: Bool) -> TableCheck:
    """A car on its roof: held down, does any row put it back on its wheels?"""
    allowed = np.flatnonzero(legal & ((rows[:, JUMP] != 0) | (rows[:, THROTTLE] != 0)))
    tried = allowed[representatives(rows[allowed], BY_NAME[ROOF])][:CARS]
    key, seconds = "in the simulator: rights itself", TICKS / TICKS_PER_SECOND
    if len(tried):
        steps = steps_to_wheels(simulator.play(BY_NAME[ROOF], tried, ROOF_STEPS))
        best = int(np.argmin(steps))
        if np.isfinite(steps[best]):
            took = f"{duration(steps[best] * seconds)} (row {tried[best]})"
            return TableCheck(key, "pass", f"a car on its roof is back on its wheels after {took}", (ROOF,))
    return TableCheck(
        key,
        "warn",
        f"no row held for {duration(ROOF_STEPS * seconds)} puts a car on its roof back on its wheels",
        (ROOF,),
    )
