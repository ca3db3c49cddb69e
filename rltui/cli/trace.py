"""rltui trace."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from rltui.cli.parser import Subparsers, add_data_dir, add_overrides, at_least, named_or_newest_run
from rltui.errors import RltuiError
from rltui.safe_io import path_of, say

if TYPE_CHECKING:
    from rltui.debug.reward_trace import RewardTrace, TraceStep


SUBJECT = (
    "a profile, a run (its newest checkpoint), a checkpoint or milestone (alpha/005M, or its folder), a policy.npz "
    "(default: the newest run)"
)
EXAMPLES = """\
examples:
  rltui trace quick --steps 300                        random actions under a profile's rewards
  rltui trace my-run/005M --out my-run.csv             what a milestone is paid, to a file
  rltui trace my-run --car 1 --profile my-bot.toml     the newest bot, paid by another profile
"""
PATIENCE = 1.0  # seconds before progress is shown


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "trace",
        help="write one car's rewards, step by step, as CSV",
        description="Play one arena and write each step of one car: action, controls, each reward, totals.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("subject", metavar="PROFILE|RUN|FILE", nargs="?", help=SUBJECT)
    add("--steps", metavar="N", type=at_least(1), default=300, help="steps to play (default 300: 20 s)")
    add(
        "--arena",
        metavar="K",
        type=at_least(0),
        default=0,
        help="which arena; each starts differently (default 0)",
    )
    add(
        "--car",
        metavar="N",
        type=at_least(0),
        default=0,
        help="which car: blue from 0, then orange (default 0)",
    )
    add("--seed", metavar="S", type=at_least(0), default=0, help="seed of resets and choices (default 0)")
    add(
        "--actions",
        choices=("policy", "random", "idle"),
        default="",
        help="the bot's actions (policy, the default for a bot), random legal ones, or none",
    )
    add("--deterministic", action="store_true", help="always the most probable action")
    add(
        "--group",
        choices=("match", "mechanics"),
        default="match",
        help="arena group: its resets, terminals and rewards (default match)",
    )
    add("--lane", dest="group", choices=("match", "mechanics"), default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    add("--profile", metavar="PROFILE", help="instead of the profile beside the bot")
    add(
        "--timesteps",
        metavar="N",
        type=at_least(0),
        help="take scheduled weights at N timesteps (default: the bot's)",
    )
    add_overrides(parser)
    add("--out", metavar="FILE.csv", help="write to this file (default: standard output)")
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """The CSV goes to the file or to standard output; what came of it to the other one of output and error."""
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    trace = _trace(args)
    if args.out is None:
        _say_totals(trace, _write(trace, sys.stdout), sys.stderr)
        return 0
    try:
        with path_of(args.out).open("w", encoding="utf-8", newline="") as file:
            totals = _write(trace, file)
    except OSError as error:
        raise RltuiError(f"cannot write {args.out}: {error.strerror}", "choose another file: --out FILE.csv") from error
    say(f"wrote {args.out}")
    _say_totals(trace, totals, sys.stdout)
    return 0


def _trace(args: argparse.Namespace) -> RewardTrace:
    from dataclasses import replace

    from rltui.debug.reward_trace import RewardTrace, TraceOptions, trace_subject
    from rltui.runs.paths import data_dir

    data = data_dir(args.data_dir)
    name = args.subject if args.subject is not None else named_or_newest_run(data, None).name
    subject = trace_subject(name, data, args.profile, args.overrides).in_group(args.group)
    if args.timesteps is not None:
        subject = replace(subject, timesteps=args.timesteps)
    return RewardTrace(
        subject, TraceOptions(args.steps, args.arena, args.car, args.seed, args.actions, args.deterministic)
    )


def _write(trace: RewardTrace, out: TextIO) -> list[float]:
    """The sums of the components over all steps."""
    import csv

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(trace.columns)
    totals = [0.0] * len(trace.components)
    for step in _with_progress(trace.steps(), trace.count):
        writer.writerow(step.cells)
        totals = [total + term for total, term in zip(totals, step.terms, strict=True)]
    return totals


def _with_progress(steps: Iterable[TraceStep], count: int) -> Iterator[TraceStep]:
    """On a terminal, for what takes longer."""
    shown = time.monotonic()
    has_printed = False
    for number, step in enumerate(steps):
        if sys.stderr.isatty() and time.monotonic() - shown > PATIENCE:
            shown, has_printed = time.monotonic(), True
            print(f"\r{number:,} of {count:,} steps", end="", file=sys.stderr, flush=True)
        yield step
    if has_printed:
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr)


def _say_totals(trace: RewardTrace, totals: list[float], out: TextIO) -> None:
    parts = ", ".join(f"{name} {total:.4g}" for name, total in zip(trace.components, totals, strict=True))
    say(f"{trace.title}: {sum(totals):.4g} in all: {parts}", out)
