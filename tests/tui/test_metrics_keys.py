"""Keys and mouse of the metrics, rewards and time panes do what their help says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual import events

from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.panes.chart_view import span_of
from rltui.tui.panes.rewards import RewardsPane
from rltui.tui.text import plain
from tests.fakes import run_story
from tests.fakes.charted import Runs, charts
from tests.fakes.screens import cockpit_of, until, until_shown


async def test_a_filter_looks_through_all_metrics() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("slash", *"tou", "enter")
        await until_shown(pilot, "/tou 2 of 37")
        assert [cell.key for cell in pane.cells] == ["rollout/touches_per_minute", "reward/touch"]
        await pilot.press("slash", *"zz")
        await until_shown(pilot, "No metric of this run matches")


async def test_what_is_pasted_goes_into_the_line_that_is_open_and_nowhere_else() -> None:
    async with charts() as (pilot, pane):
        pilot.app.post_message(events.Paste("touch"))
        await pilot.press("slash")
        pilot.app.post_message(events.Paste("tou\nq"))
        await until_shown(pilot, "/tou 2 of 37")
        await pilot.press("escape", "9", "slash")
        pilot.app.post_message(events.Paste("iteration"))
        await until_shown(pilot, "/iteration ")
        assert pane.charting.pattern.text == ""


async def test_the_list_of_metrics_marks_what_is_charted() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("e")
        await until_shown(pilot, "space marks")
        await pilot.press(*"speed_t", "space", "enter")
        await until(pilot, lambda: pilot.app.screen is cockpit_of(pilot))
        assert "reward/speed_toward_ball" in pane.keys(pane.view)  # type: ignore[arg-type]
        assert len(pane.keys(pane.view)) == 17  # type: ignore[arg-type]
        await pilot.press("e", *"usual", "enter")
        await until(pilot, lambda: pane.charting.keys is None)
        await pilot.press("e", "space", "escape")  # nothing of that holds
        await until(pilot, lambda: pilot.app.screen is cockpit_of(pilot))
        assert pane.charting.keys is None
        await pilot.press("e", "space", "enter")
        await until(pilot, lambda: "rollout/policy_reward" not in pane.keys(pane.view))  # type: ignore[arg-type]


async def test_unticking_a_chart_moves_neither_the_others_nor_the_cursor() -> None:
    async with charts() as (pilot, pane):
        assert pane.view is not None
        before = pane.keys(pane.view)
        await pilot.press("down", "down")
        chosen = before[2]
        await pilot.press("e", *"value_loss", "space", "ctrl+u", *"reward/touch", "space", "enter")
        await until(pilot, lambda: pilot.app.screen is cockpit_of(pilot))
        assert pane.keys(pane.view) == [*(key for key in before if key != "train/value_loss"), "reward/touch"]
        assert pane.keys(pane.view)[pane.charting.at] == chosen


async def test_enter_enlarges_and_esc_goes_back_one_level_at_a_time() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("down", "down", "enter", "h")
        text = await until_shown(pilot, "train/approx_kl")
        assert [cell.key for cell in pane.cells] == ["train/approx_kl"]
        assert "within the usual 0.002–0.02" in text
        await pilot.press("escape")
        await until(pilot, lambda: "To try" not in screen_text(pilot.app.screen))
        await pilot.press("escape")
        await until(pilot, lambda: len(pane.cells) == 6)
        assert isinstance(pilot.app.screen, CockpitScreen)


async def test_the_cursor_reads_all_charts_at_one_moment() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("left")
        row = run_story.iteration(607)
        text = await until_shown(pilot, f"{row.timesteps:,} timesteps  iteration 607  12:14:42")
        await pilot.press("shift+left", "right", "left", "left")
        at = cockpit_of(pilot).snapshot.history
        index = next(i for i in range(at.length) if at.timesteps[i] == pane.charting.cursor)
        row = run_story.iteration(index + 1)
        assert index < 606
        text = await until_shown(pilot, f"{row.timesteps:,} timesteps  iteration {index + 1}")
        assert f"{row.metrics['rollout/policy_reward']:.1f}" in text
        assert f"{row.metrics['train/explained_variance']:.3f}" in text
        await pilot.press("escape")
        await until(pilot, lambda: "iteration 6" not in screen_text(pilot.app.screen))


async def test_a_click_and_a_drag_move_the_cursor() -> None:
    async with charts() as (pilot, pane):
        cell = pane.cells[3]
        assert await pilot.mouse_down(pane, offset=(cell.left + 16 + 2, cell.top + 3))
        await until(pilot, lambda: pane.charting.cursor is not None)
        assert pane.charting.at == 3
        before = pane.charting.cursor
        await pilot.hover(pane, offset=(cell.left + 26 + 2, cell.top + 3))
        await until(pilot, lambda: pane.charting.cursor != before)
        await pilot.mouse_up(pane, offset=(cell.left + 26 + 2, cell.top + 3))
        after = pane.charting.cursor
        assert before is not None
        assert after is not None
        assert after > before
        await pilot.hover(pane, offset=(cell.left + 8, cell.top + 3))
        await pilot.pause()
        assert pane.charting.cursor == after


async def test_zoom_and_the_whole_run() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("plus", "plus")
        await until_shown(pilot, "zoom 9.32 M–12.4 M, follows the newest")
        await pilot.press("minus")
        assert span_of(pane.charting, (0.0, 12_431_360.0)) == (6_215_680.0, 12_431_360.0)
        await pilot.press("w")
        await until(pilot, lambda: "zoom" not in screen_text(pilot.app.screen))


async def test_axis_smoothing_and_guides_are_said() -> None:
    async with charts() as (pilot, pane):
        await pane.run_action("guides")
        await pilot.press("y", "t", "t")
        await until_shown(pilot, "EMA 50 iterations, raw behind  log axis  ╌ usual range")
        await pane.run_action("guides")
        await pilot.press("y", "t", "t")
        await until(pilot, lambda: "usual range" not in screen_text(pilot.app.screen))


async def test_rows_and_columns() -> None:
    async with charts() as (pilot, pane):
        assert len(pane.cells) == 6
        for action in ("columns", "rows"):
            await pane.run_action(action)
        await until(pilot, lambda: len(pane.cells) == 1)
        for action in ("columns", "columns", "rows"):
            await pane.run_action(action)
        await until(pilot, lambda: len(pane.cells) == 6)
        await pilot.press(*["pagedown"] * 5)
        await until(pilot, lambda: pane.cells[-1].index == 15)
        assert "16 charts" in screen_text(pilot.app.screen)


async def test_comparing_with_another_run() -> None:
    async with charts() as (pilot, pane):
        await pilot.press("equals_sign")
        await until_shown(pilot, "Compare with")
        await until_shown(pilot, "beta   profile-of-beta    6.14 M timesteps  2 h ago")
        await pilot.press("enter")
        await until_shown(pilot, "━ alpha  ╍ beta")
        await until(pilot, lambda: pane.comparison.run is not None and pane.comparison.run.history.length == 300)
        await until_shown(pilot, "╍ 7.00")
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "╍ gamma")
        await pilot.press("left_square_bracket")
        await until_shown(pilot, "╍ beta")
        await pilot.press("equals_sign")
        await until_shown(pilot, "none: this run alone")
        await pilot.press("enter")
        await until(pilot, lambda: pane.comparison.run is None)
        assert "╍" not in screen_text(pilot.app.screen)


async def test_runs_that_cannot_be_listed_are_said() -> None:
    runs = Runs()
    runs.gone = True
    async with charts(runs=runs) as (pilot, _):
        await pilot.press("equals_sign")
        said = "cannot list the runs: Input/output error"
        await until(pilot, lambda: any(said in notice.message for notice in pilot.app._notifications))


async def test_the_focus_shows_which_chart_is_selected() -> None:
    async with charts() as (pilot, _):
        await pilot.press("down")
        await until_shown(pilot, "▸entropy")
        await pilot.press("2")
        await until(pilot, lambda: "▸entropy" not in screen_text(pilot.app.screen))


async def test_rewards_are_ordered_and_have_curves() -> None:
    async with charts() as (pilot, _):
        await pilot.press("2", "f")
        pane = pilot.app.screen.query_one(RewardsPane)
        text = await until_shown(pilot, "the whole run")
        assert text.index("touch ") < text.index("in_air ")
        await pilot.press("o", "o", "o")
        await until_shown(pilot, "by name")
        names = [line.split()[1] for line in screen_text(pilot.app.screen).splitlines()[5:9]]
        assert [name.strip("▌") for name in names] == ["face_ball", "in_air", "speed_toward_ball", "touch"]
        await pilot.press("down")
        await until_shown(pilot, "▸in_air")
        await pilot.press("enter")
        await until(pilot, lambda: "face_ball" not in screen_text(pilot.app.screen))
        assert "▸in_air" in screen_text(pilot.app.screen)
        await pilot.press("escape")
        await until_shown(pilot, "face_ball")
        assert cockpit_of(pilot).grid.choice.alone is pane, "esc closes one thing at a time"


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_enter_on_a_reward_shows_its_curve_at_every_size(size: tuple[int, int]) -> None:
    async with charts(size) as (pilot, _):
        await pilot.press("2", "down")
        pane = pilot.app.screen.query_one(RewardsPane)
        before = list(pane.lines)
        await pilot.press("enter")
        await until(pilot, lambda: len(pane.lines) == pane.size.height and pane.lines != before)
        chosen, other = ("speed_toward_ball", "face_ball")
        text = plain(pane.lines)
        assert text.count(chosen) == 2
        assert other not in text
        await pilot.press("down")
        await until(pilot, lambda: plain(pane.lines).count(other) == 2)
        await pilot.press("enter")
        await until(pilot, lambda: chosen in plain(pane.lines))


async def test_help_lists_the_pane_s_own_keys() -> None:
    async with charts((160, 50)) as (pilot, _):
        for key, words in (("1", "Choose the charts"), ("2", "Its curve alone")):
            await pilot.press(key, "question_mark")
            await until_shown(pilot, words)
            await pilot.press("escape")


async def test_the_mark_of_a_change_stands_in_the_charts_and_is_named_at_the_cursor() -> None:
    async with charts() as (pilot, pane):
        pane.change(replace(pane.charting, cursor=5_000_000.0))
        await until_shown(pilot, "┊ milestone 5 M")
