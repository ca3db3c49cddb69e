"""rltui export."""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import asdict

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.cli.playing import OTHER_PLAYERS, converter
from rltui.errors import RltuiError
from rltui.safe_io import say

FORMATS = {
    "rlbot": "a folder for RLBot v5 that plays in Rocket League, without rltui",
    "onnx": "the net as ONNX",
    "torchscript": "the net as TorchScript",
    "numpy": "policy.npz, all that is needed to play",
}
MORE = "formats:\n" + "\n".join(f"  {name:<12} {meaning}" for name, meaning in FORMATS.items())
MORE += """

The net takes observations float32 [n, D], normalises them where the bot does, and gives a logit for each row of the action table.
What else is to be done (table, legality, pace) stands in the file. Each export is read back and compared with the bot
on 10,000 states."""


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers, "export", "write a bot in another format", "rltui export my-run --to rlbot -o my-bot", MORE
    )
    add = parser.add_argument
    add(
        "bot",
        metavar="BOT",
        help=f"a run (its newest checkpoint), {OTHER_PLAYERS}; no scripted one, no TorchScript file",
    )
    add("--to", metavar="FORMAT", choices=tuple(FORMATS), required=True, help=", ".join(FORMATS))
    add(
        "-o",
        "--output",
        metavar="PATH",
        help="file or folder, made with those above it (default: named after the bot, here)",
    )
    add("--force", action="store_true", help="overwrite an earlier export")
    add("--profile", metavar="PROFILE", help="observation and action table of rlgym-ppo's checkpoints")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Written, read back and compared; RltuiError says why not."""
    import json
    from importlib import import_module

    from rltui.league.sources import PolicySource, source
    from rltui.runs.paths import data_dir

    export = import_module("rltui.bridge.export")  # by name, as all of the bridge
    data = data_dir(args.data_dir)
    bot = source(args.bot, data, converter(args.profile), lambda state: f"rltui export {state} --to {args.to}")
    if not isinstance(bot, PolicySource):
        raise RltuiError(f"{bot.name} is a scripted player: there is no net to export", exit_code=2)
    made = export.exporter(args.to)
    target = export.target_of(data, args.output, bot.name, made, args.force)
    with contextlib.redirect_stdout(sys.stderr):  # what a user's observation prints is no part of the result
        parity = export.export(bot.policy, bot.name, made, target)
    if args.json:
        document = {"bot": bot.name, "format": args.to, "path": str(target)}
        say(json.dumps(document | asdict(parity)))
        return 0
    same = (
        "the same action in all"
        if not parity.differing
        else f"another action in {parity.differing:,}, where two are close"
    )
    say(f"{bot.name}: {target}")
    say(f"compared on {parity.states:,} states: logits differ by at most {parity.largest:.1g}, {same}")
    return 0
