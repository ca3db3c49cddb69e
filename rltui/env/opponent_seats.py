"""Opponents: the cars that the learner does not play."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rltui.env.spec import MIRROR, EnvSpec
from rltui.opponents.base import ScriptedPlayer
from rltui.registry import build
from rltui.sim.state import Float, GameState, Int

OPPONENTS = 0x09  # sets their random numbers apart from the arenas'


class Opponents:
    """A scripted player in orange, or nobody."""

    def __init__(self, spec: EnvSpec, rows_before: int, seed: Sequence[int]) -> None:
        """rows_before: rows of the policy's own controls, behind which the player's stand."""
        self._player: ScriptedPlayer | None = None
        if spec.opponent.name != MIRROR:
            self._player = build("player", spec.opponent)
        self._cars = slice(spec.learners, spec.blue + spec.orange)
        self._offset = rows_before
        self._rng = np.random.default_rng(np.random.SeedSequence([*seed, OPPONENTS]))

    def after(self, controls: Float) -> Float:
        """The policy's controls [M, 8] followed by the player's."""
        return controls if self._player is None else np.concatenate([controls, self._player.rows()])

    def join(self, played: Int, state: GameState) -> Int:
        """The policy's rows [K, learners] followed by the player's: rows of `after` for all cars [K, C]."""
        if self._player is None:
            return played
        return np.concatenate([played, self._player.act(state, self._cars, self._rng) + self._offset], axis=1)
