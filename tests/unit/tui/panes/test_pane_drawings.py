"""What panes draw, as text, at fixed sizes and a fixed moment."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rltui.events.records import LogLine, WorkerFailed
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.history import History
from rltui.run_state.log_entries import LogEntry, entry_of
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.chart_view import CORE, grid, shown_marks, usual_keys
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.log_view import entry_lines
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.panes.run_info import RunInfoPane
from rltui.tui.panes.status import StatusPane, progress_line
from rltui.tui.panes.time import TimePane, bottleneck, parts
from rltui.tui.panes.workers import WorkersPane
from rltui.tui.text import plain, width_of
from rltui.tui.widgets.bars import filled_bar, progress_bar, signed_bar
from tests.fakes import figure_stories, run_story

NOW = run_story.now_of()
STORY = fold_control(fold(RunSnapshot(run="alpha", alive=True), run_story.told()), run_story.live(NOW - 0.1), NOW - 0.1)
PANES = [StatusPane, MetricsPane, RewardsPane, TimePane, WorkersPane, LogPane, RunInfoPane]


def with_metrics(**metrics: float | None) -> View:
    named = {key.replace("__", "/"): value for key, value in metrics.items()}
    return View(replace(STORY, metrics=named), NOW)


def test_bars() -> None:
    assert plain([progress_bar(0.5, 8)]) == "━━━━────"
    assert plain([progress_bar(0.44, 8)]) == "━━━╸────"
    assert plain([progress_bar(None, 4)]) == "────"
    assert plain([progress_bar(7.0, 4)]) == "━━━━"
    assert plain([filled_bar(0.001, 8, "")]) == "╸"
    assert plain([filled_bar(0.0, 8, "")]) == ""
    assert plain([signed_bar(10, 0, 10, 6)]) == "━━━━━━"
    assert plain([signed_bar(5, -5, 5, 8)]) == "    ━━━━"
    assert plain([signed_bar(-5, -5, 5, 8)]) == "━━━━"
    assert plain([signed_bar(-0.01, -5, 5, 8)]) == "   ╺"
    assert plain([signed_bar(0, 0, 0, 5)]) == ""


def test_rewards_show_signs_and_their_sum() -> None:
    view = with_metrics(reward__touch=24.0, reward__concede=-6.0, reward__in_air=None, rollout__policy_reward=18.0)
    assert plain(RewardsPane().draw(view, 42, 6)) == "\n".join(
        [
            " reward                    / episode share",
            " touch       ━━━━━━━━━━━━━━   +24.00  80 %",
            " concede ━━━━                  -6.00  20 %",
            " in_air                            –     –",
            "──────────────────────────────────────────",
            " reward / episode             +18.00",
        ]
    )
    assert "─" not in plain(RewardsPane().draw(view, 42, 5)), "the rule makes room for the headings"


def test_rewards_that_do_not_fit_scroll_above_their_sum() -> None:
    many = {f"reward__r{index}": float(index) for index in range(1, 10)}
    pane = RewardsPane()
    lines = plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")
    assert [line[1:3] for line in lines[1:5]] == ["r9", "r8", "r7", "r6"]
    assert lines[0].split()[:4] == ["reward", "/", "episode", "share"]
    assert lines[5].startswith(" reward / episode")
    pane.cursor = 8
    assert plain(pane.draw(with_metrics(**many), 40, 6)).split("\n")[4].startswith(" r1")


def test_time_is_shared_between_learning_and_the_workers_parts() -> None:
    view = with_metrics(
        time__iteration=2.0, time__collect=1.0, time__learn=0.8, time__save=0.02, time__simulate=60.0, time__infer=20.0,
        time__reset=None,
    )  # fmt: skip
    view = replace(view, snapshot=replace(view.snapshot, history=History()))
    found = {part.name: part for part in parts(view.snapshot)}
    assert found["update"].share == pytest.approx(0.4)
    assert found["simulate"].share == pytest.approx(60 / 80 * 0.5)
    assert found["infer"].share == pytest.approx(20 / 80 * 0.5)
    assert found["reset"].share is None
    assert found["save"].share == pytest.approx(0.01)
    top = bottleneck(list(found.values()))
    assert top is not None
    assert top.name == "update"
    text = plain(TimePane().draw(view, 44, 12))
    assert "update     ━━━━━━━              40 %   0.8 s" in text
    assert "Bottleneck: update takes 40 %" in text


def test_a_long_time_keeps_its_distance_from_the_share() -> None:
    view = with_metrics(time__iteration=2.0, time__collect=1.6, time__learn=0.4, time__simulate=1_715.0)
    view = replace(view, snapshot=replace(view.snapshot, history=History()))
    lines = plain(TimePane().draw(view, 44, 12)).split("\n")
    assert next(line for line in lines if "simulate" in line).endswith("80 % 1,715 µs")
    assert all(width_of(line) <= 44 for line in TimePane().draw(view, 44, 12))


def test_time_without_figures_is_empty_and_not_zero() -> None:
    assert TimePane().has_nothing(with_metrics())
    assert bottleneck(parts(replace(STORY, metrics={}))) is None


def test_workers_table() -> None:
    assert plain(WorkersPane().draw(View(STORY, NOW), 100, 4)) == "\n".join(
        [
            "  # state         steps/s         arenas  memory    beat  restarts  last event",
            "  0 ● collecting   20,714 ━━━━━━      32   71 MB   0.2 s         0  12:00 started in 0.8 s",
            "  1 ● collecting   20,466 ━━━━━━      32   72 MB   0.2 s         1  12:11 died: killed by signal 9,…",
        ]
    ).replace("12:00", _clock(run_story.START)).replace("12:11", _clock(NOW - 190))


def test_a_worker_s_last_event_leaves_its_time_out_rather_than_its_end() -> None:
    lines = plain(WorkersPane().draw(View(STORY, NOW), 74, 4)).split("\n")
    assert lines[1].endswith("0  started in 0.8 s")
    assert f"  {_clock(NOW - 190)} died" in lines[2]


def _clock(time: float) -> str:
    from rltui import formatting

    return formatting.clock(time)[:5]


def test_a_late_heartbeat_is_marked_in_words_too() -> None:
    text = plain(WorkersPane().draw(View(STORY, NOW + 9), 100, 4))
    assert "9.2 s!" in text
    assert "silent 9.2 s" in text


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


def test_log_lines_wrap_beside_their_source() -> None:
    entry = LogEntry(run_story.START, "error", "worker 1", "raised: ValueError: bad\n  File x, line 1", 1)
    lines = plain(entry_lines(entry, 44)).split("\n")
    assert lines[0][8:] == " ✗ worker 1   raised: ValueError:"
    assert lines[1] == " " * 22 + "bad"
    assert lines[2] == " " * 22 + "  File x, line 1"


def test_log_follows_until_moved() -> None:
    lines = [LogLine(time=NOW, level="info", source="trainer", message=f"line {index}") for index in range(50)]
    view = View(fold(RunSnapshot(), lines), NOW)
    pane = LogPane()
    assert plain(pane.draw(view, 60, 5)).endswith("line 49")
    pane.move(-39)
    assert not pane.at_newest
    assert "line 10" in plain(pane.draw(view, 60, 5))
    more = LogLine(time=NOW, level="info", source="trainer", message="new")
    moved = View(fold(view.snapshot, [more]), NOW)
    assert "line 10" in plain(pane.draw(moved, 60, 5))
    assert "1 new line" in pane.subtitle(moved)
    pane.move(100)
    assert plain(pane.draw(moved, 60, 5)).endswith("new")


def test_log_levels() -> None:
    debug = LogLine(time=NOW, level="debug", source="runs", message="small thing")
    view = View(fold(RunSnapshot(), [debug]), NOW)
    pane = LogPane()
    assert plain(pane.draw(view, 60, 5)) == "nothing of level info or above"
    pane.next_level(), pane.next_level(), pane.next_level()
    assert pane.level == "debug"
    assert "small thing" in plain(pane.draw(view, 60, 5))


def test_a_workers_trace_is_in_the_log() -> None:
    failed = WorkerFailed(
        time=NOW, worker=1, kind="raised", reason="ValueError: bad", trace="Traceback:\n  File x\nValueError: bad"
    )
    entry = entry_of(failed)
    assert entry is not None
    assert entry.message == "raised: ValueError: bad\nTraceback:\n  File x\nValueError: bad"
    assert entry.level == "error"


def test_the_output_of_a_trainer_that_did_not_start_is_shown() -> None:
    view = View(replace(RunSnapshot(alive=False), output="rltui: no meshes in /x"), NOW)
    assert "no meshes in /x" in plain(LogPane().draw(view, 60, 5))


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
    rising = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(20)), 120)])
    assert "promotion ━━" in rising
    assert "2 of 4 about 57 s" in rising
    narrow = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(20)), 80)])
    assert "checkpoint" in narrow and "promotion" in narrow and "milestone" not in narrow
    latest = plain([progress_line(fold(RunSnapshot(), figure_stories.campaign(9)), 120)])
    assert "of 4 within 34 min" in latest
    opened = plain([progress_line(fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan()]), 120)])
    assert opened.count(" in –") == 3, "no speed is known before three iterations"


def test_the_grid_of_charts() -> None:
    assert grid(76, 24) == (2, 3)
    assert grid(76, 19) == (2, 3)
    assert grid(25, 9) == (1, 1)
    assert grid(140, 32)[0] == 4
    assert usual_keys(STORY.history)[: len(CORE)] == list(CORE)
    assert usual_keys(RunSnapshot().history) == list(CORE)


def test_a_chart_tells_its_change_where_there_is_room() -> None:
    pane = MetricsPane()
    pane.view = View(STORY, NOW)
    pane.charting = replace(pane.charting, alone=True)
    wide, narrow = (plain(pane.paint(width, 12)).split("\n")[0] for width in (60, 30))
    assert re.search(r"^reward / episode +\+\d\.\d+ in 100 it\. +\d+\.\d$", wide), wide
    assert "in 100" not in narrow and narrow.startswith("reward / episode")


def test_many_milestones_do_not_hide_the_curves() -> None:
    marks = tuple(ChartMark(steps, "milestone", "") for steps in range(5, 205, 5))
    shown = shown_marks(RunSnapshot(marks=(*marks, ChartMark(33, "resume", "resumed"))))
    assert shown == [35, 70, 105, 140, 175, 33]
    assert shown_marks(RunSnapshot(marks=marks[:2])) == [5, 10]
    assert shown_marks(RunSnapshot()) == []


@pytest.mark.parametrize("kind", PANES)
def test_every_pane_fits_every_size(kind: type[Pane]) -> None:
    for snapshot in (RunSnapshot(), STORY, replace(STORY, alive=False)):
        pane = kind()
        for width in (1, 2, 5, 11, 19, 20, 37, 60, 121):
            for height in (1, 2, 3, 5, 9, 40):
                pane.view = View(snapshot, NOW)
                lines = pane.paint(width, height)
                assert len(lines) <= max(height, 1), (width, height)
                if width >= 40:
                    assert all(width_of(line) <= width for line in lines), (kind, width, height)


def test_the_distance_to_the_next_phase_stands_with_the_run_s_facts() -> None:
    row = run_story.campaign_iteration(NOW)
    drawn = " ".join(plain(RunInfoPane().draw(View(replace(STORY, metrics=row.metrics), NOW), 60, 30)).split())
    assert "next phase kickoff touches 62 (18 missing), touches per minute 4.5 (reached)" in drawn
    assert "next phase" not in plain(RunInfoPane().draw(View(STORY, NOW), 60, 30))


def test_the_status_names_phase_and_stage() -> None:
    staged = fold(STORY, [run_story.phase_changed(NOW, 12_000_000)])
    drawn = plain(StatusPane().draw(View(staged, NOW), 150, 2))
    assert "Phase 2 BronzeSkills1" in drawn
    assert "2v2" in drawn


def test_the_phase_stays_in_the_status_where_names_are_long() -> None:
    staged = fold(replace(STORY, run="campaign-of-the-long-winter-evenings-20251127-133000"), [run_story.phase_changed(NOW, 12_000_000)])  # fmt: skip
    drawn = plain(StatusPane().draw(View(staged, NOW), 120, 2))
    assert "Phase 2" in drawn
    assert "campaign-of-the-long-" in drawn
    assert "steps" in drawn
