"""StepOut, Finals, and timings of the parts of a step."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from rltui.sim.state import Bool, Float, Int


@dataclass(frozen=True, slots=True)
class StepOut:
    """Arrays to be written, so that a rollout in shared memory is filled without copies. K arenas, C cars
    that the policy plays.
    """

    obs: Float  # float32 [K, C, D]; of an arena whose episode ended: the first observation of the new one
    legality: NDArray[np.uint8]  # [K, C] legality class that belongs to `obs`; untouched where legality is off
    rewards: Float  # float32 [K, C]
    terminated: Bool  # [K]
    truncated: Bool  # [K], False where terminated: terminal wins
    # uint8 [K, C] who plays the car from `obs` on: 0 the learner, else as in FrozenOpponents; None: not asked
    player: NDArray[np.uint8] | None = None

    @classmethod
    def zeros(cls, arenas: int, cars: int, obs_size: int) -> StepOut:
        """For a game that is played one step at a time."""
        return cls(
            obs=np.zeros((arenas, cars, obs_size), np.float32),
            legality=np.zeros((arenas, cars), np.uint8),
            rewards=np.zeros((arenas, cars), np.float32),
            terminated=np.zeros(arenas, np.bool_),
            truncated=np.zeros(arenas, np.bool_),
            player=np.zeros((arenas, cars), np.uint8),
        )


@dataclass(frozen=True, slots=True)
class Finals:
    """Where truncated episodes really were when they were cut: what their last step's value is bootstrapped from.

    Terminated ones too, where the batch is asked for them.
    """

    arenas: Int  # int64 [n] indices
    obs: Float  # float32 [n, C, D]


@dataclass(slots=True)
class PartTimings:
    """Seconds by part since the last `take`."""

    simulate: float = 0.0  # handing over controls and stepping the simulator
    state: float = 0.0  # reading it
    reward: float = 0.0  # rewards, terminals, statistics
    reset: float = 0.0  # new episodes, with the final observations of cut ones
    observe: float = 0.0  # observations

    def take(self) -> dict[str, float]:
        """All parts by name; counting starts again at 0."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in parts:
            setattr(self, name, 0.0)
        return parts
