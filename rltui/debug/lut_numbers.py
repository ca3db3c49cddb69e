"""The table as numbers: what is no control at all, what is there twice, and the rows that others depend on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rltui.actions.pipeline import PipelineOptions
from rltui.debug.lut_findings import Check, Outcome, listed, some
from rltui.sim.field import CONTROLS
from rltui.sim.state import Bool, Float, Int

AXES = 5  # of the controls, from the left; the others are buttons


def finite_rows(rows: Float) -> Int:
    """Numbers of the rows without NaN and infinity."""
    return np.flatnonzero(np.isfinite(rows).all(axis=1))


def number_checks(rows: Float, options: PipelineOptions) -> Iterator[Check]:
    """NaN, range, buttons, duplicates, and the fallback and recovery rows. rows: float32 [N, 8], anything in them."""
    yield _finite(rows)
    yield _range(rows, options.clip)
    yield _buttons(rows)
    yield _duplicates(rows)
    if options.legality == "fallback" or options.fallback_row is not None:
        yield _fallback(rows, options.fallback_row)
    if options.recovery_row is not None:
        yield _recovery(rows, options.recovery_row)


def _finite(rows: Float) -> Check:
    bad = ~np.isfinite(rows)
    if not bad.any():
        return Check("finite", "pass", "every value is a number")
    return Check(
        "finite",
        "fail",
        f"{_where(bad)} no finite number: the simulator takes it without a word, and the car that plays it is lost to the "
        "game until the episode ends",
    )


def _range(rows: Float, clip: bool) -> Check:
    bad = np.isfinite(rows[:, :AXES]) & (np.abs(rows[:, :AXES]) > 1)
    if not bad.any():
        return Check("range", "pass", f"{listed(CONTROLS[:AXES])} are within -1 and 1")
    outcome: Outcome = "warn" if clip else "fail"
    then = "they are cut (actions.clip)" if clip else "the bot could not do what no controller can; write -1 to 1"
    return Check("range", outcome, f"{_where(bad)} beyond -1 and 1: {then}")


def _buttons(rows: Float) -> Check:
    pressed = rows[:, AXES:]
    bad = np.zeros(rows.shape, np.bool_)
    bad[:, AXES:] = np.isfinite(pressed) & (pressed != 0) & (pressed != 1)
    if not bad.any():
        return Check("buttons", "pass", f"{listed(CONTROLS[AXES:])} are 0 or 1")
    return Check(
        "buttons",
        "fail",
        f"{_where(bad)} neither 0 nor 1: a button cannot be pressed by half, the game would take it as pressed",
    )


def _where(bad: Bool) -> str:
    """`rows 3 and 8: pitch is`, of the first column that is bad; with other columns named behind it."""
    columns = np.flatnonzero(bad.any(axis=0))
    verb = "is" if len(columns) == 1 else "are"
    return (
        f"{some(np.flatnonzero(bad.any(axis=1)).tolist())}: {listed([CONTROLS[column] for column in columns])} {verb}"
    )


def _duplicates(rows: Float) -> Check:
    _, first, inverse = np.unique(rows + np.float32(0.0), axis=0, return_index=True, return_inverse=True)
    originals = first[inverse.reshape(-1)]
    copies = np.flatnonzero(originals != np.arange(len(rows)))
    if not len(copies):
        return Check("duplicates", "pass", "no row is there twice")
    shown = [f"row {copy} is row {originals[copy]} again" for copy in copies[:3].tolist()]
    more = f" (and {len(copies) - 3:,} more)" if len(copies) > 3 else ""
    return Check(
        "duplicates",
        "fail",
        f"{listed(shown)}{more}: the bot could not tell them apart, and what they do would be tried more often than the rest",
    )


def _fallback(rows: Float, row: int | None) -> Check:
    if row is None:
        return Check("fallback", "pass", "illegal choices become the idle row")
    if not row < len(rows):
        return Check("fallback", "fail", f"fallback_row {row} is no row: the table has rows 0 to {len(rows) - 1}")
    held = [name for name, value in zip(CONTROLS, rows[row].tolist(), strict=True) if value != 0]
    if not held:
        return Check("fallback", "pass", f"fallback row {row} is all zeros")
    return Check(
        "fallback",
        "fail",
        f"fallback row {row} is not all zeros ({listed(held)}): whenever a choice is illegal, the bot could not stand still",
    )


def _recovery(rows: Float, row: int) -> Check:
    if not row < len(rows):
        return Check("recovery", "fail", f"recovery_row {row} is no row: the table has rows 0 to {len(rows) - 1}")
    throttle, jump = rows[row, 0], rows[row, AXES]
    if throttle == 0 and jump == 0:
        return Check(
            "recovery", "warn", f"recovery row {row} neither jumps nor drives: a bot on its roof could not get up by it"
        )
    return Check("recovery", "pass", f"recovery row {row} {'jumps' if jump else 'drives'}")
