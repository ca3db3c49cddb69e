"""Ratings against arithmetic by hand, outside judges, and leagues whose true strengths are known."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import choix
import numpy as np
import pytest
from openskill.models import BradleyTerryFull

from rltui.events.game_record import ELO, GameRecord
from rltui.league import ratings as ratings_module
from rltui.league.ratings import (
    LEAST_GAMES,
    MOST_MORE,
    EloDifference,
    Ratings,
    Tally,
    decide,
    fit,
    fit_tally,
    tally_of,
)
from tests.fakes.leagues import PLAYERS, game, games, played_league, swapped

A, B = "alpha@1000000#00000001", "beta@1000000#00000003"
WON = [*games(A, "rule", 11, 4, 5), *games(B, "rule", 2, 1, 9), *games(A, B, 6, 2, 1), *games(B, "chaser", 7)]


def elo_of(share: float) -> float:
    return 400 * math.log10(share / (1 - share))


def test_one_player_by_hand() -> None:
    """(11 + 4/2 + the virtual ½) of 21 games."""
    share, found = 13.5 / 21, fit(games(A, "rule", 11, 4, 5)).of(A)
    assert found.elo == pytest.approx(1500 + elo_of(share))
    assert found.error == pytest.approx(ELO / math.sqrt(21 * share * (1 - share)))
    assert found.record == GameRecord(11, 4, 5, 11 + 8, 8 + 15)
    assert found.record.score == pytest.approx(0.65)


def test_two_players_who_met_the_anchor_alone_by_hand() -> None:
    found = fit([*games(A, "rule", 15, 0, 5), *games("rule", B, 12, 0, 8)])
    difference = found.difference(A, B)
    assert difference.elo == pytest.approx(elo_of(15.5 / 21) - elo_of(8.5 / 21))
    assert difference.error == pytest.approx(math.hypot(found.of(A).error, found.of(B).error))
    assert (difference.between, difference.fewest, difference.connected) == (GameRecord(), 20, True)
    assert difference.low == pytest.approx(difference.elo - 1.96 * difference.error)
    assert difference.expected_score == pytest.approx(1 / (1 + 10 ** (-difference.elo / 400)))
    assert found.difference(B, A).elo == -difference.elo


def test_a_difference_is_surer_than_two_ratings_that_share_their_doubt() -> None:
    """Both were measured by each other; how far they are from the anchor is the same unknown."""
    found = fit([*games(A, "rule", 2, 0, 2), *games(A, B, 50, 0, 50)])
    assert found.of(A).error > 130
    assert found.of(B).error > 130
    assert found.difference(A, B).error < 50


def test_the_anchor_stays_and_stands_there_without_games() -> None:
    for played in ([], WON, games(A, B, 3)):
        anchor = fit(played).of("rule")
        assert (anchor.elo, anchor.error, anchor.connected) == (1500.0, 0.0, True)
    other = fit(WON, anchor="chaser")
    assert other.of("chaser").elo == 1500.0
    assert "rule" in other


def test_unbeaten_and_beaten_players_are_finite() -> None:
    best, anchor, worst = fit([*games(A, "rule", 200), *games(B, "rule", losses=200)]).table
    assert (best.player, anchor.player, worst.player) == (A, "rule", B)
    assert best.elo == pytest.approx(1500 + elo_of(200.5 / 201))
    assert best.elo + worst.elo == pytest.approx(3000)


def test_whom_no_games_lead_to_the_anchor_is_said_to_be_apart() -> None:
    found = fit([*games(A, B, 5, 0, 3), *games("chaser", "rule", 2, 0, 2)])
    assert {rating.player: rating.connected for rating in found.table} == {
        A: False,
        B: False,
        "chaser": True,
        "rule": True,
    }
    assert (found.of(A).elo + found.of(B).elo) / 2 == pytest.approx(1500)
    assert found.of(A).error > 200
    assert found.difference(A, B).connected
    assert not found.difference(A, "chaser").connected


def test_a_game_against_oneself_says_nothing() -> None:
    assert fit([*WON, game(A, A), game("idle", "idle")]).table == fit(WON).table


def test_the_same_games_again_add_nothing(subtests: pytest.Subtests) -> None:
    """Two legs of each seed, the earliest; whoever is called A, in any order, copied or played anew."""
    legs = [game(A, B, 3, 1, 10.0, seed=7), game(A, B, 0, 0, 10.0, seed=7), *games(A, "rule", 3, 0, 2)]
    again = [game(A, B, 3, 1, 20.0, seed=7), game(A, B, 0, 0, 20.0, seed=7)]
    otherwise = [game(A, B, 0, 5, 30.0, seed=7)]
    for name, more in {
        "copied lines": legs,
        "copied twice": legs[:2] * 2,
        "played again": again,
        "called the other way": [swapped(one) for one in again],
        "sampled anew": otherwise,
        "all": [*again, *legs[:2], *otherwise],
    }.items():
        with subtests.test(name):
            for played in ([*legs, *more], [*more, *legs], [*reversed(more), *reversed(legs)]):
                found = fit(played)
                if (
                    name != "copied lines"
                ):  # of a player and the anchor, too, each seed has one game, so a copy is a second leg
                    assert found.games == 7
                    assert found.table == fit(legs).table
                assert found.difference(A, B).between == GameRecord(1, 1, 0, 3, 1)
    drawn = [game(A, B, 1, 1, 10.0, seed=7)] * 2
    assert fit(drawn * 3).difference(A, B).between == GameRecord(draws=2, goals_for=2, goals_against=2)


def test_a_live_table_is_the_ladder() -> None:
    tally = Tally()
    for number, played in enumerate(WON, 1):
        tally.add(played)
        if number % 10 == 0:
            assert fit_tally(tally).table == fit(WON[:number]).table


def choix_ratings(tally: Tally, players: list[str]) -> list[float]:
    """Each win twice, each draw once each way; the virtual draw too."""
    place = {player: number for number, player in enumerate(players)}
    data = []
    for (a, b), record in tally.pairs.items():
        one, other = place[a], place[b]
        data += [(one, other)] * (2 * record.wins + record.draws) + [(other, one)] * (2 * record.losses + record.draws)
    anchor = place["rule"]
    data += [pair for other in place.values() if other != anchor for pair in ((other, anchor), (anchor, other))]
    found = choix.opt_pairwise(len(players), data, tol=1e-9)
    return [1500 + ELO * (strength - found[anchor]) for strength in found]


def test_choix_says_the_same(subtests: pytest.Subtests) -> None:
    leagues = {
        "draws, few games": tally_of(WON),
        "unbeaten": tally_of([*games(A, "rule", 30), *games(B, A, 3, 1, 20), *games(B, "chaser", 1, 1)]),
        "apart": tally_of([*games(A, B, 5, 0, 3), *games("chaser", "rule", 2, 0, 2)]),
        "a league": played_league(np.linspace(1100, 1900, 9).tolist(), 12, seed=3),
    }
    for name, tally in leagues.items():
        with subtests.test(name):
            found = fit_tally(tally)
            players = [rating.player for rating in found.table]
            expected = choix_ratings(tally, players)
            assert [rating.elo for rating in found.table] == pytest.approx(expected, abs=0.1)


def test_openskill_orders_them_alike() -> None:
    """It learns game by game, in one random order; Spearman's coefficient."""
    tally = played_league(np.random.default_rng(5).normal(1500, 250, 12).tolist(), 16, seed=5)
    played = [pair for (a, b), r in tally.pairs.items() for pair in [(a, b)] * r.wins + [(b, a)] * r.losses]
    model = BradleyTerryFull()
    skill = {player: model.rating() for player in tally.games_of()}
    for winner, loser in np.random.default_rng(0).permutation(np.array(played)):
        (skill[winner],), (skill[loser],) = model.rate([[skill[winner]], [skill[loser]]])
    found = fit_tally(tally)
    players = sorted(skill)
    ranks = [
        np.argsort(np.argsort(values))
        for values in zip(*((found.of(p).elo, skill[p].mu) for p in players), strict=True)
    ]
    assert np.corrcoef(*ranks)[0, 1] >= 0.95


