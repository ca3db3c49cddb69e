"""Components that a profile names: found, imported when it is checked, their parameters validated and completed."""

from __future__ import annotations

import dataclasses
import importlib
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from rltui import safe_io
from rltui.errors import RltuiError, did_you_mean, in_words, where_in
from rltui.profile.locate import user_folder
from rltui.profile.models import (
    ActionsSection,
    ObsSection,
    ResetSection,
    RewardSection,
    Section,
    TerminalSection,
    whole_number,
)
from rltui.profile.toml_lines import KeyPath
from rltui.profile.validation import MESSAGES, ValidationFinding, plain, validate
from rltui.registry import (
    BUILT_IN,
    MIRROR,
    OPPONENTS,
    STARTER,
    TABLE_FILES,
    Component,
    Kind,
    UnusableFileError,
    build,
    environment,
    is_frozen,
    is_saved_bot,
    resolve,
)
from rltui.user_files import is_module, module_file

BASES: Mapping[Kind, str] = {
    "obs": "rltui.obs.builder:ObsBuilder",
    "action table": "rltui.actions.table:ActionTable",
    "reward": "rltui.rewards.base:Reward",
    "reset": "rltui.sim.resets.base:Reset",
    "terminal": "rltui.sim.terminals:Terminal",
    "player": "rltui.opponents.base:ScriptedPlayer",
}
SECTIONS: Mapping[Kind, type[Section]] = {
    "obs": ObsSection,
    "action table": ActionsSection,
    "reward": RewardSection,
    "reset": ResetSection,
    "terminal": TerminalSection,
}
OWN: Mapping[Kind, tuple[str, ...]] = {kind: tuple(section.model_fields) for kind, section in SECTIONS.items()}
OWN_NAME = "path/to/file.py:Class"
CHECKED = ("legality", "fallback_row", "recovery_row")  # keys of [actions] that rest on the table's rows


@dataclasses.dataclass(frozen=True)
class PlacedComponent:
    """A component as a profile's raw values have it. path: of its table or value; name_path: of its name; own: the
    profile's own keys, which stand beside the component's parameters; its name, if in one of them, in the first.
    """

    kind: Kind
    name: str
    options: Mapping[str, Any]
    path: KeyPath
    name_path: KeyPath
    own: tuple[str, ...]


def placed_components(data: Mapping[str, Any]) -> Iterator[PlacedComponent]:
    """Every component that raw values name; what is not even of the right type is left to the models."""
    yield from _one("obs", data.get("obs", {}), ("obs",), "default")
    yield from _one("action table", data.get("actions", {}), ("actions",), "rlgym")
    yield from _game(data, ())
    mechanics = data.get("mechanics")
    if isinstance(mechanics, Mapping):
        yield from _game(mechanics, ("mechanics",))
    yield from _player(data.get("game"), ("game",))
    selfplay = data.get("selfplay")
    for index, name in enumerate(_list(selfplay.get("scripted") if isinstance(selfplay, Mapping) else None)):
        if isinstance(name, str) and name:
            path = ("selfplay", "scripted", index)
            yield PlacedComponent("player", name, {}, path, path, ())
    curriculum = data.get("curriculum")
    for index, stage in enumerate(_list(curriculum.get("stages") if isinstance(curriculum, Mapping) else None)):
        path = ("curriculum", "stages", index)
        yield from _player(stage, path)
        yield from _several("reset", stage.get("resets") if isinstance(stage, Mapping) else None, (*path, "resets"))


def _game(table: Mapping[str, Any], path: KeyPath) -> Iterator[PlacedComponent]:
    """What a whole profile, or its practice arena group, says of rewards, resets and terminals."""
    rewards = table.get("rewards")
    for name, value in rewards.items() if isinstance(rewards, Mapping) else ():
        options = _options(value, OWN["reward"]) if isinstance(value, Mapping) else {}
        yield PlacedComponent(
            "reward", name, options, (*path, "rewards", name), (*path, "rewards", name), OWN["reward"]
        )
    yield from _several("reset", table.get("resets"), (*path, "resets"))
    yield from _several("terminal", table.get("terminals"), (*path, "terminals"))


def _several(kind: Kind, tables: Any, path: KeyPath) -> Iterator[PlacedComponent]:
    for index, table in enumerate(_list(tables)):
        yield from _one(kind, table, (*path, index))


