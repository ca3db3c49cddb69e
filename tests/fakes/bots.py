"""Bots of random weights as a checkpoint has them: policy.npz with its own observation, table and pipeline, and a profile."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from rltui.actions.table import table_hash
from rltui.env.from_profile import env_spec, sizes, table_rows
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.profile.load import load
from rltui.profile.render import render

HIDDEN = 8


def write_bot(folder: Path, profile: str, normalized: bool = False) -> SavedPolicy:
    """A folder with policy.npz and profile.toml; sharp logits, so that the most probable action matters."""
    loaded = load(profile)
    spec = env_spec(loaded)
    size, rows = sizes(spec), table_rows(spec)
    rng = np.random.default_rng(7)
    shapes = [(size.obs, HIDDEN), (HIDDEN, size.actions)]
    env = {
        "obs": {"kind": spec.obs.name, **spec.obs.options},
        "obs_stack": spec.obs_stack,
        "table": {"kind": spec.table.name, **spec.table.options},
        "blue": spec.blue,
        "orange": spec.orange,
        "pipeline": asdict(spec.pipeline),
    }
    policy = SavedPolicy(
        layers=tuple(
            (rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]).astype(np.float32))
            for shape in shapes
        ),
        table=rows,
        table_hash=table_hash(rows),
        obs_signature="",
        tick_skip=spec.tick_skip,
        action_delay_ticks=spec.action_delay_ticks,
        legality=spec.pipeline.legality,
        env=json.dumps(env),
        normalizer_mean=rng.normal(size=size.obs).astype(np.float32) if normalized else None,
        normalizer_var=rng.uniform(0.5, 2, size.obs).astype(np.float32) if normalized else None,
    )
    folder.mkdir(parents=True)
    (folder / "policy.npz").write_bytes(save_policy(policy))
    (folder / "profile.toml").write_text(render(loaded), encoding="utf-8")
    return policy
