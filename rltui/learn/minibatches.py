"""Rollout rows as tensors, in batches and minibatches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from operator import itemgetter

import torch
from torch import Tensor


@dataclass(frozen=True)
class Experience:
    """R timesteps. Observations stay where they are (shared memory on a CPU); `place` says where each row's is."""

    obs: Tensor  # float32 [M, D]
    place: Tensor  # int64 [R] row of `obs`
    actions: Tensor  # int64 [R]
    log_probs: Tensor  # float32 [R] under the policy that collected
    advantages: Tensor  # float32 [R]
    targets: Tensor  # float32 [R] of the critic
    classes: Tensor | None = None  # uint8 [R] legality class; None: nothing is masked
    flipped: Tensor | None = None  # bool [R] learned from as its left-right mirror image; None: no row is

    def __len__(self) -> int:
        return len(self.place)

    def rows(self, which: Tensor) -> Experience:
        """These rows, in this order; observations are not touched."""
        return self._by_column(lambda column: column.index_select(0, which))

    def minibatches(self, size: int) -> Iterator[Experience]:
        """All rows in order, in pieces of equal length of at most `size`, each with its own copy of its observations."""
        pieces = -(-len(self) // size)
        edges = [i * len(self) // pieces for i in range(pieces + 1)]
        for start, stop in pairwise(edges):
            part = self._by_column(itemgetter(slice(start, stop)))
            yield replace(part, obs=self.obs.index_select(0, part.place))

    def mirrored(self, mirror: Sequence[Tensor]) -> Experience:
        """Of a minibatch: the flipped rows as their left-right mirror images, by the parts of a `Mirror`. Shapes stay fixed.

        All else stays: in the mirrored world the mirrored policy collected, with the same probabilities and rewards.
        """
        if self.flipped is None:
            return self
        index, sign, actions = mirror
        obs = torch.where(self.flipped[:, None], self.obs.index_select(1, index).mul_(sign), self.obs)
        return replace(self, obs=obs, actions=torch.where(self.flipped, actions[self.actions], self.actions))

    def owned(self) -> Experience:
        """A copy that survives the next rollout."""
        obs, place = self.obs.index_select(0, self.place), torch.arange(len(self)).to(self.place)
        return replace(self._by_column(Tensor.clone), obs=obs, place=place)

    def _by_column(self, change: Callable[[Tensor], Tensor]) -> Experience:
        """What `change` makes of each column that there is; observations are not touched."""
        columns = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "obs"}
        return replace(self, **{name: change(column) for name, column in columns.items() if column is not None})


def join(parts: Sequence[Experience]) -> Experience:
    """Several iterations' rows behind each other; a single one is returned as it is."""
    if len(parts) == 1:
        return parts[0]
    classes = [part.classes for part in parts if part.classes is not None]
    starts = [sum(len(part.obs) for part in parts[:i]) for i in range(len(parts))]
    return Experience(
        obs=torch.cat([part.obs for part in parts]),
        place=torch.cat([part.place + start for part, start in zip(parts, starts, strict=True)]),
        actions=torch.cat([part.actions for part in parts]),
        log_probs=torch.cat([part.log_probs for part in parts]),
        advantages=torch.cat([part.advantages for part in parts]),
        targets=torch.cat([part.targets for part in parts]),
        classes=torch.cat(classes) if classes else None,
    )


def batch_edges(rows: int, size: int) -> list[tuple[int, int]]:
    """Start and stop of each batch of `size` rows: every row is in exactly one.

    A last partial batch is a batch of its own, unless it has less than a tenth of the rows: an optimiser step on a
    handful of rows is as long as any other and mostly noise, so those join the batch before. Fewer rows than `size`
    make one batch.
    """
    full, rest = divmod(rows, size)
    count = max(1, full + (10 * rest >= size))
    return [(i * size, rows if i == count - 1 else (i + 1) * size) for i in range(count)]
