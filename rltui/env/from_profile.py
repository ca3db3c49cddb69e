"""EnvSpec and checkpoint signature of a profile; warnings about its rewards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.actions.spec import ActionSpec
from rltui.actions.table import checked_rows, describe, mirror_rows, table_error, table_hash
from rltui.env.spec import ArenaGroup, EnvSpec, Weighted
from rltui.env.user_env import described, no_controls, user_env_spec
from rltui.errors import RltuiError, in_words, users_line
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, weight_of
from rltui.obs.builder import ObsBuilder
from rltui.profile.curriculum import stages_of, task_profile
from rltui.profile.models import Profile, ResetSection, RewardSection, TerminalSection
from rltui.profile.resolved import component
from rltui.registry import Component, build
from rltui.rewards.base import Reward
from rltui.rewards.checks import Weighed, sign_warnings
from rltui.rewards.combined import RewardOptions, category_factors
from rltui.runs.meta import Signature, net
from rltui.safe_io import clipped
from rltui.sim.state import Float, Int

MASKED_TABLES = frozenset({"hybrid"})  # `legality = "auto"` masks these


def env_spec(profile: Profile) -> EnvSpec:
    """Plain picklable data; every component with all its parameters, files of components as absolute paths. Of a
    curriculum: its first task.
    """
    profile = task_profile(profile)
    if profile.env:
        return user_env_spec(profile.env)
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
        reward_options=RewardOptions(options.mode, options.team_spirit, options.zero_sum, _categories(profile)),
        opponent=Component(profile.game.opponent),
        mechanics=_mechanics(profile),
        frozen_share=profile.selfplay.opponent_share if profile.selfplay.enabled else 0.0,
    )


def _categories(profile: Profile) -> tuple[tuple[str, float], ...]:
    """Factors of the stage that a task is; none without stages."""
    stages = stages_of(profile.curriculum)
    return tuple(stages[0].categories.items()) if stages else ()


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


def _mechanics(profile: Profile) -> ArenaGroup | None:
    """The practice arenas; what it leaves out is the match's."""
    section = profile.mechanics
    if section.weight == 0 or not section.resets:
        return None
    return ArenaGroup(
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
    actions: ActionSpec
    table_hash: str


def sizes(spec: EnvSpec) -> Sizes:
    """Builds observation and table, no arenas; of a user's own environment as one instance says."""
    rows = table_rows(spec)
    own = spec.environment
    size = described(own).obs if own else int(build("obs", spec.obs).size(spec.blue, spec.orange))
    return Sizes(size * spec.obs_stack, action_spec(rows, spec.pipeline), table_hash(rows))


def table_rows(spec: EnvSpec) -> Float:
    """float32 [N, 8]; zeros for the actions of a user's own environment. RltuiError for a table that cannot be played."""
    if spec.environment:
        return no_controls(described(spec.environment).actions)
    return checked_rows(build("action table", spec.table), spec.pipeline.clip)


def mirror_maps(spec: EnvSpec) -> tuple[Int, Float, Int]:
    """The left-right mirror image, x → −x, of what the policy sees and does: index and sign [obs] as of `ObsBuilder.mirror`,
    and of each row of the table the mirrored one. RltuiError where observation or table has none.
    """
    builder: ObsBuilder = build("obs", spec.obs)
    index, sign = _mirrored_obs(builder, spec)
    steps = np.arange(spec.obs_stack)[:, None] * len(index)
    rows, pipeline = table_rows(spec), spec.pipeline
    partners, recovery = mirror_rows(rows), pipeline.recovery_row
    if pipeline.legality == "fallback" and recovery is not None and partners[recovery] != recovery:
        raise table_error(
            f"actions.recovery_row = {recovery} ({describe(rows[recovery])}) is not its own left-right mirror image, which "
            "ppo.mirror_augmentation needs",
            "a row without steer, yaw and roll",
        )
    return (steps + index).ravel(), np.tile(sign, spec.obs_stack), partners


def _mirrored_obs(builder: ObsBuilder, spec: EnvSpec) -> tuple[Int, Float]:
    size, needs = int(builder.size(spec.blue, spec.orange)), "which ppo.mirror_augmentation needs"
    try:
        found = builder.mirror(spec.blue, spec.orange)
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        place = f" ({line})" if (line := users_line(error)) else ""
        failed = f"observation {spec.obs.label}: mirror() failed, {needs}: {in_words(error)}{place}"
        raise RltuiError(failed, exit_code=2) from error
    if found is None:
        raise RltuiError(
            f"observation {spec.obs.label} does not know its left-right mirror image, {needs}",
            "mirror(blue, orange) of an ObsBuilder gives it; default, compact and advanced_plus have one",
            exit_code=2,
        )
    try:
        index, sign = (np.asarray(part) for part in found)
        right = np.array_equal(np.sort(index), np.arange(size)) and np.array_equal(np.abs(sign), np.ones(size))
    except (TypeError, ValueError):  # no pair, or not of numbers
        right = False
    if not right:
        raise RltuiError(
            f"observation {spec.obs.label}: mirror() must give index, each of 0 to {size - 1} once, and sign, {size} times "
            f"1 or -1, {needs}; found {clipped(repr(found))}",
            exit_code=2,
        )
    return index.astype(np.int64), sign.astype(np.float32)


def signature(profile: Profile, spec: EnvSpec | None = None) -> Signature:
    """What a checkpoint must have to go on under this profile.

    obs: `default/92/<8 hex digits of its parameters>`, and `/stack 2` and `/normalized` where it is. Team sizes count only
    through the observation's size.
    """
    spec = spec or env_spec(profile)
    size = sizes(spec)
    obs = [spec.obs.label, str(size.obs), _options_hash(spec.obs)]
    obs += [f"stack {spec.obs_stack}"] if spec.obs_stack > 1 else []
    obs += ["normalized"] if profile.obs.normalize else []
    return Signature(
        obs="/".join(obs),
        table_hash=size.table_hash,
        policy=net(profile.policy.kind, size.obs, profile.policy.layers, size.actions.outputs),
        critic=net("critic", size.obs, profile.critic.layers, 1),
    )


def said_settings(profile: Profile) -> dict[str, dict[str, str]]:
    """What it says of all that can be set by hand, by phase (its profile's name; empty without phases) and setting; compared
    as text with what it said when a state was saved.
    """
    names = [phase.name for phase in profile.phases] or [""]
    return {name: _said(task_profile(profile, index)) for index, name in enumerate(names)}


def _said(task: Profile) -> dict[str, str]:
    ppo = task.ppo
    rate = f"{ppo.schedule} {ppo.learning_rate!r} {ppo.critic_learning_rate!r} {ppo.schedule_steps} "
    rate += f"{ppo.learning_rate_floor!r} {ppo.target_kl!r}"
    rewards = {weight_of(name): item.said for name, item in env_spec(task).weighed.items()}
    return {RATE_SETTING: rate, ENTROPY_SETTING: repr(ppo.ent_coef), **rewards}


def reward_warnings(spec: EnvSpec) -> list[str]:
    """What is odd about the rewards of the match and of the practice arenas: penalties that pay, rewards that cost or fail
    on random states, a mode that leaves none; and what their classes want users to know.
    """
    groups = [spec] if spec.mechanics is None else [spec, spec.for_group(spec.mechanics)]
    return list(dict.fromkeys(warning for group in groups for warning in _group_warnings(group)))


def _group_warnings(spec: EnvSpec) -> Iterator[str]:
    options = spec.reward_options
    if spec.environment:
        return
    factors = category_factors(options.mode, options.categories)
    weighed = []
    for item in spec.rewards:
        reward: Reward = build("reward", item.component)
        points = item.schedule or ((0, item.weight),)
        weighed.append(Weighed(item.component.label, reward, points, factors[reward.category]))
    if not any(each.factor for each in weighed):
        yield f'reward_options.mode = "{options.mode}" takes out every reward here'
    yield from sign_warnings(weighed, (spec.blue, spec.orange))
    for notice in dict.fromkeys(each.reward.notice for each in weighed if each.reward.notice):
        yield f"{', '.join(each.name for each in weighed if each.reward.notice == notice)}: {notice}"


def _options_hash(component: Component) -> str:
    text = json.dumps(component.options, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
