"""Numbers as shown and as typed: units, digits, unknown never as 0, none beyond what is counted exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rltui import formatting
from rltui.formatting import LARGEST, timesteps_of
from rltui.runs.meta import milestone_label

FUNCTIONS = [
    formatting.count, formatting.short, formatting.number, formatting.rate, formatting.percent, formatting.micros, formatting.megabytes,
    formatting.duration, formatting.size, formatting.remaining, formatting.age, formatting.ago,
]  # fmt: skip


def test_nothing_is_too_large_to_be_read(subtests: pytest.Subtests) -> None:
    """A loss that explodes, a clock that was never set: a pane has room for a figure, and draws."""
    first = lambda value: formatting.aligned([value, 1.0])[0]  # noqa: E731
    for function in (*FUNCTIONS[1:], formatting.axis, formatting.clock, formatting.date, first):
        for value in (1e12, 1e18, 1e30, 1e100, -1e12, -1e100):
            with subtests.test(function=function, value=value):
                assert len(function(value)) <= 16


def test_a_time_of_no_calendar_is_unknown() -> None:
    times = (math.nan, math.inf, 1e12, 1e90, -1e90)
    assert {text for time in times for text in (formatting.clock(time), formatting.date(time))} == {"–"}


def test_unknown_is_a_dash_in_every_figure(subtests: pytest.Subtests) -> None:
    for function in FUNCTIONS:
        with subtests.test(function=function):
            assert {function(value) for value in (None, math.nan, math.inf)} == {"–"}


WRITTEN: dict[Callable[[float], str], tuple[tuple[float, str], ...]] = {
    formatting.short: (
        (0, "0"), (97, "97"), (999, "999"), (1000, "1.00 k"), (14_100, "14.1 k"), (999_499, "999 k"), (999_600, "1.00 M"),
        (12_431_360, "12.4 M"), (3.2e9, "3.20 G"), (-14_100, "-14.1 k"), (0.25, "0.25"),
    ),
    formatting.number: (
        (0, "0"), (38.04, "38.0"), (0.0081, "0.0081"), (0.00812, "0.0081"), (3.115, "3.12"), (-0.19, "-0.190"), (1204.4, "1,204"),
        (1.42e-6, "1.4e-06"), (2.5e7, "25.0 M"),
    ),
    formatting.axis: (
        (0.0, "0"), (40.0, "40"), (4.8, "4.8"), (0.015, ".015"), (-0.06, "-.06"), (16_000, "16k"), (2_500_000, "2.5M"), (4000, "4000"),
        (3e-6, "3e-6"), (4.497, "4.497"), (0.00945, ".0095"), (-2, "-2"),
    ),
    formatting.duration: (
        (-3, "0 s"), (0.0004, "0 s"), (0.006, "6 ms"), (0.0994, "99 ms"), (0.0995, "0.1 s"), (4.24, "4.2 s"), (9.94, "9.9 s"),
        (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (181, "3 min 01 s"), (3599.6, "1 h 00 min"), (7440, "2 h 04 min"),
        (86_399.6, "1 d 00 h"), (273_600, "3 d 04 h"),
    ),
    formatting.size: (
        (0, "0 B"), (830, "830 B"), (999.6, "1.0 kB"), (1_234, "1.2 kB"), (9_960, "10 kB"), (64_000_000, "64 MB"), (5.14e9, "5.1 GB"),
        (15.62e9, "15.6 GB"), (212e9, "212 GB"), (999.6e9, "1.0 TB"), (12.3e12, "12.3 TB"), (2**30, "1.1 GB"),
    ),
}  # fmt: skip


def test_values_have_unit_and_digits(subtests: pytest.Subtests) -> None:
    for function, cases in WRITTEN.items():
        for value, text in cases:
            with subtests.test(function=function.__name__, value=value):
                assert function(value) == text
    assert max(len(text) for _, text in WRITTEN[formatting.axis]) <= 5  # columns beside a chart


TYPED = (
    ("300000", 300_000), ("300,000", 300_000), (" 300_000 ", 300_000), ("3e5", 300_000), ("300 k", 300_000),
    ("0.3M", 300_000), ("2 M", 2_000_000), ("0.5", None), ("M", None), ("", None), ("many", None), ("inf", None),
    ("nan", None), ("sNaN", None), ("1e999", None), ("3.00001 k", None), ("2MM", None), ("-5", -5),
    ("1e30", None), ("9" * 5000, None), ("1e999999999999", None), (str(LARGEST + 1), None), (f"-{LARGEST + 1}", None),
    (f"{LARGEST:,}", LARGEST),
)  # fmt: skip


def test_timesteps_as_people_type_them(subtests: pytest.Subtests) -> None:
    assert int(float(LARGEST)) == LARGEST
    for text, total in TYPED:
        with subtests.test(text[:30]):
            assert timesteps_of(text) == total


@given(steps=st.integers(0, LARGEST))
def test_what_is_shown_can_be_typed(steps: int) -> None:
    assert timesteps_of(formatting.exact(steps)) == steps


@given(steps=st.integers(1, 10**11), digits=st.integers(1, 6))
def test_a_rounded_number_tells_what_it_rounds(steps: int, digits: int) -> None:
    typed = [formatting.short(steps), formatting.exact(steps), formatting.count(steps)]
    for unit, size in formatting.UNITS.items():
        typed.append(f"{Decimal(steps) / size:.{digits}f}{unit}")
    assert all(formatting.tells(text, steps) for text in typed)


def test_which_numbers_a_text_tells(subtests: pytest.Subtests) -> None:
    for text in ("44k", "44.0k", "44.0 k", "44,000", "44.03k", "0.04M", "0.044 M", "44,032"):
        with subtests.test(text):
            assert formatting.tells(text, 44_032)
    for text in ("45k", "44.1k", "43k", "44,001", "44000", "0.05M", "4k", "nan", "b2", "", "1e999"):
        with subtests.test(text):
            assert not formatting.tells(text, 44_032)


def test_time_left_has_no_tenths_and_no_false_precision() -> None:
    assert [formatting.remaining(value) for value in (-1.0, 0.4, 5.6, 59.4, 59.6, 599, 2086, 7440, 50_000, 273_600)] == [
        "0 s", "0 s", "6 s", "59 s", "1 min 00 s", "9 min 59 s", "34 min", "2 h 04 min", "13 h", "3 d 04 h",
    ]  # fmt: skip


def test_ages_have_one_unit() -> None:
    assert [formatting.age(value) for value in (0.1, 12, 180, 7200, 432_000)] == [
        "0.1 s",
        "12 s",
        "3 min",
        "2 h",
        "5 d",
    ]
    assert [formatting.ago(value) for value in (1, 4.2, 9.6, 180, 3599)] == [
        "just now", "4 s ago", "10 s ago", "3 min ago", "1 h ago",
    ]  # fmt: skip


def test_aligned_figures_share_their_decimals() -> None:
    assert formatting.aligned([25.063, -0.4, 0.0, None]) == ["+25.06", "-0.40", "+0.00", "–"]
    assert formatting.aligned([0.0123, -0.004]) == ["+0.0123", "-0.0040"]
    assert formatting.aligned([1234.5]) == ["+1234"]


def test_what_is_unknown_has_no_unit() -> None:
    for told in (
        formatting.nats,
        formatting.rate,
        formatting.micros,
        formatting.size,
        formatting.percent,
        formatting.age,
    ):
        assert told(None) == told(float("nan")) == formatting.UNKNOWN
    assert formatting.nats(3.123) == "3.12 nats"


def test_percent_of_nearly_nothing_is_not_zero() -> None:
    assert [formatting.percent(share) for share in (0, 0.004, 0.56, 1)] == ["0 %", "<1 %", "56 %", "100 %"]


def test_rate_micros_and_memory_carry_units() -> None:
    assert formatting.rate(14_102) == "14.1 k/s"
    assert formatting.micros(58.44) == "58.4 µs"
    assert formatting.micros(1234.4) == "1,234 µs"
    assert formatting.megabytes(71.2) == "71 MB"
    assert formatting.megabytes(14_541) == "14.5 GB"
    assert formatting.plural(1, "run") == "1 run"
    assert formatting.plural(0, "run") == "0 runs"


@given(steps=st.integers(0, 10**10))
def test_a_milestone_is_told_to_its_last_step(steps: int) -> None:
    told = formatting.millions(milestone_label(steps))
    assert timesteps_of(told) == steps
    assert told == formatting.exact(steps)
    assert told == f"{steps:,}" or sum(map(str.isdecimal, told)) <= 3


def test_a_milestone_s_name() -> None:
    for label, words in (
        ("005M", "5 M"), ("001.09568M", "1,095,680"), ("000.1M", "100 k"), ("000.0256M", "25.6 k"), ("000.000512M", "512"), ("1250M", "1.25 G"), ("012.35M", "12,350,000"),
        ("best one", "best one"), ("M", "M"), ("1.2.3M", "1.2.3M"), ("007x", "007x"),
    ):  # fmt: skip
        assert formatting.millions(label) == words


def test_figures_have_the_decimals_that_their_noise_leaves(subtests: pytest.Subtests) -> None:
    for values, noise, shown in (
        ([14.723, 11.31], 0.41, ["14.7", "11.3", "0.4"]),
        ([1234.5], 42.3, ["1,234", "42"]),
        ([13.73, 13.626], 1.02, ["13.7", "13.6", "1.0"]),
        ([0.0312], 0.0041, ["0.031", "0.004"]),
        ([-0.004], 0.4, ["0.0", "0.4"]),
        ([4.0, 4.0], 0.0, ["4.00", "4.00", "0"]),
        ([2.5e7], 3e5, ["25.0 M", "300,000"]),
    ):
        with subtests.test(values=values, noise=noise):
            assert formatting.measured(values, noise) == shown
