"""What an action table does in the real simulator: each control alone, then the table's own rows held for a while.

The numbers of a table say what is meant; here the car says what happens. Everything is played through the arenas that
training uses, legality applied.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rltui.debug.canonical_states import BY_NAME
from rltui.debug.lut_abilities import Masks, moves
from rltui.debug.lut_effects import representatives
from rltui.debug.lut_findings import Check
from rltui.debug.lut_measures import (
    Measure,
    boost_used,
    gain,
    handbrake,
    heading,
    jumped,
    pitch,
    roll,
    steps_to_wheels,
    yaw,
)
from rltui.debug.lut_stage import CARS, TICKS, Played, Stage
from rltui.debug.lut_trials import DRIVING, DRIVING_STEPS, FLYING, FLYING_STEPS, TRIALS, Trial
from rltui.formatting import duration
from rltui.sim.field import AXES, CONTROLS, JUMP, THROTTLE, TICKS_PER_SECOND
from rltui.sim.state import Bool, Float, Int

ROOF, ROOF_STEPS = "turtled", 24  # 1.6 s: a jump takes 0.7 s, driving 0.9 s
CONTROL_STEPS = 4
PART = 0.25  # of enough, below which a move does not happen

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


def behaviour_checks(rows: Float, masks: Masks) -> Iterator[Check]:
    """rows: [N, 8], anything in them; masks: legal rows of each canonical state. The simulator must have been started."""
    yield control_check()
    finite = np.isfinite(rows).all(axis=1)
    playable = np.clip(np.where(finite[:, None], rows, 0), -1, 1).astype(np.float32)
    stage = Stage(playable)
    for state, steps in ((DRIVING, DRIVING_STEPS), (FLYING, FLYING_STEPS)):
        yield from _trials(stage, playable, masks[state] & finite, state, steps)
    yield _righting(stage, playable, masks[ROOF] & finite)


def control_check() -> Check:
    """Each control alone, both ways, must do what its name says and nothing that another's name says."""
    pure = np.concatenate([np.zeros((1, 8)), np.eye(8), -np.eye(8)[:AXES]]).astype(np.float32)
    stage = Stage(pure)
    everything = np.arange(len(pure))
    played = {state: stage.play(BY_NAME[state], everything, CONTROL_STEPS) for state in (DRIVING, FLYING)}
    felt = _felt(played)
    wrong = [_told(row, felt[row]) for row in range(1, len(pure)) if felt[row] != _expected(row)]
    if not wrong:
        return Check("controls", "pass", "each control alone does in the simulator what its name says")
    return Check(
        "controls",
        "fail",
        f"{'; '.join(wrong)}: the columns reach the simulator in another order, and the bot could do nothing as meant",
    )


def _felt(played: dict[str, Played]) -> list[dict[str, int]]:
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


def _told(row: int, found: dict[str, int]) -> str:
    [(control, value)] = _expected(row).items()
    does = [FELT[name][3] if sign > 0 else f"does the contrary of what {name} does" for name, sign in found.items()]
    return f"with {control} {value:+d} alone the car {' and '.join(does) or 'does nothing'}"


def _trials(stage: Stage, rows: Float, legal: Bool, state: str, steps: int) -> Iterator[Check]:
    allowed = np.flatnonzero(legal)
    tried = allowed[representatives(rows[allowed], BY_NAME[state])]
    if not len(tried):
        return
    played = stage.play(BY_NAME[state], tried, steps)
    claimed = moves(rows, legal, state)
    for trial in TRIALS:
        if trial.state == state and claimed[trial.move]:  # what no row means to do has been told
            yield _judged(trial, claimed[trial.move], trial.measure(played), tried)


def _judged(trial: Trial, claimed: int, values: Float, tried: Int) -> Check:
    """Pass when some row does enough of it; warn when the best does a part, fail when none does anything to speak of."""
    best = int(np.argmax(values))
    key, value = f"in the simulator: {trial.move}", float(values[best])
    does = trial.goal.format(_figure(value))
    if value >= trial.enough:
        return Check(key, "pass", f"the car {does} (row {tried[best]})", (trial.state,))
    if value >= trial.enough * PART:
        return Check(
            key, "warn", f"the car only {does}, with the best row, {tried[best]}: little to play with", (trial.state,)
        )
    wanted = f"{trial.move}: {claimed:,} rows mean to do this"
    goal = trial.goal.format(_figure(trial.enough))
    return Check(
        key,
        "fail",
        f"{wanted}, yet with none the car {goal} (the best: {_figure(value)}): in the game the bot could not do it",
        (trial.state,),
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.1f}"


def _righting(stage: Stage, rows: Float, legal: Bool) -> Check:
    """A car on its roof: held down, does any row put it back on its wheels?"""
    allowed = np.flatnonzero(legal & ((rows[:, JUMP] != 0) | (rows[:, THROTTLE] != 0)))
    tried = allowed[representatives(rows[allowed], BY_NAME[ROOF])][:CARS]
    key, seconds = "in the simulator: rights itself", TICKS / TICKS_PER_SECOND
    if len(tried):
        steps = steps_to_wheels(stage.play(BY_NAME[ROOF], tried, ROOF_STEPS))
        best = int(np.argmin(steps))
        if np.isfinite(steps[best]):
            took = f"{duration(steps[best] * seconds)} (row {tried[best]})"
            return Check(key, "pass", f"a car on its roof is back on its wheels after {took}", (ROOF,))
    return Check(
        key,
        "warn",
        f"no row that is held for {duration(ROOF_STEPS * seconds)} puts a car on its roof back on its wheels: a bot that lies there "
        "could hardly get up",
        (ROOF,),
    )
