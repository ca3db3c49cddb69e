"""Columns, numbers and JSON as commands print them."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli.output import aligned, json_text, number
from rltui.safe_io import say, writable


def test_columns_are_two_spaces_apart_and_numbers_end_together() -> None:
    lines = aligned([("RUN", "STEPS", "NOTE"), ("a", "1,000", "x"), ("longer", "7", "")], right=frozenset({1}))
    assert lines == ["RUN     STEPS  NOTE", "a       1,000  x", "longer      7"]
    assert aligned([]) == []


def test_unknown_is_a_dash_and_zero_is_zero() -> None:
    assert number(None) == "–"
    assert number(None, unit="s") == "–"
    assert number(0.0, ".1f", "s") == "0.0 s"
    assert number(12_431_360) == "12,431,360"


ODD = os.fsdecode(b"d\xff")


def test_text_stays_and_what_is_none_becomes_a_question_mark() -> None:
    assert json.loads(json_text({"a": "漢🦖", "b": [None, 0.5]})) == {"a": "漢🦖", "b": [None, 0.5]}
    assert json.loads(json_text({ODD: [ODD, 1]})) == {"d?": ["d?", 1]}


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are no text")
def test_a_data_folder_whose_name_is_no_text(
    subtests: pytest.Subtests, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in [("ls",), ("milestones", "list"), ("info",)]:
        with subtests.test(command=command):
            (tmp_path / ODD).mkdir(exist_ok=True)
            assert main(["--data-dir", str(tmp_path / ODD), *command, "--json"]) == 0
            assert json.loads(capsys.readouterr().out) is not None


def test_what_an_encoding_lacks_is_written_otherwise() -> None:
    assert writable("2 × 3 → 6 ✓", "ascii") == "2 x 3 -> 6 ?"
    assert writable("2 × 3 → 6 ✓", "utf-8") == "2 × 3 → 6 ✓"
    assert writable("2 × 3", "latin-1") == "2 × 3"
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    say("γ ≤ 1", stream)
    stream.flush()
    assert stream.buffer.getvalue() == b"gamma <= 1\n"  # type: ignore[attr-defined]
