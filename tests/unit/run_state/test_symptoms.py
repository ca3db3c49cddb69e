"""What the panes of table, turtles, curriculum, machine and facts draw, as text, at fixed sizes."""

from __future__ import annotations

from dataclasses import replace

from rltui.run_state.snapshot import WorkerRow
from rltui.run_state.symptoms import usual_speed, worker_problem
from tests.fakes import run_story

NOW = run_story.now_of()


def test_the_ill_worker_says_so_in_a_word() -> None:
    rows = [
        WorkerRow(index, "collecting", steps_per_second=20_000.0, heartbeat_age=0.1, heard=NOW) for index in range(4)
    ]
    usual = usual_speed(rows)
    assert usual == 20_000
    assert worker_problem(rows[0], NOW, usual) is None
    assert worker_problem(replace(rows[0], steps_per_second=4_000.0), NOW, usual) == (
        "slow: 20 % of the others",
        "warn",
    )
    assert worker_problem(replace(rows[0], heartbeat_age=12.0), NOW, usual) == ("silent 12 s", "bad")
    assert worker_problem(replace(rows[0], state="failed"), NOW, usual) == ("failed", "bad")
    assert worker_problem(replace(rows[0], restarts=3), NOW, usual) == ("restarted 3 times", "warn")
    assert usual_speed(rows[:2]) is None, "of two nobody is the usual one"
