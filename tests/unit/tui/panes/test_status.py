"""The status lines from 60 to 200 columns: what gives way first, and what stays for somebody who has trained for days."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from rltui.events.commands import FlagLive
from rltui.run_state.condition import condition
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import Link, RunSnapshot
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane, elapsed, head_line, pill, progress_line
from rltui.tui.text import plain, width_of
from tests.fakes import figure_stories, run_story

NOW = run_story.now_of()
MINE = Link(connected=True, mine=True)
STORY = fold_control(fold(RunSnapshot(run="alpha", alive=True), run_story.told()), run_story.live(NOW - 0.1), NOW - 0.1)
ALPHA = replace(STORY, link=MINE)
LONG = replace(ALPHA, run="quick-20251127-133000", flags=(FlagLive("debug_turtled_start"),))
OTHERS = replace(ALPHA, link=replace(MINE, mine=False, controller="bob on tower, pid 7"))
DAYS = 3 * 86_400.0
WIDTHS = range(60, 201)


# From the first that goes to the last that stays.
ORDER = ("1v1", " it.", "BallTouching", "12,431,360", "Phase 1", "k/s", "3 d 0", "● you", "timesteps")


def drawn(snapshot: RunSnapshot, width: int, days: float = DAYS) -> str:
    line = head_line(View(snapshot, NOW + days), width)
    assert width_of(line) == width
    return plain([line])


def test_what_is_shown_outranks_what_is_not(subtests: pytest.Subtests) -> None:
    for snapshot in (ALPHA, LONG):
        with subtests.test(run=snapshot.run):
            texts = [drawn(snapshot, width) for width in WIDTHS]
            shown = {text: [word in text for word in ORDER] for text in texts}
            assert [text for text in texts if shown[text] != sorted(shown[text])] == []
            state = plain([pill(condition(snapshot, NOW + DAYS))])
            assert [text for text in texts if not text.startswith(state) or snapshot.run[:12] not in text] == []


def test_the_run_its_steps_and_the_days_are_there_at_every_width() -> None:
    texts = [drawn(ALPHA, width) for width in WIDTHS]
    assert [text for text in texts if "alpha" not in text or "3 d 0" not in text] == []
    steps = ("12,431,360 timesteps", "12.4 M timesteps")
    assert [text for text in texts if not any(words in text for words in steps)] == []


def test_a_run_with_a_long_name_shows_its_days_from_80_columns_on() -> None:
    assert all("3 d 0" in drawn(LONG, width) and "quick-20251127-133000" in drawn(LONG, width) for width in WIDTHS[20:])


def test_elapsed_is_of_all_sessions_and_no_wrong_clock_changes_it() -> None:
    """By the trainer's own count; what has passed since its last word is added, and never taken away."""
    counted = replace(ALPHA, elapsed=3_700.0, elapsed_time=NOW)
    assert [elapsed(counted, NOW + later) for later in (0.0, 2.0, -3600.0)] == [3_700.0, 3_702.0, 3_700.0]
    assert elapsed(replace(counted, alive=False), NOW + 86_400) == 3_700.0
    assert "1 h 01 min" in drawn(counted, 160, 0.0)


def test_short_of_room_the_seconds_go_first_and_the_machine_s_name() -> None:
    assert "14 min " in drawn(ALPHA, 160, 0.0).replace("15 min", "14 min")
    assert " s " in drawn(ALPHA, 160, 0.0)
    assert "○ bob on tower controls" in drawn(OTHERS, 160)
    assert "○ bob controls" in drawn(OTHERS, 80)
    assert "○ bob" in drawn(OTHERS, 60)


def test_a_flag_is_a_word_where_there_is_no_room_for_its_name() -> None:
    assert "debug turtled start" in drawn(LONG, 140)
    named = [width for width in WIDTHS if "debug turtled start" in drawn(LONG, width)]
    some = [width for width in WIDTHS if "debug" in drawn(LONG, width)]
    assert min(some) < min(named)


def test_the_status_leaves_out_the_less_important_first() -> None:
    view = View(replace(STORY, link=replace(STORY.link, mine=True)), NOW)
    pane = StatusPane()
    wide, normal, narrow = (plain(pane.draw(view, width, 2)).split("\n")[0] for width in (160, 100, 62))
    for word in (
        "COLLECTING",
        "alpha",
        "Phase 1 BallTouching",
        "1v1",
        "12,431,360 timesteps",
        "14.3 k/s",
        "you control",
    ):
        assert word in wide
    assert "1v1" not in normal
    assert "12,431,360 timesteps" in normal
    assert "12.4 M timesteps" in narrow
    assert "Phase" not in narrow


def test_progress_names_what_comes_next() -> None:
    text = plain([progress_line(STORY, 118)])
    assert "checkpoint" in text
    assert "milestone 15 M" in text
    assert "limit" not in text
    limited = replace(STORY, header=run_story.header(step_limit=30_000_000))
    assert "limit 30 M" in plain([progress_line(limited, 120)])
    assert plain([progress_line(RunSnapshot(), 118)]) == ""


def test_progress_to_the_next_phase_and_a_dash_where_nothing_is_known() -> None:
    rising = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(80)), 120)])
    assert "promotion ━━" in rising
    assert "2 of 4 about 3 min 52 s" in rising
    narrow = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(80)), 80)])
    assert "checkpoint" in narrow and "promotion" in narrow and "milestone" not in narrow
    latest = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(9)), 120)])
    assert "of 4 within 34 min" in latest
    opened = plain([progress_line(fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan()]), 120)])
    assert opened.count(" in –") == 3, "no speed is known before three iterations"


def test_the_status_names_phase_and_stage() -> None:
    staged = fold(STORY, [run_story.phase_changed(NOW, 12_000_000)])
    drawn = plain(StatusPane().draw(View(staged, NOW), 150, 2))
    assert "Phase 2 BronzeSkills1" in drawn
    assert "2v2" in drawn


def test_the_opponent_goes_before_no_more_than_the_room_asks() -> None:
    assert STORY.header is not None
    for stage, opponent in (("1v2 checkpoints", "checkpoints"), (None, "checkpoints")):
        header = msgspec.structs.replace(STORY.header, stage=stage, blue=1, orange=2, opponent=opponent)
        drawn = plain(StatusPane().draw(View(replace(STORY, header=header), NOW), 120, 2))
        assert "1v2 checkpoints" in drawn and "timesteps" in drawn


def test_the_phase_stays_in_the_status_where_names_are_long() -> None:
    staged = fold(replace(STORY, run="campaign-of-the-long-winter-evenings-20251127-133000"), [run_story.phase_changed(NOW, 12_000_000)])  # fmt: skip
    drawn = plain(StatusPane().draw(View(staged, NOW), 120, 2))
    assert "Phase 2" in drawn
    assert "campaign-of-the-long-" in drawn
    assert "steps" in drawn
