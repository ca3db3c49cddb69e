"""policy.npz: a policy, and the game that it plays, as workers, viewer, evaluator and exports read it, without torch and without pickles.

A zip of .npy arrays, loadable with `numpy.load(path, allow_pickle=False)`. Keys: format, kind, w0, b0, w1, b1, …
(float32, w as [in, out]), table [actions, 8], table_hash, legality, obs_signature, tick_skip, action_delay_ticks, env
(JSON text) and, for normalised observations, normalizer_mean and normalizer_var [obs_size].
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui import safe_io
from rltui.actions.masking import LEGALITY, idle_rows
from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.errors import RltuiError
from rltui.field import MOST_CARS
from rltui.policy.mlp import DiscretePolicy
from rltui.policy.weights import Float, Layer, layer_sizes, normalizer_flat
from rltui.registry import Component

FORMAT = 1
KIND = "discrete"
LARGEST = 1 << 30  # bytes; a net of four layers of 4096 has 200 MB
LONGEST = 1 << 18  # bytes of a text in it
MOST_MEMBERS = 256
MOST_TICKS, MOST_STACK = 120, 4  # of a step; observations that make one: as in a profile
_TEXTS = ("kind", "table_hash", "legality", "obs_signature", "env")
_KEYS = re.compile(rf"[wb]\d{{1,2}}|format|table|tick_skip|action_delay_ticks|normalizer_(mean|var)|{'|'.join(_TEXTS)}")
_HINT = "choose another checkpoint, or save the run again"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same policy makes the same bytes


@dataclass(frozen=True)
class SavedPolicy:
    """All that acting needs. Arrays are float32."""

    layers: tuple[Layer, ...]  # w [in, out], b [out]
    table: Float  # [actions, 8]: throttle, steer, pitch, yaw, roll, jump, boost, handbrake
    table_hash: str
    obs_signature: str
    tick_skip: int
    action_delay_ticks: int
    legality: str = "off"
    env: str = "{}"  # JSON of the observation component and the game
    normalizer_mean: Float | None = None  # [obs_size]
    normalizer_var: Float | None = None  # [obs_size]

    def network(self, max_rows: int) -> DiscretePolicy:
        """The policy, ready to act on up to max_rows observations at once; with masks where it was trained with them."""
        actions = action_spec(self.table, PipelineOptions(self.legality))
        return DiscretePolicy.from_layers(self.layers, max_rows, actions, self.normalizer)

    @property
    def obs_size(self) -> int:
        """Numbers of an observation."""
        return len(self.layers[0][0])

    @property
    def choosing(self) -> list[NDArray[Any]]:
        """All that makes its choices: weights and normaliser."""
        normalizer = [part for part in (self.normalizer_mean, self.normalizer_var) if part is not None]
        return [*(part for layer in self.layers for part in layer), *normalizer]

    @property
    def normalizer(self) -> Float | None:
        """`normalizer_flat` of it; None where observations are not normalised."""
        if self.normalizer_mean is None or self.normalizer_var is None:
            return None
        return normalizer_flat(self.normalizer_mean, self.normalizer_var)


@dataclass(frozen=True)
class SavedGame:
    """What the policy sees, what it can do and at which pace. blue, orange: the team sizes that it was trained in."""

    blue: int
    orange: int
    obs: Component
    table: Component
    obs_stack: int
    pipeline: PipelineOptions
    tick_skip: int
    action_delay_ticks: int


def save_policy(policy: SavedPolicy) -> bytes:
    """The file's bytes; equal policies give equal bytes. Raises ValueError for shapes that do not fit each other."""
    arrays: dict[str, NDArray[Any]] = {"format": np.array(FORMAT), "kind": np.array(KIND)}
    for i, (w, b) in enumerate(policy.layers):
        arrays[f"w{i}"], arrays[f"b{i}"] = np.ascontiguousarray(w, np.float32), np.asarray(b, np.float32)
    arrays["table"] = np.ascontiguousarray(policy.table, np.float32)
    for key in ("table_hash", "legality", "obs_signature", "tick_skip", "action_delay_ticks", "env"):
        arrays[key] = np.array(getattr(policy, key))
    for key in ("normalizer_mean", "normalizer_var"):
        if getattr(policy, key) is not None:
            arrays[key] = np.asarray(getattr(policy, key), np.float32)
    problems = _problems(arrays)
    if problems:
        raise ValueError("; ".join(problems))
    return _zip(arrays)


