"""rltui doctor."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.debug.doctor_check import DoctorFinding


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "doctor",
        "check that training works here; exit code 1 on failure",
        "rltui doctor my-bot",
    )
    parser.add_argument(
        "profile", metavar="PROFILE", nargs="?", default="quick", help="profile to train (default: quick)"
    )
    parser.add_argument(
        "--only",
        metavar="CHECK",
        action="append",
        help="only this check, by its printed name; repeatable",
    )
    parser.add_argument("--lines", action="store_true", help="a line of JSON as each check begins and ends")
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """1 when a check failed. Findings are printed as they come."""
    from rltui.supervise.matrix_kernel import choose_kernel
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    kernel = choose_kernel()
    from rltui.cli.output import say_outcome
    from rltui.debug.doctor import CHECKS, chosen, examine
    from rltui.debug.doctor_check import DoctorCase
    from rltui.runs.paths import data_dir

    checks = chosen(args.only) if args.only else CHECKS
    if args.lines:
        _say_line({"checks": [check.name for check in checks]})
    begins = (lambda name: _say_line({"running": name})) if args.lines else (lambda name: None)
    findings: list[DoctorFinding] = []
    for finding in examine(DoctorCase(args.profile, data_dir(args.data_dir), kernel), checks, begins):
        findings.append(finding)
        if args.lines:
            _say_line(vars(finding))
        elif not args.json:
            advice = f"\n{finding.advice}" if finding.advice else ""
            say_outcome(finding.outcome, f"{finding.name}: {finding.sentence}{advice}")
    outcomes = [finding.outcome for finding in findings]
    if args.lines:
        return 1 if "fail" in outcomes else 0
    say(_document(args.profile, findings) if args.json else f"\n{_summary(args.profile, outcomes)}")
    return 1 if "fail" in outcomes else 0


def _say_line(value: Mapping[str, Any]) -> None:
    """At once, for somebody waits for it."""
    print(json.dumps(value, default=dict), flush=True)


def _summary(profile: str, outcomes: Sequence[str]) -> str:
    failed, warned = outcomes.count("fail"), outcomes.count("warn")
    if failed:
        return f"{failed} of {len(outcomes)} checks failed: {profile} should not be trained here as it is"
    return f"{profile} can be trained here" + (f" ({warned} of {len(outcomes)} checks warn)" if warned else "")


def _document(profile: str, findings: Sequence[DoctorFinding]) -> str:
    """`outcome` is the worst of the checks."""
    outcomes = {finding.outcome for finding in findings}
    worst = next(outcome for outcome in ("fail", "warn", "pass") if outcome in outcomes)
    checks = [vars(finding) for finding in findings]
    return json.dumps({"profile": profile, "outcome": worst, "checks": checks}, indent=2)
