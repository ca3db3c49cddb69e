"""The NumPy policy against torch, its sampling against its probabilities, masks, and the noise bank."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.actions.masking import legal_rows
from rltui.actions.spec import ActionSpec
from rltui.errors import RltuiError
from rltui.learn import networks
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import SavedPolicy, load_policy, save_policy
from rltui.policy.weights import flat_size, flatten, layer_sizes
from rltui.registry import Component, build
from tests.fakes.bots import unflatten

SIZES = (92, 256, 256, 256, 90)


def network(seed: int = 0, sharpness: float = 1.0) -> networks.FeedForward:
    """Torch's twin; sharpness scales the last layer, and with it the logits."""
    net = networks.build(SIZES[0], SIZES[1:-1], SIZES[-1], seed)
    with torch.no_grad():
        net.model[-1].weight.mul_(sharpness)
        net.model[-1].bias.mul_(sharpness)
    return net


def policy(net: networks.FeedForward, max_rows: int = 128) -> DiscretePolicy:
    return DiscretePolicy.from_layers(networks.layers(net.state_dict()), max_rows)


def observations(rows: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (rows, SIZES[0])).astype(np.float32)


def sample(of: DiscretePolicy, obs: np.ndarray, noise: GumbelBank) -> tuple[np.ndarray, np.ndarray]:
    actions, log_probs = np.empty(len(obs), np.int64), np.empty(len(obs), np.float32)
    of.act(obs, noise, actions, log_probs)
    return actions, log_probs


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_the_flat_layout_is_its_own_inverse(sizes: list[int]) -> None:
    flat = np.arange(flat_size(sizes), dtype=np.float32)
    layers = unflatten(flat, sizes)
    assert layer_sizes(layers) == sizes
    np.testing.assert_array_equal(flatten(layers), flat)
    assert flat_size(sizes) == sum(w.size + b.size for w, b in layers)
    with pytest.raises(ValueError, match="flat parameters are"):
        unflatten(flat[1:], sizes)


def test_logits_and_log_probabilities_equal_torchs(subtests: pytest.Subtests) -> None:
    for sharpness in (1.0, 20.0):
        for rows in (1, 2, 8, 9, 32, 127, 128):
            with subtests.test(sharpness=sharpness, rows=rows):
                net = network(sharpness=sharpness)
                ours, obs = policy(net), observations(rows)
                with torch.no_grad():
                    logits = net(torch.from_numpy(obs))
                np.testing.assert_allclose(ours.logits(obs), logits, atol=1e-5)
                actions, log_probs = sample(ours, obs, GumbelBank(0))
                expected = torch.log_softmax(logits, -1).gather(-1, torch.from_numpy(actions)[:, None])[:, 0]
                np.testing.assert_allclose(log_probs, expected, atol=1e-5)


def test_a_log_probability_of_a_near_certain_policy_is_exact() -> None:
    """p = 1 / (1 + e^-20 + e^-30): no clamp, no overflow, in either direction."""
    ours = DiscretePolicy.from_layers([(np.zeros((1, 3), np.float32), np.array([20, 0, -10], np.float32))], 1)
    actions, log_probs = sample(ours, np.zeros((1, 1), np.float32), GumbelBank(0))
    assert actions[0] == 0
    assert log_probs[0] == pytest.approx(-np.log1p(np.exp(-20.0) + np.exp(-30.0)), abs=1e-7)


def test_enormous_logits_stay_finite() -> None:
    bias = np.array([3e4, 3e4, -3e4], np.float32)
    ours = DiscretePolicy.from_layers([(np.zeros((1, 3), np.float32), bias)], 64)
    actions, log_probs = sample(ours, np.zeros((64, 1), np.float32), GumbelBank(0))
    assert set(actions.tolist()) == {0, 1}
    np.testing.assert_allclose(log_probs, -np.log(2), atol=1e-6)


