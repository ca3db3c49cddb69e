"""Numbers as people read them, with their unit, unknown as an en dash and never as 0; timesteps as people type them.

steps        12,431,360 in full; 12.4 M where room is short; of a milestone or limit 15 M where that is exact, else in full
rates        14,100 steps/s in full; 14.1 k/s where room is short
sizes        850 B, 1.2 kB, 71 MB, 15.6 GB: units of 1,000, of files, memory and disks alike
durations    6 ms, 4.2 s, 12 s, 3 min 01 s, 2 h 04 min, 3 d 04 h
time left    6 s, 2 min 59 s, 34 min, 2 h 04 min, 14 h
ages         4.2 s, 12 s, 3 min, 2 h, 5 d: in one unit; with the word, 3 min ago
settings     as they were written: 5 s, 0.5 s
metrics      three digits in the unit of their chart: 41.4 s, 3.12 nats, 16,034 steps/s
nearly zero  0 without a sign, where the digits at hand show nothing of it
beyond       1.2e+15 of any quantity, and no time at all: nobody reads the zeros
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeGuard

UNKNOWN = "–"
MEGABYTE = 1_000_000  # bytes
HUGE = 999.5e9  # from here on there is no unit
COUNTLESS = 1e15  # a count of so many has no meaning to its last digit
AGES = 1e11  # seconds, three thousand years: a time so far away is none
_AXIS = ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))  # from which size on, what it is divided by, its unit
LARGEST = 2**53  # whole numbers up to here are exact as floats too, which histories are kept in
UNITS: Mapping[str, int] = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def known(value: float | None) -> TypeGuard[float]:
    """False for None, NaN and the infinities: none of them is a figure to show."""
    return value is not None and math.isfinite(value)


def if_known(value: float | None) -> float | None:
    """None where it is no figure to show."""
    return value if known(value) else None


def count(value: float | None) -> str:
    """12,431,360."""
    if not known(value):
        return UNKNOWN
    return f"{int(value):,}" if abs(value) < COUNTLESS else f"{value:.1e}"


def exact(steps: int) -> str:
    """A number of steps that somebody has chosen: 15 M, 25.6 k, 300 k where three digits tell all of it, else 1,095,680."""
    digits, _, unit = short(steps).partition(" ")
    told = f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits} {unit}"
    return told if unit and timesteps_of(told) == steps else f"{steps:,}"


def millions(label: str) -> str:
    """A milestone's folder as people read it: `5 M` of 005M, `1,095,680` of 001.09568M; another name as it is."""
    number = label.removesuffix("M")
    whole, _, rest = number.partition(".")
    if number == label or not (whole + rest).isdecimal() or len(rest) > 6:
        return label
    return exact(int(whole or "0") * 1_000_000 + int(rest.ljust(6, "0")))


def short(value: float | None) -> str:
    """12.4 M, 850 k, 97: three digits and a unit of thousands."""
    if not known(value):
        return UNKNOWN
    if abs(value) >= HUGE:
        return f"{value:.1e}"
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit * 0.9995:
            return f"{_three_digits(value / limit)} {unit}"
    return _three_digits(value) if value != int(value) else f"{int(value)}"


def _three_digits(value: float) -> str:
    size = abs(value)
    return f"{value:.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:z.2f}"


