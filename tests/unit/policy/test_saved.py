"""policy.npz: what is in it, that it comes back, and what is said of a file that is not one."""

from __future__ import annotations

import io
import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy, load_policy, save_policy, saved_game, weights_hash

RNG = np.random.default_rng(0)
LAYERS = tuple((RNG.random(shape, np.float32), RNG.random(shape[1], np.float32)) for shape in ((6, 4), (4, 3)))
POLICY = SavedPolicy(
    layers=LAYERS,
    table=RNG.random((3, 8), np.float32),
    table_hash="9f3a",
    obs_signature="default 6",
    tick_skip=8,
    action_delay_ticks=1,
    env='{"obs": "default"}',
    normalizer_mean=np.arange(6, dtype=np.float32),
    normalizer_var=np.ones(6, np.float32),
)


def arrays() -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(save_policy(POLICY)), allow_pickle=False) as loaded:
        return dict(loaded)


def file_of(contents: dict[str, object]) -> bytes:
    out = io.BytesIO()
    np.savez(out, **contents)  # type: ignore[arg-type]
    return out.getvalue()


def assert_equal(found: SavedPolicy, expected: SavedPolicy) -> None:
    for field in fields(SavedPolicy):
        np.testing.assert_equal(getattr(found, field.name), getattr(expected, field.name))


def test_it_comes_back(subtests: pytest.Subtests) -> None:
    for policy in (POLICY, replace(POLICY, normalizer_mean=None, normalizer_var=None, table_hash="")):
        with subtests.test(policy=policy):
            assert_equal(load_policy(save_policy(policy)), policy)


def test_from_a_path(tmp_path: Path) -> None:
    (tmp_path / "policy.npz").write_bytes(save_policy(POLICY))
    assert_equal(load_policy(tmp_path / "policy.npz"), POLICY)


def test_its_keys_are_the_formats() -> None:
    weights, acting = ["w0", "b0", "w1", "b1"], ["table", "table_hash", "legality", "tick_skip", "action_delay_ticks"]
    seeing = ["obs_signature", "env", "normalizer_mean", "normalizer_var"]
    assert sorted(arrays()) == sorted(["format", "kind", *weights, *acting, *seeing])
    assert arrays()["w0"].flags.c_contiguous


def test_equal_policies_make_equal_bytes() -> None:
    assert save_policy(POLICY) == save_policy(replace(POLICY))


def test_a_players_hash_is_of_what_chooses_wherever_it_lies() -> None:
    (w, b), last = POLICY.layers
    others = [
        replace(POLICY, layers=((w, np.nextafter(b, np.float32(1))), last)),
        replace(POLICY, layers=((w.reshape(4, 6), b), last)),
        replace(POLICY, normalizer_mean=None, normalizer_var=None),
    ]
    assert len({weights_hash(policy) for policy in (POLICY, *others)}) == 4
    assert weights_hash(load_policy(save_policy(replace(POLICY, env="{}", tick_skip=4)))) == weights_hash(POLICY)


def test_shapes_that_do_not_fit_are_not_written() -> None:
    with pytest.raises(ValueError, match=r"key 'table': expected \[3, 8\], found \[4, 8\]"):
        save_policy(replace(POLICY, table=np.zeros((4, 8), np.float32)))


def test_a_wrong_key_is_named_with_expected_and_found(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for changes, message in (
        ({"format": np.array(2)}, "key 'format': expected 1, found 2"),
        ({"kind": np.array("recurrent")}, "key 'kind': expected 'discrete', found 'recurrent'"),
        ({"tick_skip": np.array("8")}, "key 'tick_skip': expected an integer, found <U1 []"),
        ({"tick_skip": np.array(0)}, "key 'tick_skip': expected 1 to 120, found 0"),
        ({"tick_skip": np.array(-8)}, "key 'tick_skip': expected 1 to 120, found -8"),
        ({"tick_skip": np.array(10**9)}, "key 'tick_skip': expected 1 to 120, found 1000000000"),
        ({"action_delay_ticks": np.array(9)}, "key 'action_delay_ticks': expected 0 to 8, the tick_skip, found 9"),
        ({"action_delay_ticks": np.array(-1)}, "key 'action_delay_ticks': expected 0 to 8, the tick_skip, found -1"),
        ({"w1": np.zeros((5, 3), np.float32)}, "w1 is [5, 3], expected [4, out]"),
        ({"b1": np.zeros(4, np.float32)}, "b1 is [4], expected [3]"),
        ({"w0": np.zeros((6, 4))}, "key 'w0': expected a float32 array, found float64 [6, 4]"),
        ({"w0": np.full((6, 4), np.nan, np.float32)}, "key 'w0': 24 of 24 numbers are not finite"),
        ({"table": np.zeros((3, 7), np.float32)}, "key 'table': expected [3, 8], found [3, 7]"),
        ({"normalizer_var": np.ones(5, np.float32)}, "key 'normalizer_var': expected [6], found [5]"),
        ({"table": np.array([{"a": 1}], dtype=object)}, "not a policy file"),
    ):
        with subtests.test(changes=changes, message=message):
            path = tmp_path / "policy.npz"
            path.write_bytes(file_of({**arrays(), **changes}))
            with pytest.raises(RltuiError) as caught:
                load_policy(path)
            assert caught.value.message.startswith(str(path))
            assert message in caught.value.message


def test_a_missing_key_is_named(subtests: pytest.Subtests) -> None:
    for key in ("format", "kind", "w0", "b0", "table", "table_hash", "legality", "tick_skip", "env"):
        with subtests.test(key=key):
            contents = arrays()
            del contents[key]
            with pytest.raises(RltuiError, match=f"policy.npz: .*'{key}'.*found nothing"):
                load_policy(file_of(contents))  # type: ignore[arg-type]


def test_a_game_that_there_cannot_be_is_refused(subtests: pytest.Subtests) -> None:
    good = {"obs": {"kind": "default"}, "table": {"kind": "rlgym"}}
    assert saved_game(replace(POLICY, env=json.dumps(good))).obs_stack == 1
    for changes in (
        {"blue": 4}, {"blue": -1}, {"blue": 10**9}, {"blue": 0, "orange": 0}, {"orange": float("inf")}, {"orange": "two"},
        {"obs_stack": 0}, {"obs_stack": -1}, {"obs_stack": 10**9}, {"obs_stack": None}, {"obs": {"kind": 3}}, {"obs": {}},
        {"obs": ["default"]}, {"table": {"kind": None}}, {"pipeline": [1]}, {"pipeline": {"nothing": 1}},
    ):  # fmt: skip
        with subtests.test(changes=changes), pytest.raises(RltuiError, match="key 'env': expected the game"):
            saved_game(replace(POLICY, env=json.dumps(good | changes)))


def test_all_that_is_wrong_is_said_at_once() -> None:
    contents = arrays()
    del contents["env"], contents["b0"]
    with pytest.raises(RltuiError) as caught:
        load_policy(file_of(contents))  # type: ignore[arg-type]
    assert [line.split(": ")[1] for line in caught.value.message.splitlines()] == ["key 'env'", "key 'b0'"]


def test_a_damaged_or_absent_file_is_named(tmp_path: Path) -> None:
    data = save_policy(POLICY)
    weights = data.index(LAYERS[0][0].tobytes())
    for damaged in (b"", b"nothing", data[: len(data) // 2], data[:weights] + b"?" + data[weights + 1 :]):
        with pytest.raises(RltuiError, match=r"policy\.npz: not a policy file"):
            load_policy(damaged)
    with pytest.raises(RltuiError, match=r"none\.npz: No such file"):
        load_policy(tmp_path / "none.npz")
