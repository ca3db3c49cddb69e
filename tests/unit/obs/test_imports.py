"""Observations, actions and rewards are arrays in, arrays out: nothing heavy comes with them."""

from __future__ import annotations

import subprocess
import sys

from rltui.registry import BUILT_IN

CODE = """
import sys
from rltui.registry import BUILT_IN, resolve
for kind in ("obs", "action table", "reward"):
    for name in BUILT_IN[kind]:
        resolve(kind, name)
import rltui.rewards.combined, rltui.rewards.checks
print(*sorted({"torch", "textual", "RocketSim", "rlgym"} & set(sys.modules)), len(sys.modules["rltui.registry"].BUILT_IN))
"""


def test_no_torch_textual_or_simulator() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, [str(len(BUILT_IN))]), ran.stderr
