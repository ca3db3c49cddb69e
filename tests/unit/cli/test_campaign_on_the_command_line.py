"""Phase and distance of a campaign, and a run that failed, in `rltui ls`, `rltui status` and the trainer's own lines."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.events.records import Record, encode
from rltui.train.console import Console
from tests.fakes import figure_stories, run_story


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "plain",
        [*run_story.opening("plain"), run_story.iteration(3), run_story.finished(61_440, run_story.now_of(3))],
    )
    return tmp_path


def write(data: Path, run: str, told: Sequence[Record]) -> None:
    folder = data / "runs" / run
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(b"".join(encode(record) + b"\n" for record in told))


def ended(data: Path, exit_code: int = 0, reason: str = "step limit reached") -> None:
    """A campaign that has ended."""
    last = run_story.finished(20 * run_story.STEPS, run_story.now_of(20), exit_code, reason)
    write(data, "alpha", [*figure_stories.campaign(20), last])


def test_ls_has_a_column_for_campaigns_where_there_is_one(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ls", "--data-dir", str(data)]) == 0
    assert "CAMPAIGN" not in capsys.readouterr().out
    ended(data)
    assert main(["ls", "--data-dir", str(data)]) == 0
    head, alpha, plain = capsys.readouterr().out.splitlines()
    assert head.endswith("CAMPAIGN")
    assert alpha.endswith("phase 1 of 3, 2 of 4 reached")
    assert plain.endswith("phase-1-ball-touching")


def test_status_tells_every_distance(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended(data)
    assert main(["status", "alpha", "--data-dir", str(data)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    at = lines.index("campaign phase 1 of 3: 2 of 4 reached")
    assert lines[at + 1 : at + 5] == [
        "next phase timesteps of the phase 409,600 (90,400 missing)",
        "kickoff touches 40 (40 missing)",
        "own goals per minute 0.2 (reached)",
        "iterations measured 20 (reached)",
    ]
    assert main(["status", "plain", "--data-dir", str(data)]) == 0
    assert "campaign" not in capsys.readouterr().out


def test_a_run_that_failed_is_not_called_stopped(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended(data, 1, "3 workers failed within a minute")
    assert main(["ls", "--data-dir", str(data)]) == 0
    out = capsys.readouterr().out
    alpha, plain = (next(line for line in out.splitlines() if line.startswith(name)) for name in ("alpha", "plain"))
    assert alpha.split()[1] == "failed" and plain.split()[1] == "stopped"
    assert "alpha: 3 workers failed within a minute" in out
    assert main(["ls", "--json", "--data-dir", str(data)]) == 0
    states = {run["name"]: run["state"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert states == {"alpha": "failed", "plain": "stopped"}


def test_the_trainer_s_own_line_says_what_is_missing() -> None:
    out = io.StringIO()
    console = Console(out)
    console(figure_stories.on_the_way(20, 62.0))
    console(run_story.iteration(3))
    campaign, plain = out.getvalue().splitlines()
    assert campaign.endswith(
        "  phase 1 of 3: timesteps of the phase 409,600 (90,400 missing), kickoff touches 62 (18 missing)"
    )
    assert "phase" not in plain
