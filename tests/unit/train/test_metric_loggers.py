"""What a profile wants logged; a process that cannot begin, and a library that hangs, are one line each."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, cast

import pytest

from rltui.events.records import LogLine, Record, decode
from rltui.profile.load import load
from rltui.runs.paths import DataDir
from rltui.train import metric_loggers
from rltui.train.metric_loggers import SILENCE, MetricLoggers, _Watch, log_specs
from tests.fakes.saved_runs import header, row
from tests.fakes.training import TINY


def specs(tmp_path: Path, log: str = "csv = true\ntensorboard = true\nwandb = true") -> list[metric_loggers.LogSpec]:
    file = tmp_path / "tiny.toml"
    file.write_text(f"{TINY}\n[log]\n{log}\n")
    return log_specs(load(file), DataDir(tmp_path).run("alpha"))


def test_a_profile_says_what_is_logged(tmp_path: Path) -> None:
    assert specs(tmp_path, "") == []
    found = specs(tmp_path)
    folder = tmp_path / "runs" / "alpha"
    assert [(each.kind, each.place) for each in found] == [
        ("csv", folder / "metrics.csv"),
        ("tensorboard", folder / "tensorboard"),
        ("wandb", folder),
    ]
    assert found[2].project == "rltui"
    assert found[2].config["rewards"]["touch"]["weight"] == 1.0


def test_processes_begin_with_the_first_iteration_and_one_that_cannot_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def refused(main: object, spec: metric_loggers.LogSpec, name: str, output: object) -> None:
        begun.append(name)
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(metric_loggers, "start_piped", refused)
    told: list[Record] = []
    loggers = MetricLoggers(specs(tmp_path), told.append)
    loggers.on_record(header())
    assert begun == []
    for timesteps in (100, 200):
        loggers.on_record(row(timesteps))
    assert begun == ["csv", "tensorboard", "wandb"]
    assert [each.source for each in told if isinstance(each, LogLine)] == begun
    assert all("no more processes; training goes on without it" in cast(LogLine, each).message for each in told)
    loggers.close()


class Pipe:
    """Of a trainer that ends after so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.said = looks, list[LogLine]()

    def poll(self, seconds: float) -> bool:
        self.looks -= 1
        return self.looks < 0

    def send_bytes(self, record: bytes) -> None:
        self.said.append(cast(LogLine, decode(record)))


def test_a_library_that_hangs_is_told_once_and_left_when_the_training_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[bool] = []
    monkeypatch.setattr(metric_loggers, "_leave", lambda: left.append(True))
    monkeypatch.setattr(metric_loggers, "LAST_SECONDS", 0.0)
    pipe = Pipe(3)
    watch = _Watch("wandb", cast(Any, pipe))
    watch.run()
    assert [each.message[:6] for each in pipe.said] == ["no end"], "it is between two calls"
    pipe.looks, watch.touched = 3, metric_loggers.time.monotonic() - SILENCE - 1
    watch.run()
    assert [each.message for each in pipe.said][1:-1] == ["no answer for 30 s; training goes on, and it is waited for"]
    assert left == [True, True]
    assert watch.pause(), "the training has ended"
