"""The launcher's first list does not wait for rewards that are far back in journals; they come after it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from rltui.events.episode_reward import EPISODES
from rltui.runs.journal import encode_line
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_run
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.launcher import catalog
from rltui.tui.launcher.catalog import CatalogReader
from tests.fakes import run_story

RUNS = ("alpha", "beta", "gamma")


def write(data: DataDir, name: str, rows: int = 400) -> None:
    """A run whose episodes have all ended in its first 100 iterations."""
    paths = data.run(name)
    paths.folder.mkdir(parents=True, exist_ok=True)
    lines = [encode_line(record) for record in run_story.opening(name)]
    for row in range(1, rows + 1):
        base = run_story.iteration(row)
        metrics = {**base.metrics, EPISODES: 7 if row < 100 else 0}
        lines.append(encode_line(msgspec.structs.replace(base, metrics=metrics)))
    paths.journal.write_bytes(b"".join(lines))
    assert sum(map(len, lines)) > 1 << 18


def test_the_first_list_is_brief_and_the_rest_comes_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = DataDir(tmp_path)
    for name in RUNS:
        write(data, name)
    reader = CatalogReader(data, ProfileChecker())
    first = reader.read()
    assert [run.reward.episodes for run in first.runs] == [0, 0, 0] and first.runs[0].iteration == 400
    monkeypatch.setattr(catalog, "AT_ONCE", 60.0)  # however slow it is here
    further = reader.read_further()
    assert further is not None and reader.read_further() is None
    assert sorted(further.runs, key=lambda run: run.name) == [describe_run(data.run(name)) for name in RUNS]
    assert all(run.reward.episodes > 90 for run in further.runs)
    write(data, "alpha", 401)
    again = reader.read().run("alpha")
    assert again is not None and again.reward.episodes > 90, "a known run's reward does not go and come"
