"""TorchScript: a policy as a traced module, and policies of others in that format as players."""

from __future__ import annotations

import ast
import io
import json
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rltui import safe_io
from rltui.actions.pipeline import PipelineOptions, action_spec
from rltui.actions.table import check_shape
from rltui.bridge.export import Exporter, described
from rltui.env.from_profile import env_spec, signature, sizes, table_rows
from rltui.env.spec import policy_to_save
from rltui.errors import RltuiError, in_words
from rltui.learn.normalization import normalized
from rltui.policy.mlp import DiscretePolicy
from rltui.policy.saved import LARGEST, SavedPolicy
from rltui.policy.weights import Float
from rltui.profile.models import Profile

DESCRIPTION = "rltui.json"  # of the archive's extra files
PROBES = 64  # observations that show whether a net gives logits or probabilities
LEAST = 1e-11  # of a probability (rlgym-ppo's bound)
MOST_MEMBERS = 4_096
LONGEST_CODE = 1 << 20  # bytes; a net of ten layers has 10 kB
# What TorchScript's code can open files with, or run before it is asked.
FORBIDDEN = frozenset({"save", "from_file", "load_tensor", "load", "__setstate__", "__getstate__"})
NAMESPACES = frozenset({"prim", "aten", "quantized"})


class TorchScriptExporter(Exporter):
    """`forward(obs [N, D]) -> logits [N, actions]`, normaliser included; the rest is told in `rltui.json` inside."""

    suffix = ".pt"

    def files(self, policy: SavedPolicy, name: str) -> Mapping[str, bytes]:
        module, out = _Traceable(policy).eval(), io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of TorchScript as a whole, which others still read
            traced: Any = torch.jit.trace(module, torch.zeros(2, policy.obs_size))  # type: ignore[no-untyped-call]
            torch.jit.save(traced, out, _extra_files={DESCRIPTION: json.dumps(described(policy))})
        return {"": out.getvalue()}

    def logits(self, target: Path, obs: Float) -> Float:
        with torch.inference_mode():
            found: Float = _load(target.read_bytes())(torch.from_numpy(obs)).numpy()
        return found


class _Traceable(nn.Module):
    def __init__(self, policy: SavedPolicy) -> None:
        super().__init__()
        self.normalizer: Tensor | None
        flat = policy.normalizer
        self.register_buffer("normalizer", None if flat is None else torch.from_numpy(flat.reshape(2, -1)))
        parts: list[nn.Module] = []
        for w, b in policy.layers:
            layer = nn.Linear(w.shape[0], w.shape[1])
            layer.weight = nn.Parameter(torch.from_numpy(np.ascontiguousarray(w.T)), requires_grad=False)
            layer.bias = nn.Parameter(torch.from_numpy(b.copy()), requires_grad=False)
            parts += [layer, nn.ReLU()]
        self.model = nn.Sequential(*parts[:-1])

    def forward(self, obs: Tensor) -> Tensor:
        seen = obs if self.normalizer is None else normalized(obs, self.normalizer[0], self.normalizer[1])
        logits: Tensor = self.model(seen)
        return logits


@dataclass(frozen=True)
class TorchScriptPolicy(SavedPolicy):
    """A policy whose net is a file of somebody else's: no layers, and the file's bytes in their place."""

    script: bytes = b""
    inputs: int = 0

    @property
    def obs_size(self) -> int:
        return self.inputs

    @property
    def choosing(self) -> list[NDArray[Any]]:
        return [np.frombuffer(self.script, np.uint8)]

    def network(self, max_rows: int) -> DiscretePolicy:
        return _ScriptedNetwork(self, max_rows)


class _ScriptedNetwork(DiscretePolicy):
    """Logits by the module; all else as of any other."""

    def __init__(self, policy: TorchScriptPolicy, max_rows: int) -> None:
        """RltuiError where it does not give a number for each row of the action table."""
        outputs = len(policy.table)
        actions = action_spec(policy.table, PipelineOptions(policy.legality))
        super().__init__([policy.inputs, outputs], max_rows, actions)
        torch.set_num_threads(1)
        self._module = _load(policy.script)
        probe = np.random.default_rng(0).normal(size=(PROBES, policy.inputs)).astype(np.float32)
        found = self._run(probe)
        if found.shape != (PROBES, outputs) or not np.isfinite(found).all():
            raise RltuiError(
                f"the TorchScript file gives {list(found.shape)} for {PROBES} observations, expected finite [{PROBES}, {outputs}], "
                "a logit or probability for each row of the action table",
                "choose the profile that it was trained with",
                exit_code=2,
            )
        self._are_probabilities = bool((found >= 0).all() and np.allclose(found.sum(axis=1), 1, atol=1e-3))

    def _forward(self, obs: Float) -> Any:
        buffers = self._buffers.get(len(obs)) or self._new_buffers(len(obs))
        found = self._run(np.ascontiguousarray(obs, np.float32))
        np.copyto(buffers.logits, np.log(np.maximum(found, LEAST)) if self._are_probabilities else found)
        return buffers

    def _run(self, obs: Float) -> Float:
        try:
            with torch.inference_mode():
                found = self._module(torch.from_numpy(obs))
            first = found[0] if isinstance(found, tuple | list) else found
            numbers: Float = first.to(torch.float32).numpy()
        except Exception as error:  # of a module of somebody else's
            last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise RltuiError(
                f"the TorchScript file does not take observations [{len(obs)}, {obs.shape[1]}]: {last[0]}",
                "choose the profile that it was trained with",
                exit_code=2,
            ) from error
        return numbers


