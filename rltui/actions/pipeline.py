"""Action pipeline: from the row that a policy chose to what the simulator plays. Each stage is one array operation.

lookup → legality → sticky buttons → clip → repeat for `tick_skip` ticks with the action delay.

- lookup (RLGym: LookupTableAction): a row number stands for its controls, and the arenas keep the simulator's own object
  for every row, so that nothing is converted in a step;
- legality (StateAwareLUTWrapper): `mask`, rows that can do nothing cannot be chosen; `fallback`, they are replaced here;
- sticky (StickyButtonsWrapper): a pressed button stays down for at least so many steps;
- clip (ClipActionWrapper): of the table, once;
- repeat and delay (RepeatAction, ExpandForRocketSim, CollapseToSingleTick): the profile's `tick_skip` and
  `action_delay_ticks`; the arenas set the controls once a step and let the simulator run on;
- the way into the simulator (FinalRocketSimAdapter): `sim.arena_batch.car_controls`, by name and never by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rltui.actions.masking import Fallback, class_ids, idle_row, idle_rows, legal_rows
from rltui.actions.spec import ActionSpec, Classes
from rltui.actions.table import check_indices, describe
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.sim.state import Bool, Float, GameState, Int, Seats

LOWEST = np.array([-1, -1, -1, -1, -1, 0, 0, 0], np.float32)


class StickyButtons:
    """For K arenas with A cars. The table is followed by its own variants with buttons held down, so that what is played
    is still a row number.
    """

    def __init__(self, rows: Float, columns: Sequence[int], steps: int, shape: tuple[int, int]) -> None:
        """rows: float32 [N, 8]; columns: of the sticky buttons; steps: at least 2; shape: (K, A)."""
        sticky = list(columns)
        n, count = len(rows), len(sticky)
        variants = np.tile(rows, (2**count, 1, 1))
        for variant, held in zip(variants, product((False, True), repeat=count), strict=True):
            variant[:, np.array(sticky)[list(held)]] = 1.0
        self.variants: Float = variants.reshape(-1, rows.shape[1])  # [2^buttons · N, 8]
        self._pressed: Bool = np.ascontiguousarray(rows[:, sticky].T != 0)  # [buttons, N]
        self._offsets = n * 2 ** np.arange(count)[::-1, None, None]  # of the variants in which a button is held
        self._steps = steps
        self._left: Int = np.zeros((count, *shape), np.int64)  # steps that a button must stay down yet
        self._down: Bool = np.zeros((count, *shape), np.bool_)  # at the last step

    def reset(self, arenas: Bool) -> None:
        """Let go of everything in these arenas (mask [K])."""
        self._left[:, arenas] = 0
        self._down[:, arenas] = False

    def hold(self, rows: Int) -> Int:
        """Rows of the table [K, A] → rows of `variants` [K, A]; one step passes."""
        pressed = self._pressed.take(rows, axis=1)
        held = self._left > 0
        new = pressed & ~self._down
        np.logical_or(pressed, held, out=self._down)
        self._left -= held
        self._left[new] = self._steps - 1
        played: Int = rows + (self._offsets * held).sum(axis=0)
        return played


@dataclass(frozen=True)
class PipelineOptions:
    """legality: off, mask or fallback. Rows None: the table's idle row; sticky: steps that a pressed button stays down."""

    legality: str = "off"
    fallback_row: int | None = None
    recovery_row: int | None = None
    clip: bool = False
    sticky: int = 1
    sticky_buttons: tuple[str, ...] = ("jump", "boost", "handbrake")

    @classmethod
    def of_saved(cls, values: Mapping[str, Any]) -> PipelineOptions:
        """From what a saved policy says of its pipeline: JSON, which knows no tuples. TypeError for an unknown key."""
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        return cls(**plain)


