"""Records: what a change by hand was, and numbers that no journal can hold."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from rltui.events.records import (
    ENTROPY_SETTING,
    RATE_SETTING,
    IterationFinished,
    SettingChanged,
    Switched,
    decode,
    encode,
    reward_of,
    weight_of,
)
from tests.fakes import run_story

OLD = b'{"event":"setting_changed","time":1.0,"timesteps":5,"setting":"%s","value":%s,"by":"ada"}'


FLAG = "debug_turtled_start"


def change(setting: str, value: float | None = None, **more: object) -> SettingChanged:
    return SettingChanged(time=1.0, timesteps=5, setting=setting, value=value, by="ada", **more)  # type: ignore[arg-type]


def old(setting: str, value: str = "null") -> SettingChanged:
    found = decode(OLD % (setting.encode(), value.encode()))
    assert isinstance(found, SettingChanged)
    return found


def test_an_old_journal_s_flag_is_read_from_its_words(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, Switched | None]] = [
        (f"{FLAG} on", Switched(flag=FLAG, on=True)),
        (f"{FLAG} off", Switched(flag=FLAG, on=False)),
        (f"{FLAG} on in worker 0", Switched(flag=FLAG, on=True, worker=0)),
        (f"{FLAG} off in worker 12", Switched(flag=FLAG, on=False, worker=12)),
        ("something else", None),
        (f"{FLAG} on in worker 0 and 1", None),
    ]
    for words, switch in cases:
        with subtests.test(words=words, switch=repr(switch)):
            found = old(words)
            assert found.switched is None and found.switch == switch


def test_a_flag_s_fields_have_the_word_and_survive_the_journal() -> None:
    told = change("turtles, as they may be called one day, off", switched=Switched(flag=FLAG, on=True, worker=1))
    assert told.switch == Switched(flag=FLAG, on=True, worker=1)
    assert decode(encode(told)) == told


def test_a_reward_that_is_called_like_a_switch_is_none() -> None:
    assert old("reward off", "2.0").switch is None


def test_settings_of_rewards_have_their_name() -> None:
    assert weight_of("mechanics/touch") == "reward mechanics/touch"
    assert reward_of(weight_of("mechanics/touch")) == "mechanics/touch"
    assert (reward_of(RATE_SETTING), reward_of(ENTROPY_SETTING), reward_of("rewards")) == (None, None, None)


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


def test_what_a_record_holds_is_a_plain_number(subtests: pytest.Subtests) -> None:
    cases: list[tuple[object, float | None]] = [
        (np.float64(0.1), 0.1),
        (np.float32(0.5), 0.5),
        (np.int64(2**40), 2**40),
        (np.int8(-3), -3),
        (np.uint8(200), 200),
        (np.float64("nan"), None),
    ]
    for given, plain in cases:
        with subtests.test(kind=type(given).__name__):
            record = IterationFinished(time=1.0, iteration=1, timesteps=1, metrics={"x": given})  # type: ignore[dict-item]
            found = decode(encode(record))
            assert isinstance(found, IterationFinished) and found.metrics == {"x": plain}
    with pytest.raises(TypeError, match="of type object is no number"):
        encode(change("entropy", object()))  # type: ignore[arg-type]