def load_policy(source: Path | bytes) -> SavedPolicy:
    """The policy of a file or of its bytes. RltuiError names the file, the key, expected and found."""
    name = "policy.npz" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else safe_io.read_bytes(source, LARGEST)
    except OSError as error:
        raise RltuiError(f"{name}: {safe_io.reason(error)}", _HINT) from error
    try:
        arrays = _unzip(data)
    except Exception as error:  # a damaged or hostile file can raise anything in zipfile and numpy
        raise RltuiError(f"{name}: not a policy file: {error}", _HINT) from error
    problems = _problems(arrays)
    if problems:
        raise RltuiError("\n".join(f"{name}: {problem}" for problem in problems), _HINT)
    return _policy(arrays)


def weights_hash(policy: SavedPolicy) -> str:
    """SHA-256 in hex of what makes its choices, weights and normaliser: which player it is, wherever its file lies."""
    found = hashlib.sha256()
    for array in policy.choosing:
        found.update(repr(array.shape).encode())
        found.update(np.ascontiguousarray(array, "<f4").tobytes())
    return found.hexdigest()


def _tuples(value: Any) -> Any:
    """JSON knows no tuples, which a profile's lists are."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def foreign_game(environment: str) -> RltuiError:
    """Of a bot that was trained in an environment of a user's own, or of that environment, where our game is needed."""
    return RltuiError(
        f"{Component(environment).label} is an environment of your own, which training alone knows: watching, evaluation, "
        "export, reward trace and action tables need rltui's game"
    )


