"""What an actor collects from: many environments at a time, of the game or of a user's own, with one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rltui.actions.spec import ActionSpec
from rltui.env.arena_groups import ArenaGroups
from rltui.env.frozen_opponents import OpponentSource
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.stats import EpisodeStats
from rltui.env.step import Finals, StepOut
from rltui.env.user_env import UserEnvs
from rltui.sim.state import Int


class CollectedEnv(Protocol):
    """K arenas with C learners each, in parts that can be stepped by themselves; each method as in ArenaGroups."""

    parts: list[slice]
    arenas: int
    learners: int
    obs_size: int
    action_spec: ActionSpec
    table_hash: str

    def reset(self, out: StepOut) -> None: ...

    def step(self, actions: Int, out: StepOut, part: int = 0) -> Finals: ...

    def set_timesteps(self, timesteps: int) -> None: ...

    def force_reset(self, reset: str) -> None: ...

    def set_weights(self, weights: Mapping[str, float]) -> None: ...

    def set_opponents(self, sources: Sequence[OpponentSource]) -> dict[str, str]: ...

    def playing(self) -> set[str]: ...

    def batches(self) -> list[SoccarBatch]:
        """Those of the game, for the debugger; none of a user's own environment."""

    def take_timings(self) -> Mapping[str, float]: ...

    def drain_stats(self) -> dict[str, EpisodeStats]: ...


def collected_env(
    spec: EnvSpec, arenas: int, seed: Sequence[int], cursor: Int | None = None, parts: int = 1
) -> CollectedEnv:
    """RltuiError when a component, the meshes or the numbers of the spec do not do, or the environment cannot be built."""
    make = UserEnvs if spec.environment else ArenaGroups
    return make(spec, arenas, seed, cursor, parts)
