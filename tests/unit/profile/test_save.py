"""Writing an edited profile: all or nothing, and never over what somebody else has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.profile.save import new_path, read_text, save_new, save_text, text_diff


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_save_keeps_mode_and_line_ends(folder: Path) -> None:
    path = folder / "bot.toml"
    path.write_bytes(b"a = 1\r\n")
    path.chmod(0o640)
    save_text(path, "a = 2\r\n", read_text(path))
    assert path.read_bytes() == b"a = 2\r\n" and path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in folder.iterdir()] == ["bot.toml"]


def test_a_link_to_a_profile_stays_one(folder: Path) -> None:
    """As in a folder of settings that is kept under version control elsewhere."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "bot.toml").write_text("a = 1\n")
    path = folder / "bot.toml"
    path.symlink_to("elsewhere/bot.toml")
    save_text(path, "a = 2\n", "a = 1\n")
    assert path.is_symlink() and (elsewhere / "bot.toml").read_text() == "a = 2\n"
    assert [entry.name for entry in elsewhere.iterdir()] == ["bot.toml"]


def test_a_file_that_changed_meanwhile_is_left_alone(subtests: pytest.Subtests, folder: Path) -> None:
    for gone in [False, True]:
        with subtests.test(gone=gone):
            path = folder / "bot.toml"
            path.write_text("theirs\n")
            if gone:
                path.unlink()
            with pytest.raises(RltuiError, match="was changed on disk"):
                save_text(path, "mine\n", "as it was opened\n")
            assert not path.exists() if gone else path.read_text() == "theirs\n"


def test_a_failed_write_leaves_the_old_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = folder / "bot.toml"
    path.write_text("old\n")
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(RltuiError, match="No space left"):
        save_text(path, "new\n", "old\n")
    assert path.read_text() == "old\n" and [entry.name for entry in folder.iterdir()] == ["bot.toml"]


def test_a_new_one_is_never_written_over_another() -> None:
    assert save_new("mine", "a = 1\n") == Path("profiles/mine.toml")
    with pytest.raises(RltuiError, match="exists already"):
        save_new("mine.toml", "a = 2\n")
    assert Path("profiles/mine.toml").read_text() == "a = 1\n"


def test_names_that_cannot_be(subtests: pytest.Subtests) -> None:
    for name in ["", "../evil", "a b", ".hidden", "x/y", "é", "CON", "nul.toml", "lpt1", "a ", "a\0b", "a" * 300]:
        with subtests.test(name=name), pytest.raises(RltuiError, match="no name for a profile"):
            new_path(name)


def test_the_difference_has_no_file_names() -> None:
    assert text_diff("a\nb\n", "a\nc\n") == ["@@ -1,2 +1,2 @@", " a", "-b", "+c"]
