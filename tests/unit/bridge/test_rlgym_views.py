"""RLGym's ObsBuilders and ActionParsers named in a profile: the same numbers as ours, and what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.actions.table import checked_rows, table_hash
from rltui.checks.components import faults, obs_warnings
from rltui.env.from_profile import env_spec
from rltui.env.soccar_batch import SoccarBatch
from rltui.errors import RltuiError
from rltui.profile.load import load
from rltui.profile.source import ProfileError
from rltui.registry import Component, build, resolve
from tests.fakes.batches import new_out, spec

DEFAULT_OBS = "rlgym.rocket_league.obs_builders:DefaultObs"
HEAD = """
import numpy as np
from rlgym.api import ActionParser, ObsBuilder
from rlgym.rocket_league.action_parsers import LookupTableAction, RepeatAction
"""
COUNTS = """
class Counts(ObsBuilder):
    def __init__(self, scale: float = 1.0):
        self.scale, self.resets, self.built = scale, 0, 0

    def get_obs_space(self, agent):
        return "real", -1

    def reset(self, agents, initial_state, shared_info):
        self.resets, self.built = self.resets + 1, 0

    def build_obs(self, agents, state, shared_info):
        self.built += 1
        return {agent: [self.scale, self.resets, self.built] for agent in agents}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes a class to a file of the working folder; gives its name as a profile has it."""
    monkeypatch.chdir(tmp_path)

    def write(source: str, name: str) -> str:
        file = tmp_path / f"{name.lower()}.py"
        file.write_text(f"{HEAD}\n{source}", encoding="utf-8")
        return f"{file}:{name}"

    return write


def test_rlgyms_default_obs_sees_what_ours_does(subtests: pytest.Subtests) -> None:
    for blue, orange in ((1, 1), (2, 1)):
        with subtests.test(blue=blue, orange=orange):
            kinds = (Component("default", {"zero_padding": 3}), Component(DEFAULT_OBS, {"zero_padding": 3}))
            ours, theirs = (SoccarBatch(spec(blue, orange, obs=kind), 3, [0]) for kind in kinds)
            one, other = new_out(ours), new_out(theirs)
            ours.reset(one)
            theirs.reset(other)
            rng = np.random.default_rng(0)
            for _ in range(80):  # through resets
                np.testing.assert_allclose(other.obs, one.obs, atol=1e-6)
                actions = rng.integers(0, ours.action_spec.outputs, (3, ours.learners))
                first, second = ours.step(actions, one), theirs.step(actions, other)
                np.testing.assert_allclose(second.obs, first.obs, atol=1e-6)


def test_each_arena_has_its_own_builder_built_once_a_step_and_reset_with_the_episode(own: Any) -> None:
    obs = Component(own(COUNTS, "Counts"), {"scale": 0.5})
    batch = SoccarBatch(spec(obs=obs, terminals=(Component("timeout", {"seconds": 0.2}),)), 2, [0])
    out = new_out(batch)
    batch.reset(out)
    seen = [out.obs[0, 0].tolist()]
    finals = []
    for _ in range(6):
        cut = batch.step(np.zeros((2, 2), np.int64), out)
        finals += cut.obs[:, 0].tolist()
        seen.append(out.obs[1, 1].tolist())
    first, last = seen[0][1], seen[-1][1]
    assert all(row[0] == 0.5 for row in seen) and last == first + 2
    assert [row[2] for row in seen] == [1, 2, 3, 1, 2, 3, 1], "a final observation is not built twice"
    assert finals == [[0.5, first, 4], [0.5, first, 4], [0.5, first + 1, 4], [0.5, first + 1, 4]]


def test_it_is_checked_like_any_other(own: Any) -> None:
    name = own(COUNTS, "Counts")
    Path("bot.toml").write_text(
        f"schema = 1\n[obs]\nkind = '{name}'\nscale = 2\n[rewards]\ntouch = 1\n", encoding="utf-8"
    )
    found = env_spec(load("bot.toml"))
    assert found.obs.options == {"scale": 2.0} and obs_warnings(found) == []
    Path("bot.toml").write_text(
        f"schema = 1\n[obs]\nkind = '{name}'\nscale = 'x'\n[rewards]\ntouch = 1\n", encoding="utf-8"
    )
    with pytest.raises(ProfileError, match=r"obs\.scale: wrong type, expected a number"):
        load("bot.toml")


def test_rows_of_different_length_are_refused(own: Any) -> None:
    uneven = COUNTS.replace("[self.scale, self.resets, self.built] for", "[1.0] * (1 + agent.startswith('blue')) for")
    with pytest.raises(RltuiError, match="as many numbers for each of blue-0, orange-0"):
        build("obs", Component(own(uneven, "Counts"))).size(1, 1)


def test_a_parser_that_chooses_from_a_list_is_a_table(own: Any) -> None:
    rlgyms = checked_rows(build("action table", Component("rlgym")))
    theirs = Component("rlgym.rocket_league.action_parsers:LookupTableAction")
    repeated = own(
        "class Repeats(RepeatAction):\n    def __init__(self): super().__init__(LookupTableAction(), 4)", "Repeats"
    )
    for component in (theirs, Component(repeated)):
        assert table_hash(checked_rows(build("action table", component))) == table_hash(rlgyms)
    Path("bot.toml").write_text(
        f"schema = 1\n[actions]\ntable = '{theirs.name}'\n[rewards]\ntouch = 1\n", encoding="utf-8"
    )
    assert faults(load("bot.toml"), "bot.toml") == []


def test_a_parser_of_free_numbers_is_refused(own: Any) -> None:
    source = """
class Free(ActionParser):
    def get_action_space(self, agent):
        return "continuous", 8

    def reset(self, agents, initial_state, shared_info):
        pass

    def parse_actions(self, actions, state, shared_info):
        return actions
"""
    with pytest.raises(RltuiError, match=r"Free chooses from \('continuous', 8\), expected \('discrete', rows\)"):
        checked_rows(build("action table", Component(own(source, "Free"))))
    with pytest.raises(RltuiError, match=r"build_obs\(\) is not defined"):
        resolve("obs", own("class Half(ObsBuilder):\n    def reset(self, *rest): pass", "Half"))
