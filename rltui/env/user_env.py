"""Environments of users' own, played in the game's place: RLGym v2, Gymnasium, and gym-style ones of rlgym-ppo.

The trainer asks one instance what it is like; each worker builds its own by the name in the profile.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.actions.table import table_hash
from rltui.env.arena_groups import MATCH, arena_parts
from rltui.env.frozen_opponents import OpponentSource
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.env.stats import EpisodeStats
from rltui.env.step import Finals, PartTimings, StepOut
from rltui.errors import RltuiError, in_words, users_line
from rltui.field import CONTROLS
from rltui.registry import GYMNASIUM, Component, environment, import_hint
from rltui.sim.state import Float, Int

WHOLE = "environment"  # the one reward that such an environment tells, by name
GLOBAL = 0xE7  # sets the global generators' seeds apart from the environments' own
LARGEST_SEED = 2**31  # Gymnasium takes none beyond
KINDS = "an RLGym of RLGym v2, a Gymnasium environment, or a gym-style one as for rlgym-ppo"


class _UserEnv(Protocol):
    """One environment of A agents. A step's rewards are float [A]; its ends are for all agents."""

    def reset(self, seed: int | None) -> Float:
        """Begin an episode; what is first seen, [A, D]."""

    def step(self, actions: Int) -> tuple[Float, Any, bool, bool]:
        """Of the agents' actions [A]: what they see then, rewards, terminated, truncated."""

    @property
    def actions(self) -> int:
        """How many there are to choose from; known once it was reset. RltuiError where they are not discrete."""


class _RlgymEnv:
    """RLGym v2. An agent that ends ends the episode for all of them."""

    def __init__(self, env: Any) -> None:
        self._env, self._agents = env, list[Any]()

    def reset(self, seed: int | None) -> Float:
        obs = self._env.reset()
        self._agents = list(obs)
        return _rows(obs.values())

    def step(self, actions: Int) -> tuple[Float, Any, bool, bool]:
        chosen = {agent: actions[index : index + 1] for index, agent in enumerate(self._agents)}
        obs, rewards, terminated, truncated = self._env.step(chosen)
        if list(obs) != self._agents:
            raise RltuiError(f"the agents changed within an episode: {self._agents} before, {list(obs)} now")
        return _rows(obs.values()), list(rewards.values()), any(terminated.values()), any(truncated.values())

    @property
    def actions(self) -> int:
        return _choices(self._env.action_space(self._agents[0]))


class _GymEnv:
    """Gymnasium, where reset() gives (obs, info): one agent, whose action is a number. Or as rlgym-ppo and rlgym-sim have
    it, where reset() gives the observations alone: actions are an array [A, 1], and a step may tell one kind of end only.
    """

    def __init__(self, env: Any) -> None:
        self._env, self._single = env, False

    def reset(self, seed: int | None) -> Float:
        found = (
            self._env.reset(seed=seed)
            if seed is not None and _is_of(GYMNASIUM, "Env", self._env)
            else self._env.reset()
        )
        self._single = isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Mapping)
        return self._seen(found[0] if self._single else found)

    def step(self, actions: Int) -> tuple[Float, Any, bool, bool]:
        found = self._env.step(actions[0] if self._single else actions[:, None])
        if len(found) not in (4, 5):
            raise RltuiError(f"step() must return 4 or 5 things, and returned {len(found)}")
        obs, reward, terminated = found[:3]
        truncated = len(found) == 5 and found[3]
        if len(found) == 4 and isinstance(found[3], Mapping) and found[3].get("TimeLimit.truncated"):
            terminated, truncated = False, True
        return self._seen(obs), reward, bool(np.any(terminated)), bool(np.any(truncated))

    def _seen(self, obs: Any) -> Float:
        rows = np.asarray(obs)
        return _rows([rows] if self._single or rows.ndim < 2 else rows)

    @property
    def actions(self) -> int:
        return _choices(self._env.action_space)


def _is_of(module: str, base: str, env: Any) -> bool:
    """Without an import: whoever built it has imported its library."""
    return module in sys.modules and isinstance(env, getattr(sys.modules[module], base))


def _rows(observations: Iterable[Any]) -> Float:
    """A row for each agent. RltuiError for what is no numbers."""
    try:
        rows: Float = np.stack([np.asarray(each, np.float32).ravel() for each in observations])
    except (TypeError, ValueError) as error:
        raise RltuiError(f"observations must be arrays of numbers, of one size for all agents: {error}") from error
    return rows