class ActionPipeline:
    """For K arenas with A cars that the policy plays. A stage that is off costs nothing."""

    def __init__(
        self, rows: Float, options: PipelineOptions, arenas: int, cars: int, seats: Seats | None = None
    ) -> None:
        """rows: float32 [N, 8], the action table. seats: of these cars; None: the first ones of each arena.

        RltuiError for options that do not fit the table.
        """
        for key, message, expected, found in option_problems(rows, options):
            raise RltuiError(f"actions.{key}: {message}, expected {expected}, found {found}", exit_code=2)
        played = np.clip(rows, LOWEST, 1) if options.clip else rows
        self._seats: Seats = (slice(None), slice(cars)) if seats is None else seats
        self._classify = options.legality != "off"
        self._fallback = (
            _fallback(rows, options, (arenas, cars), self._seats) if options.legality == "fallback" else None
        )
        self._sticky = _sticky(played, options, (arenas, cars)) if options.sticky > 1 else None
        # [M, 8] all that the simulator may be asked to play: the table first, then variants
        self.controls: Float = self._sticky.variants if self._sticky else played
        self.spec = action_spec(rows, options)

    def reset(self, arenas: Bool) -> None:
        """Forget what is held in these arenas (mask [K])."""
        if self._sticky:
            self._sticky.reset(arenas)

    def classify(self, state: GameState, out: Classes) -> None:
        """Write the legality class of each car now, uint8 [K, A]; with legality off nothing is written."""
        if self._classify:
            class_ids(state, self._seats, out)

    def play(self, actions: Int, state: GameState, player: Classes | None = None) -> Int:
        """Rows of `controls` int64 [K, A] for the chosen rows of the table [K, A]; `state` is what the policy saw. player: who chose,
        [K, A], 0 the learner: only its replaced choices are counted; None: he chose all.

        RltuiError naming arena and car for a number that is no row, where a stage is on; where none is, the arenas refuse it.
        """
        if not (self._fallback or self._sticky):
            return actions
        check_indices(actions, self.spec.outputs)
        if self._fallback:
            actions = self._fallback.replace(actions, state, player)
        return self._sticky.hold(actions) if self._sticky else actions

    def take_fallbacks(self) -> int:
        """Choices replaced since the last call."""
        if not self._fallback:
            return 0
        count, self._fallback.count = self._fallback.count, 0
        return count


def action_spec(rows: Float, options: PipelineOptions) -> ActionSpec:
    """A choice among the rows [N, 8] of a table: the legal ones of each class, where these options mask."""
    return ActionSpec(len(rows), legal_rows(rows) if options.legality == "mask" else None)


def option_problems(rows: Float, options: PipelineOptions) -> Iterator[tuple[str, str, str, str]]:
    """Where the options do not fit the table: key of the profile's [actions], what is wrong, expected, found."""
    idle = np.flatnonzero(idle_rows(rows))
    if options.legality in ("mask", "fallback") and not len(idle):
        yield (
            "legality",
            "the action table has no idle row, and a demolished car may do nothing else",
            'a row of eight zeros in the table, or "off"',
            f'"{options.legality}"',
        )
    for key in ("fallback_row", "recovery_row"):
        row = getattr(options, key)
        if row is not None and not 0 <= row < len(rows):
            yield key, "no row of the action table", f"0 to {len(rows) - 1}", str(row)
        elif key == "fallback_row" and row is not None and row not in idle:
            where = f"row {idle[0]}, which idles" if len(idle) else "a row of eight zeros, which the table lacks"
            yield key, f"row {row} is not idle but {describe(rows[row])}", where, str(row)


def _fallback(rows: Float, options: PipelineOptions, shape: tuple[int, int], seats: Seats) -> Fallback:
    fallback, recovery = options.fallback_row, options.recovery_row
    fallback = idle_row(rows) if fallback is None else fallback
    return Fallback(rows, fallback, fallback if recovery is None else recovery, shape, seats)


def _sticky(rows: Float, options: PipelineOptions, shape: tuple[int, int]) -> StickyButtons:
    return StickyButtons(rows, [CONTROLS.index(name) for name in options.sticky_buttons], options.sticky, shape)
