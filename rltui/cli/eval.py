"""rltui eval."""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json, at_least
from rltui.cli.playing import (
    OTHER_PLAYERS,
    GamesLog,
    GamesProgress,
    add_processes,
    add_profile,
    add_seconds,
    converter,
    play_match,
    say_line,
)
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.league.evaluation import Evaluation, MatchUp
    from rltui.runs.paths import DataDir

WHO = f"a run (its newest checkpoint), {OTHER_PLAYERS}"
EPILOG = (
    "Games come in pairs with the same kickoffs and the sides swapped, and go into games.csv of the data folder, of which\n"
    "ratings are made; not those with --deterministic, in other teams than A was trained in, or of a bot against itself.\n"
    "The 95 % interval takes the pairs as what is independent.\n"
    "Bots of different pace, observation or actions each play as they were trained.\n"
    "Kickoff touches: the share of kickoffs at which a car of that side touched the ball within 10 s; both sides may.\n"
    "A shot is RocketSim's: 0.3 s after the touch at 1,750 uu/s or more, and in the goal within 2 s. A slower ball that\n"
    "rolls in is a goal without a shot; shots are per car, goals per team."
)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers, "eval", "play games between two bots and tell which is better", "rltui eval my-run chaser", EPILOG
    )
    add = parser.add_argument
    add("a", metavar="A", help=WHO)
    add("b", metavar="B", help="the same")
    add("--games", metavar="N", type=at_least(1), default=100, help="games (default 100)")
    add_seconds(parser)
    add("--team-size", metavar="N", type=int, choices=(1, 2, 3), help="cars per team (default: as A was trained)")
    add(
        "--seed",
        metavar="S",
        type=at_least(0),
        help="of kickoffs and draws: the same games again (default: another each time)",
    )
    add("--deterministic", action="store_true", help="always the most probable action")
    add_processes(parser)
    add("--no-record", action="store_true", help="leave the games out of games.csv")
    add_profile(parser)
    add("--lines", action="store_true", help="a line of JSON now and then with how far it is, the last as --json")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Until all games are played, or Ctrl-C; then what is finished is told. 1 where some are missing."""
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    from rltui.cli.output import json_text
    from rltui.league.evaluation import Evaluation, team_size
    from rltui.runs.paths import data_dir

    data = data_dir(args.data_dir)
    match_up = _match_up(args, data)
    with contextlib.redirect_stdout(sys.stderr):  # what a user's component prints is no part of the result
        match_up.check()
    evaluation = Evaluation(match_up, args.games)
    itself = match_up.a.id == match_up.b.id
    unrated = itself or args.deterministic or match_up.size != team_size(match_up.a, match_up.b)
    if unrated and not args.no_record:
        why = "a bot against itself" if itself else "ratings are of sampled play, in teams as A was trained"
        say(f"rltui: these games are not recorded: {why}", sys.stderr)
    log = GamesLog(None if args.no_record or unrated else data)
    progress = GamesProgress(args.games, match_up.ticks, args.lines)
    stopped = play_match(evaluation, args.workers, args.nice, log, progress)
    if stopped:
        say(f"rltui: interrupted: {len(evaluation.games)} of {args.games} games are finished", sys.stderr)
    if log.problem:
        say(f"rltui: the games are not recorded: {log.problem}", sys.stderr)
    if args.lines:
        say_line(evaluation.document())
        return int(stopped)
    say(json_text(evaluation.document()) if args.json else "\n".join(_lines(evaluation)))
    return int(stopped)


def _match_up(args: argparse.Namespace, data: DataDir) -> MatchUp:
    from rltui.league.evaluation import MatchUp, new_seed, team_size
    from rltui.league.sources import source

    convert = converter(args.profile)
    a = source(args.a, data, convert, lambda state: f"rltui eval {state} {args.b}")
    b = source(args.b, data, convert, lambda state: f"rltui eval {args.a} {state}")
    size = args.team_size or team_size(a, b)
    seed = new_seed() if args.seed is None else args.seed
    return MatchUp(a, b, size, args.seconds, seed, args.deterministic)


def _lines(evaluation: Evaluation) -> list[str]:
    """A table, and a sentence that decides only what is decided."""
    from rltui.cli.output import aligned, number

    up, record = evaluation.match_up, evaluation.record
    how = f"{up.size}v{up.size}, {up.seconds:g} s each, seed {up.seed}" + (
        ", deterministic" if up.deterministic else ""
    )
    lines = [f"A  {evaluation.ids[0]}", f"B  {evaluation.ids[1]}", f"{record.games:,} games, {how}"]
    if not record.games:
        return [*lines, "", "No game is finished."]
    rows = [
        ["", "A", "B"],
        ["won", number(record.wins), number(record.losses)],
        ["drawn", number(record.draws), number(record.draws)],
        ["goals", number(record.goals_for), number(record.goals_against)],
        *_figures(evaluation),
    ]
    return [*lines, "", *aligned(rows, right=frozenset({1, 2})), "", *_verdict(evaluation)]


def _figures(evaluation: Evaluation) -> list[list[str]]:
    """A row for each metric of play, A's and B's."""
    from rltui.cli.output import number
    from rltui.events import metric_keys

    shown = (
        ("kickoff touches", metric_keys.KICKOFF_TOUCHES, ".0f", "%"),
        ("goals/min", metric_keys.GOALS_PER_MINUTE, ".2f", ""),
        ("own goals/min", metric_keys.OWN_GOALS_PER_MINUTE, ".2f", ""),
        ("shots/min", metric_keys.SHOTS_PER_MINUTE, ".2f", ""),
        ("saves/min", metric_keys.SAVES_PER_MINUTE, ".2f", ""),
        ("touches/min", metric_keys.TOUCHES_PER_MINUTE, ".1f", ""),
        ("in the air", metric_keys.AIRBORNE, ".0f", "%"),
        ("boost held", metric_keys.BOOST_HELD, ".0f", ""),
        ("turtled", metric_keys.TURTLE_EVENTS, ",.0f", ""),
        ("recovered", metric_keys.TURTLES_RECOVERED, ",.0f", ""),
        ("recovery time", "turtle/median_seconds", ".2f", "s"),
    )
    return [[name, *(number(own[key], form, unit) for own in evaluation.figures)] for name, key, form, unit in shown]


def _verdict(evaluation: Evaluation) -> list[str]:
    rate, interval = evaluation.win_rate, evaluation.interval
    assert rate is not None
    assert interval is not None
    from rltui.events.game_record import elo_difference
    from rltui.events.metric_keys import TOUCHES_PER_MINUTE
    from rltui.formatting import plural
    from rltui.league.score import more_games

    idle = [name for name, own in zip("AB", evaluation.figures, strict=True) if not own[TOUCHES_PER_MINUTE]]
    never = f"no touch of the ball in {plural(evaluation.record.games, 'game')}"
    if len(idle) == 2:
        return [f"A and B: {never}. A draw where nobody plays says nothing of who is better."]
    low, high = interval
    lines = [
        f"A scores {100 * rate:.1f} %, a draw counting half; with 95 % certainty {100 * low:.1f} to {100 * high:.1f} %."
    ]
    elo = [elo_difference(score) for score in (rate, low, high)]
    words = ["no limit" if value is None else f"{value:+.0f}" for value in elo]
    lines.append(f"Elo difference: {words[0]} ({words[1]} to {words[2]})")
    lines += [f"{name}: {never}." for name in idle]
    if evaluation.better:
        lines.append(f"{evaluation.better.upper()} is the better one.")
        return lines
    more = more_games(rate, interval, evaluation.record.games)
    wanted = "alike, or more than 1,000 more games" if more is None else f"some {more:,} more games"
    return [*lines, f"Which is the better one is not decided: {wanted}."]
