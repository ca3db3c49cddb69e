"""Campaigns: phases found, read and fitted together; what a task is; stages; texts that read back."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from rltui.env.arena_groups import frozen_arenas
from rltui.env.from_profile import env_spec
from rltui.events.game_record import elo_of_all_won
from rltui.league.ratings import Tally, fit_tally
from rltui.league.score import score_interval
from rltui.profile.advice import advice
from rltui.profile.copies import saved_copies
from rltui.profile.curriculum import (
    ENDS,
    PLANS,
    opponent_name,
    stage_at,
    stage_name,
    stages_of,
    task_profile,
    task_profiles,
)
from rltui.profile.load import load, read
from rltui.profile.render import differences, render
from rltui.profile.resolved import digest, learning_cars, observed_cars, resolved
from rltui.profile.rules import CATEGORIES
from rltui.profile.source import Problem
from rltui.registry import STARTER
from rltui.rewards.base import Category

PHASE = """\
schema = 1
label = "{label}"
phase = {number}
resets = [{{kind = "kickoff"}}]
[rewards]
{rewards}
[ppo]
learning_rate = {rate}
"""


CAMPAIGN = """\
schema = 1
[curriculum]
phases = [
    {profile = "first", until = {kickoff_touches = 80, "rollout/goals_per_minute" = 1}, min_steps = 1e5},
    {profile = "second", max_steps = 5_000},
]
"""
WITHOUT_END = CAMPAIGN.replace(", max_steps = 5_000", "")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A campaign of two phases beside it; the working folder is another one."""
    (tmp_path / "first.toml").write_text(PHASE.format(label="One", number=1, rewards="touch = 1", rate=2e-4))
    (tmp_path / "second.toml").write_text(PHASE.format(label="", number=7, rewards="goal = 5", rate=8e-5))
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def problems(path: Path, text: str) -> tuple[Problem, ...]:
    path.write_text(text)
    reading = read(path)
    assert reading.profile is None
    return tuple(reading.problems)


def test_a_campaign_is_its_first_task_and_knows_the_others(folder: Path) -> None:
    profile = load(folder / "campaign.toml")
    assert [phase.name for phase in profile.phases] == ["first", "second"]
    assert list(profile.rewards) == ["touch"]
    assert profile.curriculum.phases[0].until == {"kickoff_touches": 80, "rollout/goals_per_minute": 1}
    assert profile.curriculum.phases[0].min_steps == 100_000


def test_a_task_has_the_phase_s_words_and_the_campaign_s(folder: Path) -> None:
    profile = load(folder / "campaign.toml", ["save_every=77", "collect.arenas=3", "policy.layers=[256, 256, 256]"])
    first, second = task_profiles(profile)
    assert (first.label, first.phase, first.ppo.learning_rate) == ("One", 1, 2e-4)
    assert (second.label, second.phase, second.ppo.learning_rate) == ("second", 7, 8e-5)
    assert list(second.rewards) == ["goal"]
    assert (second.save_every, second.collect.arenas, second.name, second.phases) == (77, 3, "campaign", ())
    assert task_profile(second) == second, "a task is its own task"


def test_overrides_of_what_phases_say_reach_every_phase(folder: Path) -> None:
    profile = load(folder / "campaign.toml", ["ppo.gamma=0.9", "rewards.face_ball=0.5"])
    assert [phase.ppo.gamma for phase in task_profiles(profile)] == [0.9, 0.9]
    assert all("face_ball" in phase.rewards for phase in task_profiles(profile))


