"""The report on an action table: numbers, columns that look exchanged, abilities, behaviour in the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from math import prod

import numpy as np

from rltui.actions.masking import class_ids, legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.checks.action_table.abilities import (
    BY_NAME,
    STATES,
    CanonicalState,
    Masks,
    ability_checks,
    all_legal,
    game_state,
    moves,
    representatives,
    shortcomings,
)
from rltui.checks.action_table.behaviour import behaviour_checks
from rltui.checks.action_table.findings import Outcome, StateReport, TableCheck, TableReport, listed, some
from rltui.errors import RltuiError
from rltui.field import AXES, BOOST, CONTROLS, HANDBRAKE, JUMP, STEER, THROTTLE, YAW
from rltui.sim import meshes
from rltui.sim.state import Bool, Float, Int

TIED = 0.95  # share of rows in which two columns that belong together are equal
MORE_OFTEN = 0.3  # by which a button goes with full throttle more often than boost does, and looks like boost
CLEAR = 2  # signs that an exchange must explain, one of them in how the columns go together
SHOWN = 4  # signs that are named
AS_IT_IS = PipelineOptions()  # every row is legal, nothing is cut


def description(rows: Float) -> TableCheck:
    """A check that always passes: size is no fault."""
    if not len(rows):
        return TableCheck("table", "pass", "no row of the table is made of numbers")
    different = len(np.unique(rows, axis=0))
    return TableCheck(
        "table", "pass", f"{len(rows):,} rows, {different:,} different: {_product(rows, different)}; {_random(rows)}"
    )


def _product(rows: Float, different: int) -> str:
    """`all 1,800 of throttle (3) × steer = yaw (5) × …`."""
    tied = bool((rows[:, STEER] == rows[:, YAW]).all())
    counts = {name: len(np.unique(rows[:, column])) for column, name in enumerate(CONTROLS)}
    if tied:
        counts["steer = yaw"] = counts.pop("steer")
        counts.pop("yaw")
    factors = {name: count for name, count in counts.items() if count > 1}
    full = prod(factors.values())
    share = f"all {full:,}" if different == full else f"{different:,} of the {full:,}"
    return f"{share} of {' × '.join(f'{name} ({count})' for name, count in factors.items()) or 'nothing'}"


def _random(rows: Float) -> str:
    pressed = [f"{name} {(rows[:, AXES + index] != 0).mean():.0%}" for index, name in enumerate(CONTROLS[AXES:])]
    driving = len(representatives(rows, BY_NAME["driving"]))
    flying = len(representatives(rows, BY_NAME["airborne with flip"]))
    return (
        f"{driving:,} of them differ in effect while driving, {flying:,} in the air; random choices press {listed(pressed)} "
        "of the time"
    )


def finite_rows(rows: Float) -> Int:
    """Numbers of the rows without NaN and infinity."""
    return np.flatnonzero(np.isfinite(rows).all(axis=1))


def number_checks(rows: Float, options: PipelineOptions) -> Iterator[TableCheck]:
    """NaN, range, buttons, duplicates, and the fallback and recovery rows. rows: float32 [N, 8], anything in them."""
    yield _finite(rows)
    yield _range(rows, options.clip)
    yield _buttons(rows)
    yield _duplicates(rows)
    if options.legality == "fallback" or options.fallback_row is not None:
        yield _fallback(rows, options.fallback_row)
    if options.recovery_row is not None:
        yield _recovery(rows, options.recovery_row)


def _finite(rows: Float) -> TableCheck:
    bad = ~np.isfinite(rows)
    if not bad.any():
        return TableCheck("finite", "pass", "every value is a number")
    return TableCheck(
        "finite",
        "fail",
        f"{_where(bad)} not finite: the car that plays it is lost until the episode ends",
    )


def _range(rows: Float, clip: bool) -> TableCheck:
    bad = np.isfinite(rows[:, :AXES]) & (np.abs(rows[:, :AXES]) > 1)
    if not bad.any():
        return TableCheck("range", "pass", f"{listed(CONTROLS[:AXES])} are within -1 and 1")
    outcome: Outcome = "warn" if clip else "fail"
    then = "they are cut (actions.clip)" if clip else "the bot could not do what no controller can; write -1 to 1"
    return TableCheck("range", outcome, f"{_where(bad)} beyond -1 and 1: {then}")


def _buttons(rows: Float) -> TableCheck:
    pressed = rows[:, AXES:]
    bad = np.zeros(rows.shape, np.bool_)
    bad[:, AXES:] = np.isfinite(pressed) & (pressed != 0) & (pressed != 1)
    if not bad.any():
        return TableCheck("buttons", "pass", f"{listed(CONTROLS[AXES:])} are 0 or 1")
    return TableCheck(
        "buttons",
        "fail",
        f"{_where(bad)} neither 0 nor 1: the game would take the button as pressed",
    )


def _where(bad: Bool) -> str:
    """`rows 3 and 8: pitch is`, of the first column that is bad; with other columns named behind it."""
    columns = np.flatnonzero(bad.any(axis=0))
    verb = "is" if len(columns) == 1 else "are"
    return (
        f"{some(np.flatnonzero(bad.any(axis=1)).tolist())}: {listed([CONTROLS[column] for column in columns])} {verb}"
    )


def _duplicates(rows: Float) -> TableCheck:
    _, first, inverse = np.unique(rows + np.float32(0.0), axis=0, return_index=True, return_inverse=True)
    originals = first[inverse.reshape(-1)]
    copies = np.flatnonzero(originals != np.arange(len(rows)))
    if not len(copies):
        return TableCheck("duplicates", "pass", "no row is there twice")
    shown = [f"row {copy} is row {originals[copy]} again" for copy in copies[:3].tolist()]
    more = f" (and {len(copies) - 3:,} more)" if len(copies) > 3 else ""
    return TableCheck(
        "duplicates",
        "fail",
        f"{listed(shown)}{more}: what they do would be tried more often than the rest",
    )


def _fallback(rows: Float, row: int | None) -> TableCheck:
    if row is None:
        return TableCheck("fallback", "pass", "illegal choices become the idle row")
    if not row < len(rows):
        return TableCheck("fallback", "fail", f"fallback_row {row} is no row: the table has rows 0 to {len(rows) - 1}")
    held = [name for name, value in zip(CONTROLS, rows[row].tolist(), strict=True) if value != 0]
    if not held:
        return TableCheck("fallback", "pass", f"fallback row {row} is all zeros")
    return TableCheck(
        "fallback",
        "fail",
        f"fallback row {row} is not all zeros ({listed(held)}): it is played for illegal choices",
    )


def _recovery(rows: Float, row: int) -> TableCheck:
    if not row < len(rows):
        return TableCheck("recovery", "fail", f"recovery_row {row} is no row: the table has rows 0 to {len(rows) - 1}")
    throttle, jump = rows[row, 0], rows[row, AXES]
    if throttle == 0 and jump == 0:
        return TableCheck("recovery", "warn", f"recovery row {row} neither jumps nor drives: it cannot right a car")
    return TableCheck("recovery", "pass", f"recovery row {row} {'jumps' if jump else 'drives'}")


def column_check(rows: Float) -> TableCheck:
    """Whether two columns look exchanged. rows: finite [N, 8]."""
    best = _best_exchange(rows)
    if best is None:
        return TableCheck("columns", "pass", f"the columns look like {', '.join(CONTROLS)}")
    (one, other), explained = best
    return TableCheck(
        "columns",
        "fail",
        f"columns {CONTROLS[one]} and {CONTROLS[other]} look exchanged: {_shown(explained)}; with the two exchanged, none of "
        f"this. The order is {', '.join(CONTROLS)}",
    )


def _best_exchange(rows: Float) -> tuple[tuple[int, int], set[str]] | None:
    """The two columns whose exchange explains the most signs and makes no new one, and those signs."""
    structure = {*_structure(rows)}
    if not structure:
        return None  # what a table lacks may be meant, or chance; how its columns go together is neither
    given = structure | shortcomings(rows)
    best: tuple[tuple[int, int], set[str]] | None = None
    for pair in combinations(range(len(CONTROLS)), 2):
        swapped = _exchanged(rows, pair)
        left = {*_structure(swapped)} | shortcomings(swapped)
        explained = given - left
        clear = len(explained) >= CLEAR and bool(explained & structure)
        if left <= given and clear and (best is None or len(explained) > len(best[1])):
            best = pair, explained
    return best


def _shown(signs: set[str]) -> str:
    """What the bot could not do comes first."""
    ordered = sorted(signs, key=lambda sign: (not sign.startswith("no row"), sign))
    return listed([*ordered[:SHOWN], *([f"{len(ordered) - SHOWN} more such signs"] if len(ordered) > SHOWN else [])])


def _exchanged(rows: Float, pair: tuple[int, int]) -> Float:
    order = np.arange(len(CONTROLS))
    order[list(pair)] = pair[::-1]
    return rows[:, order]


def _structure(rows: Float) -> Iterator[str]:
    """Everything odd about how the columns go together, in words."""
    yield from _ties(rows)
    yield from _companions(rows)
    yield from _no_buttons(rows)


def _ties(rows: Float) -> Iterator[str]:
    """Steer goes with yaw where anything goes with anything. Two signs: chance does not make columns equal."""
    pairs = {pair for pair in combinations(range(AXES), 2) if _tied(rows, pair)}
    if (STEER, YAW) in pairs:
        return
    for one, other in sorted(pairs):
        yield f"{CONTROLS[one]} goes with {CONTROLS[other]}"
        yield "steer does not go with yaw"


def _tied(rows: Float, pair: tuple[int, int]) -> bool:
    one, other = rows[:, pair[0]], rows[:, pair[1]]
    used = (one != 0) | (other != 0)
    return bool(used.any()) and float((one == other)[used].mean()) >= TIED


def _companions(rows: Float) -> Iterator[str]:
    """Full throttle is what goes with boost, and boost what goes with full throttle."""
    boosting, jumping, full = rows[rows[:, BOOST] != 0], rows[rows[:, JUMP] != 0], rows[:, THROTTLE] == 1
    together = (boosting[:, :AXES] == 1).mean(axis=0) if len(boosting) else np.ones(AXES)
    if together[THROTTLE] < TIED and together.max() >= TIED:
        yield f"boost goes with {CONTROLS[int(together.argmax())]}"
        yield "boost does not go with full throttle"
    shares = {name: _share(full, rows[:, name]) for name in (JUMP, BOOST, HANDBRAKE)}
    for button in (JUMP, HANDBRAKE):
        if shares[button] > shares[BOOST] + MORE_OFTEN:
            yield f"{CONTROLS[button]} goes with full throttle more than boost does"
    if len(jumping) and (jumping[:, THROTTLE] == 1).all() and not full.all():
        yield "no row jumps without full throttle"


def _share(full: Bool, button: Float) -> float:
    """Of the rows that press the button, so many are at full throttle."""
    return float(full[button != 0].mean()) if button.any() else 0.0


def _no_buttons(rows: Float) -> Iterator[str]:
    """Values that no button has, and axes that look like buttons."""
    for column in range(AXES, len(CONTROLS)):
        if ((rows[:, column] != 0) & (rows[:, column] != 1)).any():
            yield f"{CONTROLS[column]} has values of an axis"


def report(rows: Float, options: PipelineOptions = AS_IT_IS, masks: Masks | None = None) -> TableReport:
    """All that can be said of a table. rows: [N, 8], anything in them; masks: in the place of those that `options` give.

    RltuiError for an array of another shape.
    """
    rows = np.asarray(rows, np.float32)
    legal = state_masks(rows, options) if masks is None else masks
    finite = finite_rows(rows)
    clipped = np.clip(rows[finite], -1, 1) if options.clip else rows[finite]
    return TableReport(
        rows=len(rows),
        table_hash=table_hash(rows),
        legality=options.legality,
        checks=tuple(_checks(rows, clipped, {state: mask[finite] for state, mask in legal.items()}, options)),
        states=tuple(_state(clipped, legal[state.name][finite], state) for state in STATES),
    )


def state_masks(rows: Float, options: PipelineOptions) -> dict[str, Bool]:
    """Legal rows [N] of each canonical state, by name, as training finds them."""
    if options.legality == "off":
        return all_legal(rows)
    classes = np.zeros((len(STATES), 1), np.uint8)
    class_ids(game_state(), (slice(None), slice(0, 1)), classes)
    return dict(zip((state.name for state in STATES), legal_rows(rows)[classes[:, 0]], strict=True))


def _checks(rows: Float, finite: Float, masks: Masks, options: PipelineOptions) -> Iterator[TableCheck]:
    yield description(finite)
    yield from number_checks(rows, options)
    yield column_check(finite)
    yield from ability_checks(finite, masks)


def _state(rows: Float, legal: Bool, state: CanonicalState) -> StateReport:
    chosen = rows[legal]
    return StateReport(
        state=state.name,
        legal=len(chosen),
        effects=len(representatives(chosen, state)),
        values={name: tuple(np.unique(chosen[:, column]).tolist()) for column, name in enumerate(CONTROLS)},
        moves=moves(rows, legal, state.name),
    )


def examine(rows: Float, options: PipelineOptions = AS_IT_IS, folder: str | None = None) -> TableReport:
    """Every check. rows: [N, 8], anything in them; folder: of the collision meshes, None: the usual one.

    Where the simulator does not start, that is a warning, and the rest of the report stands. RltuiError for an array of
    another shape.
    """
    found = report(rows, options)
    try:
        meshes.init_simulator(meshes.locate(folder))
    except RltuiError as error:
        untried = TableCheck("controls", "warn", f"what cars do with the table was not tried: {error.message}")
        return replace(found, checks=(*found.checks, untried))
    return replace(found, checks=(*found.checks, *behaviour_checks(rows, state_masks(rows, options))))
