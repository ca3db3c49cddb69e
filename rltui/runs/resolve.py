"""Look-up of a run or saved state by what a person types: `RUN/005M`, `RUN/250000`, as a screen or the ladder calls it, a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rltui.errors import RltuiError, did_you_mean, hints, nearest
from rltui.formatting import tells, timesteps_of
from rltui.registry import BUILT_IN, OPPONENTS, STARTER
from rltui.runs import checkpoint
from rltui.runs.inventory import (
    LABEL,
    CheckpointInfo,
    complete_checkpoints,
    list_checkpoints,
    list_milestones,
    list_states,
    read_checkpoint_info,
)
from rltui.runs.paths import DataDir, RunPaths, absolute, is_folder, name_problem, run_of

Retyped = Callable[[str], str]  # `alpha/005M` → what to type with that in the place of what was typed
MOST_CHOICES = 8  # commands in one hint
_PLAYER = re.compile(r"([^@#/]+)@([0-9]+)(#[0-9a-f]{8})?")  # as the ladder has it


def find_run(data: DataDir, text: str) -> RunPaths:
    """As `run_called`. RltuiError where there is none, too."""
    found = run_called(data, text)
    if found is None:
        near = did_you_mean(text, data.run_names())
        raise RltuiError(
            f"no run {text} in {data.root}",
            hints(_of_opponent(data, text), near, "list runs: rltui ls; other folder: --data-dir DIR"),
        )
    return found


def run_called(data: DataDir, text: str) -> RunPaths | None:
    """The run of that name, else the only one that ends so: `b2` of alpha-b2. RltuiError (exit 2) where several do."""
    if name_problem(text) is not None or data.has_run(text):
        return data.run(text) if name_problem(text) is None else None
    meant = [name for name in data.run_names() if name.endswith(f"-{text}")]
    if len(meant) > 1:
        raise RltuiError(f"{len(meant)} runs end with -{text}: {', '.join(meant)}", "name one", exit_code=2)
    return data.run(meant[0]) if meant else None


def state_address(text: str) -> str:
    """`alpha/250000` of the player `alpha@250000#0000000a`, also without the hash; another text as it is."""
    return _PLAYER.sub(r"\1/\2", text) if _PLAYER.fullmatch(text) else text


def states_called(timesteps: Mapping[str, int | None], text: str) -> list[str]:
    """Which addresses are meant: by name, else by the timesteps of the name, else by those saved: `573.44k` of 573440, and
    also as rounded, `12.4M`, `12M`.
    """
    phase, _, last = text.rpartition("/")
    named = [name for name in timesteps if text in (name, name.rpartition("/")[2])]
    count = timesteps_of(last)
    if named or count is None:
        return named
    within = {name: saved for name, saved in timesteps.items() if phase in ("", name.rpartition("/")[0])}
    return (
        [name for name in within if timesteps_of(name.rpartition("/")[2]) == count]
        or [name for name, saved in within.items() if saved == count]
        or [name for name, saved in within.items() if saved is not None and tells(last, saved)]
    )


def find_checkpoint(data: DataDir, text: str, retyped: Retyped = str) -> tuple[RunPaths, CheckpointInfo]:
    """The run and the state. RltuiError where there is none, or several are meant: with what to type instead."""
    path = absolute(text)
    run = run_of(data, path)
    if run is not None and is_folder(path):
        return run, next((info for info in list_states(run) if info.path == path), read_checkpoint_info(path))
    name, _, rest = state_address(text).rstrip("/").partition("/")
    run = run_called(data, name) if name else None
    if run is None:
        raise _in_no_run(data, text if len(text) == 1 else text.rstrip("/"), retyped)
    if not rest:
        raise _only_a_run(run, retyped)
    return run, _of_run(run, rest, retyped)


def names_checkpoint(data: DataDir, text: str) -> bool:
    """Whether a saved state is meant, and no file: `alpha/005M` where there is a run alpha; `005M`, which lacks its run."""
    name, _, rest = state_address(text).partition("/")
    return bool(LABEL.fullmatch(text)) or bool(rest and run_called(data, name))


def newest_sound_before(paths: RunPaths, info: CheckpointInfo) -> CheckpointInfo | None:
    """The newest sound state saved before this one (of the run, where its place is not known). Reads every byte."""
    earlier = [
        other
        for other in complete_checkpoints(paths)
        if other.path != info.path and (info.commit is None or (other.commit or 0) <= info.commit)
    ]
    return next((other for other in reversed(earlier) if checkpoint.damage(other.path, thorough=True) is None), None)


def missing_run_error(text: str, meant: Sequence[str], retyped: Retyped) -> RltuiError:
    """For `005M`, where some runs have one. meant: `RUN/…`, one at least."""
    where = f"{meant[0].partition('/')[0]} has it" if len(meant) == 1 else f"{len(meant)} saved states are called so"
    return RltuiError(f"{text}: RUN/ is missing before it; {where}", choices_hint(meant, retyped), exit_code=2)


def choices_hint(meant: Sequence[str], retyped: Retyped) -> str:
    """The commands, one of which is to be typed."""
    more = f"and {len(meant) - MOST_CHOICES} more: rltui milestones lists them" if len(meant) > MOST_CHOICES else ""
    head = "type: " if len(meant) == 1 else "type one of:\n  "
    return hints(head + "\n  ".join(map(retyped, meant[:MOST_CHOICES])), more)


def _in_no_run(data: DataDir, text: str, retyped: Retyped) -> RltuiError:
    found = {name: _timesteps(_in_lists(data.run(name))) for name in data.run_names()}
    states = [f"{name}/{state}" for name, own in found.items() for state in own]
    meant = [f"{name}/{state}" for name, own in found.items() for state in states_called(own, text)] if text else []
    if meant:
        return missing_run_error(text, meant, retyped)
    example = f", as in {states[-1]}" if states else ""
    return RltuiError(
        f"{text or 'an empty name'}: there is no such saved state in {data.root}",
        hints(
            _of_opponent(data, text.partition("/")[0]),
            did_you_mean(text, with_short_names(states)),
            f"write RUN/MILESTONE{example}; rltui milestones lists them",
        ),
    )


def _of_opponent(data: DataDir, name: str) -> str:
    """What to do with the name of an opponent where a run is expected; empty for another."""
    known = name.lower()
    if known not in OPPONENTS:
        return ""
    older = "an older run of that name: rename its folders in runs, checkpoints and checkpoints/milestones"
    what = "the bot that comes with rltui" if known == STARTER else "an opponent of rltui"
    plays = known == STARTER or known in BUILT_IN["player"]
    use = f"rltui watch {known}, rltui eval RUN {known}" if plays else f'game.opponent = "{known}"'
    return hints(f"{known} is {what}: {use}", older if RunPaths(data, name).exists() else "")


def _only_a_run(run: RunPaths, retyped: Retyped) -> RltuiError:
    last = max(_in_lists(run), key=lambda info: info.commit or 0, default=None)
    newest = f"its newest: {retyped(f'{run.name}/{last.address}')}" if last else ""
    return RltuiError(
        f"{run.name} is a run: name one of its saved states",
        hints(newest, f"all: rltui milestones list {run.name}"),
        exit_code=2,
    )


def _of_run(run: RunPaths, rest: str, retyped: Retyped) -> CheckpointInfo:
    found = {info.address: info for info in list_states(run)}
    if rest in found:
        return found[rest]
    meant = states_called(_timesteps(found.values()), rest)
    if len(meant) > 1:
        commands = choices_hint([f"{run.name}/{name}" for name in meant], retyped)
        raise RltuiError(f"{rest} of run {run.name!r} may be {' or '.join(meant)}", commands, exit_code=2)
    if not meant:
        near = _nearest_count(rest, found) or nearest(rest, [*found, *(name.rpartition("/")[2] for name in found)])
        raise RltuiError(
            f"run {run.name!r} has no saved state {rest!r}",
            hints(
                f'did you mean "{run.name}/{near}"?' if near else "",
                f"those it has: rltui milestones list {run.name}",
            ),
        )
    return found[meant[0]]


def _nearest_count(rest: str, names: Iterable[str]) -> str:
    """Of checkpoints asked for by a step count, the one nearest to it."""
    counts = [int(name) for name in names if name.isdecimal()] if rest.isdecimal() else []
    return str(min(counts, key=lambda count: abs(count - int(rest[:18])))) if counts else ""


def with_short_names(states: Iterable[str]) -> Iterator[str]:
    """`alpha/Phase1-Quick/005M`, and `alpha/005M`, by which it is known too."""
    for state in states:
        yield state
        yield f"{state.partition('/')[0]}/{state.rpartition('/')[2]}"


def _timesteps(infos: Iterable[CheckpointInfo]) -> dict[str, int | None]:
    return {info.address: info.timesteps for info in infos}


def _in_lists(run: RunPaths) -> list[CheckpointInfo]:
    """Checkpoints, then milestones, oldest first."""
    return [*list_checkpoints(run), *list_milestones(run)]
