"""The workers' table, and the traceback of a failure."""

from __future__ import annotations

from dataclasses import replace

from rltui import formatting
from rltui.events.records import LogLine, WorkerFailed
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import LOG_LINES, FlagRow, RunSnapshot, WorkerRow
from rltui.tui.panes.pane import View
from rltui.tui.panes.workers import WorkersPane, trace_lines
from rltui.tui.text import plain
from tests.fakes import run_story
from tests.fakes.drawn_panes import NOW, STORY, drawn


def test_workers_table() -> None:
    assert plain(WorkersPane().draw(View(STORY, NOW), 100, 4)) == "\n".join(
        [
            "  # state         steps/s         arenas  memory    beat  restarts  last event",
            "  0 ● collecting   20,714 ━━━━━━      32   71 MB   0.2 s         0  12:00 started in 0.8 s",
            "  1 ● collecting   20,466 ━━━━━━      32   72 MB   0.2 s         1  12:11 restarted",
        ]
    ).replace("12:00", _clock(run_story.START)).replace("12:11", _clock(NOW - 190))


def test_a_worker_s_last_event_leaves_its_time_out_rather_than_its_end() -> None:
    lines = plain(WorkersPane().draw(View(STORY, NOW), 74, 4)).split("\n")
    assert lines[1].endswith("0  started in 0.8 s")
    assert lines[2].endswith(f"1  {_clock(NOW - 190)} restarted"), "there is room for both"


def _clock(time: float) -> str:
    return formatting.clock(time)[:5]


def test_a_late_heartbeat_is_marked_in_words_too() -> None:
    rows = tuple(replace(row, heartbeat_age=9.2, own_silence=8.7) for row in STORY.workers)
    text = plain(WorkersPane().draw(View(replace(STORY, workers=rows, state_since=NOW - 60), NOW), 100, 4))
    assert "9.3 s!" in text
    assert "silent 8.7 s" in text


def test_a_worker_is_not_silent_for_a_trainer_that_says_nothing_or_a_machine_that_leaves_it_no_core() -> None:
    assert "silent" not in plain(WorkersPane().draw(View(STORY, NOW + 9), 100, 4))
    rows = tuple(replace(row, heartbeat_age=9.2, own_silence=0.4) for row in STORY.workers)
    text = plain(WorkersPane().draw(View(replace(STORY, workers=rows, state_since=NOW - 60), NOW), 100, 4))
    assert "9.3 s" in text and "9.3 s!" not in text and "silent" not in text


def test_workers_of_an_ended_run_have_no_speed() -> None:
    ended = fold(STORY, [run_story.finished(9, NOW)])
    text = plain(WorkersPane().draw(View(ended, NOW), 100, 4))
    assert "■ ended" in text
    assert "20,714" not in text


def test_many_workers_scroll_with_the_cursor() -> None:
    crowd = fold(RunSnapshot(), run_story.opening(workers=64))
    pane = WorkersPane()
    assert plain(pane.draw(View(crowd, NOW), 100, 6)).split("\n")[-1].startswith("  4 ")
    pane.cursor = 63
    assert plain(pane.draw(View(crowd, NOW), 100, 6)).split("\n")[-1].startswith(" 63 ")


def test_paused_workers_are_not_ill() -> None:
    rows = tuple(
        WorkerRow(
            index, "failed" if index == 3 else "collecting", steps_per_second=20_000.0, heartbeat_age=13.0, heard=NOW
        )
        for index in range(4)
    )
    paused = replace(STORY, state="paused", state_since=NOW - 13, workers=rows)
    text = drawn(WorkersPane(), paused, 120)
    assert text.count("‖ paused") == 3 and "✗ failed" in text, "what is broken stays so"
    assert "silent" not in text and "13 s" not in text and "20,000" not in text
    assert "4 workers · paused · " in WorkersPane().subtitle(View(paused, NOW))
    ill = drawn(WorkersPane(), replace(paused, state="collecting"), 120)
    assert ill.count("silent 13 s") == 3


def test_workers_sorted_and_with_their_flags() -> None:
    slow = [replace(row, steps_per_second=1_000.0 * (3 - row.worker)) for row in STORY.workers]
    flagged = replace(STORY, workers=tuple(slow), flags=(FlagRow("debug_actions", (1,)),))
    pane = WorkersPane()
    lines = drawn(pane, flagged, 120, 5).split("\n")
    assert "flags" in lines[0]
    assert "actions" not in lines[1] and "actions" in lines[2]
    pane.order = 1
    assert drawn(pane, flagged, 120, 5).split("\n")[1].split()[0] == "1", "the slowest first"


def test_the_whole_trace_of_a_failure() -> None:
    trace = "Traceback (most recent call last):\n  File touch.py, line 31\nValueError: bad reward"
    raised = WorkerFailed(time=NOW, worker=1, kind="raised", reason="ValueError: bad reward", trace=trace)
    chatter = [LogLine(time=NOW, level="info", source="learner", message=str(line)) for line in range(LOG_LINES)]
    found = fold(STORY, [raised, *chatter]).workers[1].failures
    assert len(found) == 2 and "touch.py" in found[0].message, "newest first, also when the log is past it"
    text = plain(trace_lines(found, 60))
    assert "raised: ValueError: bad reward" in text and "  File touch.py, line 31" in text
    assert "no traceback: the process was gone" in text
    assert STORY.workers[0].failures == ()
    again = fold(STORY, [raised, run_story.header()]).workers[1]
    assert (again.event, again.failures) == ("", ()), "of a start before: neither the row nor the key tells of it"
