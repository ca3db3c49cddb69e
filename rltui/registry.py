"""Component names → classes. A registered name and a user's `path/to/file.py:Class` resolve the same way.

A component is a reward, observation, reset, terminal or action table. It declares its parameters as a frozen dataclass
named `Params` (docs, units and ranges in `field(metadata=...)`), which is how profiles are validated and documented.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from rltui.errors import RltuiError

Kind = Literal["obs", "action table", "reward", "reset", "terminal", "player"]

BUILT_IN: Mapping[Kind, Mapping[str, str]] = {
    "obs": {"default": "rltui.obs.default:DefaultObs"},
    "action table": {"rlgym": "rltui.actions.rlgym_table:RlgymTable"},
    "reward": {
        "touch": "rltui.rewards.touch:Touch",
        "goal": "rltui.rewards.goal:Goal",
        "concede": "rltui.rewards.goal:Concede",
        "velocity_ball_to_goal": "rltui.rewards.velocity_ball_to_goal:VelocityBallToGoal",
        "speed_toward_ball": "rltui.rewards.speed_toward_ball:SpeedTowardBall",
        "face_ball": "rltui.rewards.face_ball:FaceBall",
        "strong_hit": "rltui.rewards.strong_hit:StrongHit",
        "in_air": "rltui.rewards.in_air:InAir",
        "off_ground": "rltui.rewards.off_ground:OffGround",
    },
    "reset": {"kickoff": "rltui.sim.resets.kickoff:Kickoff", "random": "rltui.sim.resets.random:Random"},
    "terminal": {
        "goal": "rltui.sim.terminals.goal:Goal",
        "no_touch": "rltui.sim.terminals.no_touch:NoTouch",
        "timeout": "rltui.sim.terminals.timeout:Timeout",
    },
    "player": {},
}


@dataclasses.dataclass(frozen=True)
class Component:
    """What a profile says of one component: a registered name or `file.py:Class`, and its parameters."""

    name: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def resolve(kind: Kind, name: str) -> type[Any]:
    """The class behind a name. RltuiError names the nearest registered name, or what is wrong with the user's file."""
    target = BUILT_IN[kind].get(name)
    if target is not None:
        module_name, class_name = target.split(":")
        found: type[Any] = getattr(importlib.import_module(module_name), class_name)
        return found
    if ":" in name:
        return _from_file(kind, name)
    near = difflib.get_close_matches(name, BUILT_IN[kind], n=1)
    raise RltuiError(
        f"unknown {kind} {name!r}" + (f": did you mean {near[0]!r}?" if near else ""),
        f"registered: {', '.join(sorted(BUILT_IN[kind]))}; or write path/to/file.py:Class",
        exit_code=2,
    )


def build(kind: Kind, component: Component) -> Any:
    """An instance of the component. Raises RltuiError for an unknown name or parameter, or a class that cannot be built."""
    cls = resolve(kind, component.name)
    if not dataclasses.is_dataclass(getattr(cls, "Params", None)):
        raise RltuiError(
            f"{kind} {component.name!r}: class {cls.__name__} is no {kind}",
            f"derive it from rltui's base class for a {kind}, which declares `Params`",
            exit_code=2,
        )
    made = params(kind, cls, component)
    try:
        return cls(made)
    except RltuiError:
        raise
    except Exception as error:  # a user's class may raise anything; an abstract method may be missing
        where = traceback.format_exc(limit=-1).strip()
        raise RltuiError(f"{kind} {component.name!r} cannot be built: {error}", where, exit_code=2) from error


def params(kind: Kind, cls: type[Any], component: Component) -> Any:
    """The component's `Params` from a profile's options; every unknown, mistyped or out-of-range one is an RltuiError."""
    known = {field.name: field for field in dataclasses.fields(cls.Params)}
    problems = []
    for key, value in component.options.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            problems.append(f"unknown parameter {key!r}" + (f": did you mean {near[0]!r}?" if near else ""))
            continue
        problems += _range_problems(key, value, known[key].metadata)
    if problems:
        raise RltuiError(
            f"{kind} {component.name!r}: " + "; ".join(problems),
            f"parameters: {', '.join(known) or 'none'}",
            exit_code=2,
        )
    try:
        return cls.Params(**component.options)
    except (TypeError, ValueError) as error:
        raise RltuiError(f"{kind} {component.name!r}: {error}", exit_code=2) from error


def _range_problems(key: str, value: Any, limits: Mapping[str, Any]) -> list[str]:
    low, high = limits.get("min"), limits.get("max")
    if (low is None and high is None) or value is None:
        return []
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [f"{key} must be a number, found {value!r}"]
    if (low is not None and value < low) or (high is not None and value > high) or value != value:
        return [f"{key} must be in [{low}, {high}], found {value!r}"]
    return []


def _from_file(kind: Kind, name: str) -> type[Any]:
    path_text, _, class_name = name.rpartition(":")
    path = Path(path_text).expanduser().resolve()
    if not path.is_file():
        raise RltuiError(f"{kind} {name!r}: no file {path}", "write path/to/file.py:Class", exit_code=2)
    module_name = f"rltui_user_{path.stem}_{abs(hash(str(path))):x}"
    module = sys.modules.get(module_name)
    if module is None:
        spec = importlib.util.spec_from_file_location(module_name, path)
        if spec is None or spec.loader is None:
            raise RltuiError(f"{kind} {name!r}: {path} is not a Python file", exit_code=2)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # a user's file may raise anything at import
            del sys.modules[module_name]
            where = traceback.format_exc(limit=-2).strip()
            raise RltuiError(f"{kind} {name!r}: {path} does not import: {error!r}", where, exit_code=2) from error
    cls = getattr(module, class_name, None)
    if not isinstance(cls, type):
        raise RltuiError(f"{kind} {name!r}: {path} has no class {class_name}", exit_code=2)
    return cls
