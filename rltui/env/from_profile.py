"""From a profile to what the environment is built from, and to the signature that says which bots fit it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rltui.actions.action_table import table_hash
from rltui.actions.pipeline import PipelineOptions
from rltui.env.spec import EnvSpec, Lane, Weighted
from rltui.profile.models import Profile, ResetSection, RewardSection, TerminalSection
from rltui.profile.resolved import component
from rltui.registry import Component, build
from rltui.rewards.combined import RewardOptions
from rltui.rewards.sign_check import sign_warnings
from rltui.runs.signature import Signature, net

MASKED_TABLES = frozenset({"hybrid"})  # `legality = "auto"` masks these


def env_spec(profile: Profile) -> EnvSpec:
    """Plain picklable data; every component with all its parameters, files of components as absolute paths."""
    options = profile.reward_options
    return EnvSpec(
        blue=profile.game.blue,
        orange=profile.game.orange,
        obs=component(profile.obs)[1],
        table=component(profile.actions)[1],
        rewards=_rewards(profile.rewards),
        resets=_resets(profile.resets),
        terminals=_terminals(profile.terminals),
        tick_skip=profile.tick_skip,
        action_delay_ticks=profile.action_delay_ticks,
        meshes=profile.game.meshes or None,
        obs_stack=profile.obs.stack,
        pipeline=_pipeline(profile),
        reward_options=RewardOptions(options.mode, options.team_spirit, options.zero_sum),
        opponent=Component(profile.game.opponent),
        mechanics=_mechanics(profile),
    )


def _rewards(sections: Mapping[str, RewardSection]) -> tuple[Weighted, ...]:
    return tuple(_weighted(component(section, name)[1], section.weight) for name, section in sections.items())


def _weighted(part: Component, weight: float | tuple[tuple[int, float], ...]) -> Weighted:
    return Weighted(part, weight[0][1], weight) if isinstance(weight, tuple) else Weighted(part, weight)


def _resets(sections: Sequence[ResetSection]) -> tuple[Weighted, ...]:
    return tuple(Weighted(component(section)[1], section.weight) for section in sections)


def _terminals(sections: Sequence[TerminalSection]) -> tuple[Component, ...]:
    return tuple(component(section)[1] for section in sections)


def _pipeline(profile: Profile) -> PipelineOptions:
    actions = profile.actions
    legality = actions.legality
    if legality == "auto":
        legality = "mask" if actions.table in MASKED_TABLES else "off"
    return PipelineOptions(
        legality, actions.fallback_row, actions.recovery_row, actions.clip, actions.sticky, actions.sticky_buttons
    )


def _mechanics(profile: Profile) -> Lane | None:
    """The practice lane; what it leaves out is the match's."""
    section = profile.mechanics
    if section.weight == 0 or not section.resets:
        return None
    return Lane(
        "mechanics",
        section.weight,
        _rewards(section.rewards or profile.rewards),
        _resets(section.resets),
        _terminals(section.terminals or profile.terminals),
    )


@dataclass(frozen=True)
class Sizes:
    """What goes into and comes out of the nets."""

    obs: int  # numbers of one car's observation
    actions: int  # rows of the action table
    table_hash: str


def sizes(spec: EnvSpec) -> Sizes:
    """Builds observation and table, no arenas."""
    rows = build("action table", spec.table).rows()
    size = build("obs", spec.obs).size(spec.blue, spec.orange)
    return Sizes(size * spec.obs_stack, len(rows), table_hash(rows))


def signature(profile: Profile, spec: EnvSpec | None = None) -> Signature:
    """What a checkpoint must have to go on under this profile.

    obs: `default/92/<8 hex digits of its parameters>`. Team sizes count only through the observation's size.
    """
    spec = spec or env_spec(profile)
    size = sizes(spec)
    return Signature(
        obs=f"{_short_name(spec.obs)}/{size.obs}/{_options_hash(spec.obs)}",
        table_hash=size.table_hash,
        policy=net(profile.policy.kind, size.obs, profile.policy.layers, size.actions),
        critic=net("critic", size.obs, profile.critic.layers, 1),
    )


def reward_warnings(spec: EnvSpec) -> list[str]:
    """Penalties that pay and rewards that cost."""
    return sign_warnings(
        (_short_name(reward.component), build("reward", reward.component), reward.weight) for reward in spec.rewards
    )


def _short_name(component: Component) -> str:
    """The class name of a user's file: where the file lies is no part of what it is."""
    return component.name.rpartition(":")[2]


def _options_hash(component: Component) -> str:
    text = json.dumps(component.options, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
