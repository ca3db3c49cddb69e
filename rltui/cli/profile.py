"""rltui profile."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json, add_overrides
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.checks.components import ComponentFault
    from rltui.env.spec import EnvSpec
    from rltui.profile.load import LoadResult
    from rltui.profile.models import Profile
    from rltui.profile.schema import SchemaKey
    from rltui.profile.source import Problem, ProfileSource


PROFILE_HELP = "a .toml file, a name in ./profiles, or a shipped profile"
INVALID = 2  # exit code
STDIN = "-"


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "profile", "write, check, show and compare profiles", "rltui profile new my-bot")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="profile_command", required=True)
    new = add_command(
        commands, "new", "write a commented profile to ./profiles; never overwrites",
        "rltui profile new my-bot --from phase-1-ball-touching",
    )  # fmt: skip
    new.add_argument("name", metavar="NAME", help="writes ./profiles/NAME.toml")
    new.add_argument("--from", metavar="PROFILE", dest="source", help="copy this one, comments and all")
    check = add_command(commands, "check", "check profiles; exit code 2 on any error", "rltui profile check my-bot")
    check.add_argument("profiles", metavar="PROFILE", nargs="+", help=f"{PROFILE_HELP}; - for stdin")
    check.add_argument("--as", metavar="PATH", dest="path", default="profile.toml", help="path that stdin stands for")
    add_data_dir(check)
    check.add_argument("--force", action="store_true", help="allow what rltui train --force allows")
    show = add_command(commands, "show", "print a profile with its defaults", "rltui profile show quick")
    show.add_argument("profile", metavar="PROFILE", help=PROFILE_HELP)
    diff = add_command(
        commands, "diff", "list where two profiles differ, defaults included", "rltui profile diff quick my-bot"
    )
    diff.add_argument("left", metavar="A", help=PROFILE_HELP)
    diff.add_argument("right", metavar="B", help=PROFILE_HELP)
    schema = add_command(
        commands, "schema", "list every key: type, range, unit, default, meaning", "rltui profile schema --json"
    )
    for command in (check, show):
        add_overrides(command)
    for command in (check, show, diff, schema):
        add_json(command)


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
    from rltui.profile.copies import write_new_profile
    from rltui.profile.locate import SHIPPED

    path = write_new_profile(args.name, args.source)
    if path.stem in SHIPPED:
        say(f"in this folder, {path.stem} is now that file, not the shipped profile")
    say(f"wrote {path}; next: rltui profile check {path.stem}, rltui train {path.stem}")
    return 0


def _check(args: argparse.Namespace) -> int:
    reports = [
        report_text(sys.stdin.buffer.read(), args.path, args.force, args.data_dir)
        if profile == STDIN
        else report(profile, args.overrides, args.force, args.data_dir)
        for profile in args.profiles
    ]
    if args.json:
        _say_json(reports[0] if len(reports) == 1 else reports)
    else:
        for line in (line for found in reports for line in _report_lines(found, args.overrides)):
            say(line)
    return 0 if all(found["valid"] for found in reports) else INVALID


def _report_lines(found: Mapping[str, Any], overrides: Sequence[str]) -> Iterator[str]:
    from rltui.formatting import plural
    from rltui.profile.source import Problem

    if not found["valid"]:
        yield f"[FAIL] {found['profile']}: {plural(len(found['errors']), 'error')}"
        yield from (f"  {Problem(**error)}" for error in found["errors"])
        if found["forcible"]:
            changes = [part for override in overrides for part in ("--set", override)]
            yield f"  train anyway: {shlex.join(['rltui', 'train', found['profile'], *changes, '--force'])}"
        return
    yield f"[OK] {found['profile']}: {_in_words(found['summary'])}"
    if by_games := found["summary"]["games_needed"]:
        each = ", ".join(f"{games} for {criterion}" for criterion, games in by_games.items())
        played = found["summary"]["evaluation_games"]
        yield f"  evaluation.games = {played}; needed at least, all won: {each}"
    yield from (f"  warning: {warning}" for warning in found["warnings"])


def _in_words(summary: Mapping[str, Any]) -> str:
    from rltui.formatting import megabytes, plural

    return (
        f"{summary['env'] or str(summary['blue']) + 'v' + str(summary['orange'])}, {summary['obs_size']} numbers observed, {summary['actions']} actions, "
        f"{summary['parameters']:,} parameters, {plural(summary['workers'], 'worker')} × {plural(summary['arenas'], 'arena')}, "
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
    from rltui.profile.load import load
    from rltui.profile.render import differences

    found = differences(load(args.left), load(args.right))
    if args.json:
        _say_json([vars(difference) for difference in found])
        return 0
    for difference in found:
        left, right = (side if side is not None else "absent" for side in (difference.left, difference.right))
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


def _entry_line(entry: SchemaKey) -> str:
    from rltui.profile.toml_text import default_words

    details = [entry.type, " ".join(filter(None, (entry.range, entry.unit)))]
    details.append("required" if entry.required else f"default {default_words(entry.default)}" if entry.default else "")
    return f"  {entry.key}: {', '.join(filter(None, details))}\n      {entry.doc}".rstrip()


def _say_json(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False).encode(
        "utf-8", "replace"
    )  # a file's name may be bytes that are no text
    say(json.dumps(json.loads(text), indent=2))


def report(
    argument: str, overrides: Sequence[str] = (), force: bool = False, data: str | None = None
) -> dict[str, Any]:
    """valid; errors {file, line, key, message, expected, found, hint}; forcible: --force would pass over all of them;
    warnings; signature and summary, null where the profile cannot be read that far. data: where saved bots are looked for.
    """
    from rltui.profile.load import read

    reading = read(argument, overrides)
    return _report(argument, reading, None, force, data)


def report_text(raw: bytes, path: str, force: bool = False, data: str | None = None) -> dict[str, Any]:
    """Of a text that may become that file."""
    from rltui.profile.load import read_text

    return _report(path, read_text(raw, Path(path)), raw, force, data)


def _report(argument: str, reading: LoadResult, raw: bytes | None, force: bool, data: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "profile": argument,
        "name": reading.path.stem if reading.path else argument,
        "path": str(reading.path) if reading.path else None,
        "valid": reading.profile is not None,
        "forcible": False,
        "errors": [problem.as_dict() for problem in reading.problems],
        "warnings": list(reading.notices),
        "signature": None,
        "summary": None,
    }
    if reading.profile is not None:
        tried = _tried(reading.profile, reading, raw, force, data)
        unbuilt = bool(reading.profile.env) and not tried.get("valid", True) and not tried["forcible"]
        found |= {} if unbuilt else _of_valid(reading.profile, reading)
        found |= tried
        messages = {error["message"] for error in found["errors"]}
        found["warnings"] = [warning for warning in found["warnings"] if warning not in messages]
    return found


def _of_valid(profile: Profile, reading: LoadResult) -> dict[str, Any]:
    import msgspec

    from rltui.env.from_profile import env_spec, said_settings, signature
    from rltui.profile.advice import advice
    from rltui.profile.curriculum import source_hashes, task_profile
    from rltui.profile.resolved import digest

    first = task_profile(profile)
    spec = env_spec(first)
    return {
        "warnings": [*reading.notices, *advice(profile), *_of_components(profile)],
        "signature": msgspec.to_builtins(signature(first, spec)),
        "summary": {
            **_texts(first),
            "hash": digest(profile),
            "sources": source_hashes(profile),
            "said": said_settings(profile),
            "phases": _phases(profile),
            "evaluation_games": profile.evaluation.games,
            "games_needed": _games_needed(profile),
            **_figures(first, spec),
        },
    }


def _tried(profile: Profile, reading: LoadResult, raw: bytes | None, force: bool, data: str | None) -> dict[str, Any]:
    """What its parts did when tried."""
    from rltui.checks.components import faults, missing_players
    from rltui.profile.source import read_source, source_of
    from rltui.runs.paths import data_dir

    missing = missing_players(profile, partial(data_dir, data))
    found = [] if missing and profile.env else faults(profile, reading.argument)
    if not found and not missing:
        return {}
    forcible = not missing and all(fault.forcible for fault in found)
    if force and forcible:
        return {"warnings": [fault.message for fault in found]}
    path = reading.path or Path(reading.argument)
    source = read_source(path, str(path)) if raw is None else source_of(raw, str(path))
    problems = [_problem(fault, source, path.parent) for fault in (*missing, *found)]
    return {"valid": False, "forcible": forcible, "errors": [problem.as_dict() for problem in problems]}


def _problem(fault: ComponentFault, source: ProfileSource, folder: Path) -> Problem:
    """On the line of the key as it is written: a component of one's own goes by its absolute path in the fault."""
    from rltui.profile.components import absolute_name, placed_components
    from rltui.profile.source import Problem, show_key

    written = (part.name_path for part in placed_components(source.data or {}))
    same = (path for path in written if (*path[:-1], absolute_name(str(path[-1]), folder)) == fault.path)
    path = next(same, fault.path)
    named = Problem(source.file, source.lines.nearest(path), show_key(path), fault.message)
    return replace(named, hint=f"see everything: rltui {fault.hint}" if fault.hint else fault.advice)