def test_nets_that_a_campaign_writes_hold_in_every_phase(folder: Path, subtests: pytest.Subtests) -> None:
    """In the file or by --set, and from the copy that a run keeps; where it writes none, the phases' must be its default."""
    for written, by_hand in (("[policy]\nlayers = [8]\n", ()), ("", ("policy.layers=[8]",))):
        with subtests.test(written=written):
            (folder / "campaign.toml").write_text(CAMPAIGN.replace("[curriculum]", f"{written}[curriculum]"))
            profile = load(folder / "campaign.toml", by_hand)
            assert [task.policy.layers for task in task_profiles(profile)] == [(8,), (8,)]
            run = folder / f"run {len(by_hand)}"
            run.mkdir()
            for name, text in saved_copies(profile, "run.toml").items():
                (run / name).write_text(text)
            assert load(run / "run.toml").policy.layers == (8,)
    wide = (folder / "second.toml").read_text() + "[policy]\nlayers = [8]\n"
    (folder / "second.toml").write_text(wide)
    (found,) = problems(folder / "campaign.toml", CAMPAIGN)
    assert found.key == "curriculum.phases[1].profile" and "policy.layers" in str(found)
    assert found.hint == "write [policy] in the campaign, and it holds in all phases"


def test_shipped_phases_are_found_and_kept_by_name(folder: Path) -> None:
    path = folder / "mine.toml"
    path.write_text('schema = 1\n[curriculum]\nphases = [{profile = "phase-1-ball-touching"}]\n')
    assert load(path).curriculum.phases[0].profile == "phase-1-ball-touching"
    assert load(folder / "campaign.toml").curriculum.phases[0].profile == str(folder / "first.toml")


def test_what_is_shown_reads_back_and_leaves_the_phases_their_own(folder: Path) -> None:
    profile = load(folder / "campaign.toml")
    shown = render(profile)
    assert "[rewards]" not in shown
    assert "[ppo]" not in shown
    again = folder / "again.toml"
    again.write_text(shown)
    assert resolved(load(again)) == resolved(profile)
    assert digest(load(again)) == digest(profile)
    (folder / "second.toml").write_text(PHASE.format(label="", number=7, rewards="goal = 6", rate=1e-4))
    assert digest(load(again)) != digest(profile), "a phase's word is the campaign's"


def test_what_a_run_keeps_is_the_same_campaign_whatever_becomes_of_the_originals(folder: Path) -> None:
    profile = load(folder / "campaign.toml", ["ppo.gamma=0.9"])
    run = folder / "run"
    run.mkdir()
    for name, text in saved_copies(profile, "run.toml").items():
        (run / name).write_text(text)
    assert sorted(path.name for path in run.iterdir()) == ["first.toml", "run.toml", "second.toml"]
    (folder / "first.toml").unlink()
    again = load(run / "run.toml")
    assert [resolved(phase) for phase in again.phases] == [resolved(phase) for phase in profile.phases]
    assert again.name == "campaign"


def test_phases_of_one_name_are_kept_apart(folder: Path) -> None:
    (folder / "run.toml").write_text((folder / "second.toml").read_text())
    other = folder / "elsewhere" / "first.toml"
    other.write_text((folder / "second.toml").read_text())
    names = ("first", "elsewhere/first.toml", "run", "first")
    text = "schema = 1\n[curriculum]\nphases = [" + ", ".join(f'{{profile = "{name}"}}' for name in names) + "]\n"
    (folder / "campaign.toml").write_text(text)
    texts = saved_copies(load(folder / "campaign.toml"), "run.toml")
    assert sorted(texts) == ["first-2.toml", "first.toml", "run-2.toml", "run.toml"]
    assert "touch" in texts["first.toml"]
    assert "goal = 5" in texts["first-2.toml"]


def test_a_phase_s_mistakes_are_told_with_its_own_file_and_line(folder: Path) -> None:
    (folder / "second.toml").write_text("schema = 1\n[rewards]\ntuch = 1\n")
    (found,) = problems(folder / "campaign.toml", CAMPAIGN)
    assert (Path(found.file).name, found.line, found.key) == ("second.toml", 3, "rewards.tuch")


