"""The import contracts as a user's machine sees them: what a process has loaded, not only what a linter reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rltui.runs

HEAVY = ("torch", "textual", "RocketSim", "numpy", "pydantic", "msgspec")
LEARN = (  # torch's compiler, which its own optimizers import, takes two seconds
    "import sys; from tests.fakes.rollouts import learner, rollout; ours = learner(); ours.update(rollout()); "
    "ours.load(ours.snapshot().files())"
)
PARTS = (
    "from rltui.registry import BUILT_IN, resolve; import rltui.rewards.combined, rltui.rewards.checks; "
    "[resolve(kind, name) for kind in ('obs', 'action table', 'reward') for name in BUILT_IN[kind]]"
)
RUNS = "import " + ", ".join(
    f"rltui.runs.{path.stem}" for path in Path(rltui.runs.__path__[0]).glob("*.py") if path.stem != "__init__"
)


def of_profile(*modules: str) -> str:
    return "import " + ", ".join(f"rltui.profile.{module}" for module in modules)


def loaded(statement: str, names: tuple[str, ...]) -> set[str]:
    """Which of the modules are loaded after the statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*[name for name in {names!r} if sys.modules.get(name)])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("from rltui.cli.parser import build_parser; build_parser()", HEAVY),
        ("import rltui.cli.profile", (*HEAVY, "tomlkit", "rltui.profile", "rltui.env")),
        ("import rltui.train.collect.worker", ("torch", "textual", "pydantic")),
        ("import rltui.env.soccar_batch", ("torch", "textual", "pydantic", "gymnasium")),
        (PARTS, ("torch", "textual", "RocketSim", "rlgym")),
        (f"{LEARN}; assert 'RocketSim' not in sys.modules; import rltui.train.session", ("textual", "torch._dynamo")),
        (RUNS, ("torch", "textual", "RocketSim", "numpy", "pydantic", "psutil", "tomlkit")),
        ("import rltui.events.records, rltui.events.metrics", ("torch", "textual", "RocketSim", "numpy")),
        (
            of_profile("load", "models", "edit", "schema", "render", "copies", "advice", "resolved"),
            ("torch", "textual", "RocketSim", "numpy"),
        ),
        (of_profile("locate", "edit", "toml_lines", "toml_text", "source"), ("numpy", "pydantic")),
        ("from rltui.profile.load import load; load('quick')", ("torch", "textual", "RocketSim")),
        ("import rltui.policy.mlp, rltui.policy.saved", ("torch", "textual", "RocketSim")),
        ("import rltui.tui.app", ("torch", "RocketSim", "numpy", "pydantic")),
        ("import rltui.env.gymnasium", ("torch", "textual", "RocketSim", "pydantic", "rltui.bridge.gymnasium")),
        ("import gymnasium, rltui.bridge.pettingzoo", ("torch", "textual", "jax")),
        ("import rltui.view.text_view", ("torch", "textual", "RocketSim", "numpy", "pydantic")),
        (
            "import rltui.view.live_match, rltui.view.terminal, rltui.view.recording, rltui.view.rocketsimvis",
            ("torch", "textual", "pydantic"),
        ),
    ],
)
def test_a_room_loads_nothing_that_it_must_not_reach(statement: str, forbidden: tuple[str, ...]) -> None:
    assert loaded(statement, forbidden) == set()


def test_what_is_on_disk_needs_nothing_that_windows_has_not() -> None:
    missing = ("fcntl", "pwd", "resource", "termios", "grp")
    assert loaded(f"import sys\nsys.modules.update(dict.fromkeys({missing}))\n{RUNS}", missing) == set()