def test_actions_are_as_frequent_as_their_probabilities() -> None:
    """Chi-square over 64,000 draws of one state's 90 actions: 99.9 % of fair samplers stay below 135 (89 degrees)."""
    net = network(sharpness=12.0)
    ours, noise = policy(net), GumbelBank(0)
    obs = np.repeat(observations(1), 128, axis=0)
    counts = np.zeros(90)
    for _ in range(500):
        counts += np.bincount(sample(ours, obs, noise)[0], minlength=90)
    with torch.no_grad():
        expected = torch.softmax(net(torch.from_numpy(obs[:1])), -1)[0].double().numpy() * counts.sum()
    assert expected.max() > 4 * expected.min()  # the probabilities differ, so the test can fail
    assert ((counts - expected) ** 2 / expected).sum() < 135


def test_rows_are_independent() -> None:
    """In 32,000 pairs of neighbouring rows both take action 0 of 4 equal ones in a sixteenth of the cases (± 5 σ)."""
    ours = DiscretePolicy.from_layers([(np.zeros((1, 4), np.float32), np.zeros(4, np.float32))], 128)
    noise, obs = GumbelBank(3), np.zeros((128, 1), np.float32)
    both = 0
    for _ in range(500):
        first = sample(ours, obs, noise)[0].reshape(-1, 2) == 0
        both += int(first.all(axis=1).sum())
    expected = 500 * 64 / 16
    assert abs(both - expected) < 5 * (expected * 15 / 16) ** 0.5


def test_same_inputs_same_bits() -> None:
    net, obs = network(), observations(128)
    first, second = (sample(policy(net), obs.copy(), GumbelBank((7, 1))) for _ in range(2))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])


def test_best_is_per_row() -> None:
    """Two observations with different best actions: two answers."""
    ours = DiscretePolicy.from_layers([(np.eye(2, dtype=np.float32), np.zeros(2, np.float32))], 2)
    np.testing.assert_array_equal(ours.best(np.array([[0, 1], [1, 0]], np.float32)), [1, 0])


def test_new_weights_are_copied() -> None:
    ours, obs = policy(network(0)), observations(4)
    shared = flatten(networks.layers(network(1).state_dict()))
    ours.set_weights(shared)
    expected = policy(network(1)).logits(obs).copy()
    shared[:] = np.nan  # the trainer writes the next weights while this rollout goes on
    np.testing.assert_array_equal(ours.logits(obs), expected)


