"""The reward trace as text: numbers that stand below each other, columns that fit, sums that equal the totals."""

from __future__ import annotations

import random

import pytest

from rltui.events.match_frames import StepRewards, Watched
from rltui.tui.panes.reward_trace import (
    DrawnRows,
    PaidSteps,
    TraceRows,
    TraceTable,
    broken_name,
    joined,
    paid_text,
    time_text,
)
from rltui.tui.text import plain, width_of
from tests.fakes.moments import car, moment
from tests.fakes.watched_match import NAMES, watched


def seen(*terms: tuple[float, ...], names: tuple[str, ...] = ("touch", "speed"), episode: int = 1) -> PaidSteps:
    """One car, paid so at ticks 8, 16, …"""
    paid = PaidSteps()
    for number, each in enumerate(terms, 1):
        step = StepRewards(8 * number, episode, (each,), touches=(int(number == 2),), goal=int(number == 3))
        paid.take(Watched(moment(tick=8 * number, cars=(car(0, (0.0, 0.0, 17.0)),)), episode, 0, names, (step,)))
    return paid


def words(*lines: object) -> list[list[str]]:
    return [row.split() for row in plain(lines).split("\n")]  # type: ignore[arg-type]


def test_a_step_its_sums_and_its_total_by_hand() -> None:
    paid = seen((1.0, 0.25), (0.0, -0.5), (2.0, 0.125))
    table = TraceTable(paid, 0, 80)
    assert words(*table.head) == [[], ["time", "touch", "speed", "total"]]
    assert words(*TraceRows(tuple(paid.steps), table)[:]) == [
        ["0:00.06", "+1.0000", "+0.2500", "+1.2500"],
        ["0:00.13", "·", "-0.5000", "-0.5000", "touch"],
        ["0:00.20", "+2.0000", "+0.1250", "+2.1250", "goal"],
    ]
    _, episode, before = words(*table.foot(paid, bars=False))
    assert episode == ["episode*", "+3.0000", "-0.1250", "+2.8750"]
    assert before == ["before", "–"]


def test_a_row_is_drawn_once_as_long_as_its_columns_stay() -> None:
    paid, drawn = seen((1.0, 0.25), (0.0, -0.5)), DrawnRows()
    steps, table = tuple(paid.steps), TraceTable(paid, 0, 80)
    first = TraceRows(steps, table, drawn)[:]
    again = TraceRows(steps, TraceTable(paid, 0, 80), drawn)[:]
    assert all(one is other for one, other in zip(first, again, strict=True))
    narrow = TraceTable(paid, 0, 40)
    assert TraceRows(steps, narrow, drawn)[:] == [narrow.row(step) for step in steps] != first


def test_a_viewer_that_begins_anew_has_other_steps_at_the_same_ticks() -> None:
    drawn = DrawnRows()
    for paid in (seen((1.0, 0.25)), seen((7.0, 0.5))):
        table = TraceTable(paid, 0, 80)
        assert TraceRows(tuple(paid.steps), table, drawn)[:] == [table.row(paid.steps[0])]


def test_a_bar_is_the_part_of_what_was_paid_and_charged() -> None:
    paid = seen((3.0, -1.0))
    table = TraceTable(paid, 0, 80)
    line = table.foot(paid, bars=True)[2]
    assert plain([line]).startswith("share")
    filled = {role: text.count("━") + text.count("╸") / 2 for text, role in line if set(text) <= {"━", "╸"}}
    assert filled["positive"] == 3 * filled["negative"]
    nothing = seen((0.0, 0.0))
    assert "━" not in plain(TraceTable(nothing, 0, 80).foot(nothing, bars=True))


@pytest.mark.parametrize("width", [60, 78, 118, 198])
def test_the_columns_of_any_width_add_up_and_fit(width: int) -> None:
    names = (*NAMES, *(f"my/rewards.py:Something{index}" for index in range(20)))
    paid = PaidSteps()
    paid.take(watched(40, names=names))
    table = TraceTable(paid, 1, width)
    lines = [*table.head, *TraceRows(tuple(paid.steps), table)[:], *table.foot(paid, bars=True)]
    assert max(map(width_of, lines)) <= width
    for step in paid.steps:
        *terms, total = [
            0.0 if word == "·" else float(word) for word in plain([table.row(step)]).split()[1:] if word[0] in "·+-"
        ]
        assert sum(terms) == pytest.approx(total, abs=1e-3)
        assert total == pytest.approx(step.total(1), abs=1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "·"), (0.00634, "+0.0063"), (-0.0379, "-0.0379"), (1.5, "+1.5000"), (-42.25, "-42.2500"), (100.5, "+100.500"),
        (-2500.0, "-2500.00"), (31_000.0, "+31000.0"), (0.00003, "+3e-05"), (1e6, "+1.0e+06"),
    ],
)  # fmt: skip
def test_an_amount(value: float, text: str) -> None:
    assert paid_text(value) == text


def test_an_amount_fits_its_column_whatever_it_is() -> None:
    rng = random.Random(0)
    values = [rng.choice((-1, 1)) * 10 ** rng.uniform(-9, 9) for _ in range(2000)]
    assert max(len(paid_text(value)) for value in (*values, 99.99996, 999.9996, 9999.996, 98_999.96)) <= 8


@pytest.mark.parametrize(
    ("tick", "text"), [(0, "0:00.00"), (8, "0:00.06"), (119, "0:00.99"), (65 * 120 + 40, "1:05.33")]
)
def test_a_time(tick: int, text: str) -> None:
    assert time_text(tick) == text


@pytest.mark.parametrize(
    ("name", "width", "lines"),
    [
        ("touch", 8, ("", "touch")),
        ("speed_toward_ball", 14, ("speed_toward_", "ball")),
        ("speed_toward_ball", 8, ("speed_", "toward_…")),
        ("my/file.py:Reward", 8, ("", "Reward")),
        ("Incomprehensible", 8, ("Incompre", "hensible")),
    ],
)
def test_a_long_name_has_two_lines(name: str, width: int, lines: tuple[str, str]) -> None:
    assert broken_name(name, width) == lines


def test_neighbours_of_one_role_are_one_span() -> None:
    assert joined([("a", ""), ("b", ""), ("c", "bad"), ("d", "")]) == (("ab", ""), ("c", "bad"), ("d", ""))
