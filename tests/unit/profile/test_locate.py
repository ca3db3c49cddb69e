"""A profile argument is a path, a name in ./profiles, or a shipped name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.profile import locate as room
from rltui.profile.locate import is_shipped, list_profiles, locate, packaged, shipped_folder
from rltui.profile.source import ProfileError


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with two shipped profiles, a working folder with two of the user's."""
    for name in ("site/rltui/profiles/quick", "site/rltui/profiles/phase", "work/profiles/mine", "work/profiles/phase"):
        path = tmp_path / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.setattr(room, "__file__", str(tmp_path / "site/rltui/profile/locate.py"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_names(folders: Path) -> None:
    shipped = folders / "site/rltui/profiles"
    assert locate("mine") == Path("profiles/mine.toml")
    assert locate("phase") == Path("profiles/phase.toml"), "the user's own comes first"
    assert locate("quick") == shipped / "quick.toml"


def test_paths(folders: Path) -> None:
    assert locate("profiles/mine.toml") == Path("profiles/mine.toml")
    assert locate(folders / "work/profiles/mine.toml") == folders / "work/profiles/mine.toml"
    assert locate("profiles/quick.toml") == folders / "site/rltui/profiles/quick.toml", "as if it lay here"
    Path("here.toml").write_text("")
    assert locate("here.toml") == Path("here.toml")


def test_a_name_means_the_profile_even_where_a_folder_has_it() -> None:
    Path("mine").mkdir()
    assert locate("mine") == Path("profiles/mine.toml")


def test_the_home_folder(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folders / "work"))
    assert locate("~/profiles/mine.toml") == folders / "work/profiles/mine.toml"


def test_what_is_not_there_names_the_nearest(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("qick", "quick"),
        ("mnie.toml", "mine"),
        ("elsewhere/quick.toml", "quick"),
        ("zzz", ""),
    ]
    for argument, near in cases:
        with subtests.test(argument=argument, near=near):
            with pytest.raises(ProfileError) as caught:
                locate(argument)
            (problem,) = caught.value.problems
            assert problem.hint == (f'did you mean "{near}"?' if near else "")
            assert "mine, phase, quick" in problem.expected and caught.value.exit_code == 2


def test_listing() -> None:
    assert [(listed.name, listed.shipped) for listed in list_profiles()] == [
        ("mine", False),
        ("phase", False),
        ("quick", True),
    ]


def test_in_a_checkout_the_shipped_ones_lie_at_its_top(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("quick", "phase"):
        (folders / f"site/rltui/profiles/{name}.toml").unlink()
    (folders / "site/rltui/profiles").rmdir()
    (folders / "site/profiles").mkdir()
    for name in ("seed-task", "touch5"):
        (folders / f"site/profiles/{name}.toml").write_text("")
    assert shipped_folder() == folders / "site/profiles"
    own_too = [("seed-task", True), ("touch5", False)]
    assert [(listed.name, listed.shipped) for listed in list_profiles()] == [
        ("mine", False),
        ("phase", False),
        *own_too,
    ]
    monkeypatch.chdir(folders / "site")
    assert locate("seed-task") == Path("profiles/seed-task.toml")
    assert [(listed.name, listed.shipped) for listed in list_profiles()] == own_too


def test_what_comes_with_rltui_is_in_the_installed_package_else_at_its_place_in_a_checkout(folders: Path) -> None:
    assert packaged("assets/starter") == folders / "site/assets/starter"
    (folders / "site/rltui/starter").mkdir()
    assert packaged("assets/starter") == folders / "site/rltui/starter"


def test_a_file_is_shipped_by_its_name_and_place_also_through_a_link(folders: Path) -> None:
    shipped = folders / "site/rltui/profiles"
    Path("profiles/quick.toml").write_text("")
    Path("profiles/linked.toml").symlink_to(shipped / "quick.toml")
    found = {path: is_shipped(path) for path in (shipped / "quick.toml", *Path("profiles").glob("*.toml"))}
    assert [path.name for path, is_so in found.items() if is_so] == ["quick.toml", "linked.toml"]
    assert not found[Path("profiles/quick.toml")], "the user's own of this name"
