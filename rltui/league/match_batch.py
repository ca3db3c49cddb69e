"""MatchBatch: many games of two players, in arenas side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rltui.env.stats import EpisodeStats, EpisodeTally, NewGoals
from rltui.errors import RltuiError
from rltui.field import TICKS_PER_SECOND
from rltui.league.players import Player
from rltui.sim import meshes
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.resets.base import Reset
from rltui.sim.resets.standard import KickoffReset
from rltui.sim.state import Bool, Float, GameState, Int

LONGEST_CYCLE = TICKS_PER_SECOND  # ticks that a kickoff may have to wait for after a goal
FLAGS = ("shots", "saves", "demos", "demoed")


class StepView:
    """State as a player sees it: `state` is the arenas' own, but for events: those of the whole step, as the player was trained to see them."""

    def __init__(self, state: GameState, previous_actions: Float) -> None:
        """previous_actions: [K, C, 8], kept current by their owner."""
        self._read = state
        self.state = replace(
            state,
            previous_actions=previous_actions,
            touches=np.zeros_like(state.touches),
            touch_height=np.zeros_like(state.touch_height),
            pad_picked=np.full_like(state.pad_picked, -1),
            boost_gained=np.zeros_like(state.boost_gained),
            **{name: np.zeros_like(getattr(state, name)) for name in FLAGS},
        )

    def add(self) -> None:
        """Some ticks have been played and read."""
        read, step = self._read, self.state
        step.touches += read.touches
        np.copyto(step.touch_height, read.touch_height, where=read.touches > 0)
        np.copyto(step.pad_picked, read.pad_picked, where=read.pad_picked >= 0)
        step.boost_gained += read.boost_gained
        for name in FLAGS:
            getattr(step, name).__ior__(getattr(read, name))

    def clear(self, arenas: Bool | slice = slice(None)) -> None:
        """The player has chosen, or a kickoff follows there."""
        step = self.state
        for array in (step.touches, step.touch_height, step.boost_gained, *(getattr(step, name) for name in FLAGS)):
            array[arenas] = 0
        step.pad_picked[arenas] = -1


class _Side:
    """One player's cars: what was chosen, and what is being played until the choice is due. Rows are the arenas' own."""

    def __init__(
        self, player: Player, cars: slice, offset: int, cycle: int, arena: ArenaBatch, previous: Float
    ) -> None:
        self.player, self.cars = player, cars
        self.view = StepView(arena.state, previous)
        self.chosen: Int = np.zeros((arena.state.arenas, len(range(arena.state.cars)[cars])), np.int64)
        self._offset, self._cycle, self._due = offset, cycle, -1
        self.tally = EpisodeTally((), arena, cars, player.tick_skip, self.view.state)
        self._no_rewards: Float = np.zeros((0, arena.state.arenas, arena.state.cars), np.float32)

    def begin(self, arenas: Bool, nothing: int) -> None:
        """A kickoff in these arenas (mask [K]). nothing: the row that is played until a choice is due."""
        self.chosen[arenas] = nothing
        self.view.clear(arenas)
        self.player.begin(self.view.state, arenas)
        self.tally.begin(np.flatnonzero(arenas))

    def take_turn(self, clock: int, playing: Int) -> bool:
        """Before this tick of the cycle: write what is due to `playing` [K, C]; whether something was chosen now."""
        if clock == self._due:
            playing[:, self.cars] = self.chosen
        if clock % self.player.tick_skip:
            return False
        np.add(self.player.choose(self.view.state), self._offset, out=self.chosen)
        self._due = (clock + self.player.delay) % self._cycle
        if not self.player.delay:
            playing[:, self.cars] = self.chosen
        self.view.clear()
        return True

    def wait(self, clock: int) -> int:
        """Ticks until a choice is made or due, at least 1."""
        to_choice = self.player.tick_skip - clock % self.player.tick_skip
        return min(to_choice, self._due - clock) if self._due > clock else to_choice

    def ends_step(self, clock: int) -> bool:
        """Count the step that ends with this tick of the cycle, if one does."""
        if clock % self.player.tick_skip:
            return False
        self.tally.step(self._no_rewards)
        return True


