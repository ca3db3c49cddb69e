"""Frozen opponents in real collectors and a real run: serial is local, nothing of theirs is learned, files may go away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.env.frozen_opponents import OpponentSource
from rltui.events.records import IterationFinished, LogLine, PoolReported, RunStarted, StageChanged, WorkerFailed
from rltui.learn.ppo import PPOLearner
from rltui.profile.load import load
from rltui.runs import trainer_state
from rltui.train.collect.collector import Collected, Collector, SerialCollector
from rltui.train.collect.messages import Configure
from rltui.train.collect.shared_rollout import SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.bots import write_bot
from tests.fakes.training import TINY, TWO_WORKERS, Training, wait_for

SELFPLAY = """
[selfplay]
enabled = true
opponent_share = 0.5
refresh_steps = 512
"""
ORANGE = """
[game]
opponent = "checkpoints"
"""
ROW_ZERO, ANY_ROW = "tests.fakes.fixed_players:RowZero", "random"


@contextmanager
def collecting(
    tmp_path: Path, kind: str, opponents: tuple[OpponentSource, ...], more: str = SELFPLAY
) -> Iterator[tuple[Collector, PPOLearner]]:
    profile = tmp_path / "tiny.toml"
    profile.write_text(TWO_WORKERS.replace("seconds = 4", "seconds = 1") + more)
    inference = "central" if kind == "central" else "local"
    config = ResolvedConfig.resolve(load(profile, [f"collect.inference={inference}"]))
    shared, learner = SharedRollout.create(config.shape), config.learner()
    made: Collector = (
        SerialCollector(config.actor(0), shared)
        if kind == "serial"
        else config.collector(learner, shared, 0, lambda record: None)
    )
    for worker in range(config.workers):
        made.configure(worker, Configure(1, opponents=opponents))
    made.start(lambda: None)
    try:
        made.set_policy(learner)
        yield made, learner
    finally:
        made.close()
        shared.close()


def copied(collected: Collected) -> dict[str, np.ndarray]:
    return {name: np.array(value) for name, value in vars(collected.rollout).items()}


def bots(tmp_path: Path) -> tuple[OpponentSource, ...]:
    """One that sees what the learner sees, one that does not."""
    found = []
    for name, more in (("same", ""), ("other", "obs.stack = 2\n")):
        path = tmp_path / f"{name}.toml"
        path.write_text(f"{more}{TINY}")
        write_bot(tmp_path / name, str(path), normalized=True)
        found.append(OpponentSource(name, str(tmp_path / name / "policy.npz")))
    return tuple(found)


@pytest.mark.parametrize("more", [SELFPLAY, ORANGE], ids=["share", "orange"])
def test_serial_and_local_are_bit_identical_with_opponents(tmp_path: Path, more: str) -> None:
    opponents = (*bots(tmp_path), OpponentSource("chaser"))
    found = []
    for kind in ("serial", "local"):
        with collecting(tmp_path, kind, opponents, more) as (made, _):
            found.append([copied(made.collect(0, 0, lambda: None)) for _ in range(3)])
    for one, two in zip(*found, strict=True):
        assert not one["learn"].all()
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)


def test_the_mask_changes_with_episodes_alone_and_one_side_is_the_learners(tmp_path: Path) -> None:
    with collecting(tmp_path, "serial", (OpponentSource("chaser"),)) as (made, _):
        first, second = copied(made.collect(0, 0, lambda: None)), copied(made.collect(0, 0, lambda: None))
    learn = np.concatenate([first["learn"], second["learn"]], axis=1)
    ended = np.concatenate([one["terminated"] | one["truncated"] for one in (first, second)], axis=1)
    pairs = learn.reshape(*learn.shape[:2], -1, 2)
    theirs = ~pairs.all(axis=(1, 3))  # arenas in which somebody else played at all
    assert 0 < theirs.sum() == theirs.size / 2
    assert (pairs.sum(axis=3)[:, :, :] >= 1).all() and (pairs[..., 0] ^ pairs[..., 1])[:, 0][theirs].all()
    assert (learn[:, 1:] == learn[:, :-1])[~ended[:, :-1]].all()
    assert (learn[:, 1:] != learn[:, :-1]).any()


@pytest.mark.parametrize("more", [SELFPLAY, f"{ORANGE}orange = 2\n"], ids=["share", "orange"])
def test_an_opponent_that_always_plays_row_0_gives_no_row_and_moves_nothing(tmp_path: Path, more: str) -> None:
    """Not one timestep of its cars is learned from, and the update is the same whatever stands in theirs."""
    with collecting(tmp_path, "serial", (OpponentSource(ROW_ZERO),), more) as (made, learner):
        collected = made.collect(0, 0, lambda: None)
        rollout = collected.rollout
        if more != SELFPLAY:  # as many are learned from as the profile wants
            assert rollout.learn is not None and (rollout.learn.reshape(-1, 3) == [True, False, False]).all()
            assert collected.rows == made.shared.shape.wanted * made.shared.shape.learners == 512
        assert rollout.learn is not None and collected.rows == rollout.learn.sum() < rollout.learn.size
        files = learner.snapshot().files()
        report, weights = learner.update(rollout), learner.policy_flat()
        assert report.dropped is None
        learner.load(files)
        theirs = ~rollout.learn
        rollout.actions[theirs], rollout.log_probs[theirs], rollout.rewards[theirs] = 0, -50.0, 1e6
        assert learner.update(rollout) == report
        np.testing.assert_array_equal(learner.policy_flat(), weights)
        del collected, rollout, theirs


def test_what_it_does_in_the_game_is_its_own(tmp_path: Path) -> None:
    """The same arenas against another player: the learner's data part ways, those of the mirror arenas do not."""
    found = []
    for name in (ROW_ZERO, ANY_ROW):
        with collecting(tmp_path, "serial", (OpponentSource(name),)) as (made, _):
            found.append(copied(made.collect(0, 0, lambda: None)))
    one, two = found
    mirror = one["learn"].all(axis=1)[0].reshape(-1, 2).all(axis=1).repeat(2)
    np.testing.assert_array_equal(one["obs"][:1, 1, mirror], two["obs"][:1, 1, mirror])
    assert not np.array_equal(one["obs"][0, 20, ~mirror], two["obs"][0, 20, ~mirror])


