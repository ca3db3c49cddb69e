"""TorchScript: a policy as a traced module, and policies of others in that format as players."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from rltui.bridge.export import Exporter, described
from rltui.learn.normalization import normalized
from rltui.policy.saved import SavedPolicy
from rltui.policy.weights import Float

DESCRIPTION = "rltui.json"  # of the archive's extra files


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


def _load(content: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.load(io.BytesIO(content), map_location="cpu")  # type: ignore[no-untyped-call]
