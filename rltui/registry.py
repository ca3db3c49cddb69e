"""Registry of components: a registered name or a user's `path/to/file.py:Class` → class and its Params.

A component is a reward, observation, reset, terminal or action table. It declares its parameters as a frozen dataclass
named `Params` (docs, units and ranges in `field(metadata=...)`), which is how profiles are validated and documented.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from rltui import safe_io, user_files
from rltui.errors import USERS_PREFIX, RltuiError, did_you_mean, hints, in_words, where_in

Kind = Literal["obs", "action table", "reward", "reset", "terminal", "player"]

BUILT_IN: Mapping[Kind, Mapping[str, str]] = {
    "obs": {
        "default": "rltui.obs.default:DefaultObs",
        "advanced_plus": "rltui.obs.advanced_plus:AdvancedPlusObs",
        "compact": "rltui.obs.compact:CompactObs",
    },
    "action table": {
        "rlgym": "rltui.actions.shipped_tables:RlgymTable",
        "hybrid": "rltui.actions.shipped_tables:HybridTable",
    },
    "reward": {
        "touch": "rltui.rewards.ball:Touch",
        "goal": "rltui.rewards.goals:Goal",
        "concede": "rltui.rewards.goals:Concede",
        "velocity_ball_to_goal": "rltui.rewards.ball:VelocityBallToGoal",
        "speed_toward_ball": "rltui.rewards.movement:SpeedTowardBall",
        "face_ball": "rltui.rewards.movement:FaceBall",
        "strong_hit": "rltui.rewards.ball:StrongHit",
        "in_air": "rltui.rewards.movement:InAir",
        "off_ground": "rltui.rewards.movement:OffGround",
        "scorer": "rltui.rewards.goals:Scorer",
        "shot": "rltui.rewards.goals:Shot",
        "save": "rltui.rewards.goals:Save",
        "demo": "rltui.rewards.mechanics:Demo",
        "demoed": "rltui.rewards.mechanics:Demoed",
        "boost_pickup": "rltui.rewards.boost:BoostPickup",
        "kickoff_first_touch": "rltui.rewards.goals:KickoffFirstTouch",
        "velocity_player_to_ball": "rltui.rewards.movement:VelocityPlayerToBall",
        "jump_shot": "rltui.rewards.ball:JumpShot",
        "basic_shot": "rltui.rewards.ball:BasicShot",
        "basic_aerial": "rltui.rewards.mechanics:BasicAerial",
        "negative_velocity_own_goal": "rltui.rewards.ball:NegativeVelocityOwnGoal",
        "clear": "rltui.rewards.ball:Clear",
        "liu_distance_ball_to_goal": "rltui.rewards.movement:LiuDistanceBallToGoal",
        "liu_distance_player_to_ball": "rltui.rewards.movement:LiuDistancePlayerToBall",
        "recovery_and_landing": "rltui.rewards.mechanics:RecoveryAndLanding",
        "bad_orientation": "rltui.rewards.movement:BadOrientation",
        "save_boost": "rltui.rewards.boost:SaveBoost",
        "collect_boost": "rltui.rewards.boost:CollectBoost",
        "steal_boost": "rltui.rewards.boost:StealBoost",
        "align_ball_goal": "rltui.rewards.movement:AlignBallGoal",
        "possession": "rltui.rewards.ball:Possession",
        "offside": "rltui.rewards.movement:Offside",
        "in_net": "rltui.rewards.movement:InNet",
        "flip_reset": "rltui.rewards.mechanics:FlipReset",
        "wavedash": "rltui.rewards.mechanics:Wavedash",
        "dribble": "rltui.rewards.mechanics:Dribble",
        "air_touch": "rltui.rewards.ball:AirTouch",
    },
    "reset": {
        "kickoff": "rltui.sim.resets.standard:KickoffReset",
        "random": "rltui.sim.resets.standard:RandomReset",
        "turtled": "rltui.sim.resets.standard:TurtledReset",
        "wall": "rltui.sim.resets.mechanics:WallScene",
        "air_dribble": "rltui.sim.resets.mechanics:AirDribbleScene",
        "flip_reset": "rltui.sim.resets.mechanics:FlipResetScene",
        "jump_challenge": "rltui.sim.resets.mechanics:JumpChallengeScene",
        "ceiling": "rltui.sim.resets.mechanics:CeilingScene",
        "save": "rltui.sim.resets.mechanics:SaveScene",
        "shot": "rltui.sim.resets.mechanics:ShotScene",
        "dribble": "rltui.sim.resets.mechanics:DribbleScene",
        "replay": "rltui.sim.resets.standard:ReplayReset",
    },
    "terminal": {
        "goal": "rltui.sim.terminals:GoalTerminal",
        "no_touch": "rltui.sim.terminals:NoTouchTerminal",
        "timeout": "rltui.sim.terminals:TimeoutTerminal",
    },
    "player": {
        "idle": "rltui.opponents.scripted:IdlePlayer",
        "random": "rltui.opponents.scripted:RandomPlayer",
        "chaser": "rltui.opponents.scripted:ChaserPlayer",
        "rule": "rltui.opponents.rule:RulePlayer",
    },
}
# Opponents that are no scripted players: the learner itself, as it is and as it was; the bot that comes with rltui.
MIRROR, CHECKPOINTS, STARTER = "mirror", "checkpoints", "starter"
OPPONENTS = (MIRROR, CHECKPOINTS, STARTER, *BUILT_IN["player"])  # that have names of their own, hence no runs' names
# Of other libraries: module and base class, and what makes a component of ours of a class derived from it.
FOREIGN: Mapping[Kind, tuple[str, str, str]] = {
    "reward": ("rlgym.api", "RewardFunction", "rltui.bridge.rlgym_rewards:adapt"),
    "obs": ("rlgym.api", "ObsBuilder", "rltui.bridge.rlgym_views:adapt_obs"),
    "action table": ("rlgym.api", "ActionParser", "rltui.bridge.rlgym_views:adapt_parser"),
}
# Formats that a policy is exported to.
EXPORTERS: Mapping[str, str] = {
    "torchscript": "rltui.bridge.torchscript:TorchScriptExporter",
    "onnx": "rltui.bridge.onnx:OnnxExporter",
    "numpy": "rltui.bridge.export:NumpyExporter",
    "rlbot": "rltui.bridge.rlbot:RlbotExporter",
}
RLGYM_1 = ("rlgym.utils", "rlgym_sim")
FACTORY = "name the classes that it builds, each with its weight, or a class whose __init__() builds them"
BY_NAME = (
    "write path/to/file.py:build_env, a function at the top level of that file: worker processes import it by this name, which "
    "a lambda, a closure or a function inside another one does not have"
)
GYMNASIUM = "gymnasium"
WITHOUT_RLGYM_PPO = "rltui needs nothing of rlgym_ppo: return the RLGym itself, without a wrapper; or install rlgym-ppo"
TABLE_FILES = (".csv", ".npy")  # an action table may be one of these
# Modules that users' own files derive their classes from, under their names in earlier versions.
MOVED: Mapping[str, str] = {
    "rltui.rewards.reward": "rltui.rewards.base",
    "rltui.rewards.memory": "rltui.rewards.base",
    "rltui.obs.obs_builder": "rltui.obs.builder",
    "rltui.actions.action_table": "rltui.actions.table",
    "rltui.sim.field": "rltui.field",
    "rltui.sim.controls": "rltui.field",
    "rltui.sim.turtled": "rltui.sim.state",
    "rltui.sim.resets.reset": "rltui.sim.resets.base",
    "rltui.sim.resets.scene": "rltui.sim.resets.base",
    "rltui.sim.terminals.terminal": "rltui.sim.terminals",
    "rltui.league.scripted": "rltui.opponents.base",
}


class UnusableFileError(RltuiError):
    """A user's file that is not there or does not import: whatever is named of it."""


