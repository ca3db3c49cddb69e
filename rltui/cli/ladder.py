"""rltui ladder."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.safe_io import one_line, say

if TYPE_CHECKING:
    from rltui.league.ladder import Ladder, LadderRow
    from rltui.runs.paths import DataDir

NAMED = 3  # milestones without games, one by one
EPILOG = (
    "ELO: by all games in data/games.csv, the scripted player rule standing at 1500; 400 more are ten wins to one loss. "
    "±: standard error.\nAGAINST RULE: wins and half the draws, of how many games. THAN THE NEXT: better where the 95 % interval "
    "of the difference\nleaves out 0 and both have 20 games; else how many more between the two would likely decide it."
)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "ladder", "rate players by their games", "rltui ladder alpha", EPILOG)
    parser.add_argument(
        "run",
        metavar="RUN",
        nargs="?",
        help="name of a run, or its end, as b2: its players and the scripted ones (default: all players)",
    )
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the table of players, or how to get games."""
    from rltui.cli.output import json_text
    from rltui.league.games import read
    from rltui.league.ladder import build_ladder
    from rltui.runs.paths import data_dir
    from rltui.runs.resolve import find_run

    data = data_dir(args.data_dir)
    name = find_run(data, args.run).name if args.run is not None else None
    ladder = build_ladder(data, read(data.games), name)
    if args.json:
        say(json_text({"data_dir": str(data.root), "run": name, **ladder.document()}))
    else:
        say("\n".join(_lines(data, ladder, name)))
    return 0


def _lines(data: DataDir, ladder: Ladder, run: str | None) -> list[str]:
    notices = [one_line(notice) for notice in ladder.notices]
    if not ladder.rows:
        whose = f" of {run}" if run else ""
        first = ladder.missing[0] if ladder.missing else run or "RUN"
        return [f"no games{whose} in {data.games}; play some: rltui eval {first} {ladder.anchor} --games 20", *notices]
    return [*_head(ladder), "", *_table(ladder), *([""] if notices else []), *notices]


def _head(ladder: Ladder) -> list[str]:
    players = "1 player" if len(ladder.rows) == 1 else f"{len(ladder.rows):,} players"
    games = "1 game" if ladder.games == 1 else f"{ladder.games:,} games"
    lines = [f"{players}, by {games}"]
    if not ladder.missing:
        return lines
    more = f" and {len(ladder.missing) - NAMED} more" if len(ladder.missing) > NAMED else ""
    named = ", ".join(ladder.missing[:NAMED]) + more
    lines.append(f"{len(ladder.missing)} of {ladder.milestones} milestones have no games: {named}")
    lines.append(f"play them: rltui eval {ladder.missing[0]} {ladder.anchor} --games 20")
    return lines


def _table(ladder: Ladder) -> list[str]:
    from rltui.cli.output import aligned

    anchor = f"AGAINST {ladder.anchor.upper()}"
    head = ("RANK", "PLAYER", "ELO", "±", "GAMES", "WINS", "DRAWS", "LOSSES", anchor, "THAN THE NEXT")
    return aligned([head, *map(_row, ladder.rows)], right=frozenset({0, 2, 3, 4, 5, 6, 7, 8}))


def _row(row: LadderRow) -> tuple[str, ...]:
    from rltui.cli.output import number
    from rltui.formatting import UNKNOWN, percent

    rating, record, there = row.rating, row.rating.record, row.against_anchor
    against = UNKNOWN if there.score is None else f"{percent(there.score)} of {there.games:,}"
    return (
        str(row.rank),
        rating.player,
        number(rating.elo),
        number(rating.error or None),
        *(number(count) for count in (record.games, record.wins, record.draws, record.losses)),
        against,
        row.than_next.words if row.than_next else "",
    )
