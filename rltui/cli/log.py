"""rltui log: the metrics of a run, training or ended, as files for other programs."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rltui.cli.parser import Subparsers, add_command, add_data_dir, named_or_newest_run
from rltui.errors import RltuiError
from rltui.safe_io import path_of, say

EXAMPLE = "rltui log export alpha --to csv"


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "log", "write a run's metrics for other programs", EXAMPLE)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    export = add_command(
        commands, "export", "write all of a run's metrics to a CSV file, or to a folder for TensorBoard", EXAMPLE
    )
    export.add_argument("run", metavar="RUN", help="name of the run, or its end, as b2")
    export.add_argument("--to", choices=("csv", "tensorboard"), default="csv", help="the format (default csv)")
    export.add_argument("--out", metavar="PATH", help="file or folder (default: RUN.csv, tensorboard/RUN)")
    export.add_argument("--force", action="store_true", help="write over a CSV file that is there")
    add_data_dir(export)


def run(args: argparse.Namespace) -> int:
    from rltui.runs.journal_reader import JournalEnd
    from rltui.runs.metric_logs import EVENT_FILES, LogSpec, open_log
    from rltui.runs.paths import data_dir

    paths = named_or_newest_run(data_dir(args.data_dir), args.run)
    if JournalEnd(paths, brief=True).row is None:
        raise RltuiError(f"run {paths.name!r} has no iterations", "see what it does: rltui status " + paths.name)
    of_its_name = Path(f"{paths.name}.csv") if args.to == "csv" else Path("tensorboard", paths.name)
    place = path_of(args.out) if args.out else of_its_name
    if args.to == "tensorboard" and any(place.glob(EVENT_FILES)):
        raise RltuiError(f"{place} has event files already", "delete them, or choose another folder: --out DIR")
    if args.to == "csv" and os.path.lexists(place) and not args.force:
        raise RltuiError(f"{place} exists", "choose another name: --out PATH; or overwrite it: --force", exit_code=2)
    try:
        log = open_log(LogSpec(args.to, paths, place))
        log.begin()
        log.close()
    except OSError as error:
        raise RltuiError(f"cannot write {place}: {error.strerror or error}", "choose another: --out PATH") from error
    say(f"wrote {log.where}")
    return 0
