"""Local and serial collectors bring the same rollouts, bit for bit, central the same but for rounding; seeds differ. Central ends
when the workers together have enough.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rltui.actions.masking import legal_rows
from rltui.learn.ppo import PPOLearner
from rltui.profile.load import load
from rltui.registry import Component, build
from rltui.train.collect.central import CentralCollector
from rltui.train.collect.collector import Collected, Collector, SerialCollector, _rollout
from rltui.train.collect.shared_rollout import PARTS, SharedRollout
from rltui.train.config import ResolvedConfig
from tests.fakes.training import TINY, TWO_WORKERS


@contextmanager
def collector(
    tmp_path: Path, kind: str, seed: int = 0, more: str | list[str] = "", parts: int = 1, slack: bool = False
) -> Iterator[tuple[Collector, PPOLearner]]:
    """slack: as the profile has it; False: all workers go equally far."""
    profile_path = tmp_path / "tiny.toml"
    profile_path.write_text(TWO_WORKERS + (more if isinstance(more, str) else ""))
    changes = [] if isinstance(more, str) else more
    inference = "central" if kind == "central" or parts > 1 else "local"
    config = ResolvedConfig.resolve(
        load(profile_path, [f"run.seed={seed}", f"collect.inference={inference}", *changes])
    )
    shape = config.shape if slack else replace(config.shape, slack=0)
    shared, learner = SharedRollout.create(shape), config.learner()
    if kind == "serial":
        made: Collector = SerialCollector(config.actor(timesteps=0), shared)
    else:
        made = config.collector(learner, shared, 0, lambda record: None)
    made.start(lambda: None)
    try:
        yield made, learner
    finally:
        made.close()
        shared.close()


def always(learner: PPOLearner, action: int) -> None:
    """Have the policy choose this row, whatever it sees."""
    *_, last = learner._state.policy.parameters()
    with torch.no_grad():
        last[action] = 1e4


def copied(collected: Collected) -> dict[str, np.ndarray]:
    return {name: np.array(value) for name, value in vars(collected.rollout).items()}


def rollouts(tmp_path: Path, kind: str, seed: int = 0, count: int = 3, more: str = "") -> list[dict[str, np.ndarray]]:
    with collector(tmp_path, kind, seed, more) as (made, learner):
        made.shared.weights[:] = learner.policy_flat()
        return [copied(made.collect(0, 0, lambda: None)) for _ in range(count)]


def test_serial_and_local_are_bit_identical_and_seeds_differ(tmp_path: Path) -> None:
    serial, local, other = rollouts(tmp_path, "serial"), rollouts(tmp_path, "local"), rollouts(tmp_path, "serial", 1)
    for one, two in zip(serial, local, strict=True):
        assert one.keys() == two.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    assert not np.array_equal(serial[0]["actions"], other[0]["actions"])
    assert not np.array_equal(serial[0]["actions"], serial[1]["actions"])


def test_a_rollout_is_one_unbroken_line_per_agent(tmp_path: Path) -> None:
    """The last observation of one rollout is the first of the next; log-probabilities are those of the policy."""
    with collector(tmp_path, "serial") as (made, learner):
        made.shared.weights[:] = learner.policy_flat()
        first = copied(made.collect(0, 0, lambda: None))
        second = copied(made.collect(0, 0, lambda: None))
    np.testing.assert_array_equal(first["obs"][:, -1], second["obs"][:, 0])
    assert np.isfinite(first["obs"]).all()
    assert (first["log_probs"] < 0).all()
    ended = first["terminated"] | first["truncated"]
    assert ended.sum() == 0 or len(first["final_index"]) == first["truncated"].sum()


def test_truncated_steps_carry_their_own_final_observation(tmp_path: Path) -> None:
    """Episodes of 4 s end within 60 steps; the stored end is not the next episode's beginning."""
    found = [r for r in rollouts(tmp_path, "serial", count=4) if len(r["final_index"])]
    assert found, "some episode was cut"
    for rollout in found:
        w, steps, agents = rollout["actions"].shape
        where = np.unravel_index(rollout["final_index"], (w, steps, agents))
        assert rollout["truncated"][where].all()
        following = rollout["obs"][where[0], where[1] + 1, where[2]]
        assert not np.allclose(rollout["final_obs"], following)


