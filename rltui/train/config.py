"""Resolved configuration: a profile with every `auto` decided, and what is built from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from rltui.env.arena_groups import frozen_arenas
from rltui.env.from_profile import Sizes, env_spec, mirror_maps, sizes
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError, in_words
from rltui.events.records import Record
from rltui.learn.config import Mirror, NetSizes, PPOConfig
from rltui.learn.device import device_error, pass_rows
from rltui.learn.ppo import PPOLearner
from rltui.learn.schedules import Schedule
from rltui.policy.weights import flat_size
from rltui.profile.curriculum import task_profile
from rltui.profile.models import Profile
from rltui.profile.render import render
from rltui.profile.resolved import (
    choose_inference,
    parameter_count,
    rollout_blocks,
    slack_steps,
    steps_per_rollout,
    thread_count,
    worker_count,
)
from rltui.supervise.output_log import OutputLog
from rltui.train.collect.central import CentralCollector, CentralPolicies, slots
from rltui.train.collect.collector import Collector, SerialCollector
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout
from rltui.train.collect.worker import ActorSpec
from rltui.train.collect.worker_pool import LocalCollector

USUAL_LAYERS, MANY = (256, 256, 256), 8  # of nets on a processor; times the parameters from which on it takes too long
OF_SCHEDULE = ("schedule", "schedule_steps", "learning_rate_floor", "target_kl")


@dataclass(frozen=True)
class ResolvedConfig:
    """A profile with every `auto` resolved."""

    profile: Profile
    spec: EnvSpec
    size: Sizes
    workers: int
    threads: int  # of the learner
    device: str
    inference: Literal["local", "central"]

    @classmethod
    def resolve(cls, profile: Profile) -> ResolvedConfig:
        """Of a curriculum: of its first task. Raises RltuiError when a GPU is demanded and missing."""
        profile = task_profile(profile)
        spec, device = env_spec(profile), choose_device(profile.learner.device)
        return cls(
            profile=profile,
            spec=spec,
            size=sizes(spec),
            workers=worker_count(profile, device),
            threads=thread_count(profile),
            device=device,
            inference=choose_inference(profile, device),
        )

    @property
    def policy_sizes(self) -> tuple[int, ...]:
        """Widths of the policy from the observation to the actions."""
        return (self.size.obs, *self.profile.policy.layers, self.size.actions.outputs)

    @cached_property
    def shape(self) -> RolloutShape:
        """Of the rollouts: as many steps a worker as give at least `ppo.iteration` timesteps."""
        steps = steps_per_rollout(self.profile, self.workers)
        return RolloutShape(
            blocks=rollout_blocks(self.profile),
            workers=self.workers,
            steps=steps,
            arenas=self.profile.collect.arenas,
            cars=self.spec.learners,
            obs_size=self.size.obs,
            actions=self.size.actions,
            parameters=flat_size(self.policy_sizes, self.profile.obs.normalize),
            slack=slack_steps(self.inference, self.workers, steps),
            frozen=self.spec.learners - self.spec.learned_from,
        )

    @cached_property
    def ppo(self) -> PPOConfig:
        """The learner's settings. Batch and minibatch grow as the iteration is rounded up to whole steps of all arenas, so
        that no epoch ends with an optimizer step on a handful of left-over rows.
        """
        section = self.profile.ppo
        settings = section.model_dump(exclude={"iteration", "mirror_augmentation", *OF_SCHEDULE})
        rows = self.shape.rows * self.workers
        for name in ("batch", "minibatch"):
            if settings[name] != "auto":
                settings[name] = -(-settings[name] * rows // section.iteration)
        learner = self.profile.learner
        return PPOConfig(
            **settings,
            mirror=Mirror(*mirror_maps(self.spec)) if section.mirror_augmentation else None,
            normalize_observations=self.profile.obs.normalize,
            precision=learner.precision,
            compile=learner.compile,
        )

    @cached_property
    def text(self) -> str:
        """The profile as TOML, for checkpoints."""
        return render(self.profile)

    @property
    def schedule(self) -> Schedule:
        """Of the learning rates."""
        ppo = self.profile.ppo
        return Schedule(
            kind=ppo.schedule,
            learning_rate=ppo.learning_rate,
            critic_learning_rate=ppo.critic_learning_rate,
            steps=ppo.schedule_steps,
            floor=ppo.learning_rate_floor,
            target_kl=ppo.target_kl,
        )

    @property
    def net_sizes(self) -> NetSizes:
        """Of policy and critic."""
        return NetSizes(self.size.obs, self.size.actions, self.profile.policy.layers, self.profile.critic.layers)

    @property
    def pass_rows(self) -> int:
        """Rows that the learner works on at a time."""
        import torch

        return pass_rows(self.ppo, self.net_sizes, torch.device(self.device))

    def learner(self) -> PPOLearner:
        """A new learner with the profile's seed; sets torch's number of threads for this process."""
        import torch

        torch.set_num_threads(self.threads)
        policy, critic = self.profile.policy.layers, self.profile.critic.layers
        seen = f"{self.size.obs:,} numbers observed, hidden layers {list(policy)} and {list(critic)}"
        with self._building("the nets", seen, "a smaller observation, or fewer neurons"):
            return PPOLearner(self.net_sizes, self.ppo, self.device, self.profile.run.seed)

    @contextmanager
    def _building(self, what: str, size: str, remedy: str) -> Iterator[None]:
        """RltuiError for what the device has no room for, and where it has failed."""
        try:
            yield
        except (RuntimeError, MemoryError) as error:  # torch's own words speak of allocators
            no_room = RltuiError(f"{what} cannot be built on {self.device}: {size}", f"{remedy}; {in_words(error)}")
            raise device_error(error) or no_room from error

    def actor(self, timesteps: int) -> ActorSpec:
        """Of every worker. timesteps: where training starts from, so that a resumed run explores anew."""
        return ActorSpec(
            env=self.spec,
            arenas=self.profile.collect.arenas,
            policy_sizes=self.policy_sizes,
            seed=(self.profile.run.seed, timesteps),
            table_hash=self.size.table_hash,
            normalize=self.profile.obs.normalize,
            central=self.inference == "central",
        )

    def collector(
        self,
        learner: PPOLearner,
        shared: SharedRollout,
        timesteps: int,
        publish: Callable[[Record], None],
        output: OutputLog | None = None,
    ) -> Collector:
        """As the profile wants it, not started. timesteps: where training starts from."""
        actor, timeout = self.actor(timesteps), self.profile.workers.timeout_s
        if self.profile.collect.collector == "serial":
            return SerialCollector(actor, shared, publish)
        if self.inference == "central":
            groups, rows = slots(self.shape)
            size = f"{groups * rows:,} cars of {self.workers} workers at a time"
            with self._building("the policy's copy", size, "fewer collect.workers or collect.arenas"):
                learners = learner.batch_policy((groups, rows))
            policies = CentralPolicies(learners, partial(learner.batch_policy, self._opponent_slots))
            return CentralCollector(actor, shared, policies, timeout, publish, output)
        return LocalCollector(actor, shared, timeout, publish, output)

    @property
    def _opponent_slots(self) -> tuple[int, int]:
        """As `slots`, for one side of the arenas in which frozen opponents play."""
        groups, rows = slots(self.shape)
        return groups, frozen_arenas(self.spec, rows // self.spec.learners) * max(self.spec.blue, self.spec.orange)

    @property
    def device_warning(self) -> str:
        """Where the nets are too big for the device; "" where they are not."""
        size, sections = self.size, (self.profile.policy, self.profile.critic)
        outputs = (size.actions.outputs, 1)
        mine, usual = (
            sum(parameter_count(size.obs, layers, width) for layers, width in zip(of, outputs, strict=True))
            for of in ([section.layers for section in sections], [USUAL_LAYERS] * 2)
        )
        if self.device != "cpu" or mine < MANY * usual:
            return ""
        return (
            f"nets of {mine:,} parameters on a processor: each timestep is some {mine / usual:.0f} times the work of "
            f"{'-'.join(map(str, USUAL_LAYERS))}; they want a GPU, or smaller policy.layers and critic.layers"
        )

    @property
    def inference_words(self) -> str:
        """Who evaluates the policy, and why."""
        who = "the trainer, a batch for all workers" if self.inference == "central" else "each worker"
        wanted = self.profile.collect
        if wanted.collector == "serial":
            return "the trainer (collect.collector = serial)"
        found = f"the learner is on the {'GPU' if self.device == 'cuda' else 'CPU'}"
        return f"{who} ({'auto: ' + found if wanted.inference == 'auto' else 'collect.inference'})"


def choose_device(wanted: str) -> str:
    """The torch device; `auto` takes the GPU if there is one. RltuiError when a GPU is demanded and missing."""
    import torch

    if wanted == "cpu":
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    if wanted == "cuda":
        raise RltuiError(
            'learner.device = "cuda", but torch finds no GPU',
            'check the driver with nvidia-smi, install a CUDA build of torch, or set learner.device = "auto"',
        )
    return "cpu"