def test_all_mistakes_of_campaign_and_phases_are_told_at_once(folder: Path) -> None:
    """Wherever they are, and whichever phases can be read; a phase that cannot be read keeps no other from being compared."""
    wrong = "schema = 1\n[rewards]\ntuch = 1\n[ppo]\ngamma = 2\n"
    for name in ("first", "third"):
        (folder / f"{name}.toml").write_text(wrong)
    text = CAMPAIGN.replace("schema = 1", "schema = 1\nlable = 1", 1).replace(
        "phases = [", 'phases = [{profile = "third", until = {tuches = 1}}, {profile = "quick", max_steps = 1}, '
    )
    of_phases = [(file, key) for file in ("first", "third") for key in ("rewards.tuch", "ppo.gamma")]
    own = [("campaign", f"curriculum.phases[{place}") for place in ("0].until.tuches", "1].profile")]
    found = [(Path(problem.file).stem, problem.key) for problem in problems(folder / "campaign.toml", text)]
    assert sorted(found) == sorted([("campaign", "lable"), *own, *of_phases])


def test_what_cannot_be_a_campaign(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, str, int, str, str]] = [
        ('"second"', '"secnd"', 5, "curriculum.phases[1].profile", "no such profile"),
        ('"second"', '"campaign"', 3, "curriculum.phases", "cannot have phases of its own"),
        ('"second"', '"quick"', 5, "curriculum.phases[1].profile", "obs.zero_padding: expected 3, found 0"),
        ("kickoff_touches", "kickof_touches", 4, "curriculum.phases[0].until.kickof_touches", "unknown metric"),
        ("5_000", "0", 5, "curriculum.phases[1].max_steps", "out of range"),
        ("max_steps", "min_steps = 6_000, max_steps", 5, "curriculum.phases[1].max_steps", "over before min_steps"),
        ("schema = 1", "schema = 1\n[ppo]", 2, "ppo", "each phase's profile has its own"),
        ("schema = 1", "schema = 1\nresets = [{kind = 'kickoff'}]", 2, "resets", "each phase's profile has its own"),
    ]
    for old, new, line, key, words in cases:
        with subtests.test(old=old, new=new):
            found = problems(folder / "campaign.toml", CAMPAIGN.replace(old, new, 1))[0]
            assert (found.line, found.key) == (line, key)
            assert words in str(found)


def test_criteria_by_games_need_games_enough_to_be_reached(subtests: pytest.Subtests, folder: Path) -> None:
    """80 % lies within the interval of 15 pairs that are all won, and below that of 16."""
    cases: list[tuple[str, str, str]] = [
        ("win_rate_chaser = 80", "", "evaluation.games of at least 32"),
        ("win_rate_chaser = 80", "games = 31", "evaluation.games of at least 32"),
        ("win_rate_rule = 10", "games = 19", "evaluation.games of at least 20"),
        ('"evaluation/elo" = 1400', "every_checkpoints = 1", "evaluation.games of at least 20"),
        ("win_rate_rule = 100", "games = 400", "below 100"),
        ("win_rate_rule = 101", "games = 400", "0 to 100 (%)"),
        ("kickoff_touches = 850", "", "out of range, expected 0 to 100 (%), found 850"),
        ("airborne = -1", "", "0 to 100 (%)"),
    ]
    path = folder / "campaign.toml"
    for criterion, section, words in cases:
        with subtests.test(criterion=criterion, section=section):
            text = CAMPAIGN.replace("kickoff_touches = 80", criterion) + f"[evaluation]\n{section}\n"
            (found,) = problems(path, text)
            assert found.line == 4 and words in str(found)
    path.write_text(
        CAMPAIGN.replace("kickoff_touches = 80", "win_rate_chaser = 80, elo = 1400") + "[evaluation]\ngames = 32\n"
    )
    assert read(path).profile is not None
    assert score_interval([[1.0, 1.0]] * 15)[0] < 0.8 < score_interval([[1.0, 1.0]] * 16)[0]


def test_the_nearest_metric_is_named(folder: Path) -> None:
    (found,) = problems(folder / "campaign.toml", CAMPAIGN.replace("kickoff_touches", "kickof_touches"))
    assert found.hint == 'did you mean "kickoff_touches"?'


STAGES = (
    "schema = 1\n[rewards]\ntouch = 1\nin_air = 0.1\n[obs]\nzero_padding = {padding}\n[curriculum]\nstages = {stages}\n"
)


def staged(folder: Path, stages: str, padding: int = 3, more: str = "") -> Path:
    path = folder / "staged.toml"
    path.write_text(STAGES.format(stages=stages, padding=padding) + more)
    return path


