"""What several keys must agree on. Works on raw values, so that these mistakes are found together with all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rltui.profile.curriculum_rules import CURRICULUM_RULES
from rltui.profile.models import PpoSection, Profile
from rltui.profile.problems import KeyPath
from rltui.profile.raw_values import number, table
from rltui.profile.toml_text import found, toml_value
from rltui.profile.validation import Finding


def broken_rules(data: Mapping[str, Any]) -> list[Finding]:
    """Every rule that these values break. A rule about a value that is wrong by itself is passed over."""
    return [finding for rule in RULES for finding in rule(data)]


def _minibatch(data: Mapping[str, Any]) -> Iterator[Finding]:
    ppo = table(data, "ppo")
    batch = number(ppo, "batch", number(ppo, "iteration", PpoSection.model_fields["iteration"].default))
    minibatch = number(ppo, "minibatch", batch)
    if batch is not None and minibatch is not None and minibatch > batch >= 1:
        yield Finding(
            ("ppo", "minibatch"),
            "larger than the batch it splits",
            f"at most {toml_value(int(batch))} (ppo.batch)",
            found(ppo["minibatch"]),
            involves=(("ppo", "batch"), ("ppo", "iteration")),
        )


def _resets_have_weight(data: Mapping[str, Any]) -> Iterator[Finding]:
    for path, resets in _everywhere(data, "resets"):
        sound = isinstance(resets, list | tuple) and resets and all(isinstance(reset, Mapping) for reset in resets)
        if sound and all(number(reset, "weight", 1.0) == 0 for reset in resets):
            yield Finding(path, "every weight is 0: no episode can start", "at least one weight above 0", "0")


def _rewards_have_weight(data: Mapping[str, Any]) -> Iterator[Finding]:
    for path, rewards in _everywhere(data, "rewards"):
        values = rewards.values() if isinstance(rewards, Mapping) else ()
        weights = [weight for value in values for weight in _weights(value)]
        if weights and all(weight == 0 for weight in weights):
            yield Finding(path, "every weight is 0: nothing to learn from", "at least one weight that is not 0", "0")


def _weights(value: Any) -> list[float | None]:
    """The weight of a reward, or those of its schedule's points."""
    weight = value.get("weight") if isinstance(value, Mapping) else value
    points = weight if isinstance(weight, list | tuple) else [(0, weight)]
    sound = [point for point in points if isinstance(point, list | tuple) and len(point) == 2]
    return [number({"weight": point[1]}, "weight", None) for point in sound]


def _everywhere(data: Mapping[str, Any], key: str) -> list[tuple[KeyPath, Any]]:
    """The same key of the match, and of the practice lane."""
    return [((key,), data.get(key)), (("mechanics", key), table(data, "mechanics").get(key))]


def _floor_below_rate(data: Mapping[str, Any]) -> Iterator[Finding]:
    ppo, fields = table(data, "ppo"), PpoSection.model_fields
    rate, floor = (number(ppo, key, fields[key].default) for key in ("learning_rate", "learning_rate_floor"))
    scheduled = ppo.get("schedule", "constant") != "constant"
    if scheduled and rate is not None and floor is not None and floor > rate:
        yield Finding(
            ("ppo", "learning_rate_floor"),
            "above the rate that it is the floor of",
            f"at most {toml_value(rate)} (ppo.learning_rate)",
            found(floor),
            involves=(("ppo", "learning_rate"), ("ppo", "schedule")),
        )


def _something_sticks(data: Mapping[str, Any]) -> Iterator[Finding]:
    actions = table(data, "actions")
    sticky = number(actions, "sticky", 1)
    if sticky is not None and sticky > 1 and actions.get("sticky_buttons") in ([], ()):
        yield Finding(("actions", "sticky"), "holds no button", "a button in actions.sticky_buttons", found(sticky))


def _delay_within_step(data: Mapping[str, Any]) -> Iterator[Finding]:
    fields = Profile.model_fields
    skip = number(data, "tick_skip", fields["tick_skip"].default)
    delay = number(data, "action_delay_ticks", fields["action_delay_ticks"].default)
    if skip is not None and delay is not None and delay > skip >= 1:
        yield Finding(
            ("action_delay_ticks",),
            "an action would come later than the next one",
            f"at most {int(skip)} ticks (tick_skip)",
            found(delay),
            involves=(("tick_skip",),),
        )


RULES: tuple[Callable[[Mapping[str, Any]], Iterator[Finding]], ...] = (
    _minibatch,
    _resets_have_weight,
    _rewards_have_weight,
    _floor_below_rate,
    _something_sticks,
    _delay_within_step,
    *CURRICULUM_RULES,
)
