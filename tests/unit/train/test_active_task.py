"""The task in force: entropy, weights and learning rate set by hand, and which word wins after a resume or in the next task."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from rltui.env.spec import ArenaGroup, EnvSpec, Weighted
from rltui.learn.schedules import LearningRates, Schedule
from rltui.profile.load import load
from rltui.registry import Component
from rltui.runs import trainer_state
from rltui.runs.paths import DataDir
from rltui.runs.trainer_state import RateState, TrainerState
from rltui.train.active_task import Overrides, rate_state, resumed_rates
from rltui.train.config import ResolvedConfig
from rltui.train.curriculum import Curriculum, Origin
from rltui.train.setup import TrainOptions, prepare
from tests.fakes.phases import NETS
from tests.fakes.state_evaluations import evaluated
from tests.fakes.tasks import active_task
from tests.fakes.training import TINY

LINEAR = Schedule("linear", 2e-4, 2e-4, steps=1_000, floor=0.0)
ADAPTIVE = replace(LINEAR, kind="kl_adaptive")


def test_without_a_rate_set_by_hand_it_is_the_schedule_or_what_kl_had_reached() -> None:
    rates, words = resumed_rates(LINEAR, None)
    assert (rates.at(500).policy, words) == (pytest.approx(1e-4), "")
    rates, words = resumed_rates(LINEAR, rate_state(LearningRates(LINEAR)))
    assert (rates.at(500).policy, words) == (pytest.approx(1e-4), "")

    state = rate_state(LearningRates(ADAPTIVE, adapted=7e-5))
    rates, words = resumed_rates(ADAPTIVE, state)
    assert rates.at(0).policy == 7e-5
    assert "7e-05, set by KL, still holds" in words
    rates, words = resumed_rates(replace(ADAPTIVE, floor=1e-6), state)
    assert (rates.at(0).policy, "replaces 7e-05" in words) == (2e-4, True)
    rates, words = resumed_rates(LINEAR, state)
    assert (rates.at(0).policy, words) == (2e-4, "")

    rates, _ = resumed_rates(ADAPTIVE, RateState(words=ADAPTIVE.text, adapted=7e-5, override=5e-4))
    rates.override = None
    assert rates.at(0).policy == 7e-5


def test_one_set_by_hand_goes_on_while_the_profile_says_the_same(subtests: pytest.Subtests) -> None:
    cases = [LINEAR, ADAPTIVE]
    for schedule in cases:
        with subtests.test(schedule=str(schedule)):
            state = rate_state(LearningRates(schedule, override=5e-4))
            rates, words = resumed_rates(schedule, state)
            assert rates.at(500).policy == 5e-4
            assert "0.0005, set by hand, still holds" in words
            rates, words = resumed_rates(replace(schedule, learning_rate=1e-4), state)
            assert (rates.override, rates.at(0).policy) == (None, 1e-4)
            assert "the profile's learning rate, changed since, replaces 0.0005" in words


TOUCH, GOAL = Weighted(Component("touch"), 1.0), Weighted(Component("goal"), 5.0, ((0, 5.0), (1_000, 1.0)))


@dataclass
class Lesson:
    """As much of a ResolvedConfig as is read here."""

    entropy: float = 0.01
    rewards: tuple[Weighted, ...] = (TOUCH, GOAL)
    mechanics: ArenaGroup | None = None
    spec: EnvSpec = field(init=False)

    def __post_init__(self) -> None:
        parts = {name: Component(name) for name in ("default", "rlgym")}
        self.spec = EnvSpec(1, 1, parts["default"], parts["rlgym"], self.rewards, (), (), mechanics=self.mechanics)
        self.ppo = SimpleNamespace(ent_coef=self.entropy)


def overrides(lesson: Lesson) -> Overrides:
    return Overrides(cast(ResolvedConfig, lesson))


def group(rewards: tuple[Weighted, ...]) -> ArenaGroup:
    return ArenaGroup("mechanics", 0.2, rewards, (), ())


def test_what_is_in_force_and_taken_back_and_practice_rewards_of_their_own() -> None:
    made = overrides(Lesson())
    assert (made.entropy, made.weight("goal", 500), made.weights) == (0.01, 3.0, {})
    made.put("entropy", 0.02)
    made.put("reward goal", 0.0)
    assert (made.entropy, made.weight("goal", 500), made.weights) == (0.02, 0.0, {"goal": 0.0})
    assert made.metrics(500) == {"train/ent_coef": 0.02, "weight/goal": 0.0}
    made.put("entropy", None)
    made.put("reward goal", None)
    made.put("reward touch", None)
    assert made.metrics(500) == {"train/ent_coef": 0.01, "weight/goal": 3.0}

    assert overrides(Lesson(mechanics=group((TOUCH, GOAL)))).reward_names == ["touch", "goal"]
    assert overrides(Lesson(mechanics=group((GOAL,)))).reward_names == ["touch", "goal", "mechanics/goal"]


def test_it_goes_on_while_the_profile_says_the_same() -> None:
    before = overrides(Lesson())
    before.put("entropy", 0.02)
    before.put("reward touch", 2.0)
    before.put("reward goal", 7.0)
    changed = Lesson(rewards=(Weighted(Component("touch"), 1.5), GOAL))
    after, words = Overrides.resumed(cast(ResolvedConfig, changed), before.stored())
    assert (after.entropy, after.weights) == (0.02, {"goal": 7.0})
    assert words == [
        "entropy coefficient 0.02, set by hand, still holds",
        "the profile's reward touch, changed since, replaces 2, set by hand",
        "reward goal 7, set by hand, still holds",
    ]
    gone, words = Overrides.resumed(cast(ResolvedConfig, Lesson(rewards=(TOUCH,))), after.stored())
    assert gone.weights == {}
    assert "reward goal 7, set by hand, ends: the profile has no such reward now" in words


def test_what_games_have_said_survives_a_resume(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(TINY)
    (tmp_path / "two.toml").write_text(TINY)
    campaign = tmp_path / "campaign.toml"
    campaign.write_text(
        f"schema = 1\n{NETS}[evaluation]\ngames = 20\n[curriculum]\n"
        'phases = [{profile = "one", until = {elo = 1200}, min_steps = 9_000}, {profile = "two"}]\n'
    )
    context = prepare(TrainOptions(load(campaign), str(campaign), DataDir(tmp_path / "data"), run="r"))
    before = active_task(context)
    before.hear(evaluated(900))
    before.hear(evaluated(800, elo_low=1.0))
    state = msgspec.json.decode(trainer_state.encode(before.state()), type=TrainerState)
    curriculum = Curriculum(context.profile, 1_000, Origin("one", state.curriculum))
    assert curriculum.metrics()["curriculum/elo"] is None
    after = active_task(replace(context, state=state, curriculum=curriculum))
    assert after.evaluated == before.evaluated == evaluated(900), "an earlier state says nothing new"
    assert after.curriculum.metrics()["curriculum/elo"] == 1145
    assert after.evaluated.metrics()["evaluation/win_rate_before_low"] == 35.0
