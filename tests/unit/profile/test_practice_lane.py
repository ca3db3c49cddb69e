"""[mechanics] and game.opponent: checked like the match's own components, left out of texts where they say nothing."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from rltui.env.from_profile import env_spec
from rltui.profile.load import load, read
from rltui.profile.render import differences, render
from rltui.profile.resolved import resolved
from rltui.profile.rules import CATEGORIES
from rltui.rewards.base import Category

START = "schema = 1\n[rewards]\ntouch = 1.0\n"
REWARD = """\
from rltui.rewards.base import Reward


class Mine(Reward):
    category = "ball"
    sign = 1

    def value(self, state):
        return state.ball_position[:, 2:]
"""


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(REWARD)
    return tmp_path / "bot.toml"


def test_one_mistake_is_found_where_it_is(subtests: pytest.Subtests, bot: Path) -> None:
    cases: list[tuple[str, int, str, str]] = [
        ("[mechanics]\nweight = 0.2\n", 5, "mechanics.weight", "a lane without resets"),
        ("[mechanics]\nresets = [{kind = 'kickof'}]\n", 5, "mechanics.resets[0].kind", 'did you mean "kickoff"?'),
        ("[mechanics]\nresets = [{kind = 'kickoff', weight = 0}]\n", 5, "mechanics.resets", "every weight is 0"),
        (
            "[mechanics]\nterminals = [{kind = 'timeout', second = 3}]\n",
            5,
            "mechanics.terminals[0].second",
            '"seconds"',
        ),
        ("[mechanics]\n[mechanics.rewards]\ntuch = 1\n", 6, "mechanics.rewards.tuch", 'did you mean "touch"?'),
        (
            "[mechanics.rewards]\nstrong_hit = {weight = 1, ful_hit_speed = 3}\n",
            5,
            "mechanics.rewards.strong_hit.ful_hit_speed",
            '"full_hit_speed"',
        ),
        ("[mechanics.rewards]\n'mine.py:Others' = 1\n", 5, 'mechanics.rewards."mine.py:Others"', "no class Others"),
        ("[game]\nopponent = 'chasr'\n", 5, "game.opponent", 'did you mean "chaser"?'),
        ("[game]\nopponent = 'miror'\n", 5, "game.opponent", 'did you mean "mirror"?'),
        ("[game]\nopponent = 'mine.py:Mine'\n", 5, "game.opponent", "Mine is no ScriptedPlayer"),
        ("[game]\nblue = 0\nopponent = 'idle'\n", 6, "game.opponent", "nobody learns"),
        ("[actions]\nsticky = 3\nsticky_buttons = []\n", 5, "actions.sticky", "holds no button"),
        ("[ppo]\nschedule = 'linear'\nlearning_rate = 1e-6\n", 4, "ppo.learning_rate_floor", "at most 1e-6"),
    ]
    for rest, line, key, words in cases:
        with subtests.test(rest=rest, line=line):
            bot.write_text(START + rest)
            (found,) = read(bot).problems
            assert (found.line, found.key) == (line, key)
            assert words in str(found)


def test_files_are_found_beside_the_profile(bot: Path) -> None:
    bot.write_text(
        START + "[mechanics]\nweight = 0.25\nresets = [{kind = 'random', cars_on_ground = true}]\n"
        "terminals = [{kind = 'timeout', seconds = 3}]\n[mechanics.rewards]\n'mine.py:Mine' = 2\n"
    )
    lane = env_spec(load(bot)).mechanics
    assert lane is not None
    assert (lane.name, lane.share) == ("mechanics", 0.25)
    assert lane.rewards[0].component.name == f"{bot.parent / 'mine.py'}:Mine"
    assert lane.resets[0].component.options["cars_on_ground"] is True
    assert lane.terminals[0].options == {"seconds": 3.0}


def test_what_the_lane_leaves_out_is_the_match_s(bot: Path) -> None:
    bot.write_text(START + "[mechanics]\nweight = 0.25\nresets = [{kind = 'random'}]\n")
    spec = env_spec(load(bot))
    assert spec.mechanics is not None
    assert (spec.mechanics.rewards, spec.mechanics.terminals) == (spec.rewards, spec.terminals)


def test_it_is_shown_read_back_and_compared(bot: Path) -> None:
    bot.write_text(
        START + "[mechanics]\nweight = 0.25\nresets = [{kind = 'random'}]\n[mechanics.rewards]\ntouch = 2\n"
        "[curriculum]\nstages = [{name = 'a', until = 5}, {orange = 2, opponent = 'chaser', categories = {aerial = 2}}]\n"
    )
    mine = load(bot)
    again = bot.with_name("again.toml")
    again.write_text(render(mine))
    assert resolved(load(again)) == resolved(mine)
    assert differences(mine, load(again)) == []
    plain = bot.with_name("plain.toml")
    plain.write_text(START + "[mechanics]\nweight = 0.25\nresets = [{kind = 'random'}]\n")
    found = {each.key: (each.left, each.right) for each in differences(mine, load(plain))}
    assert found["mechanics.rewards.touch"] == ("{weight = 2.0}", None)
    assert found["curriculum.stages[1].opponent"] == ('"chaser"', None)
    assert not any(key.startswith("mechanics.resets") for key in found)


def test_what_says_nothing_is_not_shown(bot: Path) -> None:
    bot.write_text(START)
    shown = render(load(bot))
    for word in ("[curriculum]", "[mechanics]", "\nfallback_row", "\nrecovery_row"):
        assert word not in shown


def test_categories_are_the_rewards_own() -> None:
    assert get_args(Category) == CATEGORIES
