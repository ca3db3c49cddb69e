"""RLGym RewardFunctions named in a profile: parameters, instances, states, and what goes wrong."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.bridge.rlgym_rewards import RlgymReward
from rltui.bridge.rlgym_states import RlgymStates
from rltui.checks.components import reward_faults
from rltui.env.from_profile import env_spec, reward_warnings
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import Weighted
from rltui.errors import RltuiError
from rltui.profile.load import load
from rltui.profile.render import render
from rltui.profile.resolved import digest
from rltui.profile.source import ProfileError
from rltui.registry import Component, build, resolve
from rltui.rewards.sampling import sample_states
from tests.fakes import rlgym_rewards
from tests.fakes.batches import new_out, spec
from tests.fakes.game_states import TEAM_SIZES, as_rlgym, random_state

FAKES = Path(rlgym_rewards.__file__)
HEAD = """
from rlgym.api import RewardFunction

class Touched(RewardFunction):
    def reset(self, agents, initial_state, shared_info):
        pass

    def get_rewards(self, agents, state, is_terminated, is_truncated, shared_info):
        return {agent: float(state.cars[agent].ball_touches > 0) for agent in agents}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes classes to a file of their own in the working folder, behind HEAD; gives the name of a class."""
    monkeypatch.chdir(tmp_path)
    files = (tmp_path / f"mine{number}.py" for number in itertools.count())

    def write(source: str, name: str) -> str:
        file = next(files)
        file.write_text(f"{HEAD}\n{source}", encoding="utf-8")
        return f"{file}:{name}"

    return write


def profile(rewards: str) -> str:
    Path("bot.toml").write_text(f"schema = 1\n[rewards]\n{rewards}\n", encoding="utf-8")
    return "bot.toml"


def test_the_constructors_parameters_are_the_profiles(own: Any) -> None:
    name = f"{FAKES}:Streak"
    found = load(profile(f'"{name}" = {{weight = 0.5, growth = 2, fade = 0.1}}'))
    (reward,) = env_spec(found).rewards
    assert reward.component.options == {"growth": 2.0, "most": 4, "fade": 0.1, "names": None}
    (instance,) = build("reward", reward.component)._instances
    assert (instance.growth, instance.most, instance.fade) == (2.0, 4, 0.1)
    assert instance.names.tolist() == ["blue", "orange"], "what TOML cannot write stays the constructor's own"
    Path("shown.toml").write_text(render(found), encoding="utf-8")
    assert digest(load("shown.toml")) == digest(found)


def test_wrong_parameters_are_found_when_the_profile_is_checked(subtests: pytest.Subtests, own: Any) -> None:
    for options, message, expected in (
        ("growth = 'x'", "wrong type", "a number"),
        ("most = 1.5", "wrong type", "a whole number"),
        ("grow = 1.5", "unknown parameter of reward", "one of growth, most, fade, names, weight"),
    ):
        with subtests.test(options=options, message=message, expected=expected):
            with pytest.raises(ProfileError) as caught:
                load(profile(f'"{FAKES}:Streak" = {{weight = 0.5, {options}}}'))
            (problem,) = caught.value.problems
            assert message in problem.message and problem.expected == expected


def test_a_parameter_without_a_default_must_be_given(own: Any) -> None:
    name = own(
        "class Scaled(Touched):\n    def __init__(self, scale: float, *rest, **more):\n        self.scale = scale",
        "Scaled",
    )
    with pytest.raises(ProfileError, match=r"scale: missing, expected a number"):
        load(profile(f'"{name}" = 1.0'))
    (reward,) = env_spec(load(profile(f'"{name}" = {{weight = 1, scale = 3}}'))).rewards
    assert build("reward", reward.component)._instances[0].scale == 3.0


def test_a_constructor_that_refuses_is_a_finding(own: Any) -> None:
    name = own("class Refuses(Touched):\n    def __init__(self):\n        raise ValueError('not today')", "Refuses")
    with pytest.raises(ProfileError, match="not today"):
        load(profile(f'"{name}" = 1.0'))


def test_classes_that_cannot_be_adapted(subtests: pytest.Subtests, own: Any) -> None:
    for source, message in (
        (
            "class Half(RewardFunction):\n    def reset(self, agents, initial_state, shared_info): pass",
            "get_rewards() is not defined",
        ),
        ("class Half(RewardFunction):\n    def get_rewards(self, *a): pass", "reset() is not defined"),
        ("class Half(Touched):\n    category = 'bal'", "category (one of events, ball"),
        ("class Half(Touched):\n    sign = 3", "sign (-1, 0 or 1)"),
        ("class Half(Touched):\n    def __init__(self, weight): pass", "a parameter named weight cannot be set"),
    ):
        with subtests.test(source=source, message=message):
            with pytest.raises(ProfileError) as caught:
                load(profile(f'"{own(source, "Half")}" = 1.0'))
            (problem,) = caught.value.problems
            assert message in problem.message


def test_category_sign_and_penalty_are_the_classs_own_attributes(own: Any) -> None:
    name = own("class High(Touched):\n    '''Says so.'''\n    category, sign, penalty = 'ball', 1, True", "High")
    cls = resolve("reward", name)
    assert (cls.category, cls.sign, cls.penalty, cls.__doc__, cls.__name__) == ("ball", 1, True, "Says so.", "High")
    plain = resolve("reward", name.replace("High", "Touched"))
    assert (plain.category, plain.sign, plain.penalty) == ("events", 0, False)
    assert issubclass(plain, RlgymReward)


def test_that_it_is_slower_is_said_once_for_all_of_them(own: Any) -> None:
    name = own("class Other(Touched):\n    pass", "Other")
    text = f'touch = 1.0\n"{name}" = 1.0\n"{name.replace("Other", "Touched")}" = 1.0'
    (warning,) = reward_warnings(env_spec(load(profile(text))))
    assert warning.startswith("Other, Touched: RLGym RewardFunctions are called arena by arena")


def test_its_sign_is_checked_like_that_of_any_other(own: Any) -> None:
    name = own("class TouchPenalty(Touched):\n    pass", "TouchPenalty")
    first, _ = reward_warnings(env_spec(load(profile(f'"{name}" = 1.0'))))
    assert first.startswith("TouchPenalty is a penalty, but its value on random states is never negative")


def test_rewards_are_taken_as_rlgyms_combined_reward_takes_them(subtests: pytest.Subtests, own: Any) -> None:
    first, state = sample_states(np.random.default_rng(0), 2, (1, 1), 2, contacts=False)
    for gives, expected in (
        ("{agents[0]: 0.5}", [0.5, 0]),
        ("{}", [0, 0]),
        ("{a: np.array([0.5]) for a in agents}", [0.5, 0.5]),
        ("{a: np.asarray(0.5) for a in agents}", [0.5, 0.5]),
        ("dict.fromkeys(agents, True)", [1, 1]),
        ("{agents[1]: np.float32(2), agents[0]: 3}", [3, 2]),
    ):
        with subtests.test(gives=gives):
            body = f"    def get_rewards(self, agents, *rest):\n        return {gives}"
            reward = build("reward", Component(own(f"import numpy as np\nclass Odd(Touched):\n{body}", "Odd")))
            reward.reset(first, np.ones(2, np.bool_))
            assert reward.value(state).tolist() == [expected] * 2


def test_what_nobody_has_put_into_shared_info_is_said_with_the_way_that_works(own: Any) -> None:
    source = """
