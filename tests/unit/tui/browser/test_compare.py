"""Two saved states side by side: one rule for the figures, which timesteps there are, what was paid when."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from rltui.events.episode_reward import REWARD, RewardWindow
from rltui.events.records import Record, RunResumed, RunStarted, SettingChanged, StageChanged, TaskSettings
from rltui.league.games import append
from rltui.profile.changes import KeyChange
from rltui.run_state.compare import NOT_SKILL
from rltui.run_state.history import History
from rltui.runs import trainer_state
from rltui.runs.inventory import CheckpointInfo, read_checkpoint_info
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir
from rltui.runs.trainer_state import OverrideState, RateState, TrainerState
from rltui.tui.browser.compare import (
    CheckpointComparison,
    bots_of,
    compare,
    curves_between,
    ends_of,
    games_of,
    lines,
    rewards_apart,
)
from rltui.tui.browser.compare_curves import Curves, EndValues
from rltui.tui.text import plain
from tests.fakes import run_story, saved_runs
from tests.fakes.figure_stories import plan
from tests.fakes.leagues import games

STEPS = run_story.STEPS


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path)


def write(data: DataDir, run: str, told: list[Record]) -> None:
    data.run(run).folder.mkdir(parents=True)
    writer = JournalWriter(data.run(run).journal)
    for record in told:
        writer.write(record)
    writer.close()


def header(weights: dict[str, float], iterations: int = 0) -> RunStarted:
    return msgspec.structs.replace(run_story.header(timesteps=iterations * STEPS), reward_weights=weights)


def state(data: DataDir, run: str, iterations: int, **about: object) -> CheckpointInfo:
    path = data.run(run).checkpoint(iterations * STEPS)
    meta = msgspec.structs.replace(saved_runs.make_meta(run, 1, iterations * STEPS), **about)
    if not path.exists():
        saved_runs.place(path, saved_runs.make_files(meta))
    return replace(read_checkpoint_info(path), run=run)


def read(data: DataDir, left: CheckpointInfo, right: CheckpointInfo) -> CheckpointComparison:
    found = compare(left, right)
    return CheckpointComparison(found.left, found.right, [], curves_between(data, found), bots=bots_of(data, found))


def text(comparison: CheckpointComparison, metric: str = REWARD) -> str:
    return plain(lines(comparison, metric, run_story.START, 90, "ascii"))


def test_who_plays_better_stands_below_the_rewards(data: DataDir) -> None:
    older, newer = (state(data, "alpha", iterations) for iterations in (100, 200))
    assert games_of(data, compare(older, newer)) == (
        f"No games between {older.title} and {newer.title} yet: E in the list plays some"
    )
    names = [f"alpha@{entry.timesteps}#0000000a" for entry in (newer, older)]
    for game in games(names[0], names[1], wins=18, losses=2):
        append(data.games, game)
    words = games_of(data, compare(newer, older))
    assert words.startswith(f"{newer.title} plays better: {older.title} scores 10.0 % (")
    assert newer.title + " plays better" in text(replace(compare(newer, older), games=words))


def test_of_one_line_of_training_the_figures_stand_without_a_chart(data: DataDir) -> None:
    write(data, "alpha", [header({}), *run_story.iterations(1, 40)])
    older = state(data, "alpha", 10, mean_reward=3.25, reward_episodes=104)
    newer = state(data, "alpha", 40, mean_reward=9.5, reward_episodes=101)
    found = read(data, newer, older)
    assert "of episodes 104 101 -3" in " ".join(text(found).split())
    assert found.metrics() == [] and "single iterations" not in text(found)


def test_two_runs_have_theirs_in_the_order_of_the_legend(data: DataDir) -> None:
    write(data, "alpha", [header({}), *run_story.iterations(1, 400)])
    write(data, "tiny", [header({}), *run_story.iterations(1, 3)])
    long = state(data, "alpha", 400, mean_reward=9.5, reward_episodes=101)
    tiny = state(data, "tiny", 3, mean_reward=3.25, reward_episodes=104, reward_short=True)
    found = read(data, tiny, long)
    shown = text(found)
    assert "* alpha  o tiny" in shown and " 9.50  o 3.25" in shown
    assert "Figures at the right: means over 101 and 104 episodes" in shown
    assert "short episodes so far" in " ".join(shown.split())
    assert " 8.19 M" in shown and "╎ tiny reaches 61.4 k timesteps" in shown
    ends = ends_of(found, "train/entropy")
    assert ends.older == run_story.iteration(3).metrics["train/entropy"]
    assert ends.newer == run_story.iteration(400).metrics["train/entropy"]
    assert "the iterations at the two states" in text(found, "train/entropy")
    rows = [run_story.iteration(index) for index in range(1, 401)]
    parts = [RewardWindow(told).value for told in (rows[:3], rows)]
    assert ends_of(found, "reward/touch") == EndValues(
        parts[0].parts["touch"], parts[1].parts["touch"], (parts[0].episodes, parts[1].episodes)
    )


def test_which_is_better_is_said_unless_they_were_paid_differently(data: DataDir) -> None:
    weights = {"touch": 1.0}
    for run, touch, paid in (("alpha", 1.0, weights), ("beta", 5.0, weights), ("other", 5.0, {"touch": 2.0})):
        rows = [run_story.iteration(index) for index in range(1, 101)]
        told = [
            msgspec.structs.replace(row, metrics={**row.metrics, REWARD: touch + row.iteration % 3}) for row in rows
        ]
        write(data, run, [header(paid), *told])
    alpha, beta, other = (state(data, run, 100) for run in ("alpha", "beta", "other"))
    shown = text(read(data, alpha, beta))
    assert "checkpoint 2,048,000 of beta better by 4.0" in shown and NOT_SKILL in " ".join(shown.split())
    assert "cannot tell" in text(read(data, alpha, state(data, "alpha", 80))), "20 iterations lie between"
    assert "better" not in text(read(data, alpha, other)) and "not comparable: touch 1.00 → 2.00" in text(
        read(data, alpha, other)
    )


def test_states_of_different_games_are_not_compared_by_reward(data: DataDir) -> None:
    """By the stage that was in force when each was saved."""
    rows = list(run_story.iterations(1, 200))
    kept = {name: getattr(header({}), name) for name in TaskSettings.__struct_fields__}
    crowd = TaskSettings(**kept | {"stage": "1v2", "orange": 2})
    stage = StageChanged(time=1.0, timesteps=100 * STEPS, came_from="1v1", to="1v2", reason="", task=crowd)
    write(data, "alpha", [header({}), *rows[:100], stage, *rows[100:]])
    shown = text(read(data, state(data, "alpha", 100), state(data, "alpha", 200)))
    assert "rewards not comparable: 1v1 → 1v2" in shown and "better" not in shown


def test_what_was_paid_is_told_by_the_weights_in_force_at_each(data: DataDir) -> None:
    """Set by hand to what the other's profile has: the same, whatever the profiles say."""
    by_hand = SettingChanged(time=1.0, timesteps=5 * STEPS, setting="reward touch", value=5.0, by="ada")
    rows = [run_story.iteration(index) for index in range(1, 11)]
    later = [msgspec.structs.replace(row, metrics={**row.metrics, "weight/touch": 5.0}) for row in rows[5:]]
    write(data, "alpha", [header({"touch": 1.0}), *rows[:5], by_hand, *later])
    write(data, "beta", [header({"touch": 5.0}), *rows])
    alpha, beta = state(data, "alpha", 10), state(data, "beta", 10)
    changes = [KeyChange("rewards.touch", "1.0", "5.0"), KeyChange("rewards.touch.power", "1", "2")]
    alike = read(data, alpha, beta)
    judged = CheckpointComparison(alike.left, alike.right, changes, alike.curves)
    assert rewards_apart(judged) == ["touch.power 1 → 2"]
    assert rewards_apart(read(data, state(data, "alpha", 5), beta)) == ["touch 1.00 → 5.00"]
    assert rewards_apart(read(data, state(data, "alpha", 5), alpha)) == ["touch 1.00 → 5.00"]


