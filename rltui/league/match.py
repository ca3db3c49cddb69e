"""Match: two players in one arena."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rltui.events.match_frames import MatchFrame, Vector
from rltui.field import TICKS_PER_SECOND
from rltui.league.players import Player
from rltui.sim import meshes
from rltui.sim.arena_batch import ArenaBatch, Pace
from rltui.sim.frames import moment_of
from rltui.sim.resets.base import Reset
from rltui.sim.resets.standard import KickoffReset
from rltui.sim.state import Float, GameState, Int

FLAGS = ("shots", "saves", "demos", "demoed")
TRAIL_TICKS, TRAIL_POINTS = 6, 24  # between two points of the ball's trail, and how many: 1.2 s
GOAL_TICKS = 2 * TICKS_PER_SECOND  # for which a goal is news
TOUCH_GAP = 8  # ticks without contact after which the next one is another touch


class StepView:
    """State as a player sees it: `state` is the arena's own, but for events: those of the whole step, as the player was trained to see them."""

    def __init__(self, state: GameState, previous_actions: Float) -> None:
        """previous_actions: [1, C, 8], kept current by their owner."""
        self._tick = state
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
        """A tick has been played and read."""
        tick, step = self._tick, self.state
        step.touches += tick.touches
        np.copyto(step.touch_height, tick.touch_height, where=tick.touches > 0)
        np.copyto(step.pad_picked, tick.pad_picked, where=tick.pad_picked >= 0)
        step.boost_gained += tick.boost_gained
        for name in FLAGS:
            getattr(step, name).__ior__(getattr(tick, name))

    def clear(self) -> None:
        """The player has chosen."""
        step = self.state
        for array in (step.touches, step.touch_height, step.boost_gained, *(getattr(step, name) for name in FLAGS)):
            array.fill(0)
        step.pad_picked.fill(-1)


class _Side:
    """One player's cars: what was chosen, and what is being played until the choice is due. Rows are the arena's own."""

    def __init__(self, player: Player, cars: slice, offset: int, view: StepView) -> None:
        self.player, self.cars, self.view = player, cars, view
        self._offset = offset
        self._chosen: Int = np.zeros(0, np.int64)
        self._due = -1  # tick of the episode

    def begin(self) -> None:
        self._due = -1
        self.view.clear()
        self.player.begin(self.view.state)

    def take_turn(self, tick: int, playing: Int) -> Int | None:
        """Before this tick of the episode: write what is due to `playing` [C]; returns the rows chosen now [n], if any."""
        if tick == self._due:
            playing[self.cars] = self._chosen
        if tick % self.player.tick_skip:
            return None
        self._chosen, self._due = self.player.choose(self.view.state) + self._offset, tick + self.player.delay
        if not self.player.delay:
            playing[self.cars] = self._chosen
        self.view.clear()
        return self._chosen


class Match:
    """`teams` = (blue, orange) cars. Same players, reset and seed: the same match."""

    def __init__(
        self,
        players: tuple[Player, Player],
        teams: tuple[int, int],
        seed: Sequence[int],
        names: tuple[str, str] = ("blue", "orange"),
        reset: Reset | None = None,
    ) -> None:
        """reset: how play begins, first and after each goal (a kickoff)."""
        self._teams, self._cars = teams, sum(teams)
        self._reset = reset or KickoffReset(Reset.Params())
        self._rng = np.random.default_rng(np.random.SeedSequence([*seed]))
        self.names = names
        self.score = [0, 0]
        self.tick = 0  # since the match began
        self.touches = np.zeros(self._cars, np.int64)
        self._touched_at = np.full(self._cars, -TOUCH_GAP - 1)
        self._goal, self._goal_tick = 0, 0
        self._trail: deque[Vector] = deque(maxlen=TRAIL_POINTS)
        self._controls: Float = np.concatenate([players[0].controls, players[1].controls, np.zeros((1, 8), np.float32)])
        self._previous: Float = np.zeros((1, self._cars, 8), np.float32)
        self._playing: Int = np.zeros((1, self._cars), np.int64)
        meshes.init_simulator(meshes.locate())
        self._arena = ArenaBatch([self._rng], teams, self._controls, Pace(1, 0), np.zeros(1, np.int64))
        places = (slice(0, teams[0]), slice(teams[0], self._cars))
        offsets = (0, len(players[0].controls))
        self._sides = [
            _Side(player, cars, offset, StepView(self._arena.state, self._previous))
            for player, cars, offset in zip(players, places, offsets, strict=True)
        ]
        self._kick_off()

    @property
    def state(self) -> GameState:
        """The arena's, overwritten by `play`."""
        return self._arena.state

    def play(self, ticks: int) -> None:
        """Go on for so many ticks; a goal counts and is followed by a kickoff."""
        for _ in range(ticks):
            self._play_one()

    def carry_over(self, other: Match) -> None:
        """Take over time, score and touches of a match in the same team sizes."""
        self.tick, self.score = other.tick, list(other.score)
        self.touches[:] = other.touches

    def moment(self) -> MatchFrame:
        """As it is now."""
        return moment_of(
            self.state,
            tick=self.tick,
            names=self.names,
            score=(self.score[0], self.score[1]),
            goal=self._goal if self.tick - self._goal_tick < GOAL_TICKS else 0,
            controls=self._controls[self._playing[0]],
            touches=self.touches,
            trail=tuple(self._trail),
        )

    def _play_one(self) -> None:
        state, playing = self.state, self._playing
        tick = int(state.tick[0])
        chosen = [(side, side.take_turn(tick, playing[0])) for side in self._sides]
        for side, rows in chosen:  # only now: both players see what was chosen before
            if rows is not None:
                self._previous[0, side.cars] = self._controls[rows]
        self._arena.step(playing)
        self.tick += 1
        for side in self._sides:
            side.view.add()
        self._note(state)
        if state.goal[0]:
            self._count_goal(int(state.goal[0]))

    def _note(self, state: GameState) -> None:
        """Touches and the ball's trail."""
        touching = state.touches[0] > 0
        if touching.any():
            self.touches += touching & (self.tick - self._touched_at > TOUCH_GAP)
            self._touched_at[touching] = self.tick
        if self.tick % TRAIL_TICKS == 0:
            x, y, z = state.ball_position[0].tolist()
            self._trail.append((x, y, z))

    def _count_goal(self, goal: int) -> None:
        self.score[0 if goal > 0 else 1] += 1
        self._goal, self._goal_tick = goal, self.tick
        self._kick_off()

    def _kick_off(self) -> None:
        self._arena.reset([0], [self._reset.sample(self._rng, *self._teams)])
        self._playing.fill(len(self._controls) - 1)
        self._previous.fill(0)
        self._trail.clear()
        for side in self._sides:
            side.begin()
