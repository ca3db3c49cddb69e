"""What the panes of table, turtles, curriculum, machine and facts draw, as text, at fixed sizes."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import pytest

from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import RunResumed, SettingChanged, WorkerFailed
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import FlagRow, RunSnapshot, WorkerRow
from rltui.run_state.symptoms import usual_speed, worker_problem
from rltui.tui.panes.action_table import ActionTablePane, TableUsage
from rltui.tui.panes.curriculum import CurriculumPane
from rltui.tui.panes.machine import MachinePane
from rltui.tui.panes.machine_probe import GpuLoad, MachineSample, ProcessLoad, Room
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.run_info import RunInfoPane, by_hand, was_is
from rltui.tui.panes.turtle import TurtlePane
from rltui.tui.panes.workers import TraceText, WorkersPane, failures
from rltui.tui.text import plain, width_of
from tests.fakes import figure_stories, run_story

NOW = run_story.now_of()
STORY = fold_control(fold(RunSnapshot(run="alpha", alive=True), run_story.told()), run_story.live(NOW - 0.1), NOW - 0.1)
SIZES = ((78, 21), (38, 10), (75, 23), (140, 30), (20, 3))


def drawn(pane: Pane, snapshot: RunSnapshot, width: int = 78, height: int = 40) -> str:
    """The text that the pane shows; every line fits."""
    pane.view = View(snapshot, NOW)
    lines = pane.paint(width, height)
    assert len(lines) <= height
    assert all(width_of(line) <= width for line in lines), [line for line in lines if width_of(line) > width]
    return plain(lines)


def lut_pane(table_hash: str = figure_stories.HASH, outcome: str = "pass") -> ActionTablePane:
    pane = ActionTablePane()
    pane.verdict = figure_stories.verdict(table_hash, outcome)
    return pane


USED = fold(STORY, [figure_stories.table_used()])


def test_lut_says_first_what_should_not_be_so() -> None:
    lines = drawn(lut_pane(), USED).split("\n")
    assert lines[0].startswith("! turns left 4.0 %, right 31 %: it leans to one side")
    assert "✓ the table passes: 2 of 2 checks; the table mine.csv" in lines
    assert "rows     5 of 6 chosen, 1 never" in lines
    assert "sides    turns left 4 %, right 31 %" in lines
    assert "buttons  jump 5 % · boost 35 % · handbrake 0 %" in lines
    first = next(line for line in lines if "full throttle" in line)
    assert first.split() == ["0", "50.00", "%", "5.00", "k", "full", "throttle"]
    wide = next(line for line in drawn(lut_pane(), USED, 100).split("\n") if "full throttle" in line)
    assert wide.split()[3] == "━" * 12, "there is room for a bar too"
    assert lines[-1].split()[:2] == ["5", "0"] and lines[-1].endswith("(never)")


def test_lut_by_row() -> None:
    pane = lut_pane()
    pane.by_use = False
    rows = [line.split()[0] for line in drawn(pane, USED).split("\n")[-6:]]
    assert rows == ["0", "1", "2", "3", "4", "5"]


def test_lut_sums_a_long_table_no_more_often_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sums: list[TableUsage] = []

    def total(use: TableUsage) -> int:
        sums.append(use)
        return sum(use.counts)

    monkeypatch.setattr(TableUsage, "total", property(total))
    often = []
    for rows in (60, 600):
        drawn(lut_pane(), fold(STORY, [figure_stories.table_used((500,) * rows)]))
        often.append(len(sums))
        sums.clear()
    assert often[0] == often[1] > 0


def test_lut_says_whose_entropy_is_whose() -> None:
    """Twice 3 rows, sure each time: ln 6 together, and 0 for one decision."""
    metrics = {**STORY.metrics, "train/entropy": 0.02}
    together = fold(replace(STORY, metrics=metrics), [figure_stories.table_used((500,) * 6)])
    text = " ".join(drawn(lut_pane(), together).split())
    assert "all choices together 1.79 of 1.79 nats, as 6 rows chosen alike; one decision 0.02" in text
    unknown = fold(replace(STORY, metrics={}), [figure_stories.table_used()])
    assert "one decision – (mean of the newest update" in " ".join(drawn(lut_pane(), unknown).split())


def test_lut_findings_stand_above_the_figures() -> None:
    lines = drawn(lut_pane(outcome="fail"), USED).split("\n")
    assert "✗ no row boosts and turns left: the bot could only turn slowly" in lines
    assert any(line.startswith("✗ the table fails") for line in lines)


def test_lut_tells_a_table_that_is_another_one_than_the_run_s() -> None:
    pane = lut_pane(table_hash="beef" * 16)
    text = drawn(pane, USED)
    assert "✗ the run plays another table than its profile names now: c0ffeec0ffee in the" in text
    assert "full throttle" not in text, "the words of another table would be a lie"
    pane.of_run = figure_stories.verdict()
    assert "full throttle, right, boost" in drawn(pane, USED), "those of the checkpoint's table are none"


def test_lut_while_nothing_is_known() -> None:
    text = drawn(ActionTablePane(), STORY)
    assert "examining the table" in text
    assert "Here will be how often each row" in text
    pane = ActionTablePane()
    pane.verdict = replace_problem("the table could not be examined: no such profile")
    assert "! the table could not be examined: no such profile" in drawn(pane, USED)


def replace_problem(problem: str) -> object:
    return msgspec.structs.replace(figure_stories.verdict(), problem=problem, words=[], controls=[])


def test_turtle_is_empty_until_a_car_turtles() -> None:
    text = " ".join(drawn(TurtlePane(), STORY).split())
    assert "No car has turtled yet" in text
    assert "T makes new episodes begin on the roof" in text


def test_turtle_table_references_and_charts() -> None:
    turtled = [figure_stories.turtled(index, 10, 8, 1, ticks=100.0) for index in range(608, 620)]
    text = drawn(TurtlePane(), fold(STORY, [*turtled, figure_stories.turtled(620, 0, 0)]), 100, 40)
    rows = {line[:15].strip(): line[15:].split() for line in text.split("\n")[:10]}
    assert rows["turtled"] == ["0", "120", "120"]
    assert rows["cut"] == ["0", "12", "12"], "counted apart"
    assert rows["success"] == ["–", "89", "%", "(82–94)", "89", "%", "(82–94)"]
    assert rows["mean time"][1:] == ["0.8", "s,", "100", "ticks"] * 2
    assert "median 90 ticks (0.8 s), p90 140 (1.2 s); 1 it. ago" in text
    order = [
        line.split("  ")[1] for line in text.split("\n") if (line.startswith("  ") and "━" in line) or "never" in line
    ]
    assert [name.strip() for name in order] == ["jump press", "this bot, median", "throttle + roll", "throttle", "idle"]
    assert any("recovered" in line and "turtled" in line and "/min" in line for line in text.split("\n")), (
        "charts side by side"
    )


def test_curriculum_of_a_campaign() -> None:
    text = drawn(CurriculumPane(), fold(RunSnapshot(run="alpha"), figure_stories.campaign(20)))
    for words in (
        "Phase 1 of 3  ·  BallTouching",
        "phase-1-ball-touching, for 409,600 timesteps",
        "To go on, all of this over the newest 20 iterations",
        "40.0 missing",
        "✓ own goals",
        "≤ 0.500",
        "90,400 missing",
        "In any case after 29,590,400 more timesteps",
        "N goes on now, whatever the bot can do; it asks first.",
        "  reward touch: 1 at 0, 0.5 at 2,000,000",
        "What the next phase changes  BronzeSkills1, phase-2-bronze-skills",
        "  + rewards.goal 20.0",
        "  ppo.learning_rate 2e-4 → 1e-4",
    ):
        assert words in text
    speed = 20 / sum(1 / (run_story.iteration(index).metrics[OVERALL_SPEED] or math.nan) for index in range(1, 21))
    assert f"by the trend: in {round(40 * run_story.STEPS / speed)} s" in text


def test_curriculum_where_nothing_rises_promises_nothing() -> None:
    flat = [figure_stories.on_the_way(index, 40.0) for index in range(1, 30)]
    text = " ".join(
        drawn(CurriculumPane(), fold(RunSnapshot(), [*run_story.opening(), figure_stories.plan(), *flat])).split()
    )
    assert "Next phase by the trend: –, for there is none yet in kickoff touches" in text


def test_curriculum_tells_what_was() -> None:
    records = [*figure_stories.campaign(40), run_story.phase_changed(run_story.now_of(40), 40 * run_story.STEPS)]
    text = drawn(CurriculumPane(), fold(RunSnapshot(), records), 100)
    assert "Phase 2 of 3  ·  BronzeSkills1  ·  stage 2v2" in text
    assert "phase phase-2-bronze-skills after phase-1-ball-touching" in text
    assert "skill reached: kickoff touches 91 (80 wanted)" in text
    assert "Nothing but N leads on" in text, "this phase has neither criteria nor an end"


def test_curriculum_of_a_single_profile() -> None:
    empty = drawn(CurriculumPane(), fold(STORY, [figure_stories.plan(0)]))
    assert "No curriculum: rewards, resets and settings stay as they are." in empty
    staged = figure_stories.plan(0, stages=True, schedules=["learning rate: linear from 0.0002 to 1e-05"])
    text = drawn(CurriculumPane(), fold(STORY, [staged]))
    assert "learning rate: linear from 0.0002 to 1e-05" in text
    assert "1v1              from 0 to 2,000,000" in text
    assert "2v2              from 2,000,000 to the end" in text


def test_nothing_is_left_to_reach_in_the_last_phase() -> None:
    pane = CurriculumPane()
    for phases, words in ((1, ""), (3, "2 of 4 reached")):
        snapshot = fold(RunSnapshot(run="alpha"), [*run_story.opening(), figure_stories.plan(phases), figure_stories.on_the_way(20, 40.0)])  # fmt: skip
        assert words in pane.subtitle(View(snapshot, NOW))
        assert bool(pane.subtitle(View(snapshot, NOW))) == bool(words)
        assert ("The last phase" in drawn(pane, snapshot)) == (phases == 1)


def test_curriculum_of_an_older_trainer() -> None:
    assert "did not tell what it plans" in drawn(CurriculumPane(), STORY)


SAMPLE = MachineSample(
    time=NOW - 1, cpu=97.0, cores=(96.0, 98.0), load=(2.1, 1.84, 1.2), memory=Room(15_000_000_000, 1_000_000_000, 16_000_000_000),
    swap=Room(0, 2_000_000_000, 2_000_000_000), shared=Room(12_000_000, 52_000_000, 64_000_000),
    disk=Room(58_000_000_000, 212_000_000_000, 270_000_000_000), disk_full_in=7_440.0,
    processes=(ProcessLoad("trainer", 4242, 98.4, 402_000_000), ProcessLoad("worker 0", 4300, 95.0, 71_000_000, 1),
               ProcessLoad("resource tracker", 4299, 0.0, 14_000_000, 1), ProcessLoad("this program", 5151, 1.2, 64_000_000),
               ProcessLoad("its guardian", 5150, None, 9_000_000)),
    gpu_note="no NVIDIA GPU seen", written_per_second=830.0,
)  # fmt: skip


def machine_pane(sample: MachineSample, host: str = "tower") -> MachinePane:
    pane = MachinePane()
    pane.sample, pane._host = sample, host
    return pane


def test_machine() -> None:
    text = drawn(machine_pane(SAMPLE), STORY, 60)
    for words in (
        "97 % of 2 cores", "██  96 % 98 %", "2.10  1.84  1.20", "15.0 GB of 16.0 GB", "212 GB free of 270 GB",
        "fills in about 2 h 04 min", "no NVIDIA GPU seen", "trainer", " worker 0", "402 MB",
        "This screen costs 1.2 % of one core and writes 830 B/s to", "12 MB of 64 MB",
    ):  # fmt: skip
        assert words in text, text
    assert "–" in next(line for line in text.split("\n") if "its guardian" in line), "unknown is a dash"


def test_machine_leaves_out_the_least_where_there_is_little_room() -> None:
    text = drawn(machine_pane(SAMPLE), STORY, 40, 13)
    assert "trainer" in text and "this program" in text
    assert "load" not in text and "resource tracker" not in text


def test_machine_of_somebody_else() -> None:
    assert "The trainer runs on tower; this is laptop." in drawn(machine_pane(SAMPLE, "laptop"), STORY, 60)


def test_machine_with_a_gpu_and_with_nothing_known() -> None:
    gpu = GpuLoad("NVIDIA RTX 90", 87.0, 30_000_000_000, 80_000_000_000, 61.0)
    text = drawn(machine_pane(replace(SAMPLE, gpus=(gpu,), gpu_note="")), STORY, 60)
    assert "87 %  61 °C" in text and "30.0 GB of 80.0 GB" in text and "NVIDIA RTX 90" in text
    assert "– of 0 cores" in drawn(machine_pane(MachineSample(NOW)), STORY, 60)
    assert "cannot be read: OSError" in drawn(machine_pane(MachineSample(NOW, problem="OSError: gone")), STORY, 60)


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
    found = failures(fold(STORY, [raised]).log, 1)
    assert len(found) == 2 and "touch.py" in found[0].message, "newest first"
    text = plain(TraceText(found).paint(60, 20))
    assert "raised: ValueError: bad reward" in text and "  File touch.py, line 31" in text
    assert "no traceback: the process was gone" in text
    assert failures(STORY.log, 0) == []


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (
            "entropy coefficient 0.01, gamma 0.99",
            "entropy coefficient 0.005, gamma 0.99",
            "entropy coefficient 0.01 → 0.005, gamma 0.99",
        ),
        ("20,000 an iteration", "30,000 an iteration", "20,000 → 30,000 an iteration"),
        (
            "learning rate 0.0002",
            "policy 0.0001, critic 0.0002",
            "policy 0.0001, critic 0.0002 (was learning rate 0.0002)",
        ),
        ("1v1", "2v2", "1v1 → 2v2"),
    ],
)
def test_what_was_and_what_is(before: str, now: str, words: str) -> None:
    assert was_is(before, now) == words


def test_facts_mark_what_was_changed_while_it_ran() -> None:
    changes = [
        SettingChanged(time=NOW, timesteps=12_000_000, setting="entropy", value=0.005, by="ada on tower, pid 5"),
        SettingChanged(time=NOW, timesteps=12_100_000, setting="reward touch", value=0.4, by="ada on tower, pid 5"),
        SettingChanged(time=NOW, timesteps=12_200_000, setting="reward touch", value=0.5, by="bob on tower, pid 6"),
    ]
    snapshot = fold(STORY, changes)
    assert by_hand(snapshot) == ["entropy coefficient 0.005, by ada at 12.0 M", "reward touch 0.5, by bob at 12.2 M"]
    text = drawn(RunInfoPane(), snapshot)
    assert "entropy coefficient 0.01 → 0.005, gamma 0.99" in text
    assert "by hand    entropy coefficient 0.005" in text


def test_facts_of_a_resumed_campaign() -> None:
    records = [
        msgspec.structs.replace(
            run_story.header(timesteps=9_000), obs="default(zero_padding=1) 92", table_hash="c0ffee" * 6
        ),
        RunResumed(
            time=NOW, timesteps=9_000, checkpoint="data/checkpoints/alpha/9000", reason="the newest of run alpha"
        ),
        figure_stories.plan(),
        figure_stories.on_the_way(1, 62.0),
    ]
    text = drawn(RunInfoPane(), fold(RunSnapshot(), records), 160)
    for words in (
        "phase      1 of 3, BallTouching", "kickoff touches 62 (18 missing)", "sees       default(zero_padding=1) 92",
        "table      hash c0ffeec0ffee", "resumed    at 9,000: the newest of run alpha", "from       data/checkpoints/alpha/9000",
    ):  # fmt: skip
        assert words in text, text


@pytest.mark.parametrize("size", SIZES)
def test_every_pane_fits_every_size(size: tuple[int, int]) -> None:
    turtled = [figure_stories.turtled(index, 10, 8, 1) for index in range(608, 640)]
    way = [figure_stories.on_the_way(index, 20.0 + index) for index in range(1, 30)]
    rich = fold(RunSnapshot(run="alpha"), [*run_story.opening(), figure_stories.plan(stages=True), *way, *turtled, figure_stories.table_used()])  # fmt: skip
    for pane in (
        lut_pane(outcome="fail"),
        TurtlePane(),
        CurriculumPane(),
        machine_pane(SAMPLE),
        RunInfoPane(),
        WorkersPane(),
    ):
        drawn(pane, rich, *size)
