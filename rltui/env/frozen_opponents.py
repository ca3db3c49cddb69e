"""FrozenOpponents: other players in a batch's arenas, drawn anew for each episode. Nothing that they do is learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rltui.env.saved_player import NOISE_SIZE, SavedPlayer
from rltui.env.spec import EnvSpec
from rltui.env.stats import NewGoals
from rltui.env.step import StepOut
from rltui.errors import RltuiError
from rltui.events.game_record import GameRecord
from rltui.opponents.base import ScriptedPlayer, choice_of, controls_of
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, saved_game
from rltui.registry import Component, build
from rltui.sim.state import Bool, Float, GameState, Int

FROZEN = 0x0F  # sets their random numbers apart from the arenas'

BY_WORKER = 255  # in `player`: an opponent that the worker evaluates
ORANGE = 1  # in `state.team`
STAND_IN = "chaser"  # plays orange where a frozen opponent has to, and none can

Places: TypeAlias = tuple[Int, Int]  # arenas and cars, [n] each
Loaded: TypeAlias = SavedPolicy | ScriptedPlayer | int  # the number by which the trainer evaluates it

NO_SEATS: Places = (np.zeros(0, np.int64), np.zeros(0, np.int64))


@dataclass(frozen=True)
class OpponentSource:
    """Where an opponent comes from. path: of its policy.npz; empty: the name is a scripted player's. number: by which the
    trainer evaluates it, 1 to 254; 0: the worker does.
    """

    name: str
    path: str = ""
    number: int = 0

    def load(self) -> Loaded:
        """RltuiError where it cannot be had."""
        if self.number:
            return self.number
        if self.path:
            return load_policy(Path(self.path))
        player: ScriptedPlayer = build("player", Component(self.name))
        return player


@dataclass(frozen=True)
class LearnersGame:
    """The game that the learner's policy plays: an opponent of the same one sees what the learner sees."""

    spec: EnvSpec
    table_hash: str
    obs_size: int
    rows: int  # of the controls that the learner may play: an opponent's own stand behind them

    def check_pace(self, policy: SavedPolicy) -> None:
        """RltuiError where it has learned to choose at other times: all cars of a batch choose at once."""
        own, its = ((game.tick_skip, game.action_delay_ticks) for game in (self.spec, policy))
        if own != its:
            raise RltuiError(
                f"it chooses every {its[0]} ticks, {its[1]} late, and this run every {own[0]}, {own[1]} late",
                "only players of the same tick_skip and action_delay_ticks can take part",
            )

    def plays(self, policy: SavedPolicy) -> bool:
        """Whether the policy sees the same numbers and chooses among the same rows."""
        game = saved_game(policy)
        return (
            self.spec.as_saved(game) == self.spec
            and policy.table_hash == self.table_hash
            and policy.obs_size == self.obs_size
        )


def check_can_play(policy: SavedPolicy, spec: EnvSpec) -> None:
    """RltuiError where it cannot take a side of this game."""
    LearnersGame(spec, "", 0, 0).check_pace(policy)
    SavedPlayer(policy, (spec.blue, spec.orange), 1, [0])


