"""The match that a run trains on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from rltui.env.frozen_opponents import OpponentSource
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.stats import NewGoals
from rltui.env.step import StepOut
from rltui.events.match_frames import MatchFrame, StepRewards, Vector
from rltui.league.match import GOAL_TICKS, TRAIL_POINTS, TRAIL_TICKS
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.registry import MIRROR, Component
from rltui.sim.frames import MatchStanding, arena_moment
from rltui.sim.state import Float, Int
from rltui.view.stream import Weights

SHOWN_TICKS = 4  # between two moments: 30 a second
NEWEST_STEPS = 16  # about a second: so many frames may be missed without missing a step
BANK_DRAWS = 900


@dataclass(frozen=True)
class RunMatchSpec:
    """Plain data. normalize: the weights end with the observations' statistics. name: of the run. opponent: the frozen one that
    plays orange, where the env leaves that to one; None: the bot itself does.
    """

    env: EnvSpec
    policy_sizes: tuple[int, ...]
    normalize: bool
    seed: tuple[int, ...]
    name: str
    opponent: OpponentSource | None = None


class RunMatch:
    """Plays step by step; `show` gets a moment every SHOWN_TICKS ticks and may wait until it is due."""

    def __init__(self, spec: RunMatchSpec, show: Callable[[MatchFrame], None]) -> None:
        """RltuiError as SoccarBatch."""
        self._show = show
        env, frozen = replace(spec.env, mechanics=None), spec.opponent
        if env.frozen_orange and frozen is None:
            env = replace(env, opponent=Component(MIRROR))
        self._batch = SoccarBatch(env, 1, spec.seed)
        if frozen is not None:
            self._batch.set_opponents({frozen.name: frozen.load()})
        self._arena = self._batch.arenas_simulated[0]
        self._arena.step = self._play
        learners = self._batch.learners
        self._policy = DiscretePolicy(spec.policy_sizes, learners, self._batch.action_spec, spec.normalize)
        self._noise = GumbelBank(spec.seed, learners * self._batch.action_spec.outputs * BANK_DRAWS)
        self._out = StepOut.zeros(1, learners, self._batch.obs_size)
        self._actions: Int = np.zeros(learners, np.int64)
        self._log_probs: Float = np.zeros(learners, np.float32)
        self.names = self._batch.reward_names
        orange = spec.name if env.opponent.name == MIRROR else frozen.name if frozen is not None else env.opponent.name
        self._sides = (spec.name, orange)
        self._touches, self._touching = np.zeros(self._batch.cars, np.int64), np.zeros(self._batch.cars, np.bool_)
        self._score, self._goal, self._goal_tick, self._new_goals = [0, 0], 0, 0, NewGoals(self._batch.state)
        self._trail: deque[Vector] = deque(maxlen=TRAIL_POINTS)
        self.tick, self.episode, self._shown = 0, 0, 0
        self._steps: deque[StepRewards] = deque(maxlen=NEWEST_STEPS)
        self._batch.on_judged, self._batch.on_begun = self._judged, self._begun
        self._batch.reset(self._out)

    def set_weights(self, weights: Weights, timesteps: int) -> None:
        """Of the policy, learned in so many timesteps; schedules of reward weights go by them too."""
        self._policy.set_weights(weights)
        self._batch.set_timesteps(timesteps)

    def set_reward_weights(self, weights: Mapping[str, float]) -> None:
        """Those set by hand; they hold from the next set_weights on."""
        self._batch.weights = dict(weights)

    def step(self) -> None:
        """Choose and play one step."""
        out = self._out
        classes = out.legality.reshape(-1) if self._batch.action_spec.masks is not None else None
        obs = out.obs.reshape(len(self._actions), -1)
        self._policy.act(obs, self._noise, self._actions, self._log_probs, classes)
        self._batch.step(self._actions.reshape(1, -1), out)

    @property
    def newest_steps(self) -> tuple[StepRewards, ...]:
        """What was paid at them, oldest first."""
        return tuple(self._steps)

    def _play(self, ticks: int) -> None:
        """In the place of the arena's own step: the same ticks, a few at a time, each shown."""
        while ticks:
            some = min(ticks, SHOWN_TICKS - (self.tick - self._shown))
            self._arena.arena.step(some)
            self.tick += some
            ticks -= some
            if self.tick - self._shown >= SHOWN_TICKS:
                self._shown = self.tick
                self._show(self._moment())

    def _moment(self) -> MatchFrame:
        if self.tick % TRAIL_TICKS < SHOWN_TICKS:
            self._trail.append(self._arena.arena.ball.get_state().pos.as_tuple())
        goal = self._goal if self.tick - self._goal_tick < GOAL_TICKS else 0
        score = self._score[0], self._score[1]
        standing = MatchStanding(self.tick, self._sides, score, goal, tuple(self._trail))
        return arena_moment(self._arena, standing, self._touches.tolist())

    def _judged(self, rewards: Float, contributions: Float) -> None:
        """contributions: [R, 1, C]."""
        state = self._batch.state
        touching = state.touches[0] > 0
        self._touches += touching & ~self._touching
        self._touching = touching
        goal = int(state.goal[0])
        if self._new_goals.step():
            self._score[0 if goal > 0 else 1] += 1
            self._goal, self._goal_tick = goal, self.tick
        paid = tuple(tuple(car) for car in contributions[:, 0].T.tolist())
        self._steps.append(StepRewards(self.tick, self.episode, paid, tuple(state.touches[0].tolist()), goal))

    def _begun(self, arenas: Int) -> None:
        self.episode += 1
        self._new_goals.begin(arenas)
        self._touching[:] = False
        self._trail.clear()
