"""Self-play in the trainer: when the pool is looked through, who is sent to whom, what is said of those who cannot play."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from rltui.env.arena_groups import MATCH
from rltui.events.game_record import GameRecord
from rltui.league.pool import OpponentPool
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.profile.load import load
from rltui.profile.models import SelfplaySection
from rltui.registry import Component
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.paths import DataDir, RunPaths
from rltui.train.collect.messages import RolloutDone
from rltui.train.collect.worker_settings import WorkerSettings
from rltui.train.config import ResolvedConfig
from rltui.train.selfplay import EARLY_WINDOW, OF_A_WORKER, SelfPlay
from tests.fakes.batches import spec
from tests.fakes.bots import write_bot
from tests.fakes.saved_runs import make_files, make_meta, place, save, save_milestone
from tests.fakes.training import TINY
from tests.fakes.workers import PlayedWorkers
from tests.unit.train.test_curriculum import games

WORKERS = 3


class Trained:
    """A SelfPlay with the workers that it sends to, and all that it has said."""

    def __init__(self, tmp_path: Path, milestones: int = 4, opponent: str = "mirror", **changes: object) -> None:
        self.paths: RunPaths = DataDir(tmp_path).run("alpha")
        for index in range(1, milestones + 1):
            self.save(index)
        self.said: list[tuple[str, str]] = []
        self.workers = PlayedWorkers(WORKERS)
        self.section = SelfplaySection.model_validate({"enabled": True, "refresh_steps": 1000, **changes})
        task: Any = SimpleNamespace(
            collector=self.workers,
            settings=WorkerSettings(self.workers),
            config=self.config(opponent, self.section),
            pool=OpponentPool(),
        )
        self.selfplay = SelfPlay(self.paths, 0, task, lambda level, text: self.said.append((level, text)))

    def save(self, index: int) -> None:
        save_milestone(self.paths, index, index * 1_000_000, f"{index:03}M")

    def config(self, opponent: str, section: SelfplaySection, orange: int = 1) -> SimpleNamespace:
        """Of a task, as far as it is read."""
        return SimpleNamespace(
            spec=spec(1, orange, opponent=Component(opponent)), profile=SimpleNamespace(selfplay=section)
        )

    def begin_task(self, opponent: str, orange: int = 1, **changes: object) -> None:
        """Other workers, whose orange is this opponent. changes: in the section."""
        self.workers = self.selfplay._task.collector = PlayedWorkers(WORKERS)
        self.selfplay._task.config = self.config(opponent, self.section.model_copy(update=changes), orange)
        self.selfplay._task.settings.use_collector(self.workers, {})

    def sent(self) -> list[set[str]]:
        """Whom each worker was told of last."""
        return [{source.name for source in sent[-1].opponents} for sent in self.workers.sent.values()]

    def messages(self) -> int:
        return len(self.workers.sent[0])


def report(
    against: dict[str, GameRecord],
    refused: dict[str, str] | None = None,
    playing: list[str] | None = None,
    **changes: object,
) -> RolloutDone:
    stats = replace(games(), against=against, **changes)
    return RolloutDone(1.0, {}, {MATCH: stats}, 1, 8, refused=refused or {}, playing=playing or [])


def test_each_worker_gets_two_different_ones_now_and_at_each_refresh(tmp_path: Path) -> None:
    one = Trained(tmp_path, scripted=("chaser",))
    one.selfplay.before_collecting(0)
    first = one.sent()
    assert all(len(names) == OF_A_WORKER for names in first) and one.messages() == 1
    one.selfplay.before_collecting(999)
    assert one.messages() == 1
    drawn = []
    for timesteps in range(1000, 12_000, 1000):
        one.selfplay.before_collecting(timesteps)
        drawn += one.sent()
    assert set().union(*drawn) == {"chaser", *(f"Phase1-BallTouching/00{index}M" for index in range(1, 5))}
    assert all(len(names) == OF_A_WORKER for names in drawn)


def test_a_new_milestone_is_in_the_pool_before_the_next_rollout(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=0)
    one.selfplay.before_collecting(0)
    assert one.messages() == 0  # nobody to play against: mirror play
    one.save(1)
    one.selfplay.before_collecting(10)
    assert one.sent() == [{"Phase1-BallTouching/001M"}] * WORKERS
    one.selfplay.before_collecting(20)
    assert one.messages() == 1


def test_who_cannot_play_leaves_at_once_with_a_notice_and_others_take_his_place(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=3)
    one.selfplay.before_collecting(0)
    gone = next(iter(one.sent()[0]))
    one.selfplay.learned([report({}, {gone: "not a policy file"}), report({}, {gone: "not a policy file"}), None])
    assert one.said == [("warning", f"opponent {gone} leaves the pool: not a policy file")]
    one.selfplay.before_collecting(1)
    assert all(gone not in names and len(names) == 2 for names in one.sent())


def test_nobody_is_drawn_while_an_earlier_one_plays_an_episode_to_its_end(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=4, strategy="recent_weighted")
    one.selfplay.before_collecting(0)
    first = set().union(*one.sent())
    one.selfplay.learned([report({}, playing=sorted(first))])
    one.save(5)
    one.selfplay.before_collecting(1)
    assert one.messages() == 2
    one.selfplay.learned([report({}, playing=["somebody earlier"])])
    one.save(6)
    one.selfplay.before_collecting(2)
    assert one.messages() == 2
    one.selfplay.learned([report({})])
    one.selfplay.before_collecting(3)
    assert one.messages() == 3


def test_a_deleted_milestone_leaves_without_a_word(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=2)
    one.selfplay.before_collecting(0)
    shutil.rmtree(one.paths.milestones / "Phase1-BallTouching" / "001M")
    one.selfplay.before_collecting(1)
    assert not one.said
    assert one.sent() == [{"Phase1-BallTouching/002M"}] * WORKERS


def test_games_of_all_workers_make_the_metrics_and_the_ratings(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=1)
    one.selfplay.before_collecting(0)
    name = "Phase1-BallTouching/001M"
    assert one.selfplay.metrics()["selfplay/score"] is None
    one.selfplay.learned([report({name: GameRecord(3, 1, 0, 7, 2)}), None, report({name: GameRecord(0, 0, 4, 1, 6)})])
    assert one.selfplay.metrics() == {
        "selfplay/opponents": 1,
        "selfplay/games": 8,
        "selfplay/score": pytest.approx(100 * 3.5 / 8),
        "selfplay/goals_for": 1.0,
        "selfplay/goals_against": 1.0,
    }
    assert one.selfplay.pool.opponents[name].games == 8


def test_it_warns_once_with_the_numbers_that_speak_against_it(tmp_path: Path) -> None:
    for ready, expected in ((False, 1), (True, 0)):
        one = Trained(tmp_path / str(ready), milestones=0)
        figures = {"kickoffs": 100, "kickoffs_touched": 90 if ready else 12, "goals": 50 if ready else 0}
        for _ in range(EARLY_WINDOW + 5):
            one.selfplay.learned([report({}, **figures)])
        warnings = [text for level, text in one.said if level == "warning"]
        assert len(warnings) == expected
        if expected:
            assert "12% of kickoffs are touched" in warnings[0] and "0 goals a minute" in warnings[0]


def test_off_it_does_nothing(tmp_path: Path) -> None:
    one = Trained(tmp_path, enabled=False)
    one.selfplay.before_collecting(0)
    one.selfplay.learned([report({})])
    assert one.selfplay.metrics() == {} and one.messages() == 0 and not one.said


def test_each_phase_has_opponents_by_its_own_section_and_results_stay(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=1, enabled=False)
    one.selfplay.before_collecting(0)
    assert one.messages() == 0
    one.begin_task("mirror", enabled=True, scripted=("chaser", "rule"))
    one.selfplay.before_collecting(1000)
    assert set(one.selfplay.pool.opponents) == {"chaser", "rule", "Phase1-BallTouching/001M"}
    one.selfplay.learned([report({"rule": GameRecord(losses=3)})])
    one.begin_task("mirror", enabled=True, scripted=("rule",), strategy="prioritized")
    one.selfplay.before_collecting(2000)
    assert set(one.selfplay.pool.opponents) == {"rule", "Phase1-BallTouching/001M"}
    assert (one.selfplay.pool.strategy, one.selfplay.pool.opponents["rule"].games) == ("prioritized", 3)


def test_the_run_s_own_states_play_orange_of_a_task_that_wants_them(tmp_path: Path) -> None:
    """Checkpoints too, drawn as always, without [selfplay] being on; other tasks are left alone."""
    one = Trained(tmp_path, milestones=1, opponent="checkpoints", enabled=False)
    save(one.paths, 2, 2_500_000)
    one.selfplay.before_collecting(0)
    assert one.sent() == [{"Phase1-BallTouching/001M", "2,500,000"}] * WORKERS
    one.selfplay.learned([report({"2,500,000": GameRecord(wins=3, losses=1)}, kickoffs=100)])
    assert one.selfplay.metrics()["selfplay/score"] == 75 and one.selfplay.record(0) is not None
    for _ in range(EARLY_WINDOW):
        one.selfplay.learned([report({})])
    for opponent in ("chaser", "mirror"):
        one.begin_task(opponent)
        one.selfplay.before_collecting(10)
        one.selfplay.learned([report({})])
        assert one.sent() == [set()] * WORKERS and one.selfplay.metrics() == {} and one.selfplay.record(10) is None
    one.begin_task("checkpoints")
    one.selfplay.before_collecting(20)
    assert one.sent() == [{"Phase1-BallTouching/001M", "2,500,000"}] * WORKERS
    assert one.selfplay.pool.opponents["2,500,000"].games == 4
    one.begin_task("checkpoints", orange=2)
    one.selfplay.before_collecting(30)
    assert one.selfplay.pool.opponents["2,500,000"].games == 0, "of 1v1"
    against = {"2,500,000": GameRecord(losses=2)}
    found = report(against)
    one.selfplay.learned([msgspec.structs.replace(found, stats=found.stats | {"mechanics": found.stats[MATCH]})])
    assert one.selfplay.pool.opponents["2,500,000"].games == 2, "practice is no game"
    assert not one.said


def test_it_looks_again_until_there_is_somebody_to_play_orange_and_says_once_who_does_meanwhile(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=0, opponent="checkpoints")
    for timesteps in range(3):
        one.selfplay.before_collecting(timesteps)
    assert one.said == [("warning", "no saved opponent can play orange now: chaser does")] and one.messages() == 0
    save(one.paths, 1, 100)
    one.selfplay.before_collecting(4)
    assert one.sent() == [{"100"}] * WORKERS
    shutil.rmtree(one.paths.checkpoint(100))
    one.selfplay.learned([report({}, {"100": "no such file"})])
    save(one.paths, 2, 200)
    one.selfplay.before_collecting(5)
    assert one.sent() == [{"200"}] * WORKERS and len(one.said) == 1


def test_one_saved_bot_plays_orange_and_the_run_s_pool_has_no_part_in_it(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=2, scripted=("rule",))
    write_bot(tmp_path / "bots" / "best", "quick")
    one.selfplay.before_collecting(0)
    one.begin_task(str(tmp_path / "bots" / "best"))
    one.selfplay.before_collecting(1)
    assert one.sent() == [{"bots/best"}] * WORKERS
    one.save(3)
    one.selfplay.before_collecting(5000)
    assert one.sent() == [{"bots/best"}] * WORKERS and one.selfplay.metrics()["selfplay/opponents"] == 1
    (tmp_path / "bots" / "best" / POLICY_FILE).unlink()
    one.selfplay.learned([report({}, {"bots/best": "no such file"})])
    one.selfplay.before_collecting(5001)
    assert [level for level, _ in one.said] == ["warning", "warning"]
    assert "bots/best leaves the pool: no such file" in one.said[0][1] and "chaser does" in one.said[1][1]
    one.begin_task("mirror")
    one.selfplay.before_collecting(5002)
    assert {*one.selfplay.pool.opponents} == {"rule", *(f"Phase1-BallTouching/00{index}M" for index in range(1, 4))}


def bots(folder: Path, paths: RunPaths) -> None:
    """Milestones of the run's own game and net, and 003M of another game with a wide net, 004M damaged."""
    for index, more in enumerate(("", "", "obs.stack = 2\n"), 1):
        profile = folder / f"{index}.toml"
        profile.write_text(more + TINY.replace("[32, 32]", "[8]"), encoding="utf-8")
        policy = write_bot(folder / f"bot{index}", str(profile))
        if more:
            w, b = np.zeros((policy.layers[0][0].shape[0], 300), np.float32), np.zeros(300, np.float32)
            policy = replace(policy, layers=((w, b), (np.zeros((300, 90), np.float32), policy.layers[-1][1])))
        put(paths, index, save_policy(policy))
    put(paths, 4, b"nothing")