def test_a_start_with_another_profile_counts_from_there_on(data: DataDir) -> None:
    rows = [run_story.iteration(index) for index in range(1, 11)]
    again = RunResumed(time=2.0, timesteps=5 * STEPS, checkpoint="", reason="")
    write(data, "alpha", [header({"touch": 1.0}), *rows[:5], header({"touch": 2.0}, 5), again, *rows[5:]])
    write(data, "beta", [header({"touch": 2.0}), *rows])
    found = read(data, state(data, "alpha", 10), state(data, "beta", 10))
    assert rewards_apart(found) == []
    own = found.curves
    assert own is not None and (own.weights, list(own.marks)) == (({"touch": 2.0}, {"touch": 2.0}), [])
    assert rewards_apart(read(data, state(data, "alpha", 4), state(data, "beta", 10))) == ["touch 1.00 → 2.00"]


def test_training_leads_to_a_branch_only_from_before_it_left(data: DataDir) -> None:
    for run in ("alpha", "branch"):
        write(data, run, [header({}), *run_story.iterations(1, 20)])
    branch = state(data, "branch", 20, parent=f"alpha@{10 * STEPS}")
    assert compare(state(data, "alpha", 10), branch).of_one_line
    assert not compare(state(data, "alpha", 15), branch).of_one_line


