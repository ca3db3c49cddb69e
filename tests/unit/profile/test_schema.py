"""The reference of all keys, which form, help and documentation are made from."""

from __future__ import annotations

import json
import tomllib

import pytest

from rltui.profile import schema
from rltui.profile.load import load, toml_or_text
from rltui.profile.resolved import resolved
from rltui.profile.source import ProfileError
from rltui.registry import BUILT_IN

KEYS = {entry.key: entry for entry in schema.all_keys()}


def test_every_key_says_what_it_means() -> None:
    for entry in KEYS.values():
        assert entry.doc.endswith("."), entry.key


def test_every_key_of_a_resolved_profile_is_in_the_reference() -> None:
    for section, value in resolved(load("quick")).items():
        keys = [f"{section}.{key}" for key in value] if isinstance(value, dict) else [section]
        if section not in ("rewards", "obs"):
            assert not [key for key in keys if key not in KEYS]


def test_an_entry_in_full() -> None:
    assert KEYS["collect.workers"].as_dict() == {
        "key": "collect.workers",
        "type": 'whole number or "auto"',
        "nature": "integer",
        "range": "1 to 512",
        "unit": "",
        "default": '"auto"',
        "required": False,
        "doc": "Processes that play. auto: one for each processor core.",
        "minimum": 1,
        "maximum": 512,
        "choices": ["auto"],
    }


def test_entries(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str, str, str, bool]] = [
        ("ppo.clip_range", "number", "above 0, at most 1", "", "0.2", False),
        ("ppo.batch", "whole number", "at least 1", "timesteps", "= ppo.iteration", False),
        ("tick_skip", "whole number", "1 to 120", "ticks", "8", False),
        ("phase", "whole number", "0 to 99", "", "", False),
        ("policy.layers", "list of whole numbers", "1 to 16_384", "", "[256, 256, 256]", False),
        ("learner.device", '"auto" or "cpu" or "cuda"', "", "", '"auto"', False),
        ("ppo.standardize_returns", "true or false", "", "", "true", False),
        ("resets[].weight", "number", "at least 0", "", "1.0", False),
        ("resets[].kind", "text", "", "", "", True),
        ("rewards.<name>.weight", "number or list of [timesteps, weight]", "", "", "", True),
        ("workers.timeout_s", "number", "1 to 3600", "s", "30.0", False),
    ]
    for key, type_, range_, unit, default, required in cases:
        with subtests.test(key=key, type_=type_):
            entry = KEYS[key]
            assert (entry.type, entry.range, entry.unit, entry.default, entry.required) == (
                type_,
                range_,
                unit,
                default,
                required,
            )


def test_the_range_said_is_the_range_enforced(subtests: pytest.Subtests) -> None:
    cases: list[str] = [key for key, entry in KEYS.items() if entry.minimum is not None and "[]" not in key]
    for key in cases:
        with subtests.test(key=key):
            entry = KEYS[key]
            sample = "[{}]" if entry.nature == "list" else "{}"
            below = entry.minimum - 1 if entry.nature != "number" else entry.minimum - 0.001  # type: ignore[operator]
            with pytest.raises(ProfileError) as caught:
                load("quick", [f"{key}={sample.format(below)}"])
            assert entry.range in caught.value.problems[0].expected
            if entry.maximum is not None:
                with pytest.raises(ProfileError):
                    load("quick", [f"{key}={sample.format(entry.maximum + 1)}"])


def test_defaults_are_toml_and_are_what_is_filled_in() -> None:
    data = resolved(load("quick"))
    for key, entry in KEYS.items():
        if (
            entry.default
            and not entry.default.startswith("= ")
            and key.partition(".")[0] in ("workers", "keep", "run", "log")
        ):
            section, _, name = key.partition(".")
            assert toml_or_text(entry.default) == tomllib.loads(f"v = {entry.default}")["v"] == data[section][name]


def test_every_registered_component_is_there_with_its_parameters() -> None:
    found = {(entry.kind, entry.name): entry for entry in schema.components()}
    assert list(found) == [(kind, name) for kind in BUILT_IN for name in BUILT_IN[kind]]
    (parameter,) = found["reward", "strong_hit"].parameters
    assert (parameter.key, parameter.default, parameter.unit, parameter.range) == (
        "full_hit_speed",
        "2300.0",
        "uu/s",
        "1 to 12_000",
    )
    assert found["reward", "concede"].sign == 1 and found["reward", "concede"].category == "events"
    for entry in found.values():
        assert entry.doc and all(parameter.doc for parameter in entry.parameters), entry.name


def test_it_is_json() -> None:
    document = json.loads(json.dumps(schema.as_dict()))
    assert document["schema"] == 1
    assert {section["section"] for section in document["sections"]} >= {"ppo", "rewards", "obs"}
    assert len(document["keys"]) == len(KEYS) and len(document["components"]) == sum(map(len, BUILT_IN.values()))
