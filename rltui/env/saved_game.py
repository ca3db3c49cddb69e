"""SavedGame: the game that a saved policy was trained in, as its file tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from rltui.actions.pipeline import PipelineOptions
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy
from rltui.registry import Component


@dataclass(frozen=True)
class SavedGame:
    """What the policy sees, what it can do and at which pace. blue, orange: the team sizes that it was trained in."""

    blue: int
    orange: int
    obs: Component
    table: Component
    obs_stack: int
    pipeline: PipelineOptions
    tick_skip: int
    action_delay_ticks: int

    def put_into(self, spec: EnvSpec) -> EnvSpec:
        """The game of the spec, in its own team sizes, with these observation, action table, pipeline and pace."""
        return replace(
            spec,
            obs=self.obs,
            table=self.table,
            obs_stack=self.obs_stack,
            tick_skip=self.tick_skip,
            action_delay_ticks=self.action_delay_ticks,
            pipeline=self.pipeline,
        )


def saved_game(policy: SavedPolicy) -> SavedGame:
    """RltuiError where the policy's file does not say it, or not in words that are known here."""
    try:
        env: dict[str, Any] = json.loads(policy.env)
        parts = {key: dict(env[key]) for key in ("obs", "table")}
        obs, table = (Component(part.pop("kind"), part) for part in parts.values())
        return SavedGame(
            blue=int(env.get("blue", 1)),
            orange=int(env.get("orange", 1)),
            obs=obs,
            table=table,
            obs_stack=int(env.get("obs_stack", 1)),
            pipeline=PipelineOptions.of_saved(env.get("pipeline", {"legality": policy.legality})),
            tick_skip=policy.tick_skip,
            action_delay_ticks=policy.action_delay_ticks,
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RltuiError(
            f"policy.npz: key 'env': expected the game that it was trained in, as JSON, found {policy.env[:80]!r}",
            "save the policy anew with this version",
        ) from error