def test_journals_that_cannot_be_read_are_told_of(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path) -> list[Record]:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("rltui.tui.browser.compare_curves.read_journal", broken)
    found = read(data, state(data, "alpha", 2), state(data, "alpha", 5))
    assert "The journals cannot be read: Input/output error" in text(found)


def with_trainer(data: DataDir, run: str, iterations: int, rate: float | None, **overrides: float) -> CheckpointInfo:
    """A state that says what was set by hand."""
    path = data.run(run).checkpoint(iterations * STEPS)
    meta = saved_runs.make_meta(run, 1, iterations * STEPS)
    held = {name: OverrideState(words="1.0", value=value) for name, value in overrides.items()}
    told = TrainerState(learning_rate=RateState(words="2e-4", override=rate), overrides=held)
    saved_runs.place(path, {**saved_runs.make_files(meta), trainer_state.NAME: trainer_state.encode(told)})
    return replace(read_checkpoint_info(path), run=run)


def test_what_was_set_by_hand_is_told_beside_the_same_profile(data: DataDir) -> None:
    older = with_trainer(data, "alpha", 2, 0.0005, entropy=0.02)
    newer = with_trainer(data, "alpha", 5, 1.0, entropy=0.02, touch=3.0)
    shown = " ".join(text(replace(compare(newer, older), curves=Curves(History()))).split())
    assert "Profiles the same Set by hand" in shown
    assert "learning rate 0.0005 → 1" in shown and "entropy coefficient 0.02 in both" in shown
    assert "touch as in its profile → 3" in shown


def test_what_a_campaign_planned_at_each_is_told(data: DataDir) -> None:
    """A start that came after a state has no say in what was planned for it; while the journals are read, nothing is the same."""
    plans = [msgspec.structs.replace(plan(), timesteps=at * STEPS, window=window) for at, window in ((0, 60), (20, 5))]
    write(data, "alpha", [header({}), plans[0], *run_story.iterations(1, 20), plans[1], *run_story.iterations(21, 20)])
    older, newer = (state(data, "alpha", at) for at in (20, 40))
    assert "curriculum.window 60 → 5" in " ".join(text(read(data, older, newer)).split())
    assert "reading" in text(replace(read(data, older, newer), curves=None, bots=None)).partition("Profiles")[2]
    assert "the same" in text(read(data, older, state(data, "alpha", 10))).partition("Profiles")[2]


def test_nothing_by_hand_is_not_told_and_what_cannot_be_read_is(data: DataDir) -> None:
    plain_one, old = with_trainer(data, "alpha", 2, None), state(data, "alpha", 3)
    assert "Set by hand" not in text(compare(plain_one, old))
    torn = with_trainer(data, "alpha", 5, 1.0)
    (torn.path / trainer_state.NAME).write_bytes(b"{")
    shown = " ".join(text(compare(plain_one, torn)).split())
    assert "Set by hand" in shown and "of the right one: its trainer's state cannot be read" in shown
