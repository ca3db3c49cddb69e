"""The boost pads nearest to each car and to the ball, for a whole batch at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rltui.sim.field import PAD_POSITIONS, PADS
from rltui.sim.state import Float, Int

Key = NDArray[np.uint32]

NUMBER_BITS = np.uint32(63)  # the lowest six bits of a key: room for 34 pads
HALF, ONE = np.uint32(32), np.uint32(1)


class NearestPads:
    """Nearest on the map, over x and y; the order of RLGym's pads, as the car's own team sees it, settles ties.

    A squared distance and the pad's number share one key: a positive float32, read as an integer, grows with its value,
    and its lowest six bits, some millionths of it, make room for the number. So the nearest pad is the least key, with
    no second array of indices to carry along, and counterparts choose alike.
    """

    def __init__(self, team: NDArray[np.int8], arenas: int, count: int) -> None:
        """team [C]; count: how many of each."""
        sides = sorted(set(team.tolist()))  # the ball is looked at from each
        views = np.array([*team.tolist(), *sides])  # [B] whose view: the cars' own, then of the ball
        self._cars = len(team)
        pads = np.array(PAD_POSITIONS, np.float32)[:, :2]
        seen = np.stack([pads[::-1] if view else pads for view in views.tolist()], axis=1)  # [34, B, 2]
        self._pads: Float = np.ascontiguousarray(seen.transpose(2, 0, 1)[..., None])
        self._flip: Int = np.where(views == 1, PADS - 1, 0)[:, None]
        self._number: Key = np.arange(PADS, dtype=np.uint32)[:, None, None]
        self._ball: list[int] = [self._cars + sides.index(side) for side in team.tolist()]
        shape = (len(views), arenas)
        self._place: Float = np.zeros((2, *shape), np.float32)
        self._squares: Float = np.zeros((2, PADS, *shape), np.float32)
        self._rest: Key = np.zeros((PADS, *shape), np.uint32)
        self._nearest: Key = np.zeros((count, *shape), np.uint32)

    def find(self, position: Float, ball: Float) -> Int:
        """Pads in RLGym's order [2 n, C, K], n near the car and n near the ball, nearest first, for positions [3, C, K]
        and [3, K].
        """
        self._place[:, : self._cars] = position[:2]
        self._place[:, self._cars :] = ball[:2, None]
        self._choose(self._keys())
        number = (self._nearest & NUMBER_BITS).astype(np.int64)
        pads = np.abs(self._flip - number)
        return np.concatenate([pads[:, : self._cars], pads[:, self._ball]])

    def _keys(self) -> Key:
        """[34, B, K], less where nearer."""
        x, y = self._squares
        np.subtract(self._pads[0], self._place[0], out=x)
        np.subtract(self._pads[1], self._place[1], out=y)
        np.multiply(self._squares, self._squares, out=self._squares)
        np.add(x, y, out=x)
        keys: Key = x.view(np.uint32)
        np.add(keys, HALF, out=keys)  # rounded: what the physics does to the last bit must not part equal distances
        np.bitwise_and(keys, ~NUMBER_BITS, out=keys)
        np.bitwise_or(keys, self._number, out=keys)
        return keys

    def _choose(self, keys: Key) -> None:
        """Write the least keys. Less one more than the last one chosen, all keys up to it wrap round and are the largest."""
        nearest = self._nearest
        keys.min(axis=0, out=nearest[0])
        for last, following in pairwise(nearest):
            beyond = last + ONE
            np.subtract(keys, beyond, out=self._rest)
            self._rest.min(axis=0, out=following)
            following += beyond
