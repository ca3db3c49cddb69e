"""LearnerState: snapshot, load, rollback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rltui.errors import RltuiError
from rltui.learn import checkpoint_files, networks
from rltui.learn.adam import Adam
from rltui.learn.checkpoint_files import Book, Progress
from rltui.learn.config import PPOConfig
from rltui.learn.normalization import ObservationNormalizer, ObservationStatistics, RunningStatistics
from rltui.policy.weights import flatten, normalizer_flat
from rltui.runs import rlgym_ppo

Float = NDArray[np.float32]


@dataclass(frozen=True)
class LearnerSnapshot:
    """A copy of the learner's state at one instant. Taken on the training thread, written from any other."""

    policy: Mapping[str, Tensor]
    critic: Mapping[str, Tensor]
    policy_optimizer: Mapping[str, Any]
    critic_optimizer: Mapping[str, Any]
    book: Book

    def files(self) -> dict[str, bytes]:
        """The five files of an rlgym-ppo checkpoint, by name."""
        return {
            rlgym_ppo.POLICY: checkpoint_files.tensor_bytes(self.policy),
            rlgym_ppo.CRITIC: checkpoint_files.tensor_bytes(self.critic),
            rlgym_ppo.POLICY_OPTIMIZER: checkpoint_files.tensor_bytes(self.policy_optimizer),
            rlgym_ppo.CRITIC_OPTIMIZER: checkpoint_files.tensor_bytes(self.critic_optimizer),
            rlgym_ppo.BOOK_KEEPING: checkpoint_files.book_bytes(self.book),
        }

    def normalizer(self) -> tuple[NDArray[np.float32], NDArray[np.float32]] | tuple[None, None]:
        """Mean and variance of the observations for policy.npz; None where they are not normalised."""
        statistics = self.book.observation_statistics
        return (None, None) if statistics is None else statistics.mean_and_variance()

    def policy_layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The policy's weights for policy.npz: w [in, out], b [out] of each layer."""
        return networks.layers(self.policy)


class LearnerState:
    """Two networks, their Adam optimisers, the statistics of returns and observations, the count of optimiser steps."""

    def __init__(self, sizes: tuple[Sequence[int], Sequence[int]], config: PPOConfig, device: str, seed: int) -> None:
        """sizes: widths of the policy and of the critic, from the observation's to the last one's."""
        policy, critic = (networks.build(size[0], size[1:-1], size[-1], 2 * seed + i) for i, size in enumerate(sizes))
        self._obs_size = sizes[0][0]
        self.policy, self.critic = policy.to(device), critic.to(device)
        self.policy_optimizer = Adam(self.policy.parameters(), config.learning_rate)
        self.critic_optimizer = Adam(self.critic.parameters(), config.critic_learning_rate)
        self.return_statistics = RunningStatistics()
        self.normalizer: ObservationNormalizer | None = None
        if config.normalize_observations:
            self.normalizer = ObservationNormalizer(self._obs_size, device)
        self.updates = 0
        self.notices: tuple[str, ...] = ()  # what a user must know of the checkpoint loaded

    def tensors(self) -> list[Tensor]:
        """All that an optimiser step changes on the device."""
        networks = (*self.policy.parameters(), *self.critic.parameters())
        return [*(p.detach() for p in networks), *self.policy_optimizer.tensors(), *self.critic_optimizer.tensors()]

    def policy_flat(self) -> Float:
        """The policy's weights and the statistics of the observations, for the workers."""
        return _flat(self.policy.state_dict(), None if self.normalizer is None else self.normalizer.statistics)

    def snapshot(self, progress: Progress) -> LearnerSnapshot:
        """A copy to be written later, on the device where the state is (one or two milliseconds for small networks)."""
        observations = None if self.normalizer is None else self.normalizer.statistics
        return self.snapshot_of(
            self.tensors(), Book(progress, self.updates, copy(self.return_statistics), observations)
        )

    def snapshot_of(self, tensors: Sequence[Tensor], book: Book) -> LearnerSnapshot:
        """With copies of these, what `tensors` gave at another time or was copied from it: no other device is touched than
        theirs.
        """
        policy, critic = ([name for name, _ in network.named_parameters()] for network in (self.policy, self.critic))
        rest = iter(tensors)
        return LearnerSnapshot(
            policy={name: next(rest).clone() for name in policy},
            critic={name: next(rest).clone() for name in critic},
            policy_optimizer=self.policy_optimizer.state_dict(list(islice(rest, 2 * len(policy) + 1))),
            critic_optimizer=self.critic_optimizer.state_dict(list(rest)),
            book=book,
        )

    def load(self, files: Mapping[str, bytes]) -> Progress:
        """Take over a checkpoint. RltuiError names file and mismatch; then nothing was changed.

        Learning rates stay those of the profile.
        """
        policy, critic = (
            checkpoint_files.read_network(name, checkpoint_files.take(files, name), network.state_dict())
            for name, network in ((rlgym_ppo.POLICY, self.policy), (rlgym_ppo.CRITIC, self.critic))
        )
        policy_adam, critic_adam = (
            checkpoint_files.read_adam(name, checkpoint_files.take(files, name), list(network.parameters()))
            for name, network in (
                (rlgym_ppo.POLICY_OPTIMIZER, self.policy),
                (rlgym_ppo.CRITIC_OPTIMIZER, self.critic),
            )
        )
        book = checkpoint_files.read_book(checkpoint_files.take(files, rlgym_ppo.BOOK_KEEPING), self._obs_size)
        notices = _of_normalizing(self.normalizer is not None, book.observation_statistics)
        self.policy.load_state_dict(policy)
        self.critic.load_state_dict(critic)
        self.policy_optimizer.load(policy_adam)
        self.critic_optimizer.load(critic_adam)
        self.return_statistics = book.return_statistics
        self.notices = notices
        if self.normalizer is not None:
            self.normalizer.use(book.observation_statistics or ObservationStatistics.nothing_seen(self._obs_size))
        self.updates = book.cumulative_model_updates
        return book.progress


