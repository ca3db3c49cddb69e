"""The verdict line with its evidence, what the reader thread looks for, causes, and symptoms."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from rltui.events.commands import SetEntropy, SetFlag, SetLearningRate, SetRewardWeight
from rltui.events.records import IterationFinished, Record, RunResumed, SettingChanged, UpdateDropped
from rltui.run_state.change_command import parse
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.history import History
from rltui.run_state.snapshot import RunSnapshot, WorkerRow
from rltui.run_state.symptoms import usual_speed, worker_problem
from rltui.run_state.trend import BLOCK, Findings, needed
from rltui.run_state.verdict import Verdict, verdict, with_findings
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


def test_learning_says_from_what_to_what_and_over_how_long() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1))
    assert (found.word, found.role) == ("learning", "good")
    assert found.words.startswith("mean reward ")
    assert found.words.endswith("over 110 iterations (2 min 37 s)"), "109 iterations of about 1.44 s lie between them"


def test_flat_says_since_when() -> None:
    found = verdict_of(told(300, lambda row: min(row * 0.1, 10.0)))
    assert (found.word, found.role) == ("flat", "warn")
    assert found.words.startswith("since 2.07 M timesteps (5 min): mean reward 10."), "100 iterations of 20,480 steps"


def test_falling_says_since_when() -> None:
    found = verdict_of(told(300, lambda row: 10.0 - abs(row - 150) * 0.1))
    assert found.word == "falling"
    assert "steps (4 min): mean reward" in found.words


def test_too_little_is_a_dash_and_says_what_it_takes() -> None:
    assert verdict_of(told(12, lambda row: row)) == Verdict(
        "–", "–", "muted", "no verdict yet: it takes 60 iterations, 12 are done"
    )
    assert verdict_of([]).words == "no verdict yet: it takes 60 iterations, 0 are done"


def test_rewards_of_before_a_change_of_what_is_paid_are_others(subtests: pytest.Subtests) -> None:
    for setting in ("reward touch", "learning rate"):
        with subtests.test(setting=setting):
            records = told(300, lambda row: row * 0.1)
            change = SettingChanged(
                time=run_story.START, timesteps=280 * run_story.STEPS, setting=setting, value=2.0, by="ada"
            )
            found = verdict_of([*records, change])
            if setting == "learning rate":
                assert found.word == "learning"
            else:
                assert found.words == "no verdict yet: it takes 60 iterations since the rewards changed, 20 are done"


def test_another_profile_s_rewards_are_others_too() -> None:
    """A start with an edited profile is no change that is marked; an iteration without episodes is none at all."""

    def paid(row: int) -> dict[str, float]:
        name = "reward/old" if row <= 220 else "reward/new"
        return {} if row == 260 else {name: 1.0}

    records = told(300, lambda row: 0.1 * row if row != 260 else math.nan, paid)
    assert known(records).found.first == 220
    assert known(records[:-80]).found.first == 0
    assert known(records[:-79]).found.first == 220


def test_one_reward_more_or_less_makes_others_of_them(subtests: pytest.Subtests) -> None:
    """By its figures alone, or by a mark too: whichever is the newer change."""
    for change in ({"reward/new": 1.0}, {"reward/touch": None}):
        with subtests.test(change=change):
            records = told(300, lambda row: 0.1 * row, lambda row, change=change: {} if row <= 220 else change)
            assert known(records).found.first == 220
            weight = SettingChanged(time=0.0, timesteps=0, setting="reward touch", value=2.0, by="ada")
            for row, first in ((150, 220), (250, 250)):
                marked = msgspec.structs.replace(weight, timesteps=row * run_story.STEPS)
                assert known([*records, marked]).found.first == first


def test_since_when_is_counted_under_the_present_rewards() -> None:
    """They begin at row 100; a weight of another reward had changed before."""
    records = told(
        300, lambda row: 50.0 if row <= 100 else min(row * 0.1, 20.0), lambda row: {"weight/goal": float(row > 150)}
    )
    change = SettingChanged(time=0.0, timesteps=100 * run_story.STEPS, setting="reward touch", value=2.0, by="ada")
    found = verdict_of([*records, change])
    assert found.word == "flat" and "weight" not in found.words
    assert found.words.startswith("since 4.12 M timesteps (2 min): mean reward 20."), "row 201 of 20,480 steps each"


def test_what_stands_still_owes_nothing_to_chance() -> None:
    found = of_rewards([4.0] * 100)
    assert found.words == "since 0 timesteps: mean reward 4.00 then, 4.00 now"


def test_a_rise_is_seen_in_its_figures() -> None:
    """In as many digits as it takes."""
    assert of_rewards([*[100.08] * 40, *[100.38] * 30]).words == "mean reward 100.1 → 100.4 over 50 iterations"


def test_a_slow_worker_is_no_illness_of_the_run() -> None:
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)
    rows = [WorkerRow(index, "collecting", steps_per_second=9e3 if index else 1e3) for index in range(4)]
    assert worker_problem(rows[0], now, usual_speed(rows)) == ("slow: 11 % of the others", "warn")
    assert verdict(replace(snapshot, workers=tuple(rows)), now, heard=True).word == "learning"


def test_a_weight_that_is_the_profile_s_again_has_not_changed() -> None:
    judged_at = verdict_of(told(300, lambda row: row * 0.1, lambda row: {"weight/touch": 2.0} if row < 250 else {}))
    assert "weight" not in judged_at.words


def test_flat_says_what_chance_may_make() -> None:
    found = verdict_of(told(90, lambda row: 40.0 + 6 * (row // 10 % 2)))
    assert found.word == "flat" and found.words.endswith("by chance")


def test_a_schedule_that_moves_a_weight_is_told_with_the_reward() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1, lambda row: {"weight/touch": 1.0 - row * 0.001}))
    assert found.words.endswith(", while 1 reward weight changed")


def test_unhealthy_says_why_since_when_and_what_to_try() -> None:
    found = verdict_of(told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008}))
    assert (found.word, found.role, found.symbol) == ("unhealthy", "bad", "✗")
    assert found.words.startswith(
        "because KL 0.0500, above the usual 0.002–0.02, for 100 iterations (2 min 22 s): lower the learning rate or ppo.epochs"
    )
    assert found.words.endswith("; reward rising")


def test_one_bad_update_is_no_illness() -> None:
    assert (
        verdict_of(told(300, lambda row: row * 0.1, lambda row: {KL: 0.5 if row == 299 else 0.008})).word == "learning"
    )


def test_a_critic_has_time_to_learn() -> None:
    def poor(rows: int) -> Verdict:
        return verdict_of(told(rows, lambda row: row * 0.1, lambda row: {VARIANCE: 0.05}), rows)

    assert poor(99).word == "learning"
    assert poor(100).words.startswith(
        "because explained variance 0.0500, below the usual 0.3 or more, for 100 iterations"
    )


def test_how_far_back_was_looked_is_no_claim() -> None:
    rows = told(1200, lambda row: row * 0.1, lambda row: {KL: 0.05})
    assert ", for 1,000 iterations or more (23 min 58 s)" in verdict_of(rows, 1200).words


def test_paused_and_stopped_time_is_no_time_at_work(subtests: pytest.Subtests) -> None:
    """A pause of ten minutes within the 100 iterations of an illness, and of a rise."""
    for there in (True, False):
        with subtests.test(there=there):
            rows = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05 if row > 200 else 0.008})
            late = [msgspec.structs.replace(one, time=one.time + 600 * (one.timesteps > 250 * run_story.STEPS))
                    if isinstance(one, IterationFinished) else one for one in rows]  # fmt: skip
            if not there:
                late = [msgspec.structs.replace(one, metrics={**one.metrics, "time/iteration": None})
                        if isinstance(one, IterationFinished) else one for one in late]  # fmt: skip
            words = verdict_of(late).words
            assert ("for 100 iterations (2 min 22 s)" in words) is there
            assert ("for 100 iterations (12 min 24 s)" in words) is not there, "nothing tells that it was paused"
            falling = told(300, lambda row: 10.0 - abs(row - 150) * 0.1)
            shifted = [msgspec.structs.replace(one, time=one.time + 600 * (one.timesteps > 250 * run_story.STEPS))
                       if isinstance(one, IterationFinished) else one for one in falling]  # fmt: skip
            assert verdict_of(shifted).words == verdict_of(falling).words


def test_dropped_updates_come_first() -> None:
    records = told(300, lambda row: row * 0.1, lambda row: {KL: 0.05})
    dropped = UpdateDropped(
        time=0.0, iteration=299, timesteps=299 * run_story.STEPS, source="reward touch, worker 1", in_a_row=1
    )
    assert verdict_of([*records, dropped]).words.startswith(
        "because 1 update dropped, newest by reward touch, worker 1, for 20 iterations"
    )
    assert "; and 1 more" in verdict_of([*records, dropped]).words


def test_an_ill_worker_counts_while_the_run_goes_on() -> None:
    snapshot = known(told(300, lambda row: row * 0.1))
    now = run_story.now_of(300)
    snapshot = fold_control(snapshot, run_story.live(now, states=("collecting", "failed")), now)
    assert verdict(snapshot, now, heard=True).words.startswith("because worker 1 failed: see Workers")
    assert verdict(snapshot, now, heard=False).word == "learning"


def test_the_line_fits_and_tells_an_old_iteration_s_age(subtests: pytest.Subtests) -> None:
    for width in (60, 80, 120, 200):
        with subtests.test(width=width):
            snapshot = known(told(300, lambda row: row * 0.1))
            pane = StatusPane()
            line = pane.draw(View(snapshot, run_story.now_of(300)), width, 3)[2]
            assert width_of(line) <= width and plain([line]).startswith(" ▲ learning  mean reward ")
            old = plain(pane.draw(View(snapshot, run_story.now_of(300) + 240), width, 3)[2:])
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
    assert line("paused", now + 13, 13.0).startswith(" ‖ paused, was learning  mean reward ")
    assert line("collecting", now + 14, 13.5).startswith(" ▲ learning"), "it has only just gone on"
    paused = fold_control(paused, run_story.live(now + 14), now + 14)
    assert "unhealthy  because worker 0 silent" in line("collecting", now + 20, 19.5)


def test_a_pause_before_there_is_a_verdict() -> None:
    snapshot = known(told(12, lambda row: row))
    now = run_story.now_of(12)
    paused = fold_control(snapshot, run_story.live(now, state="paused"), now)
    assert plain(StatusPane().draw(View(paused, now), 120, 3)[2:]).startswith(" ‖ paused  no verdict yet: it takes 60 ")


def test_what_is_missing_is_counted_in_iterations_with_a_reward() -> None:
    def words(rows: int) -> str:
        return verdict_of(told(rows, lambda row: math.nan if row <= 20 else row)).words

    assert words(59) == (
        "no verdict yet: it takes 60 iterations with a reward, 39 are done; "
        "20 more have none: no episodes ended in them, or only short ones"
    )
    assert "60 iterations with a reward, 42 are done; 20 more have none" in words(62)
    assert "60 iterations with a reward, 59 are done; 20 more have none" in words(79)
    assert words(80).startswith("mean reward ")


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


def test_few_iterations_are_looked_at_one_by_one() -> None:
    snapshot = start(needed() - 2)
    later = grown(snapshot, findings_told(needed() - 1, needed() - 1))
    assert (snapshot.found.rows, later.found.rows) == (needed() - 2, needed() - 1)
    assert later.found.trend is None and grown(later, findings_told(needed(), needed())).found.trend is not None


def test_many_are_looked_at_block_by_block() -> None:
    snapshot = start(100)
    within = grown(snapshot, findings_told(101, 100 + BLOCK - 1))
    assert within.found is snapshot.found and with_findings(within) is within
    assert grown(within, findings_told(100 + BLOCK, 100 + BLOCK)).found.rows == 100 + BLOCK


def test_a_change_by_hand_has_them_looked_for_again(subtests: pytest.Subtests) -> None:
    for setting in ("learning rate", "reward touch"):
        with subtests.test(setting=setting):
            change = SettingChanged(time=0.0, timesteps=101 * run_story.STEPS, setting=setting, value=2.0, by="ada")
            found = grown(start(104), [change]).found
            assert (found.rows, found.first) == (104, 101 if setting == "reward touch" else 0)


def test_a_resume_has_them_looked_for_again_and_nothing_points_at_rows_that_are_gone() -> None:
    back = RunResumed(time=0.0, timesteps=55 * run_story.STEPS, checkpoint="c", reason="newest")
    snapshot = grown(start(104), [back])
    assert snapshot.found.rows == 55 and snapshot.found.trend is None
    line = plain(StatusPane().draw(View(snapshot, 0.0), 120, 3)[2:])
    assert "it takes 60 iterations, 55 are done" in line


def test_a_resume_within_a_block_that_takes_a_mark_for_its_own_has_them_looked_for_again() -> None:
    saved = run_story.saved(103 * run_story.STEPS, 0.0, milestone=True)
    before = grown(start(102), [*findings_told(103, 104), saved])
    back = RunResumed(time=0.0, timesteps=102 * run_story.STEPS, checkpoint="c", reason="newest")
    after = grown(before, [back])
    assert len(after.marks) == len(before.marks) and (before.found.rows, after.found.rows) == (104, 102)


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
    assert "reward" in plain(StatusPane().draw(View(watched, run_story.now_of(2000)), 120, 3)[2:])
    assert 0 < sum(read) < 100, "the speed's 20, a few single ones"
    with_findings(replace(watched, found=Findings()))
    assert sum(read) > 2000, "whoever looks for them reads all"


RATE, REWARD = "learning rate", "reward touch"
USUAL = ": it hardly explores any more: raise the entropy coefficient"


def changed(row: int, setting: str = RATE, value: float | None = 1.0, profile: bool = False) -> SettingChanged:
    """In force from the update of this row on."""
    return SettingChanged(
        time=run_story.now_of(row), timesteps=(row - 1) * run_story.STEPS, setting=setting, value=value, by="ada",
        profile=profile,
    )  # fmt: skip


def words(*changes: SettingChanged, collapsed: int = 201, rows: int = 260) -> str:
    """Of a run whose entropy is 0 from row `collapsed` on, rows from 1."""
    records: list[Record] = [row_of(row, 0.0 if row >= collapsed else 3.0) for row in range(1, rows + 1)]
    for change in sorted(changes, key=lambda one: one.timesteps, reverse=True):
        records.insert(change.timesteps // run_story.STEPS, change)
    return cause_told([*run_story.opening(), *records], rows)


def row_of(row: int, entropy: float) -> IterationFinished:
    base = run_story.iteration(row)
    return msgspec.structs.replace(base, metrics={**base.metrics, "train/entropy": entropy})


def cause_told(records: list[Record], rows: int) -> str:
    snapshot = with_findings(fold(RunSnapshot(run="alpha", alive=True), records))
    return verdict(snapshot, run_story.now_of(rows), heard=True).words


def test_a_rate_by_hand_shortly_before_is_named_first_and_the_usual_advice_is_not(subtests: pytest.Subtests) -> None:
    for row in (152, 175, 201, 211):
        with subtests.test(row=row):
            found = words(changed(row))
            steps = (row - 1) * run_story.STEPS / 1e6
            assert found.startswith(
                f"since learning rate 1 at {steps:.2f} M timesteps: take it back with `: lr profile`; entropy 0, below"
            )
            assert "raise the entropy coefficient" not in found


def test_one_long_before_or_after_is_not_blamed(subtests: pytest.Subtests) -> None:
    for row in (140, 151, 212, 230):
        with subtests.test(row=row):
            assert USUAL in words(changed(row)) and "since learning rate" not in words(changed(row))


def test_however_long_it_has_been_so(subtests: pytest.Subtests) -> None:
    for rows in (211, 215, 222, 237, 260, 295):
        with subtests.test(rows=rows):
            assert "since learning rate 1 at 4.10 M timesteps" in words(changed(201), rows=rows)


def test_each_change_says_what_takes_it_back(subtests: pytest.Subtests) -> None:
    """As the line of changes takes it."""
    for setting, value, command in (
        (RATE, 1.0, SetLearningRate(None)),
        ("entropy", 5.0, SetEntropy(None)),
        (REWARD, -1.0, SetRewardWeight("touch", None)),
        ("debug_turtled_start on", None, SetFlag("debug_turtled_start", False)),
        ("debug_turtled_start on in worker 1", None, SetFlag("debug_turtled_start", False, 1)),
    ):
        with subtests.test(setting=setting, value=value, command=command):
            typed = re.search("take it back with `: (.*?)`", words(changed(201, setting, value)))
            assert typed is not None and parse(typed[1]) == command


def test_the_newest_before_it_is_the_one() -> None:
    assert "since learning rate 1 at" in words(changed(180, REWARD, 3.0), changed(200))
    assert "since reward touch 3 at" in words(changed(180), changed(200, REWARD, 3.0))
    assert "since reward touch 3 at" in words(changed(180), changed(202, REWARD, 3.0)), "the very row it began at"


def test_soon_after_the_first_row_there_is_no_row_so_far_back() -> None:
    assert "since learning rate 1 at" in words(changed(3), collapsed=21, rows=60)


def test_what_was_taken_back_or_replaced_holds_no_more(subtests: pytest.Subtests) -> None:
    for value in (2e-4, 1e-3):
        with subtests.test(value=value):
            found = words(changed(201), changed(215, RATE, value, profile=value == 2e-4))
            assert (
                "since learning rate 1 at 4.10 M timesteps, which holds no more: go on from a milestone of before it"
                in found
            )


def test_it_began_where_it_began_until_it_is_looked_for_again() -> None:
    """50 iterations after the change, the farthest that one is blamed for; nine more do not move that."""
    records = [*run_story.opening(), *(row_of(row, 0.0 if row >= 201 else 3.0) for row in range(1, 261))]
    records.insert(records.index(row_of(151, 3.0)) + 1, changed(152))
    snapshot = with_findings(fold(RunSnapshot(run="alpha", alive=True), records))
    later = with_findings(fold(snapshot, [row_of(row, 0.0) for row in range(261, 270)]))
    first, second = (verdict(one, run_story.now_of(269), heard=True).words for one in (snapshot, later))
    assert first == second and first.startswith("since learning rate 1 at 3.09 M timesteps")


def test_taking_back_is_no_cause() -> None:
    assert USUAL in words(changed(100), changed(195, RATE, 2e-4, profile=True))
    assert USUAL in words(changed(100), changed(195, "debug_turtled_start off", None))


def test_an_edited_profile_is_named_as_such() -> None:
    weighed = {"touch": 1.0}
    before = msgspec.structs.replace(run_story.header(), reward_weights=weighed)
    after = msgspec.structs.replace(
        before, timesteps=200 * run_story.STEPS, time=run_story.now_of(200), reward_weights={"touch": -3.0}
    )
    first, second = (
        [row_of(row, entropy) for row in rows] for entropy, rows in ((3.0, range(1, 201)), (0.0, range(201, 261)))
    )
    found = cause_told([before, *first, after, *second], 260)
    assert "since reward touch -3 at 4.10 M timesteps, by the profile: set it back there" in found


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
    assert worker_problem(replace(rows[0], restarts=3), NOW, usual) == ("restarted 3 times", "warn")
    assert usual_speed(rows[:2]) is None, "of two nobody is the usual one"
