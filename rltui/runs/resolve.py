"""Look-up of a saved state by what a person types: `RUN/005M`, `RUN/250000`, a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rltui.errors import RltuiError, did_you_mean, hints, nearest
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


def find_checkpoint(data: DataDir, text: str, retyped: Retyped = str) -> tuple[RunPaths, CheckpointInfo]:
    """The run and the state. RltuiError where there is none, or several are meant: with what to type instead."""
    path = absolute(text)
    run = run_of(data, path)
    if run is not None and is_folder(path):
        return run, next((info for info in list_states(run) if info.path == path), read_checkpoint_info(path))
    name, _, rest = text.strip("/").partition("/")
    if name_problem(name) is not None or not data.has_run(name):
        raise _in_no_run(data, text.strip("/"), retyped)
    if not rest:
        raise _only_a_run(data.run(name), retyped)
    return data.run(name), _of_run(data.run(name), rest, retyped)


def names_checkpoint(data: DataDir, text: str) -> bool:
    """Whether a saved state is meant, and no file: `alpha/005M` where there is a run alpha; `005M`, which lacks its run."""
    name, _, rest = text.partition("/")
    return bool(LABEL.fullmatch(text)) or bool(rest and name_problem(name) is None and data.has_run(name))


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
    states = [f"{name}/{state}" for name in data.run_names() for state in _names(data.run(name))]
    meant = [state for state in states if text and state.endswith(f"/{text}")]
    if meant:
        return missing_run_error(text, meant, retyped)
    example = f", as in {states[-1]}" if states else ""
    return RltuiError(
        f"{text or 'an empty name'}: there is no such saved state in {data.root}",
        hints(
            did_you_mean(text, with_short_names(states)), f"write RUN/MILESTONE{example}; rltui milestones lists them"
        ),
    )


def _only_a_run(run: RunPaths, retyped: Retyped) -> RltuiError:
    states = list(_names(run))
    newest = f"its newest: {retyped(f'{run.name}/{states[-1]}')}" if states else ""
    return RltuiError(
        f"{run.name} is a run: name one of its saved states",
        hints(newest, f"all: rltui milestones list {run.name}"),
        exit_code=2,
    )


def _of_run(run: RunPaths, rest: str, retyped: Retyped) -> CheckpointInfo:
    found = {info.address: info for info in list_states(run)}
    if rest in found:
        return found[rest]
    meant = [name for name in found if name.rpartition("/")[2] == rest]
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


def _names(run: RunPaths) -> Iterator[str]:
    """Of checkpoints, then of milestones, oldest first."""
    yield from (info.address for info in [*list_checkpoints(run), *list_milestones(run)])
