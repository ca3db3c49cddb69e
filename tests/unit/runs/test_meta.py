"""meta.json, signatures, labels and folder names of milestones."""

from __future__ import annotations

import msgspec
import pytest

from rltui.runs import meta
from rltui.runs.meta import Meta, Signature, milestone_label, net, phase_folder
from tests.fakes.saved_runs import SIGNATURE, make_meta

REQUIRED = {
    "schema",
    "run",
    "phase",
    "stage",
    "timesteps",
    "time",
    "mean_reward",
    "entropy",
    "approx_kl",
    "obs_signature",
    "table_hash",
    "policy",
    "critic",
    "profile_hash",
    "version",
    "parent",
    "author",
    "commit",
}


def test_meta_holds_what_it_must_and_comes_back() -> None:
    about = make_meta("alpha", 3, 12_345)
    fields = msgspec.json.decode(meta.encode(about))
    assert set(fields) >= REQUIRED
    assert meta.decode(meta.encode(about)) == about
    assert about.signature == SIGNATURE
    assert about.origin == "alpha@12345"


def test_unknown_figures_are_null() -> None:
    about = msgspec.structs.replace(make_meta("alpha", 1, 1), mean_reward=float("nan"), entropy=None)
    decoded = meta.decode(meta.encode(about))
    assert decoded.mean_reward is None and decoded.entropy is None


def test_a_wrong_meta_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"schema": 2}, "newer"),
        ({"commit": -1}, "negative"),
        ({"timesteps": "x"}, "timesteps"),
        ({"run": None}, "run"),
    ]
    for change, words in cases:
        with subtests.test(change=repr(change), words=words):
            fields = msgspec.json.decode(meta.encode(make_meta("alpha", 1, 1))) | change
            with pytest.raises(ValueError, match=words):
                meta.decode(msgspec.json.encode(fields))


def test_an_unknown_field_is_no_matter() -> None:
    fields = msgspec.json.decode(meta.encode(make_meta("alpha", 1, 1))) | {"later": 1}
    assert isinstance(meta.decode(msgspec.json.encode(fields)), Meta)


def test_labels(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, str]] = [
        (5_000_000, "005M"),
        (1_250_000_000, "1250M"),
        (12_350_000, "012.35M"),
        (12_431_360, "012.43136M"),
        (0, "000M"),
        (1000, "000.001M"),
        (1, "000.000001M"),
        (100_000_000, "100M"),
        (999_999_999, "999.999999M"),
        (10_000_000, "010M"),
    ]
    for timesteps, label in cases:
        with subtests.test(timesteps=timesteps, label=label):
            assert milestone_label(timesteps) == label


def test_phase_folders(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int | None, str, str, str]] = [
        (1, "BallTouching", "x", "Phase1-BallTouching"),
        (None, "Quick", "quick", "Phase0-quick"),
        (2, "a/b ../c", "x", "Phase2-a-b-..-c"),
        (3, "", "x", "Phase3-x"),
        (3, "…", "x", "Phase3-unnamed"),
        (None, "x", "my bot", "Phase0-my-bot"),
    ]
    for phase, label, profile, folder in cases:
        with subtests.test(phase=repr(phase), label=label):
            assert phase_folder(phase, label, profile) == folder


def test_signatures_say_what_differs() -> None:
    assert SIGNATURE.differences(SIGNATURE) == []
    other = Signature("default 89", SIGNATURE.table_hash, "discrete 89-256-90", SIGNATURE.critic)
    assert SIGNATURE.differences(other) == [
        "observation: expected default 92, found default 89",
        "policy: expected discrete 92-256-256-90, found discrete 89-256-90",
    ]
    assert net("discrete", 92, [256, 256], 90) == SIGNATURE.policy
