"""AgentGames: games whose agents are controlled from outside, for environments of other libraries; bots of ours play the other cars."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.actions.pipeline import ActionPipeline, PipelineOptions
from rltui.actions.table import check_indices
from rltui.env.from_profile import env_spec, table_rows
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.step import StepOut
from rltui.errors import RltuiError, did_you_mean, hints
from rltui.events.match_frames import MatchFrame
from rltui.field import AXES, CONTROLS, TICKS_PER_SECOND
from rltui.league.players import Player, PolicySide, Seat
from rltui.league.sources import PlayerSource, source
from rltui.profile.components import absolute_name
from rltui.profile.load import OVERRIDE, load
from rltui.profile.locate import shipped_folder
from rltui.profile.models import Profile
from rltui.profile.source import ProfileError
from rltui.profile.toml_text import toml_value
from rltui.registry import MIRROR, Component
from rltui.runs.paths import data_dir
from rltui.sim.frames import MatchStanding, moment_of
from rltui.sim.state import Bool, Float, Int
from rltui.view.rocketsimvis import RocketSimVis

WHERE = "environment"  # names what was given by keyword, in errors
COMPACT, COMPACT_LIMIT = "compact", 10.0  # beyond it are only long times since a jump, in seconds
CONTINUOUS, DISCRETE = "continuous", "discrete"


@dataclass(frozen=True)
class GameSettings:
    """What is played, and how it is seen. What is None is the profile's.

    profile: a name or file; None: the shipped `quick`. settings: other keys of a profile, as {"tick_skip": 4}.
    """

    profile: str | Path | None = None
    rewards: Mapping[str, Any] | None = None
    resets: Sequence[Mapping[str, Any]] | None = None
    terminals: Sequence[Mapping[str, Any]] | None = None
    blue: int | None = None
    orange: int | None = None
    obs: str | None = COMPACT
    actions: str = CONTINUOUS  # or DISCRETE: rows of the profile's table
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any], more: Sequence[str] = ()) -> GameSettings:
        """From keywords. more: those that the environment has besides. RltuiError for one that is unknown."""
        known = [item.name for item in fields(cls)]
        for name in given:
            if name not in known:
                every = [*known, *more]
                raise RltuiError(
                    f"unknown keyword {name!r}", hints(did_you_mean(name, every), f"known: {', '.join(every)}")
                )
        made = cls(**given)
        if made.actions not in (CONTINUOUS, DISCRETE):
            raise RltuiError(f'actions: expected "{CONTINUOUS}" or "{DISCRETE}", found {made.actions!r}')
        return made

    def load(self) -> Profile:
        """ProfileError with all that is wrong."""
        named = self.profile if self.profile is not None else shipped_folder() / "quick.toml"
        try:
            return load(named, [f"{key}={_toml(key, value)}" for key, value in self._changes().items()])
        except ProfileError as error:
            given = [
                replace(problem, file=WHERE) if problem.file == OVERRIDE else problem for problem in error.problems
            ]
            raise ProfileError(str(self.profile or WHERE), given) from None

    def _changes(self) -> dict[str, Any]:
        """By key of the profile."""
        if not isinstance(self.settings, Mapping):
            raise RltuiError(f'settings: expected keys of a profile, as {{"tick_skip": 4}}, found {self.settings!r}')
        own = {
            "rewards": self.rewards,
            "resets": self.resets,
            "terminals": self.terminals,
            "game.blue": self.blue,
            "game.orange": self.orange,
        }
        return {**{key: _from_here(value) for key, value in own.items() if value is not None}, **self.settings}


def _from_here(value: Any) -> Any:
    """Files of components as seen from the working folder; in the profile's they would be looked for beside it."""
    if isinstance(value, Mapping):
        kind = {"kind": absolute_name(value["kind"], None)} if isinstance(value.get("kind"), str) else {}
        return {absolute_name(key, None) if ":" in key else key: item for key, item in {**value, **kind}.items()}
    return [_from_here(item) for item in value] if isinstance(value, list | tuple) else value


def _toml(key: str, value: Any) -> str:
    try:
        return toml_value(value)
    except TypeError:
        raise RltuiError(f"{key}: expected numbers, texts, and lists or dicts of them, found {value!r}") from None


@dataclass(frozen=True)
class OtherPlayers:
    """Who plays all cars but the first: scripted players, `starter`, or saved bots as `rltui watch` takes them."""

    opponent: str = "idle"
    teammates: str = "idle"
    data_dir: str | None = None

    def sources(self, blue: int, orange: int) -> list[tuple[PlayerSource, slice]]:
        """With the cars of each. RltuiError for one that there is not."""
        seated = (
            ("teammates", self.teammates, slice(1, blue)),
            ("opponent", self.opponent, slice(blue, blue + orange)),
        )
        return [(self._source(key, name), cars) for key, name, cars in seated if cars.start < cars.stop]

    def _source(self, key: str, name: str) -> PlayerSource:
        if name == MIRROR:
            raise RltuiError(f"{key}: {MIRROR!r} takes two agents", "use rltui.bridge.pettingzoo for self-play")
        try:
            return source(str(name), data_dir(self.data_dir), retyped=lambda state: f'{key}="{state}"')
        except RltuiError as error:
            raise RltuiError(f"{key}: {error.message}", error.hint) from error


