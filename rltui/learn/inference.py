"""Policy on the learner's device for many rows at once: what a collector asks for the workers' actions.

On a GPU one call costs the launches, not the arithmetic (0.65 ms for 240 as for 3,840 rows of a 2048-2048-1024-1024 net), so
it is recorded as CUDA graphs, copies in and out included, and replayed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rltui.actions.spec import ActionSpec
from rltui.learn.config import Precision
from rltui.learn.device import products
from rltui.learn.distributions import distribution, gumbel
from rltui.learn.networks import FeedForward
from rltui.learn.normalization import normalized
from rltui.policy.weights import Layer


class BatchPolicy:
    """Samples actions for up to so many slots of so many rows of observations, with weights of its own.

    The caller fills in `obs` [slots, rows, D] and `classes` [slots, rows] from the first slot on; `act` writes `actions`
    and `log_probs` [slots, rows]. On a GPU all four are page-locked memory.
    """

    def __init__(
        self,
        network: FeedForward,
        actions: ActionSpec,
        normalize: bool,
        shape: tuple[int, int],
        seed: int,
        precision: Precision = "float32",
    ) -> None:
        """network: its copy is used, on the same device. normalize: observations, by what `load` brings. shape: slots, and rows
        of each. precision: on a GPU TF32, unless it is float32, as values are made in the update.
        """
        self._network = copy.deepcopy(network).requires_grad_(False)
        weights = list(self._network.parameters())
        self._device = device = weights[0].device
        size = weights[0].shape[1]
        self._normalizer = torch.zeros(2, size, device=device) if normalize else None
        self._legal = None if actions.masks is None else torch.from_numpy(actions.masks).to(device)
        self._distribution = distribution(actions)
        self._generator = torch.Generator(device).manual_seed(seed)
        pinned = device.type == "cuda"
        self._obs = torch.zeros(*shape, size, pin_memory=pinned)
        self._classes = torch.zeros(shape, dtype=torch.uint8, pin_memory=pinned)
        self._actions = torch.zeros(*shape, *actions.shape, dtype=torch.int64, pin_memory=pinned)
        self._log_probs = torch.zeros(shape, pin_memory=pinned)
        self.obs: NDArray[np.float32] = self._obs.numpy()
        self.classes: NDArray[np.uint8] = self._classes.numpy()
        self.actions: NDArray[np.int64] = self._actions.numpy()
        self.log_probs: NDArray[np.float32] = self._log_probs.numpy()
        with products(precision, device):
            self._graphs = _Graphs(self._sample, shape[0], self._generator) if pinned else None

    def load(self, network: FeedForward, normalizer: NDArray[np.float32] | None = None) -> None:
        """Act with these weights from now on. normalizer: `normalizer_flat`."""
        self._load(network.parameters(), normalizer)

    def load_layers(self, layers: Sequence[Layer], normalizer: NDArray[np.float32] | None = None) -> None:
        """The same with those of a saved policy of the same sizes, w [in, out] and b [out]."""
        self._load((torch.from_numpy(part) for w, b in layers for part in (w.T, b)), normalizer)

    @torch.no_grad()
    def _load(self, parameters: Iterable[torch.Tensor], normalizer: NDArray[np.float32] | None) -> None:
        for mine, newest in zip(self._network.parameters(), parameters, strict=True):
            mine.copy_(newest)
        if self._normalizer is not None and normalizer is not None:
            self._normalizer.copy_(torch.from_numpy(normalizer).reshape(2, -1))
        if self._graphs is not None:
            self._graphs.after_current_stream()

    def act(self, count: int) -> None:
        """Choose for the first `count` slots."""
        if self._graphs is not None:
            self._graphs.run(count)
        else:
            self._sample(count)

    @torch.inference_mode()
    def _sample(self, count: int) -> None:
        obs = self._obs[:count].to(self._device, non_blocking=True).flatten(0, 1)
        if self._normalizer is not None:
            obs = normalized(obs, *self._normalizer)
        logits, legal = self._network(obs), None
        if self._legal is not None:
            classes = self._classes[:count].to(self._device, non_blocking=True).flatten()
            legal = self._legal.index_select(0, classes.int())
        chances = self._distribution(logits, legal)
        actions = chances.sample(gumbel(logits, self._generator))
        self._actions[:count].copy_(actions.view(self._actions[:count].shape), non_blocking=True)
        self._log_probs[:count].copy_(chances.log_prob(actions).view(count, -1), non_blocking=True)


class _Graphs:
    """CUDA graphs of one function of a number of slots, recorded at the powers of two and at the most there are."""

    def __init__(self, work: Callable[[int], None], slots: int, generator: Any) -> None:
        self._stream: Any = torch.cuda.Stream(priority=-1)  # type: ignore[no-untyped-call] # before the learner's work
        self._done: Any = torch.cuda.Event()  # type: ignore[no-untyped-call]
        self._sizes = sorted({slots, *(2**power for power in range(slots.bit_length()))})
        self._recorded: dict[int, torch.cuda.CUDAGraph] = {}
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            for size in self._sizes:
                work(size)  # what is made at the first call is not recorded
        self._stream.synchronize()
        for size in self._sizes:
            graph = torch.cuda.CUDAGraph()
            graph.register_generator_state(generator)
            # thread_local: the saver thread may be fetching a snapshot from the GPU meanwhile
            with torch.cuda.graph(graph, stream=self._stream, capture_error_mode="thread_local"):
                work(size)
            self._recorded[size] = graph

    def after_current_stream(self) -> None:
        """What was asked of the device until now comes before the next run."""
        self._stream.wait_stream(torch.cuda.current_stream())

    def run(self, count: int) -> None:
        """Do the work for at least so many slots, and wait for it."""
        size = next(size for size in self._sizes if size >= count)
        with torch.cuda.stream(self._stream):
            self._recorded[size].replay()
            self._done.record()
        self._done.synchronize()