class _Opponent:
    """Loaded opponent. network: where it plays the learner's own game; else `player`, with controls of its own; neither: the trainer
    chooses for it.
    """

    def __init__(self, name: str, loaded: Loaded, game: LearnersGame, arenas: int, seed: Sequence[int]) -> None:
        """RltuiError where it cannot play here."""
        self.name, self.loaded = name, loaded
        self.network: DiscretePolicy | None = None
        self.player: SavedPlayer | ScriptedPlayer | None = None
        self.controls: Float = np.zeros((0, 8), np.float32)
        self.start = 0  # of these controls behind the learner's
        self.seats: Places = NO_SEATS
        teams = (game.spec.blue, game.spec.orange)
        self.evaluated_by = loaded if isinstance(loaded, int) else BY_WORKER
        if isinstance(loaded, ScriptedPlayer):
            self.player, self.controls = loaded, controls_of(loaded)
        elif not isinstance(loaded, int):
            game.check_pace(loaded)
            if game.plays(loaded):
                self.network = loaded.network(arenas * sum(teams))
            else:
                self.player = SavedPlayer(loaded, teams, arenas, seed)
                self.controls = self.player.controls

    def is_same(self, loaded: Loaded) -> bool:
        return self.loaded == loaded if isinstance(loaded, int) else self.loaded is loaded

    def begin(self, state: GameState, arenas: Bool) -> None:
        """Episodes begin in these arenas (mask [K])."""
        if isinstance(self.player, SavedPlayer):
            self.player.begin(state, arenas)

    def act(self, state: GameState, rng: np.random.Generator) -> Int | None:
        """Rows of all controls, the learner's first, for its cars; None where it has none of its own."""
        if self.player is None:
            return None
        if isinstance(self.player, SavedPlayer):
            return self.player.act(state, self.seats) + self.start
        return choice_of(self.player, len(self.controls), state, self.seats, rng) + self.start