def test_standard_errors_are_those_of_repeated_leagues() -> None:
    """Deviations in units of the standard error have a spread of 1, and 95 % of the intervals hold the truth."""
    true = [1500.0, 1350.0, 1450.0, 1550.0, 1600.0, 1750.0]
    ratings, differences = [], []
    for seed in range(150):
        found = fit_tally(played_league(true, 30, seed))
        players = sorted(rating.player for rating in found.table if rating.player != "rule")
        ratings += [(found.of(p).elo - t) / found.of(p).error for p, t in zip(players, true[1:], strict=True)]
        pair = found.difference(players[0], players[4])
        differences.append((pair.elo - (true[1] - true[5])) / pair.error)
    for deviations in (np.array(ratings), np.array(differences)):
        assert 0.85 < deviations.std() < 1.15
        assert 0.91 < (np.abs(deviations) < 1.96).mean() < 0.99
        assert abs(deviations.mean()) < 0.25


def between(elo: float, error: float, fewest: int = 100, connected: bool = True) -> EloDifference:
    return EloDifference(A, B, elo, error, GameRecord(), fewest, connected)


def test_nothing_is_decided_too_early(subtests: pytest.Subtests) -> None:
    for difference, words in [
        (between(100, 50), "better"),
        (between(-100, 50), "worse"),
        (between(97.9, 50), "not decided: 1 more game"),
        (between(500, 50, fewest=LEAST_GAMES - 7), "not decided: 7 more games"),
        (between(1, 300, fewest=1), "not decided: 19 more games"),
        (between(97, 50, fewest=19), "not decided: 2 more games"),
        (between(500, 50, connected=False), "not decided: 20 more games"),
        (between(0, 50), "not decided: alike, more than 1,000 more games"),
        (between(5, 20), "not decided: alike, more than 1,000 more games"),
        (between(0, 0), "not decided: alike, more than 1,000 more games"),
    ]:
        with subtests.test(difference=difference):
            assert decide(difference).words == words


