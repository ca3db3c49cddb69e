"""rltui diagnose."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import Subparsers, add_command, add_json, between
from rltui.errors import RltuiError
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.debug.diagnose import Diagnosis
    from rltui.debug.recommend import PlayFigures

PARTS = ("env", "inference", "learner", "ipc", "gpu")
FORCE = "write what was measured even if the machine was busy with other things"
MORE = "Takes about a minute. Creates no run. Steps per second as rltui bench has them, less exactly."


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers, "diagnose", "find what slows training here, and the settings for this machine",
        "rltui diagnose my-bot --write my-bot", MORE,
    )  # fmt: skip
    add = parser.add_argument
    add("profile", metavar="PROFILE", nargs="?", default="quick", help="profile to measure (default: quick)")
    add("--only", choices=PARTS, action="append", help="only this part; repeatable")
    add("--seconds", type=between(0.01, 60), default=2.0, metavar="S", help="of each measurement (default 2)")
    add("--write", metavar="NAME", help="write the settings to PROFILE itself, or to a copy of a new name")
    add("--force", action="store_true", help=FORCE)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the findings; progress goes to standard error."""
    from rltui.supervise.matrix_kernel import choose_kernel
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    kernel = choose_kernel().words
    from dataclasses import asdict

    from rltui.cli.output import json_text
    from rltui.profile.copies import EditedFile
    from rltui.profile.load import load

    profile = load(args.profile)
    file = EditedFile.of(profile, args.profile, args.write) if args.write else None
    from rltui.debug.diagnose import diagnose
    from rltui.debug.recommend import changes

    found = diagnose(
        profile, args.only or PARTS, args.seconds, lambda part: say(f"measuring {part}", sys.stderr), kernel
    )
    changed = changes(profile, found.recommendations) if file else {}
    measured = any(one.key in changed and one.basis == "measured" for one in found.recommendations)
    refused = found.busy if measured and not args.force else ""
    if file and not refused and (changed or file.is_copy):
        file.write(changed, "rltui diagnose")
    if args.json:
        written = {"path": str(file.path), "settings": changed} if file and not refused else None
        say(json_text({**asdict(found), "written": written}))
    else:
        for line in _lines(found):
            say(line)
    if refused:
        raise RltuiError(f"nothing was written: {refused}", "write it all the same: --force")
    if file and not args.json:
        say(f"{file.path}: " + (", ".join(f"{key} = {value}" for key, value in changed.items()) or "nothing to change"))
        if profile.phases:
            say("ppo.… of a campaign stands in its phases' profiles")
        if (advice := _not_written(found)) is not None:
            say(advice)
    return 0


def _not_written(found: Diagnosis) -> str | None:
    """Why the bottleneck's setting stays; None where there is none, or it is one of those for this machine."""
    slow = found.bottleneck
    if slow is None or not slow.key or slow.key in {one.key for one in found.recommendations}:
        return None
    learned = slow.key.startswith(("ppo.", "policy."))
    why = "it changes what is learned" if learned else "it was not measured here"
    return f"not written: {slow.key} = {slow.value}: {why}"


def _lines(found: Diagnosis) -> Iterator[str]:
    from dataclasses import asdict

    from rltui.cli.output import aligned

    if found.env:
        table = aligned(list(_table(found.env)), right=frozenset(range(6)))
        yield from ("environment", *(f"  {line}" for line in table))
        yield "microseconds of an arena-step"
        yield from _figures(found.env[0].microseconds_per_arena_step)
    for part in ("inference", "learner", "ipc", "gpu", "machine"):
        if (figures := getattr(found, part)) is not None:
            yield from (part, *_figures(asdict(figures)))
    yield "settings for this machine"
    advised = [
        (one.key, str(one.value), "as it is" if one.value == one.now else f"now {one.now}", one.basis, one.why)
        for one in found.recommendations
    ]
    yield from (f"  {line}" for line in aligned(advised))
    yield from found.warnings
    yield f"bottleneck: {found.bottleneck.sentence if found.bottleneck else 'known once env and learner are measured'}"


def _table(played: tuple[PlayFigures, ...]) -> Iterator[tuple[str, ...]]:
    from rltui.formatting import UNKNOWN, percent

    yield "workers", "arenas", "steps/s", "bare simulator", "share", "waiting"
    for one in played:
        speed, limit = one.collected_steps_per_second, one.limit_steps_per_second
        bare = (f"{limit:,.0f}", percent(speed / limit)) if limit else (UNKNOWN, UNKNOWN)
        yield str(one.workers), str(one.arenas), f"{speed:,.0f}", *bare, percent(one.waiting)


def _figures(values: Mapping[str, Any]) -> Iterator[str]:
    """What is not known or not there is left out: the GPU's note says why."""
    from rltui.formatting import number, size

    for name, value in values.items():
        shown = size(value) if "memory" in name else number(value) if isinstance(value, float) else value
        if value not in (None, "") and (name, value) != ("gpu_memory", 0):
            yield f"  {name.replace('_', ' '):<32} {shown}"
