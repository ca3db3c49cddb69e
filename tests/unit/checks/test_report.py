"""What is said of tables that lack something: each fault fails, with the sentence that says what the bot could not do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from rltui.actions.pipeline import PipelineOptions
from rltui.checks.action_table.abilities import BY_NAME, all_legal
from rltui.checks.action_table.findings import TableReport
from rltui.checks.action_table.report import column_check, report, state_masks
from rltui.field import CONTROLS
from tests.fakes.tables import HYBRID, RLGYM, changed, column, exchanged, naive, without

MASK, FALLBACK = PipelineOptions("mask"), PipelineOptions("fallback")
NAIVE = naive()
IDLE, FULL_THROTTLE = 8, 16  # rows of RLGYM


def failed(found: TableReport) -> list[str]:
    return [check.sentence for check in found.of("fail")]


def test_good_tables_pass_without_a_warning(subtests: pytest.Subtests) -> None:
    for rows, options in [(RLGYM, PipelineOptions()), (RLGYM, MASK), (HYBRID, MASK), (HYBRID, FALLBACK), (NAIVE, MASK)]:
        with subtests.test(rows=rows, options=options):
            assert report(rows, options).outcome == "pass"


def test_no_turns_to_the_left_or_none_at_all() -> None:
    found = failed(report(without(RLGYM, column(RLGYM, "steer") < 0)))
    assert "no row turns left while driving: the bot could only turn right" in found
    assert "no row yaws left in the air: the bot could turn in the air to the right only" in found
    found = failed(report(without(RLGYM, column(RLGYM, "steer") != 0)))
    assert "no row turns while driving: the bot could only drive straight on" in found


def test_linked_steer_and_yaw_under_a_rule_that_forbids_air_torque_on_the_ground() -> None:
    torque = (RLGYM[:, 2:5] != 0).any(axis=1)
    masks = all_legal(RLGYM) | {name: ~torque for name, state in BY_NAME.items() if state.wheels_down}
    found = failed(report(RLGYM, masks=masks))
    assert (
        "every row that turns (48) is illegal while driving, at kickoff, on a wall and without boost: "
        "the bot could only drive straight on"
    ) in found


def test_a_jump_that_is_illegal_on_the_roof() -> None:
    masks = all_legal(RLGYM) | {"turtled": column(RLGYM, "jump") == 0}
    assert failed(report(RLGYM, masks=masks)) == [
        "every row that presses jump (18) is illegal on its roof: "
        "the bot could not right itself with a jump, the fastest way"
    ]


def test_exchanged_columns_fail_wherever_they_take_something_away(subtests: pytest.Subtests) -> None:
    for rows in [RLGYM, HYBRID]:
        for pair in list(combinations(CONTROLS, 2)):
            with subtests.test(rows=rows, pair=pair):
                spoiled = exchanged(rows, *pair)
                harmless = {
                    ("steer", "yaw"),
                    ("pitch", "roll"),
                }  # linked, and used alike: the rows are as able as before
                assert (report(spoiled).outcome == "pass") == (pair in harmless)


def test_the_columns_that_people_exchange_are_named(subtests: pytest.Subtests) -> None:
    for rows in [RLGYM, HYBRID]:
        for pair in [("pitch", "yaw"), ("jump", "boost")]:
            with subtests.test(rows=rows, pair=pair):
                found = column_check(exchanged(rows, *pair))
                assert found.outcome == "fail"
                assert f"columns {pair[0]} and {pair[1]} look exchanged" in found.sentence
                assert "with the two exchanged, none of this" in found.sentence
    # in the product this loses nothing but the link
    assert column_check(exchanged(NAIVE, "pitch", "yaw")).outcome == "fail"


def test_a_table_that_happens_to_lack_something_is_not_taken_for_an_exchanged_one() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        some = NAIVE[rng.choice(len(NAIVE), rng.integers(40, 400), replace=False)]
        assert column_check(some).outcome == "pass"


def test_a_duplicate_row_for_which_minus_zero_is_zero() -> None:
    copied = RLGYM.copy()
    copied[7] = RLGYM[3]
    assert any(sentence.startswith("row 7 is row 3 again") for sentence in failed(report(copied)))
    twice = np.concatenate([RLGYM, RLGYM[IDLE : IDLE + 1] * np.float32(-1)])
    assert any("row 90 is row 8 again" in sentence for sentence in failed(report(twice)))


def test_a_cell_that_is_no_control(subtests: pytest.Subtests) -> None:
    for name, value, sentence in [
        ("jump", 0.5, "row 60: jump is neither 0 nor 1"),
        ("boost", -1.0, "row 60: boost is neither 0 nor 1"),
        ("pitch", np.nan, "row 60: pitch is not finite"),
        ("roll", np.inf, "row 60: roll is not finite"),
        ("yaw", 1.5, "row 60: yaw is beyond -1 and 1: the bot could not do what no controller can"),
    ]:
        with subtests.test(name=name, value=value, sentence=sentence):
            found = failed(report(changed(RLGYM, 60, name, value)))
            assert len(found) == 1 and found[0].startswith(sentence)
    found = report(changed(RLGYM, 60, "yaw", 1.5), PipelineOptions(clip=True))
    assert found.outcome == "warn"


def test_no_idle_row_or_no_full_throttle_row() -> None:
    assert failed(report(np.delete(RLGYM, IDLE, axis=0))) == [
        "no row is idle: the bot could never let go of all controls"
    ]
    assert failed(report(np.delete(RLGYM, FULL_THROTTLE, axis=0))) == [
        "no row is plain full throttle while driving: the bot could not drive straight on without doing something else as well"
    ]


def test_a_fallback_row_that_is_not_zero() -> None:
    found = failed(report(RLGYM, PipelineOptions("fallback", fallback_row=FULL_THROTTLE)))
    assert found == ["fallback row 16 is not all zeros (throttle): it is played for illegal choices"]
    assert report(RLGYM, PipelineOptions("fallback", fallback_row=IDLE)).outcome == "pass"


def test_rows_that_are_none() -> None:
    for key in ("fallback_row", "recovery_row"):
        assert failed(report(RLGYM, PipelineOptions("fallback", **{key: 90})))[0].startswith(f"{key} 90 is no row")


def test_a_recovery_row_that_rights_nothing_is_a_warning() -> None:
    found = report(RLGYM, PipelineOptions("fallback", recovery_row=IDLE))
    assert [check.key for check in found.of("warn")] == ["recovery"]
    assert report(RLGYM, PipelineOptions("fallback", recovery_row=56)).outcome == "pass"


def test_half_of_a_pair_fails_where_all_of_it_is_a_warning() -> None:
    back = (column(HYBRID, "jump") != 0) & (column(HYBRID, "pitch") > 0)
    assert "no row flips backward in the air: the bot could only flip forward" in failed(report(without(HYBRID, back)))
    dodges = (column(HYBRID, "jump") != 0) & (HYBRID[:, 2:5] != 0).any(axis=1)
    plain = report(without(HYBRID, dodges))
    assert plain.outcome == "warn"
    assert "no row flips to a side in the air: the bot could not flip sideways" in [
        c.sentence for c in plain.of("warn")
    ]


def test_the_naive_product_is_described_as_what_it_is_also_where_it_is_incomplete() -> None:
    found = report(NAIVE)
    assert found.outcome == "pass"
    about = found.checks[0].sentence
    assert about.startswith("1,800 rows, 1,800 different: all 1,800 of throttle (3) × ")
    assert "steer = yaw (5)" in about
    # 900 jumps; 3 × 5 × 2 without boost; with it, at full throttle whatever the row says, 5 × 2
    assert "940 of them differ in effect while driving" in about
    assert about.endswith("press jump 50%, boost 50% and handbrake 50% of the time")
    assert (
        report(NAIVE[11:]).checks[0].sentence.startswith("1,789 rows, 1,789 different: 1,789 of the 1,800 of throttle")
    )


def test_the_state_tables_count_legal_rows() -> None:
    states = {state.state: state for state in report(HYBRID, MASK).states}
    jumps, boosts = int((column(HYBRID, "jump") != 0).sum()), int((column(HYBRID, "boost") != 0).sum())
    assert states["driving"].legal == states["turtled"].legal == len(HYBRID)
    assert states["airborne without flip"].legal == len(HYBRID) - jumps
    assert states["boost 0"].legal == len(HYBRID) - boosts
    assert (states["demolished"].legal, states["demolished"].effects) == (1, 1)
    assert states["driving"].values["steer"] == (-1.0, -0.5, 0.0, 0.5, 1.0)
    assert states["driving"].moves["turns left"] == int(
        ((column(HYBRID, "steer") < 0) & (column(HYBRID, "jump") == 0)).sum()
    )


def test_without_legality_every_row_is_legal_everywhere() -> None:
    assert all(mask.all() for mask in state_masks(RLGYM, PipelineOptions()).values())


def test_a_table_of_nothing_but_nan_is_reported_not_raised() -> None:
    assert report(np.full((3, 8), np.nan, np.float32)).outcome == "fail"
