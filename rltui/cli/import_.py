"""rltui import."""

from __future__ import annotations

import argparse

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_overrides
from rltui.errors import RltuiError

MORE = """\
PATH: a folder with PPO_POLICY.pt, or with numbered ones. Weights, optimizers, return statistics and counters are kept.
Observation, action table and layers must be the profile's: it says which do not fit."""


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "import",
        "make a run of rlgym-ppo's checkpoint",
        "rltui import rlgym-ppo-run-17/5000000 my-bot.toml",
        MORE,
    )
    add = parser.add_argument
    add("path", metavar="PATH", help="rlgym-ppo's checkpoint")
    add("profile", metavar="PROFILE", help="what it was trained with: a .toml file, or a profile's name")
    add("--run", metavar="NAME", help="name of the run (default: as a new run of PROFILE)")
    add_overrides(parser)
    add(
        "--force",
        action="store_true",
        help="even if the profile's action table, rewards or observation fail their checks",
    )
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """A start that ends before its first iteration, with the first checkpoint saved. RltuiError says what does not fit."""
    from rltui.cli import train
    from rltui.runs import rlgym_ppo
    from rltui.runs.paths import absolute

    folder = rlgym_ppo.checkpoint_at(absolute(args.path))
    if folder is None:
        raise RltuiError(
            f"{args.path}: no checkpoint of rlgym-ppo: expected {rlgym_ppo.POLICY} in it, without rltui's files",
            f"to go on from one of rltui's: rltui train {args.profile} --resume {args.path}",
            exit_code=2,
        )
    _, timesteps = rlgym_ppo.read(folder)
    options = {"resume": args.path, "steps": timesteps, "fork_from": None, "seed": None}
    options |= dict.fromkeys(("debug", "detach", "take_over"), False)
    return train.run(argparse.Namespace(**{**vars(args), **options}))
