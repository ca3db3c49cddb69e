"""SoccarBatch: the batched environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np

from rltui.actions.pipeline import ActionPipeline
from rltui.actions.table import check_indices, checked_rows, table_hash
from rltui.env.frozen_opponents import FrozenOpponents, LearnersGame, Loaded
from rltui.env.observer import Observer
from rltui.env.seats import LEARNER, Opponents, Seating
from rltui.env.spec import EnvSpec
from rltui.env.stats import EpisodeStats, EpisodeTally
from rltui.env.step import Finals, PartTimings, StepOut
from rltui.errors import RltuiError
from rltui.field import MOST_CARS
from rltui.policy.saved import foreign_game
from rltui.registry import Component, build
from rltui.rewards.combined import CombinedReward
from rltui.sim import meshes
from rltui.sim.arena_batch import ArenaBatch, Cursor, Pace
from rltui.sim.resets.base import MixedReset
from rltui.sim.state import Bool, Float, GameState, Int, Simulated
from rltui.sim.terminals import Terminal

INT64 = np.dtype(np.int64)


class SoccarBatch:
    """Steps all arenas, ends and begins their episodes. Same spec, seed and actions: the same numbers, bit for bit, with one
    car a team. With more, RocketSim orders contacts by memory address, and two batches part at the first collision or so.

    The policy plays the first `learners` cars of each arena: all of them, or the blue ones against a scripted player. In the last
    `frozen` arenas, which are in no statistics but `against`, it gives a side to opponents that `set_opponents` names; in all arenas
    orange, where the spec leaves that to them: then the statistics are blue's.
    `seed` names the batch; every arena draws from a generator of its own. `cursor`, int64 [1], shows which arena is being
    simulated, for the report of a crash.
    """

    def __init__(
        self,
        spec: EnvSpec,
        arenas: int,
        seed: Sequence[int],
        cursor: Int | None = None,
        first: int = 0,
        frozen: int = 0,
    ) -> None:
        """first: what the cursor calls the first arena. RltuiError when a component, the meshes or the numbers of the spec do not do."""
        _check(spec, arenas)
        teams = (spec.blue, spec.orange)
        self.arenas, self.cars, self.learners = arenas, sum(teams), spec.learners
        self._teams, self.seating = teams, Seating.alike(spec.seats, arenas)
        self._learner = self.seating.of(LEARNER)
        rows = checked_rows(build("action table", spec.table), spec.pipeline.clip)
        self.table_hash = table_hash(rows)
        self._pipeline = ActionPipeline(rows, spec.pipeline, arenas, self.learners, self._learner)
        self.action_spec = self._pipeline.spec
        self._observer = Observer(build("obs", spec.obs), spec.obs_stack, arenas, teams, self._learner)
        self.obs_size = self._observer.size
        self._scheduled, self._rewards = spec.rewards, _combined(spec)
        self.reward_names = self._rewards.names
        self._own_resets = MixedReset([(build("reset", item.component), item.weight) for item in spec.resets])
        self._resets = self._own_resets
        terminals: list[Terminal] = [build("terminal", item) for item in spec.terminals]
        self._terminating = [terminal for terminal in terminals if not terminal.truncates]
        self._truncating = [terminal for terminal in terminals if terminal.truncates]
        self._generators = _generators(seed, arenas)
        meshes.init_simulator(meshes.locate(spec.meshes))
        players = [build("player", spec.opponent)] if self.learners < self.cars else []
        self._opponents = Opponents(players, self.seating, len(self._pipeline.controls), seed)
        self.controls: Float = self._pipeline.controls
        self._sim = ArenaBatch(
            self._generators,
            teams,
            self._opponents.after(self.controls),
            Pace(spec.tick_skip, spec.action_delay_ticks),
            None if cursor is None else Cursor(cursor, first),
            contacts=any(reward.contacts for reward in self._rewards.rewards),
        )
        simulated = Simulated(self._sim.arenas)
        for reward in self._rewards.rewards:
            reward.attach(simulated)
        self._values: Float = np.zeros((arenas, self.cars), np.float32)
        self._contributions = np.zeros((len(self.reward_names), arenas, self.cars), np.float32)
        self._final_obs = np.zeros((arenas, self.learners, self.obs_size), np.float32)
        self._no_finals = Finals(np.zeros(0, np.int64), self._final_obs[:0])
        self.state, self.contact = self._sim.state, self._sim.contact
        self.arenas_simulated = self._sim.arenas
        frozen = arenas if spec.frozen_orange else frozen
        self._counted = arenas if spec.frozen_orange else arenas - frozen  # the first ones, which are in the statistics
        counted = self._sim if self._counted == arenas else self._sim.first(self._counted)
        measured = [self.reward_names[index] for index in self._rewards.measured]
        self._tally = EpisodeTally(
            self.reward_names, counted, slice(spec.learned_from), spec.tick_skip, measured=measured
        )
        game = LearnersGame(spec, self.table_hash, self.obs_size, len(self.controls))
        self._frozen = FrozenOpponents(game, self.state, arenas - frozen, seed)
        self.set_opponents({})
        self._ends = self.state.ends
        # called with all cars' rewards [K, C] and their terms [R, K, C] while `state` still shows how the step ended
        self.on_judged: Callable[[Float, Float], None] | None = None
        self.finals_of_terminated = False  # whether `step` returns their final observations too
        self._own_rows = np.arange(arenas * self.learners).reshape(arenas, self.learners)
        # called with the arenas (indices) whose new episodes `state` shows at their first moment
        self.on_begun: Callable[[Int], None] | None = None
        self.played: Int = np.zeros((arenas, self.learners), np.int64)  # rows of `controls` played in the newest step
        self.weights: Mapping[str, float] = {}  # by reward name: in the place of the spec's, from set_timesteps on
        self.timings = PartTimings()

    def set_timesteps(self, timesteps: int) -> None:
        """How far training is: weights that follow a schedule change with it, and those set by hand begin to hold."""
        self._rewards.set_weights(
            [
                self.weights.get(name, item.weight_at(timesteps))
                for name, item in zip(self.reward_names, self._scheduled, strict=True)
            ]
        )

    def force_reset(self, reset: str) -> None:
        """Every episode from the next on begins with this registered reset; "": with the spec's own again."""
        self._resets = MixedReset([(build("reset", Component(reset)), 1.0)]) if reset else self._own_resets

    def set_opponents(self, opponents: Mapping[str, Loaded]) -> dict[str, str]:
        """Who plays a side in the `frozen` arenas, by name, from their next episodes on. Returns why some cannot, by name."""
        refused = self._frozen.set_opponents(opponents)
        if controls := self._frozen.controls:
            self._sim.set_rows(np.concatenate([self.controls, *controls]))
        return refused

    @property
    def playing(self) -> list[str]:
        """Opponents of running episodes, by name."""
        return self._frozen.playing

    def reset(self, out: StepOut) -> None:
        """Begin an episode in every arena and write what is first seen in it; `out`'s rewards and ends stay as they are."""
        self._begin(np.arange(self.arenas))
        self._observe(out)

    def step(self, actions: Int, out: StepOut) -> Finals:
        """Play one step: int64 rows of the action table [K, learners] in, `out` written. Where an episode ends, a new one begins at once.

        RltuiError names arena and car of an action that is no row.
        """
        began = perf_counter()
        self._simulate(actions)
        simulated = perf_counter()
        self._sim.read()
        read = perf_counter()
        ended = self._judge(out)
        rewards = self._reward(out.rewards)
        np.greater(out.truncated, out.terminated, out=out.truncated)  # terminal wins
        measures = self._rewards.measures[:, : self._counted] if self._rewards.measured else None
        self._tally.step(self._contributions[:, : self._counted], measures)
        self._frozen.step()
        if self.on_judged is not None:
            self.on_judged(rewards, self._contributions)
        judged = perf_counter()
        finals = self._end(ended, out.truncated) if np.count_nonzero(ended) else self._no_finals
        reset = perf_counter()
        self._observe(out)
        observed = perf_counter()
        timings = self.timings
        timings.simulate += simulated - began
        timings.state += read - simulated
        timings.reward += judged - read
        timings.reset += reset - judged
        timings.observe += observed - reset
        return finals

    def step_controls(self, controls: Float, out: StepOut) -> Finals:
        """As `step`, with controls float32 [K, learners, 8] of no table; where the learner is everybody, and no stage of the
        pipeline is on.
        """
        self._sim.set_rows(controls.reshape(-1, controls.shape[-1]))
        return self.step(self._own_rows, out)

    def reseed(self, arena: int, seed: Sequence[int]) -> None:
        """What the arena draws from its next episode on depends on this seed alone."""
        fresh = np.random.default_rng(np.random.SeedSequence(list(seed)))
        self._generators[arena].bit_generator.state = fresh.bit_generator.state

    def drain_stats(self) -> EpisodeStats:
        """Sums since the last drain."""
        return replace(self._tally.drain(), fallbacks=self._pipeline.take_fallbacks(), against=self._frozen.drain())

    def _simulate(self, actions: Int) -> None:
        if actions.dtype != INT64:
            check_indices(actions, self.action_spec.outputs)
        frozen = self._frozen
        try:
            self.played = self._pipeline.play(frozen.choose(actions), self.state, frozen.player)
            self._sim.simulate(self._opponents.join(frozen.play(self.played), self.state))
        except KeyError:
            check_indices(actions, self.action_spec.outputs)  # says which
            raise

    def _reward(self, out: Float) -> Float:
        """All cars' rewards [K, C], for team spirit and zero sum need them; the learners' are written to `out`."""
        if self.learners == self.cars:
            self._rewards.value(self.state, out, self._contributions)
            return out
        self._rewards.value(self.state, self._values, self._contributions)
        np.copyto(out, self._values[self._learner])
        return self._values

    def _observe(self, out: StepOut) -> None:
        self._observer.write(self.state, out.obs)
        self._observer.advance(out.obs)
        self._pipeline.classify(self.state, out.legality)
        self._frozen.observe(out)

    def _judge(self, out: StepOut) -> Bool:
        """Write what ends, each by itself, and return which arenas do, either way."""
        _any(self._terminating, self.state, out.terminated)
        _any(self._truncating, self.state, out.truncated)
        self._ends.terminated, self._ends.truncated = out.terminated, out.truncated
        return out.terminated | out.truncated

    def _end(self, ended: Bool, truncated: Bool) -> Finals:
        """End these episodes, begin new ones; returns the final observations of those that are asked for."""
        finals = self._no_finals
        cut = np.flatnonzero(ended if self.finals_of_terminated else truncated)
        if len(cut):
            self._observer.write(self.state, self._final_obs)
            finals = Finals(cut, self._final_obs[cut])
        arenas = np.flatnonzero(ended)
        self._tally.end(arenas[arenas < self._counted])
        self._frozen.end(arenas)
        self._begin(arenas)
        return finals

    def _begin(self, arenas: Int) -> None:
        indices = arenas.tolist()
        setups = [self._resets.sample(self._generators[index], *self._teams) for index in indices]
        self._sim.reset(indices, setups)
        self._tally.begin(arenas[arenas < self._counted])
        begun = np.zeros(self.arenas, np.bool_)
        begun[arenas] = True
        self._rewards.reset(self.state, begun)
        self._observer.reset(self.state, begun)
        self._pipeline.reset(begun)
        self._frozen.begin(arenas)
        if self.on_begun is not None:
            self.on_begun(arenas)