class Provides(Touched):
    def get_rewards(self, agents, state, terminated, truncated, shared_info):
        shared_info["scoreboard"] = 3.0
        return {}

class Uses(Touched):
    def get_rewards(self, agents, state, terminated, truncated, shared_info):
        assert shared_info.get("other") is None
        return dict.fromkeys(agents, shared_info["scoreboard"])
"""
    uses = own(source, "Uses")
    (fault,) = reward_faults(env_spec(load(profile(f'"{uses}" = 1'))))
    assert "scoreboard is not in shared_info: SharedInfoProviders do not run here" in fault.message
    both = (Weighted(Component(uses.replace("Uses", "Provides")), 1.0), Weighted(Component(uses), 1.0))
    batch = SoccarBatch(spec(rewards=both), 2, [0])
    out = new_out(batch)
    batch.reset(out)
    batch.step(np.zeros((2, 2), np.int64), out)
    assert out.rewards.tolist() == [[3.0, 3.0]] * 2


def test_a_factory_is_named_as_one(own: Any) -> None:
    name = own("def build_reward():\n    return CombinedReward(Touched())", "build_reward")
    with pytest.raises(ProfileError, match="is a function, no class") as caught:
        load(profile(f'"{name}" = 1.0'))
    assert "name the classes that it builds, each with its weight" in caught.value.message


def test_a_file_that_does_not_import_is_reported_once(own: Any) -> None:
    name = own("from rlgym.utils.reward_functions import RewardFunction", "One")
    with pytest.raises(ProfileError) as caught:
        load(
            profile(
                f'touch = "x"\n"{name}" = 1\n"{name.replace("One", "Two")}" = 1\n"{name[:-3]}Three" = {{weight = 1, a = 2}}'
            )
        )
    touch, unusable = caught.value.problems
    assert (touch.key, unusable.line) == ("rewards.touch", 4)
    assert "does not import: ModuleNotFoundError" in unusable.message and "is of RLGym 1" in unusable.hint


def test_what_is_no_reward_for_every_car_names_class_and_cars(subtests: pytest.Subtests, own: Any) -> None:
    for gives in (
        "{'blue-7': 1.0}",
        "dict.fromkeys(agents, [1.0, 2.0])",
        "[1.0] * 2",
        "None",
        "dict.fromkeys(agents, 'much')",
        "1.0",
    ):
        with subtests.test(gives=gives):
            name = own(f"class Odd(Touched):\n    def get_rewards(self, agents, *rest):\n        return {gives}", "Odd")
            batch = SoccarBatch(spec(rewards=(Weighted(Component(name), 1.0),)), 2, [0])
            out = new_out(batch)
            batch.reset(out)
            with pytest.raises(
                RltuiError, match=r"reward Odd: get_rewards\(\) must give a dict .* of blue-0, orange-0, found"
            ):
                batch.step(np.zeros((2, 2), np.int64), out)


def test_each_arena_has_an_instance_and_shared_information_of_its_own_and_states_can_be_kept(own: Any) -> None:
    name = own(
        """