@pytest.mark.parametrize("more", [SELFPLAY, f"{ORANGE}orange = 2\n"], ids=["share", "orange"])
def test_beside_a_central_policy_the_trainer_chooses_for_opponents_of_the_same_net(tmp_path: Path, more: str) -> None:
    """Two that always choose one row, of another normaliser each, beside a learner that chooses any."""
    sources = tuple(
        OpponentSource(name, "not read by workers", number) for number, name in enumerate(("one", "two"), 1)
    )
    with collecting(tmp_path, "central", sources, more) as (made, learner):
        assert made.evaluates_opponents
        layers = learner.snapshot().policy_layers()
        policy = write_bot(tmp_path / "bot", str(tmp_path / "tiny.toml"), normalized=True)
        for number, row in ((1, 18), (2, 33)):
            *others, (w, b) = [(w.copy(), b.copy()) for w, b in layers]
            b[row] = 1e4
            saved = replace(policy, layers=(*others, (w, b)), normalizer_mean=None, normalizer_var=None)
            made.load_opponents({number: saved})
        for _ in range(3):
            collected = made.collect(0, 0, lambda: None)
            assert collected.rows == np.count_nonzero(collected.rollout.used)
            arrays = made.shared.block(0)
            gone = [report.steps if report else 0 for report in collected.reports]
            for worker, steps in enumerate(gone):
                player, actions = arrays["player"][worker, :steps], arrays["actions"][worker, :steps]
                assert set(np.unique(player)) <= {0, 1, 2} and (player > 0).any()
                assert (actions[player == 1] == 18).all() and (actions[player == 2] == 33).all()
                assert len(np.unique(actions[player == 0])) > 10
            assert learner.update(collected.rollout).dropped is None
            played = [set(report.playing) for report in collected.reports if report]
            assert all(names <= {"one", "two"} for names in played)
            del arrays, player, actions, collected


@pytest.mark.parametrize("inference", ["local", "central"])
def test_a_run_plays_its_milestones_as_they_come_and_goes_on_without_those_that_are_damaged(
    tmp_path: Path, inference: str
) -> None:
    run = Training(tmp_path, profile=TINY.replace("seconds = 4", "seconds = 1").replace("4096", "2048") + SELFPLAY)
    run.start("--set", f"collect.inference={inference}")
    try:
        wait_for(lambda: any(map(games, run.iterations())), "a game against a milestone")
        for saved in run.paths.milestones.glob("*/*/policy.npz"):
            data = bytearray(saved.read_bytes())
            data[len(data) // 2] ^= 1
            saved.write_bytes(data)
        wait_for(lambda: notices(run), "the notice of one that could not be loaded")
        run.wait_more_iterations(8)
        newest = sorted(run.paths.milestones.glob("*/*"))[-1]
        run.wait_more_iterations(2)
        newest.rename(tmp_path / "elsewhere")
        run.check_continues()
        assert not [line for line in notices(run) if newest.name in line]
        assert not [record for record in run.poll() if isinstance(record, WorkerFailed)]
    finally:
        run.kill_all()


STAGED = """
[curriculum]
stages = [{until = 2048}, {orange = 2, opponent = "checkpoints", until = 8192}, {blue = 2, orange = 2}]
[selfplay]
refresh_steps = 1024
"""


def test_a_run_goes_on_in_the_middle_of_a_stage_against_its_checkpoints(tmp_path: Path) -> None:
    run = Training(tmp_path, profile=TINY.replace("seconds = 4", "seconds = 1") + STAGED)
    try:
        assert run.start("--steps", "5000").wait_end() == 0
        stages = [(record.came_from, record.to) for record in run.poll() if isinstance(record, StageChanged)]
        assert stages == [("1v1", "1v2 checkpoints")]
        newest = max(run.paths.checkpoints.iterdir(), key=lambda folder: int(folder.name))
        state = trainer_state.read(newest)
        assert state is not None and state.pool.results and all(games for _, games in state.pool.results.values())
        assert run.start("--steps", "10000").wait_end() == 0
        headers = [record for record in run.poll() if isinstance(record, RunStarted)]
        assert [(one.stage, one.opponent) for one in headers] == [("1v1", ""), ("1v2 checkpoints", "checkpoints")]
        first = next(record for record in run.poll() if isinstance(record, PoolReported) and record.timesteps > 5000)
        kept = {name: played for name, (_, played) in state.pool.results.items()}
        assert any(each.games >= kept.get(each.name, 1e9) for each in first.opponents)
        assert not notices(run), "checkpoints are pruned all the time"
        played = {row.timesteps for row in run.iterations() if games(row)}
        assert min(played) > 2048 and max(played) == 8192
        assert {row.timesteps % 512 for row in run.iterations()} == {0}
    finally:
        run.kill_all()


def games(row: IterationFinished) -> bool:
    return bool(row.metrics.get("selfplay/games"))


def notices(run: Training) -> list[str]:
    lines = [record.message for record in run.poll() if isinstance(record, LogLine)]
    return [line for line in lines if "leaves the pool" in line]