def test_known_plans(folder: Path) -> None:
    profile = load(staged(folder, '"three_stage"'))
    stages = stages_of(profile.curriculum)
    assert [stage_name(stage) for stage in stages] == ["1v1", "1v2 checkpoints", "2v2"]
    assert [stage.until for stage in stages] == [2_000_000, 3_500_000, None]
    assert [stage_at(stages, steps) for steps in (0, 1_999_999, 2_000_000, 3_499_999, 3_500_000, 10**9)] == [
        0, 0, 1, 1, 2, 2,
    ]  # fmt: skip
    for plan in PLANS:
        assert len(stages_of(load(staged(folder, f'"{plan}"')).curriculum)) == len(ENDS[plan]) + 1
    own = load(staged(folder, '"five_stage"', more="stage_steps = [10, 20]\n"))
    assert [stage.until for stage in stages_of(own.curriculum)] == [10, 20, None]


def test_the_aerial_plan_starts_in_the_air_with_more_boost_and_pays_double(folder: Path) -> None:
    first, second = task_profiles(load(staged(folder, '"aerial_focus"', more="stage_steps = [1_000]\n")))
    (reset,) = env_spec(first).resets
    assert (reset.component.options["car_z"], reset.component.options["boost_scale"]) == ((200.0, 800.0), 1.5)
    assert env_spec(first).reward_options.categories == (("aerial", 2.0),)
    assert env_spec(second).reward_options.categories == ()
    assert [item.component.name for item in env_spec(second).resets] == ["kickoff"]


def test_a_stage_decides_who_plays_and_how_episodes_start(folder: Path) -> None:
    stages = (
        "[{blue = 1, orange = 2, opponent = 'chaser', until = 9}, {blue = 2, orange = 2, resets = [{kind = 'random'}]}]"
    )
    first, second = (env_spec(taught) for taught in task_profiles(load(staged(folder, stages))))
    assert (first.blue, first.orange, first.opponent.name, first.learners) == (1, 2, "chaser", 1)
    assert (second.blue, second.orange, second.opponent.name, second.learners) == (2, 2, "mirror", 4)
    assert [spec.resets[0].component.name for spec in (first, second)] == ["kickoff", "random"]


def test_frozen_opponents_play_orange_and_blue_alone_is_learned_from(folder: Path, subtests: pytest.Subtests) -> None:
    for opponent in ("checkpoints", "quick-1/005M", STARTER, "chaser", "mirror"):
        with subtests.test(opponent=opponent):
            frozen, cars = opponent not in ("chaser", "mirror"), 1 if opponent == "chaser" else 3
            staged_so = f"[{{blue = 1, orange = 2, opponent = '{opponent}'}}]"
            task = task_profile(load(staged(folder, staged_so)))
            spec = env_spec(task)
            assert (spec.frozen_orange, spec.learners, observed_cars(task)) == (frozen, cars, cars)
            assert spec.learned_from == learning_cars(task) == (3 if opponent == "mirror" else 1)
            assert frozen_arenas(spec, 32) == (32 if frozen else 0)


def test_a_saved_bot_is_named_in_full_where_it_is_a_path_and_short_where_it_is_shown(folder: Path) -> None:
    for place in ("checkpoints/quick-1/5000", "milestones/quick-1/Phase1-Touch/005M"):
        (folder / place).mkdir(parents=True)
    (folder / STARTER).mkdir()  # which is not meant
    for file in ("best.npz", "checkpoints/quick-1/5000/policy.npz"):
        (folder / file).touch()
    for written, name in (
        ("checkpoints/quick-1/5000", "quick-1/5000"),
        ("checkpoints/quick-1/5000/policy.npz", "quick-1/5000"),
        ("./milestones/quick-1/Phase1-Touch/005M", "Phase1-Touch/005M"),
        ("best.npz", "best.npz"),
        ("elsewhere/005M", "elsewhere/005M"),
        (STARTER, STARTER),
    ):
        (stage,) = stages_of(load(staged(folder, f"[{{opponent = '{written}'}}]")).curriculum)
        path = (folder / written).resolve()
        assert stage.opponent == (str(path) if path.exists() and written != STARTER else written)
        assert (opponent_name(stage.opponent), stage_name(stage)) == (name, f"1v1 {name}")
        own = load(staged(folder, '"none"', more=f"[game]\nopponent = '{written}'\n"))
        assert own.game.opponent == stage.opponent
    assert (opponent_name("mirror"), opponent_name("my/bots.py:Mine"), opponent_name("rule")) == ("", "Mine", "rule")


