"""PettingZoo's parallel environment over one of our games: every car is an agent, for self-play."""

from __future__ import annotations

from typing import Any

from rltui.bridge.agent_games import AgentGames, GameSettings

try:
    from pettingzoo import ParallelEnv

    from rltui.bridge.gymnasium import HUMAN, STILL, Frame, Rendering, Space, spaces_of
except ImportError as error:
    raise ImportError(f'{__name__} needs pettingzoo, of the extra gym: pip install -e ".[gym]"') from error

from rltui.errors import RltuiError
from rltui.sim.state import Float


class SoccarParallelEnv(ParallelEnv):  # type: ignore[misc]  # it has no types
    """Agents `blue_0` … and `orange_0` …, each of which sees the field from its own side. Keywords: GameSettings'."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo's
        "name": "rltui_soccar_v0",
        "render_modes": [HUMAN, *STILL],
        "render_fps": 15,
        "is_parallelizable": True,
    }

    def __init__(self, render_mode: str | None = None, **game: Any) -> None:
        """RltuiError for whatever cannot be played."""
        self._games = AgentGames(GameSettings.of(game, ["render_mode"]), 1, None)
        self._rendering = Rendering(render_mode, self._games, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.metadata = {**self.metadata, "render_fps": self._rendering.fps}
        blue, orange = self._games.blue, self._games.cars - self._games.blue
        teams = (("blue", blue), ("orange", orange))
        self.possible_agents = [f"{team}_{number}" for team, cars in teams for number in range(cars)]
        self.agents: list[str] = []
        # of each its own: spaces hold the random numbers that samples are drawn from
        each = {agent: spaces_of(self._games) for agent in self.possible_agents}
        self.observation_spaces = {agent: seen for agent, (seen, _) in each.items()}
        self.action_spaces = {agent: done for agent, (_, done) in each.items()}

    def observation_space(self, agent: str) -> Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Float], dict[str, dict[str, Any]]]:
        """All agents begin a new episode."""
        self.agents = self.possible_agents[:]
        obs = self._games.reset([seed])
        self._rendering.live()
        return dict(zip(self.agents, obs[0], strict=True)), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Float], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """All agents at once; an episode ends for all at once."""
        agents = self.agents
        missing = [agent for agent in agents if agent not in actions]
        if missing:
            raise RltuiError(f"actions: none of {', '.join(missing)}", "every agent acts in every step")
        step = self._games.step([actions[agent] for agent in agents])
        self._rendering.live()
        obs = step.final_obs[0] if step.final_obs else step.obs[0]
        terminated, truncated = bool(step.terminated[0]), bool(step.truncated[0])
        if terminated or truncated:
            self.agents = []
        return (
            dict(zip(agents, obs, strict=True)),
            dict(zip(agents, step.rewards[0].tolist(), strict=True)),
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            {agent: step.info(0, number) for number, agent in enumerate(agents)},
        )

    def render(self) -> Frame:
        return self._rendering.frame()

    def close(self) -> None:
        self._rendering.close()