def test_so_many_more_games_do_decide(subtests: pytest.Subtests) -> None:
    """Where they go as those before them did."""
    for wins, losses in [(14, 10), (24, 16), (30, 21)]:
        with subtests.test(wins=wins):
            decision = decide(fit(games(A, "rule", wins, 0, losses)).difference(A, "rule"))
            assert decision.outcome == "not decided"
            assert decision.more is not None
            assert 5 < decision.more < MOST_MORE
            for more, outcome in ((round(decision.more * 1.1), "better"), (round(decision.more * 0.9), "not decided")):
                half_points = round(2 * more * decision.difference.expected_score)
                added = games(A, "rule", half_points // 2, half_points % 2, more - (half_points + 1) // 2)
                after = fit([*games(A, "rule", wins, 0, losses), *added]).difference(A, "rule")
                assert decide(after).outcome == outcome, more


def test_of_too_many_players_those_with_most_games_are_rated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings_module, "MOST_PLAYERS", 3)
    found = fit([*games(A, "rule", 3), *games(B, A, 2), *games("chaser", B, 1), *games("idle", "random", 1)])
    assert {rating.player for rating in found.table} == {"rule", A, B}
    assert found.left_out == 3


def test_no_league_is_too_odd(subtests: pytest.Subtests) -> None:
    """Long chains of whom beat whom, circles, stars of thousands of games: finite, without a warning."""
    names = [f"p{number:03}" for number in range(60)]
    chain = list(pairwise(names))
    leagues = {
        "a chain apart": chain,
        "a chain from the anchor": [("rule", names[0]), *chain],
        "a chain to the anchor": [*chain, (names[-1], "rule")],
        "a circle": [*chain, (names[-1], names[0])],
        "a star": [(names[0], other) for other in names[1:]],
    }
    for name, pairs in leagues.items():
        for wins in (1, 700, 100_000):
            with subtests.test(name, wins=wins), warnings.catch_warnings():
                warnings.simplefilter("error")
                tally = Tally(
                    {(min(p), max(p)): GameRecord(wins) if p[0] < p[1] else GameRecord(losses=wins) for p in pairs}
                )
                found = fit_tally(tally)
                assert all(math.isfinite(rating.elo) and math.isfinite(rating.error) for rating in found.table)
                if name != "a circle":
                    assert all(found.difference(a, b).elo > -1e-6 for a, b in pairs)


def test_names_without_games_have_no_rating() -> None:
    found: Ratings = fit(WON)
    assert "idle" not in found
    assert set(PLAYERS) - {rating.player for rating in found.table} == {PLAYERS[3]}
    with pytest.raises(KeyError):
        found.of("idle")
