"""The import contracts as a user's machine sees them: what a process has loaded, not only what a linter reads."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "textual", "RocketSim", "numpy", "pydantic", "msgspec")
LEARN = (  # torch's compiler, which its own optimizers import, takes two seconds
    "import sys; from tests.fakes.rollouts import learner, rollout; ours = learner(); ours.update(rollout()); "
    "ours.load(ours.snapshot().files())"
)


def loaded(statement: str, names: tuple[str, ...]) -> set[str]:
    """Which of the modules are loaded after the statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*[name for name in {names!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


@pytest.mark.parametrize(
    ("statement", "forbidden"),
    [
        ("from rltui.cli.parser import build_parser; build_parser()", HEAVY),
        ("import rltui.train.collect.worker", ("torch", "textual", "pydantic")),
        ("import rltui.env.soccar_batch", ("torch", "textual", "pydantic")),
        (
            "import rltui.rewards.combined, rltui.obs.default, rltui.actions.rlgym",
            ("torch", "textual", "RocketSim"),
        ),
        (f"{LEARN}; assert 'RocketSim' not in sys.modules; import rltui.train.session", ("textual", "torch._dynamo")),
        (
            "import rltui.runs.launch_plan, rltui.runs.saver, rltui.runs.summary",
            ("torch", "textual", "RocketSim", "numpy"),
        ),
        ("import rltui.events.records, rltui.events.metrics", ("torch", "textual", "RocketSim", "numpy")),
        ("import rltui.profile.load", ("torch", "textual", "RocketSim", "numpy")),
        ("import rltui.policy.mlp, rltui.policy.saved", ("torch", "textual", "RocketSim")),
        ("import rltui.tui.program", ("torch", "RocketSim", "numpy", "pydantic")),
        ("import rltui.view.text_view", ("torch", "textual", "RocketSim", "numpy", "pydantic")),
        (
            "import rltui.view.live_match, rltui.view.terminal, rltui.view.recording, rltui.view.rocketsimvis",
            ("torch", "textual", "pydantic"),
        ),
    ],
)
def test_a_room_loads_nothing_that_it_must_not_reach(statement: str, forbidden: tuple[str, ...]) -> None:
    assert loaded(statement, forbidden) == set()
