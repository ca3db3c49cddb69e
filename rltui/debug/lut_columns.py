"""Exchanged columns: a table that lacks what it would have with two columns exchanged was written in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from rltui.debug.lut_abilities import shortcomings
from rltui.debug.lut_findings import Check, listed
from rltui.sim.field import AXES, BOOST, CONTROLS, HANDBRAKE, JUMP, THROTTLE
from rltui.sim.state import Bool, Float

TIED = 0.95  # share of rows in which two columns that belong together are equal
MORE_OFTEN = 0.3  # by which a button goes with full throttle more often than boost does, and looks like boost
CLEAR = 2  # signs that an exchange must explain, one of them in how the columns go together
SHOWN = 4  # signs that are named


def column_check(rows: Float) -> Check:
    """Whether two columns look exchanged. rows: finite [N, 8]."""
    best = _best_exchange(rows)
    if best is None:
        return Check("columns", "pass", f"the columns look like {', '.join(CONTROLS)}")
    (one, other), explained = best
    return Check(
        "columns",
        "fail",
        f"columns {CONTROLS[one]} and {CONTROLS[other]} look exchanged: as the table stands, {_shown(explained)}; "
        f"with the two exchanged, none of this. What is meant as {CONTROLS[one]} would be played as {CONTROLS[other]}, and the "
        f"bot could do neither as it was meant. The order is {', '.join(CONTROLS)}",
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
    if (1, 3) in pairs:
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
