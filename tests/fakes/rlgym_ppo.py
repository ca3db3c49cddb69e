"""Checkpoints as rlgym-ppo saves them. Its own classes as a judge, from a checkout named by RLGYM_PPO_PATH; its dependencies
need not be installed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

TIMESTEPS, UPDATES, EPOCH = 5_000_040, 1, 100


def rlgym_ppo(module: str) -> Any:
    """The module `rlgym_ppo.<module>`; skips the test where there is no checkout."""
    root = Path(os.environ.get("RLGYM_PPO_PATH", "")) / "rlgym_ppo"
    if not os.environ.get("RLGYM_PPO_PATH") or not root.is_dir():
        pytest.skip("set RLGYM_PPO_PATH to a checkout of rlgym-ppo")
    for name, folder in (("rlgym_ppo", root), ("rlgym_ppo.util", root / "util")):
        if name not in sys.modules:  # packages without their __init__, which imports wandb and gym
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [str(folder)]
    sys.modules["rlgym_ppo.util"].torch_functions = importlib.import_module("rlgym_ppo.util.torch_functions")  # type: ignore[attr-defined]
    return importlib.import_module(f"rlgym_ppo.{module}")


class Net(nn.Module):
    """As rlgym-ppo's, whose policy has a Softmax behind it, without parameters."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for n, m in pairwise(sizes):
            layers += [nn.Linear(n, m), nn.ReLU()]
        self.model = nn.Sequential(*layers[:-1])


def write_theirs(
    folder: Path, obs: int, actions: int, layers: tuple[int, ...], standardized: bool = True
) -> dict[str, Any]:
    """A checkpoint after one optimizer step; returns its book."""
    folder.mkdir(parents=True)
    torch.manual_seed(7)
    for name, outputs in (("POLICY", actions), ("VALUE_NET", 1)):
        net = Net(obs, *layers, outputs)
        adam = torch.optim.Adam(net.parameters(), lr=2e-4)
        net.model(torch.randn(8, obs)).square().sum().backward()
        adam.step()
        torch.save(net.state_dict(), folder / f"PPO_{name}.pt")
        torch.save(adam.state_dict(), folder / f"PPO_{name}_OPTIMIZER.pt")
    book = {
        "cumulative_timesteps": TIMESTEPS,
        "cumulative_model_updates": UPDATES,
        "policy_average_reward": float("nan"),
        "epoch": EPOCH,
        "ts_since_last_save": 40,
        "reward_running_stats": {"mean": [1.5], "var": [300.0], "shape": [1], "count": 151},
        "wandb_run_id": "abc",
        "wandb_config": {"n_proc": 8},
    }
    if standardized:
        mean, var = np.linspace(0.25, 1, obs), 999 * np.linspace(0.04, 1, obs)
        book["obs_running_stats"] = {"mean": mean.tolist(), "var": var.tolist(), "shape": [obs], "count": 1000}
    (folder / "BOOK_KEEPING_VARS.json").write_text(json.dumps(book, indent=4))
    return book


def as_they_standardize(obs: Any, book: dict[str, Any]) -> Any:
    """What batched_agent_manager.py feeds its policy: all numbers by the mean and deviation of the first."""
    statistics = book["obs_running_stats"]
    mean = np.float32(statistics["mean"][0])
    deviation = np.sqrt(np.float32(statistics["var"][0] / (statistics["count"] - 1) or 1.0))
    return np.clip((obs - mean) / deviation, a_min=-5, a_max=5)
