"""rltui milestones."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import DATA_DIR, Subparsers, add_command, add_data_dir, add_json, named_or_newest_run
from rltui.errors import RltuiError, did_you_mean, hints
from rltui.safe_io import one_line, say

if TYPE_CHECKING:
    from rltui.runs.inventory import CheckpointInfo, Inventory, MilestoneMark
    from rltui.runs.paths import DataDir
    from rltui.runs.trash import Trashed

HEAD = ("STATE", "TIMESTEPS", "REWARD", "EPISODES", "ENTROPY", "KL", "SAVED", "SIZE", "MARKS", "NOTE")
RIGHT = frozenset({1, 2, 3, 4, 5, 7})
STATE = "alpha/005M, alpha/Phase1-Quick/005M, alpha/250000 (a checkpoint), or a folder"
EXAMPLES = """\
examples:
  rltui milestones                                     everything saved, by run
  rltui milestones list alpha --json
  rltui milestones check                               verify every byte of all
  rltui milestones keep alpha/250000                   make a checkpoint a milestone
  rltui milestones pin alpha/005M
  rltui milestones note alpha/005M "first aerial goal"
  rltui milestones delete alpha/Phase1-Quick/005M      move to the trash
  rltui milestones restore alpha/005M                  bring it back
  rltui milestones export alpha/010M ~/bots/alpha-10M

