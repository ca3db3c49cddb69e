"""An illness that began with a change is told with it, and how it is taken back; any other with what to try."""

from __future__ import annotations

import re

import msgspec
import pytest

from rltui.events.commands import SetEntropy, SetFlag, SetLearningRate, SetRewardWeight
from rltui.events.records import IterationFinished, Record, SettingChanged
from rltui.run_state.change_command import parse
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.verdict import verdict, with_findings
from tests.fakes import run_story

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
    return told([*run_story.opening(), *records], rows)


def row_of(row: int, entropy: float) -> IterationFinished:
    base = run_story.iteration(row)
    return msgspec.structs.replace(base, metrics={**base.metrics, "train/entropy": entropy})


def told(records: list[Record], rows: int) -> str:
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
    found = told([before, *first, after, *second], 260)
    assert "since reward touch -3 at 4.10 M timesteps, by the profile: set it back there" in found
