"""The verdict with its figures, what the reader thread looks for, and symptoms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from rltui import formatting
from rltui.events.metrics import health_of
from rltui.events.records import CheckpointPruned, Record, RunResumed, RunStarted, SettingChanged, UpdateDropped
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.history import History
from rltui.run_state.snapshot import ChartMark, RunSnapshot, WorkerRow
from rltui.run_state.symptoms import FEW, MANY, WINDOW, began_at, usual_speed, worker_problem
from rltui.run_state.trend import BLOCK, Findings, too_few
from rltui.run_state.verdict import TOO_NOISY, Verdict, verdict, with_findings
from rltui.tui.panes.pane import View
from rltui.tui.panes.status import StatusPane
from rltui.tui.text import plain, width_of
from tests.fakes import run_story

KL, VARIANCE = "train/approx_kl", "train/explained_variance"


def told(
    rows: int, reward: Callable[[int], float], more: Callable[[int], Mapping[str, float | None]] | None = None
) -> list[Record]:
    """A run of so many iterations with this reward (and noise of deviation 0.5), and other figures of the same row."""
    draw = random.Random(0)
    records: list[Record] = list(run_story.opening())
    for row in range(1, rows + 1):
        base = run_story.iteration(row)
        figures: dict[str, float | None] = {
            **base.metrics, "rollout/policy_reward": reward(row) + draw.gauss(0, 0.5), **(more(row) if more else {}),
        }  # fmt: skip
        records.append(msgspec.structs.replace(base, metrics=figures))
    return records


def known(records: Sequence[Record]) -> RunSnapshot:
    """As the reader thread gives it to the panes."""
    return with_findings(fold(RunSnapshot(run="alpha", alive=True), records))


def verdict_of(records: list[Record], rows: int = 300) -> Verdict:
    return verdict(known(records), run_story.now_of(rows), heard=True)


def of_rewards(values: list[float]) -> Verdict:
    """Of a history that knows nothing else, one row a timestep."""
    history = History().extended((row, {"rollout/policy_reward": value}) for row, value in enumerate(values))
    snapshot = with_findings(RunSnapshot(run="alpha", alive=True, history=history))
    return verdict(snapshot, 0.0, heard=True)


def figures(found: Verdict) -> tuple[float, float, float]:
    """best, now, noise; they stand in the words too."""
    assert found.best is not None and found.now is not None and found.noise is not None
    shown = formatting.measured([found.best, found.now], found.noise)
    assert "best {}, now {} ±{} over 50 iterations".format(*shown) in found.words
    return found.best, found.now, found.noise


def test_learning_flat_and_falling_say_best_and_now_with_the_noise() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1))
    assert (found.word, found.role) == ("learning", "good")
    best, now, noise = figures(found)
    assert best == now == pytest.approx(27.5, abs=0.3), "the mean of the newest 50"
    assert 0.1 < noise < 1.2

    found = verdict_of(told(900, lambda row: min(row * 0.1, 10.0)), 900)
    assert (found.word, found.role) == ("flat", "warn")
    best, now, noise = figures(found)
    assert best == pytest.approx(10, abs=2 * noise) and now == pytest.approx(10, abs=2 * noise)

    found = verdict_of(told(300, lambda row: 10.0 - abs(row - 150) * 0.1))
    assert (found.word, found.role) == ("falling", "warn")
    best, now, _ = figures(found)
    assert best > 8 and now < 0


def test_too_little_is_a_dash_and_says_what_it_takes() -> None:
    assert verdict_of(told(12, lambda row: row)) == Verdict("–", "unknown", "muted", too_few(12))
    assert verdict_of([]).words == too_few(0)


def test_a_rise_that_is_not_sure_yet_has_figures_and_says_why_there_is_no_word() -> None:
    found = of_rewards([float(row // 10) for row in range(60)])
    assert (found.symbol, found.word, found.brief) == ("–", "unknown", TOO_NOISY) and figures(found)[1] == 3.0
    assert found.words.startswith(TOO_NOISY) and found.line.startswith(f"– {TOO_NOISY}")


def test_it_is_of_this_start_under_these_rewards(subtests: pytest.Subtests) -> None:
    """After a change of what is paid and after every start, of a branch too, it is a dash until there are enough again."""
    steps = 280 * run_story.STEPS
    rate = SettingChanged(time=run_story.START, timesteps=steps, setting="learning rate", value=2.0, by="ada")
    start = msgspec.structs.replace(run_story.header(), timesteps=steps)
    back = RunResumed(time=run_story.START, timesteps=steps, checkpoint="c", reason="newest")
    changes: list[tuple[str, list[Record], str]] = [
        ("a rate", [rate], "learning"),
        ("a weight", [msgspec.structs.replace(rate, setting="reward touch")], "unknown"),
        ("a phase", [run_story.phase_changed(run_story.START, steps)], "unknown"),
        ("a start", [start, back], "unknown"),
    ]
    for name, change, word in changes:
        with subtests.test(name):
            records = told(300, lambda row: row * 0.1)
            at = next(index for index, one in enumerate(records) if getattr(one, "timesteps", 0) > steps)
            found = verdict_of([*records[:at], *change, *records[at:]])
            assert found.word == word
            if word == "unknown":
                assert found.brief == "20 of 60" and found.best is None


def test_a_slow_worker_is_no_illness_of_the_run() -> None:
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)
    rows = [WorkerRow(index, "collecting", steps_per_second=9e3 if index else 1e3) for index in range(4)]
    assert worker_problem(rows[0], now, usual_speed(rows)) == ("slow: 11 % of the others", "warn")
    assert verdict(replace(snapshot, workers=tuple(rows)), now, heard=True).word == "learning"


def test_a_schedule_that_moves_a_weight_is_told_with_the_reward() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1, lambda row: {"weight/touch": 1.0 - row * 0.001}))
    assert found.words.endswith("; 1 weight moved")
    again = verdict_of(told(300, lambda row: row * 0.1, lambda row: {"weight/touch": 2.0} if row < 250 else {}))
    assert "weight" not in again.words, "as in the profile again"


def test_unhealthy_says_the_figure_its_range_and_what_to_try() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008}))
    assert (found.word, found.role, found.symbol) == ("unhealthy", "bad", "✗")
    assert found.words == "KL 0.0500, usual 0.002–0.02"
    assert [one.to_try for one in found.symptoms] == [health_of(KL).if_high]
    assert found.now is not None, "the reward's figures are there all the same"


def test_among_few_actions_no_entropy_is_an_illness(subtests: pytest.Subtests) -> None:
    records = told(300, lambda row: row * 0.1, lambda row: {"train/entropy": 0.4})
    for actions, word in ((90, "unhealthy"), (2, "learning")):
        with subtests.test(actions=actions):
            opened = [
                msgspec.structs.replace(record, actions=actions) if isinstance(record, RunStarted) else record
                for record in records
            ]
            assert verdict_of(opened).word == word


def test_one_bad_update_is_no_illness() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1, lambda row: {KL: 0.5 if row == 299 else 0.008}))
    assert found.word == "learning"


def test_ill_and_well_each_hold_until_the_other_is_sure() -> None:
    """Within 20, of which 15 make ill and 5 well: whatever lies between leaves it as it was."""
    outside = [False] * 100 + [True] * (MANY - 1)
    assert began_at(outside, bool) is None
    assert began_at([*outside, True][-WINDOW:], bool) is not None
    wavering = [*[False] * 100, *[True] * 40, *[True, False] * 200]
    assert began_at(wavering, bool) == 100
    assert began_at([*[False] * 140, *[True, False] * 200], bool) is None
    assert began_at([*wavering, *[False] * (WINDOW - FEW)], bool) is None
    assert began_at([True] * 60, bool) == 0


def test_a_border_line_figure_flips_no_verdict() -> None:
    draw = random.Random(3)
    records = told(600, lambda row: row * 0.1, lambda row: {KL: 0.02 + draw.gauss(0, 0.002)})
    words = [verdict_of(records[:end]).word == "unhealthy" for end in range(100, len(records), BLOCK)]
    assert sum(before != after for before, after in pairwise(words)) <= 3


def test_a_critic_has_time_to_learn() -> None:
    def poor(rows: int) -> Verdict:
        return verdict_of(told(rows, lambda row: row * 0.1, lambda row: {VARIANCE: 0.05}), rows)

    assert poor(99).word != "unhealthy"
    assert poor(100).words.startswith("explained variance 0.0500, usual 0.3 or more")


def test_dropped_updates_come_first() -> None:
    records = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05})
    dropped = UpdateDropped(
        time=0.0, iteration=299, timesteps=299 * run_story.STEPS, source="reward touch, worker 1", in_a_row=1
    )
    assert verdict_of([*records, dropped]).words == "1 update dropped: reward touch, worker 1; 1 more"


def test_the_newest_change_shortly_before_it_is_told_with_it(subtests: pytest.Subtests) -> None:
    records = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008})
    rate = SettingChanged(time=0.0, timesteps=0, setting="learning rate", value=1.0, by="ada")
    entropy = msgspec.structs.replace(rate, setting="entropy", timesteps=190 * run_story.STEPS, value=0.02)
    for row, told_with in ((140, False), (152, True), (200, True), (230, False)):
        with subtests.test(row=row):
            change = msgspec.structs.replace(rate, timesteps=row * run_story.STEPS)
            at = len(run_story.opening()) + row
            words = verdict_of([*records[:at], change, *records[at:]]).words
            assert (f", since learning rate 1 at {row * run_story.STEPS / 1e6:.2f} M" in words) == told_with
    snapshot = with_findings(replace(known(records), marks=tuple(mark_of(one) for one in (rate, entropy))))
    assert "since entropy" in verdict(snapshot, 0.0, heard=False).words


def test_a_change_in_the_first_iterations_is_told_too() -> None:
    """They are fewer than are judged together: the run was never found well."""
    records = told(100, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 9 else 0.008})
    at = len(run_story.opening()) + 9
    rate = SettingChanged(time=0.0, timesteps=9 * run_story.STEPS, setting="learning rate", value=1.0, by="ada")
    found = verdict_of([*records[:at], rate, *records[at:]])
    assert ", since learning rate 1 at" in found.words and found.symptoms[0].to_try.startswith("take it back")
    always = told(100, lambda row: row * 0.1, lambda row: {KL: 0.05})
    assert "since" not in verdict_of([*always[:at], rate, *always[at:]]).words


def test_where_a_change_by_hand_is_the_cause_undoing_it_is_advised_first() -> None:
    """While it holds; and what to go back to from before it: taking it back mends no bot."""
    records = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008})
    at = len(run_story.opening()) + 190
    rate = SettingChanged(time=0.0, timesteps=190 * run_story.STEPS, setting="learning rate", value=1.0, by="ada")

    def advice(*before: Record, after: tuple[Record, ...] = ()) -> str:
        return verdict_of([*records[:at], *before, *records[at:], *after]).symptoms[0].to_try

    assert advice(rate) == "take it back: `lr profile`, or go back to a checkpoint from before it"
    kept = [run_story.saved(row * run_story.STEPS, 0.0, milestone=True) for row in (100, 180)]
    later = run_story.saved(250 * run_story.STEPS, 0.0, milestone=True)
    kept = [msgspec.structs.replace(one, label=label) for one, label in zip(kept, ("002M", "003.6M"), strict=True)]
    way = "go back to milestone 3.6 M: `rltui train phase-1-ball-touching --resume alpha/003.6M`"
    assert advice(*kept, rate, after=(later,)) == f"take it back: `lr profile`, or {way}"
    taken_back = msgspec.structs.replace(rate, value=2e-4, profile=True, timesteps=250 * run_story.STEPS)
    assert advice(*kept, rate, after=(taken_back,)) == way
    assert advice(rate, after=(taken_back,)) == "go back to a checkpoint from before it"


def test_of_what_is_left_from_before_a_change_the_newest_is_advised() -> None:
    """A milestone or a checkpoint; none that was pruned, and none of a future that a resume has dropped."""
    records = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008})
    at = len(run_story.opening()) + 190
    rate = SettingChanged(time=0.0, timesteps=190 * run_story.STEPS, setting="learning rate", value=1.0, by="ada")
    milestone = run_story.saved(100 * run_story.STEPS, 0.0, milestone=True)
    near, pruned, newer = (run_story.saved(row * run_story.STEPS, 0.0) for row in (180, 185, 195))
    gone = CheckpointPruned(time=0.0, path=pruned.path)
    saved = (milestone, near, pruned)

    def advice(*before: Record) -> str:
        return verdict_of([*records[:at], *before, rate, *records[at:], newer, gone]).symptoms[0].to_try

    steps = near.timesteps
    command = f"`rltui train phase-1-ball-touching --resume alpha/{steps}`"
    assert advice(*saved).endswith(f"go back to checkpoint {steps:,}: {command}")
    resumed = RunResumed(time=0.0, timesteps=milestone.timesteps, checkpoint=milestone.path, reason="asked for")
    assert known([*records[:at], *saved]).kept == (steps, pruned.timesteps)
    assert known([*records[:at], *saved, resumed]).kept == ()


def test_what_the_count_begins_with_anew_is_named() -> None:
    records = told(300, lambda row: row * 0.1)
    weight = SettingChanged(
        time=0.0, timesteps=280 * run_story.STEPS, setting="reward speed_toward_ball", value=0.05, by="ada"
    )
    at = len(run_story.opening()) + 280
    found = verdict_of([*records[:at], weight, *records[at:]])
    assert found.words == too_few(20, " since speed_toward_ball 0.05") and found.brief == "20 of 60"


def test_no_worker_is_called_silent_before_the_first_iteration_of_a_start() -> None:
    opening = run_story.opening()
    [header] = [record for record in opening if isinstance(record, RunStarted)]
    now = run_story.START + 100
    for steps, ill in ((header.timesteps, False), (header.timesteps + run_story.STEPS, True)):
        live = run_story.live(now - 30, timesteps=steps)
        workers = [msgspec.structs.replace(worker, heartbeat_age=20.0) for worker in live.workers]
        snapshot = fold_control(known(opening), msgspec.structs.replace(live, workers=workers), now - 30)
        assert bool(verdict(snapshot, now, heard=True).symptoms) == ill


def test_no_worker_is_called_silent_while_a_task_begins() -> None:
    """Others are started for it: nothing is heard of the old ones any more, and the new ones begin with slow arenas."""
    promoted = run_story.phase_changed(run_story.now_of(300), 300 * run_story.STEPS)
    now = promoted.time + 100

    def blamed(records: list[Record], **told: object) -> bool:
        live = run_story.live(now - 30, **told)  # type: ignore[arg-type]
        workers = [msgspec.structs.replace(worker, heartbeat_age=20.0, own_silence=20.0) for worker in live.workers]
        snapshot = fold_control(known(records), msgspec.structs.replace(live, workers=workers), now - 30)
        return bool(verdict(snapshot, now, heard=True).symptoms)

    before = told(300, lambda row: row * 0.1)
    assert not blamed(before, timesteps=promoted.timesteps, state="starting")
    assert not blamed([*before, promoted], timesteps=promoted.timesteps)
    assert blamed([*before, promoted], timesteps=promoted.timesteps + run_story.STEPS)


def mark_of(change: SettingChanged) -> ChartMark:
    return ChartMark(change.timesteps, "changed", change.setting, change.setting)


def test_an_ill_worker_counts_while_the_run_goes_on() -> None:
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)
    snapshot = fold_control(snapshot, run_story.live(now, states=("collecting", "failed")), now)
    assert verdict(snapshot, now, heard=True).words == "worker 1 failed"
    assert verdict(snapshot, now, heard=False).word == "learning"


def test_the_line_fits_and_tells_an_old_iteration_s_age(subtests: pytest.Subtests) -> None:
    for width in (60, 80, 120, 200):
        with subtests.test(width=width):
            snapshot = known(told(300, lambda row: row * 0.1))
            pane = StatusPane()
            line = pane.draw(View(snapshot, run_story.now_of(300)), width, 3)[2]
            assert width_of(line) <= width and plain([line]).startswith(" ▲ learning  best ")
            later = run_story.now_of(300) + 240
            heard = fold_control(snapshot, run_story.live(later), later)
            old = plain(pane.draw(View(heard, later), width, 3)[2:])
            assert old.endswith("newest iteration 4 min ago")
            assert plain(pane.draw(View(RunSnapshot(), 0.0), width, 3)[2:]) == "", "no header, no verdict"
            dead = View(replace(snapshot, alive=False), run_story.now_of(300))
            assert plain(pane.draw(dead, width, 3)[2:]).startswith(" ▲ was learning")


def test_a_pause_is_no_illness() -> None:
    """Its workers stand still since the beginning of the pause, and have as long to speak again after it."""
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)

    def line(state: str, at: float, silent: float) -> str:
        frame = run_story.live(at, state=state)
        still = [msgspec.structs.replace(worker, heartbeat_age=silent) for worker in frame.workers]
        frame = msgspec.structs.replace(frame, workers=still)
        return plain(StatusPane().draw(View(fold_control(paused, frame, at), at), 120, 3)[2:])

    paused = fold_control(snapshot, run_story.live(now, state="paused"), now)
    assert line("paused", now + 13, 13.0).startswith(" ▲ was learning  best ")
    assert line("collecting", now + 14, 13.5).startswith(" ▲ learning"), "it has only just gone on"
    paused = fold_control(paused, run_story.live(now + 14), now + 14)
    assert "unhealthy  worker 0 silent" in line("collecting", now + 20, 19.5)


def test_a_pause_before_there_is_a_verdict() -> None:
    snapshot = known(told(12, lambda row: row))
    now = run_story.now_of(12)
    paused = fold_control(snapshot, run_story.live(now, state="paused"), now)
    assert plain(StatusPane().draw(View(paused, now), 120, 3)[2:]).startswith(" –  12 of 60 iterations")


def test_what_is_missing_is_counted_in_iterations_with_a_reward() -> None:
    def words(rows: int) -> str:
        return verdict_of(told(rows, lambda row: math.nan if row <= 20 else row)).words

    assert words(59) == too_few(39)
    assert words(79) == too_few(59)
    assert "best " in words(80)


def test_a_silent_trainer_s_workers_are_not_blamed() -> None:
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)
    silent = fold_control(snapshot, run_story.live(now), now)
    assert "worker" not in plain(StatusPane().draw(View(silent, now + 90), 120, 3)[2:])


def findings_told(first: int, last: int) -> list[Record]:
    return [run_story.iteration(row) for row in range(first, last + 1)]


def grown(snapshot: RunSnapshot, records: Sequence[Record]) -> RunSnapshot:
    return with_findings(fold(snapshot, records))


def start(rows: int) -> RunSnapshot:
    return grown(RunSnapshot(run="alpha", alive=True), [*run_story.opening(), *findings_told(1, rows)])


def test_a_run_that_nobody_has_judged_has_no_findings() -> None:
    assert fold(RunSnapshot(), findings_told(1, 100)).found == Findings()


def test_it_is_judged_by_whole_blocks_however_the_journal_is_read() -> None:
    records = told(237, lambda row: 10.0 - abs(row - 150) * 0.1, lambda row: {KL: 0.02 + 0.001 * (row % 7 - 3)})
    once = known(records).found
    snapshot = RunSnapshot(run="alpha", alive=True)
    draw, at = random.Random(1), 0
    while at < len(records):
        step = draw.choice((1, 2, 7, 30))
        before, snapshot = snapshot, grown(snapshot, records[at : at + step])
        at += step
        assert snapshot.found.trend == known(records[:at]).found.trend
        if before.history.length // BLOCK == snapshot.history.length // BLOCK and before.opened is snapshot.opened:
            assert snapshot.found is before.found
    assert snapshot.found == once and once.trend is not None


def test_a_change_by_hand_has_them_looked_for_again(subtests: pytest.Subtests) -> None:
    for setting in ("learning rate", "reward touch"):
        with subtests.test(setting=setting):
            change = SettingChanged(time=0.0, timesteps=101 * run_story.STEPS, setting=setting, value=2.0, by="ada")
            assert grown(start(104), [change]).found.first == (101 if setting == "reward touch" else 0)


def test_a_resume_has_them_looked_for_again_and_nothing_points_at_rows_that_are_gone() -> None:
    back = RunResumed(time=0.0, timesteps=55 * run_story.STEPS, checkpoint="c", reason="newest")
    snapshot = grown(start(104), [back])
    assert snapshot.found.trend is None
    assert "55 of 60 iterations" in plain(StatusPane().draw(View(snapshot, 0.0), 120, 3)[2:])


class Watched(Sequence[float]):
    """A column that counts the rows asked of it."""

    def __init__(self, values: Sequence[float], read: list[int]) -> None:
        self._values, self._read = values, read

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, place: Any) -> Any:
        found = self._values[place]
        self._read.append(len(found) if isinstance(place, slice) else 1)
        return found


def test_no_picture_reads_the_history_for_them() -> None:
    """The snapshot has them: of 2,000 rows of each column the state above all panes reads the newest few."""
    snapshot, read = start(2000), list[int]()
    columns: Any = {key: Watched(column, read) for key, column in snapshot.history.columns.items()}
    watched = replace(snapshot, history=replace(snapshot.history, columns=columns))
    assert "now" in plain(StatusPane().draw(View(watched, run_story.now_of(2000)), 120, 3)[2:])
    assert 0 < sum(read) < 100, "the speed's 20, a few single ones"
    with_findings(replace(watched, found=Findings()))
    assert sum(read) > 2000, "whoever looks for them reads all"


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
    stopped = replace(rows[0], state="stopped", pid=11411, heartbeat_age=12.0)
    assert worker_problem(stopped, NOW, usual) == ("stopped by a signal: kill -CONT 11411", "bad")
    assert worker_problem(replace(stopped, state="starved"), NOW, usual) == ("too little of the processor", "warn")
    busy = replace(stopped, state="busy", heartbeat_age=12.0, heard=NOW)
    assert worker_problem(busy, NOW, usual) == ("busy in its step for 12 s", "warn")
    assert worker_problem(replace(rows[0], restarts=3), NOW, usual) == ("restarted 3 times", "warn")
    assert usual_speed(rows[:2]) is None, "of two nobody is the usual one"
