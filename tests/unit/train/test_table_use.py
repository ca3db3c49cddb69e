"""Figures of what was chosen, against arithmetic done by hand and a slow twin."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.actions.pipeline import PipelineOptions
from rltui.actions.table import table_hash
from rltui.events.metrics import BY_KEY
from rltui.field import CONTROLS
from rltui.learn.rollout import Rollout
from rltui.train.iteration_metrics import RECORD_SECONDS, TableUse, entropy
from tests.fakes.tables import HYBRID, RLGYM

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


def test_by_hand() -> None:
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


def test_replaced_choices_are_a_share_of_all() -> None:
    use = TableUse(HYBRID, PipelineOptions("fallback"))
    assert use.count(rollout(np.zeros((1, 10, 2))), replaced=3)["lut/fallback"] == 15


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


def test_a_uniform_choice_reads_the_logarithm() -> None:
    assert entropy(np.ones(5)) == pytest.approx(log(5))


def test_every_figure_is_in_the_table_of_metrics() -> None:
    figures = TableUse(RLGYM, MASK).count(rollout(np.zeros((1, 1, 1)), np.full((1, 2, 1), 7, np.uint8)), 0)
    assert all(key in BY_KEY and BY_KEY[key].help for key in figures)
