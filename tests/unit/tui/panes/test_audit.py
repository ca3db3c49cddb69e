"""The audit as lines: who, what, outcome, seconds."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused
from rltui.events.records import CommandLogged, SettingChanged
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.audit import AuditPane, entry_line, without_acceptances
from rltui.tui.panes.pane import View
from rltui.tui.text import plain, width_of
from tests.fakes import run_story

ADA, BOB = "ada on tower, pid 5151", "bob on lab, pid 7"


def logged(outcome: CommandAccepted | CommandApplied | CommandRefused, command: str = "pause", by: str = ADA) -> CommandLogged:  # fmt: skip
    return CommandLogged(time=1_764_244_800.0, command=command, by=by, outcome=outcome)


CHANGE = SettingChanged(time=1_764_244_805.0, timesteps=12_000_000, setting="learning rate", value=1e-4, by=ADA)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rltui.formatting.clock", lambda time: "12:00:00")


def test_what_was_answered_takes_the_place_of_its_acceptance() -> None:
    accepted, applied = logged(CommandAccepted(3)), logged(CommandApplied(3, "paused", 0.4))
    waiting = logged(CommandAccepted(4), "checkpoint")
    other = logged(CommandAccepted(3), by=BOB)  # another viewer's number 3
    assert without_acceptances((accepted, other, applied, waiting)) == [other, applied, waiting]


def test_each_fate_is_a_line() -> None:
    lines = [
        entry_line(logged(CommandAccepted(1)), 100),
        entry_line(logged(CommandApplied(2, "paused at 12,431,360", 0.4), by=BOB), 100),
        entry_line(logged(CommandRefused(3, "not paused"), "resume"), 100),
        entry_line(CHANGE, 100),
    ]
    assert plain(lines).split("\n") == [
        " 12:00:00 ada on tower          ◌ accepted          pause",
        " 12:00:00 bob on lab            ✓ applied     0.4 s pause: paused at 12,431,360",
        " 12:00:00 ada on tower          ✗ refused           resume: not paused",
        " 12:00:00 ada on tower          ● in force          learning rate 0.0001 from 12,000,000",
    ]


def test_no_line_is_wider_than_the_pane() -> None:
    for entry in (logged(CommandApplied(2, "x" * 300, 0.4), "reward touch 2"), CHANGE):
        assert [width for width in (10, 40, 79, 80, 200) if width_of(entry_line(entry, width)) > width] == []


def test_it_is_drawn_again_whenever_something_ceases_to_hold() -> None:
    """By a task, by another start of the trainer, by its end: none of them adds to the audit."""
    pane, header = AuditPane(), run_story.header()
    before = fold(RunSnapshot(), [header, CHANGE])
    task = run_story.phase_changed(header.time + 1, 5)
    again = msgspec.structs.replace(header, time=header.time + 9, by_hand={"learning rate": 1e-4})
    for after in (fold(before, [task]), fold(before, [again]), replace(before, alive=False)):
        assert after.audit == before.audit
        assert pane.depends(View(after, 0.0)) != pane.depends(View(before, 0.0))


def test_where_there_is_little_room_a_name_comes_without_its_machine() -> None:
    assert plain([entry_line(logged(CommandAccepted(1)), 60)]) == " 12:00:00 ada       ◌ accepted          pause"


LONG = logged(
    CommandRefused(9, "the disk is full: " + "nothing more can be written there, " * 5 + "make room"), "checkpoint"
)
SHORT = logged(CommandApplied(8, "paused", 0.4))


def drawn(pane: AuditPane, *audit: CommandLogged | SettingChanged, height: int = 12) -> list[str]:
    """The rows of a pane 60 columns wide."""
    pane.view = View(RunSnapshot(audit=audit), 0.0)
    lines = pane.paint(60, height)
    assert len(lines) <= height and all(width_of(line) <= 60 for line in lines)
    return plain(lines).split("\n")


def test_a_long_answer_stands_whole_below_for_the_entry_under_the_cursor() -> None:
    pane = AuditPane()
    rows = drawn(pane, SHORT, LONG)
    assert rows[1].endswith("…")
    words = " ".join(" ".join(rows[3:]).split())
    assert rows[2] == "─" * 60
    assert words.startswith("checkpoint: the disk is full") and words.endswith("make room")
    pane.move(-1)
    assert len(drawn(pane, SHORT, LONG)) == 2, "the short one is whole in its line"
    assert len(drawn(pane, SHORT, LONG, SHORT)) == 3 and pane.cursor == 0, "it stays where it was put"
    pane.move(9)
    assert "make room" in drawn(pane, SHORT, SHORT, LONG)[-1], "at the end it follows again"


def test_at_least_one_entry_is_left_above_a_long_answer() -> None:
    assert "refused" in drawn(AuditPane(), SHORT, LONG, height=3)[0]


def test_a_change_that_a_newer_one_has_replaced_is_not_in_force() -> None:
    newer = msgspec.structs.replace(CHANGE, time=CHANGE.time + 1, value=3e-4)
    back = msgspec.structs.replace(CHANGE, time=CHANGE.time + 2, value=1e-3, profile=True)
    old, new = drawn(AuditPane(), CHANGE, newer)[:2]
    assert "○ changed " in old and "● in force" in new
    assert all("○ changed" in row for row in drawn(AuditPane(), CHANGE, newer, back)[:3])
    assert "learning rate 0.001, as in the profile from" in plain([entry_line(back, 120)])


def test_an_empty_audit_says_what_will_be_here() -> None:
    pane = AuditPane()
    assert pane.has_nothing(View(RunSnapshot(), 0.0))
    assert "with who sent them" in pane.EMPTY
    view = View(RunSnapshot(audit=(logged(CommandAccepted(1)), CHANGE)), 0.0)
    assert not pane.has_nothing(view)
    assert "2 entries" in pane.subtitle(view)
