"""What files are called, and what people wrote into them, never acts on the terminal: it is shown, written out."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
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
    data.games.write_text(f"1,300,{EVIL},rule,1,0,1\n1,300,alpha@1#00000000,rule,1,0,1\n")
    return data


def test_no_answer_obeys_a_name(subtests: pytest.Subtests, data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    for words in [
        ["ls"],
        ["status", "alpha"],
        ["milestones"],
        ["milestones", "list", "alpha"],
        ["milestones", "--json"],
        ["ladder"],
        ["ladder", "alpha", "--json"],
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


NO_PATHS = {
    "300": "a" * 300,
    "5000": "a" * 5000,
    "in parts": "a/" * 2500,
    "NUL": "a\0b",
    "surrogate": "a\ud800b",
    "odd byte": "a\udcffb",
    "device": "CON",
    "device with an end": "aux.npz",
    "space": "a ",
    "dot": "a.",
}
X = "<text>"
NAMED = f"""\
train {X} | train quick --run {X} | train quick --resume {X} | train quick --fork-from {X} | train quick --data-dir {X}
watch {X} | watch chaser {X} | watch --replay {X} | watch chaser --seconds 0 --plain --record {X} | attach {X}
trace {X} | trace quick --steps 1 --profile {X} | trace quick --steps 1 --out {X} | lut {X} | bench --profile {X} | doctor {X}
diagnose {X} | diagnose quick --write {X}
status {X} | stop {X} | ls --data-dir {X} | info --data-dir {X} | --data-dir {X} ls
profile new {X} | profile new new --from {X} | profile check quick {X} | profile check - --as {X} | profile show {X}
profile diff {X} quick | profile diff quick {X} | milestones list {X} | milestones check {X} | milestones keep {X}
milestones pin {X} | milestones pin alpha/{X} | milestones delete {X} | milestones restore {X} | milestones export {X} out
import {X} quick | import . {X} | import . quick --run {X} | compare {X} alpha | compare alpha {X}
milestones export alpha/005M {X} | milestones export --policy alpha/005M {X}"""


def test_a_text_that_is_no_path_goes_no_further_than_one_sentence(
    subtests: pytest.Subtests, data: DataDir, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data.root)
    monkeypatch.setenv("RLTUI_DATA", str(data.root))
    before = sorted(data.root.rglob("*"))
    for command in NAMED.replace("\n", " | ").split(" | "):
        for what, text in NO_PATHS.items():
            if what not in ("300", "NUL", "device") and command != f"train quick --run {X}":
                continue
            with subtests.test(command=command, what=what):
                assert main([text if word == X else word.replace(X, text) for word in command.split()]) == 2
                said = capsys.readouterr()
                assert said.out == "" and len(said.err) < 300 and not OBEYED.search(said.err)
    assert sorted(data.root.rglob("*")) == before


def test_nor_does_one_from_the_environment(
    subtests: pytest.Subtests, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for what in ("300", "5000", "device", "dot"):
        with subtests.test(what=what):
            monkeypatch.setenv("RLTUI_DATA", NO_PATHS[what])
            assert main(["ls"]) == 2 and "(RLTUI_DATA): " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_nobodys_home_is_a_path_like_any_other(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        "lut ~nobody-here/a.csv",
        "trace ~nobody-here/a.npz",
        "watch ~nobody-here/a.npz",
        "profile check ~nobody-here/a.toml",
    ):
        assert main(command.split()) in (1, 2)
        assert "nobody-here" in "".join(capsys.readouterr())


def test_a_note_is_prose(data: DataDir) -> None:
    assert main(["milestones", "note", "alpha/005M", "a " * 3000, "--data-dir", str(data.root)]) == 0
    assert main(["milestones", "note", "alpha/005M", "a\0b", "--data-dir", str(data.root)]) == 2


@pytest.mark.skipif(os.name != "posix", reason="bytes in arguments")
def test_odd_bytes_without_utf_8() -> None:
    odd = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "rltui", "lut", b"caf\xc3\xa9.npz"]
    ran = subprocess.run(command, capture_output=True, check=False, timeout=60, env={**os.environ, **odd})
    assert ran.returncode in (1, 2) and ran.stderr.startswith(b"rltui: caf\\udcc3\\udca9.npz: "), ran.stderr
