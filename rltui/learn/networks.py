"""Torch networks of policy and critic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

Float = NDArray[np.float32]


class FeedForward(nn.Module):
    """Linear, ReLU, …, Linear. rlgym-ppo's policy ends in a Softmax, which has no parameters; here it gives logits."""

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for size in hidden:
            layers += [nn.Linear(inputs, size), nn.ReLU(inplace=True)]
            inputs = size
        self.model = nn.Sequential(*layers, nn.Linear(inputs, outputs))

    def forward(self, obs: Tensor, hidden: torch.dtype | None = None) -> Tensor:
        """[N, inputs] → [N, outputs], float32. hidden: what layers between the first and the last are worked out in, which
        see the game's numbers and give the result, so that their rounding would show; None: float32.
        """
        if hidden is None or len(self.model) < 4:
            return cast(Tensor, self.model(obs))
        first, relu, *between, last = self.model
        x = relu(first(obs))
        with torch.autocast(obs.device.type, hidden, cache_enabled=False):
            for layer in between:
                x = layer(x)
        return cast(Tensor, last(x.float()))


def build(obs_size: int, hidden: Sequence[int], outputs: int, seed: int) -> FeedForward:
    """A network with torch's own initialisation, a function of the seed alone (global random state is left as it was)."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return FeedForward(obs_size, hidden, outputs)


def layers(state: Mapping[str, Tensor]) -> list[tuple[Float, Float]]:
    """A state dict's weights as policy.npz has them: w [in, out] and b [out] of each layer, float32 copies on the CPU."""
    names = [key.removesuffix(".weight") for key in state if key.endswith(".weight")]
    return [(_numpy(state[f"{name}.weight"].T.contiguous()), _numpy(state[f"{name}.bias"]).copy()) for name in names]


def _numpy(parameter: Tensor) -> Float:
    array: Float = parameter.detach().to("cpu", torch.float32).numpy()
    return array
