"""What the rows of a table let a bot do in each situation, and what it could not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rltui.debug.canonical_states import BY_NAME
from rltui.debug.lut_findings import Check, Outcome, listed
from rltui.debug.lut_moves import ABILITIES, Columns, Move, Pair, Single
from rltui.sim.state import Bool, Float

Masks = Mapping[str, Bool]  # name of the canonical state → [N] legal rows


def ability_checks(rows: Float, masks: Masks) -> Iterator[Check]:
    """One check for each ability, more where it fails in different ways. rows: finite [N, 8]."""
    columns = Columns(rows)
    for ability in ABILITIES:
        found = list(
            _single(ability, columns, masks) if isinstance(ability, Single) else _pair(ability, columns, masks)
        )
        yield from found or [_passed(ability, columns)]


def moves(rows: Float, legal: Bool, state: str) -> dict[str, int]:
    """Legal rows that make each move that means something in the state."""
    columns = Columns(rows)
    return {move.does: int((move.rule(columns) & legal).sum()) for move in _moves(state)}


def shortcomings(rows: Float) -> set[str]:
    """What no row does, legal or not, as "no row turns left"."""
    columns = Columns(rows)
    every = [move for ability in ABILITIES for move in _of(ability)]
    return {f"no row {move.does}" for move in every if not move.rule(columns).any()}


def _moves(state: str) -> Iterator[Move]:
    for ability in ABILITIES:
        if state in ability.states:
            yield from _of(ability)


def _of(ability: Single | Pair) -> tuple[Move, ...]:
    return (ability.move,) if isinstance(ability, Single) else ability.moves


def _single(ability: Single, columns: Columns, masks: Masks) -> Iterator[Check]:
    doing = ability.move.rule(columns)
    lacking = [state for state in ability.states if not (doing & masks[state]).any()]
    if lacking:
        outcome: Outcome = "fail" if doing.any() else ability.missing
        yield Check(ability.key, outcome, _lack(ability.move.does, doing, lacking) + ability.loss, tuple(lacking))


def _pair(ability: Pair, columns: Columns, masks: Masks) -> Iterator[Check]:
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
            yield Check(ability.key, outcome, _lack(does, doing, lacking) + loss, tuple(lacking))


def _lack(does: str, doing: Bool, states: list[str]) -> str:
    """`no row turns left while driving: `, or that the rows are there and illegal."""
    if not doing.any():
        return f"no row {does}{_when(states if 'demolished' in states else states[:1])}: "
    return f"every row that {does} ({int(doing.sum()):,}) is illegal{_when(states)}: "


def _when(states: list[str]) -> str:
    """Where it is everywhere, no place is named."""
    return "" if "demolished" in states and len(states) > 1 else " " + listed([BY_NAME[state].when for state in states])


def _passed(ability: Single | Pair, columns: Columns) -> Check:
    counts = [f"{move.does}: {_rows(int(move.rule(columns).sum()))}" for move in _of(ability)]
    return Check(ability.key, "pass", "; ".join(counts), ability.states)


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def all_legal(rows: Float) -> dict[str, Bool]:
    """Masks of a table without legality."""
    return {state: np.ones(len(rows), np.bool_) for state in BY_NAME}
