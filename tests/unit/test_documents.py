"""README, docs and CONTRIBUTING stay true: commands parse, links lead somewhere, snippets work as written, named code exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.__main__ import main
from rltui.cli.parser import COMMANDS, build_parser
from rltui.env.from_profile import env_spec, mirror_maps
from rltui.env.spec import EnvSpec
from rltui.profile.load import load
from rltui.profile.locate import list_profiles
from rltui.profile.models import weight_schedule
from rltui.registry import BUILT_IN, Component, build
from rltui.rewards.sampling import sample_states
from rltui.tui.actions import PANE_KEYS, PLACES, key_name
from rltui.tui.cockpit.screen import PANES
from tests.fakes.documents import BLOCKS, README, ROOT, TEXTS, snippet
from tests.fakes.game_states import counterparts, mirrored, random_state, turned

ALL = "\n".join(TEXTS.values())
COCKPIT = TEXTS[ROOT / "docs" / "cockpit.md"]
PROFILES = TEXTS[ROOT / "docs" / "profiles.md"]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMAND_LINES = [
    *re.findall(r"`(rltui [^`]+)`", ALL),
    *(line for _, block in BLOCKS for line in block.splitlines() if line.startswith("rltui ")),
]
LINES = 220  # of README, at most


def anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_readme_is_short() -> None:
    assert len(TEXTS[README].splitlines()) <= LINES


def test_there_are_exactly_two_set_up_commands() -> None:
    installs = [line for _, block in BLOCKS for line in block.splitlines() if line.startswith("pip ")]
    assert installs == ["pip install -e . && rltui", 'pip install -e ".[dev]" && pytest']


def test_every_command_parses(subtests: pytest.Subtests) -> None:
    for line in COMMAND_LINES:
        with subtests.test(line):
            if "--help" not in line:
                assert build_parser().parse_args(shlex.split(line)[1:]).command_name in COMMANDS


def test_every_link_leads_somewhere() -> None:
    dead = []
    for path, text in {**TEXTS, ROOT / "CONTRIBUTING.md": CONTRIBUTING}.items():
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
            name, _, anchor = link.partition("#")
            there = (path.parent / name).resolve() if name else path
            if not there.is_file() or (anchor and anchor not in anchors(there.read_text(encoding="utf-8"))):
                dead.append(f"{path.name}: {link}")
    assert dead == []


def test_readme_leads_to_every_document() -> None:
    assert [path.name for path in TEXTS if path != README and f"](docs/{path.name})" not in TEXTS[README]] == []


def test_every_toml_snippet_is_toml() -> None:
    for language, block in BLOCKS:
        if language == "toml":
            tomllib.loads(block)


def test_every_shipped_profile_is_in_the_table_and_the_other_way_round() -> None:
    table = re.findall(r"^\| `([a-z0-9-]+)` \|", PROFILES, re.MULTILINE)
    assert sorted(table) == sorted(listed.name for listed in list_profiles() if listed.shipped)


def test_every_way_to_begin_is_named() -> None:
    assert [name for name in BUILT_IN["reset"] if f"`{name}`" not in ALL] == []


def test_every_pane_is_in_the_table_with_its_key() -> None:
    table = re.findall(r"^\| `(.)` [a-z ]+ \|", COCKPIT, re.MULTILINE)
    assert sorted(table) == sorted(pane.NUMBER for pane in PANES)


def test_keys_in_the_text_are_keys() -> None:
    known = {key_name(key) for actions in (*PLACES.values(), PANE_KEYS) for action in actions for key in action.keys}
    named = re.findall(r"`([^\s`]|\^\w|enter|esc|space|tab|Home|End)`", COCKPIT + TEXTS[README])
    assert [key for key in named if key not in known and key not in "~╎★▼"] == []


def test_profile_snippets_are_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)
    rewards = "[rewards]\ntouch = 1.0\n"
    for word, more in (("[curriculum]", ""), ("[render]", rewards), ("resets =", rewards)):
        with subtests.test(word):
            Path("mine.toml").write_text(f"schema = 1\n{snippet('toml', word)}\n{more}", encoding="utf-8")
            load("mine.toml")


def test_contributing_names_code_that_there_is() -> None:
    """A row's files exist, and each of its names stands in one of them."""
    rows = CONTRIBUTING.partition("\n## Where to add…\n")[2].partition("\n## ")[0].splitlines()
    missing = []
    for row in (row for row in rows if row.startswith("| ")):
        ticked = re.findall(r"`([^`]+)`", row)
        files = [ROOT / "rltui" / name for name in ticked if name.endswith(".py")]
        missing += [str(path) for path in files if not path.is_file()]
        code = "\n".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
        names = [name for name in ticked if re.fullmatch(r"_?[A-Za-z]\w+", name)]
        missing += [f"{name}: {row}" for name in names if not re.search(rf"\b{name}\b", code)]
    assert missing == []


