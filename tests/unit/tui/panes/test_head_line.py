"""The first line of the status from 60 to 200 columns: what gives way first, and what stays for somebody who has trained for days."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rltui.events.commands import FlagLive
from rltui.run_state.condition import condition
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import Link, RunSnapshot
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import head_line, pill
from rltui.tui.text import plain, width_of
from tests.fakes import run_story

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


@pytest.mark.parametrize("snapshot", [ALPHA, LONG], ids=["short name", "long name"])
@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_shown_outranks_what_is_not(snapshot: RunSnapshot, width: int) -> None:
    text = drawn(snapshot, width)
    shown = [word in text for word in ORDER]
    assert shown == sorted(shown), text
    assert text.startswith(plain([pill(condition(snapshot, NOW + DAYS))]))
    assert snapshot.run[:12] in text


@pytest.mark.parametrize("width", WIDTHS)
def test_the_run_its_steps_and_the_days_are_there_at_every_width(width: int) -> None:
    text = drawn(ALPHA, width)
    assert "alpha" in text
    assert "12,431,360 timesteps" in text or "12.4 M timesteps" in text
    assert "3 d 0" in text


def test_a_run_with_a_long_name_shows_its_days_from_80_columns_on() -> None:
    assert all("3 d 0" in drawn(LONG, width) and "quick-20251127-133000" in drawn(LONG, width) for width in WIDTHS[20:])


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
