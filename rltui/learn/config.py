"""PPOConfig and NetSizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rltui.actions.spec import ActionSpec

Precision = Literal["float32", "tf32", "bf16", "fp16"]


@dataclass(frozen=True)
class NetSizes:
    """Widths of policy and critic: both see obs_size numbers, one chooses actions, the other gives one value."""

    obs_size: int
    actions: ActionSpec
    policy_layers: Sequence[int]
    critic_layers: Sequence[int]

    @property
    def policy(self) -> list[int]:
        """From the observation to the actions."""
        return [self.obs_size, *self.policy_layers, self.actions.outputs]

    @property
    def critic(self) -> list[int]:
        """From the observation to the value."""
        return [self.obs_size, *self.critic_layers, 1]


class Mirror(NamedTuple):
    """The field's left-right mirror image, x → −x: a signed permutation of what is seen, a permutation of what is done."""

    obs_index: NDArray[np.int64]  # [D] number i of the mirrored observation is obs_sign[i] times number obs_index[i]
    obs_sign: NDArray[np.float32]  # [D]
    actions: NDArray[np.int64]  # [outputs] of each action the mirrored one; legality classes are the same


@dataclass(frozen=True)
class PPOConfig:
    """Defaults in the shape of rlgym-ppo. Fields are named as in profile.models.PpoSection, which train/config hands over whole;
    `mirror` is made of `mirror_augmentation`.
    """

    learning_rate: float = 2e-4  # of the policy's Adam
    critic_learning_rate: float = 2e-4
    gamma: float = 0.99  # discount a step
    gae_lambda: float = 0.95
    clip_range: float = 0.2  # ratios outside 1 ± this earn no more
    ent_coef: float = 0.01  # entropy is in nats, not normalised
    epochs: int = 2  # passes over the data
    batch: int = 20_000  # rows of one optimiser step
    minibatch: int | Literal["auto"] = 4_000  # rows of one pass, auto: what fits; splits a batch, changes nothing
    max_grad_norm: float = 0.5  # of each network, once a step
    normalize_advantages: bool = True  # to mean 0 and standard deviation 1, per batch
    standardize_returns: bool = True  # divide rewards by the running standard deviation of the returns …
    reward_clip: float = 10.0  # … and cut them to ± this
    normalize_observations: bool = False  # each number by its running mean and deviation
    mirror: Mirror | None = field(default=None, compare=False, repr=False)  # half the rows are learned as their images
    buffer_iterations: int = 1  # how many iterations' data an update learns from, oldest dropped first
    precision: Literal["auto"] | Precision = "auto"  # of the hidden layers' matrix products
    compile: Literal["off", "on", "graphs"] = "off"  # a pass by torch.compile; graphs: with CUDA graphs

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "minibatch", "buffer_iterations"):
            if (value := getattr(self, name)) != "auto" and value < 1:
                raise ValueError(f"{name} must be at least 1, found {value}")
