"""Numbers as people read them: aligned, with their unit, unknown as an en dash and never as 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

UNKNOWN = "–"


def known(value: float | None) -> bool:
    """False for None, NaN and the infinities: none of them is a figure to show."""
    return value is not None and math.isfinite(value)


def count(value: float | None) -> str:
    """12,431,360."""
    return UNKNOWN if value is None or not math.isfinite(value) else f"{int(value):,}"


def millions(label: str) -> str:
    """A milestone's folder as people read it: `5 M` of 005M, `1.09568 M` of 001.09568M; another name as it is."""
    number = label.removesuffix("M")
    if number == label or not number.replace(".", "", 1).isdecimal():
        return label
    whole, point, rest = number.partition(".")
    return f"{int(whole or '0'):,}{point}{rest} M"


def short(value: float | None) -> str:
    """12.4 M, 850 k, 97: three digits and a unit of thousands."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit * 0.9995:
            return f"{_three_digits(value / limit)} {unit}"
    return _three_digits(value) if value != int(value) else f"{int(value)}"


def _three_digits(value: float) -> str:
    size = abs(value)
    return f"{value:.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"


def number(value: float | None) -> str:
    """Three significant digits without an exponent where that stays short: 38.0, 0.0081, 1,204, 1.2e-05."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = abs(value)
    if size == 0:
        return "0"
    if size < 1e-4:
        return f"{value:.1e}"
    if size >= 1e6:
        return short(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    digits = 2 - math.floor(math.log10(size))
    return f"{value:.{min(max(digits, 0), 4)}f}"


def axis(value: float) -> str:
    """A tick label of at most five columns: 40, -2, .015, 16k, 2.5M, 3e-6."""
    size = abs(value)
    if size >= 9999.5:
        unit, limit = ("G", 1e9) if size >= 1e9 else ("M", 1e6) if size >= 1e6 else ("k", 1e3)
        return f"{value / limit:.3g}{unit}"
    if 0 < size < 9.5e-4:
        return f"{value:.0e}".replace("e-0", "e-")
    texts = [
        f"{value:.{digits}g}".replace("0.", ".", 1) if 0 < size < 1 else f"{value:.{digits}g}" for digits in (4, 3, 2)
    ]
    return next((text for text in texts if len(text) <= 5), texts[-1])


def aligned(values: Sequence[float | None]) -> list[str]:
    """Signed figures with the same number of decimals, so that they align when set to the right."""
    largest = max((abs(value) for value in values if value is not None and math.isfinite(value)), default=0.0)
    decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 1 else 3 if largest >= 0.1 else 4
    return [UNKNOWN if value is None or not math.isfinite(value) else f"{value:+.{decimals}f}" for value in values]


def seconds(value: float | None) -> str:
    """A short time with the digits that matter: 6 ms, 0.80 s, 12.4 s."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value < 0.0995:
        return f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.1f} s" if value < 99.95 else duration(value)


def rate(value: float | None) -> str:
    """Steps a second: 14.1 k/s."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{short(value)}/s"


def percent(share: float | None) -> str:
    """A share of 1 as whole percent; a small one that is not zero says so."""
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return "<1 %" if 0 < share < 0.005 else f"{share * 100:.0f} %"


def micros(value: float | None) -> str:
    """µs with the digits that matter at their size."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:,.0f} µs" if value >= 99.95 else f"{value:.1f} µs"


def megabytes(value: float | None) -> str:
    """71 MB, 1.2 GB."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:.0f} MB" if value < 999.5 else f"{value / 1024:.1f} GB"


def file_size(count: float | None) -> str:
    """Bytes in units of 1,000: 850 B, 12.4 kB, 1.20 MB."""
    if count is None or not math.isfinite(count):
        return UNKNOWN
    for limit, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= limit * 0.9995:
            return f"{_three_digits(count / limit)} {unit}"
    return f"{count:.0f} B"


def duration(seconds: float | None) -> str:
    """0.1 s, 4 s, 3 m 01 s, 2 h 04 m, 3 d 04 h. Never negative."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    seconds = max(seconds, 0.0)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} m"
    return f"{whole // 86400} d {whole % 86400 // 3600:02d} h"


def remaining(seconds: float | None) -> str:
    """Time left: as `duration`, always in whole seconds."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    return f"{max(round(seconds), 0)} s" if seconds < 59.5 else duration(seconds)


def age(seconds: float | None) -> str:
    """How long ago, in its one largest unit: 4 s, 3 min, 2 h, 5 d."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    seconds = max(seconds, 0.0)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    for limit, size, unit in ((59.5, 1, "s"), (3570, 60, "min"), (84600, 3600, "h")):
        if seconds < limit:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds / 86400)} d"


def ago(seconds: float | None) -> str:
    """`age` with the word; the first seconds are "just now"."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    return "just now" if seconds < 2 else f"{age(seconds)} ago"


def clock(time: float | None) -> str:
    """Local time of day, 12:31:02."""
    return UNKNOWN if time is None else datetime.fromtimestamp(time).strftime("%H:%M:%S")


def date(time: float | None) -> str:
    """Local day and minute, 2025-11-27 12:31."""
    return UNKNOWN if time is None else datetime.fromtimestamp(time).strftime("%Y-%m-%d %H:%M")


def plural(number_of: int, noun: str) -> str:
    """1 run, 8 runs."""
    return f"{number_of:,} {noun}" if number_of == 1 else f"{number_of:,} {noun}s"
