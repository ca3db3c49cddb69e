"""Resolved configuration: a profile with every `auto` decided, and what is built from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from rltui.env.from_profile import Sizes, env_spec, sizes
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError, in_words
from rltui.learn.config import NetSizes, PPOConfig
from rltui.learn.ppo import PPOLearner
from rltui.learn.schedules import Schedule
from rltui.policy.weights import flat_size
from rltui.profile.curriculum import task_profile
from rltui.profile.models import Profile
from rltui.profile.render import render
from rltui.profile.resolved import steps_per_rollout, thread_count, worker_count
from rltui.train.collect.shared_rollout import RolloutShape
from rltui.train.collect.worker import ActorSpec

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

    @classmethod
    def resolve(cls, profile: Profile) -> ResolvedConfig:
        """Of a curriculum: of its first task. Raises RltuiError when a GPU is demanded and missing."""
        profile = task_profile(profile)
        spec = env_spec(profile)
        return cls(
            profile=profile,
            spec=spec,
            size=sizes(spec),
            workers=worker_count(profile),
            threads=thread_count(profile),
            device=choose_device(profile.learner.device),
        )

    @property
    def policy_sizes(self) -> tuple[int, ...]:
        """Widths of the policy from the observation to the actions."""
        return (self.size.obs, *self.profile.policy.layers, self.size.actions.outputs)

    @cached_property
    def shape(self) -> RolloutShape:
        """Of the rollouts: as many steps a worker as give at least `ppo.iteration` timesteps."""
        return RolloutShape(
            blocks=self.profile.ppo.buffer_iterations,
            workers=self.workers,
            steps=steps_per_rollout(self.profile),
            arenas=self.profile.collect.arenas,
            cars=self.spec.learners,
            obs_size=self.size.obs,
            actions=self.size.actions,
            parameters=flat_size(self.policy_sizes, self.profile.obs.normalize),
        )

    @cached_property
    def ppo(self) -> PPOConfig:
        """The learner's settings. Batch and minibatch grow as the iteration is rounded up to whole steps of all arenas, so
        that no epoch ends with an optimizer step on a handful of left-over rows.
        """
        section = self.profile.ppo
        settings = section.model_dump(exclude={"iteration", *OF_SCHEDULE})
        rows = self.shape.rows * self.workers
        for name in ("batch", "minibatch"):
            settings[name] = -(-settings[name] * rows // section.iteration)
        return PPOConfig(**settings, normalize_observations=self.profile.obs.normalize)

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

    def learner(self) -> PPOLearner:
        """A new learner with the profile's seed; sets torch's number of threads for this process."""
        import torch

        torch.set_num_threads(self.threads)
        policy, critic = self.profile.policy.layers, self.profile.critic.layers
        sizes = NetSizes(self.size.obs, self.size.actions, policy, critic)
        try:
            return PPOLearner(sizes, self.ppo, self.device, self.profile.run.seed)
        except (RuntimeError, MemoryError) as error:  # torch's own words speak of allocators
            seen = f"{self.size.obs:,} numbers observed, hidden layers {list(policy)} and {list(critic)}"
            raise RltuiError(
                f"the nets cannot be built on {self.device}: {seen}",
                f"a smaller observation, or fewer neurons; {in_words(error)}",
            ) from error

    def actor(self, timesteps: int) -> ActorSpec:
        """Of every worker. timesteps: where training starts from, so that a resumed run explores anew."""
        return ActorSpec(
            env=self.spec,
            arenas=self.profile.collect.arenas,
            policy_sizes=self.policy_sizes,
            seed=(self.profile.run.seed, timesteps),
            table_hash=self.size.table_hash,
            normalize=self.profile.obs.normalize,
        )


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
