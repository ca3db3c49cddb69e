"""Arena groups of one worker: matches and, for a share of its arenas, practice with other resets, terminals and rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rltui.env.frozen_opponents import Loaded, OpponentSource
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.stats import EpisodeStats, total
from rltui.env.step import Finals, StepOut
from rltui.errors import RltuiError
from rltui.registry import MIRROR
from rltui.sim.state import GameState, Int

MATCH = "match"


class ArenaGroups:
    """SoccarBatch's own interface over several of them: the match's arenas, then the practice arenas.

    In `parts` pieces, each with arenas of both kinds, which can be stepped by themselves: one simulates while another
    waits for its actions.
    """

    def __init__(
        self, spec: EnvSpec, arenas: int, seed: Sequence[int], cursor: Int | None = None, parts: int = 1
    ) -> None:
        """RltuiError when a component, the meshes or the numbers of the spec do not do."""
        self.parts = arena_parts(arenas, parts)
        groups = [group for part in self.parts for group in _groups(spec, part)]
        self._groups = [
            (group, SoccarBatch(group.spec, _length(group.arenas), own, cursor, group.arenas.start, group.frozen))
            for group, own in ((group, (*seed, index) if index else seed) for index, group in enumerate(groups))
        ]
        first = self._groups[0][1]
        self.arenas, self.learners = arenas, first.learners
        self.obs_size, self.action_spec = first.obs_size, first.action_spec
        self.table_hash = first.table_hash
        self._loaded: dict[OpponentSource, Loaded] = {}
        self._of_part = [[found for found in self._groups if found[0].part == part] for part in self.parts]

    def reset(self, out: StepOut) -> None:
        """As SoccarBatch.reset, in all parts."""
        for group, batch in self._groups:
            batch.reset(_view(out, group.arenas))

    def step(self, actions: Int, out: StepOut, part: int = 0) -> Finals:
        """As SoccarBatch.step. actions, out and the arenas returned are those of this part."""
        groups = self._of_part[part]
        if len(groups) == 1:
            return groups[0][1].step(actions, out)
        finals = []
        for group, batch in groups:
            within = slice(group.arenas.start - group.part.start, group.arenas.stop - group.part.start)
            finals.append((within.start, batch.step(actions[within], _view(out, within))))
        return Finals(
            np.concatenate([end.arenas + start for start, end in finals]),
            np.concatenate([end.obs for _, end in finals]),
        )

    def set_timesteps(self, timesteps: int) -> None:
        """As SoccarBatch.set_timesteps."""
        for batch in self.batches():
            batch.set_timesteps(timesteps)

    def force_reset(self, reset: str) -> None:
        """As SoccarBatch.force_reset, in every arena group."""
        for batch in self.batches():
            batch.force_reset(reset)

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Reward weights set by hand, named as in EnvSpec.weighed; they hold from the next set_timesteps on."""
        for group, batch in self._groups:
            batch.weights = {name: weights[key] for name, key in group.keys.items() if key in weights}

    def set_opponents(self, sources: Sequence[OpponentSource]) -> dict[str, str]:
        """Frozen opponents, as SoccarBatch.set_opponents. Returns why some cannot play here, by name; the others do."""
        found, refused = {}, {}
        for source in sources:
            try:
                found[source] = self._loaded[source] if source in self._loaded else source.load()
            except RltuiError as error:
                refused[source.name] = error.message
        self._loaded = found
        players = {source.name: loaded for source, loaded in found.items()}
        for batch in self.batches():
            refused |= batch.set_opponents(players)
        return refused

    def playing(self) -> set[str]:
        """Frozen opponents of running episodes, by name."""
        return {name for batch in self.batches() for name in batch.playing}

    def drain_stats(self) -> dict[str, EpisodeStats]:
        """Sums since the last drain, by arena group."""
        found: dict[str, list[EpisodeStats]] = {}
        for group, batch in self._groups:
            found.setdefault(group.name, []).append(batch.drain_stats())
        return {name: total(parts) for name, parts in found.items()}

    def take_timings(self) -> Mapping[str, float]:
        """Seconds by part since the last call, over all arena groups."""
        parts = [batch.timings.take() for batch in self.batches()]
        return {name: sum(part[name] for part in parts) for name in parts[0]}

    def states(self) -> list[GameState]:
        """Of each arena group and part, overwritten by the next step."""
        return [batch.state for batch in self.batches()]

    def batches(self) -> list[SoccarBatch]:
        """Of each arena group and part, for the debugger."""
        return [batch for _, batch in self._groups]


@dataclass(frozen=True)
class _RunningGroup:
    name: str
    spec: EnvSpec
    part: slice
    arenas: slice  # its own, of the part's
    keys: Mapping[str, str]  # reward name → the name that its weight is set by
    frozen: int = 0  # of its last arenas, those in which frozen opponents may play


def _groups(spec: EnvSpec, part: slice) -> list[_RunningGroup]:
    """The arena groups of one part; none is empty."""
    keys = {name: name for name in spec.reward_names}
    if spec.mechanics is None:
        return [_RunningGroup(MATCH, spec, part, part, keys, frozen_arenas(spec, _length(part)))]
    own = spec.for_group(spec.mechanics)
    edge = part.stop - practice_arenas(spec.mechanics.share, _length(part))
    keys_there = {name: spec.mechanics.key(name, spec) for name in own.reward_names}
    found = [
        _RunningGroup(MATCH, spec, part, slice(part.start, edge), keys, frozen_arenas(spec, edge - part.start)),
        _RunningGroup(spec.mechanics.name, own, part, slice(edge, part.stop), keys_there),
    ]
    return [group for group in found if _length(group.arenas)]


def arena_parts(arenas: int, parts: int) -> list[slice]:
    """So many arenas in so many parts of equal size, or of one arena more."""
    return [slice(start, stop) for start, stop in pairwise(index * arenas // parts for index in range(parts + 1))]


def practice_arenas(share: float, arenas: int) -> int:
    """Arenas of a worker that practise: the share rounded, at least one; one is always left for the rest."""
    return min(max(1, round(share * arenas)), arenas - 1)


def frozen_arenas(spec: EnvSpec, arenas: int) -> int:
    """Of so many of the match, those in which frozen opponents may play a side: all where orange is theirs; none where a scripted
    one plays in all, or nobody on one side.
    """
    if spec.frozen_orange:
        return arenas
    if not spec.frozen_share or spec.opponent.name != MIRROR or not (spec.blue and spec.orange):
        return 0
    return practice_arenas(spec.frozen_share, arenas)


def _length(part: slice) -> int:
    return int(part.stop - part.start)


def _view(out: StepOut, arenas: slice) -> StepOut:
    return StepOut(
        out.obs[arenas],
        out.legality[arenas],
        out.rewards[arenas],
        out.terminated[arenas],
        out.truncated[arenas],
        None if out.player is None else out.player[arenas],
    )