class Backup:
    """The state from before an update: what a dropped or abandoned update goes back to, bit for bit."""

    def __init__(self, state: LearnerState) -> None:
        self._state = state
        self._before = [tensor.clone() for tensor in state.tensors()]
        self._statistics = copy(state.return_statistics)
        self._observations = None if state.normalizer is None else state.normalizer.statistics
        self._updates = state.updates

    def policy_flat(self) -> Float:
        """As LearnerState's, of the state from before."""
        names = [name for name, _ in self._state.policy.named_parameters()]
        return _flat(dict(zip(names, self._before, strict=False)), self._observations)  # it begins with the policy's

    def change(self) -> tuple[float, float]:
        """Norm of the parameters' change since then: of the policy, of the critic."""
        before = iter(self._before)  # begins with the parameters
        norms = [
            torch.stack([(p.detach() - next(before)).norm() for p in network.parameters()]).norm()
            for network in (self._state.policy, self._state.critic)
        ]
        policy, critic = torch.stack(norms).tolist()
        return policy, critic

    @torch.no_grad()
    def restore(self) -> None:
        """Put everything back; first what is not on the device, which may have failed."""
        self._state.updates, self._state.return_statistics = self._updates, copy(self._statistics)
        for adam in (self._state.policy_optimizer, self._state.critic_optimizer):
            adam.zero_grad()
        for tensor, before in zip(self._state.tensors(), self._before, strict=True):
            tensor.copy_(before)
        if self._state.normalizer is not None and self._observations is not None:
            self._state.normalizer.use(self._observations)


class HostCopy:
    """The state after an update in the machine's own memory: what is saved when the GPU fails."""

    def __init__(self, state: LearnerState) -> None:
        self._state = state
        self._copies = [torch.empty_like(t, device="cpu", pin_memory=t.is_cuda) for t in state.tensors()]
        self._of: int | None = None  # the count of optimiser steps that it is whole for

    @property
    def current(self) -> bool:
        """Whether it holds the state as it is; in an update, as it was before."""
        return self._of == self._state.updates

    def forget(self) -> None:
        """The state has become another."""
        self._of = None

    def take(self) -> None:
        """Copy, and wait for the copies."""
        self._of, state = None, self._state
        for there, here in zip(state.tensors(), self._copies, strict=True):
            here.copy_(there, non_blocking=True)
        if self._copies[0].is_pinned():
            torch.cuda.current_stream().synchronize()
        self._statistics = copy(state.return_statistics)
        self._observations = None if state.normalizer is None else state.normalizer.statistics
        self._of = state.updates

    def snapshot(self, progress: Progress) -> LearnerSnapshot:
        """Of the state copied, without a call to the GPU: once it has failed each raises, even that which seeds torch."""
        book = Book(progress, self._state.updates, copy(self._statistics), self._observations)
        return self._state.snapshot_of(self._copies, book)


def _flat(policy: Mapping[str, Tensor], observations: ObservationStatistics | None) -> Float:
    weights = flatten(networks.layers(policy))
    if observations is None:
        return weights
    return np.concatenate([weights, normalizer_flat(*observations.mean_and_variance())])


def _of_normalizing(wanted: bool, found: ObservationStatistics | None) -> tuple[str, ...]:
    """A policy sees other numbers than it learned from where one side normalises observations and the other does not.

    RltuiError where these were rlgym-ppo's, which are kept exactly or not at all.
    """
    if found is not None and found.frozen:
        if not wanted:
            raise RltuiError(
                "the policy learned from observations that rlgym-ppo standardised, which the profile does not normalise",
                "set obs.normalize = true in the profile, or add: --set obs.normalize=true",
            )
        mean, var = (float(numbers[0]) for numbers in found.mean_and_variance())
        return (
            f"observations are standardised as rlgym-ppo did, every number by the first one's mean {mean:.4g} and deviation "
            f"{var**0.5:.4g}; these are frozen: training does not change them",
        )
    if found is not None and not wanted:
        return (
            "the policy learned from normalised observations, which the profile does not normalise: it will play badly at "
            "first, unless obs.normalize = true",
        )
    if wanted and found is None:
        return (
            "the profile normalises observations, which the policy did not learn from: it will play badly at first",
        )
    return ()
