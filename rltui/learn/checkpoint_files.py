"""The learner's state as the five files of an rlgym-ppo checkpoint, and back. Bytes in, bytes out; `runs` writes them.

Names and keys are rlgym-ppo's, so that it loads ours and we load its: state dicts `model.0.weight` …, Adam's state dict,
and a JSON file of counters with the return statistics. Loading checks everything and changes nothing.

A torch file is a zip with a pickle (`…/data.pkl`) and raw storages, and anybody may have written it. Two locks, one behind
the other: here, the zip may hold only what torch.save writes, and the pickle may name only what a dictionary of plain
tensors needs; then `torch.load(weights_only=True)`, which never calls what it does not know.
"""

from __future__ import annotations

import io
import json
import math
import pickle
import pickletools
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import torch
from torch import Tensor

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.learn import networks
from rltui.learn.normalization import ObservationStatistics, RunningStatistics
from rltui.runs.rlgym_ppo import BOOK_KEEPING, LARGEST_BOOK, NAMES, OBSERVATIONS, POLICY

_MEMBERS = re.compile(
    r"[^/]+/(data\.pkl|version|byteorder|data/\d+|\.data/serialization_id|\.format_version|\.storage_alignment)"
)
_GLOBALS = frozenset(
    [
        ("collections", "OrderedDict"),
        ("torch._utils", "_rebuild_tensor_v2"),
        *(("torch", f"{kind}Storage") for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int")),
    ]
)
_MOST_MEMBERS, _MOST_OPCODES, _LARGEST_PICKLE = 4_096, 20_000, 1 << 20  # Adam's state of ten layers: 64, 2,300, 10 kB
_CALLS_BY_NAME = frozenset(["INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "STACK_GLOBAL"])
_PICKLE_HINT = "choose another checkpoint: those of rltui and rlgym-ppo hold only tensors and numbers"
RETURNS = "reward_running_stats"  # key of the book
Statistics = TypeVar("Statistics")
_MOMENTS = ("exp_avg", "exp_avg_sq")
_HINT = "choose another checkpoint, or the profile it was trained with"
State = dict[str, Tensor]  # of a network: by parameter name
AdamState = dict[int, dict[str, Tensor]]  # by parameter index: step, exp_avg, exp_avg_sq


def load_tensors(name: str, data: bytes) -> object:
    """What torch.save wrote, on the CPU. RltuiError names the file and why it was refused; nothing in it is ever run."""
    try:
        _check_zip(data)
    except Exception as error:  # a damaged or hostile file can raise anything in zipfile and pickletools
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RltuiError(f"{name}: refused: {reason}", _PICKLE_HINT) from error
    try:
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # the same of torch; its message is a page for programmers, kept as the cause
        raise RltuiError(f"{name}: refused by torch.load(weights_only=True)", _PICKLE_HINT) from error


def _check_zip(data: bytes) -> None:
    safe_io.check_archive(io.BytesIO(data), _MOST_MEMBERS, len(data))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if len(set(names)) != len(names) or len({name.partition("/")[0] for name in names}) > 1:
            raise pickle.UnpicklingError("a member twice, or more than one folder inside")
        for member in members:
            if not _MEMBERS.fullmatch(member.filename):
                raise pickle.UnpicklingError(f"unexpected member {member.filename!r:.80}")
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
                raise pickle.UnpicklingError(f"member {member.filename!r:.80} is compressed or encrypted")
        pickles = [name for name in names if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise pickle.UnpicklingError("no data.pkl: not a file of torch.save")
        if archive.getinfo(pickles[0]).file_size > _LARGEST_PICKLE:
            raise pickle.UnpicklingError(f"data.pkl has more than {_LARGEST_PICKLE:,} bytes")
        _check_pickle(archive.read(pickles[0]))


def _check_pickle(data: bytes) -> None:
    """Every global is one of ours, and no opcode calls or imports by another way."""
    for count, (opcode, argument, _) in enumerate(pickletools.genops(data)):
        if count >= _MOST_OPCODES:
            raise pickle.UnpicklingError(f"data.pkl has more than {_MOST_OPCODES:,} opcodes")
        if opcode.name == "GLOBAL":
            module, _, attribute = str(argument).partition(" ")
            if (module, attribute) not in _GLOBALS:
                raise pickle.UnpicklingError(f"it wants {module}.{attribute}"[:120])
        elif opcode.name in _CALLS_BY_NAME:
            raise pickle.UnpicklingError(f"it uses {opcode.name}, which torch.save does not write")


@dataclass(frozen=True)
class Progress:
    """Where the run stood: kept in the checkpoint under rlgym-ppo's names, meant for the trainer."""

    cumulative_timesteps: int = 0
    policy_average_reward: float | None = None
    epoch: int = 0  # iterations
    ts_since_last_save: int = 0


@dataclass(frozen=True)
class Book:
    """BOOK_KEEPING_VARS.json."""

    progress: Progress
    cumulative_model_updates: int
    return_statistics: RunningStatistics
    observation_statistics: ObservationStatistics | None = None  # None: observations are not normalised


def tensor_bytes(state: Mapping[str, Any]) -> bytes:
    """A state dict as torch.save writes it, its tensors moved to the CPU first."""
    out = io.BytesIO()
    torch.save(_to_cpu(state), out)
    return out.getvalue()


def book_bytes(book: Book) -> bytes:
    """The JSON file, with rlgym-ppo's keys."""
    progress = {field.name: getattr(book.progress, field.name) for field in fields(Progress)}
    progress["cumulative_model_updates"] = book.cumulative_model_updates
    statistics = {RETURNS: book.return_statistics.to_json()}
    if book.observation_statistics is not None:
        statistics[OBSERVATIONS] = book.observation_statistics.to_json()
    return json.dumps(progress | statistics, indent=4).encode()


def take(files: Mapping[str, bytes], name: str) -> bytes:
    """The file's bytes; RltuiError where the checkpoint lacks it."""
    if name not in files:
        raise RltuiError(f"the checkpoint has no {name}", f"it needs {', '.join(NAMES)}")
    return files[name]


def read_network(name: str, data: bytes, expected: Mapping[str, Tensor]) -> State:
    """A network's state dict that fits `expected` in names, shapes and dtypes. RltuiError says which does not, and how."""
    state = _read_state(name, data)
    problems = _size_problems(state, expected) or _tensor_problems(state, expected)
    if problems:
        layers = (_sizes(state) or [])[1:-1]
        other = layers and layers != (_sizes(expected) or [])[1:-1]
        widths = f"\nits layers: --set '{'policy' if name == POLICY else 'critic'}.layers={layers}'" if other else ""
        raise RltuiError("\n".join(f"{name}: {problem}" for problem in problems), _HINT + widths)
    return state


def _read_state(name: str, data: bytes) -> State:
    state = load_tensors(name, data)
    if not isinstance(state, dict) or not all(isinstance(k, str) and isinstance(v, Tensor) for k, v in state.items()):
        raise RltuiError(f"{name}: expected a dictionary of tensors, found something else", _HINT)
    return dict(state)


def read_policy(data: bytes, obs_size: int, outputs: int) -> State:
    """A policy's state dict with whatever hidden layers it has. RltuiError as for `read_network`."""
    state = _read_state(POLICY, data)
    stored = sum(tensor.numel() for tensor in state.values()) <= len(
        data
    )  # a tensor may claim more than its file holds
    hidden = (_sizes(state) or [])[1:-1] if stored else []
    return read_network(POLICY, data, networks.build(obs_size, hidden, outputs, 0).state_dict())


def read_adam(name: str, data: bytes, parameters: Sequence[Tensor]) -> AdamState:
    """Adam's state for these parameters, in their order; empty where no step was taken yet.

    The learning rate is not read: it is the profile's.
    """
    loaded = load_tensors(name, data)
    state = loaded.get("state") if isinstance(loaded, dict) else None
    if not isinstance(state, dict) or not all(isinstance(moments, dict) for moments in state.values()):
        raise RltuiError(f"{name}: expected the state of an Adam optimiser, found something else", _HINT)
    if not state:
        return {}
    if set(state) != set(range(len(parameters))):
        raise RltuiError(f"{name}: expected the state of {len(parameters)} parameters, found {len(state)}", _HINT)
    return {i: _adam_parameter(name, i, state[i], parameter) for i, parameter in enumerate(parameters)}


def read_book(data: bytes, obs_size: int) -> Book:
    """BOOK_KEEPING_VARS.json. RltuiError names the key, expected and found.

    obs_size: numbers of an observation, which its statistics must fit where there are any.
    """
    try:
        if len(data) > LARGEST_BOOK:
            raise ValueError(f"{len(data)} bytes, expected at most {LARGEST_BOOK}")
        book = json.loads(data)
        if not isinstance(book, dict):
            raise ValueError("expected an object")
        return Book(
            progress=Progress(
                cumulative_timesteps=_count(book, "cumulative_timesteps"),
                policy_average_reward=_number(book, "policy_average_reward"),
                epoch=_count(book, "epoch"),
                ts_since_last_save=_count({"ts_since_last_save": 0} | book, "ts_since_last_save"),
            ),
            cumulative_model_updates=_count(book, "cumulative_model_updates"),
            return_statistics=_statistics(book, RETURNS, RunningStatistics.from_json),
            observation_statistics=_observation_statistics(book, obs_size),
        )
    except (ValueError, RecursionError) as error:
        raise RltuiError(f"{BOOK_KEEPING}: {error}", _HINT) from error


def _to_cpu(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().cpu()
    if isinstance(value, dict):
        return type(value)((key, _to_cpu(item)) for key, item in value.items())
    if isinstance(value, list):
        return [_to_cpu(item) for item in value]
    return value


def _sizes(state: Mapping[str, Tensor]) -> list[int] | None:
    """Widths from the input's to the output's; None where it is not Linear, ReLU, …, Linear."""
    weights = [value for key, value in state.items() if key.endswith(".weight") and value.ndim == 2]
    if not weights:
        return None
    return [weights[0].shape[1], *(weight.shape[0] for weight in weights)]


def _size_problems(state: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> list[str]:
    found, wanted = _sizes(state), _sizes(expected)
    if found is None or wanted is None:
        return []
    parts = (
        ("observation size", wanted[0], found[0]),
        ("layers", wanted[1:-1], found[1:-1]),
        ("outputs", wanted[-1], found[-1]),
    )
    return [f"{part}: expected {want}, found {have}" for part, want, have in parts if want != have]


def _tensor_problems(state: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> list[str]:
    problems = [f"{key}: expected, not there" for key in expected if key not in state]
    problems += [f"{key!r:.80}: not expected" for key in state if key not in expected]
    for key in expected.keys() & state.keys():
        problems += _misfit(key, state[key], expected[key])
    return problems


def _misfit(key: str, found: object, wanted: Tensor) -> list[str]:
    if not isinstance(found, Tensor) or found.layout != torch.strided or not found.is_floating_point():
        return [f"{key}: expected a tensor of numbers, found something else"]
    if found.shape != wanted.shape:
        return [f"{key}: expected {list(wanted.shape)}, found {list(found.shape)}"]
    if not torch.isfinite(found).all():
        return [f"{key}: {int((~torch.isfinite(found)).sum())} of {found.numel()} numbers are not finite"]
    return []


def _adam_parameter(name: str, index: int, moments: Mapping[str, Any], parameter: Tensor) -> dict[str, Tensor]:
    step = moments.get("step")
    wanted = {"step": torch.zeros(()), **dict.fromkeys(_MOMENTS, parameter)}
    found = dict(moments) | {"step": torch.tensor(float(step)) if isinstance(step, int | float) else step}
    problems = [
        problem for key in wanted for problem in _misfit(f"parameter {index}, {key}", found.get(key), wanted[key])
    ]
    if not problems and (found["step"] < 1 or found["step"] % 1 != 0 or found["exp_avg_sq"].min() < 0):
        problems = [f"parameter {index}: expected a whole number of steps and no negative squares"]
    if problems:
        raise RltuiError("\n".join(f"{name}: {problem}" for problem in problems), _HINT)
    return {key: found[key] for key in wanted}


def _count(book: Mapping[str, Any], key: str) -> int:
    value = book.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"key {key!r}: expected a whole number of at least 0, found {value!r:.80}")
    return value


def _number(book: Mapping[str, Any], key: str) -> float | None:
    """A number; None for null and for the NaN that rlgym-ppo writes while it does not know."""
    value = book.get(key)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"key {key!r}: expected a number, found {value!r:.80}")
    return float(value) if math.isfinite(value) else None


def _statistics(book: Mapping[str, Any], key: str, read: Callable[[object], Statistics]) -> Statistics:
    try:
        return read(book.get(key))
    except ValueError as error:
        raise ValueError(f"key {key!r}: {error}") from error


def _observation_statistics(book: Mapping[str, Any], obs_size: int) -> ObservationStatistics | None:
    if OBSERVATIONS not in book:
        return None
    return _statistics(book, OBSERVATIONS, lambda data: ObservationStatistics.from_json(data, obs_size))
