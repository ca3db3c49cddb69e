"""What files are called, and what people wrote into them, never acts on the terminal: it is shown, written out."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rltui.__main__ import main
from rltui.cli.output import aligned
from rltui.errors import RltuiError, report
from rltui.runs.inventory import MilestoneMark, change_mark
from rltui.runs.paths import DataDir
from rltui.safe_io import escaped, one_line, say
from tests.fakes.saved_runs import make_run, save_milestone

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
EVIL = "evil\x1b[2J\u202egnp\u2069\x07\x9b31m\u200f\u2028x"


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path)
    paths = make_run(data, commits=1)
    save_milestone(paths, 2, 5_000_000, "005M")
    change_mark(paths, "Phase1-BallTouching/005M", lambda _: MilestoneMark(note=f"two\nlines\t{EVIL}"))
    (paths.checkpoints / EVIL).write_bytes(b"")
    (paths.checkpoints / f"{EVIL}\nalpha: all is well").mkdir()
    (data.runs / EVIL).mkdir()
    return data


def test_no_answer_obeys_a_name(subtests: pytest.Subtests, data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    for words in [
        ["ls"],
        ["status", "alpha"],
        ["milestones"],
        ["milestones", "list", "alpha"],
        ["milestones", "--json"],
        ["info"],
    ]:
        with subtests.test(words=words):
            assert main([*words, "--data-dir", str(data.root)]) == 0
            printed = capsys.readouterr()
            assert not OBEYED.search(printed.out + printed.err)


def test_a_name_is_shown_written_out_and_stays_in_its_line(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["milestones", "--data-dir", str(data.root)]) == 0
    out = capsys.readouterr().out
    assert r"evil\x1b[2J\u202egnp\u2069\x07\x9b31m\u200f\u2028x" in out
    assert r"x\nalpha: all is well: " in out and "\nalpha: all is well" not in out
    assert r"two\nlines\tevil\x1b" in out


def test_json_says_the_same_text_in_json_s_own_way(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["milestones", "list", "alpha", "--json", "--data-dir", str(data.root)]) == 0
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert any(stray["path"].endswith(f"/{EVIL}") for stray in run["strays"])


def test_nor_does_an_error_obey_what_was_typed(
    subtests: pytest.Subtests, data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in [
        ["status", EVIL],
        ["milestones", "pin", EVIL],
        ["train", EVIL],
        ["watch", EVIL],
        ["profile", "show", EVIL],
        ["lut", EVIL],
        ["doctor", "--only", EVIL],
        ["trace", EVIL],
    ]:
        with subtests.test(words=words):
            where = [] if words[0] in ("profile",) else ["--data-dir", str(data.root)]
            assert main([*words, *where]) in (1, 2)
            printed = capsys.readouterr()
            assert "evil" in printed.err and not OBEYED.search(printed.out + printed.err)


def test_nor_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([EVIL], ["ls", f"--{EVIL}"], ["ls", EVIL], ["stop", "--wait", EVIL]):
        with pytest.raises(SystemExit):
            main(words)
        assert not OBEYED.search(capsys.readouterr().err)


def test_tabs_and_newlines_are_text_but_not_in_a_name() -> None:
    assert escaped("a\tb\nc") == "a\tb\nc"
    assert one_line("a\tb\nc") == r"a\tb\nc"
    assert aligned([("a\nb", "c"), ("d", "e")]) == [r"a\nb  c", "d     e"]


@example("\x1b]0;pwn\x07quick")
@given(st.text(st.characters(max_codepoint=0x2FF)))
def test_no_control_character_but_tabs_and_line_ends_is_printed(text: str) -> None:
    out = io.StringIO()
    say(text, out)
    assert all(character.isprintable() or character in "\t\n" or ord(character) > 0x9F for character in out.getvalue())


def test_odd_characters_are_told_apart_and_lines_of_windows_are_lines() -> None:
    out = io.StringIO()
    say(os.fsdecode(b"odd\xff\xfe"), out)
    say("\x1b]0;pwn\x07quick", out)
    report(RltuiError("one\r\ntwo"), out)
    assert out.getvalue() == "odd\\udcff\\udcfe\n\\x1b]0;pwn\\x07quick\nrltui: one\ntwo\n"
