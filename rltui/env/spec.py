"""EnvSpec: the game as plain picklable data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise

from rltui.actions.pipeline import PipelineOptions
from rltui.env.seats import LEARNER
from rltui.policy.saved import SavedGame, SavedPolicy
from rltui.policy.weights import Float, Layer
from rltui.registry import MIRROR, Component, is_frozen, report_names
from rltui.rewards.combined import RewardOptions
from rltui.runs.meta import Signature


@dataclass(frozen=True)
class Weighted:
    """A component with its weight: a reward's factor, or a reset's share.

    schedule: points (timesteps, weight) of a reward whose factor changes, joined by straight lines; empty: it does not.
    """

    component: Component
    weight: float
    schedule: tuple[tuple[int, float], ...] = ()

    @property
    def said(self) -> str:
        """Weight or schedule, to be compared with what it was when something was stored."""
        return repr(self.schedule or self.weight)

    def weight_at(self, timesteps: int) -> float:
        """The factor after so many timesteps of training; before the first point and after the last it is theirs."""
        points = self.schedule
        if not points:
            return self.weight
        if timesteps <= points[0][0]:
            return points[0][1]
        for (start, low), (end, high) in pairwise(points):
            if timesteps < end:
                return low + (high - low) * (timesteps - start) / (end - start)
        return points[-1][1]


@dataclass(frozen=True)
class ArenaGroup:
    """A part of the arenas with resets, terminals and rewards of its own."""

    name: str
    share: float  # of the arenas, 0–1
    rewards: tuple[Weighted, ...]
    resets: tuple[Weighted, ...]
    terminals: tuple[Component, ...]

    def key(self, name: str, spec: EnvSpec) -> str:
        """By which name the weight of this arena group's reward is set: the match's where it has the match's rewards."""
        return name if self.rewards == spec.rewards else f"{self.name}/{name}"


@dataclass(frozen=True)
class EnvSpec:
    """The game as a profile describes it."""

    blue: int
    orange: int
    obs: Component
    table: Component
    rewards: tuple[Weighted, ...]
    resets: tuple[Weighted, ...]
    terminals: tuple[Component, ...]
    tick_skip: int = 8
    action_delay_ticks: int = 1
    meshes: str | None = None  # folder of collision meshes; None: those of the installed rlgym wheel
    obs_stack: int = 1
    pipeline: PipelineOptions = field(default_factory=PipelineOptions)
    reward_options: RewardOptions = field(default_factory=RewardOptions)
    opponent: Component = field(default_factory=lambda: Component(MIRROR))  # who plays orange
    mechanics: ArenaGroup | None = None
    frozen_share: float = 0.0  # of the match's arenas, in which frozen opponents may play a side
    environment: str = ""  # what builds an environment of a user's own, played in the game's place: see env/user_env.py

    @property
    def frozen_orange(self) -> bool:
        """Whether frozen opponents play orange in all arenas: earlier states of the run, or a saved bot."""
        return is_frozen(self.opponent.name)

    @property
    def seats(self) -> tuple[int, ...]:
        """Who plays each car of an arena: the learner, or a frozen opponent in its place; or the first opponent, a scripted player
        in orange.
        """
        itself = self.opponent.name == MIRROR or self.frozen_orange
        return (LEARNER,) * self.blue + (LEARNER if itself else 1,) * self.orange

    @property
    def learners(self) -> int:
        """Cars of an arena that the policy plays, or a frozen opponent in its place."""
        return self.seats.count(LEARNER)

    @property
    def learned_from(self) -> int:
        """The first cars of an arena, those that the policy learns from; fewer while a frozen opponent plays one of two sides."""
        return self.blue if self.frozen_orange else self.learners

    @property
    def reward_names(self) -> list[str]:
        """What reports call the rewards."""
        return report_names([item.component for item in self.rewards])

    def reward_weights(self, timesteps: int) -> dict[str, float]:
        """By name, after so many timesteps of the task."""
        return {name: item.weight_at(timesteps) for name, item in zip(self.reward_names, self.rewards, strict=True)}

    def for_group(self, group: ArenaGroup) -> EnvSpec:
        """The same game as played in an arena group."""
        return replace(
            self,
            rewards=group.rewards,
            resets=group.resets,
            terminals=group.terminals,
            mechanics=None,
            frozen_share=0.0,
        )

    def as_saved(self, game: SavedGame) -> EnvSpec:
        """In these team sizes, with the observation, action table, pipeline and pace of a saved policy."""
        return replace(
            self,
            obs=game.obs,
            table=game.table,
            obs_stack=game.obs_stack,
            tick_skip=game.tick_skip,
            action_delay_ticks=game.action_delay_ticks,
            pipeline=game.pipeline,
        )

    @property
    def weighed(self) -> dict[str, Weighted]:
        """Every reward whose weight can be set, by name; `<arena group>/<name>` for practice arenas with rewards of its own."""
        found = dict(zip(self.reward_names, self.rewards, strict=True))
        if self.mechanics is not None:
            own = self.for_group(self.mechanics)
            named = zip(own.reward_names, own.rewards, strict=True)
            found |= {self.mechanics.key(name, self): item for name, item in named}
        return found


def policy_to_save(
    spec: EnvSpec,
    signature: Signature,
    table: Float,
    layers: Sequence[Layer],
    normalizer: tuple[Float, Float] | tuple[None, None],
) -> SavedPolicy:
    """These weights with the game that they play. table: float32 [N, 8]; normalizer: mean and variance [D]."""
    env = {
        "obs": {"kind": spec.obs.name, **spec.obs.options},
        "obs_stack": spec.obs_stack,
        "table": {"kind": spec.table.name, **spec.table.options},
        "blue": spec.blue,
        "orange": spec.orange,
        "pipeline": asdict(spec.pipeline),
    }
    if spec.environment:
        env = {"environment": spec.obs.label}
    return SavedPolicy(
        layers=tuple(layers),
        table=table,
        table_hash=signature.table_hash,
        obs_signature=signature.obs,
        tick_skip=spec.tick_skip,
        action_delay_ticks=spec.action_delay_ticks,
        legality=spec.pipeline.legality,
        env=json.dumps(env),
        normalizer_mean=normalizer[0],
        normalizer_var=normalizer[1],
    )
