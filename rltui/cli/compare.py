"""rltui compare."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json, at_least, named_or_newest_run
from rltui.cli.playing import GamesLog, GamesProgress, add_processes, add_seconds, play_match
from rltui.errors import RltuiError
from rltui.safe_io import one_line, say

if TYPE_CHECKING:
    from rltui.league.score import GamesBetween
    from rltui.run_state.compare import RewardComparison
    from rltui.runs.paths import DataDir, RunPaths

NAMED = 4  # other differences listed one by one
EPILOG = (
    "The difference of the mean rewards of the "
    "newest 50 iterations, with its 95 % interval; and who plays better, by the games of the two.\nExit code 1: they "
    "played or were paid differently, and there are no games.\n"
    "Two profiles: rltui profile diff A B."
)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "compare",
        "tell which of two bots is paid more, and which plays better",
        "rltui compare alpha beta/005M",
        EPILOG,
    )
    parser.add_argument("left", metavar="A", help="a run, as it is now, or a saved state: alpha/005M, alpha/250000")
    parser.add_argument("right", metavar="B", help="the same")
    parser.add_argument(
        "--games", metavar="N", type=at_least(0), default=0, help="first let the two play so many games (default 0)"
    )
    playing = parser.add_argument_group("with --games")
    add_seconds(playing)
    add_processes(playing)
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print which is paid more and which plays better, or why that cannot be told; 1 where neither can."""
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    from rltui.cli.output import json_text
    from rltui.profile.changes import paid_changes, saved_changes, with_plans
    from rltui.run_state.compare import compare_rewards, compared_bot
    from rltui.run_state.rewards import profile_weights, reward_differences
    from rltui.runs.paths import data_dir

    data = data_dir(args.data_dir)
    (one, at, mine, doubt), (other, then, theirs, more) = (_found(data, text) for text in (args.left, args.right))
    if (one.name, at) == (other.name, then):
        raise RltuiError(f"{args.left} and {args.right} are the same", "name two runs or saved states", exit_code=2)
    same = one.name == other.name  # the later one is told by what came after the earlier one
    left = compared_bot(args.left, one, at, then if same and then is not None and (at is None or at > then) else -1)
    right = compared_bot(args.right, other, then, at if same and at is not None and (then is None or then > at) else -1)
    changes = saved_changes(mine, theirs)
    known = all(map(profile_weights, (left.snapshot, right.snapshot)))
    paid = reward_differences(left.snapshot, right.snapshot, (left.name, right.name)) + paid_changes(changes, known)
    found = compare_rewards(left, right, paid)
    apart = with_plans(changes, left.snapshot.plan, right.snapshot.plan)
    others = apart if isinstance(apart, str) else [change.key for change in apart]
    doubts = [one_line(text) for text in (doubt, more) if text]
    games = _games(args, data, (one, at), (other, then))
    document = {**found.document(), "doubts": doubts, "match": games.document() if games.record.games else None}
    if args.json:
        say(json_text(document))
    else:
        played = games.words(args.left, args.right, f"rltui compare {args.left} {args.right} --games 20")
        say("\n".join([*_lines(found, others, doubts), one_line(played)]))
    return int(bool(found.refused) and not games.record.games)


def _games(args: argparse.Namespace, data: DataDir, *sides: tuple[RunPaths, int | None]) -> GamesBetween:
    """Those in the log, after playing what is asked for. Of a run, its newest state's."""
    from rltui.league.games import read
    from rltui.league.score import games_between, games_of_states
    from rltui.runs.inventory import complete_checkpoints

    if args.games:
        names = _play(args, data)
        return games_between(read(data.games).games, *names)
    newest = ((paths, next(reversed(complete_checkpoints(paths)), None)) for paths, _ in sides)
    a, b = (
        (paths.name, at if at is not None else state.timesteps or 0 if state is not None else 0)
        for (paths, at), (_, state) in zip(sides, newest, strict=True)
    )
    return games_of_states(read(data.games).games, a, b)


def _play(args: argparse.Namespace, data: DataDir) -> tuple[str, str]:
    """The names that their games have."""
    from rltui.league.evaluation import Evaluation, MatchUp
    from rltui.league.sources import source

    a, b = (source(text, data, None, lambda state: f"rltui compare {state}") for text in (args.left, args.right))
    log = GamesLog(data)
    with contextlib.redirect_stdout(sys.stderr):  # what a user's component prints is no part of the result
        match_up = MatchUp.rated(a, b, args.seconds)
        evaluation = Evaluation(match_up, args.games)
        progress = GamesProgress(args.games, match_up.ticks)
        if play_match(evaluation, args.workers, args.nice, log, progress):
            say(f"rltui: interrupted: {len(evaluation.games)} of {args.games} games are finished", sys.stderr)
    if log.problem:
        raise RltuiError(f"the games are not recorded: {log.problem}", "make room, or play them alone: rltui eval A B")
    return evaluation.ids


def _found(data: DataDir, text: str) -> tuple[RunPaths, int | None, Path, str]:
    """The run, the timesteps of the saved state that is meant, its profile, and why its reward does not count, where it does not."""
    from rltui.profile.locate import STATE_FILE
    from rltui.runs.resolve import find_checkpoint, state_address

    if "/" not in state_address(text):
        paths = named_or_newest_run(data, text)
        return paths, None, paths.profile, ""
    paths, state = find_checkpoint(data, text)
    if state.timesteps is None:
        raise RltuiError(f"{text}: its timesteps are not known: {state.damage or 'meta.json cannot be read'}")
    doubt = f"the reward of {text} does not count: {state.caveat}" if state.caveat else ""
    return paths, state.timesteps, state.path / STATE_FILE, doubt


def _lines(found: RewardComparison, others: list[str] | str, doubts: list[str]) -> list[str]:
    from rltui.cli.output import aligned, number
    from rltui.run_state.compare import NOT_SKILL

    rows = [("", "REWARD", "ITERATIONS", "TIMESTEPS")]
    for side in (found.left, found.right):
        rows.append((side.name, side.reward_words, number(side.counted or None), number(side.snapshot.timesteps)))
    lines = [*aligned(rows, right=frozenset({1, 2, 3})), "", one_line(found.sentence)]
    lines += ([NOT_SKILL] if not found.refused else []) + doubts
    if isinstance(others, str):
        return [*lines, one_line(others)]
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return lines + ([one_line(f"their profiles differ: {', '.join(others[:NAMED])}{more}")] if others else [])