class FrozenOpponents:
    """For arenas in which the learner plays both sides, until there are opponents: each episode that then begins is one against
    one of them, who plays blue or orange, as likely. Who plays does not change within an episode.

    Where the spec leaves orange to them they play nothing else, and somebody plays from the first `set_opponents` on (STAND_IN).
    """

    def __init__(self, game: LearnersGame, state: GameState, first: int, seed: Sequence[int]) -> None:
        """state: of the whole batch. first: of the arenas in which they may play, up to the last."""
        here = slice(first, state.arenas)
        self._game, self._state, self._seed = game, state.part(here), (*seed, FROZEN)
        self._here, self._orange_only = here, game.spec.frozen_orange
        self._rng = np.random.default_rng(np.random.SeedSequence(self._seed))
        self._noise = GumbelBank(self._seed, NOISE_SIZE if self._state.arenas else 0)
        self._who: Int = np.zeros((self._state.arenas, state.cars), np.int64)  # numbers of opponents; 0: the learner
        # [K, learners] of the whole batch. 0: the learner; BY_WORKER; else the number by which the trainer evaluates it
        self.player = np.zeros((state.arenas, game.spec.learners), np.uint8)
        self._numbered: dict[int, _Opponent] = {}
        self._drawn_from: list[int] = []  # their numbers
        self._last = 0
        self._playing: list[_Opponent] = []
        # of those of the learner's game, with their rows of `_seen`: observations and legality classes in `_seats_of_networks`
        self._networks: list[tuple[DiscretePolicy, slice]] = []
        self._seats_of_networks: Places = NO_SEATS
        self._seen = np.zeros((0, game.obs_size), np.float32), np.zeros(0, np.uint8)
        self._new_goals = NewGoals(self._state)
        self._score: Int = np.zeros((self._state.arenas, 2), np.int64)  # of the running episodes, blue and orange
        self._against: dict[str, GameRecord] = {}

    def set_opponents(self, opponents: Mapping[str, Loaded]) -> dict[str, str]:
        """Draw from these, by name, from the next episodes on. Returns why some cannot play here, by name."""
        refused: dict[str, str] = {}
        self._drawn_from = []
        if not len(self._who):
            return refused
        for name, loaded in opponents.items():
            try:
                self._drawn_from.append(self._number(name, loaded))
            except RltuiError as error:
                refused[name] = error.message
        if self._orange_only and not self._drawn_from:
            self._drawn_from.append(self._number(STAND_IN, build("player", Component(STAND_IN))))
        kept = {*self._drawn_from, *np.unique(self._who).tolist()}
        self._numbered = {number: opponent for number, opponent in self._numbered.items() if number in kept}
        start = self._game.rows
        for opponent in self._numbered.values():
            opponent.start = start
            start += len(opponent.controls)
        return refused

    def _number(self, name: str, loaded: Loaded) -> int:
        """Its own if it is here already. RltuiError where it cannot play here."""
        for number, opponent in self._numbered.items():
            if opponent.name == name and opponent.is_same(loaded):
                return number
        self._last += 1
        self._numbered[self._last] = _Opponent(name, loaded, self._game, len(self._who), (*self._seed, self._last))
        return self._last

    @property
    def playing(self) -> list[str]:
        """Those of running episodes, by name."""
        return [opponent.name for opponent in self._playing]

    @property
    def controls(self) -> list[Float]:
        """What stands behind the learner's, after `set_opponents`."""
        return [opponent.controls for opponent in self._numbered.values()]

    def begin(self, arenas: Int) -> None:
        """Draw who plays the new episodes of these arenas (indices); the state shows their first moment."""
        arenas = arenas[arenas >= self._here.start] - self._here.start
        if not len(arenas):
            return
        begun = np.zeros(len(self._who), np.bool_)
        begun[arenas] = True
        for arena in arenas.tolist():
            self._who[arena] = 0
            if self._drawn_from:
                number = self._drawn_from[int(self._rng.integers(len(self._drawn_from)))]
                side = ORANGE if self._orange_only else self._rng.integers(2)
                self._who[arena, self._state.team == side] = number
        self._score[arenas] = 0
        self._new_goals.begin(arenas)
        self.player[self._here] = 0
        self._playing = []
        for number, opponent in self._numbered.items():
            arenas_of, cars = np.nonzero(self._who == number)
            if len(cars):
                opponent.seats = arenas_of, cars
                self.player[self._here][opponent.seats] = opponent.evaluated_by
                self._playing.append(opponent)
                opponent.begin(self._state, begun)
        self._seat_networks()

    def _seat_networks(self) -> None:
        theirs = [(opponent.network, opponent.seats) for opponent in self._playing if opponent.network is not None]
        if theirs:
            arenas, cars = zip(*(seats for _, seats in theirs), strict=True)
            self._seats_of_networks = np.concatenate(arenas), np.concatenate(cars)
        edges = np.cumsum([0, *(len(seats[0]) for _, seats in theirs)]).tolist()
        self._networks = [(network, slice(*rows)) for (network, _), rows in zip(theirs, pairwise(edges), strict=True)]

    def observe(self, out: StepOut) -> None:
        """Take what the learner would see in their seats, and write who plays."""
        if self._networks:
            seats = self._seats_of_networks
            self._seen = out.obs[self._here][seats], out.legality[self._here][seats]
        if out.player is not None:
            np.copyto(out.player, self.player)

    def choose(self, actions: Int) -> Int:
        """The learner's choices [K, C], but where somebody plays who chooses from the same table: theirs."""
        if not self._networks:
            return actions
        obs, classes = self._seen
        logits = [network.logits(obs[rows], classes[rows]) for network, rows in self._networks]
        noise = self._noise.next(len(obs), logits[0].shape[1])  # for all at once: a call costs more than its numbers
        chosen = actions.copy()
        chosen[self._here][self._seats_of_networks] = (np.concatenate(logits) + noise).argmax(axis=1)
        return chosen

    def play(self, rows: Int) -> Int:
        """The rows of controls [K, C] that the learner would play, but where somebody plays who has controls of his own: theirs."""
        played = rows
        for opponent in self._playing:
            theirs = opponent.act(self._state, self._rng)
            if theirs is not None:
                played = rows.copy() if played is rows else played
                played[self._here][opponent.seats] = theirs
        return played

    def step(self) -> None:
        """Count one step."""
        for arena in self._new_goals.step():
            self._score[arena, 0 if self._state.goal[arena] > 0 else 1] += 1

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended."""
        for arena in (arenas[arenas >= self._here.start] - self._here.start).tolist():
            who = self._who[arena]
            if who.any():
                name, mine = self._numbered[int(who.max())].name, int(self._state.team[who.argmin()])
                result = GameRecord.of(*self._score[arena, [mine, 1 - mine]].tolist())
                self._against[name] = self._against.get(name, GameRecord()) + result

    def drain(self) -> dict[str, GameRecord]:
        """Episodes against each of them that have ended since the last drain, by name."""
        found, self._against = self._against, {}
        return found