def test_acting_allocates_no_arrays() -> None:
    ours, obs, noise = policy(network()), observations(128), GumbelBank(0)
    actions, log_probs = np.empty(128, np.int64), np.empty(128, np.float32)
    ours.act(obs, noise, actions, log_probs)
    tracemalloc.start()
    for _ in range(20):
        ours.act(obs, noise, actions, log_probs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 128 * 90 * 4  # NumPy's own iterator takes 33 kB for a moment; an array of logits is 46 kB


def test_too_many_rows_or_wrong_weights_are_refused() -> None:
    ours = policy(network(), max_rows=4)
    with pytest.raises(ValueError, match="5 rows, at most 4"):
        ours.logits(observations(5))
    with pytest.raises(ValueError, match="flat parameters are"):
        ours.set_weights(np.zeros(3, np.float32))
    with pytest.raises(ValueError):
        ours.logits(np.zeros((2, 91), np.float32))


def test_a_saved_policy_acts_the_same() -> None:
    net, obs = network(), observations(64)
    saved = SavedPolicy(
        tuple(networks.layers(net.state_dict())), np.zeros((90, 8), np.float32), "hash", "default 92", 8, 1
    )
    loaded = load_policy(save_policy(saved)).network(64)
    np.testing.assert_array_equal(loaded.logits(obs), policy(net, 64).logits(obs))


TABLE = build("action table", Component("hybrid")).rows()
MASKS = legal_rows(TABLE)
MASKED_SIZES = (12, 32, 32, len(TABLE))
ROWS = 64


def flat(seed: int = 0, sharpness: float = 1.0) -> np.ndarray:
    weights = np.random.default_rng(seed).normal(size=flat_size(MASKED_SIZES))
    return (sharpness * weights).astype(np.float32) * np.float32(0.2)


def masked_policy(masks: np.ndarray | None = MASKS, weights: np.ndarray | None = None) -> DiscretePolicy:
    made = DiscretePolicy(MASKED_SIZES, ROWS, ActionSpec(len(TABLE), masks))
    made.set_weights(flat() if weights is None else weights)
    return made


def inputs(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Observations, and classes of which each is there."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROWS, MASKED_SIZES[0])).astype(np.float32), (np.arange(ROWS) % len(MASKS)).astype(np.uint8)


def masked_sample(
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
            (obs, classes), masked, plain = inputs(), masked_policy(weights=weights), masked_policy(None, weights)
            noise = GumbelBank(0)
            for _ in range(20):
                actions, log_probs = masked_sample(masked, obs, classes, noise)
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
    masked, noise, counts = masked_policy(), GumbelBank(3), np.zeros(len(TABLE))
    for _ in range(1000):
        counts += np.bincount(masked_sample(masked, obs, classes, noise)[0], minlength=len(TABLE))
    expected = np.exp(slow_log_probs(masked_policy(None).logits(obs)[0], MASKS[class_id])) * counts.sum()
    assert counts.sum() == counts[legal].sum() == 64_000
    degrees = len(legal) - 1
    chi_square = ((counts[legal] - expected[legal]) ** 2 / expected[legal]).sum()
    assert chi_square < degrees + 4 * np.sqrt(2 * degrees)
    assert expected[legal].max() > 4 * expected[legal].min()


def test_where_all_is_legal_the_bits_are_those_without_masks() -> None:
    obs, _ = inputs()
    everything = np.full(ROWS, 7, np.uint8)
    ours, plain = (
        masked_sample(masked_policy(), obs, everything, GumbelBank(5)),
        masked_sample(masked_policy(None), obs, None, GumbelBank(5)),
    )
    np.testing.assert_array_equal(ours[0], plain[0])
    np.testing.assert_array_equal(ours[1], plain[1])


def test_a_wreck_idles_with_certainty() -> None:
    obs, _ = inputs()
    actions, log_probs = masked_sample(masked_policy(), obs, np.zeros(ROWS, np.uint8), GumbelBank(0))
    assert not TABLE[actions].any()
    assert not log_probs.any()


def test_best_and_logits_are_masked_too() -> None:
    (obs, classes), masked = inputs(), masked_policy()
    raw = masked.logits(obs).copy()
    logits = masked.logits(obs, classes).copy()
    np.testing.assert_array_equal(logits[MASKS[classes]], raw[MASKS[classes]])
    assert (logits[~MASKS[classes]] < -1e29).all()
    slow = [max(np.flatnonzero(MASKS[classes[i]]), key=lambda row: raw[i, row]) for i in range(ROWS)]
    np.testing.assert_array_equal(masked.best(obs, classes), slow)


def test_enormous_logits_do_not_bring_illegal_rows_back() -> None:
    weights = flat()
    _, bias = unflatten(weights, MASKED_SIZES)[-1]
    bias[TABLE[:, 5] != 0] = 1e8  # a view: every jump row
    obs, _ = inputs()
    actions, log_probs = masked_sample(masked_policy(weights=weights), obs, np.full(ROWS, 6, np.uint8), GumbelBank(0))
    assert (TABLE[actions, 5] == 0).all() and np.isfinite(log_probs).all()


def test_the_classes_must_be_given() -> None:
    obs, classes = inputs()
    for wrong in (None, classes[:-1]):
        with pytest.raises(ValueError, match="legality class of each of 64 rows"):
            masked_policy().best(obs, wrong)
        with pytest.raises(ValueError, match="legality class of each of 64 rows"):
            masked_sample(masked_policy(), obs, wrong, GumbelBank(0))


def test_masks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"masks are \[8, 220\], expected \[classes, 221\]"):
        masked_policy(MASKS[:, 1:])
    with pytest.raises(ValueError, match="nothing may be chosen in legality class 3"):
        masked_policy(np.where(np.arange(8)[:, None] == 3, False, MASKS))


def test_acting_with_masks_allocates_no_arrays_of_logits() -> None:
    (obs, classes), masked, noise = inputs(), masked_policy(), GumbelBank(0)
    actions, log_probs = np.empty(ROWS, np.int64), np.empty(ROWS, np.float32)
    masked.act(obs, noise, actions, log_probs, classes)
    tracemalloc.start()
    for _ in range(20):
        masked.act(obs, noise, actions, log_probs, classes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < ROWS * len(TABLE) * 4


SAVED = SavedPolicy(tuple(unflatten(flat(), MASKED_SIZES)), TABLE, "hash", "obs", 8, 1, legality="mask")


def test_a_policy_saved_with_masks_acts_with_them() -> None:
    (obs, classes), loaded = inputs(), load_policy(save_policy(SAVED))
    assert loaded.legality == "mask"
    np.testing.assert_array_equal(loaded.network(ROWS).best(obs, classes), masked_policy().best(obs, classes))
    unmasked = replace(SAVED, legality="fallback").network(ROWS)
    np.testing.assert_array_equal(unmasked.best(obs), masked_policy(None).best(obs))


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (
            replace(SAVED, legality="sometimes"),
            "key 'legality': expected one of off, mask, fallback, found 'sometimes'",
        ),
        (replace(SAVED, table=TABLE + np.float32(0.1)), "key 'table': expected an idle row"),
    ],
)
def test_a_file_whose_legality_cannot_be_kept_is_refused(
    saved: SavedPolicy, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rltui.policy.saved._problems", lambda arrays: [])
    data = save_policy(saved)
    monkeypatch.undo()
    with pytest.raises(RltuiError, match=message):
        load_policy(data)


def test_moments_of_a_standard_gumbel() -> None:
    """Mean γ = 0.5772, variance π²/6, and P(x < 0) = 1/e; a million values, so 5 σ is about 0.006."""
    values = GumbelBank(1).next(1000, 60)
    assert values.dtype == np.float32
    assert values.mean() == pytest.approx(0.57722, abs=0.03)
    bank = np.concatenate([GumbelBank(seed).next(1000, 60).ravel() for seed in range(16)])
    assert bank.mean() == pytest.approx(0.57722, abs=0.006)
    assert bank.var() == pytest.approx(np.pi**2 / 6, abs=0.02)
    assert (bank < 0).mean() == pytest.approx(np.exp(-1), abs=0.0025)


def test_noise_is_bounded() -> None:
    """Otherwise the log-probability of an action that was sampled could overflow."""
    values = GumbelBank(2).next(1000, 60)
    assert values.min() > -5
    assert values.max() < 24


def test_same_seed_same_noise() -> None:
    first, second, other = GumbelBank((1, 2)), GumbelBank((1, 2)), GumbelBank((1, 3))
    for _ in range(50):
        draw = first.next(32, 90).copy()
        np.testing.assert_array_equal(draw, second.next(32, 90))
        assert (draw != other.next(32, 90)).mean() > 0.99


def test_two_draws_differ_and_neither_can_be_written() -> None:
    bank = GumbelBank(5)
    first = bank.next(4, 3).copy()
    view = bank.next(4, 3)
    assert (first != view).all()
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 0


def test_the_whole_bank_is_renewed_as_it_is_used() -> None:
    """After reading the bank's length 16 times, nothing of the first bank is left."""
    bank = GumbelBank(6, size=1 << 14)
    before = bank._bank.copy()
    for _ in range(16 * (1 << 14) // 1000 + 1):
        bank.next(10, 100)
    assert (before == bank._bank).mean() < 0.001


def test_a_draw_too_big_for_the_bank_makes_it_grow() -> None:
    bank = GumbelBank(7, size=4096)
    assert bank.next(128, 90).shape == (128, 90)
    assert len(bank._bank) >= 16 * 128 * 90
    assert np.isfinite(bank._bank).all()
    assert len(np.unique(bank._bank)) > 0.95 * len(bank._bank)
