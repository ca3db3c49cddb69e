"""Masks in acting: illegal rows have probability 0, legal ones that of a softmax over the legal rows alone."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.errors import RltuiError
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from rltui.policy.weights import flat_size, unflatten
from rltui.registry import Component, build

TABLE = build("action table", Component("hybrid")).rows()
MASKS = legal_rows(TABLE)
SIZES = (12, 32, 32, len(TABLE))
ROWS = 64


def flat(seed: int = 0, sharpness: float = 1.0) -> np.ndarray:
    weights = np.random.default_rng(seed).normal(size=flat_size(SIZES))
    return (sharpness * weights).astype(np.float32) * np.float32(0.2)


def policy(masks: np.ndarray | None = MASKS, weights: np.ndarray | None = None) -> DiscretePolicy:
    made = DiscretePolicy(SIZES, ROWS, masks)
    made.set_weights(flat() if weights is None else weights)
    return made


def inputs(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Observations, and classes of which each is there."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROWS, SIZES[0])).astype(np.float32), (np.arange(ROWS) % len(MASKS)).astype(np.uint8)


def sample(
    of: DiscretePolicy, obs: np.ndarray, classes: np.ndarray | None, noise: GumbelBank
) -> tuple[np.ndarray, ...]:
    actions, log_probs = np.empty(ROWS, np.int64), np.empty(ROWS, np.float32)
    of.act(obs, noise, actions, log_probs, classes)
    return actions, log_probs


def slow_log_probs(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """ln softmax over the legal rows alone, in float64."""
    kept = logits.astype(np.float64)[legal]
    result = np.full(len(logits), -np.inf)
    result[legal] = kept - kept.max() - np.log(np.exp(kept - kept.max()).sum())
    return result


def test_log_probabilities_are_those_of_the_legal_rows_alone(subtests: pytest.Subtests) -> None:
    for sharpness in (1.0, 30.0):
        with subtests.test(sharpness=sharpness):
            weights = flat(sharpness=sharpness)
            (obs, classes), masked, plain = inputs(), policy(weights=weights), policy(None, weights)
            noise = GumbelBank(0)
            for _ in range(20):
                actions, log_probs = sample(masked, obs, classes, noise)
                assert MASKS[classes, actions].all()
                logits = plain.logits(obs)
                expected = [slow_log_probs(logits[i], MASKS[classes[i]])[actions[i]] for i in range(ROWS)]
                np.testing.assert_allclose(log_probs, expected, atol=1e-4 * max(1.0, sharpness))
            assert (~MASKS[classes]).any(axis=1).sum() > ROWS / 2


def test_draws_are_as_frequent_as_the_probabilities_over_the_legal_rows() -> None:
    """Chi-square of 64,000 draws of a car that can neither jump nor boost: fair samplers stay within 4 σ."""
    class_id = np.uint8(4)  # no jump, no boost
    legal = np.flatnonzero(MASKS[class_id])
    obs, classes = np.repeat(inputs()[0][:1], ROWS, axis=0), np.full(ROWS, class_id)
    masked, noise, counts = policy(), GumbelBank(3), np.zeros(len(TABLE))
    for _ in range(1000):
        counts += np.bincount(sample(masked, obs, classes, noise)[0], minlength=len(TABLE))
    expected = np.exp(slow_log_probs(policy(None).logits(obs)[0], MASKS[class_id])) * counts.sum()
    assert counts.sum() == counts[legal].sum() == 64_000
    degrees = len(legal) - 1
    chi_square = ((counts[legal] - expected[legal]) ** 2 / expected[legal]).sum()
    assert chi_square < degrees + 4 * np.sqrt(2 * degrees)
    assert expected[legal].max() > 4 * expected[legal].min()


def test_where_all_is_legal_the_bits_are_those_without_masks() -> None:
    obs, _ = inputs()
    everything = np.full(ROWS, 7, np.uint8)
    ours, plain = sample(policy(), obs, everything, GumbelBank(5)), sample(policy(None), obs, None, GumbelBank(5))
    np.testing.assert_array_equal(ours[0], plain[0])
    np.testing.assert_array_equal(ours[1], plain[1])


def test_a_wreck_idles_with_certainty() -> None:
    obs, _ = inputs()
    actions, log_probs = sample(policy(), obs, np.zeros(ROWS, np.uint8), GumbelBank(0))
    assert not TABLE[actions].any()
    assert not log_probs.any()


def test_best_and_logits_are_masked_too() -> None:
    (obs, classes), masked = inputs(), policy()
    raw = masked.logits(obs).copy()
    logits = masked.logits(obs, classes).copy()
    np.testing.assert_array_equal(logits[MASKS[classes]], raw[MASKS[classes]])
    assert (logits[~MASKS[classes]] < -1e29).all()
    slow = [max(np.flatnonzero(MASKS[classes[i]]), key=lambda row: raw[i, row]) for i in range(ROWS)]
    np.testing.assert_array_equal(masked.best(obs, classes), slow)


def test_enormous_logits_do_not_bring_illegal_rows_back() -> None:
    weights = flat()
    _, bias = unflatten(weights, SIZES)[-1]
    bias[TABLE[:, 5] != 0] = 1e8  # a view: every jump row
    obs, _ = inputs()
    actions, log_probs = sample(policy(weights=weights), obs, np.full(ROWS, 6, np.uint8), GumbelBank(0))
    assert (TABLE[actions, 5] == 0).all() and np.isfinite(log_probs).all()


def test_the_classes_must_be_given() -> None:
    obs, classes = inputs()
    for wrong in (None, classes[:-1]):
        with pytest.raises(ValueError, match="legality class of each of 64 rows"):
            policy().best(obs, wrong)
        with pytest.raises(ValueError, match="legality class of each of 64 rows"):
            sample(policy(), obs, wrong, GumbelBank(0))


def test_masks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"masks are \[8, 220\], expected \[classes, 221\]"):
        policy(MASKS[:, 1:])
    with pytest.raises(ValueError, match="nothing may be chosen in legality class 3"):
        policy(np.where(np.arange(8)[:, None] == 3, False, MASKS))


def test_acting_with_masks_allocates_no_arrays_of_logits() -> None:
    (obs, classes), masked, noise = inputs(), policy(), GumbelBank(0)
    actions, log_probs = np.empty(ROWS, np.int64), np.empty(ROWS, np.float32)
    masked.act(obs, noise, actions, log_probs, classes)
    tracemalloc.start()
    for _ in range(20):
        masked.act(obs, noise, actions, log_probs, classes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < ROWS * len(TABLE) * 4


SAVED = SavedPolicy(tuple(unflatten(flat(), SIZES)), TABLE, "hash", "obs", 8, 1, legality="mask")


def test_a_policy_saved_with_masks_acts_with_them() -> None:
    (obs, classes), loaded = inputs(), load_policy(save_policy(SAVED))
    assert loaded.legality == "mask"
    np.testing.assert_array_equal(loaded.network(ROWS).best(obs, classes), policy().best(obs, classes))
    unmasked = replace(SAVED, legality="fallback").network(ROWS)
    np.testing.assert_array_equal(unmasked.best(obs), policy(None).best(obs))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            replace(SAVED, legality="sometimes"),
            "key 'legality': expected one of off, mask, fallback, found 'sometimes'",
        ),
        (replace(SAVED, table=TABLE + np.float32(0.1)), "key 'table': expected an idle row"),
    ],
)
def test_a_file_whose_legality_cannot_be_kept_is_refused(
    policy: SavedPolicy, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rltui.policy.saved._problems", lambda arrays: [])
    data = save_policy(policy)
    monkeypatch.undo()
    with pytest.raises(RltuiError, match=message):
        load_policy(data)
