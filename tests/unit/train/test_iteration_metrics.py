"""Metrics of an iteration, and how the action table is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log

import msgspec
import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.spec import ActionSpec
from rltui.actions.table import table_hash
from rltui.env.arena_groups import MATCH
from rltui.env.stats import EpisodeStats
from rltui.env.turtle import TurtleStats
from rltui.events.episode_reward import RewardWindow
from rltui.events.metrics import BY_KEY
from rltui.field import CONTROLS
from rltui.learn.rollout import Rollout
from rltui.train.collect.messages import RolloutDone, decode_from_worker, encode
from rltui.train.collect.shared_rollout import RolloutShape
from rltui.train.iteration_metrics import (
    RECORD_SECONDS,
    IterationTimes,
    TableUse,
    collected_metrics,
    entropy,
    time_metrics,
)
from tests.fakes.tables import HYBRID, RLGYM

TIMES = IterationTimes(collect=2.0, learn=3.0, save=0.1, total=5.0)
SHAPE = RolloutShape(
    blocks=1, workers=2, steps=5, arenas=10, cars=2, obs_size=7, actions=ActionSpec(9), parameters=1, slack=2
)


def stats(episodes: int, touch: float, shaping: float) -> EpisodeStats:
    return EpisodeStats(
        episodes=episodes,
        car_episodes=2 * episodes,
        episode_ticks=1200 * episodes,
        rewards={"touch": touch, "shaping": shaping},
        goals=3,
        touches=8,
        airborne=25,
        boost=3300.0,
        car_steps=100,
        arena_steps=50,
        seconds=60.0,
        conceded=2,
        own_goals=1,
        shots=4,
        saves=2,
        demos=1,
        boost_spent=1500.0,
        kickoffs=5,
        kickoffs_touched=4,
        turtles=TurtleStats(events=6, failed=1, censored=1, recovery_ticks=[80, 120, 160]),
    )


def done(part: EpisodeStats) -> RolloutDone:
    return RolloutDone(2.0, {"simulate": 0.005, "infer": 0.001}, {MATCH: part}, 64 * 2**20, 5)


def replace_groups(report: RolloutDone, groups: Mapping[str, EpisodeStats]) -> RolloutDone:
    return msgspec.structs.replace(report, stats=dict(groups))


def metrics(*parts: EpisodeStats) -> dict[str, float | None]:
    reports = [done(part) for part in parts]
    return collected_metrics(1000, reports) | time_metrics(200, reports, TIMES, SHAPE)


def test_figures_of_all_workers_are_taken_together() -> None:
    begun = replace(stats(2, 8.0, 2.0), arenas=4, first_episodes=3)
    assert metrics(begun, replace(begun, first_episodes=0, arenas=2))["rollout/first_episodes"] == pytest.approx(50.0)
    assert metrics(stats(2, 8.0, 2.0))["rollout/first_episodes"] is None, "of no arenas"

    found = metrics(stats(2, 8.0, 2.0), stats(4, 4.0, -2.0))
    assert found["reward/touch"] == pytest.approx(12 / 12)
    assert found["reward/shaping"] == 0.0
    assert found["rollout/policy_reward"] == pytest.approx(1.0)
    assert found["rollout/episode_seconds"] == pytest.approx(10.0)
    assert found["rollout/goals_per_minute"] == pytest.approx(6 / 2)
    assert found["rollout/conceded_per_minute"] == pytest.approx(4 / 2)
    assert found["rollout/own_goals_per_minute"] == pytest.approx(2 / 2)
    car_minutes = 2 * 2  # two workers, two cars
    assert found["rollout/touches_per_minute"] == pytest.approx(16 / car_minutes)
    assert found["rollout/shots_per_minute"] == pytest.approx(8 / car_minutes)
    assert found["rollout/saves_per_minute"] == pytest.approx(4 / car_minutes)
    assert found["rollout/demos_per_minute"] == pytest.approx(2 / car_minutes)
    assert found["rollout/boost_spent_per_minute"] == pytest.approx(3000 / car_minutes)
    assert found["rollout/kickoff_touches"] == pytest.approx(80.0)
    assert found["rollout/airborne"] == pytest.approx(25.0)
    assert found["rollout/boost"] == pytest.approx(33.0)
    assert found["time/collected_steps_per_second"] == pytest.approx(100.0)
    assert found["time/overall_steps_per_second"] == pytest.approx(40.0)
    assert found["time/simulate"] == pytest.approx(1e6 * 0.01 / 100)

    measured = [replace(stats(2, 8.0, 2.0), measures={"height": value}) for value in (30.0, 50.0)]
    assert metrics(*measured)["metric/height"] == pytest.approx(80 / 200), "by steps of cars"
    assert decode_from_worker(encode(done(measured[0]))) == done(measured[0])

    found = metrics(stats(3, 7.0, 1.5))
    total = sum(value for key, value in found.items() if key.startswith("reward/") and value is not None)
    assert total == pytest.approx(found["rollout/policy_reward"])


def test_the_short_episodes_of_one_restarted_worker_do_not_count() -> None:
    """Every reward, verdict and saved state would be one of short episodes until its own have all ended once."""
    settled = replace(stats(10, 80.0, 2.0), arenas=4)
    young = replace(stats(3, 0.0, 0.0), arenas=4, first_episodes=4)
    assert metrics(settled, young) == metrics(settled) | {
        key: value for key, value in metrics(settled, young).items() if key.startswith(("time/", "worker/"))
    }
    window = RewardWindow()
    window.iteration(metrics(settled, young), ["touch", "shaping"])
    assert window.value.mean == pytest.approx(82 / 20) and not window.value.short
    window.iteration(metrics(young, young), ["touch", "shaping"])
    assert window.value.short, "all have just begun"


def test_turtles_of_all_workers_are_taken_together() -> None:
    first = replace(stats(1, 0.0, 0.0), turtles=TurtleStats(4, 1, 1, [80, 120]))
    second = replace(stats(1, 0.0, 0.0), turtles=TurtleStats(2, 0, 1, [160]))
    found = {key.removeprefix("turtle/"): value for key, value in metrics(first, second).items() if "turtle/" in key}
    counts = {"events": 6, "recovered": 3, "failed": 1, "censored": 2}
    assert {name: found.pop(name) for name in counts} == counts
    assert found.pop("per_minute") == pytest.approx(6 / 4)
    ticks = {"mean": 120.0, "median": 120.0, "p90": 152.0}
    assert found == {f"{name}_ticks": value for name, value in ticks.items()} | {
        f"{name}_seconds": pytest.approx(value / 120) for name, value in ticks.items()
    }


def test_what_nothing_is_known_of_is_none_and_not_zero() -> None:
    found = metrics(replace(stats(1, 0.0, 0.0), turtles=TurtleStats(events=1, failed=1)))
    assert (found["turtle/events"], found["turtle/recovered"], found["turtle/failed"]) == (1, 0, 1)
    for name in ("mean", "median", "p90"):
        assert found[f"turtle/{name}_ticks"] is None and found[f"turtle/{name}_seconds"] is None

    assert metrics(replace(stats(1, 0.0, 0.0), kickoffs=0, kickoffs_touched=0))["rollout/kickoff_touches"] is None

    found = metrics(stats(0, 0.0, 0.0))
    assert found["rollout/policy_reward"] is None
    assert found["reward/touch"] is None
    assert found["rollout/episodes"] == 0


def test_a_practice_group_has_its_own_figures_and_a_dropped_workers_number_stays_free() -> None:
    groups = {MATCH: stats(2, 8.0, 2.0), "mechanics": replace(stats(1, 3.0, 0.0), rewards={"touch": 4.0})}
    report = replace_groups(done(stats(1, 0.0, 0.0)), groups)
    found = collected_metrics(1000, [report])
    assert found["reward/touch"] == 2.0 and found["mechanics/reward/touch"] == 2.0
    assert found["mechanics/rollout/episodes"] == 1 and found["mechanics/turtle/events"] == 6
    assert "mechanics/reward/shaping" not in found

    found = time_metrics(200, [None, done(stats(2, 8.0, 2.0))], TIMES, SHAPE)
    names = ("seconds", "steps_per_second", "memory_mb")
    assert {key for key in found if key.startswith("worker/")} == {f"worker/1/{name}" for name in names}


def test_a_slow_worker_is_told_by_its_speed_where_no_rollout_waits_for_it() -> None:
    """All of them take as long then; the slow one goes fewer steps."""
    fast = msgspec.structs.replace(done(stats(1, 1.0, 1.0)), steps=7)
    slow = msgspec.structs.replace(fast, steps=3)
    found = time_metrics(200, [fast, slow], TIMES, SHAPE)
    assert found["worker/0/seconds"] == found["worker/1/seconds"] == 2.0
    assert (found["worker/0/steps_per_second"], found["worker/1/steps_per_second"]) == (70.0, 30.0)


def test_every_figure_is_in_the_table_of_metrics() -> None:
    found = [key for key in metrics(stats(1, 1.0, 1.0)) if key.startswith(("rollout/", "turtle/"))]
    assert len(found) > 20 and not [key for key in found if key not in BY_KEY]

    figures = TableUse(RLGYM, MASK).count(rollout(np.zeros((1, 1, 1)), np.full((1, 2, 1), 7, np.uint8)), 0)
    assert all(key in BY_KEY and BY_KEY[key].help for key in figures)


def test_reports_cross_the_pipe_whole() -> None:
    report = done(stats(2, 8.0, 2.0))
    assert decode_from_worker(encode(report)) == report


MASK = PipelineOptions("mask")


def rollout(actions: np.ndarray, legality: np.ndarray | None = None, valid: np.ndarray | None = None) -> Rollout:
    """Only what is chosen matters."""
    w, t, a = actions.shape
    zeros = np.zeros((w, t, a), np.float32)
    return Rollout(
        obs=np.zeros((w, t + 1, a, 1), np.float32),
        actions=actions.astype(np.int64),
        log_probs=zeros,
        rewards=zeros,
        terminated=zeros > 0,
        truncated=zeros > 0,
        final_obs=np.zeros((0, 1), np.float32),
        final_index=np.zeros(0, np.int64),
        valid=np.ones(w, np.bool_) if valid is None else valid,
        legality=legality,
    )


def test_use_of_the_table_by_hand() -> None:
    # of RLGYM: row 0 reverses and steers left, 20 is full throttle to the right, 56 a plain jump, 18 boost straight on
    use = TableUse(RLGYM, PipelineOptions())
    figures = use.count(rollout(np.array([[[0, 20], [56, 18]]])), replaced=0)
    assert figures["lut/used_rows"] == pytest.approx(100 * 4 / 90)
    assert figures["lut/never_chosen"] == 86
    assert figures["lut/left"] == figures["lut/right"] == figures["lut/jump"] == figures["lut/boost"] == 25
    assert figures["lut/entropy_throttle"] == pytest.approx(2 * 0.25 * log(4) + 0.5 * log(2))  # -1, 1, 0, 1
    assert figures["lut/entropy_jump"] == pytest.approx(0.25 * log(4) + 0.75 * log(4 / 3))
    assert figures["lut/entropy_pitch"] == 0
    assert figures["lut/masked"] is figures["lut/fallback"] is None

    use = TableUse(HYBRID, PipelineOptions("fallback"))
    assert use.count(rollout(np.zeros((1, 10, 2))), replaced=3)["lut/fallback"] == 15

    assert entropy(np.ones(5)) == pytest.approx(log(5))


def test_against_a_slow_twin() -> None:
    rng = np.random.default_rng(0)
    actions, classes = rng.integers(0, len(HYBRID), (3, 5, 4)), rng.integers(0, 8, (3, 6, 4)).astype(np.uint8)
    valid = np.array([True, False, True])
    figures = TableUse(HYBRID, MASK).count(rollout(actions, classes, valid), replaced=0)
    chosen = [HYBRID[row] for worker in (0, 2) for row in actions[worker].ravel()]
    for column, name in enumerate(CONTROLS):
        values = [row[column] for row in chosen]
        shares = [values.count(value) / len(values) for value in set(values)]
        assert figures[f"lut/entropy_{name}"] == pytest.approx(-sum(share * log(share) for share in shares))
    assert figures["lut/left"] == pytest.approx(100 * sum(row[1] < 0 for row in chosen) / len(chosen))
    masks = legal_rows(HYBRID)
    masked = [np.mean(~masks[class_id]) for worker in (0, 2) for class_id in classes[worker, :-1].ravel()]
    assert figures["lut/masked"] == pytest.approx(100 * np.mean(masked))
    learn = rng.random((3, 5, 4)) < 0.5
    record = TableUse(HYBRID, MASK)
    record.count(replace(rollout(actions, classes, valid), learn=learn), replaced=0)
    counts = np.bincount(actions[valid][learn[valid]], minlength=len(HYBRID)).tolist()
    assert record.record(0).counts == counts


def test_rows_count_as_chosen_from_the_start_on() -> None:
    now = 0.0
    use = TableUse(RLGYM, PipelineOptions(), lambda: now)
    assert use.due()
    use.count(rollout(np.array([[[1, 1], [2, 3]]])), 0)
    figures = use.count(rollout(np.array([[[3, 4]]])), 0)
    assert figures["lut/never_chosen"] == 86
    record = use.record(1234)
    assert (record.timesteps, record.table_hash) == (1234, table_hash(RLGYM))
    assert record.counts[:6] == [0, 2, 1, 2, 1, 0] and sum(record.counts) == 6
    now = RECORD_SECONDS - 0.1
    assert not use.due()
    now = RECORD_SECONDS
    assert use.due()