def _player(table: Any, path: KeyPath) -> Iterator[PlacedComponent]:
    """The opponent; the learner itself and saved bots are no components."""
    name = table.get("opponent", MIRROR) if isinstance(table, Mapping) else MIRROR
    if isinstance(name, str) and name not in ("", MIRROR) and not is_frozen(name):
        yield PlacedComponent("player", name, {}, (*path, "opponent"), (*path, "opponent"), ())


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _one(kind: Kind, table: Any, path: KeyPath, default: str = "") -> Iterator[PlacedComponent]:
    """A component whose name stands in the first of the profile's own keys."""
    own = OWN[kind]
    name = table.get(own[0], default) if isinstance(table, Mapping) else None
    if isinstance(name, str) and name:
        name_path = (*path, own[0]) if own[0] in table else path
        yield PlacedComponent(kind, name, _options(table, own), path, name_path, own)


def _options(table: Mapping[str, Any], own: tuple[str, ...]) -> dict[str, Any]:
    return {key: item for key, item in table.items() if key not in own}


def absolute_name(name: str, folder: Path | None) -> str:
    """`file.py:Class`, `table.csv` or `module:Class` as the whole path of its file, so that it means the same from every
    folder; a registered name or an installed module as it is.
    """
    if name.lower().endswith(TABLE_FILES):
        return str(absolute(name, folder))
    source, colon, class_name = name.rpartition(":")
    if not source:
        return name
    file = module_file(source, _around(folder)) if is_module(source) else absolute(source, folder)
    return name if file is None else f"{safe_io.real(file)}{colon}{class_name}"


def absolute(file: str, folder: Path | None) -> Path:
    """A file that a profile names: the first that is there, else in the working folder."""
    path = safe_io.path_of(file)
    return safe_io.real(next((place / path for place in _around(folder) if (place / path).is_file()), path))


def absolute_bots(data: dict[str, Any], folder: Path | None) -> None:
    """Write the whole path of each saved bot that an opponent's path means; what is none, as `RUN/005M`, stays."""
    curriculum = data.get("curriculum")
    stages = _list(curriculum.get("stages") if isinstance(curriculum, Mapping) else None)
    for table in (data.get("game"), *stages):
        name = table.get("opponent") if isinstance(table, dict) else None
        if isinstance(table, dict) and isinstance(name, str) and is_saved_bot(name):
            found = (place / safe_io.path_of(name) for place in _around(folder) if name != STARTER)
            table["opponent"] = next((str(safe_io.real(path)) for path in found if path.exists()), name)


def _around(folder: Path | None) -> list[Path]:
    """Where what a profile names may lie: beside it, beside ./profiles, in the working folder."""
    beside = [] if folder is None else [folder, folder.parent] if folder.name == user_folder().name else [folder]
    return [*beside, Path.cwd()]


def repeated_rewards(data: Mapping[str, Any], folder: Path | None) -> Iterator[ValidationFinding]:
    """Rewards that are one class, named in two ways: the first would be lost."""
    first: dict[tuple[KeyPath, str], str] = {}
    for part in placed_components(data):
        if part.kind == "reward":
            written = first.setdefault((part.path[:-1], absolute_name(part.name, folder)), part.name)
            if written != part.name:
                yield ValidationFinding(part.path, "the same reward is named twice", f"{written} alone", part.name)


def file_parameters(part: PlacedComponent, folder: Path | None) -> dict[str, str]:
    """The component's parameters that are files (`file` in their metadata), absolute; none of what is no component."""
    try:
        fields = dataclasses.fields(resolve(part.kind, absolute_name(part.name, folder)).Params)
    except (RltuiError, AttributeError, TypeError):  # `check_component` says so
        return {}
    given = {field.name: part.options.get(field.name) for field in fields if field.metadata.get("file")}
    return {name: str(absolute(value, folder)) for name, value in given.items() if isinstance(value, str) and value}


