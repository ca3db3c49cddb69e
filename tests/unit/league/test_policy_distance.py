"""Distance of policies: by hand, and which states of a run are near-clones, in what they see in games of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.league import policy_distance as measured
from rltui.league.policy_distance import find_near_clones, policy_distance, seen
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.runs.inventory import CheckpointInfo, read_checkpoint_info
from rltui.runs.near_clones import read_near_clones
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.bots import write_bot
from tests.fakes.saved_runs import make_files, make_meta, make_run, place

RNG = np.random.default_rng(4)
OBS, CLASSES = RNG.normal(size=(50, 6)).astype(np.float32), np.zeros(50, np.uint8)
TABLE = np.concatenate([np.zeros((1, 8)), RNG.integers(0, 2, (3, 8))]).astype(np.float32)
ENV = (
    '{"obs": {"kind": "default"}, "obs_stack": 1, "table": {"kind": "rlgym"}, "blue": 1, "orange": 1,'
    ' "pipeline": {"legality": "off"}}'
)
PROFILE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\nactions.legality = "mask"\n'


def policy(bias: list[float], scale: float = 0.0, seed: int = 0) -> SavedPolicy:
    """Of scale 0: the same choice whatever it sees."""
    weights = (np.random.default_rng(seed).normal(size=(6, 4)) * scale).astype(np.float32)
    layers = ((weights, np.array(bias, np.float32)),)
    return SavedPolicy(layers, TABLE, "table", "default 6", tick_skip=8, action_delay_ticks=1, env=ENV)


def distance(a: SavedPolicy, b: SavedPolicy) -> float:
    return policy_distance(a, b, OBS, CLASSES)


def slow_distance(a: SavedPolicy, b: SavedPolicy) -> float:
    total = 0.0
    for row in OBS.astype(np.float64):
        chances = []
        for (w, bias), *_ in (a.layers, b.layers):
            weights = [np.exp(row @ w[:, action] + bias[action]) for action in range(4)]
            chances.append([weight / sum(weights) for weight in weights])
        total += sum(abs(one - other) for one, other in zip(*chances, strict=True)) / 2
    return total / len(OBS)


def test_by_hand() -> None:
    """Chances ⅖ ⅕ ⅕ ⅕ and ¼ ¼ ¼ ¼: half of 0.15 + 3 · 0.05."""
    assert distance(policy([np.log(2), 0, 0, 0]), policy([0, 0, 0, 0])) == pytest.approx(0.15)
    assert distance(policy([80, 0, 0, 0]), policy([0, 80, 0, 0])) == pytest.approx(1.0)


def test_it_is_a_distance_and_the_slow_twins() -> None:
    policies = [policy([0, 0.5, 0, -1], 1.0, seed) for seed in range(3)]
    for a in policies:
        assert distance(a, a) == 0.0
        for b in policies:
            assert distance(a, b) == distance(b, a) == pytest.approx(slow_distance(a, b), abs=1e-6)
    first, second, third = (distance(*pair) for pair in zip(policies, policies[1:] + policies[:1], strict=True))
    assert first <= second + third + 1e-12


def test_those_of_other_games_are_refused() -> None:
    one = policy([0, 0, 0, 0])
    narrow = replace(one, layers=((np.zeros((5, 4), np.float32), np.zeros(4, np.float32)),))
    for other in (replace(one, table_hash="another"), replace(one, tick_skip=4), narrow):
        with pytest.raises(ValueError, match="different games"):
            distance(one, other)
    of_a_later_stage = replace(one, env=ENV.replace('"orange": 1', '"orange": 2'))
    assert distance(one, of_a_later_stage) == 0.0


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunPaths:
    """Of 5 M, 10 M and 15 M timesteps, the second a near-clone of the first."""
    for name, value in (("GAMES", 2), ("SECONDS", 2), ("LOOKS", 10)):
        monkeypatch.setattr(measured, name, value)
    paths = make_run(DataDir(tmp_path / "data"), commits=0)
    (tmp_path / "made.toml").write_text(PROFILE, encoding="utf-8")
    made = write_bot(tmp_path / "bot", str(tmp_path / "made.toml"))
    (*rest, (w, b)) = made.layers
    near = replace(made, layers=(*rest, (w, b + np.float32(0.01) * np.arange(len(b)).astype(np.float32) / len(b))))
    for commit, (millions, saved) in enumerate(
        ((5, made), (10, near), (15, replace(made, layers=(*rest, (-w, b))))), 2
    ):
        files = make_files(make_meta("alpha", commit, millions * 1_000_000)) | {"policy.npz": save_policy(saved)}
        place(paths.milestones / "Phase1-A" / f"{millions:03}M", files)
    return paths


def state(run: RunPaths, millions: int) -> CheckpointInfo:
    return read_checkpoint_info(run.milestones / "Phase1-A" / f"{millions:03}M")


def test_what_a_state_sees_is_the_same_each_time_and_of_both_sides(run: RunPaths) -> None:
    made = write_bot(run.folder / "again", str(run.data.root.parent / "made.toml"))
    obs, classes = seen(made)
    assert obs.shape == (10 * 2 * 2, made.layers[0][0].shape[0]) and classes.shape == (40,)
    assert len(np.unique(obs, axis=0)) > 20, "they move"
    again = seen(made)
    assert (obs == again[0]).all() and (classes == again[1]).all()


def test_each_state_is_compared_once_with_those_before_it(run: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    for millions in (5, 10, 15):
        find_near_clones(run, state(run, millions))
    found = read_near_clones(run)
    assert {steps: [*near] for steps, near in found.items()} == {5_000_000: [], 10_000_000: [5_000_000], 15_000_000: []}
    assert 0 < found[10_000_000][5_000_000] < 0.05
    monkeypatch.setattr(measured, "seen", lambda policy: pytest.fail("it is known"))
    find_near_clones(run, state(run, 10))


def test_a_milestone_that_cannot_be_read_is_passed_over(run: RunPaths) -> None:
    damaged = run.milestones / "Phase1-A" / "005M" / "policy.npz"
    damaged.write_bytes(b"x" * damaged.stat().st_size)
    find_near_clones(run, state(run, 10))
    assert read_near_clones(run) == {10_000_000: {}}
    with pytest.raises(RltuiError):
        find_near_clones(run, state(run, 5))