005M: the milestone at 5 million timesteps; 250000: the checkpoint at 250,000.
"""
OF_ONE = {
    "keep": ("copy a checkpoint to the milestones, which are never pruned", "keep alpha/250000"),
    "pin": ("protect a milestone from deletion", "pin alpha/005M"),
    "unpin": ("unpin a milestone", "unpin alpha/005M"),
    "release": ("mark a milestone as released: protected from deletion", "release alpha/010M"),
    "unrelease": ("unmark a released milestone", "unrelease alpha/010M"),
    "note": ("write a milestone's note", 'note alpha/005M "first aerial goal"'),
    "delete": ("move a milestone or checkpoint to the trash", "delete alpha/005M"),
    "restore": ("restore from the trash", "restore alpha/005M"),
    "export": (
        "copy a milestone or checkpoint elsewhere, verified; never overwrites",
        "export alpha/005M ~/bots",
    ),
}


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "milestones",
        help="list, keep, mark, delete, restore, export milestones and checkpoints",
        description="Manage milestones and checkpoints. Without COMMAND: list.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_data_dir(parser)
    add_json(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="milestones_command")
    listed = _command(commands, "list", "list what is saved, and why an entry is damaged or unrecognised", "list alpha")
    listed.add_argument("run", metavar="RUN", nargs="?", help="this run only")
    check = _command(
        commands, "check", "verify every byte by its hash; exit code 1 if any state is damaged", "check alpha/005M"
    )
    check.add_argument(
        "state", metavar="RUN[/MILESTONE]", nargs="?", help=f"{STATE}; a run: all of it (default: all runs)"
    )
    for name, (summary, example) in OF_ONE.items():
        _command(commands, name, summary, example).add_argument("state", metavar="RUN/MILESTONE", help=STATE)
    commands.choices["note"].add_argument("text", metavar="TEXT", help='"" removes the note')
    commands.choices["export"].add_argument(
        "target", metavar="PATH", help="a new folder, or an existing one to put it in"
    )
    commands.choices["export"].add_argument("--policy", action="store_true", help="policy.npz only")
    trash = _command(commands, "trash", "list the trash", "trash --empty")
    trash.add_argument("--empty", action="store_true", help="delete all of it for good")


def _command(commands: Subparsers, name: str, summary: str, example: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, summary, f"rltui milestones {example}")
    # SUPPRESS: what was said before the sub-command is not taken back by its default
    parser.add_argument("--data-dir", metavar="DIR", default=argparse.SUPPRESS, help=DATA_DIR)
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser


def run(args: argparse.Namespace) -> int:
    """Returns the exit code; raises RltuiError for what cannot be done."""
    from rltui.runs.paths import data_dir

    runners: dict[str, Callable[[argparse.Namespace, DataDir], int]] = {
        "list": _list, "check": _check, "keep": _keep, "delete": _delete, "restore": _restore, "trash": _trash, "export": _export,
    }  # fmt: skip
    return runners.get(args.milestones_command or "list", _mark)(args, data_dir(args.data_dir))


def _retyped(args: argparse.Namespace) -> Callable[[str], str]:
    """The command that was typed, with another state in it."""
    import shlex

    rest = [word for word in (getattr(args, "text", None), getattr(args, "target", None)) if word is not None]
    rest += ["--policy"] if getattr(args, "policy", False) else []
    rest += ["--data-dir", args.data_dir] if args.data_dir else []
    return lambda state: shlex.join(["rltui", "milestones", args.milestones_command, state, *rest])


def _list(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.inventory import read_inventory, unrecognised_among_runs

    name = getattr(args, "run", None)
    names = [named_or_newest_run(data, name).name] if name else data.run_names()
    inventories = [read_inventory(data.run(each)) for each in names]
    if args.json:
        document = {"data_dir": str(data.root), "runs": [as_dict(inventory) for inventory in inventories]}
        _say_json(document)
    else:
        say("\n".join(lines(data, inventories, [] if name else unrecognised_among_runs(data), time.time())))
    return 0


def _check(args: argparse.Namespace, data: DataDir) -> int:
    """Of one state, a run or all runs; each is told once its bytes are read."""
    from rltui.runs.checkpoint import damage
    from rltui.runs.inventory import list_states
    from rltui.runs.resolve import find_checkpoint, run_called

    run = run_called(data, args.state) if args.state is not None else None
    is_one = args.state is not None and run is None
    runs = [run] if run is not None else [data.run(name) for name in data.run_names()]
    meant = [(paths, info) for paths in runs for info in list_states(paths)]
    found: list[dict[str, Any]] = []
    for paths, info in [find_checkpoint(data, args.state, _retyped(args))] if is_one else meant:
        reason = info.damage or damage(info.path, thorough=True)
        if reason is not None and not info.path.exists():
            continue  # pruned meanwhile
        found.append({"run": paths.name, "name": info.name, "path": str(info.path), "damage": reason})
        if not args.json:
            say(f"{info.name} of run {paths.name}: {'sound, every byte' if reason is None else reason}")
    damaged = sum(each["damage"] is not None for each in found)
    if args.json:
        _say_json(found[0] if is_one else found)
    elif not is_one:
        say(f"{len(found)} checked, {damaged} damaged")
    return 1 if damaged else 0


def _keep(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.keep import keep_checkpoint
    from rltui.runs.resolve import find_checkpoint

    paths, info = find_checkpoint(data, args.state, _retyped(args))
    copy = keep_checkpoint(paths, info)
    if args.json:
        aside = None if copy.set_aside is None else str(copy.set_aside)
        found = {"milestone": copy.milestone, "path": str(copy.path), "present": copy.present, "set_aside": aside}
        _say_json({"run": paths.name, **found})
    elif copy.present:
        say(f"{info.name} of run {paths.name} is already kept as {copy.milestone}")
    else:
        say(f"kept {info.name} of run {paths.name} as milestone {copy.milestone}")
        if copy.set_aside is not None:
            say(f"a damaged one of that name was moved to {copy.set_aside}")
        say(f"resume it: rltui train PROFILE --resume {paths.name}/{copy.milestone}")
    return 0


def _mark(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.inventory import change_mark
    from rltui.runs.keep import check_markable
    from rltui.runs.resolve import find_checkpoint

    paths, info = find_checkpoint(data, args.state, _retyped(args))
    check_markable(info)
    mark = change_mark(paths, info.milestone, _changing(args))
    if args.json:
        _say_json({"run": paths.name, "milestone": info.milestone, "mark": _plain(mark)})
    else:
        words = [word for word, holds in (("pinned", mark.pinned), ("released", mark.released)) if holds]
        words += [f"note: {mark.note}"] if mark.note else []
        say(f"{info.name} of run {paths.name}: {', '.join(words) or 'no marks'}")
    return 0


def _changing(args: argparse.Namespace) -> Callable[[MilestoneMark], MilestoneMark]:
    import msgspec

    changes: dict[str, dict[str, Any]] = {
        "pin": {"pinned": True}, "unpin": {"pinned": False}, "release": {"released": True},
        "unrelease": {"released": False}, "note": {"note": getattr(args, "text", "").strip()},
    }  # fmt: skip
    return lambda mark: msgspec.structs.replace(mark, **changes[args.milestones_command])


def _delete(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.resolve import find_checkpoint
    from rltui.runs.trash import delete

    paths, info = find_checkpoint(data, args.state, _retyped(args))
    trashed = delete(paths, info)
    if args.json:
        _say_json(_plain(trashed))
    else:
        say(f"moved {info.name} of run {paths.name} to the trash: {trashed.folder}")
        say(f"undo: rltui milestones restore {paths.name}/{info.address}")
    return 0


def _restore(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.trash import restore

    trashed = _deleted(args.state, data, _retyped(args))
    target = restore(data, trashed)
    if args.json:
        _say_json({"run": trashed.run, "name": trashed.name, "path": str(target)})
    else:
        say(f"restored {trashed.name} of run {trashed.run}: {target}")
    return 0


def _deleted(text: str, data: DataDir, retyped: Callable[[str], str]) -> Trashed:
    """The newest in the trash that the words fit: its place there, its old folder, or `RUN/…` with its name's end."""
    from rltui.runs.paths import absolute
    from rltui.runs.resolve import missing_run_error, run_called, states_called, with_short_names
    from rltui.runs.trash import list_trash

    typed, _, rest = text.strip("/").partition("/")
    paths = run_called(data, typed)
    run = typed if paths is None else paths.name  # it may be gone
    trash = list_trash(data)
    for entry in trash:
        by_path = absolute(text) in (entry.folder, data.root / entry.place)
        if by_path or (entry.run == run and states_called({entry.state: None}, rest)):
            return entry
    names = [f"{entry.run}/{entry.state}" for entry in trash]
    if meant := [name for name in names if name.endswith(f"/{text.strip('/')}")]:
        raise missing_run_error(text, meant, retyped)
    near = did_you_mean(text, with_short_names(names))
    raise RltuiError(f"{text} is not in the trash", hints(near, "list it: rltui milestones trash"))