def check_component(part: PlacedComponent, folder: Path | None, unusable: set[str]) -> list[ValidationFinding]:
    """Import it, compare its parameters, build it once: whatever goes wrong is a finding. folder: of the profile.
    unusable: files about which everything has been said; one that does not import is added.
    """
    name = absolute_name(part.name, folder)
    file = name.rpartition(":")[0]
    if file in unusable:
        return []
    try:
        cls = resolve(part.kind, name)
    except RltuiError as error:
        if isinstance(error, UnusableFileError):
            unusable.add(file)
        near = did_you_mean(part.name, _known(part))
        if not near and file and "\n" not in error.hint and OWN_NAME not in error.hint:  # else it is a trace
            near = error.hint
        reason = plain(error.message).partition(": ")[2]  # after kind and name
        message = f"unknown {part.kind}" if error.message.startswith("unknown") else reason
        expected = OWN_NAME if ":" in part.name and part.kind != "action table" else _names(part)
        if file and (not isinstance(error, UnusableFileError) or Path(file).is_file()):
            expected = ""  # it is written as it should be: what is in the file is wrong
        return [ValidationFinding(part.name_path, message, expected, part.name, near)]
    wrong = _contract(part, cls)
    if wrong:
        return [ValidationFinding(part.name_path, wrong, f"a {BASES[part.kind].partition(':')[2]}", part.name)]
    model, findings = validate(
        parameters(cls), lists_as_tuples({**part.options, **file_parameters(part, folder)}), part.options
    )
    if model is None:
        return [_of_component(finding, part) for finding in findings]
    try:
        cls(_params(cls, model))
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        own = getattr(sys.modules.get(cls.__module__), "__file__", None)
        message = error.message if isinstance(error, RltuiError) else f"{in_words(error)}{where_in(error, own)}"
        return [ValidationFinding(part.path, plain(message), found=part.name)]
    return []


def check_env(data: Mapping[str, Any], folder: Path | None) -> Iterator[ValidationFinding]:
    """Import what builds an environment of the user's own; whether that works is asked when it is used."""
    name = data.get("env")
    if not isinstance(name, str) or not name:
        return
    try:
        environment(absolute_name(name, folder))
    except RltuiError as error:
        yield ValidationFinding(("env",), plain(error.message).partition(": ")[2], found=name, hint=error.hint)


def _of_component(finding: ValidationFinding, part: PlacedComponent) -> ValidationFinding:
    """Placed in the profile; an unknown key may have been meant for the profile's own ones."""
    path = (*part.path, *finding.path)
    if finding.message != MESSAGES["extra_forbidden"]:
        return dataclasses.replace(finding, path=path)
    own = ", ".join(part.own)
    expected = f"{finding.expected}, {own}" if finding.expected.startswith("one of") else f"one of {own}"
    hint = finding.hint or did_you_mean(finding.found, part.own)
    return ValidationFinding(path, f"unknown parameter of {part.kind} {part.name!r}", expected, finding.found, hint)


def _known(part: PlacedComponent) -> tuple[str, ...]:
    return OPPONENTS if _is_opponent(part) else tuple(BUILT_IN[part.kind])


def _names(part: PlacedComponent) -> str:
    files = "a .csv or .npy file, module:function, " if part.kind == "action table" else ""
    files = "a saved bot as RUN/005M, " if _is_opponent(part) else files
    return f"{', '.join(_known(part))}, {files}or {OWN_NAME}"


def _is_opponent(part: PlacedComponent) -> bool:
    return part.name_path[-1] == "opponent"


def _contract(part: PlacedComponent, cls: type[Any]) -> str:
    """What the class lacks to be a component of its kind, or ""."""
    module, _, name = BASES[part.kind].partition(":")
    base: type[Any] = getattr(importlib.import_module(module), name)
    if not issubclass(cls, base):
        theirs = next((each.__name__ for each in cls.__mro__ if each.__module__.startswith("rlgym")), "")
        return f"{cls.__name__} is " + (f"RLGym's {theirs}, no {name}" if theirs else f"no {name}")
    if not dataclasses.is_dataclass(cls.Params):
        return f"{cls.__name__}.Params is no dataclass"
    taken = [field.name for field in dataclasses.fields(cls.Params) if field.name in part.own]
    if taken:
        return f"{cls.__name__}.Params has {', '.join(taken)}, which a profile uses itself: choose another name"
    missing = sorted(getattr(cls, "__abstractmethods__", ()))
    missing += [attribute for attribute in vars(base).get("__annotations__", ()) if not hasattr(cls, attribute)]
    return f"{cls.__name__} does not define {', '.join(missing)}" if missing else ""


