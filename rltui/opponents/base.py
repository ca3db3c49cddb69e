"""Player protocol: arrays in, control rows out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.sim.state import Float, GameState, Int, Seats


class ScriptedPlayer(ABC):
    """Plays some cars of each arena by rules. Blind to team: it acts in its own team's view."""

    @dataclass(frozen=True)
    class Params:
        """What a profile may set; subclasses declare their own, derived from this."""

    def __init__(self, params: Params) -> None:
        self.params = params

    @abstractmethod
    def rows(self) -> Float:
        """float32 [M, 8], all the controls that it ever uses, in the order of actions.action_table.CONTROLS."""

    @abstractmethod
    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        """A row for each of its cars, int64 of the shape that `state.on_ground[seats]` has: [K, n], or [M] where it does not
        play as many in every arena.
        """


def controls_of(player: ScriptedPlayer) -> Float:
    """Its `rows`, checked. RltuiError names expected and found."""
    rows = np.asarray(player.rows())
    expected = f"{type(player).__name__}.rows: expected numbers in -1..1 [rows, {len(CONTROLS)}]"
    if rows.dtype.kind not in "fiub" or rows.ndim != 2 or rows.shape[1] != len(CONTROLS) or not len(rows):
        raise RltuiError(f"{expected}, found {rows.dtype} {list(rows.shape)}", f"columns: {', '.join(CONTROLS)}")
    bad = ~(np.abs(rows) <= 1)
    if bad.any():
        raise RltuiError(f"{expected}, found {rows[bad][0]:.6g}", f"columns: {', '.join(CONTROLS)}")
    return np.ascontiguousarray(rows, np.float32)


def choice_of(player: ScriptedPlayer, rows: int, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
    """What it chooses of so many rows, checked: any other is a row of somebody else. RltuiError names expected and found."""
    chosen, shape = np.asarray(player.act(state, seats, rng)), state.on_ground[seats].shape
    expected = f"{type(player).__name__}.act: expected whole numbers in 0..{rows - 1} {list(shape)}"
    if chosen.dtype.kind not in "iu" or chosen.shape != shape:
        raise RltuiError(f"{expected}, found {chosen.dtype} {list(chosen.shape)}")
    if chosen.size and not 0 <= chosen.min() <= chosen.max() < rows:
        raise RltuiError(f"{expected}, found {chosen.min()} to {chosen.max()}")
    return chosen
