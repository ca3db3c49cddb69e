"""An illness that began with a change is told with it, and how it is taken back; any other with what to try."""

from __future__ import annotations

import msgspec
import pytest

from rltui.events.records import IterationFinished, Record, SettingChanged
from rltui.tui.run.fold import fold
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.verdict import findings, verdict
from tests.fakes import run_story

RATE, REWARD = "learning rate", "reward touch"
USUAL = ": it hardly explores any more: raise ent_coef"


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
    snapshot = fold(RunSnapshot(run="alpha", alive=True), records)
    return verdict(snapshot, findings(snapshot), run_story.now_of(rows), heard=True).words


@pytest.mark.parametrize("row", [152, 175, 201, 209])
def test_a_rate_by_hand_shortly_before_is_named_first_and_the_usual_advice_is_not(row: int) -> None:
    found = words(changed(row))
    steps = (row - 1) * run_story.STEPS / 1e6
    assert found.startswith(
        f"since learning rate 1 at {steps:.2f} M steps: take it back with `: lr profile`; entropy 0, below"
    )
    assert "raise ent_coef" not in found


@pytest.mark.parametrize("row", [140, 230])
def test_one_long_before_or_after_is_not_blamed(row: int) -> None:
    assert USUAL in words(changed(row)) and "since learning rate" not in words(changed(row))


@pytest.mark.parametrize("rows", [211, 215, 222, 237, 260, 295])
def test_however_long_it_has_been_so(rows: int) -> None:
    assert "since learning rate 1 at 4.10 M steps" in words(changed(201), rows=rows)


@pytest.mark.parametrize(
    ("setting", "value", "typed"),
    [
        ("entropy", 5.0, ": entropy profile"),
        (REWARD, -1.0, ": reward touch profile"),
        ("debug_turtled_start on", None, ": flag debug_turtled_start off"),
        ("debug_turtled_start on in worker 1", None, ": flag debug_turtled_start off 1"),
    ],
)
def test_each_change_says_what_takes_it_back(setting: str, value: float | None, typed: str) -> None:
    assert f"take it back with `{typed}`" in words(changed(201, setting, value))


def test_the_newest_before_it_is_the_one() -> None:
    assert "since learning rate 1 at" in words(changed(180, REWARD, 3.0), changed(200))
    assert "since reward touch 3 at" in words(changed(180), changed(200, REWARD, 3.0))


@pytest.mark.parametrize("value", [2e-4, 1e-3])
def test_what_was_taken_back_or_replaced_holds_no_more(value: float) -> None:
    found = words(changed(201), changed(215, RATE, value, profile=value == 2e-4))
    assert "since learning rate 1 at 4.10 M steps, which holds no more: go on from a milestone of before it" in found


def test_taking_back_is_no_cause() -> None:
    assert USUAL in words(changed(100), changed(195, RATE, 2e-4, profile=True))


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
    assert "since reward touch -3 at 4.10 M steps, by the profile: set it back there" in found