class Watcher(Touched):
    made = []

    def __init__(self):
        self.kept, self.made = [], [*self.made, self]
        type(self).made.append(self)

    def reset(self, agents, initial_state, shared_info):
        self.first, self.info = initial_state, shared_info

    def get_rewards(self, agents, state, *rest):
        self.kept.append(state)
        return dict.fromkeys(agents, 0.0)
""",
        "Watcher",
    )
    both = (Weighted(Component(name), 1.0), Weighted(Component(name.replace("Watcher", "Touched")), 1.0))
    batch = SoccarBatch(spec(rewards=(*both, Weighted(Component(name), 1.0))), 3, [0])
    out = new_out(batch)
    batch.reset(out)
    seen = []
    for _ in range(3):
        batch.step(np.full((3, 2), 18), out)
        seen.append(batch.state.position.copy())
    made = resolve("reward", name).adapted.made
    assert len(made) == 6 and len({id(each) for each in made}) == 6
    first, second = batch._rewards.rewards[0]._instances, batch._rewards.rewards[2]._instances  # type: ignore[attr-defined]
    for arena, (one, other) in enumerate(zip(first, second, strict=True)):
        assert one.info is other.info and one.first is other.first, "all of an arena's rewards share"
        assert [a is b for a, b in zip(one.kept, other.kept, strict=True)] == [True] * 3
        for step, state in enumerate(one.kept):
            for car, physics in enumerate([state.cars[agent].physics for agent in ("blue-0", "orange-0")]):
                np.testing.assert_array_equal(physics.position, seen[step][arena, car])
    assert len({id(one.info) for one in first}) == 3


def test_without_a_simulator_states_are_made_of_the_arrays(subtests: pytest.Subtests) -> None:
    """As in the trial of a reward on random states; tests.fakes has a translation of its own."""
    for teams in TEAM_SIZES:
        with subtests.test(teams=teams):
            state = random_state(np.random.default_rng(4), 3, *teams)
            states = RlgymStates(state, None)
            for arena in range(3):
                found, expected = states.of(state, arena), as_rlgym(state, arena)
                assert states.of(state, arena) is found
                assert list(found.cars) == [f"blue-{i}" for i in range(teams[0])] + [
                    f"orange-{i}" for i in range(teams[1])
                ]
                assert (found.tick_count, found.goal_scored) == (expected.tick_count, expected.goal_scored)
                assert found.scoring_team == expected.scoring_team
                np.testing.assert_array_equal(found.inverted_boost_pad_timers, expected.inverted_boost_pad_timers)
                _same_bodies(found.ball, expected.ball)
                for mine, theirs in zip(found.cars.values(), expected.cars.values(), strict=True):
                    _same_bodies(mine.physics, theirs.physics)
                    _same_bodies(mine.inverted_physics, theirs.inverted_physics)
                    np.testing.assert_allclose(mine.physics.rotation_mtx, theirs.physics.rotation_mtx, atol=1e-6)
                    names = (
                        "team_num boost_amount demo_respawn_timer is_demoed on_ground handbrake has_jumped is_jumping has_flipped "
                        "is_flipping has_double_jumped air_time_since_jump flip_time is_holding_jump can_flip ball_touches "
                        "is_boosting is_supersonic is_blue"
                    )
                    for name in names.split():
                        assert getattr(mine, name) == getattr(theirs, name), name


def _same_bodies(mine: Any, theirs: Any) -> None:
    for name in ("position", "linear_velocity", "angular_velocity"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def test_an_unknown_agent_order_does_not_matter(own: Any) -> None:
    """The dict's keys count, not their order."""
    name = own(
        "class Turned(Touched):\n    def get_rewards(self, agents, *rest):\n"
        "        return {agent: float(agent.startswith('orange')) for agent in reversed(agents)}",
        "Turned",
    )
    reward = build("reward", Component(name))
    first, state = sample_states(np.random.default_rng(0), 2, (1, 2), 2, contacts=False)
    reward.reset(first, np.ones(2, np.bool_))
    assert reward.value(state).tolist() == [[0, 1, 1]] * 2


def test_workers_load_it_without_torch(own: Any) -> None:
    name = own("", "Touched")
    code = (
        "import sys\nimport rltui.train.collect.worker\nfrom rltui.registry import Component, build\n"
        f"build('reward', Component({name!r}))\n"
        "assert 'rltui.bridge.rlgym_rewards' in sys.modules\n"
        "assert not {'torch', 'textual', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
