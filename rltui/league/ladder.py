"""Ladder: the table of rated players, what each game log says of them, and which milestones lack games."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rltui.events.game_record import ANCHOR_ELO, LEAST_GAMES, GameRecord
from rltui.formatting import exact
from rltui.league.games import Games, RunPlayer, is_starter, run_player
from rltui.league.ratings import Decision, Rating, Ratings, decide, fit
from rltui.runs.best import read_ratings, write_ratings
from rltui.runs.inventory import list_milestones
from rltui.runs.near_clones import NearClones, clones_of, like_words, read_near_clones
from rltui.runs.paths import DataDir

WHOLE_GAME = 300.0  # seconds


@dataclass(frozen=True)
class LadderRow:
    """One player. than_next: whether it is better than the one below it; None of the last that is rated.

    near: choices that differ, and timesteps, of the state of its run that it is the nearest near-clone of.
    """

    rank: int | None  # from 1, among those shown; None where it is not rated
    rating: Rating
    of_run: RunPlayer | None
    against_anchor: GameRecord
    than_next: Decision | None
    near: tuple[float, int] | None = None

    @property
    def near_words(self) -> str:
        """`like 12.5 M, 3 % of choices differ`; empty where it is no near-clone."""
        return "" if self.near is None else like_words(exact(self.near[1]), self.near[0])

    def document(self) -> dict[str, Any]:
        """As `rltui ladder --json` has it."""
        record, there = self.rating.record, self.against_anchor
        return {
            "rank": self.rank,
            "player": self.rating.player,
            "run": self.of_run.run if self.of_run else None,
            "timesteps": self.of_run.timesteps if self.of_run else None,
            "elo": self.rating.elo if self.rating.connected else None,
            "elo_interval": [self.rating.low, self.rating.high] if self.rating.connected else None,
            "standard_error": self.rating.error if self.rating.connected else None,
            "connected": self.rating.connected,
            "games": record.games,
            "wins": record.wins,
            "draws": record.draws,
            "losses": record.losses,
            "goals_for": record.goals_for,
            "goals_against": record.goals_against,
            "games_against_anchor": there.games,
            "score_against_anchor": there.score,
            "than_next": None if self.than_next is None else _decision(self.than_next),
            "near_clone": None
            if self.near is None
            else {"timesteps": self.near[1], "choices_that_differ": self.near[0]},
        }


@dataclass(frozen=True)
class Ladder:
    """rows: the best first; without games of players to show, none. missing: milestones without games, `alpha/Phase1-A/005M`.

    ratings: of all players, also those not shown.
    """

    anchor: str
    games: int  # between the players shown
    rated_by: int  # games of all players
    rows: tuple[LadderRow, ...]
    milestones: int  # of the runs shown
    missing: tuple[str, ...]
    notices: tuple[str, ...]
    ratings: Ratings = field(compare=False)

    def document(self) -> dict[str, Any]:
        return {
            "anchor": self.anchor,
            "anchor_elo": ANCHOR_ELO,
            "games": self.games,
            "rated_by": self.rated_by,
            "players": [row.document() for row in self.rows],
            "milestones": self.milestones,
            "milestones_without_games": list(self.missing),
            "notices": list(self.notices),
        }


def build_ladder(data: DataDir, games: Games, run: str | None = None) -> Ladder:
    """Of all players, or those of one run and those that come with rltui; rated by all games in either case."""
    ratings = fit(games.games)
    shown = [rating for rating in ratings.table if _is_shown(rating, run)]
    of_runs = {rating.player: run_player(rating.player) for rating in shown}
    runs = sorted({found.run for found in of_runs.values() if found is not None}) if run is None else [run]
    clones = {name: read_near_clones(data.run(name)) for name in runs}
    played = {(found.run, found.timesteps) for found in of_runs.values() if found is not None}
    milestones = [(name, info) for name in runs for info in list_milestones(data.run(name)) if info.usable]
    missing = [f"{name}/{info.address}" for name, info in milestones if (name, info.timesteps) not in played]
    no_rows = not any(found for found in of_runs.values()) if run else not ratings.games
    return Ladder(
        ratings.anchor,
        ratings.games_between({rating.player for rating in shown}),
        ratings.games,
        () if no_rows else tuple(_rows(ratings, shown, clones)),
        len(milestones),
        tuple(missing),
        (*games.notices(), *_of_games(games, ratings), *_of_players(ratings, shown)),
        ratings,
    )


def lower_end(rating: Rating) -> float | None:
    """Of the 95 % interval of its Elo; None before LEAST_GAMES games, and where none lead to the anchor."""
    enough = rating.connected and rating.record.games >= LEAST_GAMES
    return rating.low if enough else None


def rated_states(ratings: Ratings) -> dict[str, dict[int, float]]:
    """By run, timesteps and lower end of its states for which there is one."""
    found: dict[str, dict[int, float]] = {}
    for (run, timesteps), rating in ratings.of_states.items():
        if (low := lower_end(rating)) is not None:
            found.setdefault(run, {})[timesteps] = low
    return found


def keep_ratings(data: DataDir, ratings: Ratings) -> None:
    """For pruning, and for what names the best by games: of each run, what all games say. Whoever has games recorded calls it."""
    for run, states in rated_states(ratings).items():
        paths = data.run(run)
        if paths.folder.is_dir() and read_ratings(paths) != states:
            with contextlib.suppress(OSError):  # a full disk: the ratings before count, or the reward
                write_ratings(paths, states)


def _is_shown(rating: Rating, run: str | None) -> bool:
    if run is None:
        return True
    found = run_player(rating.player)
    if found is not None:
        return found.run == run
    return "#" not in rating.player or is_starter(rating.player)


def _rows(ratings: Ratings, shown: Sequence[Rating], clones: Mapping[str, NearClones]) -> list[LadderRow]:
    rows = []
    states = [run_player(rating.player) for rating in shown]
    for number, rating in enumerate(shown):
        below = [other for other in shown[number + 1 : number + 2] if other.connected]
        rows.append(
            LadderRow(
                number + 1 if rating.connected else None,
                rating,
                state := states[number],
                ratings.between(rating.player, ratings.anchor),
                decide(ratings.difference(rating.player, below[0].player)) if below else None,
                _nearest(state, states, clones),
            )
        )
    return rows


def _nearest(
    state: RunPlayer | None, states: Iterable[RunPlayer | None], clones: Mapping[str, NearClones]
) -> tuple[float, int] | None:
    if state is None:
        return None
    others = {other.timesteps for other in states if other is not None and other.run == state.run}
    return next(iter(clones_of(clones[state.run], state.timesteps, others)), None)


def _of_games(games: Games, ratings: Ratings) -> list[str]:
    said = []
    if passed_over := sum(game.a != game.b for game in games.games) - ratings.games:
        what = "1 game is" if passed_over == 1 else f"{passed_over:,} games are"
        said.append(f"{what} not counted: the same players and seed as others")
    if short := sum(game.seconds < WHOLE_GAME for game in games.games):
        what = "1 game is" if short == 1 else f"{short:,} of the games are"
        said.append(f"{what} shorter than {WHOLE_GAME:g} s: more of these are drawn, which makes players look alike")
    return said


def _of_players(ratings: Ratings, shown: Sequence[Rating]) -> list[str]:
    said = []
    if ratings.left_out:
        said.append(f"{ratings.left_out:,} players with the fewest games are not rated: too many")
    apart = [rating.player for rating in shown if not rating.connected]
    if apart:
        more = f" and {len(apart) - 1} more" if len(apart) > 1 else ""
        verb = "have" if more else "has"
        said.append(f"{apart[0]}{more} {verb} no games that lead to {ratings.anchor}: not rated")
    return said


def _decision(decision: Decision) -> dict[str, Any]:
    difference = decision.difference
    return {
        "player": difference.b,
        "outcome": decision.outcome,
        "more_games": decision.more,
        "elo_difference": difference.elo,
        "elo_interval": [difference.low, difference.high],
        "expected_score": difference.expected_score,
    }
