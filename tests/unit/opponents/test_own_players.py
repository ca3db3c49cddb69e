"""Scripted players of one's own that give what cannot be played: an error with expected and found, wherever they play."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from rltui.env.seats import Opponents, Seating
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.step import StepOut
from rltui.errors import RltuiError
from rltui.league.match_batch import MatchBatch
from rltui.league.players import ScriptedSide, Seat
from rltui.opponents.base import ScriptedPlayer
from rltui.registry import Component
from rltui.sim.state import Float, GameState, Int, Seats
from tests.fakes.batches import spec
from tests.fakes.game_states import random_state

ROWS = np.zeros((3, 8), np.float32)
BAD_ROWS: Mapping[str, object] = {
    "none": ROWS[:0], "one row alone": ROWS[0], "seven columns": ROWS[:, 1:], "words": np.full((3, 8), "left"),
    "no number": ROWS * np.nan, "beyond": ROWS + 2, "ragged": None,
}  # fmt: skip
BAD_CHOICES: Mapping[str, Callable[[tuple[int, ...]], object]] = {
    "a fraction": lambda shape: np.full(shape, 0.5),
    "floats": lambda shape: np.zeros(shape),
    "no number": lambda shape: np.full(shape, np.nan),
    "yes": lambda shape: np.ones(shape, np.bool_),
    "beyond the last row": lambda shape: np.full(shape, len(ROWS)),
    "before the first row": lambda shape: np.full(shape, -1),
    "one for all": lambda shape: np.zeros(1, np.int64),
    "a car more": lambda shape: np.zeros((*shape[:-1], shape[-1] + 1), np.int64),
    "nothing": lambda shape: None,
}


class Own(ScriptedPlayer):
    """Gives what a test wants; good by itself."""

    given: object = ROWS
    chosen: Callable[[tuple[int, ...]], object] = staticmethod(lambda shape: np.zeros(shape, np.int64))

    def __init__(self, params: ScriptedPlayer.Params | None = None) -> None:
        pass

    def rows(self) -> Float:
        return self.given  # type: ignore[return-value]

    def act(self, state: GameState, seats: Seats, rng: np.random.Generator) -> Int:
        return self.chosen(state.on_ground[seats].shape)  # type: ignore[return-value]


def in_a_match(player: Own) -> None:
    sides = [
        ScriptedSide(each, Seat((2, 2), cars, (0,), arenas=2))
        for each, cars in ((player, slice(0, 2)), (Own(), slice(2, 4)))
    ]
    MatchBatch((sides[0], sides[1]), (2, 2), [[0], [1]]).advance(8)


def in_its_seats(player: Own) -> None:
    opponents = Opponents([player], Seating.alike((0, 1), 2), 90, [0])
    opponents.join(np.zeros((2, 1), np.int64), random_state(np.random.default_rng(0), 2, 1, 1))


def as_an_opponent(player: Own) -> None:
    env = SoccarBatch(spec(opponent=Component("checkpoints")), 2, [3], frozen=2)
    out = StepOut.zeros(2, env.learners, env.obs_size)
    for reason in env.set_opponents({"own": player}).values():
        raise RltuiError(reason)
    env.reset(out)
    env.step(np.zeros((2, env.learners), np.int64), out)


@pytest.mark.parametrize("play", [in_a_match, in_its_seats, as_an_opponent])
def test_what_cannot_be_played_is_said_with_expected_and_found(
    play: Callable[[Own], None], subtests: pytest.Subtests
) -> None:
    play(Own())
    for what, rows in BAD_ROWS.items():
        with subtests.test(rows=what), pytest.raises(RltuiError, match=r"Own\.rows: expected .*, found"):
            player = Own()
            player.given = rows
            play(player)
    for what, chosen in BAD_CHOICES.items():
        with subtests.test(choice=what), pytest.raises(RltuiError, match=r"Own\.act: expected .*, found"):
            player = Own()
            player.chosen = chosen
            play(player)
