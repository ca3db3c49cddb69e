"""Which action table an argument means: a file, a function, a profile's, a run's, a checkpoint's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rltui import safe_io
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import ActionTable
from rltui.env.from_profile import MASKED_TABLES, env_spec
from rltui.errors import RltuiError, did_you_mean
from rltui.field import CONTROLS
from rltui.policy.saved import foreign_game, load_policy
from rltui.profile.components import absolute_name, complete_parameters, placed_components
from rltui.profile.load import LoadResult, read
from rltui.profile.locate import list_profiles
from rltui.profile.source import ProfileError, read_source
from rltui.registry import BUILT_IN, TABLE_FILES, Component, build
from rltui.runs import rlgym_ppo
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.paths import DataDir
from rltui.runs.resolve import find_checkpoint, names_checkpoint, run_called
from rltui.sim.state import Float

COLUMNS = f"each row has {', '.join(CONTROLS)}"
OPTIONS = ("legality", "fallback_row", "recovery_row", "clip")  # of [actions], as PipelineOptions has them


@dataclass(frozen=True)
class Subject:
    """A table and how it is played."""

    name: str  # what it is, in words
    rows: Float  # [N, 8] as it is, whatever is in it
    options: PipelineOptions
    meshes: str | None = None
    first_row: str = ""  # the line of its file on which row 0 stands


def subject(argument: str, data: DataDir | None = None) -> Subject | None:
    """None where there is no action table. data: where runs may be meant too, by name. RltuiError when there is nothing of
    that name, or it cannot be read.
    """
    path = safe_io.path_of(argument)
    if path.name.lower().endswith(TABLE_FILES) or ":" in argument or argument in BUILT_IN["action table"]:
        return _of_table(argument)
    if path.name == POLICY_FILE or path.is_dir():
        return _of_checkpoint(path)
    if data is not None and names_checkpoint(data, argument):
        return _of_checkpoint(find_checkpoint(data, argument, lambda state: f"rltui lut {state}")[1].path)
    if _is_name(argument):
        run = run_called(data, argument) if data is not None else None
        if run is not None and run.profile.is_file():
            found = _of_profile(str(run.profile))
            return (
                None
                if found is None
                else replace(found, name=f"{found.name.partition(' of profile')[0]} of run {run.name}")
            )
        _check_known(argument, [] if data is None else data.run_names())
    return _of_profile(argument)


def _is_name(argument: str) -> bool:
    """A bare word, and not the name of a profile."""
    path = Path(argument)
    return path.name == argument and not path.exists() and argument not in [listed.name for listed in list_profiles()]


def _check_known(argument: str, runs: list[str]) -> None:
    """RltuiError with the nearest of what is known, where something is near; a file's name may still be a profile's."""
    hint = did_you_mean(argument, [*BUILT_IN["action table"], *(listed.name for listed in list_profiles()), *runs])
    if hint:
        tables = ", ".join(BUILT_IN["action table"])
        raise RltuiError(
            f"{argument}: no such action table, profile or run",
            f"{hint}\ntables: {tables}; or a profile, a .csv or .npy file, module:function, a checkpoint's folder",
            exit_code=2,
        )


def _of_profile(argument: str) -> Subject | None:
    reading = read(argument)
    if reading.profile is None:
        return _of_faulty_profile(reading)
    spec = env_spec(reading.profile)
    if spec.environment:
        raise foreign_game(spec.environment)
    table = build("action table", spec.table)
    where = f"the table {reading.profile.actions.table} of profile {reading.profile.name}"
    return Subject(where, _rows(table), spec.pipeline, spec.meshes, _first_row(table))


def _of_table(name: str) -> Subject:
    table = build("action table", Component(absolute_name(name, None)))
    options = PipelineOptions("mask" if name in MASKED_TABLES else "off")
    return Subject(f"the table {name}", _rows(table), options, first_row=_first_row(table))


def _of_checkpoint(path: Path) -> Subject | None:
    """A folder with a policy in it, or the policy's file. One of rlgym-ppo's own has no table: it was in their code."""
    file = path / POLICY_FILE if path.is_dir() else path
    if not file.is_file():
        if (path / rlgym_ppo.POLICY).is_file():
            return None
        raise RltuiError(f"{path}: no checkpoint, for it has no {POLICY_FILE}", "rltui ls shows the runs", exit_code=2)
    policy = load_policy(file)
    return Subject(f"the table of {path}", policy.table, PipelineOptions(legality=policy.legality))


def _of_faulty_profile(reading: LoadResult) -> Subject:
    """A profile whose only faults are its table's can be reported on all the same; of any other, its mistakes are told."""
    faults = ProfileError(reading.argument, reading.problems)
    if reading.path is None or not all(problem.key.startswith("actions") for problem in reading.problems):
        raise faults
    data = read_source(reading.path, str(reading.path)).data or {}
    part = next((part for part in placed_components(data) if part.kind == "action table"), None)
    if part is None:
        raise faults
    named = Component(absolute_name(part.name, reading.path.parent), part.options)
    try:
        table = build("action table", Component(named.name, complete_parameters("action table", named)))
        rows = _rows(table)
    except RltuiError:
        raise faults from None
    where = f"the table {part.name} of profile {reading.path.stem}"
    return Subject(where, rows, _options(data.get("actions", {})), first_row=_first_row(table))


def _options(actions: Mapping[str, Any]) -> PipelineOptions:
    """As far as they are of the right type."""
    chosen = {key: actions[key] for key in OPTIONS if isinstance(actions.get(key), str | int)}
    if chosen.get("legality") not in ("off", "mask", "fallback"):
        chosen.pop("legality", None)
    return PipelineOptions(**chosen)


def _rows(table: ActionTable) -> Float:
    """RltuiError where the table gives no array [N, 8] of numbers."""
    try:
        rows = np.asarray(table.rows(), np.float32)
    except (TypeError, ValueError) as error:
        raise RltuiError(f"action table: its rows are no numbers: {error}", COLUMNS, exit_code=2) from error
    if rows.ndim != 2 or rows.shape[1] != 8 or not len(rows):
        found = f"action table: expected rows of 8 numbers, found an array {list(rows.shape)}"
        raise RltuiError(found, COLUMNS, exit_code=2)
    return rows


def _first_row(table: ActionTable) -> str:
    where = table.where(0)
    return where if ", line " in where else ""
