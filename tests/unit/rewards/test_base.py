"""A reward of one's own in ten lines, from a file: the very example that the docstring gives."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest

import rltui.rewards.base
from rltui.errors import RltuiError
from rltui.registry import Component, build, resolve
from rltui.rewards.combined import CombinedReward
from tests.fakes.game_states import random_state

WITH_PARAMETERS = """
from dataclasses import dataclass, field
import numpy as np
from rltui.rewards.base import Reward

class Boost(Reward):
    category, sign = "boost", 1

    @dataclass(frozen=True)
    class Params:
        full: float = field(default=100.0, metadata={"doc": "Boost that pays 1.", "min": 1.0, "max": 100.0})

    def value(self, state):
        return np.minimum(state.boost / self.params.full, 1)
"""


HEAD = "from rltui.rewards.base import Reward\n\nclass Empty(Reward):\n"


def docstring_example() -> str:
    doc = rltui.rewards.base.__doc__ or ""
    return textwrap.dedent(doc[doc.index("    import numpy") :])


def test_the_docstrings_example_is_ten_lines_and_works(tmp_path: Path) -> None:
    source = docstring_example()
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    file = tmp_path / "high_ball.py"
    file.write_text(source, encoding="utf-8")
    name = f"{file}:HighBall"
    state = random_state(np.random.default_rng(0), 3, 2, 1)
    out, contributions = np.empty((3, 3), np.float32), np.empty((1, 3, 3), np.float32)
    combined = CombinedReward([(name, build("reward", Component(name)), 2.0)])
    combined.reset(state, np.ones(3, dtype=bool))
    combined.value(state, out, contributions)
    np.testing.assert_allclose(out[:, 2], state.ball_position[:, 2] / 1022, rtol=1e-6)


def test_parameters_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "boost.py"
    file.write_text(WITH_PARAMETERS, encoding="utf-8")
    state = random_state(np.random.default_rng(0), 3, 1, 1)
    values = build("reward", Component(f"{file}:Boost", {"full": 50.0})).value(state)
    np.testing.assert_allclose(values, np.minimum(state.boost / 50, 1), rtol=1e-6)
    with pytest.raises(RltuiError, match=r"full must be in \[1.0, 100.0\], found 0"):
        build("reward", Component(f"{file}:Boost", {"full": 0}))


def test_a_reward_without_value_cannot_be_built(tmp_path: Path) -> None:
    file = tmp_path / "empty.py"
    file.write_text(f"{HEAD}    category, sign = 'ball', 1\n", encoding="utf-8")
    assert issubclass(resolve("reward", f"{file}:Empty"), rltui.rewards.base.Reward)
    with pytest.raises(RltuiError, match="value"):
        build("reward", Component(f"{file}:Empty"))


def test_category_and_sign_must_be_declared(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for body in ("pass", "category = 'ball'", "sign = 1", "category, sign = 'bal', 1", "category, sign = 'ball', 2"):
        with subtests.test(body=body):
            file = tmp_path / "undeclared.py"
            file.write_text(f"{HEAD}    {body}\n", encoding="utf-8")
            with pytest.raises(RltuiError) as caught:
                resolve("reward", f"{file}:Empty")
            assert "Empty must declare category (one of events, ball, goal" in caught.value.message
            assert "and sign (-1, 0 or 1), found" in caught.value.message
