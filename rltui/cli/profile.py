"""`rltui profile`: write, check, show and compare profiles, and the reference of their keys."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rltui.cli import options
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.profile.schema import Entry

PROFILE_HELP = "a .toml file, a name in ./profiles, or a shipped profile"
INVALID = 2  # exit code
STDIN = "-"


def add_parser(subparsers: options.Subparsers) -> None:
    parser = options.command(
        subparsers, "profile", "write, check, show and compare profiles", "rltui profile new my-bot"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="profile_command", required=True)
    new = options.command(
        commands, "new", "write a commented profile to ./profiles, never over another one",
        "rltui profile new my-bot --from phase-1-ball-touching",
    )  # fmt: skip
    new.add_argument("name", metavar="NAME", help="the file becomes ./profiles/NAME.toml")
    new.add_argument("--from", metavar="PROFILE", dest="source", help="copy this one, comments and all")
    check = options.command(
        commands, "check", "find every mistake of profiles; exit code 2 if there is any", "rltui profile check my-bot"
    )
    check.add_argument("profiles", metavar="PROFILE", nargs="+", help=f"{PROFILE_HELP}; - reads the text from stdin")
    check.add_argument(
        "--as", metavar="PATH", dest="path", default="profile.toml", help="the file that stdin may become"
    )
    check.add_argument("--force", action="store_true", help="what `rltui train --force` would pass over is no mistake")
    show = options.command(commands, "show", "print a profile with all defaults filled in", "rltui profile show quick")
    show.add_argument("profile", metavar="PROFILE", help=PROFILE_HELP)
    diff = options.command(
        commands, "diff", "list where two profiles differ, defaults included", "rltui profile diff quick my-bot"
    )
    diff.add_argument("left", metavar="A", help=PROFILE_HELP)
    diff.add_argument("right", metavar="B", help=PROFILE_HELP)
    schema = options.command(
        commands, "schema", "list every key: type, range, unit, default, meaning", "rltui profile schema --json"
    )
    for command in (check, show):
        options.add_overrides(command)
    for command in (check, show, diff, schema):
        options.add_json(command)


def run(args: argparse.Namespace) -> int:
    """Returns the exit code; raises RltuiError for bad input."""
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "new": _new,
        "check": _check,
        "show": _show,
        "diff": _diff,
        "schema": _schema,
    }
    return commands[args.profile_command](args)


def _new(args: argparse.Namespace) -> int:
    from rltui.profile.locate import SHIPPED
    from rltui.profile.template import write_new

    path = write_new(args.name, args.source)
    if path.stem in SHIPPED:
        say(f"in this folder, {path.stem} now means that file, not the profile of this name that comes with rltui")
    say(f"wrote {path}; next: rltui profile check {path.stem}, rltui train {path.stem}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from rltui.cli.profile_report import report, report_text

    reports = [
        report_text(sys.stdin.buffer.read(), args.path, args.force)
        if profile == STDIN
        else report(profile, args.overrides, args.force)
        for profile in args.profiles
    ]
    if args.json:
        _say_json(reports[0] if len(reports) == 1 else reports)
    else:
        for line in (line for found in reports for line in _report_lines(found)):
            say(line)
    return 0 if all(found["valid"] for found in reports) else INVALID


def _report_lines(found: Mapping[str, Any]) -> Iterator[str]:
    from rltui.profile.problems import Problem

    if not found["valid"]:
        count = len(found["errors"])
        yield f"[FAIL] {found['profile']}: {count} error{'s' if count > 1 else ''}"
        yield from (f"  {Problem(**error)}" for error in found["errors"])
        if found["forcible"]:
            yield f"  train with it all the same: rltui train {found['profile']} --force"
        return
    yield f"[OK] {found['profile']}: {_in_words(found['summary'])}"
    yield from (f"  warning: {warning}" for warning in found["warnings"])


def _in_words(summary: Mapping[str, Any]) -> str:
    from rltui.formatting import megabytes

    return (
        f"{summary['blue']}v{summary['orange']}, {summary['obs_size']} numbers observed, {summary['actions']} actions, "
        f"{summary['parameters']:,} parameters, {summary['workers']} workers × {summary['arenas']} arenas, "
        f"about {megabytes(summary['memory_mb'])} of memory"
    )


def _show(args: argparse.Namespace) -> int:
    from rltui.profile.load import load
    from rltui.profile.render import render
    from rltui.profile.resolved import resolved

    profile = load(args.profile, args.overrides)
    if args.json:
        _say_json(resolved(profile))
    else:
        say(render(profile).rstrip("\n"))
    return 0


def _diff(args: argparse.Namespace) -> int:
    from rltui.profile.diff import differences
    from rltui.profile.load import load

    found = differences(load(args.left), load(args.right))
    if args.json:
        _say_json([vars(difference) for difference in found])
        return 0
    for difference in found:
        left, right = (side if side is not None else "not there" for side in (difference.left, difference.right))
        say(f"{difference.key}: {left} → {right}")
    if not found:
        say("no difference")
    return 0


def _schema(args: argparse.Namespace) -> int:
    from rltui.profile import schema

    if args.json:
        _say_json(schema.as_dict())
        return 0
    section = ""
    docs = schema.sections()
    for entry in schema.all_keys():
        head = entry.key.partition(".")[0]
        if head in docs and head != section:
            section = head
            say(f"\n[{head}]  {docs[head]}")
        say(_entry_line(entry))
    for component in schema.components():
        say(f"\n{component.kind} {component.name}: {component.doc.partition(chr(10))[0]}")
        for entry in component.parameters:
            say(_entry_line(entry))
    return 0


def _entry_line(entry: Entry) -> str:
    from rltui.profile.toml_text import default_words

    details = [entry.type, " ".join(filter(None, (entry.range, entry.unit)))]
    details.append("required" if entry.required else f"default {default_words(entry.default)}" if entry.default else "")
    return f"  {entry.key}: {', '.join(filter(None, details))}\n      {entry.doc}".rstrip()


def _say_json(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False).encode(
        "utf-8", "replace"
    )  # a file's name may be bytes that are no text
    say(json.dumps(json.loads(text), indent=2))