def policy_of(path: Path, profile: Profile | None) -> TorchScriptPolicy | None:
    """The file as a policy of the profile's game, or without one of that which `rltui export` has written into it; None where it
    has not. RltuiError for what is no such file, does not fit, or reaches for more than numbers.
    """
    try:
        script, told = _cleaned(safe_io.read_bytes(path, LARGEST))
    except OSError as error:
        raise RltuiError(f"{path}: {safe_io.reason(error)}", exit_code=2) from error
    except Exception as error:  # a damaged or hostile file can raise anything in zipfile and ast
        raise RltuiError(
            f"{path}: refused: {in_words(error)}", "it should be what torch.jit.save writes", exit_code=2
        ) from error
    if profile is not None:
        spec = env_spec(profile)
        game = policy_to_save(spec, signature(profile, spec), table_rows(spec), [], (None, None))
        inputs = sizes(spec).obs
    elif told:
        try:
            game, inputs = _game(json.loads(told))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise RltuiError(
                f"{path}: {DESCRIPTION}: {in_words(error)}", "name its profile: --profile", exit_code=2
            ) from error
    else:
        return None
    policy = TorchScriptPolicy(**{**vars(game), "script": script, "inputs": inputs})
    try:
        policy.network(PROBES)
    except RltuiError as error:
        raise RltuiError(f"{path}: {error.message}", error.hint, exit_code=2) from error
    return policy


def _game(told: dict[str, Any]) -> tuple[SavedPolicy, int]:
    """What `described` has told."""
    table = np.array(told["table"], np.float32)
    check_shape(table)
    game = SavedPolicy(
        layers=(),
        table=table,
        table_hash=str(told["table_hash"]),
        obs_signature=str(told["obs_signature"]),
        tick_skip=int(told["tick_skip"]),
        action_delay_ticks=int(told["action_delay_ticks"]),
        legality=str(told["legality"]),
        env=str(told["env"]),
    )
    return game, int(told["obs_size"])


def _cleaned(script: bytes) -> tuple[bytes, bytes]:
    """The archive packed anew, so that torch reads what was looked at here, and rltui's description in it, b"" without one.

    ValueError for an archive that is none of TorchScript's, or code that could reach files, processes or the network.
    """
    safe_io.check_archive(io.BytesIO(script), MOST_MEMBERS, LARGEST)
    told, out = b"", io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(script)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as cleaned:
        names = archive.namelist()
        if len({name.lower() for name in names}) < len(names):  # torch's reader knows no capitals
            raise ValueError("a member twice")
        if not any(name.endswith("/constants.pkl") for name in names):
            raise ValueError("it is no TorchScript archive")
        for name in names:
            if name.lower().endswith(".py") and archive.getinfo(name).file_size > LONGEST_CODE:
                raise ValueError(f"{name} has more than {LONGEST_CODE:,} bytes")
            content = archive.read(name)
            if name.lower().endswith(".py"):
                _check_code(content.decode("ascii"))
            if name.endswith(f"/extra/{DESCRIPTION}"):
                told = content
            if not name.lower().endswith(".debug_pkl"):
                cleaned.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue(), told


def _check_code(text: str) -> None:
    """Operators of torch and prim alone, none that opens anything, nothing that runs while it is loaded."""
    for node in ast.walk(ast.parse(text)):
        name = getattr(node, "attr", None) or getattr(node, "name", None)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value
        if name in FORBIDDEN or (isinstance(name, str) and name.startswith("rpc_")):
            raise ValueError(f"its code has {name!r}, which a net does not need")
        of_ops = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ops"
        if of_ops and name not in NAMESPACES:
            raise ValueError(f"its code calls ops.{name}, which a net does not need")


def _load(content: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.load(io.BytesIO(content), map_location="cpu")  # type: ignore[no-untyped-call]
