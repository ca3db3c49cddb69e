"""rltui ladder."""

from __future__ import annotations

import argparse
import contextlib
import sys
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json, at_least
from rltui.cli.playing import GamesLog, GamesProgress, add_processes, add_seconds
from rltui.errors import RltuiError
from rltui.safe_io import one_line, say

if TYPE_CHECKING:
    from rltui.league.ladder import Ladder, LadderRow
    from rltui.runs.paths import DataDir, RunPaths

NAMED = 3  # milestones without games, or games that could not be played, one by one
EPILOG = (
    "ELO: by all games in data/games.csv, the scripted player rule standing at 1500; 400 more are ten wins to one loss.\n"
    "±: 95 % interval; –: no games lead to rule. AGAINST RULE: wins and half the draws, of how many games.\n"
    "THAN THE NEXT: better where the 95 % interval of the difference leaves out 0 and both have 20 games; else how many more\n"
    "between the two would likely decide it."
)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "ladder",
        "rate players by their games",
        "rltui ladder alpha\n  rltui ladder alpha --games 20",
        EPILOG,
    )
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        help="name of a run, or its end, as b2: its players and those that come with rltui (default: all players)",
    )
    parser.add_argument(
        "--games",
        metavar="N",
        type=at_least(2),
        help="first play what is missing until each milestone of RUN has N games against rule, chaser and its neighbours in time",
    )
    playing = parser.add_argument_group("with --games")
    add_seconds(playing)
    add_processes(playing)
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table of players, or how to get games; 1 where games that were asked for are missing."""
    if args.games is not None:
        from rltui.supervise.processes import prepare_environment

        prepare_environment()  # before NumPy is imported
    from rltui.cli.output import json_text
    from rltui.league.games import read
    from rltui.league.ladder import build_ladder, keep_ratings
    from rltui.runs.paths import data_dir
    from rltui.runs.resolve import find_run

    data = data_dir(args.data_dir)
    paths = find_run(data, args.run) if args.run is not None else None
    if args.games is not None and paths is None:
        raise RltuiError("ladder: --games needs a run", "rltui ladder RUN --games 20", exit_code=2)
    missing = [] if args.games is None or paths is None else _play(args, paths)
    for text in missing:
        say(f"rltui: {one_line(text)}", sys.stderr)
    name = paths.name if paths else None
    ladder = build_ladder(data, read(data.games), name)
    keep_ratings(data, ladder.ratings)
    if args.json:
        say(json_text({"data_dir": str(data.root), "run": name, **ladder.document()}))
    else:
        say("\n".join(_lines(data, ladder, name)))
    return int(bool(missing))


def _play(args: argparse.Namespace, paths: RunPaths) -> list[str]:
    """What is missing in the end, in words."""
    from rltui.field import TICKS_PER_SECOND
    from rltui.league.evaluators import TicksPlayed
    from rltui.league.games import read
    from rltui.league.ratings import tally_of
    from rltui.league.tournament import PairingRefused, Tournament, milestone_players, missing_pairings, source_of
    from rltui.profile.resolved import cores
    from rltui.supervise.signals import stopping_by_signal

    players, missing = milestone_players(paths)
    planned = missing_pairings([*players], tally_of(read(paths.data.games).games), args.games)
    wanted, finished = sum(pairing.games for pairing in planned), 0
    source = partial(source_of, players)
    tournament = Tournament(planned, source, args.seconds, args.workers or cores(), args.nice)
    progress = GamesProgress(wanted, round(args.seconds * TICKS_PER_SECOND))
    log, stop, refused = GamesLog(paths.data), Event(), list[str]()
    with (
        stopping_by_signal(lambda *_: stop.set()),
        contextlib.closing(progress),
        contextlib.redirect_stdout(sys.stderr),  # what a user's component prints is no part of the result
    ):
        _compare(paths, stop)
        for said in tournament.played(stop.is_set):
            if isinstance(said, TicksPlayed):
                progress.add(said.ticks)
            elif isinstance(said, PairingRefused):
                refused.append(f"{said.pairing.a} against {said.pairing.b}: {said.error.message}")
            else:
                log.write(said)
                finished += len(said)
            progress.show(finished)
    more = [f"and {len(refused) - NAMED} more pairs that could not play"] if len(refused) > NAMED else []
    missing += [*refused[:NAMED], *more]
    missing += [f"the games are not recorded: {log.problem}"] if log.problem else []
    missing += [f"interrupted: {finished:,} of {wanted:,} games are finished"] if stop.is_set() else []
    return missing


def _compare(paths: RunPaths, stop: Event) -> None:
    """Find near-clones among the milestones that have not been compared yet."""
    from rltui.formatting import plural
    from rltui.league.policy_distance import find_near_clones
    from rltui.runs.inventory import list_milestones
    from rltui.runs.near_clones import read_near_clones

    known = read_near_clones(paths)
    new = [info for info in list_milestones(paths) if info.usable and info.timesteps not in known]
    if new:
        say(f"rltui: comparing what {plural(len(new), 'milestone')} would choose", sys.stderr)
    for info in sorted(new, key=lambda info: info.timesteps or 0):
        with contextlib.suppress(RltuiError, OSError):  # whether it cannot play, its games will tell
            if not stop.is_set():
                find_near_clones(paths, info)


def _lines(data: DataDir, ladder: Ladder, run: str | None) -> list[str]:
    notices = [one_line(notice) for notice in ladder.notices]
    if not ladder.rows:
        whose = f" of {run}" if run else ""
        return [f"no games{whose} in {data.games}; play some: {_command(run, ladder)}", *notices]
    return [*_head(ladder, run), "", *_table(ladder), *([""] if notices else []), *notices]


def _command(run: str | None, ladder: Ladder) -> str:
    """That plays what is missing: of a run without milestones, games of its newest checkpoint."""
    if run is not None and not ladder.milestones:
        return f"rltui eval {run} {ladder.anchor} --games 20"
    return f"rltui ladder {run or (ladder.missing[0].partition('/')[0] if ladder.missing else 'RUN')} --games 20"


def _head(ladder: Ladder, run: str | None) -> list[str]:
    from rltui.formatting import plural

    players, games = plural(len(ladder.rows), "player"), plural(ladder.games, "game")
    others = "" if ladder.rated_by == ladder.games else f" between them; rated by all {ladder.rated_by:,} games"
    lines = [f"{players}, {'' if others else 'by '}{games}{others}"]
    if not ladder.missing:
        return lines
    more = f" and {len(ladder.missing) - NAMED} more" if len(ladder.missing) > NAMED else ""
    named = ", ".join(ladder.missing[:NAMED]) + more
    lines.append(f"{len(ladder.missing)} of {ladder.milestones} milestones have no games: {named}")
    lines.append(f"play them: {_command(run, ladder)}")
    return lines


def _table(ladder: Ladder) -> list[str]:
    from rltui.cli.output import aligned

    anchor = f"AGAINST {ladder.anchor.upper()}"
    near = any(row.near for row in ladder.rows)
    head = (
        "RANK",
        "PLAYER",
        "ELO",
        "±",
        "GAMES",
        "WINS",
        "DRAWS",
        "LOSSES",
        anchor,
        "THAN THE NEXT",
        "NEAR-CLONE" * near,
    )
    return aligned([head, *map(_row, ladder.rows)], right=frozenset({0, 2, 3, 4, 5, 6, 7, 8}))


def _row(row: LadderRow) -> tuple[str, ...]:
    from rltui.cli.output import number
    from rltui.formatting import UNKNOWN, percent

    rating, record, there = row.rating, row.rating.record, row.against_anchor
    against = UNKNOWN if there.score is None else f"{percent(there.score)} of {there.games:,}"
    return (
        number(row.rank),
        rating.player,
        number(rating.elo if rating.connected else None),
        number(rating.margin or None if rating.connected else None),
        *(number(count) for count in (record.games, record.wins, record.draws, record.losses)),
        against,
        row.than_next.words if row.than_next else "",
        row.near_words,
    )