def _any(terminals: Sequence[Terminal], state: GameState, out: Bool) -> None:
    """Whether any of them ends the episode, by arena."""
    out.fill(False)
    for terminal in terminals:
        np.logical_or(out, terminal.done(state), out=out)


def _combined(spec: EnvSpec) -> CombinedReward:
    named = zip(spec.reward_names, spec.rewards, strict=True)
    terms = [(name, build("reward", item.component), item.weight) for name, item in named]
    return CombinedReward(terms, spec.reward_options)


def _generators(seed: Sequence[int], arenas: int) -> list[np.random.Generator]:
    """One for each arena, whatever the others draw."""
    return [np.random.default_rng(np.random.SeedSequence(list(seed), spawn_key=(arena,))) for arena in range(arenas)]


def _check(spec: EnvSpec, arenas: int) -> None:
    """RltuiError for numbers that no simulation can have."""
    if spec.environment:
        raise foreign_game(spec.environment)
    problems = []
    if not (0 <= spec.blue <= MOST_CARS and 0 <= spec.orange <= MOST_CARS and spec.blue + spec.orange):
        problems.append(f"0 to {MOST_CARS} cars a team and at least one, found {spec.blue} blue, {spec.orange} orange")
    if spec.learners < 1:
        problems.append("at least one car that learns: against a scripted opponent those are the blue ones, found 0")
    if arenas < 1:
        problems.append(f"at least one arena, found {arenas}")
    if spec.tick_skip < 1:
        problems.append(f"tick_skip at least 1, found {spec.tick_skip}")
    elif not 0 <= spec.action_delay_ticks <= spec.tick_skip:
        problems.append(f"action_delay_ticks from 0 to tick_skip = {spec.tick_skip}, found {spec.action_delay_ticks}")
    weights = [item.weight for item in spec.resets]
    if not weights or min(weights) < 0 or sum(weights) <= 0:
        problems.append(f"resets with weights of at least 0 and one above, found {weights}")
    if problems:
        raise RltuiError("the environment needs " + "; ".join(problems), exit_code=2)
