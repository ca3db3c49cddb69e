"""What a change by hand was: by its fields, and of old journals, that have only words for a flag, by these."""

from __future__ import annotations

import pytest

from rltui.events.records import ENTROPY, RATE, SettingChanged, Switched, decode, encode, reward_of, weight_of

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
            assert found.takes_back == (switch is not None and not switch.on)


def test_a_flag_s_fields_have_the_word_and_survive_the_journal() -> None:
    told = change("turtles, as they may be called one day, off", switched=Switched(flag=FLAG, on=True, worker=1))
    assert told.switch == Switched(flag=FLAG, on=True, worker=1) and not told.takes_back
    assert decode(encode(told)) == told


def test_a_reward_that_is_called_like_a_switch_is_none() -> None:
    assert old("reward off", "2.0").switch is None
    assert not change("reward on off", 2.0).takes_back


def test_a_number_is_taken_back_by_the_profile_alone() -> None:
    assert not change(RATE, 1e-4).takes_back and change(RATE, 2e-4, profile=True).takes_back


def test_settings_of_rewards_have_their_name() -> None:
    assert weight_of("mechanics/touch") == "reward mechanics/touch"
    assert reward_of(weight_of("mechanics/touch")) == "mechanics/touch"
    assert (reward_of(RATE), reward_of(ENTROPY), reward_of("rewards")) == (None, None, None)