def test_a_task_s_text_stands_alone(folder: Path) -> None:
    """What a checkpoint keeps: the stage's part of it too."""
    taught = task_profile(load(staged(folder, '"aerial_focus"')))
    path = folder / "alone.toml"
    path.write_text(render(taught))
    assert env_spec(load(path)) == env_spec(taught)


def test_stages_that_cannot_be(subtests: pytest.Subtests, folder: Path) -> None:
    cases: list[tuple[str, int, str, str, str]] = [
        ('"three_stage"', 0, "", "obs", "room for 2 cars a team (zero_padding = 2)"),
        ('"five_stage"', 2, "", "obs", "3v3"),
        ('"three_stage"', 3, "stage_steps = [5, 4]\n", "curriculum.stage_steps[1]", "above 5"),
        ('"three_stage"', 3, "stage_steps = [5, 6, 7]\n", "curriculum.stage_steps", "at most 2"),
        ('"none"', 3, "stage_steps = [5]\n", "curriculum.stage_steps", "only a known plan"),
        ('"four_stage"', 3, "", "curriculum.stages", 'did you mean "five_stage"?'),
        ("[{until = 5}]", 3, "", "curriculum.stages[0].until", "the last stage has no end"),
        ("[{}, {}]", 3, "", "curriculum.stages[0].until", "missing"),
        ("[{until = 5}, {until = 5}, {}]", 3, "", "curriculum.stages[1].until", "above 5"),
        ("[{blue = 1, orange = 4}]", 3, "", "curriculum.stages[0].orange", "a whole number, 0 to 3, found 4"),
        ("[{until = 'x'}, {}]", 3, "", "curriculum.stages[0].until", 'a whole number, at least 1, found "x"'),
        ("[{oragne = 1}]", 3, "", "curriculum.stages[0].oragne", 'did you mean "orange"?'),
        ("[{resets = [{kind = 'random', weight = -1}]}]", 3, "", "curriculum.stages[0].resets[0].weight", "at least 0"),
        ("[3]", 3, "", "curriculum.stages[0]", "wrong type"),
        ("3", 3, "", "curriculum.stages", '"three_stage"'),
        ("[{blue = 0, orange = 0}]", 3, "", "curriculum.stages[0].blue", "nobody plays"),
        ("[{blue = 0, opponent = 'idle'}]", 3, "", "curriculum.stages[0].opponent", "nobody learns"),
        ("[{orange = 0, opponent = 'idle'}]", 3, "", "curriculum.stages[0].opponent", "has no car to play"),
        ("[{opponent = 'chasr'}]", 3, "", "curriculum.stages[0].opponent", 'did you mean "chaser"?'),
        ("[{resets = [{kind = 'kickof'}]}]", 3, "", "curriculum.stages[0].resets[0].kind", '"kickoff"'),
        ("[{categories = {aeriel = 2}}]", 3, "", "curriculum.stages[0].categories.aeriel", '"aerial"'),
        (
            "[{resets = [{kind = 'random', car_on = 1}]}]",
            3,
            "",
            "curriculum.stages[0].resets[0].car_on",
            "unknown parameter",
        ),
    ]
    for stages, padding, more, key, words in cases:
        with subtests.test(stages=stages, padding=padding):
            reading = read(staged(folder, stages, padding, more))
            assert [problem.key for problem in reading.problems] == [key]
            assert words in str(reading.problems[0])