def _choices(space: Any) -> int:
    """Of `("discrete", 90)` as RLGym has it, 90, or a Discrete of Gymnasium."""
    number = space[1] if isinstance(space, tuple) and len(space) == 2 and space[0] == "discrete" else space
    number = getattr(number, "n", number)
    if isinstance(number, int | np.integer) and number > 0:
        return int(number)
    raise RltuiError(
        f"the action space must be discrete, one choice of so many, and is {space!r}",
        "in RLGym: LookupTableAction, or a get_action_space() that returns ('discrete', so many)",
    )


def _built(name: str) -> _UserEnv:
    """A new instance. RltuiError says what went wrong, in whose line."""
    make = environment(name)
    try:
        env = make()
    except RltuiError:
        raise
    except ImportError as error:
        raise _unbuilt(name, error, import_hint(error)) from error
    except (Exception, SystemExit) as error:  # a user's function may raise anything
        raise _unbuilt(name, error) from error
    inner = getattr(env, "rlgym_env", env)  # of rlgym-ppo's wrapper, which hides which agents ended
    if _is_of("rlgym.api", "RLGym", inner):
        return _RlgymEnv(inner)
    if hasattr(env, "reset") and hasattr(env, "step") and hasattr(env, "action_space"):
        return _GymEnv(env)
    raise RltuiError(f"env {name!r} gave a {type(env).__name__}", f"it must return {KINDS}", exit_code=2)


def _unbuilt(name: str, error: BaseException, hint: str = "") -> RltuiError:
    place = users_line(error)
    return RltuiError(f"env {name!r} cannot be built: {in_words(error)}{place and f' ({place})'}", hint, exit_code=2)


@dataclass(frozen=True)
class UserEnvSizes:
    """Of an environment: agents, numbers that one sees, actions to choose from."""

    agents: int
    obs: int
    actions: int


@lru_cache(8)  # building one takes a while, and a start asks again and again
def described(name: str) -> UserEnvSizes:
    """Asked of one instance, which is reset, and stepped once; what it prints is none of our output. RltuiError says what
    does not do.
    """
    with redirect_stdout(sys.stderr):
        return _asked(name)


def _asked(name: str) -> UserEnvSizes:
    env = _built(name)
    try:
        seen = env.reset(0)
        found = UserEnvSizes(seen.shape[0], seen.shape[1], env.actions)
        stepped, rewards, _, _ = env.step(np.zeros(found.agents, np.int64))
        _checked(stepped, found)
        if np.size(rewards) != found.agents:
            raise RltuiError(f"step() gave {np.size(rewards)} rewards for {found.agents} agents")
    except RltuiError as error:
        raise RltuiError(f"env {name!r}: {error.message}", error.hint, exit_code=2) from error
    except (Exception, SystemExit) as error:  # a user's environment may raise anything
        place = users_line(error)
        message = f"env {name!r} was tried and failed: {in_words(error)}{place and f' ({place})'}"
        raise RltuiError(message, exit_code=2) from error
    return found


def _checked(seen: Float, sizes: UserEnvSizes) -> Float:
    if seen.shape != (sizes.agents, sizes.obs):
        raise RltuiError(
            f"{seen.shape[0]} agents that see {seen.shape[1]:,} numbers each, where the first episode had {sizes.agents} that "
            f"see {sizes.obs:,}",
            "both must stay the same from episode to episode: fixed team sizes, and zero padding",
        )
    return seen


def user_env_spec(name: str) -> EnvSpec:
    """As of a game in which all agents are blue, without anything of the game in it."""
    part = Component(name)
    return EnvSpec(described(name).agents, 0, part, part, (), (), (), environment=name)


def no_controls(actions: int) -> Float:
    """Stands for the action table where the actions are none of the game's: as many rows of zeros."""
    return np.zeros((actions, len(CONTROLS)), np.float32)