class MatchBatch:
    """K games of `players` (blue, orange), `teams` their cars; every seed is a game's. Same players and seeds: the same games,
    bit for bit with one car a team, whatever the pieces in which they are played.

    Each player chooses every `tick_skip` ticks since the kickoff. A goal is seen when a step ends, as in training; the
    kickoff follows when a step of both does.
    """

    def __init__(
        self,
        players: tuple[Player, Player],
        teams: tuple[int, int],
        seeds: Sequence[Sequence[int]],
        reset: Reset | None = None,
    ) -> None:
        """reset: how play begins, first and after each goal (a kickoff)."""
        games, cars = len(seeds), sum(teams)
        self._teams, self._reset = teams, reset or KickoffReset(Reset.Params())
        self._generators = [np.random.default_rng(np.random.SeedSequence([*seed])) for seed in seeds]
        self.tick = 0  # since the games began
        self.score: Int = np.zeros((games, 2), np.int64)
        skips, delays = ([getattr(player, name) for player in players] for name in ("tick_skip", "delay"))
        self._cycle = math.lcm(*skips)  # ticks between two at which both choose
        if self._cycle > LONGEST_CYCLE:
            raise RltuiError(
                f"one bot chooses every {skips[0]} ticks, the other every {skips[1]}: their steps end together, which a kickoff "
                f"waits for, every {self._cycle} ticks only, expected {LONGEST_CYCLE} at the most",
                "let each play a bot with a tick_skip nearer to its own",
                exit_code=2,
            )
        alike = len({*skips}) == len({*delays}) == 1 and delays[0] < skips[0]
        self._pace = Pace(skips[0], delays[0]) if alike else None  # in which whole steps can be played
        self.controls: Float = np.concatenate([*(player.controls for player in players), np.zeros((1, 8), np.float32)])
        self.playing: Int = np.zeros((games, cars), np.int64)  # rows of `controls`
        self._previous: Float = np.zeros((games, cars, 8), np.float32)
        self._scored: Bool = np.zeros(games, np.bool_)  # and no kickoff since
        meshes.init_simulator(meshes.locate())
        self._arena = ArenaBatch(self._generators, teams, self.controls, Pace(1, 0))
        places = ((slice(0, teams[0]), 0), (slice(teams[0], cars), len(players[0].controls)))
        self._new_goals = NewGoals(self.state)
        self.sides = [
            _Side(player, own, offset, self._cycle, self._arena, self._previous)
            for player, (own, offset) in zip(players, places, strict=True)
        ]
        self._kick_off(np.ones(games, np.bool_))

    @property
    def state(self) -> GameState:
        """The arenas', overwritten by `advance`."""
        return self._arena.state

    def advance(self, most: int) -> int:
        """Play on in all arenas until a choice is made or due, or a whole step, and return how many ticks that were: `most`
        at most.
        """
        clock, playing = self.tick % self._cycle, self.playing
        chosen = [side for side in self.sides if side.take_turn(clock, playing)]
        for side in chosen:  # only now: both players see what was chosen before
            self._previous[:, side.cars] = self.controls[side.chosen]
        if clock == 0 and self._pace is not None and most >= self._cycle:
            ticks = self._cycle
            for side in self.sides:
                playing[:, side.cars] = side.chosen
            self._arena.set_pace(self._pace)
        else:
            ticks = min(most, *(side.wait(clock) for side in self.sides))
            self._arena.set_pace(Pace(ticks, 0))
        self._arena.step(playing)
        self.tick += ticks
        self._look(self.tick % self._cycle)
        return ticks

    def drain_stats(self) -> tuple[EpisodeStats, EpisodeStats]:
        """What each side's cars have done since the last drain. A kickoff that is not decided yet is in none."""
        blue, orange = self.sides
        return blue.tally.drain(), orange.tally.drain()

    def _look(self, clock: int) -> None:
        """At what has been played until this tick of the cycle."""
        for side in self.sides:
            side.view.add()
        ended = [side.ends_step(clock) for side in self.sides]
        if not any(ended):
            return
        for arena in self._new_goals.step():
            if not self._scored[arena]:
                self.score[arena, 0 if self.state.goal[arena] > 0 else 1] += 1
                self._scored[arena] = True
        if clock == 0 and np.count_nonzero(self._scored):
            for side in self.sides:
                side.tally.end(np.flatnonzero(self._scored))
            self._kick_off(self._scored)

    def _kick_off(self, arenas: Bool) -> None:
        """Where they are True, [K]; emptied."""
        indices = np.flatnonzero(arenas).tolist()
        self._arena.reset(indices, [self._reset.sample(self._generators[index], *self._teams) for index in indices])
        nothing = len(self.controls) - 1
        self.playing[arenas] = nothing
        self._previous[arenas] = 0
        self._new_goals.begin(arenas)
        for side in self.sides:
            side.begin(arenas, nothing)
        arenas[:] = False