def parameters(cls: type[Any]) -> type[BaseModel]:
    """A component's `Params` dataclass as a model: same checks and texts as for a profile's own keys."""
    hashable: Any = cls
    return _parameter_model(hashable)


@lru_cache(256)  # a model takes milliseconds to make, and a profile names the same components again and again
def _parameter_model(cls: type[Any]) -> type[BaseModel]:
    hints = typing.get_type_hints(cls.Params)
    fields: dict[str, Any] = {}
    for field in dataclasses.fields(cls.Params):
        fields[field.name] = (_annotation(hints[field.name], field.metadata), _declaration(field))
    return create_model(f"{cls.__name__}Parameters", __base__=_Parameters, **fields)


class _Parameters(Section):
    model_config = ConfigDict(arbitrary_types_allowed=True, protected_namespaces=())


def _annotation(hint: Any, limits: Mapping[str, Any]) -> Any:
    low, high = limits.get("min"), limits.get("max")

    def within(value: Any) -> Any:
        for element in value if isinstance(value, tuple) else (value,):
            number = isinstance(element, int | float) and not isinstance(element, bool)
            if number and ((low is not None and element < low) or (high is not None and element > high)):
                raise PydanticCustomError("out_of_range", "out of range")
        return value

    if hint is int or (int in typing.get_args(hint) and float not in typing.get_args(hint)):
        hint = Annotated[hint, BeforeValidator(whole_number)]
    return Annotated[hint, AfterValidator(within)]


def _declaration(field: dataclasses.Field[Any]) -> Any:
    words = {"min": "minimum", "max": "maximum", "unit": "unit"}
    extra = {words[key]: value for key, value in field.metadata.items() if key in words}
    details: dict[str, Any] = {"description": field.metadata.get("doc", ""), "json_schema_extra": extra}
    if field.default is not dataclasses.MISSING:
        return Field(field.default, **details)
    if field.default_factory is not dataclasses.MISSING:
        return Field(default_factory=field.default_factory, **details)
    return Field(**details)


def lists_as_tuples(value: Any) -> Any:
    """TOML's lists as tuples: what frozen dataclasses and models hold."""
    if isinstance(value, list | tuple):
        return tuple(map(lists_as_tuples, value))
    if isinstance(value, Mapping):
        return {key: lists_as_tuples(item) for key, item in value.items()}
    return value


def complete_parameters(kind: Kind, component: Component) -> dict[str, Any]:
    """All parameters of a checked component, those that the profile leaves to their defaults too."""
    cls = resolve(kind, component.name)
    params = _params(cls, parameters(cls).model_validate(lists_as_tuples(component.options)))
    return {field.name: getattr(params, field.name) for field in dataclasses.fields(params)}


def _params(cls: type[Any], model: BaseModel) -> Any:
    """The dataclass from its checked values; what is not set keeps the dataclass's own default."""
    return cls.Params(**{name: getattr(model, name) for name in model.model_fields_set})


def check_rows(data: Mapping[str, Any], folder: Path | None) -> list[ValidationFinding]:
    """Works on raw values; a table that is wrong as a component is left to `check_component`. folder: of the profile."""
    actions = data.get("actions")
    part = next((part for part in placed_components(data) if part.kind == "action table"), None)
    if part is None or not isinstance(actions, Mapping):
        return []  # the default table, which needs no check
    named = Component(absolute_name(part.name, folder), part.options)
    try:
        table = build("action table", Component(named.name, complete_parameters("action table", named)))
    except Exception:  # `check_component` says so
        return []
    try:
        rows = importlib.import_module("rltui.actions.table").checked_rows(table, actions.get("clip") is True)
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return [ValidationFinding(part.name_path, in_words(error).removeprefix("action table: "), found=part.name)]
    pipeline = importlib.import_module("rltui.actions.pipeline")
    options = {key: actions[key] for key in CHECKED if _fits(key, actions.get(key))}
    return [
        ValidationFinding(("actions", key), message, expected, found)
        for key, message, expected, found in pipeline.option_problems(rows, pipeline.PipelineOptions(**options))
    ]


def _fits(key: str, value: Any) -> bool:
    """Of the right type; where not, the models say so."""
    return isinstance(value, str) if key == "legality" else type(value) is int and value >= 0
