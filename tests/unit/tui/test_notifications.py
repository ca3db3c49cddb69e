"""Which events become notices, never history; what the hook gets and that nothing waits for it; the terminal's title."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from rltui.events.records import Record, WorkerFailed, WorkerStarted
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import Link, RunSnapshot
from rltui.tui.notifications import Hooks, Notice, UncleanEnd, detect_events, payload, terminal_title
from tests.fakes import run_story
from tests.fakes.run_story import now_of

NOTICE = Notice("milestone", "alpha", "alpha: milestone 015M", "15,000,000 timesteps", 1_764_000_000.5, 15_000_000)
NOW = now_of()


def running() -> RunSnapshot:
    return replace(fold(RunSnapshot(), run_story.told()), alive=True)


def found(before: RunSnapshot, *records: Record) -> list[Notice]:
    return detect_events(before, fold(before, records), NOW)


def test_history_is_never_told() -> None:
    records = [
        *run_story.told(),
        run_story.phase_changed(NOW - 1, 12_000_000),
        run_story.finished(12_431_360, NOW - 0.1),
    ]
    snapshot = RunSnapshot()
    for start in range(0, len(records), 100):  # a long journal comes in pieces
        after = fold(snapshot, records[start : start + 100])
        assert detect_events(snapshot, after, NOW) == []
        snapshot = after
    assert snapshot.milestone is not None
    assert snapshot.finished is not None


def test_the_end_a_failure_a_milestone_and_a_promotion_are_told_once() -> None:
    before = running()
    [milestone] = found(before, run_story.saved(15_000_000, NOW + 1, milestone=True))
    assert (milestone.kind, milestone.title) == ("milestone", "alpha: milestone 15 M")
    assert "15,000,000 timesteps" in milestone.text
    [promotion] = found(before, run_story.phase_changed(NOW + 2, 12_440_000))
    assert (promotion.kind, promotion.title) == ("promotion", "alpha: phase phase-2-bronze-skills")
    assert "skill reached" in promotion.text
    ended = fold(before, [run_story.finished(12_450_000, NOW + 3)])
    [end] = detect_events(before, ended, NOW)
    assert (end.kind, end.severity) == ("ended", "information")
    assert end.text == "ended at 12,450,000 timesteps: step limit reached"
    assert detect_events(ended, ended, NOW) == []
    [failed] = found(before, run_story.finished(12_450_000, NOW + 3, 1, "3 workers died within a minute"))
    assert (failed.kind, failed.severity, failed.text) == ("failed", "error", "3 workers died within a minute")


def test_a_worker_that_fails_is_told_also_when_it_is_back_already() -> None:
    before = running()
    died = WorkerFailed(time=NOW + 1, worker=0, kind="died", reason="killed by signal 9", trace="")
    [notice] = found(before, died)
    assert (notice.kind, notice.title) == ("worker_failed", "alpha: worker 0 failed")
    back = WorkerStarted(time=NOW + 2, worker=0, pid=9, restarts=1, seconds=0.9)
    [notice] = found(before, died, back)
    assert "killed by signal 9; restarted" in notice.text
    assert found(fold(before, [died]), back)[0].text.endswith("; restarted")


def test_a_process_that_goes_without_a_word_is_told_once_and_not_at_once() -> None:
    end, before = UncleanEnd(), running()
    gone = replace(before, alive=False)
    end.saw(before)
    assert end.check(gone, NOW + 1) == []  # its last record may still be on its way
    assert end.check(gone, NOW + 2) == []
    [notice] = end.check(gone, NOW + 3.1)
    assert (notice.kind, notice.severity) == ("failed", "error")
    assert notice.title == "alpha ended uncleanly"
    assert end.check(gone, NOW + 4) == []
    ended = replace(fold(before, [run_story.finished(12_450_000, NOW + 1)]), alive=False)
    end = UncleanEnd()
    end.saw(before)
    assert [end.check(ended, NOW + second) for second in (1, 4, 9)] == [[], [], []]
    gone = replace(before, alive=False)
    never = UncleanEnd()
    never.saw(gone)
    assert [never.check(gone, NOW + second) for second in (1, 4, 9)] == [[], [], []]


def test_control_that_comes_or_goes_is_told_with_the_name() -> None:
    before = running()
    mine = replace(before, link=Link(connected=True, mine=True, controller="ada on tower, pid 5"))
    theirs = replace(before, link=Link(connected=True, mine=False, controller="bob on lab, pid 7"))
    [lost] = detect_events(mine, theirs, NOW)
    assert (lost.kind, lost.title) == ("control", "bob on lab controls alpha")
    assert "O takes control back" in lost.text
    [got] = detect_events(theirs, mine, NOW)
    assert got.title == "You control alpha"
    assert detect_events(replace(mine, link=Link()), mine, NOW) == []  # a new connection is no news


def title_of(state: str, moment: float = NOW) -> str:
    return terminal_title(fold_control(running(), run_story.live(NOW, state=state), NOW), moment)


def test_the_title_says_what_the_trainer_does_without_a_new_word_each_second() -> None:
    words = {state: title_of(state) for state in ("collecting", "learning", "saving", "paused", "stopping")}
    assert words == {
        **dict.fromkeys(("collecting", "learning", "saving"), "alpha: training - rltui"),
        "paused": "alpha: paused - rltui", "stopping": "alpha: stopping - rltui",
    }  # fmt: skip
    assert title_of("collecting", NOW + 60) == "alpha: silent - rltui"
    heard = fold_control(running(), run_story.live(NOW), NOW)
    assert terminal_title(fold(heard, [run_story.finished(5, NOW)]), NOW) == "alpha: stopped - rltui"
    assert terminal_title(None, NOW) == "rltui"


def python(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


def wait_for_threads() -> None:
    for thread in threading.enumerate():
        if thread.name == "hook":
            thread.join(10)
            assert not thread.is_alive()


def test_the_hook_gets_the_event_as_json_and_in_its_environment_and_no_shell_reads_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = (
        "import json, os, sys; event = json.load(sys.stdin); "
        f"open({str(out)!r}, 'w').write(json.dumps([event, os.environ['RLTUI_EVENT'], os.environ['RLTUI_TEXT'], sys.argv[1]]))"
    )
    errors: list[str] = []
    Hooks((), 1, errors.append).run(NOTICE)
    assert not any(thread.name == "hook" for thread in threading.enumerate())
    Hooks([*python(code), "$(echo evil); *"], 10, errors.append).run(NOTICE)
    wait_for_threads()
    event, kind, text, argument = json.loads(out.read_text())
    assert argument == "$(echo evil); *"
    assert event == {
        "event": "milestone", "run": "alpha", "title": "alpha: milestone 015M", "text": "15,000,000 timesteps",
        "time": 1_764_000_000.5, "timesteps": 15_000_000, "severity": "information",
    }  # fmt: skip
    assert (kind, text) == ("milestone", "15,000,000 timesteps")
    assert errors == []
    assert json.loads(payload(NOTICE)) == event


def test_a_hook_that_fails_says_why(subtests: pytest.Subtests) -> None:
    cases = [
        (["/no/such/command"], "no such command (notify.hook in ui.toml)"),
        ([__file__], "not executable (chmod +x)"),
        (python("import sys; sys.exit('the bell is broken')"), "exit code 1: the bell is broken"),
    ]
    for command, words in cases:
        with subtests.test(words=words):
            errors: list[str] = []
            Hooks(command, 10, errors.append).run(NOTICE)
            wait_for_threads()
            assert words in errors[0]
            assert "(milestone)" in errors[0]


def test_a_hook_that_hangs_is_ended_and_too_many_are_not_started() -> None:
    errors: list[str] = []
    hooks = Hooks(python("import threading; threading.Event().wait()"), 0.3, errors.append)
    for _ in range(5):
        hooks.run(NOTICE)  # returns at once
    assert "4 still running" in errors[0]
    wait_for_threads()
    assert sum("not done after 0.3 s" in words for words in errors) == 4
