"""Bots of random weights as a checkpoint has them: policy.npz with its own observation, table and pipeline, and a profile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rltui.env.from_profile import env_spec, signature, sizes, table_rows
from rltui.env.spec import policy_to_save
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.policy.weights import Float, Layer, matrices
from rltui.profile.load import load
from rltui.profile.render import render

HIDDEN = 8


def unflatten(flat: Float, sizes: Sequence[int]) -> list[Layer]:
    """The layers as views into `flat`. Raises ValueError where its length does not fit the sizes."""
    return [(matrix[:-1], matrix[-1]) for matrix in matrices(flat, sizes)]


def write_bot(folder: Path, profile: str, normalized: bool = False) -> SavedPolicy:
    """A folder with policy.npz and profile.toml; sharp logits, so that the most probable action matters."""
    loaded = load(profile)
    spec = env_spec(loaded)
    size, rows = sizes(spec), table_rows(spec)
    rng = np.random.default_rng(7)
    shapes = [(size.obs, HIDDEN), (HIDDEN, size.actions.outputs)]
    layers = [
        (rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]).astype(np.float32)) for shape in shapes
    ]
    normalizer = None, None
    if normalized:
        normalizer = rng.normal(size=size.obs).astype(np.float32), rng.uniform(0.5, 2, size.obs).astype(np.float32)
    policy = policy_to_save(spec, signature(loaded, spec), rows, layers, normalizer)
    folder.mkdir(parents=True)
    (folder / "policy.npz").write_bytes(save_policy(policy))
    (folder / "profile.toml").write_text(render(loaded), encoding="utf-8")
    return policy
