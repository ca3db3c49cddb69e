"""rltui bench."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rltui.cli.parser import Subparsers, add_command, add_json, add_overrides, at_least, between
from rltui.safe_io import say

MORE = "Steps per second. limit: bare simulator; collected: while collecting; overall: with updates. Creates no run."


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers, "bench", "measure collection and training speed on this machine", "rltui bench --json", MORE
    )
    add = parser.add_argument
    add(
        "--profile",
        default="seed-task",
        metavar="PROFILE",
        help="profile to train (default: seed-task, 1v1 from kickoffs)",
    )
    add(
        "--rounds",
        type=at_least(1),
        default=5,
        metavar="N",
        help="rounds of bare simulator, then training (default 5)",
    )
    add(
        "--seconds",
        type=between(0.1, 1e4),
        default=3.0,
        metavar="S",
        help="seconds of bare simulator in each round (default 3)",
    )
    add(
        "--iterations",
        type=at_least(1),
        metavar="N",
        help="iterations in each round (default: an episode's length)",
    )
    add("--workers", type=at_least(1), metavar="W", help="worker processes (default: the profile's)")
    add("--arenas", type=at_least(1), metavar="K", help="arenas per worker (default: the profile's)")
    add_overrides(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the figures; progress goes to standard error."""
    from rltui.supervise.matrix_kernel import choose_kernel
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    kernel = choose_kernel()
    from rltui.debug.bench import BenchOptions, bench
    from rltui.profile.load import load

    overrides = list(args.overrides)
    overrides += [
        f"collect.{key}={getattr(args, key)}" for key in ("workers", "arenas") if getattr(args, key) is not None
    ]
    profile = load(args.profile, overrides)
    options = BenchOptions(args.rounds, args.seconds, args.iterations)
    figures = {**bench(profile, options, lambda line: say(line, sys.stderr)), "matrix_kernel": kernel.words}
    if args.json:
        print(json.dumps(figures))
    else:
        _show(figures)
    return 0


def _show(figures: dict[str, Any]) -> None:
    for name, value in figures.items():
        if isinstance(value, dict):
            say(name)
            for part, inner in value.items():
                say(f"  {part:<30} {_figure(inner)}")
        else:
            say(f"{name:<32} {_figure(value)}")


def _figure(value: Any) -> str:
    if isinstance(value, list):
        return " to ".join(_figure(one) for one in value)
    return f"{value:,}" if isinstance(value, int | float) else str(value)
