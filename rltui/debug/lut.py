"""The whole examination of an action table: by its numbers, by its legality, and by what cars do with it."""

from __future__ import annotations

from dataclasses import replace

from rltui.actions.pipeline import PipelineOptions
from rltui.debug.lut_behaviour import behaviour_checks
from rltui.debug.lut_findings import Check, TableReport
from rltui.debug.lut_report import AS_IT_IS, report, state_masks
from rltui.errors import RltuiError
from rltui.sim import meshes
from rltui.sim.state import Float


def examine(rows: Float, options: PipelineOptions = AS_IT_IS, folder: str | None = None) -> TableReport:
    """Every check. rows: [N, 8], anything in them; folder: of the collision meshes, None: the usual one.

    Where the simulator does not start, that is a warning, and the rest of the report stands. RltuiError for an array of
    another shape.
    """
    found = report(rows, options)
    try:
        meshes.init_simulator(meshes.locate(folder))
    except RltuiError as error:
        untried = Check("controls", "warn", f"what cars do with the table was not tried: {error.message}")
        return replace(found, checks=(*found.checks, untried))
    return replace(found, checks=(*found.checks, *behaviour_checks(rows, state_masks(rows, options))))