MASKED = "[actions]\ntable = 'hybrid'\nsticky = 2\n"


def test_serial_and_local_are_bit_identical_with_masks_and_sticky_buttons(tmp_path: Path) -> None:
    serial, local = (rollouts(tmp_path, kind, more=MASKED) for kind in ("serial", "local"))
    for one, two in zip(serial, local, strict=True):
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)
    masks = legal_rows(build("action table", Component("hybrid")).rows())
    legality = np.concatenate([rollout["legality"][:, :-1] for rollout in serial])
    actions = np.concatenate([rollout["actions"] for rollout in serial])
    assert len(np.unique(legality)) >= 3  # cars are in the air, on the ground, with and without boost
    assert masks[legality, actions].all()


def test_a_masked_rollout_is_the_learners_own(tmp_path: Path) -> None:
    """Nothing learned: probabilities of the workers and of torch agree, row by row."""
    more = MASKED + "[ppo]\nlearning_rate = 0.0\niteration = 512\n"
    text = TINY.replace("[ppo]\niteration = 512\nbatch = 512\nminibatch = 256\n", "") + more
    path = tmp_path / "still.toml"
    path.write_text(text)
    config = ResolvedConfig.resolve(load(path))
    shared, learner = SharedRollout.create(config.shape), config.learner()
    made = SerialCollector(config.actor(timesteps=0), shared)
    made.start(lambda: None)
    try:
        for _ in range(3):
            shared.weights[:] = learner.policy_flat()
            report = learner.update(made.collect(0, 0, lambda: None).rollout)
            assert report.dropped is None
            assert abs(report.metrics["train/approx_kl"]) < 1e-6
            assert report.metrics["train/entropy"] < np.log(221)
    finally:
        made.close()
        shared.close()


NORMALIZED = '\n[obs]\nkind = "advanced_plus"\nstack = 2\nnormalize = true\n'
SIZE = 2 * 151


def test_workers_play_what_the_learner_learns(tmp_path: Path) -> None:
    """The stored log-probabilities are those of the learner's networks on what it sees, iteration after iteration."""
    file = tmp_path / "normalized.toml"
    file.write_text(TINY + NORMALIZED)
    config = ResolvedConfig.resolve(load(file))
    shared = SharedRollout.create(config.shape)
    collector, learner = SerialCollector(config.actor(0), shared), config.learner()
    try:
        collector.start(lambda: None)
        for iteration in range(3):
            shared.weights[:] = learner.policy_flat()
            collected = collector.collect(0, 512 * iteration, lambda: None).rollout
            obs = torch.from_numpy(collected.obs[:, :-1].reshape(-1, SIZE).copy())
            actions = torch.from_numpy(collected.actions.reshape(-1, 1))
            with torch.no_grad():
                expected = torch.log_softmax(learner._state.policy(learner._seen(obs)), -1).gather(-1, actions)
            np.testing.assert_allclose(collected.log_probs.reshape(-1, 1), expected, atol=1e-5)
            assert learner.update(collected).dropped is None
            del collected
    finally:
        collector.close()
        shared.close()


PRACTICE = """
[mechanics]
weight = 0.5
resets = [{kind = "random"}]
terminals = [{kind = "timeout", seconds = 2}]
[mechanics.rewards]
face_ball = 0.5
"""
ODD = ["collect.arenas=3"]  # parts of one and of two arenas
ONE = ["collect.arenas=1"]


ALL = MASKED + NORMALIZED + PRACTICE


@pytest.mark.parametrize("more", [ALL, ODD, ONE])
def test_central_is_its_serial_twin_where_actions_are_forced(tmp_path: Path, more: str | list[str]) -> None:
    """The same parts of the same arenas: every array but the rounding of log-probabilities."""
    found = []
    for kind in ("serial", "central"):
        with collector(tmp_path, kind, more=more, parts=2) as (made, learner):
            always(learner, 18)
            made.set_policy(learner)
            found.append([copied(made.collect(0, 0, lambda: None)) for _ in range(3)])
    for one, two in zip(*found, strict=True):
        assert (one["actions"] == 18).all()
        np.testing.assert_allclose(one.pop("log_probs"), two.pop("log_probs"), atol=1e-6)
        for name in one:
            np.testing.assert_array_equal(one[name], two[name], err_msg=name)


