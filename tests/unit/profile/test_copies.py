"""New profiles: valid from the start, commented, never over another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.profile.advice import advice
from rltui.profile.copies import write_new_profile
from rltui.profile.load import load
from rltui.profile.locate import shipped_folder
from rltui.profile.save import label_for
from rltui.profile.source import ProfileError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_profile_is_valid_and_says_what_its_keys_mean() -> None:
    path = write_new_profile("my-bot")
    assert path == Path("profiles/my-bot.toml")
    profile = load("my-bot")
    assert profile.label == "MyBot" and advice(profile) == []
    text = path.read_text(encoding="utf-8")
    assert "# Passes over the data in each update. (1 to 100, default 2)\nepochs = 2\n" in text


def test_a_copy_keeps_comments_and_numbers() -> None:
    path = write_new_profile("mine.toml", "classic-phase-1")
    text = path.read_text(encoding="utf-8")
    assert 'label = "Mine"  # in the names of its milestones' in text
    assert "learning_rate = 2e-4  # a bot that cannot score yet" in text
    assert load("mine").policy.layers == load("phase-1-ball-touching").policy.layers


def test_a_copy_of_what_has_no_label_has_none() -> None:
    """A campaign's is each phase's."""
    text = write_new_profile("mine", "campaign").read_text(encoding="utf-8")
    assert text == (shipped_folder() / "campaign.toml").read_text(encoding="utf-8")


def test_never_over_another_file() -> None:
    Path("profiles").mkdir()
    Path("profiles/mine.toml").write_text("precious")
    with pytest.raises(RltuiError, match="exists already") as caught:
        write_new_profile("mine")
    assert caught.value.exit_code == 2
    assert Path("profiles/mine.toml").read_text() == "precious"


def test_names_that_are_none(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", ".", "..", "a/b", "../a", "-a", ".toml", "ä", "a b", "x" * 100, "CON", "com1.toml"]
    for name in cases:
        with subtests.test(name=name):
            with pytest.raises(RltuiError, match="no name for a profile") as caught:
                write_new_profile(name)
            assert caught.value.exit_code == 2 and list(Path().iterdir()) == []


def test_nothing_is_copied_from_an_invalid_profile() -> None:
    Path("bad.toml").write_text("tick_skp = 1\n")
    with pytest.raises(ProfileError, match="tick_skp"):
        write_new_profile("mine", "bad.toml")
    assert list(Path().iterdir()) == [Path("bad.toml")]


def test_label(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("my-bot", "MyBot"),
        ("phase_2.b", "Phase2B"),
        ("ABC", "ABC"),
        ("a" * 60, "A" + "a" * 39),
    ]
    for name, label in cases:
        with subtests.test(name=name, label=label):
            assert label_for(name) == label
