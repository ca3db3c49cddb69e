"""Proximal policy optimisation (Schulman et al. 2017, arXiv:1707.06347), clipped surrogate, in the shape of rlgym-ppo.

One iteration's rollout → values, scaled rewards, advantages (GAE) → `epochs` passes over it in shuffled batches. A batch
is one optimiser step; minibatches only split it, to fit into memory and cache.

    r = π(a|s) / π_old(a|s)
    policy loss = −mean min(r Â, clip(r, 1 − ε, 1 + ε) Â) − ent_coef · mean entropy(π(·|s))
    critic loss = mean (V(s) − (A + V_old(s)))²

With `mirror` a random half of the rows is replaced by their left-right mirror images (s̄, ā) in the first epoch, the other half
in the second, and so on in turn: an epoch takes no longer, and two have learned from each row in both ways. Â and π_old(a|s)
stay: that is how likely ā was in s̄ under the policy mirrored, from which the image is drawn.

Policy and critic are separate networks, each with its own Adam and its own gradient clip.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.nn.utils import clip_grad_norm_

from rltui.errors import in_words
from rltui.events import metric_keys
from rltui.learn import device as devices
from rltui.learn import gae
from rltui.learn import rollout as guards
from rltui.learn.checkpoint_files import Progress
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.distributions import distribution
from rltui.learn.inference import BatchPolicy
from rltui.learn.minibatches import Experience, batch_edges, join
from rltui.learn.report import Totals, UpdateReport
from rltui.learn.rollout import NonFiniteError, Rollout
from rltui.learn.state import Backup, HostCopy, LearnerSnapshot, LearnerState
from rltui.runs.atomic import fault

VALUE_PASSES = (
    4  # learning passes that one for values alone is as large as, on a GPU: it keeps nothing for the way back
)
AHEAD = 4  # minibatches that a GPU may be behind, so that the controls are polled at its pace

Float = NDArray[np.float32]
Bool = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


def nothing() -> None:
    """The default of `between`."""


class CompiledPassError(Exception):
    """torch.compile's pass failed; the update is made again without it. Raised and caught here."""


