"""What holds of ratings whatever was played."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.league.games import Game, append, read
from rltui.league.ratings import Ratings, fit
from tests.fakes.leagues import PLAYERS, game, swapped

FEW = settings(max_examples=60, deadline=None)
PAIRS = st.lists(st.sampled_from(PLAYERS), min_size=2, max_size=2, unique=True)
GOALS = st.integers(0, 3)
PLAYED = st.lists(st.builds(lambda pair, a, b: game(*pair, a, b), PAIRS, GOALS, GOALS), max_size=30)
# Few seeds and times, so that games are played again, copied and joined.
REPEATED = st.lists(
    st.builds(
        lambda pair, a, b, time, seed: game(*pair, a, b, time, seed),
        PAIRS, GOALS, GOALS, st.sampled_from([1.0, 2.0]), st.integers(0, 2),
    ),
    max_size=30,
)  # fmt: skip


def bits(ratings: Ratings) -> object:
    players = [rating.player for rating in ratings.table]
    return ratings.table, [ratings.difference(a, b) for a in players for b in players]


@FEW
@given(PLAYED | REPEATED, st.randoms(use_true_random=False))
def test_order_sides_and_a_restart_change_no_bit(played: list[Game], random: object) -> None:
    expected = bits(fit(played))
    other = [swapped(one) if random.random() < 0.5 else one for one in played]
    random.shuffle(other)
    assert bits(fit(other)) == expected
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.csv"
        for one in other[:5]:
            append(path, one)
        assert bits(fit([*read(path).games, *other[5:]])) == expected


@FEW
@given(PLAYED, PAIRS)
def test_a_win_lowers_nobody_who_won_and_raises_nobody_who_lost(played: list[Game], pair: list[str]) -> None:
    winner, loser = pair
    before, after = fit(played), fit([*played, game(winner, loser)])
    assert after.of("rule").elo == 1500.0
    if winner in before:
        assert after.of(winner).elo >= before.of(winner).elo - 1e-6
    if loser in before:
        assert after.of(loser).elo <= before.of(loser).elo + 1e-6
    if winner in before and loser in before:
        assert after.difference(winner, loser).elo > before.difference(winner, loser).elo - 1e-6


@FEW
@given(PLAYED, PAIRS)
def test_a_game_makes_nothing_less_sure_of_two_who_drew(played: list[Game], pair: list[str]) -> None:
    """Of equals: a result that is no surprise adds information."""
    level = [one for played_one in played for one in (played_one, swapped_result(played_one))]
    before, after = fit(level), fit([*level, game(*pair, 1, 1)])
    if pair[0] in before and pair[1] in before:
        assert after.difference(*pair).error < before.difference(*pair).error
        assert after.difference(*pair).elo == before.difference(*pair).elo


def swapped_result(played: Game) -> Game:
    """As often won as lost: all are equal."""
    return game(played.a, played.b, played.goals_b, played.goals_a)


@FEW
@given(PLAYED)
def test_expected_and_played_scores_add_up(played: list[Game]) -> None:
    """The likelihood's own condition: for each player, points won are points expected, the virtual draw's among them."""
    ratings = fit(played)
    for rating in ratings.table:
        if rating.player == "rule":
            continue
        others = [other.player for other in ratings.table if other.player != rating.player]
        pairs = [ratings.difference(rating.player, other) for other in others]
        virtual = ratings.difference(rating.player, "rule").expected_score
        expected = sum(pair.between.games * pair.expected_score for pair in pairs) + virtual
        points = rating.record.wins + rating.record.draws / 2 + 0.5
        assert abs(points - expected) < 1e-6