def test_the_net_alone_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)
    for package, form, name in (("torch", "torchscript", "my-run.pt"), ("onnxruntime", "onnx", "my-run.onnx")):
        with subtests.test(form):
            pytest.importorskip(package)
            assert main(["export", "starter", "--to", form, "-o", name]) == 0
            found: dict[str, Any] = {}
            exec(snippet("python", f"import {package}"), found)
            assert len(found["controls"]) == 8 and found["logits"].shape == (1, 90)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EnvSpec:
    """What the documents' reward, RLGym reward and observation come to in a profile."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_rewards.py").write_text(snippet("python", "class HighBall"))
    (tmp_path / "my_obs.py").write_text(snippet("python", "class MyObs") + snippet("python", "def mirror"))
    rewards = snippet("toml", "HighBall") + snippet("toml", "TouchReward")
    (tmp_path / "mine.toml").write_text(f"schema = 1\n[rewards]\ntouch = 1.0\n{rewards}{snippet('toml', 'MyObs')}")
    return env_spec(load("mine.toml"))


def test_ten_lines_are_ten_lines() -> None:
    for name in ("class HighBall", "class MyObs"):
        assert len([line for line in snippet("python", name).splitlines() if line.strip()]) <= 10, name


def test_the_reward_works_as_written(mine: EnvSpec) -> None:
    reward = build("reward", mine.rewards[1].component)
    state = random_state(np.random.default_rng(0), 4, 1, 1)
    value = reward.value(state)
    assert value.shape == (4, 2)
    np.testing.assert_allclose(value[:, 0], state.ball_position[:, 2] / 2044)


def test_the_rlgym_reward_works_as_written_and_is_our_touch(mine: EnvSpec) -> None:
    first, *states = sample_states(np.random.default_rng(0), 8, (1, 1), 3, contacts=False)
    theirs, ours = build("reward", mine.rewards[2].component), build("reward", Component("touch"))
    theirs.reset(first, np.ones(8, np.bool_))
    for state in states:
        assert theirs.value(state).tolist() == ours.value(state).tolist()


def test_the_observation_works_as_written_and_sees_the_game_from_its_own_side(mine: EnvSpec) -> None:
    builder = build("obs", mine.obs)
    state = random_state(np.random.default_rng(0), 4, 2, 1)
    seen, seen_turned = np.zeros((2, 4, 3, builder.size(2, 1)), np.float32)
    builder.build(state, seen)
    builder.build(turned(state), seen_turned)
    np.testing.assert_allclose(seen_turned, seen[:, counterparts(state)], atol=1e-6)
    assert np.isfinite(seen).all() and len(np.unique(seen)) > 50
    np.testing.assert_allclose(seen[..., 6], state.boost / 100)


def test_its_mirror_works_as_written(mine: EnvSpec) -> None:
    builder, state = build("obs", mine.obs), random_state(np.random.default_rng(0), 4, 2, 1)
    seen, seen_mirrored = np.zeros((2, 4, 3, builder.size(2, 1)), np.float32)
    builder.build(state, seen)
    builder.build(mirrored(state), seen_mirrored)
    index, sign, _ = mirror_maps(mine)
    np.testing.assert_allclose(seen_mirrored, seen[..., index] * sign, atol=1e-6)


def test_the_schedule_is_one() -> None:
    assert "touch = [[0, 1.0], [5_000_000, 0.2]]" in ALL
    assert weight_schedule([[0, 1.0], [5_000_000, 0.2]]) == ((0, 1.0), (5_000_000, 0.2))