@dataclass(frozen=True)
class PlayedStep:
    """What a step of K games came to, for A agents of each. Copies."""

    obs: Float  # [K, A, D]; of a game that ended: the first of its new episode
    rewards: Float  # [K, A]
    terminated: Bool  # [K]
    truncated: Bool  # [K], False where terminated
    final_obs: dict[int, Float]  # [A, D] by game: the last of each episode that ended
    terms: dict[str, Float]  # [K, A] what each reward paid, weighted
    goal: Int  # [K, A] 1 the agent's team scored, −1 the other one, 0 nobody
    touched: Bool  # [K, A] the agent touched the ball

    def info(self, game: int, agent: int) -> dict[str, Any]:
        """Of one agent, as environments give it. is_success is what Stable-Baselines3 makes a rate of."""
        goal = int(self.goal[game, agent])
        return {
            "goal": goal,
            "is_success": goal > 0,
            "touched": bool(self.touched[game, agent]),
            "rewards": {name: float(values[game, agent]) for name, values in self.terms.items()},
        }


class AgentGames:
    """`games` of them, stepped together; where an episode ends, the next begins at once.

    The agents are the first car of each game, the others being played by `others`; or all cars, without these.
    """

    def __init__(self, settings: GameSettings, games: int, others: OtherPlayers | None) -> None:
        """RltuiError for whatever cannot be played."""
        profile = settings.load()
        spec = env_spec(profile)
        self.games, self.blue, self.cars = games, spec.blue, spec.blue + spec.orange
        if others and not spec.blue:
            raise RltuiError("blue: expected at least 1, for the agent plays the first blue car, found 0")
        self._sources = others.sources(spec.blue, spec.orange) if others else []
        self.agents = 1 if others else self.cars
        self.names = ("agent", others.opponent) if others else ("blue", "orange")
        self.tick_skip, self._delay = spec.tick_skip, spec.action_delay_ticks
        self.rocketsimvis = profile.render.host, profile.render.port
        self._table: ActionPipeline | None = None
        if settings.actions == DISCRETE:
            self._table = ActionPipeline(table_rows(spec), spec.pipeline, games, self.agents)
        everybody = replace(
            spec, opponent=Component(MIRROR), pipeline=PipelineOptions(), mechanics=None, frozen_share=0.0
        )
        if settings.obs is not None:
            everybody = replace(everybody, obs=Component(str(settings.obs)), obs_stack=1)
        self._batch = batch = SoccarBatch(everybody, games, _any_seed())
        batch.finals_of_terminated = True
        batch.on_judged, batch.on_begun = self._judged, self._begun
        self.obs_size, self.limit = batch.obs_size, COMPACT_LIMIT if settings.obs == COMPACT else np.inf
        self._out = StepOut.zeros(games, self.cars, self.obs_size)
        self._controls: Float = np.zeros((games, self.cars, len(CONTROLS)), np.float32)
        self._touches: Int = np.zeros((games, self.cars), np.int64)
        self._players = self._seated([])
        self._last: MatchFrame | None = None  # of the only game, once its episode has ended
        self._goal: Int = np.zeros((games, self.agents), np.int64)
        self._touched: Bool = np.zeros((games, self.agents), np.bool_)
        self._terms: Float = np.zeros((len(batch.reward_names), games, self.agents), np.float32)
        self._is_over = True  # of the only game, or before the first reset

    @property
    def choices(self) -> int | None:
        """Rows of the table that actions are chosen from; None: actions are controls."""
        return self._table.spec.outputs if self._table else None

    def reset(self, seeds: Sequence[int | None]) -> Float:
        """Begin an episode in every game; the first observations [K, A, D]. seeds: of each; None: what is drawn goes on."""
        given = [seed for seed in seeds if seed is not None]
        for game, seed in enumerate(seeds):
            if seed is not None:
                self._batch.reseed(game, [seed])
        is_begun = self._last is not None and not given  # by `step`
        if given:
            self._players = self._seated(given)
        if not is_begun:
            self._batch.reset(self._out)
        self._last, self._is_over = None, False
        return self._seen(self._out.obs)

    def step(self, actions: Any) -> PlayedStep:
        """actions: rows of the table [K, A], or controls [K, A, 8]. RltuiError says what is wrong with them."""
        if self._is_over:
            raise RltuiError("no episode is being played", "call reset() first")
        self._controls[:, : self.agents] = self._chosen(actions)
        for player, cars in self._players:
            self._controls[:, cars] = player.controls[player.choose(self._batch.state)]
        out = self._out
        finals = self._batch.step_controls(self._controls, out)
        self._is_over = self._last is not None
        if len(finals.arenas):
            self._batch.drain_stats()  # nobody reads them, and they grow
        final_obs = zip(finals.arenas.tolist(), self._seen(finals.obs), strict=True)
        return PlayedStep(
            self._seen(out.obs),
            out.rewards[:, : self.agents].copy(),
            out.terminated.copy(),
            out.truncated.copy(),
            dict(final_obs),
            dict(zip(self._batch.reward_names, self._terms, strict=True)),
            self._goal,
            self._touched,
        )

    def moment(self, game: int = 0) -> MatchFrame:
        """As it is now, or as the only game's episode ended until the next one is asked for."""
        return self._last or self._moment(game)

    def _moment(self, game: int) -> MatchFrame:
        state = self._batch.state.part(slice(game, game + 1))
        goal = int(state.goal[0])
        standing = MatchStanding(int(state.tick[0]), self.names, (int(goal > 0), int(goal < 0)), goal)
        return moment_of(state, standing, self._controls[game], self._touches[game])

    def _judged(self, rewards: Float, terms: Float) -> None:
        """The state still shows how the step ended."""
        state, mine = self._batch.state, slice(self.agents)
        self._terms = terms[:, :, mine].copy()
        self._goal = state.goal[:, None].astype(np.int64) * state.team_sign[mine].astype(np.int64)
        touched = state.touches > 0
        self._touched = touched[:, mine]
        self._touches += touched
        if self.games == 1 and (self._out.terminated[0] or self._out.truncated[0]):
            self._last = self._moment(0)

    def _begun(self, games: Int) -> None:
        begun = np.zeros(self.games, np.bool_)
        begun[games] = True
        self._touches[games], self._controls[games] = 0, 0.0
        if self._table:
            self._table.reset(begun)
        for player, _ in self._players:
            player.begin(self._batch.state, begun)

    def _seated(self, seeds: Sequence[int]) -> list[tuple[Player, slice]]:
        """The other players with their cars, anew. RltuiError where one cannot play here."""
        teams = self.blue, self.cars - self.blue
        seed = seeds or _any_seed()
        seated = []
        for each, cars in self._sources:
            try:
                seated.append((each.player(Seat(teams, cars, seed, arenas=self.games)), cars))
            except RltuiError as error:
                trained = "blue={}, orange={}".format(*each.teams) if each.teams else ""
                raise RltuiError(f"{each.name}: {error.message}", trained and f"it was trained in {trained}") from error
        for (each, _), (player, _) in zip(self._sources, seated, strict=True):
            own, its = (self.tick_skip, self._delay), (player.tick_skip, player.delay)
            if isinstance(player, PolicySide) and own != its:  # a scripted one chooses at any time
                raise RltuiError(
                    f"{each.name} chooses every {its[0]} ticks, {its[1]} late, and this game every {own[0]}, {own[1]} late",
                    f'settings={{"tick_skip": {its[0]}, "action_delay_ticks": {its[1]}}}',
                )
        return seated

    def _seen(self, obs: Float) -> Float:
        return np.clip(obs[:, : self.agents], -self.limit, self.limit)

    def _chosen(self, actions: Any) -> Float:
        """Controls of the agents [K, A, 8]."""
        given, shape = np.asarray(actions), (self.games, self.agents)
        if self._table:
            choices = self._table.spec.outputs
            if given.dtype.kind not in "iu" or given.size != self.games * self.agents:
                raise _wrong(f"a whole number of 0 to {choices - 1}, a row of the action table,", given)
            rows = given.astype(np.int64).reshape(shape)
            check_indices(rows, choices)
            return self._table.controls[self._table.play(rows, self._batch.state)]
        if given.dtype.kind not in "fiub" or given.size != self.games * self.agents * len(CONTROLS):
            raise _wrong(f"{len(CONTROLS)} controls ({', '.join(CONTROLS)})", given)
        if not np.isfinite(given).all():
            raise RltuiError(f"actions: not finite, {given.tolist()}")
        controls: Float = np.clip(given.reshape(*shape, len(CONTROLS)), -1, 1).astype(np.float32)
        controls[..., AXES:] = controls[..., AXES:] > 0
        return controls


def _any_seed() -> list[int]:
    seed: list[int] = np.random.SeedSequence().generate_state(4).tolist()
    return seed


def _wrong(expected: str, given: NDArray[Any]) -> RltuiError:
    return RltuiError(f"actions: expected {expected} for each agent, found {given.dtype} {list(given.shape)}")


class RealTimeView:
    """Sends moments to RocketSimVis, each in its time."""

    def __init__(self, host: str, port: int, notice: Callable[[str], None]) -> None:
        self._link = RocketSimVis(host, port, notice)
        self._tick, self._due = 0, 0.0

    def show(self, moment: MatchFrame) -> None:
        """Waits until then."""
        passed = max(0, moment.tick - self._tick) / TICKS_PER_SECOND
        self._tick = moment.tick
        now = time.perf_counter()
        self._due = max(self._due + passed, now)
        time.sleep(self._due - now)
        self._link.show(moment)

    def close(self) -> None:
        self._link.close()
