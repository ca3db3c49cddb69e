"""The report on an action table (lookup table, LUT) from its numbers and its legality alone: no simulator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rltui.actions.masking import class_ids, legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.debug.canonical_states import STATES, CanonicalState, game_state
from rltui.debug.lut_abilities import Masks, ability_checks, all_legal, moves
from rltui.debug.lut_columns import column_check
from rltui.debug.lut_description import description
from rltui.debug.lut_effects import representatives
from rltui.debug.lut_findings import Check, StateReport, TableReport
from rltui.debug.lut_numbers import finite_rows, number_checks
from rltui.sim.field import CONTROLS
from rltui.sim.state import Bool, Float

AS_IT_IS = PipelineOptions()  # every row is legal, nothing is cut


def report(rows: Float, options: PipelineOptions = AS_IT_IS, masks: Masks | None = None) -> TableReport:
    """All that can be said of a table. rows: [N, 8], anything in them; masks: in the place of those that `options` give.

    RltuiError for an array of another shape.
    """
    rows = np.asarray(rows, np.float32)
    legal = state_masks(rows, options) if masks is None else masks
    kept = finite_rows(rows)
    clipped = np.clip(rows[kept], -1, 1) if options.clip else rows[kept]
    return TableReport(
        rows=len(rows),
        table_hash=table_hash(rows),
        legality=options.legality,
        checks=tuple(_checks(rows, clipped, {state: mask[kept] for state, mask in legal.items()}, options)),
        states=tuple(_state(clipped, legal[state.name][kept], state) for state in STATES),
    )


def state_masks(rows: Float, options: PipelineOptions) -> dict[str, Bool]:
    """Legal rows [N] of each canonical state, by name, as training finds them."""
    if options.legality == "off":
        return all_legal(rows)
    classes = np.zeros((len(STATES), 1), np.uint8)
    class_ids(game_state(), slice(0, 1), classes)
    return dict(zip((state.name for state in STATES), legal_rows(rows)[classes[:, 0]], strict=True))


def _checks(rows: Float, finite: Float, masks: Masks, options: PipelineOptions) -> Iterator[Check]:
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
