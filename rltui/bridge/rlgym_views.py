"""RLGym v2's ObsBuilders as observations, and those of its ActionParsers that choose from a list as action tables.

States are made of the arrays alone, in training and in a match alike, so a bot sees the same in both.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from rlgym.api import ActionParser
from rlgym.api import ObsBuilder as TheirObsBuilder
from rlgym.rocket_league.api import GameState as TheirState

from rltui.actions.table import ActionTable, table_error
from rltui.bridge.rlgym_rewards import derived, made
from rltui.bridge.rlgym_states import RlgymStates
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.obs.builder import ObsBuilder
from rltui.rewards.sampling import sample_states
from rltui.sim.state import Bool, Float, GameState, Int


def _sample(blue: int, orange: int) -> tuple[list[str], TheirState[str]]:
    """The cars' names and a state of one arena."""
    (state,) = sample_states(np.random.default_rng(0), 1, (blue, orange), 1, contacts=False)
    states = RlgymStates(state, None)
    return states.agents, states.of(state, 0)


class RlgymObs(ObsBuilder):
    """The adapter; `adapt_obs` derives one class of it for each ObsBuilder. Each arena has an instance of its own."""

    adapted: ClassVar[type[Any]]

    def __init__(self, params: ObsBuilder.Params) -> None:
        super().__init__(params)
        self._instances = [made(self.adapted, params)]
        self._states: RlgymStates | None = None
        self._rows: Float = np.zeros((0, 0, 0), np.float32)  # [K, C, size] as last built
        self._ticks: Int = np.zeros(0, np.int64)  # of that; -1: not since the episode began

    def size(self, blue: int, orange: int) -> int:
        """As long as the rows of a state tell: spaces may not know it."""
        agents, state = _sample(blue, orange)
        builder = made(self.adapted, self.params)
        builder.reset(list(agents), state, {})
        return self._built(builder, agents, state, {}).shape[1]

    def reset(self, state: GameState, arenas: Bool) -> None:
        states = self._prepared(state)
        for arena in np.flatnonzero(arenas).tolist():
            first, shared = states.of(state, arena), states.shared_info[arena]
            self._instances[arena].reset(list(states.agents), first, shared)
        self._ticks[arenas] = -1

    def build(self, state: GameState, out: Float) -> None:
        states = self._prepared(state)
        for arena in np.flatnonzero(self._ticks != state.tick).tolist():
            now, shared = states.of(state, arena), states.shared_info[arena]
            self._rows[arena] = self._built(self._instances[arena], states.agents, now, shared)
        np.copyto(self._ticks, state.tick)
        np.copyto(out, self._rows)

    def _prepared(self, state: GameState) -> RlgymStates:
        """Everything anew where the arenas are others, as in a trial."""
        shape = (state.arenas, state.cars, self._rows.shape[2])
        if self._states is None or self._rows.shape != shape:
            self._states = RlgymStates(state, None)
            self._instances = [made(self.adapted, self.params) for _ in range(state.arenas)]
            self._rows = np.zeros((*shape[:2], self.size(state.blue, state.orange)), np.float32)
            self._ticks = np.full(state.arenas, -1)
            self.reset(state, np.ones(state.arenas, np.bool_))
        return self._states

    def _built(self, builder: Any, agents: list[str], state: TheirState[str], shared: dict[str, Any]) -> Float:
        found = builder.build_obs(list(agents), state, shared)
        try:
            rows: Float = np.array([np.ravel(found[agent]) for agent in agents], np.float32)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise RltuiError(
                f"observation {self.adapted.__name__}: build_obs() must give a dict with as many numbers for each of "
                f"{', '.join(agents)}: {error}"
            ) from error
        return rows


class RlgymParserTable(ActionTable):
    """The adapter; `adapt_parser` derives one class of it for each ActionParser. Its choices, one by one, are the rows."""

    adapted: ClassVar[type[Any]]

    def rows(self) -> Float:
        parser, name = made(self.adapted, self.params), self.adapted.__name__
        (agent,), state = _sample(1, 0)
        parser.reset([agent], state, {})
        space = parser.get_action_space(agent)
        kind, count = space if isinstance(space, tuple) and len(space) == 2 else ("discrete", getattr(space, "n", None))
        if kind != "discrete" or not isinstance(count, int | np.integer):
            raise table_error(
                f"{name} chooses from {space!r}, expected ('discrete', rows)", "a bot here chooses one row of a table"
            )
        choices = (parser.parse_actions({agent: np.array([row])}, state, {})[agent] for row in range(count))
        return np.array([np.reshape(choice, (-1, len(CONTROLS)))[0] for choice in choices], np.float32)


def adapt_obs(cls: type[Any]) -> type[Any]:
    """An observation that this ObsBuilder builds; its constructor's parameters, by name, are the profile's."""
    return derived(RlgymObs, cls, TheirObsBuilder, ("reset", "build_obs"), {})


def adapt_parser(cls: type[Any]) -> type[Any]:
    """An action table of what this ActionParser makes of each choice."""
    return derived(RlgymParserTable, cls, ActionParser, ("get_action_space", "parse_actions"), {})
