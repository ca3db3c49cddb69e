"""Lines above the charts, the list in which charts are marked, and a metric explained."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from rltui import formatting
from rltui.events.episode_reward import EPISODES, REWARD
from rltui.run_state.fold import fold
from rltui.run_state.history import History
from rltui.run_state.other_run import OtherRun
from rltui.run_state.rewards import newest_reward
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.tui.panes.chart_header import (
    chart_chooser,
    charted,
    cursor_line,
    help_lines,
    look_line,
    near_marks,
    with_marked,
)
from rltui.tui.panes.chart_view import Charting, ChartScene, all_keys, cells, chart_keys, draw_cells, usual_keys
from rltui.tui.text import plain
from tests.fakes import run_story

HISTORY = History().extended((row.timesteps, row.metrics) for row in map(run_story.iteration, range(1, 4)))
USUAL = usual_keys(HISTORY)
OTHER = next(key for key in all_keys(HISTORY) if key not in USUAL)


def test_all_metrics_are_listed_and_those_charted_are_marked() -> None:
    assert [*chart_chooser(set(), HISTORY)._choices][1:] == all_keys(HISTORY)
    assert charted(Charting(), HISTORY) == set(USUAL)
    assert charted(Charting(keys=(OTHER,)), HISTORY) == {OTHER}


def test_none_or_just_the_usual_ones_is_the_usual_set_which_grows(subtests: pytest.Subtests) -> None:
    for marked in (set(), set(USUAL)):
        with subtests.test(marked=marked):
            assert with_marked(set(marked), Charting(keys=(OTHER,)), HISTORY).keys is None


def test_what_was_charted_keeps_its_place_and_the_attention() -> None:
    before = Charting(at=2)
    after = with_marked({*USUAL[1:], OTHER}, before, HISTORY)
    assert after.keys == (*USUAL[1:], OTHER)
    assert chart_keys(after, HISTORY)[after.at] == USUAL[2]
    assert with_marked({USUAL[0], OTHER}, before, HISTORY).at == 0  # that chart is gone


def story_scene(charting: Charting, **more: object) -> ChartScene:
    return ChartScene(fold(RunSnapshot(run="alpha"), run_story.told(300)), charting, **more)  # type: ignore[arg-type]


def test_the_cursor_line_says_when_that_was() -> None:
    row = run_story.iteration(200)
    text = plain([cursor_line(story_scene(Charting(cursor=row.timesteps + 1.0)))])
    assert f"{row.timesteps + 1:,} timesteps  iteration 200  {formatting.clock(row.time)}" in text
    assert "milestone 5 M" in plain([cursor_line(story_scene(Charting(cursor=5_000_000.0)))])
    assert "milestone" not in text


def test_a_cursor_beyond_the_run_says_so() -> None:
    assert "9,000,000 timesteps, which this run has not reached" in plain(
        [cursor_line(story_scene(Charting(cursor=9e6)))]
    )


def test_marks_near_the_cursor_nearest_first() -> None:
    marks = [
        ChartMark(100, "milestone", "005M"),
        ChartMark(101, "changed", "learning rate 0.0001"),
        ChartMark(500, "resume", "resumed"),
    ]
    assert near_marks(marks, 102.0, (0.0, 1000.0)) == ["learning rate 0.0001", "milestone 5 M"]
    assert near_marks(marks, 300.0, (0.0, 1000.0)) == []


def test_what_differs_from_the_plain_look_is_said() -> None:
    assert look_line(story_scene(Charting())) == ()
    words = plain([look_line(story_scene(Charting(window=1e6, log=True, smoothing=50, guides=True)))])
    assert words == "zoom 5.14 M–6.14 M, follows the newest  EMA 50 iterations, raw behind  log axis  ╌ usual range"
    other = OtherRun("beta", reading=True)
    assert plain([look_line(story_scene(Charting(), other=other, style="ascii"))]) == "* alpha  o beta is being read …"
    broken = OtherRun("beta", problem="OSError: gone")
    assert "✗ OSError: gone" in plain([look_line(story_scene(Charting(), other=broken))])


def test_a_metric_is_explained_with_its_value_judged() -> None:
    snapshot = story_scene(Charting()).snapshot
    text = " ".join(plain(help_lines(snapshot, "train/entropy", None, 200)).split())
    assert "entropy train/entropy" in text
    assert "% of the 4.50 that 90 actions allow" in text
    column = array("d", [0.031])
    high = replace(snapshot, history=History(1, array("d", [1000.0]), {"train/approx_kl": column}))
    text = plain(help_lines(high, "train/approx_kl", None, 200))
    assert "0.0310 now" in text
    assert "▲ above the usual 0.002–0.02; lower the learning rate or ppo.epochs" in text
    assert "at the cursor" in plain(help_lines(high, "train/approx_kl", 1000.0, 200))
    assert "not in this run's journal yet" in plain(help_lines(high, "lut/left", None, 200))


def steady(value: float) -> RunSnapshot:
    history = History().extended((100 * row, {"train/explained_variance": value}) for row in range(200))
    return RunSnapshot(run="alpha", history=history)


def test_noise_of_the_arithmetic_is_shown_as_nothing_and_no_change_as_none(subtests: pytest.Subtests) -> None:
    for value in (2.4e-8, -2.4e-8):
        with subtests.test(value=value):
            scene = ChartScene(steady(value), Charting(), "braille")
            found = cells(["train/explained_variance"], scene.charting, (90, 12), 0, 0)
            title = plain(draw_cells(scene, found)[:1])
            assert title.rstrip().endswith("unchanged in 100 it.  0.00")
            assert "0.00" in plain(help_lines(scene.snapshot, "train/explained_variance", None, 44)[1:2])
            told = plain(draw_cells(ChartScene(steady(0.25), Charting(), "braille"), found)[:1])
            assert told.rstrip().endswith("0.250")


def title(scene: ChartScene, key: str) -> list[str]:
    """Words of the chart's first line."""
    return plain(draw_cells(scene, cells([key], scene.charting, (60, 12), 0, 0))[:1]).split()


def test_a_reward_has_one_figure_in_all_panes_unless_it_is_read_at_a_cursor_or_beside_another_run() -> None:
    """The mean over the newest episodes, not the newest iteration's; where their number is not told, there is none but that."""
    snapshot = fold(RunSnapshot(run="alpha"), run_story.told(400))
    scene, newest = ChartScene(snapshot, Charting()), snapshot.metrics
    reward = newest_reward(snapshot)
    for key, mean in ((REWARD, reward.mean), ("reward/touch", reward.parts["touch"])):
        of_pane, of_one = formatting.number(mean), formatting.number(newest[key])
        assert of_pane != of_one
        assert of_pane in title(scene, key) and of_one not in title(scene, key)
        told = plain(help_lines(snapshot, key, None, 60)[1:2])
        assert told.startswith(of_pane) and told.endswith(f"over {reward.episodes} episodes")
        at_end = replace(scene, charting=Charting(cursor=float(snapshot.timesteps or 0)))
        assert of_one in title(at_end, key)
        columns = {name: column for name, column in snapshot.history.columns.items() if name != EPISODES}
        foreign = replace(snapshot, history=replace(snapshot.history, columns=columns))
        assert of_one in title(ChartScene(foreign, Charting()), key)
        beside = ChartScene(snapshot, Charting(), other=OtherRun("beta", history=snapshot.history))
        assert title(beside, key).count(of_one) == 2