def test_criteria_that_nothing_or_everything_meets_are_warned_of(subtests: pytest.Subtests, folder: Path) -> None:
    path = folder / "campaign.toml"
    cases: list[tuple[str, str, str]] = [
        ("kickoff_touches = 0.85", "", "until kickoff_touches = 0.85: in %, so next to nothing; 85?"),
        ("win_rate_chaser = 0.8", "games = 20", "80?"),
        ("elo = 5000", "games = 20", "some 1658 of a first milestone"),
        ("elo = 1650", "games = 20", ""),
        ("elo = 2000", "games = 200", ""),
        ("elo = -5", "games = 20", "reached by who loses every game"),
        ("elo = 400", "games = 20", ""),
        ("elo = 1600", "games = 20\nseconds = 5", "evaluation.seconds = 5: "),
        ("kickoff_touches = 80", "games = 20\nseconds = 5", ""),
        ("first_episodes = 1", "", ""),
    ]
    for criterion, section, words in cases:
        with subtests.test(criterion=criterion, section=section):
            path.write_text(WITHOUT_END.replace("kickoff_touches = 80", criterion) + f"[evaluation]\n{section}\n")
            found = advice(load(path))
            assert len(found) == bool(words) and words in "".join(found)


def test_elo_of_all_won_is_the_ladders() -> None:
    for games in (20, 1_000):
        tally = Tally()
        tally.add_results("bot", "rule", 1, 0, games)
        rating = fit_tally(tally).of("bot")
        assert elo_of_all_won(games) == pytest.approx((rating.low, rating.high))


def test_what_stages_override_is_said(folder: Path) -> None:
    path = staged(folder, '"three_stage"')
    assert advice(load(path)) == []
    for key, value, words in (("opponent", "nope/1", '"nope/1"'), ("blue", "2", "2"), ("orange", "3", "3")):
        (found,) = advice(load(path, [f"game.{key}={value}"]))
        assert found == f"game.{key} = {words}: not used, curriculum.stages say who plays"
    assert advice(load(staged(folder, '"none"'), ["game.orange=2"])) == []
    with (folder / "first.toml").open("a") as file:
        file.write("[game]\norange = 2\n")
    (folder / "campaign.toml").write_text(WITHOUT_END + 'stages = "three_stage"\n[obs]\nzero_padding = 3\n')
    (found,) = [each for each in advice(load(folder / "campaign.toml")) if "game." in each]
    assert found.startswith("first: game.orange = 2: not used")


def test_what_is_advised(folder: Path) -> None:
    path = folder / "campaign.toml"
    path.write_text(CAMPAIGN)
    (last,) = advice(load(path))
    assert last == "curriculum.phases: second is the last: nothing follows its max_steps; --steps ends a run"
    path.write_text(WITHOUT_END)
    assert advice(load(path)) == []
    path.write_text(WITHOUT_END.replace('until = {kickoff_touches = 80, "rollout/goals_per_minute" = 1}, ', ""))
    (first,) = advice(load(path))
    assert "first ends by hand alone" in first
    practice = "\n[mechanics]\nweight = 0.2\nresets = [{kind = 'random'}]\n"
    with (folder / "first.toml").open("a") as file:
        file.write(practice)
    path.write_text(WITHOUT_END)
    (early,) = advice(load(path))
    assert early.startswith("first: mechanics.weight = 0.2: early in phase 1")
    assert advice(load(folder / "second.toml", ["mechanics.weight=0.2", "mechanics.resets=[{kind = 'random'}]"])) == []


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
        ("[mechanics]\nweight = 0.2\n", 5, "mechanics.weight", "an arena group without resets"),
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
        ("[game]\nopponent = 'checkpoint'\n", 5, "game.opponent", 'did you mean "checkpoints"?'),
        ("[game]\nopponent = 'quick-1'\n", 5, "game.opponent", "a saved bot as RUN/005M"),
        ("[game]\norange = 0\nopponent = 'quick-1/005M'\n", 6, "game.opponent", "has no car to play"),
        ("[game]\nopponent = 'checkpoints'\n[selfplay]\nenabled = true\n", 7, "selfplay.enabled", "plays no side but"),
        ("[selfplay]\nscripted = ['quick-1/005M']\n", 5, "selfplay.scripted[0]", "unknown player"),
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