class UserEnvs:
    """K of a user's environments in one worker, with an actor's interface (CollectedEnv). What theirs has not, as frozen
    opponents, does nothing.
    """

    def __init__(
        self, spec: EnvSpec, arenas: int, seed: Sequence[int], cursor: Int | None = None, parts: int = 1
    ) -> None:
        """seed: of the environments that take one, and of Python's and NumPy's global generators, which the others may draw
        from. cursor: int64 [1], the one that is being played.
        """
        self._sizes = sizes = described(spec.environment)
        self.parts, self.arenas, self.learners = arena_parts(arenas, parts), arenas, sizes.agents
        rows = no_controls(sizes.actions)
        self.obs_size, self.action_spec = sizes.obs, action_spec(rows, PipelineOptions())
        self.table_hash = table_hash(rows)
        (common,) = np.random.SeedSequence([*seed, GLOBAL]).generate_state(1).tolist()
        random.seed(common)
        np.random.seed(common)
        self._envs = [_built(spec.environment) for _ in range(arenas)]
        seeds = (np.random.SeedSequence(list(seed), spawn_key=(arena,)).generate_state(1) for arena in range(arenas))
        self._seeds: list[int | None] = [int(each[0]) % LARGEST_SEED for each in seeds]  # None once it is used
        self._cursor = np.zeros(1, np.int64) if cursor is None else cursor
        self._running = np.zeros((arenas, self.learners))  # rewards of the episodes that go on
        self._is_first = np.ones(arenas, np.bool_)
        self._ended, self._episodes, self._steps = 0.0, 0, 0
        self._timings = PartTimings()

    def reset(self, out: StepOut) -> None:
        """Begin an episode everywhere."""
        self._running.fill(0.0)
        for arena in range(self.arenas):
            out.obs[arena] = self._begun(arena)

    def step(self, actions: Int, out: StepOut, part: int = 0) -> Finals:
        """As ArenaGroups.step. Where an episode ends, a new one begins at once."""
        cut: list[int] = []
        finals: list[Float] = []
        timings, before = self._timings, perf_counter()
        first = self.parts[part].start
        for row in range(len(actions)):
            self._cursor[0] = arena = first + row
            seen, rewards, terminated, truncated = self._envs[arena].step(actions[row])
            after = perf_counter()
            timings.simulate += after - before
            before = after
            out.rewards[row], out.terminated[row] = rewards, terminated
            out.truncated[row] = truncated and not terminated
            self._running[arena] += out.rewards[row]
            seen = _checked(seen, self._sizes)
            if terminated or truncated:
                if not terminated:
                    cut.append(row)
                    finals.append(seen)
                self._end(arena)
                seen = self._begun(arena)
                after = perf_counter()
                timings.reset += after - before
                before = after
            out.obs[row] = seen
        self._steps += len(actions)
        return Finals(np.array(cut, np.int64), np.array(finals, np.float32).reshape(-1, self.learners, self.obs_size))

    def _begun(self, arena: int) -> Float:
        seed, self._seeds[arena] = self._seeds[arena], None
        return _checked(self._envs[arena].reset(seed), self._sizes)

    def _end(self, arena: int) -> None:
        self._episodes += 1
        self._ended += float(self._running[arena].sum())
        self._running[arena] = 0.0
        self._is_first[arena] = False

    def set_timesteps(self, timesteps: int) -> None:
        pass

    def force_reset(self, reset: str) -> None:
        pass

    def set_weights(self, weights: Mapping[str, float]) -> None:
        pass

    def set_opponents(self, sources: Sequence[OpponentSource]) -> dict[str, str]:
        return {source.name: "an environment of your own has no place for opponents" for source in sources}

    def playing(self) -> set[str]:
        return set()

    def batches(self) -> list[SoccarBatch]:
        return []

    def take_timings(self) -> Mapping[str, float]:
        """Seconds in step() and in reset() since the last call; what of a step is observation or reward nobody knows."""
        parts = self._timings.take()
        return {name: parts[name] for name in ("simulate", "reset")}

    def drain_stats(self) -> dict[str, EpisodeStats]:
        """Rewards and episodes since the last drain; running episodes keep their rewards until they end."""
        stats = EpisodeStats(
            episodes=self._episodes,
            car_episodes=self._episodes * self.learners,
            episode_ticks=0,
            rewards={WHOLE: self._ended},
            goals=0,
            touches=0,
            airborne=0,
            boost=0.0,
            car_steps=self._steps * self.learners,
            arena_steps=self._steps,
            seconds=0.0,
            arenas=self.arenas,
            first_episodes=int(np.count_nonzero(self._is_first)),
            of_game=False,
        )
        self._ended, self._episodes, self._steps = 0.0, 0, 0
        return {MATCH: stats}
