"""Arena groups of one worker: matches and, for a share of its arenas, practice with other resets, terminals and rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.stats import EpisodeStats
from rltui.env.step import Finals, StepOut
from rltui.sim.state import GameState, Int

MATCH = "match"


class ArenaGroups:
    """SoccarBatch's own interface over one or two of them: the match's arenas first, the practice arenas behind them."""

    def __init__(self, spec: EnvSpec, arenas: int, seed: Sequence[int], cursor: Int | None = None) -> None:
        """RltuiError when a component, the meshes or the numbers of the spec do not do."""
        keys = {name: name for name in spec.reward_names}
        groups = [_RunningGroup(MATCH, spec, slice(0, arenas), keys)]
        if spec.mechanics is not None:
            practice = practice_arenas(spec.mechanics.share, arenas)
            own = spec.for_group(spec.mechanics)
            keys_there = {name: spec.mechanics.key(name, spec) for name in own.reward_names}
            groups = [
                _RunningGroup(MATCH, spec, slice(0, arenas - practice), keys),
                _RunningGroup(spec.mechanics.name, own, slice(arenas - practice, arenas), keys_there),
            ]
        self._groups = [group for group in groups if group.part.stop > group.part.start]
        self._batches = [
            SoccarBatch(group.spec, group.part.stop - group.part.start, (*seed, index) if index else seed, cursor)
            for index, group in enumerate(self._groups)
        ]
        first = self._batches[0]
        self.arenas, self.learners = arenas, first.learners
        self.obs_size, self.action_spec = first.obs_size, first.action_spec
        self.table_hash = first.table_hash

    def reset(self, out: StepOut) -> None:
        """As SoccarBatch.reset."""
        for batch, part in self._parts(out):
            batch.reset(part)

    def step(self, actions: Int, out: StepOut) -> Finals:
        """As SoccarBatch.step."""
        if len(self._batches) == 1:
            return self._batches[0].step(actions, out)
        finals = [
            (group.part.start, batch.step(actions[group.part], part))
            for group, (batch, part) in zip(self._groups, self._parts(out), strict=True)
        ]
        return Finals(
            np.concatenate([end.arenas + start for start, end in finals]),
            np.concatenate([end.obs for _, end in finals]),
        )

    def set_timesteps(self, timesteps: int) -> None:
        """As SoccarBatch.set_timesteps."""
        for batch in self._batches:
            batch.set_timesteps(timesteps)

    def force_reset(self, reset: str) -> None:
        """As SoccarBatch.force_reset, in every arena group."""
        for batch in self._batches:
            batch.force_reset(reset)

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Reward weights set by hand, named as in EnvSpec.weighed; they hold from the next set_timesteps on."""
        for group, batch in zip(self._groups, self._batches, strict=True):
            batch.weights = {name: weights[key] for name, key in group.keys.items() if key in weights}

    def drain_stats(self) -> dict[str, EpisodeStats]:
        """Sums since the last drain, by arena group."""
        return {group.name: batch.drain_stats() for group, batch in zip(self._groups, self._batches, strict=True)}

    def take_timings(self) -> Mapping[str, float]:
        """Seconds by part since the last call, over all arena groups."""
        parts = [batch.timings.take() for batch in self._batches]
        return {name: sum(part[name] for part in parts) for name in parts[0]}

    def states(self) -> list[GameState]:
        """Of each arena group, overwritten by the next step."""
        return [batch.state for batch in self._batches]

    def batches(self) -> list[SoccarBatch]:
        """Of each arena group, for the debugger."""
        return list(self._batches)

    def _parts(self, out: StepOut) -> list[tuple[SoccarBatch, StepOut]]:
        if len(self._batches) == 1:
            return [(self._batches[0], out)]
        return [(batch, _part(out, group.part)) for group, batch in zip(self._groups, self._batches, strict=True)]


@dataclass(frozen=True)
class _RunningGroup:
    name: str
    spec: EnvSpec
    part: slice  # its arenas
    keys: Mapping[str, str]  # reward name → the name that its weight is set by


def practice_arenas(share: float, arenas: int) -> int:
    """Arenas of a worker that practise: the share rounded, at least one; one is always left for the match."""
    return min(max(1, round(share * arenas)), arenas - 1)


def _part(out: StepOut, part: slice) -> StepOut:
    return StepOut(out.obs[part], out.legality[part], out.rewards[part], out.terminated[part], out.truncated[part])