STEPS, AGENTS = 32, 8  # wanted of each worker, and its cars
LAG = 6


class Uneven:
    """A central collector that answers worker 1 only where it is `LAG` steps behind worker 0, or that one has all its answers."""

    def __init__(self, made: CentralCollector, monkeypatch: pytest.MonkeyPatch) -> None:
        self._made, self._asking = made, made._asking
        self.holds_at: list[int] = []  # the step of each worker that is never answered
        monkeypatch.setattr(made, "_asking", self.asking)

    def asking(self) -> np.ndarray:
        shared, found = self._made.shared, self._asking()
        first, second = at = shared.answered.reshape(2, PARTS).min(axis=1)
        lags = second + LAG <= first or shared.all_begun[0] or first == shared.shape.most_steps
        held = [step in self.holds_at[worker : worker + 1] for worker, step in enumerate(at)]
        return found[~np.array([held[0], held[1] or not lags])[found // PARTS]]


def test_a_slow_worker_ends_with_fewer_steps_and_the_iteration_has_what_it_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each worker's line of play is its serial twin's, over the ends of iterations: nothing lost, repeated or misplaced."""
    names = ("obs", "legality", "rewards", "terminated", "truncated")
    lines: dict[tuple[int, str], list[np.ndarray]] = {(w, name): [] for w in range(2) for name in names}
    finals: dict[int, list[np.ndarray]] = {0: [], 1: []}
    with collector(tmp_path, "central", more=ALL, parts=2, slack=True) as (made, learner):
        assert isinstance(made, CentralCollector)
        Uneven(made, monkeypatch)
        always(learner, 18)
        made.set_policy(learner)
        for _ in range(4):
            for block in made.shared.block(0).values():
                block[...] = np.nan if block.dtype == np.float32 else True if block.dtype == np.bool_ else 99
            collected = made.collect(0, 0, lambda: None)
            gone = [report.steps for report in collected.reports if report is not None]
            assert gone[0] > gone[1] and sum(gone) == 2 * STEPS and collected.rows == sum(gone) * AGENTS
            data = collected.rollout
            assert data.shape == (2, gone[0], AGENTS) and made.progress() > 0.9
            worker, step, agent = np.unravel_index(data.final_index, data.shape)
            assert data.truncated[worker, step, agent].all() and (step < np.array(gone)[worker]).all()
            assert not (data.final_obs == data.obs[worker, step + 1, agent]).all(axis=-1).any()
            for w, steps in enumerate(gone):
                for name in names:
                    lines[w, name].append(getattr(data, name)[w, :steps].copy())
                finals[w].append(data.final_obs[worker == w])
            assert np.isfinite(data.learned(data.log_probs)).all()
            files = learner.snapshot().files()
            report = learner.update(data)
            assert report.dropped is None and report.rows == collected.rows
            learner.load(files)
            del data, collected, block
    with collector(tmp_path, "serial", more=ALL, parts=2) as (made, learner):
        always(learner, 18)
        made.set_policy(learner)
        twins = [copied(made.collect(0, 0, lambda: None)) for _ in range(5)]
    for (w, name), found in lines.items():
        line = np.concatenate(found)
        of_twin = np.concatenate([twin[name][w, :STEPS] for twin in twins])
        np.testing.assert_array_equal(line, of_twin[: len(line)], err_msg=name)
    for w, found in finals.items():
        line = np.concatenate(found)
        of_twin = np.concatenate([twin["final_obs"][twin["final_index"] // (STEPS * AGENTS) == w] for twin in twins])
        np.testing.assert_array_equal(line, of_twin[: len(line)])
        assert len(line)


def test_where_a_worker_dies_the_others_go_on_as_far_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with collector(tmp_path, "central", slack=True) as (made, learner):
        assert isinstance(made, CentralCollector)
        uneven = Uneven(made, monkeypatch)
        made.set_policy(learner)
        uneven.holds_at, most = [STEPS, STEPS - LAG], made.shared.shape.most_steps

        def poll() -> None:
            """Worker 1 is killed where a few steps more would be enough; then worker 0 goes on."""
            now = made.live()[1]
            if now.restarts:
                uneven.holds_at = []
            elif now.pid is not None and made.shared.steps_done.tolist() == uneven.holds_at:
                os.kill(now.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)

        collected = made.collect(0, 0, poll)
        assert [report and report.steps for report in collected.reports] == [most, None]
        assert collected.rows == most * AGENTS and collected.rollout.learn is None
        assert learner.update(collected.rollout).rows == collected.rows
        del collected
        while None in (reports := made.fill(0, 0, lambda: None)):
            assert [report and report.steps for report in reports] == [most, None]
        assert sum(report.steps for report in reports if report) == 2 * STEPS


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP")
def test_what_a_worker_did_in_the_iteration_before_counts_no_more(tmp_path: Path) -> None:
    """Worker 1 begins when worker 0 is through."""
    with collector(tmp_path, "central", slack=True) as (made, learner):
        made.set_policy(learner)
        made.fill(0, 0, lambda: None)
        late, most = made.live()[1].pid or 0, made.shared.shape.most_steps
        os.kill(late, signal.SIGSTOP)

        def poll() -> None:
            if made.live()[0].state == "waiting":
                os.kill(late, signal.SIGCONT)

        reports = made.fill(0, 0, poll)
        assert [report and report.steps for report in reports] == [most, 2 * STEPS - most]


def test_central_samples_from_the_learners_own_policy(tmp_path: Path) -> None:
    """Log-probabilities are torch's for what was seen; what was chosen is as frequent as it is probable."""
    with collector(tmp_path, "central", more=ALL, parts=2) as (made, learner):
        for iteration in range(3):
            made.set_policy(learner)
            rollout = made.collect(0, 512 * iteration, lambda: None).rollout
            size = rollout.obs.shape[-1]
            obs = torch.from_numpy(rollout.obs[:, :-1].reshape(-1, size).copy())
            with torch.no_grad():
                logits = learner._state.policy(learner._seen(obs))
            assert rollout.legality is not None
            masks = legal_rows(build("action table", Component("hybrid")).rows())
            logits = logits.masked_fill(~torch.from_numpy(masks[rollout.legality[:, :-1].reshape(-1)]), -1e30)
            expected = torch.log_softmax(logits, -1)
            actions = torch.from_numpy(rollout.actions.reshape(-1, 1).copy())
            np.testing.assert_allclose(rollout.log_probs.reshape(-1, 1), expected.gather(-1, actions), atol=1e-5)
            counts = np.bincount(actions.ravel(), minlength=expected.shape[1])
            mean, variance = expected.exp().sum(0), (expected.exp() * (1 - expected.exp())).sum(0)
            assert (np.abs(counts - mean.numpy()) < 6 * np.sqrt(variance.numpy()) + 3).all()
            assert learner.update(rollout).dropped is None
            del rollout, obs, actions


def test_what_a_worker_marks_as_anothers_is_no_timestep_of_the_learner(tmp_path: Path) -> None:
    """Without a mark nothing is copied. Learning from what is left equals learning without these cars."""
    with collector(tmp_path, "serial") as (made, learner):
        made.set_policy(learner)
        whole = made.collect(0, 0, lambda: None)
        assert whole.rollout.learn is None and np.shares_memory(whole.rollout.obs, made.shared.block(0)["obs"])
        player = made.shared.block(0)["player"]
        player[..., ::2] = 1
        collected = Collected(_rollout(made.shared, 0, whole.reports), whole.reports)
        assert collected.rows == (player[:, :-1] == 0).sum() == whole.rows / 2
        agents = collected.rollout.shape[2]
        columns = ["obs", "actions", "log_probs", "rewards", "terminated", "truncated", "legality"]
        odd = {name: np.ascontiguousarray(getattr(collected.rollout, name)[:, :, 1::2]) for name in columns}
        final = collected.rollout.final_index % agents % 2 == 1
        cut = replace(
            collected.rollout,
            **odd,
            final_obs=collected.rollout.final_obs[final],
            final_index=collected.rollout.final_index[final] // 2,
            learn=None,
        )
        files = learner.snapshot().files()
        ours, weights = learner.update(collected.rollout), learner.policy_flat()
        learner.load(files)
        assert ours == learner.update(cut)
        np.testing.assert_array_equal(weights, learner.policy_flat())
        del whole, collected, player, cut