def _trash(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.trash import empty_trash, list_trash

    entries = empty_trash(data) if args.empty else list_trash(data)
    if args.json:
        _say_json([_plain(entry) for entry in entries])
    elif args.empty:
        say(f"deleted for good: {len(entries)}")
    else:
        say("\n".join(trash_lines(entries, time.time())))
    return 0


def _export(args: argparse.Namespace, data: DataDir) -> int:
    from rltui.runs.keep import export_folder, export_policy, export_target
    from rltui.runs.resolve import find_checkpoint

    paths, info = find_checkpoint(data, args.state, _retyped(args))
    target = export_target(data, info, args.target, policy=args.policy)
    (export_policy if args.policy else export_folder)(info, target)
    if args.json:
        _say_json({"run": paths.name, "name": info.name, "path": str(target)})
    else:
        say(f"copied {info.name} of run {paths.name} to {target}, verified")
    return 0


def _plain(value: object) -> Any:
    import msgspec

    return msgspec.to_builtins(value)


def _say_json(value: Any) -> None:
    from rltui.cli.output import json_text

    say(json_text(value))


def lines(
    data: DataDir, inventories: Sequence[Inventory], unrecognised: Sequence[CheckpointInfo], now: float
) -> list[str]:
    """Each run's table, damaged and unrecognised entries with their reasons below it."""
    from rltui.cli.output import aligned

    if not inventories and not unrecognised:
        return [f"no runs in {data.root}; start one: rltui train PROFILE"]
    found: list[str] = []
    for inventory in inventories:
        parent = f", from {one_line(inventory.parent)}" if inventory.parent else ""
        found += [*([""] if found else []), f"{inventory.run}{', training' if inventory.trainer else ''}{parent}"]
        infos = inventory.states
        rows = [HEAD, *(_row(info, now) for info in infos)] if infos else []
        found += [f"  {line}" for line in aligned(rows, RIGHT)] or ["  nothing saved yet"]
        found += _best(inventory)
        found += [f"  protected: {one_line(each.name)}, the best to return to" for each in infos if each.protected]
        found += [f"  damaged: {one_line(info.name)}: {one_line(info.damage)}" for info in infos if info.damage]
        found += [f"  unrecognised: {one_line(entry.path)}: {entry.damage}" for entry in inventory.unrecognised]
        found += [f"  {inventory.problem}"] if inventory.problem else []
    return found + [f"unrecognised: {one_line(entry.path)}: {entry.damage}" for entry in unrecognised]


def _best(inventory: Inventory) -> list[str]:
    """What `best` in the table means, and of which states the reward does not count."""
    from rltui.runs.best import describe_best

    found = [f"  best by reward: {one.timesteps:,}, the {describe_best(one)}" for one in inventory.best]
    if inventory.best_rated is not None:
        found.append(f"  best by games: {inventory.best_rated:,}, not pruned; rltui ladder {inventory.run} has the Elo")
    doubts = [info for info in inventory.states if info.damage is None and info.caveat]
    return found + [f"  reward does not count: {one_line(info.name)}: {info.caveat}" for info in doubts]


def _row(info: CheckpointInfo, now: float) -> tuple[str, ...]:
    from rltui.cli.output import number
    from rltui.formatting import UNKNOWN, ago, size

    meta, mark = info.meta, info.mark
    named = (("best", info.best is not None), ("pinned", mark.pinned), ("released", mark.released))
    marks = [word for word, holds in named if holds]
    return (
        info.address,
        number(info.timesteps),
        number(meta.mean_reward if meta else None, ".3f"),
        number(meta.reward_episodes or None if meta else None),
        number(meta.entropy if meta else None, ".3f"),
        number(meta.approx_kl if meta else None, ".4f"),
        ago(now - meta.time) if meta else UNKNOWN,
        size(info.bytes),
        "damaged" if info.damage else " ".join(marks) or UNKNOWN,
        mark.note,
    )


def trash_lines(entries: Sequence[Trashed], now: float) -> list[str]:
    """What can be restored."""
    from rltui.cli.output import aligned, number
    from rltui.formatting import ago

    if not entries:
        return ["the trash is empty"]
    rows = [("RUN", "STATE", "TIMESTEPS", "DELETED", "PLACE")]
    rows += [(e.run, e.name, number(e.timesteps), ago(now - e.time), str(e.folder)) for e in entries]
    return aligned(rows, frozenset({2}))


def as_dict(inventory: Inventory) -> dict[str, Any]:
    """One run; unknown is null."""
    return {
        "run": inventory.run,
        "training": inventory.trainer is not None,
        "parent": inventory.parent,
        "milestones": [_state(info) for info in inventory.milestones],
        "checkpoints": [_state(info) for info in inventory.checkpoints],
        "strays": [{"path": str(entry.path), "reason": entry.damage} for entry in inventory.unrecognised],
        "problem": inventory.problem or None,
    }


def _state(info: CheckpointInfo) -> dict[str, Any]:
    import msgspec

    return {
        "path": str(info.path),
        "name": info.name,
        "timesteps": info.timesteps,
        "bytes": info.bytes,
        "damage": info.damage,
        "best": info.best is not None,
        "spared": info.protected,
        "doubt": info.caveat or None,
        "mark": msgspec.to_builtins(info.mark) if info.milestone else None,
        "meta": msgspec.to_builtins(info.meta),
    }