def number(value: float | None, finest: float = 0.0) -> str:
    """Three significant digits without an exponent where that stays short: 38.0, 0.0081, 1,204, 1.2e-05.

    finest: what is smaller is noise of the arithmetic, shown as 0.00.
    """
    if not known(value):
        return UNKNOWN
    size = abs(value)
    if 0 < size < finest:
        return "0.00"
    if size == 0:
        return "0"
    if size < 9.95e-5:
        return f"{value:.1e}"
    if size >= 999_999.5:
        return short(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    digits = 2 - math.floor(math.log10(float(f"{size:.2e}")))  # of what is shown: 99.96 is 100, which has no tenths
    return f"{value:.{min(digits, 4)}f}"


def axis(value: float) -> str:
    """A tick label of at most five columns, -1e-12 being one of six: 40, -2, .015, 16k, 2.5M, 3e-6."""
    size = abs(value)
    if size >= HUGE:
        return f"{value:.0e}".replace("e+", "e")
    if 0 < size < 9.6e-4:
        return f"{value:.0e}".replace("e-0", "e-")
    shown = float(f"{value:.3g}") if size >= 9999.5 else value
    limit, unit = next(((limit, unit) for least, limit, unit in _AXIS if abs(shown) >= least), (1.0, ""))
    rounded = (float(f"{shown / limit:.{digits}g}") for digits in (4, 3, 2, 1))
    texts = [f"{value:z.4g}{unit}" for value in rounded]
    texts = [text.replace("0.", ".", 1) if 0 < size < 1 else text for text in texts]
    return next((text for text in texts if len(text) <= 5), texts[-1])


def aligned(values: Sequence[float | None]) -> list[str]:
    """Signed figures with the same number of decimals, so that they align when set to the right."""
    largest = max((abs(value) for value in values if known(value)), default=0.0)
    limits = (999.95, 0), (99.995, 1), (0.9995, 2), (0.09995, 3)
    decimals = next((decimals for limit, decimals in limits if largest >= limit), 4)
    form = "+.1e" if largest >= HUGE else f"+z.{decimals}f"
    return [f"{value:{form}}" if known(value) else UNKNOWN for value in values]


def measured(values: Sequence[float], noise: float) -> list[str]:
    """The figures and their noise to the decimals that it leaves: 14.7, 11.3, 0.4; one more for a noise of 1 or 2: 1.0."""
    if noise <= 0 or max(map(abs, values)) >= 999_999.5:
        return [number(value) for value in (*values, noise)]
    decimals = min(max(math.ceil(-math.log10(noise / 3)), 0), 4)
    return [f"{value:z,.{decimals}f}" for value in (*values, noise)]


def rate(value: float | None) -> str:
    """Steps a second: 14.1 k/s."""
    if not known(value):
        return UNKNOWN
    return f"{short(value)}/s"


def nats(value: float | None) -> str:
    """An entropy: 3.12 nats."""
    return f"{number(value)} nats" if known(value) else UNKNOWN


def percent(share: float | None) -> str:
    """A share of 1 as whole percent; a small one that is not zero says so."""
    if not known(share):
        return UNKNOWN
    if abs(share) >= HUGE:
        return f"{share * 100:.1e} %"
    return "<1 %" if 0 < share < 0.005 else f"{share * 100:z.0f} %"


def elo(value: float | None, margin: float | None) -> str:
    """`1,302 ± 74`. margin: half the 95 % interval."""
    return UNKNOWN if value is None else f"{value:,.0f} ± {margin or 0:,.0f}"


def scores(found: Iterable[tuple[str, float, int]]) -> str:
    """`scores 12 % of 20 games against rule, 61 % of 20 games against chaser`; empty of none.

    found: opponent, share of the points, of how many games.
    """
    each = [f"{percent(score)} of {plural(games, 'game')} against {opponent}" for opponent, score, games in found]
    return f"scores {', '.join(each)}" if each else ""


def micros(value: float | None) -> str:
    """µs with the digits that matter at their size."""
    if not known(value):
        return UNKNOWN
    if abs(value) >= HUGE:
        return f"{value:.1e} µs"
    return f"{value:,.0f} µs" if abs(value) >= 99.95 else f"{value:z.1f} µs"


def megabytes(value: float | None) -> str:
    """`size` of millions of bytes."""
    return size(None if value is None else value * MEGABYTE)


def size(count: float | None) -> str:
    """Bytes in units of 1,000, of files, memory and disks alike: 850 B, 1.2 kB, 71 MB, 15.6 GB, 212 GB, 1.9 TB."""
    if not known(count):
        return UNKNOWN
    if abs(count) >= 1e6 * HUGE:
        return f"{count:.1e} B"
    for limit, unit, fine in ((1e12, "TB", 99.95), (1e9, "GB", 99.95), (1e6, "MB", 9.95), (1e3, "kB", 9.95)):
        if abs(count) >= limit * 0.9995:
            return f"{count / limit:.1f} {unit}" if abs(count) / limit < fine else f"{count / limit:.0f} {unit}"
    return f"{count:z.0f} B"


def duration(seconds: float | None) -> str:
    """6 ms, 4.2 s, 12 s, 3 min 01 s, 2 h 04 min, 3 d 04 h. Never negative."""
    if not known(seconds) or seconds > AGES:
        return UNKNOWN
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms" if seconds >= 5e-4 else "0 s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02d} h"


