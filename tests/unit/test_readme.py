"""README stays true: its commands parse, the profiles that it names are shipped, its reward works as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from rltui.cli.parser import COMMANDS, build_parser
from rltui.profile.load import load
from rltui.profile.locate import listing
from rltui.registry import build
from tests.fakes.game_states import random_state

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)
INLINE = re.findall(r"`(rltui [^`]+)`", README)
COMMAND_LINES = [*INLINE, *(line for _, block in BLOCKS for line in block.splitlines() if line.startswith("rltui "))]


def test_there_are_exactly_two_set_up_commands() -> None:
    installs = [line for _, block in BLOCKS for line in block.splitlines() if line.startswith("pip ")]
    assert installs == ["pip install -e . && rltui", 'pip install -e ".[dev]" && pytest']


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_every_command_parses(line: str) -> None:
    arguments = shlex.split(line)[1:]
    args = build_parser().parse_args(arguments)
    assert args.command_name in COMMANDS


def test_every_shipped_profile_is_in_the_table_and_the_other_way_round() -> None:
    table = set(re.findall(r"^\| `([a-z0-9-]+)` \|", README, re.MULTILINE))
    assert table == {listed.name for listed in listing() if listed.shipped}


def test_the_reward_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [source] = [block for language, block in BLOCKS if language == "python"]
    [line] = [block for language, block in BLOCKS if language == "toml"]
    (tmp_path / "my_rewards.py").write_text(source)
    (tmp_path / "mine.toml").write_text(f"schema = 1\n[rewards]\ntouch = 1.0\n{line}")
    from rltui.env.from_profile import env_spec

    reward = build("reward", env_spec(load("mine.toml")).rewards[1].component)
    state = random_state(np.random.default_rng(0), 4, 1, 1)
    value = reward.value(state)
    assert value.shape == (4, 2)
    np.testing.assert_allclose(value[:, 0], state.ball_position[:, 2] / 2044)
