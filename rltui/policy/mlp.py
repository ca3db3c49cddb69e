"""DiscretePolicy: NumPy forward pass and sampling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rltui.actions.spec import ActionSpec, Bool, Classes, Int
from rltui.policy.distributions import ILLEGAL, Categorical
from rltui.policy.weights import Float, Layer, Normalizer, flat_size, flatten, layer_sizes, matrices

_CHUNK = 4096  # values replaced at once
_REUSE = 16  # how often a value is read, on average, before it is replaced
FEW_ROWS, SMALL_MATRIX = 8, 1 << 19  # rows, bytes: see _product
_KEPT = 4  # times `max_rows`: rows of all buffers together
_SMALLEST = np.float32(1e-10)  # of the exponential variates: keeps the noise within −4 … 23


class GumbelBank:
    """argmax(logits + Gumbel noise) is a draw from softmax(logits) (Gumbel-max); this is where the noise comes from.

    Fresh noise for 128 rows of 90 actions costs 80 µs; a window at a random offset of a big bank costs 10 µs, renewal
    included. It is sound because
    - within a draw all values are different, so rows are independent;
    - offsets are uniform over single values, not rows: where two draws overlap, a value meets another action, and
      draws of 128 × 90 overlap the one before in 2 % of the cases;
    - the bank is replaced piece by piece as it is used (each value is read 16 times on average), so that frequencies
      tend to the probabilities themselves, not to those of one frozen sample.

    Same seed and same sequence of `next` calls: same noise, bit for bit.
    """

    def __init__(self, seed: int | Sequence[int], size: int = 1 << 20) -> None:
        """size: float32 values in the bank (4 MB); it grows where a draw is too big a part of it."""
        self._rng = np.random.default_rng(np.random.SeedSequence(seed))
        self._bank = np.empty(max(size, _CHUNK) // _CHUNK * _CHUNK, np.float32)
        self._refill(self._bank)
        self._cursor = 0
        self._read = 0

    def next(self, n: int, m: int) -> Float:
        """Standard Gumbel noise, a read-only view float32 [n, m], valid until the next call."""
        count = n * m
        if count * _REUSE > len(self._bank):
            self._grow(count * _REUSE)
        self._replace(count)
        start = int(self._rng.integers(len(self._bank) - count + 1))
        view = self._bank[start : start + count].reshape(n, m)
        view.flags.writeable = False
        return view

    def _replace(self, count: int) -> None:
        self._read += count
        while self._read >= _CHUNK * _REUSE:
            self._read -= _CHUNK * _REUSE
            self._refill(self._bank[self._cursor : self._cursor + _CHUNK])
            self._cursor = (self._cursor + _CHUNK) % len(self._bank)

    def _grow(self, size: int) -> None:
        more = np.empty(-(-size // _CHUNK) * _CHUNK, np.float32)
        more[: len(self._bank)] = self._bank
        self._refill(more[len(self._bank) :])
        self._bank = more

    def _refill(self, out: Float) -> None:
        """−log E with E standard exponential is a standard Gumbel variate."""
        self._rng.standard_exponential(dtype=np.float32, out=out)
        np.maximum(out, _SMALLEST, out=out)
        np.log(out, out=out)
        np.negative(out, out=out)


class _Buffers:
    """Working memory for `n` rows. Every input of a layer has a last column of ones, which multiplies the bias."""

    def __init__(self, n: int, matrices: Sequence[Float]) -> None:
        sizes = [len(matrix) for matrix in matrices]
        actions = matrices[-1].shape[1]
        inputs = [np.ones((n, size), np.float32) for size in sizes]
        self.observation = inputs[0][:, :-1]
        self.hidden = [
            # relu against an array of zeros takes a quarter of the time of relu against the number 0
            (x, matrix, y[:, :-1], y, np.zeros_like(y))
            for x, matrix, y in zip(inputs[:-1], matrices[:-1], inputs[1:], strict=True)
        ]
        self.logits = np.empty((n, actions), np.float32)
        self.last = inputs[-1], matrices[-1], self.logits
        self.distribution = Categorical(self.logits)


def _product(x: Float, matrix: Float, out: Float) -> None:
    """x @ matrix into `out`.

    A product of few rows costs mostly what BLAS prepares for many: where the matrix is small too, row by row is faster (three
    rows by 256 × 256: three times).
    """
    if len(x) > FEW_ROWS or matrix.nbytes > SMALL_MATRIX:
        np.matmul(x, matrix, out=out)
        return
    for row, result in zip(x, out, strict=True):
        np.matmul(row, matrix, out=result)


class DiscretePolicy:
    """logits = W_L·relu(… relu(W_0·obs + b_0) …) + b_L; actions are rows of the table; all float32.

    Same weights, same inputs, same number of rows: same bits. (Another number of rows may round differently: BLAS picks
    its kernels by shape.)
    """

    def __init__(
        self, sizes: Sequence[int], max_rows: int, actions: ActionSpec | None = None, normalize: bool = False
    ) -> None:
        """sizes: widths from the observation's to the number of actions. max_rows: the most rows of one call.

        actions: what is chosen; None: a row of a table, all of them always. With masks, `act` and `best` need the class
        of each row, uint8 [n].

        normalize: whether it scales its observations; then the weights end with their `normalizer_flat`.
        """
        self.sizes = tuple(sizes)
        self.max_rows = max_rows
        self._flat = np.zeros(flat_size(sizes, normalize), np.float32)
        weights, statistics = np.split(self._flat, [flat_size(sizes)])
        self._matrices = matrices(weights, sizes)
        self._normalizer = Normalizer(statistics) if normalize else None
        self._buffers: dict[int, _Buffers] = {}
        self._penalties = None if actions is None or actions.masks is None else _penalties(actions.masks, sizes[-1])

    @classmethod
    def from_layers(
        cls, layers: Sequence[Layer], max_rows: int, actions: ActionSpec | None = None, normalizer: Float | None = None
    ) -> DiscretePolicy:
        """A policy with these weights: w [in, out] and b [out] of each layer, and `normalizer_flat` where it normalises."""
        policy = cls(layer_sizes(layers), max_rows, actions, normalizer is not None)
        weights = flatten(layers)
        policy.set_weights(weights if normalizer is None else np.concatenate([weights, normalizer]))
        return policy

    @property
    def obs_size(self) -> int:
        return self.sizes[0]

    def set_weights(self, flat: Float) -> None:
        """Copy the parameters, laid out as in weights.py, from a float32 vector [flat_size]; ValueError for another size."""
        if flat.shape != self._flat.shape:
            raise ValueError(f"flat parameters are {list(flat.shape)}, expected {list(self._flat.shape)}")
        np.copyto(self._flat, flat)

    def act(
        self, obs: Float, noise: GumbelBank, actions_out: Int, log_probs_out: Float, classes: Classes | None = None
    ) -> None:
        """Sample an action for each row of obs [n, obs_size] into actions_out [n], its log-probability into the other."""
        chosen = self._masked(obs, classes).distribution
        chosen.sample(noise.next(len(obs), self.sizes[-1]), actions_out)
        chosen.log_prob(actions_out, log_probs_out)

    def logits(self, obs: Float, classes: Classes | None = None) -> Float:
        """Logits of obs [n, obs_size]: a view float32 [n, outputs] that the next call overwrites.

        classes: then the rows that are illegal in them have ILLEGAL; None: the network's own logits.
        """
        return (self._forward(obs) if classes is None else self._masked(obs, classes)).logits

    def best(self, obs: Float, classes: Classes | None = None) -> Int:
        """The most probable action of each row, a new int64 [n]; the lowest index where logits are equal."""
        return self._masked(obs, classes).distribution.best()

    def _masked(self, obs: Float, classes: Classes | None) -> _Buffers:
        """The forward pass; ValueError where there are masks and no classes."""
        b = self._forward(obs)
        if self._penalties is None:
            return b
        if classes is None or classes.shape != (len(obs),):
            found = "none" if classes is None else list(classes.shape)
            raise ValueError(f"a policy with masks needs the legality class of each of {len(obs)} rows, found {found}")
        b.distribution.mask(self._penalties, classes)
        return b

    def _forward(self, obs: Float) -> _Buffers:
        b = self._buffers.get(len(obs)) or self._new_buffers(len(obs))
        if self._normalizer is None:
            np.copyto(b.observation, obs)
        else:
            self._normalizer.apply(obs, b.observation)
        for x, matrix, out, following, zeros in b.hidden:
            _product(x, matrix, out)
            np.maximum(following, zeros, out=following)  # the whole buffer: max(1, 0) keeps the column of ones
        _product(*b.last)
        return b

    def _new_buffers(self, n: int) -> _Buffers:
        if n > self.max_rows:
            raise ValueError(f"{n} rows, at most {self.max_rows}")
        if sum(self._buffers) + n > _KEPT * self.max_rows:  # a number of rows that varies would fill the memory
            self._buffers.clear()
        self._buffers[n] = _Buffers(n, self._matrices)
        return self._buffers[n]


def _penalties(masks: Bool, outputs: int) -> Float:
    """float32 [classes, outputs]: what is added to the logits. ValueError for masks that leave nothing to choose."""
    if masks.ndim != 2 or masks.shape[1] != outputs:
        raise ValueError(f"masks are {list(masks.shape)}, expected [classes, {outputs}]")
    if not masks.any(axis=1).all():
        raise ValueError(f"nothing may be chosen in legality class {int(masks.any(axis=1).argmin())}")
    return np.where(masks, np.float32(0), ILLEGAL)
