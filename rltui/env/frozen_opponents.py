"""FrozenOpponents: other players in some of a batch's arenas, drawn anew for each episode. Nothing that they do is learned from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

from rltui.actions.spec import Classes
from rltui.env.saved_player import NOISE_SIZE, SavedPlayer
from rltui.env.spec import EnvSpec, saved_game
from rltui.errors import RltuiError
from rltui.events.game_record import GameRecord
from rltui.opponents.base import ScriptedPlayer
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.registry import Component, build
from rltui.sim.state import Bool, Float, GameState, Int

FROZEN = 0x0F  # sets their random numbers apart from the arenas'

BY_WORKER = 255  # in `player`: an opponent that the worker evaluates

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
            game.put_into(self.spec) == self.spec
            and policy.table_hash == self.table_hash
            and policy.layers[0][0].shape[0] == self.obs_size
        )


class _Opponent:
    """Loaded opponent. network: where it plays the learner's own game; else `player`, with controls of its own, `rows`; neither:
    the trainer chooses for it.
    """

    def __init__(self, name: str, loaded: Loaded, game: LearnersGame, arenas: int, seed: Sequence[int]) -> None:
        """RltuiError where it cannot play here."""
        self.name, self.loaded = name, loaded
        self.network: DiscretePolicy | None = None
        self.player: SavedPlayer | ScriptedPlayer | None = None
        self.seats: Places = NO_SEATS
        teams = (game.spec.blue, game.spec.orange)
        self.evaluated_by = loaded if isinstance(loaded, int) else BY_WORKER
        if isinstance(loaded, ScriptedPlayer):
            self.player = loaded
        elif not isinstance(loaded, int):
            game.check_pace(loaded)
            if game.plays(loaded):
                self.network = loaded.network(arenas * sum(teams))
            else:
                self.player = SavedPlayer(loaded, teams, arenas, seed)
        self.rows: Float = self.player.rows() if self.player is not None else np.zeros((0, 8), np.float32)
        self.start = 0  # of its rows among the controls

    def is_same(self, loaded: Loaded) -> bool:
        return self.loaded == loaded if isinstance(loaded, int) else self.loaded is loaded


class FrozenOpponents:
    """For K arenas in which the learner plays both sides, until it is given opponents: each episode that then begins is one
    against one of them, who plays blue or orange, as likely. Who plays does not change within an episode.
    """

    def __init__(self, game: LearnersGame, state: GameState, seed: Sequence[int]) -> None:
        """state: of these arenas."""
        self._game, self._state, self._seed = game, state, (*seed, FROZEN)
        self._rng = np.random.default_rng(np.random.SeedSequence(self._seed))
        self._noise = GumbelBank(self._seed, NOISE_SIZE)
        shape = (state.arenas, state.cars)
        self._who: Int = np.zeros(shape, np.int64)  # numbers of opponents; 0: the learner
        # 0: the learner; BY_WORKER; else the number by which the trainer evaluates it
        self.player = np.zeros(shape, np.uint8)
        self._obs: Float = np.zeros((*shape, game.obs_size), np.float32)
        self._classes = np.zeros(shape, np.uint8)
        self._numbered: dict[int, _Opponent] = {}
        self._given: list[int] = []  # numbers of those that new episodes draw from
        self._last = 0
        self._playing: list[_Opponent] = []
        self._networks: list[tuple[DiscretePolicy, slice]] = []  # of those of the learner's game, with their rows …
        self._their_seats: Places = NO_SEATS  # … of these seats
        self._goals = _GoalsOfEpisodes(state)
        self._against: dict[str, GameRecord] = {}

    def give(self, opponents: Mapping[str, Loaded]) -> dict[str, str]:
        """Draw from these, by name, from the next episodes on. Returns why some cannot play here, by name."""
        refused = {}
        before = {opponent.name: number for number, opponent in self._numbered.items()}
        self._given = []
        for name, loaded in opponents.items():
            number = before.get(name, 0)
            if not number or not self._numbered[number].is_same(loaded):
                number = self._last = self._last + 1
                try:
                    made = _Opponent(name, loaded, self._game, len(self._who), (*self._seed, number))
                except RltuiError as error:
                    refused[name] = error.message
                    continue
                self._numbered[number] = made
            self._given.append(number)
        kept = {*self._given, *np.unique(self._who).tolist()}
        self._numbered = {number: opponent for number, opponent in self._numbered.items() if number in kept}
        start = self._game.rows
        for opponent in self._numbered.values():
            opponent.start = start
            start += len(opponent.rows)
        return refused

    @property
    def playing(self) -> list[str]:
        """Those of running episodes, by name."""
        return [opponent.name for opponent in self._playing]

    @property
    def rows(self) -> list[Float]:
        """What stands behind the learner's controls, after `give`."""
        return [opponent.rows for opponent in self._numbered.values()]

    def begin(self, arenas: Int) -> None:
        """Draw who plays the new episodes of these arenas (indices); the state shows their first moment."""
        begun = np.zeros(len(self._who), np.bool_)
        begun[arenas] = True
        for arena in arenas.tolist():
            self._who[arena] = 0
            if self._given:
                number = self._given[int(self._rng.integers(len(self._given)))]
                self._who[arena, self._state.team == self._rng.integers(2)] = number
        self._goals.begin(arenas, self._who == 0)
        self.player.fill(0)
        self._playing = []
        for number, opponent in self._numbered.items():
            arenas_of, cars = np.nonzero(self._who == number)
            if len(cars):
                opponent.seats = arenas_of, cars
                self.player[opponent.seats] = opponent.evaluated_by
                self._playing.append(opponent)
                if isinstance(opponent.player, SavedPlayer):
                    opponent.player.reset(self._state, begun)
        self._seat_networks()

    def _seat_networks(self) -> None:
        theirs = [(opponent.network, opponent.seats) for opponent in self._playing if opponent.network is not None]
        if theirs:
            arenas, cars = zip(*(seats for _, seats in theirs), strict=True)
            self._their_seats = np.concatenate(arenas), np.concatenate(cars)
        edges = np.cumsum([0, *(len(seats[0]) for _, seats in theirs)]).tolist()
        self._networks = [(network, slice(*rows)) for (network, _), rows in zip(theirs, pairwise(edges), strict=True)]

    def observed(self, obs: Float, classes: Classes) -> None:
        """What the learner would see of all cars, [K, C, D], and the legality class of each, [K, C]."""
        if self._playing:
            np.copyto(self._obs, obs)
            np.copyto(self._classes, classes)

    def choose(self, actions: Int) -> None:
        """Overwrite the learner's choices [K, C] where somebody plays who chooses from the same table."""
        if not self._networks:
            return
        obs, classes = self._obs[self._their_seats], self._classes[self._their_seats]
        logits = [network.logits(obs[rows], classes[rows]) for network, rows in self._networks]
        noise = self._noise.next(len(obs), logits[0].shape[1])  # for all at once: a call costs more than its numbers
        actions[self._their_seats] = (np.concatenate(logits) + noise).argmax(axis=1)

    def join(self, rows: Int) -> None:
        """Overwrite the rows of controls to be played [K, C] where somebody plays who has controls of his own."""
        for opponent in self._playing:
            player, seats = opponent.player, opponent.seats
            if isinstance(player, SavedPlayer):
                rows[seats] = player.act(self._state, seats) + opponent.start
            elif player is not None:
                rows[seats] = player.act(self._state, seats, self._rng) + opponent.start

    def step(self) -> None:
        """Count one step."""
        self._goals.step()

    def end(self, arenas: Int) -> None:
        """Episodes of these arenas (indices) ended."""
        for arena in arenas.tolist():
            number = int(self._who[arena].max())
            if number:
                name = self._numbered[number].name
                result = GameRecord.of(*self._goals.of(arena))
                self._against[name] = self._against.get(name, GameRecord()) + result

    def drain(self) -> dict[str, GameRecord]:
        """Episodes against each of them that have ended since the last drain, by name."""
        found, self._against = self._against, {}
        return found


class _GoalsOfEpisodes:
    """Goals of the learner and against it in the running episode of each arena. A ball that stays in the net counts once."""

    def __init__(self, state: GameState) -> None:
        self._goal, self._team_sign = state.goal, state.team_sign.astype(np.int8)
        self._sign = np.ones(state.arenas, np.int8)  # of the learner's team, as in `state.goal`
        self._inside: Bool = np.zeros(state.arenas, np.bool_)
        self._any_inside = False
        self._counts: Int = np.zeros((2, state.arenas), np.int64)

    def begin(self, arenas: Int, learn: Bool) -> None:
        self._counts[:, arenas] = 0
        self._inside[arenas] = False
        self._sign[arenas] = self._team_sign[learn[arenas].argmax(axis=1)]

    def step(self) -> None:
        goals = np.count_nonzero(self._goal)
        if not goals and not self._any_inside:
            return
        inside = self._goal != 0
        new = inside > self._inside
        self._counts[0] += new & (self._goal == self._sign)
        self._counts[1] += new & (self._goal == -self._sign)
        self._inside, self._any_inside = inside, bool(goals)

    def of(self, arena: int) -> tuple[int, int]:
        scored, conceded = self._counts[:, arena].tolist()
        return scored, conceded
