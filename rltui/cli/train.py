"""rltui train."""

from __future__ import annotations

import argparse

from rltui.cli.parser import Subparsers, add_data_dir, add_overrides
from rltui.safe_io import say

RESUME = "auto (default): its newest run, else the bot of the newest run that fits, in a new one; new: from zero; or a checkpoint or milestone, as alpha/005M or its folder; alpha: its newest"
FORK = "start a new run of PROFILE from this checkpoint or milestone; observation, action table and nets must fit"
TAKE_OVER = "train a run that another host still seems to train; the trainer there ends without saving"
FORCE = "train even if the action table, a reward or the observation fails its checks (rltui profile check)"
DEBUG_STEPS = 1_000
DEBUG_OVERRIDES = (
    "collect.collector=serial",
    "collect.workers=1",
    "collect.arenas=4",
    "ppo.iteration=500",
    "ppo.batch=500",
    "ppo.minibatch=500",
)
EXAMPLES = """\
examples:
  rltui train quick                              a shipped profile; resumes its newest run
  rltui train my-bot.toml --run alpha            a run with a name
  rltui train quick --steps 300000               stop at 300,000 timesteps
  rltui train quick --resume new                 start from zero
  rltui train quick --resume alpha/005M          branch off a milestone of run alpha
  rltui train my-bot.toml --fork-from alpha/005M
  rltui train quick --set ppo.learning_rate=1e-4
  rltui train quick --detach                     in the background; watch it: rltui attach

alpha/005M: the milestone of run alpha at 5 million timesteps; rltui milestones lists them.
Ctrl-C once: finish the iteration, save, stop. Twice: save now. Three times: abandon.
"""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "train",
        help="train a bot; needs no terminal",
        description="Train a bot from a profile, saving checkpoints and milestones.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("profile", metavar="PROFILE", help="a .toml file, a name in ./profiles, or a shipped profile")
    add("--run", metavar="NAME", help="name of the run (default: the resumed run's, else <profile>-<n>)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--resume", metavar="RUN/MILESTONE|auto|new", default="auto", help=RESUME)
    where.add_argument("--fork-from", metavar="RUN/MILESTONE", help=FORK)
    add("--steps", metavar="N", type=_count, help="stop at N timesteps in all (default: never)")
    add("--seed", metavar="N", type=int, help="same as --set run.seed=N")
    add_overrides(parser)
    add("--force", action="store_true", help=FORCE)
    add("--take-over", action="store_true", help=TAKE_OVER)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--detach", action="store_true", help="train in the background")
    how.add_argument("--debug", action="store_true", help="1,000 timesteps in one process, with all debug output")
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """Returns the exit code; raises RltuiError for bad input."""
    from rltui.supervise.matrix_kernel import choose_kernel
    from rltui.supervise.processes import prepare_environment

    prepare_environment()  # before the profile's components import NumPy
    kernel = None if args.detach else choose_kernel()  # one in the background does so itself
    from rltui.profile.load import load
    from rltui.runs.paths import data_dir

    overrides = list(args.overrides)
    if args.seed is not None:
        overrides.append(f"run.seed={args.seed}")
    if args.debug:
        overrides += DEBUG_OVERRIDES
    profile = load(args.profile, overrides)
    if kernel is None:
        return _detach(args, overrides)
    data = data_dir(_debug_folder(args.data_dir) if args.debug else args.data_dir)  # before torch, which takes seconds
    from rltui.runs.summary import profile_name
    from rltui.train.session import train
    from rltui.train.setup import TrainOptions

    return train(
        TrainOptions(
            profile=profile.called(profile_name(profile.path or args.profile)),
            profile_argument=args.profile,
            data=data,
            run=args.run,
            resume=args.resume if args.fork_from is None else args.fork_from,
            fork=args.fork_from is not None,
            steps=DEBUG_STEPS if args.debug and args.steps is None else args.steps,
            debug=args.debug,
            force=args.force,
            take_over=args.take_over,
            kernel=kernel.words,
        )
    )


def _debug_folder(data_dir: str | None) -> str:
    """A look at how things work is no run to go on with: it gets a folder of its own unless one was named."""
    if data_dir is not None:
        return data_dir
    import tempfile

    folder = tempfile.mkdtemp(prefix="rltui-debug-")
    say(f"debug run in {folder}")
    return folder


def _count(text: str) -> int:
    """300000, 300,000, 300k and 3e5 are the same."""
    from rltui.formatting import LARGEST, timesteps_of

    value = timesteps_of(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"expected a whole number of timesteps, at most {LARGEST:,}, found {text!r}")
    if value < 0:
        raise argparse.ArgumentTypeError(f"at least 0, found {text!r}")
    return value


_count.__name__ = "number of timesteps"  # argparse names the type in its error: "invalid number of timesteps value"


def _detach(args: argparse.Namespace, overrides: list[str]) -> int:
    """Start the same training in a session of its own; say what it goes on with, and where to look."""
    from rltui.runs.paths import data_dir
    from rltui.supervise.launch import detached, start_messages

    data = data_dir(args.data_dir)
    extra = ["--resume", args.resume] if args.fork_from is None else ["--fork-from", args.fork_from]
    extra += ["--steps", str(args.steps)] if args.steps is not None else []
    extra += ["--force"] if args.force else []
    extra += ["--take-over"] if args.take_over else []
    extra += [part for override in overrides for part in ("--set", override)]
    launched = detached(args.profile, data, args.run, extra)
    say(f"run {launched.run} trains in the background (pid {launched.pid})")
    for words in start_messages(data.run(launched.run).journal, launched.pid):
        say(words)
    say(
        f"watch it: rltui attach {launched.run}    stop it: rltui stop {launched.run}    log: {data.run(launched.run).log}"
    )
    return 0