def remaining(seconds: float | None) -> str:
    """Time left, an estimate: 6 s, 2 min 59 s, 34 min, 2 h 04 min, 14 h, 3 d 04 h: no tenths, and one unit from 10 on."""
    if not known(seconds) or seconds > AGES:
        return UNKNOWN
    first, unit, *rest = (f"{max(round(seconds), 0)} s" if seconds < 59.5 else duration(seconds)).split()
    return " ".join([first, unit, *(rest if len(first) == 1 else [])])


def age(seconds: float | None) -> str:
    """How long ago, in its one largest unit: 4.2 s, 12 s, 3 min, 2 h, 5 d."""
    if not known(seconds) or seconds > AGES:
        return UNKNOWN
    seconds = max(seconds, 0.0)
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    for limit, length, unit in ((59.5, 1, "s"), (3570, 60, "min"), (84600, 3600, "h")):
        if seconds < limit:
            return f"{round(seconds / length)} {unit}"
    return f"{round(seconds / 86400)} d"


def ago(seconds: float | None) -> str:
    """`age` with the word, in whole seconds; the first two are "just now"."""
    if not known(seconds) or seconds > AGES:
        return UNKNOWN
    if seconds < 2:
        return "just now"
    return f"{round(seconds)} s ago" if seconds < 9.95 else f"{age(seconds)} ago"


def clock(time: float | None) -> str:
    """Local time of day, 12:31:02."""
    return _local(time, "%H:%M:%S")


def date(time: float | None) -> str:
    """Local day and minute, 2025-11-27 12:31."""
    return _local(time, "%Y-%m-%d %H:%M")


def _local(time: float | None, form: str) -> str:
    try:
        return datetime.fromtimestamp(time).strftime(form) if known(time) else UNKNOWN
    except (ValueError, OverflowError, OSError):  # of no year that calendars have
        return UNKNOWN


def plural(number_of: int, noun: str) -> str:
    """1 run, 8 runs."""
    return f"{number_of:,} {noun}" if number_of == 1 else f"{number_of:,} {noun}s"


def timesteps_of(text: str) -> int | None:
    """`300000`, `300,000`, `300_000`, `3e5`, `300 k` and `0.3 M` are the same. None for no whole number, or one too large."""
    value, unit = _typed(text)
    steps = value * unit  # a float is no 1.001 M
    if not steps.is_finite() or abs(steps) > LARGEST or steps != steps.to_integral_value():
        return None
    return int(steps)


def tells(text: str, steps: int) -> bool:
    """Whether the text is this number, to the digits that it has: 44k, 44,000, 44.0 k and 0.04 M of 44,032."""
    value, unit = _typed(text)
    if not value.is_finite():
        return False
    if "," in text and unit == 1 and value % 1000 == 0:
        value, unit = value / 1000, 1000
    return abs(value * unit - steps) * 2 <= unit * Decimal((0, (1,), int(value.as_tuple().exponent)))


def _typed(text: str) -> tuple[Decimal, int]:
    """A number and the unit behind it, 1 without; NaN for what is none."""
    plain = text.replace(",", "").replace("_", "").strip()
    unit = next((size for name, size in UNITS.items() if plain[-1:].casefold() == name.casefold()), 1)
    try:
        value = Decimal(plain[:-1].strip() if unit > 1 else plain)
    except ArithmeticError:
        return Decimal("nan"), unit
    return (value if value.is_finite() and abs(value.adjusted()) < 99 else Decimal("nan")), unit


def utc(seconds: float) -> str:
    """Unix seconds as `2026-01-31 17:45:02 UTC`."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def state_name(kind: str, label: str) -> str:
    """`milestone 5 M` of 005M, `checkpoint 12,431,360`: what was saved, beside prose; label: its folder's name."""
    return f"{kind} {int(label):,}" if label.isdecimal() else f"{kind} {millions(label)}"


def over_episodes(episodes: int | None, short: bool = False) -> str:
    """` over 104 episodes`, ` over 3 short episodes so far`, behind a mean; empty where there are none, or their number is unknown.

    short: as EpisodeReward has it.
    """
    if not episodes:
        return ""
    return f" over {plural(episodes, 'short episode')} so far" if short else f" over {plural(episodes, 'episode')}"


def over_iterations(iterations: int, training: bool) -> str:
    """` over 20 iterations`, behind a speed; of a run that does not train also that it is of then."""
    return f" over {plural(iterations, 'iteration')}{'' if training else ', when it last trained'}"
