"""ui.toml: what it may hold, what is said of the rest, and that saving the layout keeps everything else as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.tui.settings import KINDS, UiSettings, load, save_layout, ui_path
from tests.fakes.documents import snippet

GOOD = """\
# my cockpit
theme = "light"
charts = "blocks"
smoothing = 50
mouse = false

[keys]
pause = ["f5", "P"]  # as in my other programs
help = "f1"

[layout]
table = "turtle"  # what I train

[layout.rows]
log = -2

[notify]
milestone = ["toast"]
promotion = []
hook = ["notify-send", "rltui"]
hook_seconds = 2
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "ui.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_written_holds(tmp_path: Path) -> None:
    loaded = load(written(tmp_path, GOOD))
    assert loaded.problems == ()
    settings = loaded.settings
    assert (settings.theme, settings.charts, settings.smoothing, settings.mouse) == ("light", "blocks", 50, False)
    assert settings.keys == {"pause": ("f5", "P"), "help": ("f1",)}
    assert settings.shows == {"table": "turtle"}
    assert settings.rows == {"log": -2}
    assert settings.notify["milestone"] == {"toast"}
    assert settings.notify["promotion"] == frozenset()
    assert settings.notify["failed"] == {"toast", "bell", "osc9", "hook"}
    assert (settings.hook, settings.hook_seconds) == (("notify-send", "rltui"), 2.0)


MISTAKES = (
    ('theme = "drak"', (":1: theme:", "expected one of dark, light", "found 'drak'", 'did you mean "dark"?')),
    ("\ntheem = 1", (":2: theem: unknown key", 'did you mean "theme"?')),
    ("smoothing = 3", (":1: smoothing:", "one of 0, 10, 50, 200", "found 3")),
    ("smoothing = true", (":1: smoothing:", "found True")),
    ("mouse = 1", (":1: mouse:", "true or false")),
    ("keys = 3", (":1: keys:", "a table")),
    ('[keys]\nmilestnoe = "m"', (":2: keys.milestnoe: there is no such action", 'did you mean "milestone"?')),
    ('[keys]\ncheckpoint = "S"', (":2: keys.checkpoint: 'S' is the key of stop already", "give stop another key")),
    ('[keys]\nhelp = "ctrl+a"', (":2: keys.help: 'ctrl+a' cannot be had: it is screen's",)),
    ("[keys]\nhelp = 4", (":2: keys.help:", "a key or a list of keys", "found 4")),
    ('[layout]\ntable = "turtel"', (":2: layout.table:", "found 'turtel'", 'did you mean "turtle"?')),
    ('[layout]\nlgo = "log"', (":2: layout.lgo: unknown key", 'did you mean "log"?')),
    ("[layout.rows]\nlog = 4.5", (":2: layout.rows.log:", "a whole number from -40 to 40")),
    ('[notify]\nended = ["belll"]', (":2: notify.ended:", "any of toast, bell, osc9, hook", 'did you mean "bell"?')),
    ('[notify]\nhook = "rm -rf"', (":2: notify.hook:", "a command and its arguments", "found 'rm -rf'")),
    ("[notify]\nhook_seconds = 0", (":2: notify.hook_seconds:", "a number from 0.1 to 60")),
    ("theme = ", (":1:",)),
)  # fmt: skip


def test_bad_content_leaves_the_default_and_says_what_where_and_how(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, words in MISTAKES:
        with subtests.test(text=text):
            loaded = load(written(tmp_path, text))
            assert loaded.settings == UiSettings()
            [problem] = loaded.problems
            for word in words:
                assert word in str(problem), str(problem)


def test_the_rest_of_a_file_with_a_mistake_holds(tmp_path: Path) -> None:
    loaded = load(written(tmp_path, GOOD.replace('"blocks"', '"bricks"')))
    assert len(loaded.problems) == 1
    assert loaded.settings.theme == "light"
    assert loaded.settings.charts == "auto"
    assert loaded.settings.keys["help"] == ("f1",)


def test_what_is_no_text_is_said_and_the_defaults_hold(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "ui.toml"
    for content in (b"\xff\xfe\x00", b"\x00", b"a" * 2_000_000):
        with subtests.test(content=content[:3]):
            path.write_bytes(content)
            assert load(path).settings == UiSettings()
            assert load(path).problems
    folder = tmp_path / "folder"
    folder.mkdir()
    assert load(folder).problems


def test_a_file_that_says_nothing_is_no_mistake(tmp_path: Path) -> None:
    assert (load(tmp_path / "ui.toml").settings, load(tmp_path / "ui.toml").problems) == (UiSettings(), ())
    for text in ("", "\n", "# only a comment\n", '[browser]\nsort = "reward"  # as earlier versions wrote it\n'):
        loaded = load(written(tmp_path, text))
        assert (loaded.settings, loaded.problems) == (UiSettings(), ()), text


def test_saving_the_layout_keeps_comments_and_everything_else(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    save_layout(path, {"table": "turtle", "side": "audit"}, {"log": 4}, "dark")
    text = path.read_text(encoding="utf-8")
    assert "# my cockpit" in text
    assert 'pause = ["f5", "P"]  # as in my other programs' in text
    assert 'table = "turtle"  # what I train' in text
    loaded = load(path)
    assert loaded.problems == ()
    assert loaded.settings.shows == {"table": "turtle", "side": "audit"}
    assert loaded.settings.rows == {"log": 4}
    assert loaded.settings.theme == "dark"
    save_layout(path, {}, {}, "dark")
    assert load(path).settings.shows == {}
    assert load(path).settings.rows == {}


def test_saving_the_layout_leaves_comments_at_what_they_explain(tmp_path: Path) -> None:
    text = "smoothing = 50\n\n# what I see\n[layout]\nlog = 'log'\n\n# my keys\n[keys]\n"
    save_layout(path := written(tmp_path, text), {"log": "log", "table": "turtle"}, {}, "textual-dark")
    expected = text.replace("50\n", '50\ntheme = "textual-dark"\n').replace("'log'\n", "'log'\ntable = \"turtle\"\n")
    assert path.read_text(encoding="utf-8") == expected


def test_the_first_save_makes_folder_and_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ui.toml"
    save_layout(path, {"table": "turtle"}, {}, "dark")
    assert load(path).settings.shows == {"table": "turtle"}
    assert [entry.name for entry in path.parent.iterdir()] == ["ui.toml"]


def test_a_broken_file_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path, "theme = [")
    with pytest.raises(RltuiError, match=r"the layout was not saved to .*ui\.toml"):
        save_layout(path, {}, {}, "dark")
    assert path.read_text(encoding="utf-8") == "theme = ["


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLTUI_CONFIG", str(tmp_path))
    assert ui_path() == tmp_path / "ui.toml"
    monkeypatch.delenv("RLTUI_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert ui_path().parts[-2:] == ("rltui", "ui.toml")


def test_every_event_has_a_usual_way() -> None:
    assert set(UiSettings().notify) == set(KINDS)
    assert "bell" not in UiSettings().notify["worker_failed"]  # it passes by itself


def test_what_the_documents_show_is_understood(tmp_path: Path) -> None:
    loaded = load(written(tmp_path, snippet("toml", 'theme = "light"')))
    assert loaded.problems == ()
    assert loaded.settings.theme == "light"
    assert loaded.settings.hook == ("notify-send", "rltui")
