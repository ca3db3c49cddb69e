"""The writers of figures over all magnitudes: short, in order, true to their digits, and never a minus before nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from rltui import formatting
from tests.fakes.every import every

Write = Callable[[float], str]
UNITS = {
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
    return float(found[1].replace(",", "")) * UNITS[found[2]]


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


def test_three_digits_are_counted_after_rounding() -> None:
    texts = {99.96: "100", 9.996: "10.0", 0.9996: "1.00", 0.09996: "0.100", -99.96: "-100", 99.94: "99.9",
             9.96e-5: "0.0001", 9.94e-5: "9.9e-05", 999_999.6: "1.00 M"}  # fmt: skip
    assert {value: formatting.number(value) for value in texts} == texts


def test_an_axis_has_the_unit_of_what_it_shows() -> None:
    texts = {999_960: "1M", 9_999.7: "10k", -12_345: "-12k", -1_234_000: "-1.2M", -0.0: "0", -123_456: "-123k"}
    assert {value: formatting.axis(value) for value in texts} == texts


@given(value=values.filter(lambda value: abs(value) >= 1e-9))
def test_an_axis_label_has_five_columns(value: float) -> None:
    assert len(formatting.axis(value)) <= 5