@dataclasses.dataclass(frozen=True)
class Component:
    """What a profile says of one component: a registered name or `file.py:Class`, and its parameters."""

    name: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def label(self) -> str:
        """What reports call it: of a user's file the class alone, for where the file lies is no part of what it is."""
        return self.name.rpartition(":")[2]


def is_saved_bot(opponent: str) -> bool:
    """Whether it is named as saved bots are: `starter`, `RUN/005M`, `RUN@250000`, a path of a checkpoint or of a policy.npz."""
    return (
        opponent == STARTER
        or opponent.endswith(".npz")
        or (":" not in opponent and any(sign in opponent for sign in "/\\@"))
    )


def is_frozen(opponent: str) -> bool:
    """Whether it is played by saved policies: earlier states of the run, or a saved bot."""
    return opponent == CHECKPOINTS or is_saved_bot(opponent)


def report_names(components: Sequence[Component]) -> list[str]:
    """What reports call these beside each other: by label, or by their whole name where two have the same."""
    labels = [item.label for item in components]
    return [item.name if labels.count(label) > 1 else label for item, label in zip(components, labels, strict=True)]


def resolve(kind: Kind, name: str) -> type[Any]:
    """The class behind a name. RltuiError names the nearest registered name, or what is wrong with the user's file."""
    target = BUILT_IN[kind].get(name)
    if target is not None:
        module_name, class_name = target.split(":")
        found: type[Any] = getattr(importlib.import_module(module_name), class_name)
        return found
    if kind == "action table" and name.lower().endswith(TABLE_FILES):
        return _table_of("user_tables", "table_in_file")(safe_io.real(safe_io.path_of(name)))
    if ":" in name:
        return _users_own(kind, name)
    registered = f"registered: {', '.join(sorted(BUILT_IN[kind]))}; or write path/to/file.py:Class"
    raise RltuiError(
        f"unknown {kind} {name!r}",
        hints(did_you_mean(name, BUILT_IN[kind]), registered),
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
    problems, near = [], []
    for key, value in component.options.items():
        if key not in known:
            problems.append(f"unknown parameter {key!r}")
            near.append(did_you_mean(key, known))
            continue
        problems += _range_problems(key, value, known[key].metadata)
    if problems:
        raise RltuiError(
            f"{kind} {component.name!r}: " + "; ".join(problems),
            hints(*near, f"parameters: {', '.join(known) or 'none'}"),
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
    if isinstance(value, list | tuple):
        return [problem for element in value for problem in _range_problems(key, element, limits)]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [f"{key} must be a number, found {value!r}"]
    if (low is not None and value < low) or (high is not None and value > high) or value != value:
        return [f"{key} must be in [{low}, {high}], found {value!r}"]
    return []


def environment(name: str) -> Callable[[], Any]:
    """What builds an environment: a function of a user's, or of `gymnasium:CartPole-v1` Gymnasium's own. Every process finds
    it by this name. RltuiError says why it cannot.
    """
    source, _, attribute = name.rpartition(":")
    if source == GYMNASIUM:
        return functools.partial(importlib.import_module(GYMNASIUM).make, attribute)
    if not source or not attribute.isidentifier():
        raise RltuiError(f"env {name!r}: no name of a function in a file or module", BY_NAME, exit_code=2)
    module, place = _users_module("env", name)
    found = getattr(module, attribute, None)
    if found is None:
        near = did_you_mean(attribute, [known for known, it in vars(module).items() if callable(it)])
        raise RltuiError(
            f"env {name!r}: {place} has no {attribute} at its top level", hints(near, BY_NAME), exit_code=2
        )
    if not callable(found):
        made = f"env {name!r}: {attribute} of {place} is a {type(found).__name__}, no function"
        raise RltuiError(made, "name a function that builds it: every worker plays with some of its own", exit_code=2)
    try:
        inspect.signature(found).bind()
    except TypeError as error:
        missing = f"env {name!r}: {attribute}() of {place} is called without arguments: {error}"
        raise RltuiError(missing, "give them defaults", exit_code=2) from error
    except ValueError:  # it tells no signature
        pass
    builder: Callable[[], Any] = found
    return builder


def _users_own(kind: Kind, name: str) -> type[Any]:
    """`path/to/file.py:Class` or `module:Class`; of an action table, a function that returns the rows will do."""
    attribute = name.rpartition(":")[2]
    module, place = _users_module(kind, name)
    found = getattr(module, attribute, None)
    if isinstance(found, type):
        return _native(kind, found)
    if kind == "action table" and callable(found):
        return _table_of("user_tables", "table_of_function")(found, name)
    if callable(found):
        raise RltuiError(
            f"{kind} {name!r}: {attribute} of {place} is a {type(found).__name__}, no class", FACTORY, exit_code=2
        )
    wanted = "class or function" if kind == "action table" else "class"
    near = did_you_mean(attribute, [known for known, it in vars(module).items() if callable(it)])
    raise RltuiError(f"{kind} {name!r}: {place} has no {wanted} {attribute}", near, exit_code=2)


def _native(kind: Kind, found: type[Any]) -> type[Any]:
    """A class of another library, adapted where there is an adapter; any other as it is."""
    library, base, adapter = FOREIGN.get(kind, ("", "", ""))
    if library not in sys.modules or not issubclass(found, getattr(sys.modules[library], base)):
        return found
    module_name, _, function = adapter.partition(":")
    adapted: type[Any] = getattr(importlib.import_module(module_name), function)(found)
    return adapted


def _table_of(module: str, maker: str) -> Callable[..., type[Any]]:
    made: Callable[..., type[Any]] = getattr(importlib.import_module(f"rltui.actions.{module}"), maker)
    return made


def _users_module(kind: str, name: str) -> tuple[ModuleType, str]:
    """The module before the colon, and what it is called. kind: for errors."""
    source = name.rpartition(":")[0]
    path = user_files.module_file(source, [Path.cwd()]) if user_files.is_module(source) else safe_io.path_of(source)
    if path is None:
        return _from_module(kind, name, source), source
    path = safe_io.real(path)
    return _from_file(kind, name, path), str(path)


def _from_module(kind: str, name: str, module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # a user's module may raise anything, or be a script
        what = f"module {module} does not import: {in_words(error)}"
        raise UnusableFileError(f"{kind} {name!r}: {what}", import_hint(error), exit_code=2) from error


def _from_file(kind: str, name: str, path: Path) -> ModuleType:
    try:
        safe_io.check(path, safe_io.LARGEST)
    except OSError as error:
        what = f"no file {path}" if isinstance(error, FileNotFoundError) else f"{path}: {safe_io.reason(error)}"
        raise UnusableFileError(f"{kind} {name!r}: {what}", "write path/to/file.py:Class", exit_code=2) from error
    try:
        return user_files.load(path)
    except (Exception, SystemExit) as error:  # a user's file may raise anything, or be a script
        what = f"{path} does not import: {in_words(error)}{where_in(error, str(path))}"
        raise UnusableFileError(f"{kind} {name!r}: {what}", import_hint(error), exit_code=2) from error


def import_hint(error: BaseException) -> str:
    """What to do about a file that does not import: the new name of a module of ours, or the end of the trace."""
    missing = (error.name if isinstance(error, ModuleNotFoundError) else None) or ""
    if moved := MOVED.get(missing):
        return f"{missing} is {moved} now: change the import"
    if missing.startswith(RLGYM_1):
        return f"{missing} is of RLGym 1: rewards of RLGym 2 work as they are, from rlgym.api and rlgym.rocket_league"
    if missing.partition(".")[0] == "rlgym_ppo":
        return WITHOUT_RLGYM_PPO
    if missing and not missing.startswith(USERS_PREFIX):
        return f"install {missing.partition('.')[0]}, or put it beside the file that imports it"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != user_files.__file__]
    return "".join([*traceback.format_list(frames[-2:]), in_words(error)]).strip()
