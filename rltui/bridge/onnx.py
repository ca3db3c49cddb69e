"""ONNX: a policy as a graph, built node by node, without torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rltui.bridge.export import Exporter, described
from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy
from rltui.policy.weights import CLIP, Float

OPSET, IR = 17, 8  # of 2022: runtimes of then and later read it


class OnnxExporter(Exporter):
    """`obs` float32 [n, D] → `logits` float32 [n, actions], normaliser included; the rest is told in its metadata."""

    suffix = ".onnx"

    def __init__(self) -> None:
        try:
            import onnx
            import onnx.reference
        except ImportError as error:
            raise RltuiError(f"ONNX needs the package onnx: {error}", 'pip install "onnx>=1.17"') from error
        self._onnx: Any = onnx

    def files(self, policy: SavedPolicy, name: str) -> Mapping[str, bytes]:
        onnx, helper = self._onnx, self._onnx.helper
        weights: dict[str, NDArray[np.float32]] = {}
        nodes: list[Any] = []
        seen = "obs"
        if policy.normalizer is not None:
            weights["mean"], weights["factor"] = policy.normalizer.reshape(2, -1)
            weights["least"], weights["most"] = np.array(-CLIP, np.float32), np.array(CLIP, np.float32)
            nodes += [
                helper.make_node("Sub", ["obs", "mean"], ["centred"]),
                helper.make_node("Mul", ["centred", "factor"], ["scaled"]),
                helper.make_node("Clip", ["scaled", "least", "most"], ["normalized"]),
            ]
            seen = "normalized"
        last = len(policy.layers) - 1
        for i, (w, b) in enumerate(policy.layers):
            weights[f"w{i}"], weights[f"b{i}"] = w, b
            out = "logits" if i == last else f"linear{i}"
            nodes.append(helper.make_node("Gemm", [seen, f"w{i}", f"b{i}"], [out]))
            if i < last:
                seen = f"relu{i}"
                nodes.append(helper.make_node("Relu", [out], [seen]))
        given, gives = (
            helper.make_tensor_value_info(value, onnx.TensorProto.FLOAT, ["n", size])
            for value, size in (("obs", policy.obs_size), ("logits", len(policy.table)))
        )
        numbers = [onnx.numpy_helper.from_array(np.ascontiguousarray(array), key) for key, array in weights.items()]
        model = helper.make_model(
            helper.make_graph(nodes, "policy", [given], [gives], numbers),
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR,
            producer_name="rltui",
        )
        helper.set_model_props(model, {"rltui": json.dumps(described(policy))})
        onnx.checker.check_model(model, full_check=True)
        return {"": model.SerializeToString(deterministic=True)}

    def logits(self, target: Path, obs: Float) -> Float:
        model = self._onnx.reference.ReferenceEvaluator(self._onnx.load_model_from_string(target.read_bytes()))
        found: Float = model.run(["logits"], {"obs": obs})[0]
        return found