class PPOLearner:
    """Policy, critic and the algorithm. For one thread; a snapshot may be written by another."""

    def __init__(
        self,
        sizes: NetSizes,
        config: PPOConfig,
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        """seed: of the initial weights and of every shuffle (together with `updates`, so that a resumed run goes on)."""
        self.config = config
        self._state = LearnerState((sizes.policy, sizes.critic), config, device, seed)
        self._obs_size, self._actions = sizes.obs_size, sizes.actions
        self._device, self._seed, self._sizes = torch.device(device), seed, sizes
        self.precision = devices.choose_precision(config.precision, self._device)
        self.pass_rows = devices.pass_rows(config, sizes, self._device)  # of one forward and backward pass
        self._scale = devices.LossScale(self._device) if self.precision == "fp16" else None
        self._compiled: Callable[..., tuple[Tensor, ...]] | None = None
        if config.compile != "off":
            self._compiled = torch.compile(self._losses, mode="reduce-overhead" if config.compile == "graphs" else None)
        self._before: Backup | None = None  # of the running update
        self._host: HostCopy | None = None
        if self._device.type == "cuda":
            self._host = HostCopy(self._state)
        self._buffer: deque[Experience] = deque(maxlen=config.buffer_iterations)
        self._distribution = distribution(sizes.actions)
        masks = sizes.actions.masks
        self._legal = None if masks is None else torch.from_numpy(masks).to(self._device)
        self._mirror = self._mirror_of(config)
        self.progress = 0.0  # 0–1 of the running update: rows learned from, of all epochs'
        self._rows_wanted = 1
        self._rows_at_once = 1  # of the newest pass
        self._behind: deque[torch.cuda.Event] = deque()

    @property
    def updates(self) -> int:
        """Optimiser steps since the start of the run."""
        return self._state.updates

    @property
    def parameters(self) -> tuple[int, int]:
        """Number of parameters of the policy and of the critic."""
        policy, critic = (sum(p.numel() for p in n.parameters()) for n in (self._state.policy, self._state.critic))
        return policy, critic

    def set_rates(self, policy: float, critic: float) -> None:
        """Learning rates from the next update on."""
        self._state.policy_optimizer.lr, self._state.critic_optimizer.lr = policy, critic

    def set_entropy(self, ent_coef: float) -> None:
        """The entropy coefficient from the next update on."""
        self.config = replace(self.config, ent_coef=ent_coef)

    def configure(self, config: PPOConfig) -> None:
        """Another configuration from the next update on. Networks, optimisers and statistics stay, earlier iterations'
        data does not: it was paid for by other rewards.
        """
        self.config = config
        self.pass_rows = devices.pass_rows(config, self._sizes, self._device)
        self._mirror = self._mirror_of(config)
        self._buffer = deque(maxlen=config.buffer_iterations)
        self.set_rates(config.learning_rate, config.critic_learning_rate)

    def policy_flat(self) -> Float:
        """The policy's weights for the workers, a new vector float32 [P]: w0, b0, w1, b1, … with w as [in, out].

        Behind them `normalizer_flat` of the observations where they are normalised. While an update runs, in this thread or
        another: those from before it.
        """
        before = self._before
        if before is None:
            weights = self._state.policy_flat()
            before = self._before  # of an update that has begun meanwhile
        return weights if before is None else before.policy_flat()

    def batch_policy(self, shape: tuple[int, int]) -> BatchPolicy:
        """A copy of the policy on the learner's device that acts for many workers at once; `load_into` keeps it current. shape:
        slots, and rows of each.
        """
        policy = BatchPolicy(
            self._state.policy,
            self._actions,
            self._state.normalizer is not None,
            shape,
            self._seed + self.updates,
            self.precision,
        )
        self.load_into(policy)
        return policy

    def load_into(self, policy: BatchPolicy) -> None:
        """The newest weights, and statistics of the observations."""
        normalizer = self._state.normalizer
        policy.load(self._state.policy, None if normalizer is None else normalizer.flat)

    def snapshot(self, progress: Progress | None = None) -> LearnerSnapshot:
        """A copy of all state, for a saver thread; progress is what the trainer wants kept in BOOK_KEEPING_VARS.json.

        Of a GPU that has failed: from the copy that was taken after the newest update.
        """
        try:
            return self._state.snapshot(progress or Progress())
        except RuntimeError:
            if self._host is None or not self._host.current:
                raise
            return self._host.snapshot(progress or Progress())

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user must know of the checkpoint loaded, in sentences."""
        return self._state.notices

    def load(self, files: Mapping[str, bytes]) -> Progress:
        """Go on from a checkpoint's files, ours or rlgym-ppo's. RltuiError names file and mismatch; nothing has changed then.

        The buffer of earlier iterations is not part of a checkpoint and starts empty.
        """
        progress = self._state.load(files)
        self._buffer.clear()
        if self._host is not None:
            self._host.forget()
        return progress

    def update(self, rollout: Rollout, between: Callable[[], None] = nothing) -> UpdateReport:
        """Learn from one iteration. `between` is called before every minibatch; what it raises abandons the update.

        A non-finite number anywhere drops the update. Dropped or abandoned, everything is as before, bit for bit:
        weights, Adam's state, return statistics, buffer. Raises ValueError for arrays that do not fit. Where the GPU fails
        (`device.device_error`) `snapshot` still has the state from before.

        Where memory does not suffice the update is made again with half the rows at a time, and all later ones too.
        """
        rollout.check(self._obs_size, self._actions)
        try:
            with devices.products(self.precision, self._device):
                return self._learn(rollout, between)
        finally:
            self._before = None

    def _learn(self, rollout: Rollout, between: Callable[[], None]) -> UpdateReport:
        """The update, made again where its passes have to be others."""
        self._copy_to_host()
        before, buffer = Backup(self._state), self._buffer.copy()
        self._before = before
        notes: tuple[str, ...] = ()
        while True:
            report = None
            try:
                report = self._update(rollout, between, before)
            except NonFiniteError as error:
                report = UpdateReport(dropped=str(error))
            except BaseException as error:  # whatever `between` raised, too: leave no half update behind
                if not isinstance(error, CompiledPassError) and not devices.out_of_memory(error):
                    with contextlib.suppress(RuntimeError):  # a GPU that has failed takes nothing back
                        self._undo(before, buffer)
                    raise
                self._undo(before, buffer)
                notes = (*notes, self._other_passes(error))
            if report is not None:
                if report.dropped is None:
                    self._copy_to_host()
                else:
                    self._undo(before, buffer)
                return replace(report, notes=report.notes + notes)
            if self._device.type == "cuda":  # here, where the exception holds no more tensors
                torch.cuda.empty_cache()

    def _undo(self, before: Backup, buffer: deque[Experience]) -> None:
        """All as before the update; first what is not on the device, which may have failed."""
        self._buffer = buffer.copy()
        before.restore()

    def _other_passes(self, error: BaseException) -> str:
        """Half the rows at a time, or passes without torch.compile, and how that is told. Raises what neither helps."""
        if isinstance(error, CompiledPassError):
            self._compiled = None
            return f"learner.compile is off: {error}"
        before, self.pass_rows = self._rows_at_once, -(-self._rows_at_once // 2)
        if before == self.pass_rows:
            raise error
        return (
            f"out of memory with {before:,} rows at a time: {self.pass_rows:,} from here on, as with "
            f"ppo.minibatch = {self.pass_rows:_}"
        )

    def _copy_to_host(self) -> None:
        """If it has become another since."""
        if self._host is not None and not self._host.current:
            self._host.take()

    def _update(self, rollout: Rollout, between: Callable[[], None], before: Backup) -> UpdateReport:
        rollout = rollout.learners_part()
        usable = rollout.without_invalid()
        self._rows_at_once = min(self.pass_rows, max(1, usable.rewards.size))
        obs = self._rows_on_device(usable.obs)
        guards.check_rollout(rollout, obs_finite=bool(torch.isfinite(obs.sum())))
        if not usable.rows:
            return UpdateReport(notes=("no worker's data was usable: no update",))
        newest, figures = self._experience(usable, obs)
        data = self._with_earlier(newest)
        totals = Totals(self._device)
        self.progress, self._rows_wanted = 0.0, self.config.epochs * len(data)
        shuffle = np.random.default_rng((self._seed, self._state.updates))
        if self._mirror:
            data = replace(data, flipped=self._on_device(shuffle.permutation(len(data)) < len(data) // 2))
        for epoch in range(self.config.epochs):
            order = self._on_device(shuffle.permutation(len(data)))
            for start, stop in batch_edges(len(data), self.config.batch):
                self._step(data.rows(order[start:stop]), totals, between, f"epoch {epoch + 1}, row {start}")
            if data.flipped is not None:
                data = replace(data, flipped=~data.flipped)
        totals.settle()
        report = self._report(totals, figures, before, len(data))
        if self._state.normalizer is not None:
            # What was collected and learned with the same statistics.
            self._state.normalizer.take_in(usable.obs, usable.learn)
        return report

    def _mirror_of(self, config: PPOConfig) -> list[Tensor]:
        """On the device; empty where only what was collected is learned from."""
        return [self._on_device(part) for part in config.mirror or ()]

    def _on_device(self, array: NDArray[Any]) -> Tensor:
        """Where it is, on a CPU; a copy that is not waited for, on a GPU."""
        return torch.from_numpy(array).to(self._device, non_blocking=True)

    def _rows_on_device(self, obs: Float) -> Tensor:
        """Observations [W, T + 1, A, D] as [N, D]. Of a block whose end is left out each worker's go by themselves, since only
        they lie behind each other.
        """
        if obs.flags.c_contiguous:
            return self._on_device(obs.reshape(-1, self._obs_size))
        rows = torch.empty(obs.shape, device=self._device)
        for row, worker in zip(rows, obs, strict=True):
            row.copy_(torch.from_numpy(worker), non_blocking=True)
        return rows.flatten(0, 2)

    def _with_earlier(self, newest: Experience) -> Experience:
        """The newest rows and those of the iterations in the buffer; only the buffer keeps copies."""
        if self.config.buffer_iterations == 1:
            return newest
        self._buffer.append(newest.owned())
        return join(list(self._buffer))

    def _experience(self, rollout: Rollout, obs: Tensor) -> tuple[Experience, dict[str, float]]:
        """Rows with advantages and critic targets, and the figures that are known before learning. obs: the rollout's."""
        w, t, a = rollout.shape
        values = self._rollout_values(rollout, obs)
        guards.check_values(values, rollout)
        rewards, clipped = self._scaled_rewards(rollout)
        advantages = self._advantages(rollout, rewards, values)
        targets = advantages + values[:, :-1]
        place = np.arange(w * (t + 1) * a).reshape(w, t + 1, a)[:, :-1]
        columns = [place, rollout.actions, rollout.log_probs, advantages, targets]
        if self._legal is not None and rollout.legality is not None:
            columns.append(rollout.legality[:, :-1])
        data = Experience(obs, *(self._on_device(rollout.learned(x)) for x in columns))
        figures = {metric_keys.RETURN_STD: self._state.return_statistics.std, metric_keys.REWARD_CLIPPED: 100 * clipped}
        return data, figures | _explained_variance(rollout.learned(values[:, :-1]), rollout.learned(targets))

    def _advantages(self, rollout: Rollout, rewards: Float, values: Float) -> Float:
        """GAE of every agent's own sequence, [W, T, A], from scaled rewards and the values [W, T + 1, A]."""
        worker, step, agent = np.unravel_index(rollout.final_index, rollout.shape)
        finals = self._values(self._on_device(rollout.final_obs))
        by_time = _time_first(values)
        steps = gae.Steps(
            rewards=_time_first(rewards),
            values=by_time[:-1],
            next_values=gae.next_values(by_time, (step, worker, agent), finals),
            terminated=_time_first(rollout.terminated),
            truncated=_time_first(rollout.truncated),
        )
        return gae.advantages(steps, self.config.gamma, self.config.gae_lambda).swapaxes(0, 1)

    def _seen(self, obs: Tensor) -> Tensor:
        """Observations [N, D] as the networks are shown them: normalised, or as they are."""
        normalizer = self._state.normalizer
        return obs if normalizer is None else normalizer(obs)

    def _rollout_values(self, rollout: Rollout, obs: Tensor) -> Float:
        """V of all observations, [W, T + 1, A]; 0 where one is not `seen`."""
        w, t, a = rollout.shape
        seen = np.ones((w, t + 1, a), np.bool_) if rollout.seen is None else rollout.seen
        shown = obs if rollout.seen is None else obs.index_select(0, self._on_device(np.flatnonzero(seen)))
        values = np.zeros(seen.shape, np.float32)
        values[seen] = self._values(shown)
        return values

    @torch.inference_mode()
    def _values(self, obs: Tensor) -> Float:
        """V of observations [N, D] → [N], never in less than TF32: advantages are differences of them."""
        rows = self.pass_rows if self._device.type == "cpu" else VALUE_PASSES * self.pass_rows
        pieces = [self._state.critic(self._seen(piece)) for piece in torch.split(obs, rows)]
        values: Float = torch.cat(pieces).squeeze(-1).cpu().numpy()
        return values

    def _scaled_rewards(self, rollout: Rollout) -> tuple[Float, float]:
        """Rewards over the running standard deviation of the returns, cut to ± reward_clip; and the share that was cut.

        The statistics take in this iteration first, so that the very first one is scaled already.
        """
        if not self.config.standardize_returns:
            return rollout.rewards, 0.0
        ended = rollout.terminated | rollout.truncated
        returns = gae.discounted_returns(_time_first(rollout.rewards), _time_first(ended), self.config.gamma)
        self._state.return_statistics.update(rollout.learned(_time_first(returns)))
        scaled = rollout.rewards / np.float32(self._state.return_statistics.std)
        limit = np.float32(self.config.reward_clip)
        return scaled.clip(-limit, limit), float((np.abs(rollout.learned(scaled)) > limit).mean())

    def _step(self, batch: Experience, totals: Totals, between: Callable[[], None], place: str) -> None:
        """One optimiser step of both networks on a batch, its gradient summed over minibatches weighted by their rows."""
        state, config = self._state, self.config
        mean, scale = _advantage_scale(batch.advantages) if config.normalize_advantages else (0.0, 1.0)
        optimizers = state.policy_optimizer, state.critic_optimizer
        for optimizer in optimizers:
            optimizer.zero_grad(keep=self._compiled is not None)
        for raw in batch.minibatches(self.pass_rows):
            between()
            self._rows_at_once = len(raw)
            part = replace(raw, advantages=(raw.advantages - mean) * scale).mirrored(self._mirror)
            totals.add(len(part), self._pass(part, len(part) / len(batch)))
            self.progress += len(part) / self._rows_wanted
            self._keep_pace()
        skip = None
        if self._scale is not None:
            skip = self._scale.unscale([gradient for optimizer in optimizers for gradient in optimizer.gradients()])
            self._scale.update(skip)
        norms = (
            clip_grad_norm_(state.policy.parameters(), config.max_grad_norm),
            clip_grad_norm_(state.critic.parameters(), config.max_grad_norm),
        )
        if skip is not None:
            norms = norms[0].where(skip == 0, 0), norms[1].where(skip == 0, 0)
        totals.close_step(norms, place)
        for optimizer in optimizers:
            optimizer.step(skip)
        state.updates += 1

    def _pass(self, part: Experience, weight: float) -> tuple[Tensor, ...]:
        """Forward and backward through both networks: adds to the gradients. The figures that Totals.add takes."""
        match fault("learn.pass"):
            case "oom":
                raise torch.OutOfMemoryError("fault injected")
            case "gpu":
                raise RuntimeError("CUDA error: fault injected")
        seen, legal = replace(part, obs=self._seen(part.obs)), self._legal_rows(part)
        try:
            figures = (self._compiled or self._losses)(seen, legal)
            losses = [loss * weight for loss in figures[:2]]
            if self._scale is not None:
                losses = [loss * self._scale.scale for loss in losses]
            torch.autograd.backward(losses)
        except Exception as error:
            known = devices.out_of_memory(error) or devices.device_error(error) is not None
            if self._compiled is None or known:
                raise
            raise CompiledPassError(in_words(error).partition(" Set TORCH")[0]) from error  # what developers may set
        return figures

    def _losses(self, part: Experience, legal: Tensor | None) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Policy loss, critic loss, entropy in nats, KL from the collecting policy, clip fraction: means over the minibatch.

        part: its observations as the networks see them, its advantages normalised. KL is Schulman's estimate
        r − 1 − ln r, never negative (joschu.net/blog/kl-approx.html). It and the clip fraction, which tell how far the policy
        has moved, are of the rows that are not flipped: their sums, over half the minibatch, as half of an epoch's rows are.
        """
        epsilon, hidden = self.config.clip_range, devices.DTYPES.get(self.precision)
        chosen = self._distribution(self._state.policy(part.obs, hidden), legal)
        new_log_probs, entropy = chosen.log_prob(part.actions), chosen.entropy()
        log_ratio = new_log_probs - part.log_probs
        ratio = log_ratio.exp()
        surrogate = torch.min(ratio * part.advantages, ratio.clamp(1 - epsilon, 1 + epsilon) * part.advantages)
        mean_entropy = entropy.mean()
        policy_loss = -surrogate.mean() - self.config.ent_coef * mean_entropy
        critic_loss = mse_loss(self._state.critic(part.obs, hidden).squeeze(-1), part.targets)
        with torch.no_grad():
            kl, clipped = ratio - 1 - log_ratio, ((ratio - 1).abs() > epsilon).float()
            if part.flipped is not None:
                # Images differ from what was collected even before the policy has moved, unless it is symmetric.
                kl, clipped = 2 * kl.masked_fill(part.flipped, 0), 2 * clipped.masked_fill(part.flipped, 0)
        return policy_loss, critic_loss, mean_entropy, kl.mean(), clipped.mean()

    def _keep_pace(self) -> None:
        """Wait until the GPU is no further behind than AHEAD minibatches: it never runs dry, and `between` means now."""
        if self._device.type != "cuda":
            return
        done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        done.record()
        self._behind.append(done)
        if len(self._behind) > AHEAD:
            self._behind.popleft().synchronize()

    def _legal_rows(self, part: Experience) -> Tensor | None:
        """bool [N, outputs] of a minibatch; None where nothing is masked."""
        if self._legal is None or part.classes is None:
            return None
        return self._legal.index_select(0, part.classes.int())

    def _report(self, totals: Totals, figures: dict[str, float], before: Backup, rows: int) -> UpdateReport:
        policy_change, critic_change = before.change()
        for name, change in (("policy", policy_change), ("critic", critic_change)):
            if not math.isfinite(change):
                raise NonFiniteError(f"{name} weights after the update")
        notes: tuple[str, ...] = ()
        if rows < self.config.batch:
            # Without their number, which opponents and lost workers change: it is said once.
            notes = (f"ppo.batch {self.config.batch:,} exceeds the timesteps there are: one step on all of them",)
        metrics = totals.metrics() | figures
        metrics |= {metric_keys.POLICY_UPDATE: policy_change, "train/critic_update": critic_change}
        rate = self._state.policy_optimizer.lr
        metrics |= {metric_keys.LEARNING_RATE: rate, "train/updates": float(self.updates)}
        return UpdateReport(metrics, notes=notes, rows=rows, steps=totals.steps)


def _time_first(x: NDArray[Scalar]) -> NDArray[Scalar]:
    """[W, T, …] → [T, W, …] and back, a view."""
    return x.swapaxes(0, 1)


def _advantage_scale(advantages: Tensor) -> tuple[Tensor | float, Tensor | float]:
    """Mean and 1 / standard deviation (n − 1) of a batch; a single row has no deviation and becomes 0."""
    if len(advantages) < 2:
        return advantages.mean(), 1.0
    return advantages.mean(), 1 / (advantages.std() + 1e-8)


def _explained_variance(values: Float, targets: Float) -> dict[str, float]:
    """1 − Var(target − V) / Var(target) of the critic before the update; left out where targets vary by rounding only."""
    variance = float(targets.var(dtype=np.float64))
    if variance <= 1e-12 * float(np.square(targets, dtype=np.float64).mean()):
        return {}
    return {metric_keys.EXPLAINED_VARIANCE: 1 - float((targets - values).var(dtype=np.float64)) / variance}
