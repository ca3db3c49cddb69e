"""Scenes of one blue and one orange car for rewards to be checked by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rltui.registry import Component, build
from rltui.sim.state import Contacts, GameState
from tests.fakes.game_states import random_state

ALL = np.ones(1, dtype=bool)
QUIET: dict[str, Any] = {
    "demo_respawn_timer": [[0, 0]],
    "on_ground": [[True, True]],
    "world_contact": [[False, False]],
    "has_jumped": [[False, False]],
    "has_flipped": [[False, False]],
    "has_double_jumped": [[False, False]],
    "is_flipping": [[False, False]],
    "touches": [[0, 0]],
    "pad_picked": [[-1, -1]],
    "goal": [0],
    "tick": [0],
}


def scene(wheels: Any = ((4, 4),), normal: Any = (((0, 0, 0), (0, 0, 0)),), **fields: Any) -> GameState:
    """One arena in which nothing happens but these fields; all that they leave open is drawn at random.

    wheels, normal: of `state.contacts`.
    """
    state = random_state(np.random.default_rng(0), 1, 1, 1)
    typed = {name: np.array(value, dtype=getattr(state, name).dtype) for name, value in (QUIET | fields).items()}
    contacts = Contacts(np.array(wheels, np.int8), np.array(normal, np.float32))
    return replace(state, **typed, _contacts=contacts)


def value(name: str, state: GameState, **options: Any) -> list[float]:
    """Of a reward without memory."""
    return build("reward", Component(name, options)).value(state)[0].tolist()  # type: ignore[no-any-return]


def play(name: str, *states: GameState, **options: Any) -> list[list[float]]:
    """Values of each state but the first, with which the episode begins."""
    reward = build("reward", Component(name, options))
    reward.reset(states[0], ALL)
    return [reward.value(state)[0].tolist() for state in states[1:]]
