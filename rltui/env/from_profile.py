"""From a profile to what the environment is built from, and to the signature that says which bots fit it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from rltui.actions.action_table import table_hash
from rltui.env.spec import EnvSpec, Weighted
from rltui.profile.models import Profile
from rltui.profile.resolved import component
from rltui.registry import Component, build
from rltui.rewards.sign_check import sign_warnings
from rltui.runs.signature import Signature, net


def env_spec(profile: Profile) -> EnvSpec:
    """Plain picklable data; every component with all its parameters, files of components as absolute paths."""
    return EnvSpec(
        blue=profile.game.blue,
        orange=profile.game.orange,
        obs=component(profile.obs)[1],
        table=component(profile.actions)[1],
        rewards=tuple(Weighted(component(s, name)[1], s.weight) for name, s in profile.rewards.items()),
        resets=tuple(Weighted(component(section)[1], section.weight) for section in profile.resets),
        terminals=tuple(component(section)[1] for section in profile.terminals),
        tick_skip=profile.tick_skip,
        action_delay_ticks=profile.action_delay_ticks,
        meshes=profile.game.meshes or None,
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
    return Sizes(build("obs", spec.obs).size(spec.blue, spec.orange), len(rows), table_hash(rows))


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