def put(paths: RunPaths, index: int, policy: bytes) -> None:
    files = make_files(make_meta(paths.name, index, index * 1_000_000)) | {POLICY_FILE: policy}
    place(paths.milestones / "Phase1-Tiny" / f"{index:03}M", files)


def test_beside_a_central_policy_all_have_those_that_the_trainer_evaluates(tmp_path: Path) -> None:
    one = Trained(tmp_path / "data", milestones=0)
    (tmp_path / "own.toml").write_text(TINY.replace("[32, 32]", "[8]"), encoding="utf-8")
    loaded: list[dict[int, SavedPolicy]] = []
    one.workers.evaluates_opponents = True
    one.workers.load_opponents = loaded.append
    one.selfplay._task.config = ResolvedConfig.resolve(load(tmp_path / "own.toml", ["selfplay.enabled=true"]))
    bots(tmp_path, one.paths)
    pool = one.selfplay.pool
    pool.draw = lambda count, rng: tuple(member.source for member in [*pool.opponents.values()][-count:])
    one.selfplay.before_collecting(0)
    numbered = [{source.name: source.number for source in sent[-1].opponents} for sent in one.workers.sent.values()]
    assert numbered == [{"Phase1-Tiny/001M": 1, "Phase1-Tiny/002M": 2}] * WORKERS
    assert sorted(loaded.pop()) == [1, 2]
    assert sorted(text.partition(" leaves")[0] for _, text in one.said) == [
        "opponent Phase1-Tiny/003M",
        "opponent Phase1-Tiny/004M",
    ]
    put(one.paths, 5, (one.paths.milestones / "Phase1-Tiny" / "002M" / POLICY_FILE).read_bytes())
    shutil.rmtree(one.paths.milestones / "Phase1-Tiny" / "001M")
    one.selfplay.before_collecting(1)  # 1 may still be played: its number is not given to another
    assert {source.name: source.number for source in one.workers.sent[0][-1].opponents} == {
        "Phase1-Tiny/002M": 2,
        "Phase1-Tiny/005M": 3,
    }


def test_the_pool_is_reported_at_once_and_then_now_and_then(tmp_path: Path) -> None:
    one = Trained(tmp_path, milestones=2)
    one.selfplay.before_collecting(0)
    one.selfplay.learned([report({"Phase1-BallTouching/001M": GameRecord(wins=3, losses=1)})])
    found = one.selfplay.record(5000)
    assert found is not None and found.timesteps == 5000
    scores = {each.name: (each.games, each.score) for each in found.opponents}
    assert scores == {"Phase1-BallTouching/001M": (4, 0.75), "Phase1-BallTouching/002M": (0, None)}
    assert one.selfplay.record(6000) is None, "not again so soon"
    assert Trained(tmp_path / "off", enabled=False).selfplay.record(0) is None