def saved_game(policy: SavedPolicy) -> SavedGame:
    """RltuiError where the policy's file does not say it, or not in words that are known here."""
    try:
        env: dict[str, Any] = json.loads(policy.env)
        if "environment" in env:
            raise foreign_game(str(env["environment"]))
        parts = {key: {name: _tuples(value) for name, value in env[key].items()} for key in ("obs", "table")}
        kinds = [part.pop("kind") for part in parts.values()]
        if not all(isinstance(kind, str) for kind in kinds):
            raise TypeError(f"kinds {kinds}")
        obs, table = (Component(kind, part) for kind, part in zip(kinds, parts.values(), strict=True))
        blue, orange, stack = (int(env.get(key, 1)) for key in ("blue", "orange", "obs_stack"))
        if not {blue, orange} <= {*range(MOST_CARS + 1)} or not blue + orange or not 1 <= stack <= MOST_STACK:
            raise ValueError(f"{blue}v{orange}, {stack} observations")
        return SavedGame(
            blue=blue,
            orange=orange,
            obs=obs,
            table=table,
            obs_stack=stack,
            pipeline=PipelineOptions.of_saved(env.get("pipeline", {"legality": policy.legality})),
            tick_skip=policy.tick_skip,
            action_delay_ticks=policy.action_delay_ticks,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RltuiError(
            f"policy.npz: key 'env': expected the game that it was trained in, as JSON, found {policy.env[:80]!r}",
            "save the policy anew with this version",
        ) from error


def _policy(arrays: Mapping[str, NDArray[Any]]) -> SavedPolicy:
    return SavedPolicy(
        layers=tuple((arrays[f"w{i}"], arrays[f"b{i}"]) for i in range(_n_layers(arrays))),
        table=arrays["table"],
        table_hash=str(arrays["table_hash"]),
        obs_signature=str(arrays["obs_signature"]),
        tick_skip=int(arrays["tick_skip"]),
        action_delay_ticks=int(arrays["action_delay_ticks"]),
        legality=str(arrays["legality"]),
        env=str(arrays["env"]),
        normalizer_mean=arrays.get("normalizer_mean"),
        normalizer_var=arrays.get("normalizer_var"),
    )


def _zip(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{key}.npy", _EPOCH), member.getvalue())
    return out.getvalue()


def _unzip(data: bytes) -> dict[str, NDArray[Any]]:
    """Arrays by key; others than a policy's are passed over. A zip that says it is larger inside than outside is refused
    before anything is unpacked.
    """
    safe_io.check_archive(io.BytesIO(data), MOST_MEMBERS, len(data))
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        known = [name for name in arrays.files if _KEYS.fullmatch(name)]
        long = [name for name in known if name in _TEXTS and arrays.zip.getinfo(f"{name}.npy").file_size > LONGEST]
        if long:
            raise ValueError(f"key {long[0]!r} has more than {LONGEST:,} bytes")
        return {name: arrays[name] for name in known}


def _n_layers(arrays: Mapping[str, NDArray[Any]]) -> int:
    n = 0
    while f"w{n}" in arrays:
        n += 1
    return n


def _problems(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """Everything that keeps these arrays from being a policy, each with its key, expected and found."""
    problems = _scalar_problems(arrays)
    n = _n_layers(arrays)
    floats = ["table", *(f"{part}{i}" for i in range(max(n, 1)) for part in "wb")]
    floats += [key for key in ("normalizer_mean", "normalizer_var") if key in arrays]
    for key in floats:
        problems += _float_problems(key, arrays.get(key))
    if problems:
        return problems
    try:
        sizes = layer_sizes([(arrays[f"w{i}"], arrays[f"b{i}"]) for i in range(n)])
    except ValueError as error:
        return [str(error)]
    shapes = {"table": (sizes[-1], 8), "normalizer_mean": (sizes[0],), "normalizer_var": (sizes[0],)}
    problems = [
        f"key {key!r}: expected {list(shape)}, found {list(arrays[key].shape)}"
        for key, shape in shapes.items()
        if key in arrays and arrays[key].shape != shape
    ]
    problems += _normalizer_problems(arrays)
    if not problems and str(arrays["legality"]) == "mask" and not idle_rows(arrays["table"]).any():
        problems.append("key 'table': expected an idle row, which legality 'mask' needs, found none")
    return problems


def _normalizer_problems(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    """Both keys or none, and no variance below 0."""
    mean, var = (arrays.get(key) for key in ("normalizer_mean", "normalizer_var"))
    if (mean is None) != (var is None):
        missing = "normalizer_mean" if mean is None else "normalizer_var"
        return [f"key {missing!r}: expected beside the other one of the normaliser, found nothing"]
    if var is not None and (var < 0).any():
        return [f"key 'normalizer_var': expected at least 0, found {var.min()}"]
    return []


def _scalar_problems(arrays: Mapping[str, NDArray[Any]]) -> list[str]:
    kinds = dict.fromkeys(("format", "tick_skip", "action_delay_ticks"), "i")
    kinds |= dict.fromkeys(_TEXTS, "U")
    words = {"i": "an integer", "U": "a text"}
    problems = [
        f"key {key!r}: expected {words[kind]}, found {_describe(arrays.get(key))}"
        for key, kind in kinds.items()
        if key not in arrays or arrays[key].shape != () or arrays[key].dtype.kind != kind
    ]
    if not problems:
        skip, delay = int(arrays["tick_skip"]), int(arrays["action_delay_ticks"])
        if not 1 <= skip <= MOST_TICKS:
            problems.append(f"key 'tick_skip': expected 1 to {MOST_TICKS}, found {skip}")
        elif not 0 <= delay <= skip:
            problems.append(f"key 'action_delay_ticks': expected 0 to {skip}, the tick_skip, found {delay}")
    if not problems and int(arrays["format"]) != FORMAT:
        problems.append(f"key 'format': expected {FORMAT}, found {int(arrays['format'])}")
    if not problems and str(arrays["legality"]) not in LEGALITY:
        problems.append(f"key 'legality': expected one of {', '.join(LEGALITY)}, found {str(arrays['legality'])!r}")
    if not problems and str(arrays["kind"]) != KIND:
        problems.append(f"key 'kind': expected {KIND!r}, found {str(arrays['kind'])!r}")
    return problems


def _float_problems(key: str, array: NDArray[Any] | None) -> list[str]:
    if array is None or array.dtype != np.float32:
        return [f"key {key!r}: expected a float32 array, found {_describe(array)}"]
    if not np.isfinite(array).all():
        return [f"key {key!r}: {int((~np.isfinite(array)).sum())} of {array.size} numbers are not finite"]
    return []


def _describe(array: NDArray[Any] | None) -> str:
    return "nothing" if array is None else f"{array.dtype} {list(array.shape)}"
