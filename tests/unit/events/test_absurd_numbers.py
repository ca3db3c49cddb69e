"""A line with numbers that no trainer has written is no record, so nothing that reads records meets an overflow."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rltui.events.records import decode, encode
from tests.fakes import run_story


def changed(record: bytes, **fields: Any) -> bytes:
    return msgspec.json.encode({**msgspec.json.decode(record), **fields})


ITERATION, HEADER = encode(run_story.iteration(3)), encode(run_story.header())


def test_it_is_no_record(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        changed(ITERATION, timesteps=10**30),
        changed(ITERATION, time=1e300),
        changed(ITERATION, metrics={"rollout/policy_reward": 1e200}),
        ITERATION.replace(b'"iteration":3', b'"iteration":' + b"9" * 400),
        ITERATION.replace(b'"iteration":3', b'"iteration":NaN'),
        ITERATION.replace(b'"iteration":3', b'"iteration":1e999'),
        changed(HEADER, workers=10**9),
        changed(HEADER, workers=-1),
        changed(HEADER, policy_layers=[10**40]),
    ]
    for line in cases:
        with subtests.test(line=repr(line)):
            assert decode(line) is None


def test_what_a_trainer_writes_is_one() -> None:
    assert decode(ITERATION) == run_story.iteration(3)
    assert decode(changed(HEADER, seed=2**200)) is not None
    assert decode(changed(ITERATION, metrics={"train/value_loss": 3.4e38, "train/entropy": None})) is not None
