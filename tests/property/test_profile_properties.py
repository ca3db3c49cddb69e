"""Invariants of profiles: lines agree with tomllib, texts read back, bad input never ends in anything but ProfileError."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rltui.profile.edit import edit
from rltui.profile.load import load, read, toml_or_text
from rltui.profile.locate import shipped_folder
from rltui.profile.render import differences, render
from rltui.profile.resolved import digest, resolved
from rltui.profile.source import ProfileError
from rltui.profile.toml_lines import find_lines
from rltui.profile.toml_text import toml_key, toml_value

QUICK = (shipped_folder() / "quick.toml").read_text(encoding="utf-8")
few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
fewer = settings(few, max_examples=12)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), texts)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(
    texts, values | st.lists(st.dictionaries(texts, values, max_size=2), max_size=3), max_size=5
)


def paths_of(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths_of(item, (*path, key))


@given(values)
@few
def test_a_value_reads_back(value: Any) -> None:
    assert tomllib.loads(f"v = {toml_value(value)}")["v"] == value


@given(st.floats(allow_nan=False))
@few
def test_a_float_stays_the_same_float(value: float) -> None:
    back = tomllib.loads(f"v = {toml_value(value)}")["v"]
    assert isinstance(back, float) and back.hex() == value.hex()


@given(documents)
@few
def test_every_key_and_element_has_the_line_it_stands_on(document: dict[str, Any]) -> None:
    text = tomlkit.dumps(document)
    parsed = tomllib.loads(text)
    lines = find_lines(text.replace("\r\n", "\n"))
    assert lines.stopped_at is None and lines.repeats == []
    assert set(lines.of) == set(paths_of(parsed))
    written = text.replace("\r\n", "\n").split("\n")
    for path, line in lines.of.items():
        if isinstance(path[-1], str):
            bare = toml_key(path[-1]) == path[-1]
            assert not bare or path[-1] in written[line - 1]


@given(
    documents,
    st.integers(0, 400),
    st.sampled_from(["", "\n", '"', "'", "[", "]", "{", "}", "=", "#", ".", "\\", ",", '"""']),
)
@few
def test_broken_text_never_breaks_the_scanner(document: dict[str, Any], at: int, piece: str) -> None:
    text = tomlkit.dumps(document)
    broken = text[:at] + piece + text[at + 1 :]
    lines = find_lines(broken)
    assert all(1 <= line <= broken.count("\n") + 1 for line in lines.of.values())


@given(st.binary(max_size=60), st.integers(0, len(QUICK)))
@few
def test_any_bytes_are_a_profile_or_a_profile_error(noise: bytes, at: int) -> None:
    """Noise in the middle of a good profile: found out, with a place in the file, or harmless."""
    raw = QUICK.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "noise.toml"
        path.write_bytes(raw[:at] + noise + raw[at:])
        reading = read(path)
        assert (reading.profile is None) == bool(reading.problems)
        last = raw.count(b"\n") + noise.count(b"\n") + noise.count(b"\r") + 2
        assert all(problem.line is not None and 1 <= problem.line <= last for problem in reading.problems)
        try:
            load(path)
            assert reading.profile is not None
        except ProfileError as error:
            assert error.exit_code == 2 and error.problems


@given(st.lists(texts | st.builds("{}={}".format, texts, texts), max_size=3))
@few
def test_any_overrides_are_taken_or_refused(overrides: list[str]) -> None:
    try:
        load("quick", overrides)
    except ProfileError as error:
        assert {problem.file for problem in error.problems} == {"--set"}


profiles = st.fixed_dictionaries(
    {
        "tick_skip": st.integers(1, 120),
        "ppo.gamma": st.floats(0, 1),
        "ppo.learning_rate": st.floats(0, 1),
        "ppo.iteration": st.integers(1, 10**7),
        "ppo.reward_clip": st.floats(1e-300, 1e300),
        "policy.layers": st.lists(st.integers(1, 16384), min_size=1, max_size=16),
        "collect.workers": st.integers(1, 512) | st.just("auto"),
        "description": st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
        "obs.pos_coef": st.floats(-10, 10) | st.lists(st.floats(-10, 10), min_size=3, max_size=3),
        "rewards.velocity_ball_to_goal": st.fixed_dictionaries(
            {"weight": st.floats(-100, 100), "clip": st.booleans(), "target_z": st.floats(0, 642.775)}
        ),
        "resets[1].cars_on_ground": st.booleans(),
    }
)


@given(profiles)
@fewer
def test_a_resolved_text_reads_back_as_the_same_profile(changes: dict[str, Any]) -> None:
    profile = load("quick", [f"{key}={toml_value(value)}" for key, value in changes.items()])
    assert profile.description == changes["description"] and profile.policy.layers == tuple(changes["policy.layers"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "again.toml"
        path.write_bytes(render(profile).encode())
        again = load(path)
    assert resolved(again) == resolved(profile) and digest(again) == digest(profile)
    assert differences(profile, again) == []


@given(profiles)
@fewer
def test_editing_changes_what_is_asked_and_no_other_line(changes: dict[str, Any]) -> None:
    written = {key: toml_value(value) for key, value in changes.items() if key != "rewards.velocity_ball_to_goal"}
    edited = edit(QUICK, written)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edited.toml"
        path.write_bytes(edited.encode())
        by_edit = load(path)
    by_override = load("quick", [f"{key}={value}" for key, value in written.items()])
    assert resolved(by_edit) == resolved(by_override)
    names = {key.rpartition(".")[2] for key in written} | {"cars_on_ground"}
    untouched = [line for line in QUICK.split("\n") if not any(line.lstrip("{ ").startswith(name) for name in names)]
    kept = iter(edited.split("\n"))
    assert all(line in kept for line in untouched if "cars_on_ground" not in line)


@given(texts)
@few
def test_text_survives_as_an_override(text: str) -> None:
    assert toml_or_text(toml_value(text)) == text