def _of_components(profile: Profile) -> list[str]:
    """Of every phase's and stage's observation and rewards, each sentence once."""
    from rltui.checks.components import obs_warnings
    from rltui.env.from_profile import env_spec, reward_warnings
    from rltui.profile.curriculum import task_profiles

    specs = [env_spec(task) for task in task_profiles(profile)]
    return list(dict.fromkeys(text for spec in specs for text in (*obs_warnings(spec), *reward_warnings(spec))))


def _phases(profile: Profile) -> list[dict[str, Any]]:
    """Of a campaign: what each phase pays, and when the next one begins."""
    return [
        {
            "profile": phase.name,
            "label": phase.label,
            "learning_rate": phase.ppo.learning_rate,
            "rewards": {name: section.weight for name, section in phase.rewards.items()},
            "until": entry.until,
            "min_steps": entry.min_steps,
            "max_steps": entry.max_steps,
        }
        for entry, phase in zip(profile.curriculum.phases, profile.phases, strict=True)
    ]


def _games_needed(profile: Profile) -> dict[str, int | None]:
    """Of each criterion by games; of an Elo that takes several milestones, no number says it."""
    from rltui.events.game_record import LEAST_GAMES, elo_of_all_won
    from rltui.profile.rules import BY_GAMES, EVALUATION, games_needed

    wanted = [(name, value) for phase in profile.curriculum.phases for name, value in phase.until.items()]
    return {
        f"{name} = {value:g}": games_needed(name, value)
        for name, value in wanted
        if (short := name.removeprefix(EVALUATION)) in BY_GAMES
        and (short != "elo" or value <= elo_of_all_won(LEAST_GAMES)[0])
    }


