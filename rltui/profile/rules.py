"""What several keys must agree on. Works on raw values, so that these mistakes are found together with all others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rltui.profile.models import GameSection, PpoSection, Profile
from rltui.profile.toml_text import found, toml_value
from rltui.profile.validation import Finding


def broken_rules(data: Mapping[str, Any]) -> list[Finding]:
    """Every rule that these values break. A rule about a value that is wrong by itself is passed over."""
    return [finding for rule in RULES for finding in rule(data)]


def _minibatch(data: Mapping[str, Any]) -> Iterator[Finding]:
    ppo = _table(data, "ppo")
    batch = _number(ppo, "batch", _number(ppo, "iteration", PpoSection.model_fields["iteration"].default))
    minibatch = _number(ppo, "minibatch", batch)
    if batch is not None and minibatch is not None and minibatch > batch >= 1:
        yield Finding(
            ("ppo", "minibatch"),
            "larger than the batch it splits",
            f"at most {toml_value(int(batch))} (ppo.batch)",
            found(ppo["minibatch"]),
            involves=(("ppo", "batch"), ("ppo", "iteration")),
        )


def _somebody_plays(data: Mapping[str, Any]) -> Iterator[Finding]:
    game = _table(data, "game")
    blue, orange = (_number(game, side, GameSection.model_fields[side].default) for side in ("blue", "orange"))
    if blue == 0 and orange == 0:
        yield Finding(
            ("game", "blue"),
            "nobody plays",
            "at least one car in blue or orange",
            "0v0",
            involves=(("game", "orange"),),
        )


def _resets_have_weight(data: Mapping[str, Any]) -> Iterator[Finding]:
    resets = data.get("resets")
    if not isinstance(resets, list | tuple) or not resets or not all(isinstance(reset, Mapping) for reset in resets):
        return
    if all(_number(reset, "weight", 1.0) == 0 for reset in resets):
        yield Finding(("resets",), "every weight is 0: no episode can start", "at least one weight above 0", "0")


def _rewards_have_weight(data: Mapping[str, Any]) -> Iterator[Finding]:
    rewards = _table(data, "rewards")
    weights = [
        _number(value, "weight", None) if isinstance(value, Mapping) else _number({"weight": value}, "weight", None)
        for value in rewards.values()
    ]
    if weights and all(weight == 0 for weight in weights):
        yield Finding(
            ("rewards",), "every weight is 0: nothing to learn from", "at least one weight that is not 0", "0"
        )


def _delay_within_step(data: Mapping[str, Any]) -> Iterator[Finding]:
    fields = Profile.model_fields
    skip = _number(data, "tick_skip", fields["tick_skip"].default)
    delay = _number(data, "action_delay_ticks", fields["action_delay_ticks"].default)
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
    _somebody_plays,
    _resets_have_weight,
    _rewards_have_weight,
    _delay_within_step,
)


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, Mapping) else {}


def _number(table: Mapping[str, Any], key: str, default: float | None) -> float | None:
    """The number written, the default where none is, None where something else is."""
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value
