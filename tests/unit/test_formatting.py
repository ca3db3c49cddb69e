"""Numbers as shown and as typed: units, digits, unknown never as 0, none beyond what is counted exactly; and over all magnitudes:
short, in order, true to their digits, and never a minus before nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rltui import formatting
from rltui.formatting import LARGEST, timesteps_of
from rltui.runs.meta import milestone_label
from tests.fakes.every import every

FUNCTIONS = [
    formatting.count, formatting.short, formatting.number, formatting.rate, formatting.percent, formatting.micros, formatting.megabytes,
    formatting.duration, formatting.size, formatting.remaining, formatting.age, formatting.ago, formatting.nats,
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
        (1.42e-6, "1.4e-06"), (2.5e7, "25.0 M"), (99.96, "100"), (9.996, "10.0"), (0.9996, "1.00"), (0.09996, "0.100"), (-99.96, "-100"),
        (99.94, "99.9"), (9.96e-5, "0.0001"), (9.94e-5, "9.9e-05"), (999_999.6, "1.00 M"),
    ),
    formatting.axis: (
        (0.0, "0"), (40.0, "40"), (4.8, "4.8"), (0.015, ".015"), (-0.06, "-.06"), (16_000, "16k"), (2_500_000, "2.5M"), (4000, "4000"),
        (3e-6, "3e-6"), (4.497, "4.497"), (0.00945, ".0095"), (-2, "-2"), (999_960, "1M"), (9_999.7, "10k"), (-12_345, "-12k"), (-1_234_000, "-1.2M"),
        (-0.0, "0"), (-123_456, "-123k"),
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


def test_percent_of_nearly_nothing_is_not_zero() -> None:
    assert [formatting.percent(share) for share in (0, 0.004, 0.56, 1)] == ["0 %", "<1 %", "56 %", "100 %"]


def test_rate_micros_and_memory_carry_units() -> None:
    assert formatting.rate(14_102) == "14.1 k/s"
    assert formatting.nats(3.123) == "3.12 nats"
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


Write = Callable[[float], str]
SIZES = {
    "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "%": 0.01, "µs": 1.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "/s": 1.0, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9,
}  # fmt: skip
SPANS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}


def one_aligned(value: float) -> str:
    return formatting.aligned([value])[0]


# Each with the columns that it may take, the share of the value and the absolute amount by which it may be off.
WRITERS: tuple[tuple[Write, int, float, float], ...] = (
    (formatting.short, 9, 5.1e-3, 5.1e-3), (formatting.number, 8, 5.1e-3, 5.1e-5), (formatting.axis, 6, 0.34, 0.0), (formatting.rate, 10, 5.1e-3, 5.1e-3),
    (formatting.percent, 17, 1e-13, 0.0051), (formatting.micros, 19, 5.1e-3, 0.051), (formatting.size, 10, 0.051, 0.51),
    (one_aligned, 14, 5.1e-3, 5.1e-5), (formatting.count, 19, 0.0, 1.0),
)  # fmt: skip
TIMES: tuple[tuple[Write, int, float, float], ...] = (
    (formatting.duration, 14, 0.06, 0.051), (formatting.remaining, 13, 0.17, 0.51), (formatting.age, 12, 0.55, 0.051),
)  # fmt: skip
AWKWARD = (0.0, 9.94e-5, 9.96e-5, 0.00095, 0.0996, 0.09996, 0.9996, 0.99996, 9.996, 99.96, 999.6, 9999.6, 99_960.0,
           999_499.0, 999_960.0, 999_999.6, 9.9996e8, 9.994e11)  # fmt: skip
magnitudes = st.one_of(
    st.sampled_from(AWKWARD),
    st.floats(1e-12, 9.9e11),
    st.tuples(st.floats(1.0, 10.0), st.integers(-12, 10)).map(lambda made: made[0] * 10.0 ** made[1]),
)
values = st.tuples(magnitudes, st.sampled_from((1.0, -1.0))).map(lambda made: made[0] * made[1])


def read(text: str) -> float:
    """What a reader takes it for: a number and its unit."""
    if text == "<1 %":
        return 0.005
    found = re.fullmatch(r"([+-]?[\d,]*\.?\d*(?:e[+-]?\d+)?) ?([^\d ]*)", text)
    assert found is not None, text
    return float(found[1].replace(",", "")) * SIZES[found[2]]


def read_time(text: str) -> float:
    """The sum of its parts, each a number with its unit."""
    parts = text.split()
    return sum(float(number) * SPANS[unit] for number, unit in zip(parts[::2], parts[1::2], strict=True))


@given(value=values)
@example(value=-0.0)
@example(value=-0.004)
@example(value=703687441777.5549)
def test_it_is_short_and_true_to_its_digits(value: float) -> None:
    def check(writer: tuple[Write, int, float, float]) -> None:
        write, columns, share, amount = writer
        text = write(value)
        assert len(text) <= columns, text
        assert not re.match(r"-[0.,]*(?![\d.,])", text), f"{text}: a minus before nothing"
        assert abs(read(text) - value) <= share * abs(value) + amount, text

    every(WRITERS, check)


@given(one=values, other=values)
def test_the_larger_one_is_never_told_as_the_smaller(one: float, other: float) -> None:
    less, more = sorted((one, other))

    def check(writer: tuple[Write, int, float, float]) -> None:
        told = read(writer[0](less)), read(writer[0](more))
        assert told[0] <= told[1] + 1e-9 * abs(told[1])

    every(WRITERS, check)


@given(seconds=st.one_of(st.floats(0.0, 1e5), st.floats(0.0, 9e10), st.sampled_from((9.949, 59.499, 59.5, 3569.9, 3570.0, 84_599.0))))  # fmt: skip
def test_a_time_is_short_and_true_to_its_units(seconds: float) -> None:
    def check(writer: tuple[Write, int, float, float]) -> None:
        write, columns, share, amount = writer
        text = write(seconds)
        assert len(text) <= columns, text
        assert abs(read_time(text) - seconds) <= share * seconds + amount, text

    every(TIMES, check)


@given(one=st.floats(0.0, 1e6), other=st.floats(0.0, 1e6))
def test_the_longer_one_is_never_told_as_the_shorter(one: float, other: float) -> None:
    less, more = sorted((one, other))

    def check(writer: tuple[Write, int, float, float]) -> None:
        assert read_time(writer[0](less)) <= read_time(writer[0](more)) * (1 + 1e-9)

    every(TIMES, check)


@given(value=values.filter(lambda value: abs(value) >= 1e-9))
def test_an_axis_label_has_five_columns(value: float) -> None:
    assert len(formatting.axis(value)) <= 5