def _texts(profile: Profile) -> dict[str, Any]:
    from rltui.registry import Component

    return {
        "label": profile.label,
        "phase": profile.phase,
        "description": profile.description,
        "author": profile.author,
        "env": Component(profile.env).label,
        "obs": Component(profile.env).label or profile.obs.kind,
        "table": "" if profile.env else profile.actions.table,
        "policy": profile.policy.kind,
        "device": profile.learner.device,
        "rewards": {name: section.weight for name, section in profile.rewards.items()},
    }


def _figures(profile: Profile, spec: EnvSpec) -> dict[str, Any]:
    from rltui.env.from_profile import sizes
    from rltui.profile.advice import half_life
    from rltui.profile.resolved import estimate_memory, parameter_count, worker_count

    size = sizes(spec)
    policy = parameter_count(size.obs, profile.policy.layers, size.actions.outputs)
    critic = parameter_count(size.obs, profile.critic.layers, 1)
    needed = estimate_memory(profile, size.obs, size.actions.outputs)
    return {
        "obs_size": size.obs,
        "actions": size.actions.outputs,
        "parameters": policy + critic,
        "policy_parameters": policy,
        "critic_parameters": critic,
        "policy_layers": list(profile.policy.layers),
        "critic_layers": list(profile.critic.layers),
        "memory_mb": needed.total,
        "shared_memory_mb": needed.shared,
        "blue": spec.blue,
        "orange": spec.orange,
        "workers": worker_count(profile),
        "arenas": profile.collect.arenas,
        "learning_rate": profile.ppo.learning_rate,
        "gamma_half_life_s": None if profile.env else _finite(half_life(profile.ppo.gamma, profile.tick_skip)),
        "iteration": profile.ppo.iteration,
        "batch": profile.ppo.batch,
        "epochs": profile.ppo.epochs,
        "save_every": profile.save_every,
        "milestone_interval": profile.milestone_interval,
    }


def _finite(value: float) -> float | None:
    """JSON has no infinity: null."""
    return value if value < float("inf") else None
