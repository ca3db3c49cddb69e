"""rlgym-ppo's own classes as a judge, from a checkout named by RLGYM_PPO_PATH; its dependencies need not be installed."""

from __future__ import annotations

import importlib
import os
import sys
import types
from pathlib import Path
from typing import Any

import pytest


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
