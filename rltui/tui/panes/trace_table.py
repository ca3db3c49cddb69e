"""The reward trace as a table: which components have columns, how a step and the sums of an episode read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import overload

from rltui.tui.paid_steps import MOST_STEPS, PaidStep, PaidSteps, Terms
from rltui.tui.paint import Line, Span, crop, crop_text, pad
from rltui.tui.widgets.bars import filled_bar

TICKS = 120  # a second
TIME, TOTAL, EVENT = 9, 10, 7  # columns
LEAST, MOST = 9, 26  # columns of a component


class TraceTable:
    """Where not all components have room, those that lately paid least share a column."""

    def __init__(self, paid: PaidSteps, car: int, width: int) -> None:
        self._car, self._width = car, width
        room = width - TIME - TOTAL - EVENT
        names = paid.names
        fits = max(room // LEAST, 1)
        self._own = list(range(len(names)))
        if len(names) > fits:
            busy = paid.activity(car)
            liveliest = sorted(self._own, key=lambda index: -busy[index])[: max(fits - 1, 0)]
            self._own = sorted(liveliest)
        self._rest = [index for index in range(len(names)) if index not in self._own]
        self._names = [names[index] for index in self._own]
        longest = max((len(name.rpartition(":")[2]) for name in self._names), default=0) + 2
        shared = room // max(len(self._own) + bool(self._rest), 1)
        self._column = max(min(shared, longest, MOST), LEAST)

    @property
    def layout(self) -> object:
        """Equal where rows of the same step are."""
        return self._car, self._width, self._column, tuple(self._own), tuple(self._rest)

    @property
    def head(self) -> list[Line]:
        """Two lines: long names are broken."""
        broken = [broken_name(name, self._column - 1) for name in self._names]
        broken += [("the other", f"{len(self._rest)}")] if self._rest else []
        upper = "".join(pad(first, self._column, ">") for first, _ in broken)
        lower = "".join(pad(second, self._column, ">") for _, second in broken)
        lines = (f"{'':{TIME}}{upper}", f"{'time':{TIME}}{lower}{'total':>{TOTAL}}")
        return [crop(((line, "muted"),), self._width) for line in lines]

    def row(self, step: PaidStep) -> Line:
        events = ["new"] if step.begins else []
        events += ["goal"] if step.step.goal else []
        events += ["touch"] if step.touched(self._car) else []
        time = (pad(time_text(step.step.tick), TIME), "muted")
        cells = joined((time, *self._cells(step.terms(self._car))))
        return crop((*cells, ("  " + " ".join(events), "strong")) if events else cells, self._width)

    def foot(self, paid: PaidSteps, bars: bool) -> list[Line]:
        """Sums of the episode that goes on, as bars too if wanted, and of the one before."""
        lines: list[Line] = [(("─" * self._width, "band"),)]
        for name, step in (("episode", paid.newest), ("before", paid.before)):
            if step is None:
                lines.append(((pad(name, TIME), "muted"), ("–", "muted")))
                continue
            label = name if step.whole else f"{name}*"
            sums = step.sums[self._car]
            lines.append(crop(((pad(label, TIME), "strong"), *self._cells(sums)), self._width))
            if bars and step is paid.newest:
                lines.append(crop((("share", "muted"), (" " * (TIME - 5), ""), *self._bars(sums)), self._width))
        return lines

    def _bars(self, sums: Terms) -> Iterator[Span]:
        """Each component's part of all that was paid and charged, full where it alone did."""
        shown = self._shown(sums)
        all_of_it = sum(map(abs, shown)) or 1.0
        for value in shown:
            yield " ", ""
            yield from filled_bar(abs(value) / all_of_it, self._column - 1, "positive" if value > 0 else "negative")

    def _cells(self, terms: Terms) -> Iterator[Span]:
        for value in self._shown(terms):
            yield _cell(value, self._column)
        text, role = _cell(sum(terms), TOTAL)
        yield text, f"{role} strong" if role in ("", "faint") else role

    def _shown(self, terms: Terms) -> list[float]:
        """One number for each column."""
        rest = [sum(terms[index] for index in self._rest)] if self._rest else []
        return [terms[index] for index in self._own] + rest


class DrawnRows:
    """Rows of steps as they were drawn: with each new step they move, and stay what they are."""

    def __init__(self) -> None:
        self._layout: object = None
        self._rows: dict[int, tuple[PaidStep, Line]] = {}  # by tick, which a viewer that begins anew uses again

    def row(self, table: TraceTable, step: PaidStep) -> Line:
        """As the table draws it; anew where its columns are others."""
        if table.layout != self._layout or len(self._rows) > 2 * MOST_STEPS:
            self._layout = table.layout
            self._rows.clear()
        known = self._rows.get(step.step.tick)
        if known is None or known[0] is not step:
            known = self._rows[step.step.tick] = step, table.row(step)
        return known[1]


class TraceRows(Sequence[Line]):
    """Drawn only where they are looked at."""

    def __init__(self, steps: Sequence[PaidStep], table: TraceTable, drawn: DrawnRows | None = None) -> None:
        self._steps, self._table, self._drawn = steps, table, drawn or DrawnRows()

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> list[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | list[Line]:
        if isinstance(at, slice):
            return [self._drawn.row(self._table, step) for step in self._steps[at]]
        return self._drawn.row(self._table, self._steps[at])


def time_text(tick: int) -> str:
    """Of the match: 1:05.33."""
    hundredths = tick * 100 // TICKS
    return f"{hundredths // 6000}:{hundredths // 100 % 60:02}.{hundredths % 100:02}"


def paid_text(value: float) -> str:
    """Signed, at most 8 columns, points below each other as long as it is below 100; a dot for nothing."""
    if value == 0:
        return "·"
    size = abs(value)
    if size < 0.00005:
        return f"{value:+.0e}"
    if size >= 99_999:
        return f"{value:+.1e}"
    return f"{value:+.{1 if size >= 9_999 else 2 if size >= 999 else 3 if size >= 99 else 4}f}"


def broken_name(name: str, width: int) -> tuple[str, str]:
    """A reward's name in two lines of at most `width` columns, broken behind an underscore where that helps."""
    name = name.rpartition(":")[2]
    if len(name) <= width:
        return "", name
    cut = name.rfind("_", 0, width) + 1 or width
    return name[:cut], crop_text(name[cut:], width)


def joined(spans: Iterable[Span]) -> Line:
    """The same with neighbours of one role as one span: fewer bytes for the terminal."""
    return tuple(("".join(text for text, _ in group), role) for role, group in groupby(spans, key=lambda span: span[1]))


def _cell(value: float, width: int) -> Span:
    role = "faint" if value == 0 else "positive" if value > 0 else "negative"
    return pad(paid_text(value), width, ">"), role
