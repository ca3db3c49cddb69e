"""rltui lut."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.checks.action_table.findings import StateReport, TableReport
    from rltui.checks.action_table.subject import Subject


SUBJECT = (
    "a profile, a run, a checkpoint or milestone (alpha/005M, or its folder), a .csv or .npy table, module:function, a "
    "table's name (default: quick)"
)
SHOWN_HASH = 12  # of 64 hex digits
COLUMNS = 4  # canonical states side by side: what fits 80 characters
SHORT = {"airborne with flip": "in the air", "airborne without flip": "no flip left"}
VERDICTS = {
    "pass": "the table passes",
    "warn": "the table passes, with warnings",
    "fail": "the table fails: training needs --force",
}


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "lut",
        "check an action table (lookup table, LUT); exit code 1 if it fails",
        "rltui lut my-table.csv",
    )
    parser.add_argument("subject", metavar="PROFILE|RUN|FILE", nargs="?", default="quick", help=SUBJECT)
    parser.add_argument("--all", action="store_true", help="also show what passed")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """1 when the table fails, 0 when it passes, with or without warnings, and where there is none."""
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    from rltui.checks.action_table.report import examine
    from rltui.checks.action_table.subject import subject
    from rltui.runs.paths import data_dir

    found = subject(args.subject, data_dir(args.data_dir))
    if found is None:
        say(no_table(args.subject, args.json))
        return 0
    report = examine(found.rows, found.options, found.meshes)
    if args.json:
        say(as_json(found, report))
    else:
        say_report(found, report, args.all)
    return 1 if report.outcome == "fail" else 0


def say_report(subject: Subject, report: TableReport, everything: bool) -> None:
    """The table of each canonical state, then what is wrong, the worst last, beside the verdict: there the eye is when it is
    all printed. everything: what is right as well.
    """
    from rltui.checks.action_table.findings import WORST
    from rltui.cli.output import say_outcome

    say(f"{subject.name}: {report.rows:,} rows, legality {report.legality}, hash {report.table_hash[:SHOWN_HASH]}")
    if subject.first_row:
        say(f"rows are numbered from 0: row 0 is {subject.first_row}")
    for lines in _tables(report.states):
        say("\n" + "\n".join(lines))
    say("")
    if everything:
        for check in report.of("pass"):
            say_outcome(check.outcome, check.sentence)
    else:
        say_outcome("pass", report.checks[0].sentence)
        say_outcome("pass", f"{len(report.of('pass')) - 1} more checks; --all shows them")
    for outcome in reversed(WORST[:-1]):
        for check in report.of(outcome):
            say_outcome(check.outcome, check.sentence)
    say("")
    say_outcome(report.outcome, VERDICTS[report.outcome])


def as_json(subject: Subject, report: TableReport) -> str:
    """One document; `outcome` is the worst of the checks. controls: the rows, in CONTROLS' order; words: the same for people."""
    import numpy as np

    from rltui.actions.table import describe

    rows = [[float(value) if np.isfinite(value) else None for value in row] for row in subject.rows]
    words = [describe(row) if np.isfinite(row).all() else "not all numbers" for row in subject.rows]
    document = {"subject": subject.name, "outcome": report.outcome, **asdict(report), "controls": rows, "words": words}
    return json.dumps(document, indent=2)


def no_table(argument: str, in_json: bool) -> str:
    """What is said where there is nothing to check."""
    if in_json:
        nothing = dict.fromkeys(("rows", "table_hash", "legality"))
        return json.dumps(
            {
                "subject": argument,
                "outcome": "pass",
                **nothing,
                "checks": [],
                "states": [],
                "controls": [],
                "words": [],
            },
            indent=2,
        )
    return f"{argument}: an rlgym-ppo checkpoint has no action table to check"


def _tables(states: Sequence[StateReport]) -> Iterator[list[str]]:
    """A column for each state; what means nothing in a state is a dash there."""
    from rltui.cli.output import aligned

    on_wheels = [state for state in states if "turns left" in state.moves]
    others = [state for state in states if state not in on_wheels]
    for group in (on_wheels, others):
        yield aligned(list(_rows(group)), right=frozenset(range(1, COLUMNS + 1)))


def _rows(states: Sequence[StateReport]) -> Iterator[list[str]]:
    from rltui.formatting import UNKNOWN

    yield ["rows", *(SHORT.get(state.state, state.state) for state in states)]
    yield ["legal", *(f"{state.legal:,}" for state in states)]
    yield ["different in effect", *(f"{state.effects:,}" for state in states)]
    for control in states[0].values:
        yield [f"values of {control}", *(str(len(state.values[control])) for state in states)]
    for move in dict.fromkeys(move for state in states for move in state.moves):
        yield [move, *(f"{state.moves[move]:,}" if move in state.moves else UNKNOWN for state in states)]
