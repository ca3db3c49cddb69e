"""--json is JSON whatever the folders are called."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli.output import json_text

ODD = os.fsdecode(b"d\xff")


def test_text_stays_and_what_is_none_becomes_a_question_mark() -> None:
    assert json.loads(json_text({"a": "漢🦖", "b": [None, 0.5]})) == {"a": "漢🦖", "b": [None, 0.5]}
    assert json.loads(json_text({ODD: [ODD, 1]})) == {"d?": ["d?", 1]}


@pytest.mark.skipif(sys.platform != "linux", reason="file names that are no text")
@pytest.mark.parametrize("command", [("ls",), ("milestones", "list"), ("info",)])
def test_a_data_folder_whose_name_is_no_text(
    command: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ODD).mkdir()
    assert main(["--data-dir", str(tmp_path / ODD), *command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) is not None
