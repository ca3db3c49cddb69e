"""Gymnasium's environment and vector environment over our games: one agent each, the first blue car."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsFloat, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from rltui.bridge.agent_games import AgentGames, GameSettings, OtherPlayers, PlayedStep, RealTimeView
from rltui.errors import RltuiError, did_you_mean, hints
from rltui.field import CONTROLS, TICKS_PER_SECOND
from rltui.sim.state import Bool, Float
from rltui.view.pixels import pixels
from rltui.view.text_view import draw

Space: TypeAlias = spaces.Space[Any]
Frame: TypeAlias = Any  # pixels [H, W, 3], text, or None

HUMAN = "human"
STILL = ("rgb_array", "ansi")
KEYWORDS = ("render_mode", "opponent", "teammates", "data_dir")
TEXT_SIZE = (80, 24)


def spaces_of(games: AgentGames) -> tuple[Space, Space]:
    """Of one agent: what it sees and what it can do."""
    seen = spaces.Box(-games.limit, games.limit, (games.obs_size,), np.float32)
    if games.choices is not None:
        return seen, spaces.Discrete(games.choices)
    return seen, spaces.Box(-1.0, 1.0, (len(CONTROLS),), np.float32)


class Rendering:
    """Renderer of games: pixels, text, or RocketSimVis, which is sent each step in real time."""

    def __init__(self, mode: str | None, games: AgentGames, modes: Sequence[str]) -> None:
        """RltuiError for a mode that there is not."""
        if mode is not None and mode not in modes:
            raise RltuiError(
                f"unknown render_mode {mode!r}", hints(did_you_mean(str(mode), modes), f"known: {', '.join(modes)}")
            )
        self.mode, self._games = mode, games
        self.fps = TICKS_PER_SECOND / games.tick_skip
        self._live = RealTimeView(*games.rocketsimvis, gymnasium.logger.warn) if mode == HUMAN else None

    def live(self) -> None:
        """After each step and reset."""
        if self._live:
            self._live.show(self._games.moment())

    def frame(self, game: int = 0) -> Frame:
        """As asked for by a user."""
        if self.mode == HUMAN:
            return self.live()
        if self.mode is None:
            gymnasium.logger.warn("render() shows nothing without a render_mode")
            return None
        moment = self._games.moment(game)
        return pixels(moment) if self.mode == "rgb_array" else "\n".join(draw(moment, *TEXT_SIZE))

    def close(self) -> None:
        if self._live:
            self._live.close()


class SoccarEnv(gymnasium.Env[Float, Any]):
    """One game. Keywords: OtherPlayers' and GameSettings'."""

    metadata: dict[str, Any] = {"render_modes": [HUMAN, *STILL], "render_fps": 15}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        render_mode: str | None = None,
        opponent: str = "idle",
        teammates: str = "idle",
        data_dir: str | None = None,
        **game: Any,
    ) -> None:
        """RltuiError for whatever cannot be played."""
        settings, others = GameSettings.of(game, KEYWORDS), OtherPlayers(opponent, teammates, data_dir)
        self._games = AgentGames(settings, 1, others)
        self._rendering = Rendering(render_mode, self._games, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self._rendering.fps}
        self.observation_space, self.action_space = spaces_of(self._games)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Float, dict[str, Any]]:
        super().reset(seed=seed)
        obs = self._games.reset([seed])
        self._rendering.live()
        return obs[0, 0], {}

    def step(self, action: Any) -> tuple[Float, SupportsFloat, bool, bool, dict[str, Any]]:
        step = self._games.step(action)
        self._rendering.live()
        obs = step.final_obs[0][0] if step.final_obs else step.obs[0, 0]
        return obs, float(step.rewards[0, 0]), bool(step.terminated[0]), bool(step.truncated[0]), step.info(0, 0)

    def render(self) -> Frame:
        return self._rendering.frame()

    def close(self) -> None:
        self._rendering.close()


class SoccarVectorEnv(VectorEnv[Float, Any, Any]):
    """Many games, whose observations and rewards are array operations over all: faster than as many environments."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's
        "render_modes": [*STILL],
        "render_fps": 15,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: str | None = None,
        opponent: str = "idle",
        teammates: str = "idle",
        data_dir: str | None = None,
        **game: Any,
    ) -> None:
        """RltuiError for whatever cannot be played."""
        settings = GameSettings.of(game, (*KEYWORDS, "num_envs"))
        self._games = AgentGames(settings, num_envs, OtherPlayers(opponent, teammates, data_dir))
        self._rendering = Rendering(render_mode, self._games, self.metadata["render_modes"])
        self.num_envs, self.render_mode = num_envs, render_mode
        self.metadata = {**self.metadata, "render_fps": self._rendering.fps}
        self.single_observation_space, self.single_action_space = spaces_of(self._games)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Float, dict[str, Any]]:
        """seed: of each game, or of the first, the others' following."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = [seed + game for game in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is not None and len(seeds) != self.num_envs:
            raise RltuiError(f"seed: expected one for each of {self.num_envs} games, found {len(seeds)}")
        return self._games.reset(seeds or [None] * self.num_envs)[:, 0], {}

    def step(self, actions: Any) -> tuple[Float, Any, Any, Any, dict[str, Any]]:
        step = self._games.step(actions)
        return step.obs[:, 0], step.rewards[:, 0].astype(np.float64), step.terminated, step.truncated, _infos(step)

    def render(self) -> tuple[Frame, ...] | None:
        frames = tuple(self._rendering.frame(game) for game in range(self.num_envs))
        return frames if self.render_mode else None


def _infos(step: PlayedStep) -> dict[str, Any]:
    """Of all games as Gymnasium has them: arrays, each with a mask. What belongs to an episode's end is in `final_info`."""
    goal = step.goal[:, 0]
    values = {
        "goal": goal,
        "is_success": goal > 0,
        "touched": step.touched[:, 0],
        "rewards": {name: terms[:, 0].astype(np.float64) for name, terms in step.terms.items()},
    }
    ended = step.terminated | step.truncated
    infos = {} if ended.all() else _masked(values, ~ended)
    if step.final_obs:
        infos["final_obs"], infos["_final_obs"] = np.full(len(ended), None, object), ended.copy()
        for game, obs in step.final_obs.items():
            infos["final_obs"][game] = obs[0]
        infos["final_info"], infos["_final_info"] = _masked(values, ended), ended.copy()
    return infos


def _masked(values: Mapping[str, Any], mask: Bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        found[name] = _masked(value, mask) if isinstance(value, dict) else np.where(mask, value, np.zeros_like(value))
        found[f"_{name}"] = mask.copy()
    return found
