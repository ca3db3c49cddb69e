"""Plain lines: readable, safe for any encoding, and never the reason that training stops."""

from __future__ import annotations

import io

from rltui.events.records import (
    CheckpointFailed,
    IterationFinished,
    LogLine,
    RunFinished,
    RunResumed,
    StateChanged,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
)
from rltui.train.console import Console


def lines(*records: object, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(out)
    for record in records:
        console(record)  # type: ignore[arg-type]
    return raw.getvalue().decode(encoding)


def test_an_iteration_is_one_line_and_unknown_is_a_dash() -> None:
    metrics = {"rollout/policy_reward": None, "train/entropy": 4.4, "time/overall_steps_per_second": 14207.4}
    text = lines(IterationFinished(time=0, iteration=1, timesteps=20096, metrics=metrics))
    assert text.count("\n") == 1
    assert "20,096" in text
    assert "reward        –  entropy" in text
    assert "entropy 4.400" in text
    assert "14,207 steps/s" in text


def test_what_went_wrong_what_restarts_and_what_ends_is_a_line_each_and_no_debug_chatter() -> None:
    failed = CheckpointFailed(time=0, kind="checkpoint", path="/data/5", reason="the disk is full")
    dropped = UpdateDropped(time=0, iteration=3, timesteps=9, source="reward touch, worker 1", in_a_row=2)
    worker = WorkerFailed(time=0, worker=1, kind="raised", reason="ValueError: no", trace="Traceback\n  line 3\n")
    text = lines(failed, dropped, worker)
    assert "the disk is full; training goes on, earlier ones are intact" in text
    assert "reward touch, worker 1; weights unchanged" in text
    assert "worker 1 raised: ValueError: no" in text
    assert "line 3" in text

    first = WorkerStarted(time=0, worker=0, pid=1, restarts=0, seconds=0.5)
    again = WorkerStarted(time=0, worker=0, pid=2, restarts=1, seconds=0.5)
    quiet = LogLine(time=0, level="debug", source="runs", message="nothing of interest")
    assert lines(first, quiet) == ""
    assert "restarted (pid 2)" in lines(again)

    why = "run 'one' goes on at 9,216 timesteps: the newest run that fits"
    resumed = RunResumed(time=0, timesteps=9216, checkpoint="/d/9216", reason=why)
    stopping = StateChanged(time=0, state="stopping", reason="stopped: Ctrl-C")
    ended = RunFinished(time=0, timesteps=9300, exit_code=0, reason="stopped: Ctrl-C")
    told = [line.partition("  ")[2] for line in lines(resumed, stopping, ended).splitlines()]
    assert told == [why, "stopped at 9,300 timesteps: Ctrl-C"]


def test_an_ascii_terminal_gets_ascii_and_one_that_is_gone_is_ignored() -> None:
    text = lines(LogLine(time=0, level="info", source="runs", message="Größe – 5 µs"), encoding="ascii")
    assert "Gr??e" in text

    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    Console(Gone()).say("hello")
