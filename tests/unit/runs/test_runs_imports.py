"""What the runs room may load: nothing heavy, and nothing that Windows has not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import rltui.runs

MODULES = sorted(
    f"rltui.runs.{path.stem}" for path in Path(rltui.runs.__path__[0]).glob("*.py") if path.stem != "__init__"
)


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_nothing_heavy() -> None:
    heavy = ("torch", "numpy", "pydantic", "textual", "RocketSim", "psutil", "tomlkit")
    done = run(f"import sys, {', '.join(MODULES)}\nprint([name for name in {heavy} if name in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_posix_only_modules_are_not_needed_to_import() -> None:
    missing = ("fcntl", "pwd", "resource", "termios", "grp")
    done = run(
        f"import sys\nfor name in {missing}: sys.modules[name] = None\nimport {', '.join(MODULES)}\nprint('imported')"
    )
    assert done.stdout == "imported\n", done.stderr
