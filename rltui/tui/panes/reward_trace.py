"""Pane on what one car of the live match is paid: a row for each step, a column for each reward, sums by episode."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, overload

from textual.binding import BindingType

from rltui.errors import RltuiError
from rltui.events.match_frames import StepRewards, Watched
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.live_match import LiveMatchPane
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, Span, crop, crop_text, ends, pad
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.list_view import ScrollableLines

MOST_STEPS = 900  # a minute of them
TICKS = 120  # a second
TIME, TOTAL, EVENT = 9, 10, 7  # columns
LEAST, MOST = 9, 26  # columns of a component
BARS = 12  # rows of content from which on the sums have bars

Terms = tuple[float, ...]  # by component


@dataclass(frozen=True, slots=True)
class PaidStep:
    """One step. sums: by car and component, of its episode up to here. whole: the episode was seen from its beginning,
    without a gap.
    """

    step: StepRewards
    sums: tuple[Terms, ...]
    begins: bool
    whole: bool
    since: int  # tick of the first step of its episode that was seen

    def terms(self, car: int) -> Terms:
        return self.step.contributions[car]

    def total(self, car: int) -> float:
        """The reward of this step."""
        return sum(self.terms(car))

    def touched(self, car: int) -> bool:
        return car < len(self.step.touches) and self.step.touches[car] > 0


class PaidSteps:
    """The newest MOST_STEPS of a match. names: of the components; cars: how many there are, 0 before the first frame."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.cars = 0
        self.steps: deque[PaidStep] = deque(maxlen=MOST_STEPS)  # oldest first

    @property
    def newest(self) -> PaidStep | None:
        return self.steps[-1] if self.steps else None

    @property
    def before(self) -> PaidStep | None:
        """The last step of the episode before the present one, as far as it is kept."""
        now = self.newest
        return next((step for step in reversed(self.steps) if now and step.step.episode != now.step.episode), None)

    def take(self, frame: Watched) -> None:
        """Add what is new. Another task, or a viewer that has begun anew, ends what was."""
        cars, newest = len(frame.moment.cars), self.newest
        turned_back = newest is not None and frame.moment.tick < newest.step.tick
        if frame.names != self.names or cars != self.cars or turned_back:
            self.names, self.cars = frame.names, cars
            self.steps.clear()
        for step in frame.steps:
            if self.newest is None or step.tick > self.newest.step.tick:
                self.steps.append(self._added(step, frame.steps))

    def _added(self, step: StepRewards, beside: Sequence[StepRewards]) -> PaidStep:
        last = self.newest
        if last is None:
            return PaidStep(step, step.contributions, begins=False, whole=False, since=step.tick)
        length = beside[-1].tick - beside[-2].tick if len(beside) > 1 else step.tick - last.step.tick
        gap = step.tick - last.step.tick > length
        if step.episode != last.step.episode:
            return PaidStep(step, step.contributions, begins=True, whole=not gap, since=step.tick)
        sums = tuple(
            tuple(a + b for a, b in zip(so_far, now, strict=True))
            for so_far, now in zip(last.sums, step.contributions, strict=True)
        )
        return PaidStep(step, sums, begins=False, whole=last.whole and not gap, since=last.since)

    def activity(self, car: int) -> list[float]:
        """How much each component has paid or cost the car lately: sums of absolute values."""
        found = [0.0] * len(self.names)
        for step in self.steps:
            for index, term in enumerate(step.terms(car)):
                found[index] += abs(term)
        return found


class TraceTable:
    """Steps as rows. Where not all components have room, those that lately paid least share a column."""

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
        cells = merged_spans((time, *self._cells(step.terms(self._car))))
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


class RowCache:
    """Cache of drawn rows: with each new step they move, and stay what they are."""

    def __init__(self) -> None:
        self._layout: object = None
        self._rows: dict[int, tuple[PaidStep, Line]] = {}  # by tick, which another viewer uses again

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
    """Rows of the steps, drawn only where they are looked at."""

    def __init__(self, steps: Sequence[PaidStep], table: TraceTable, drawn: RowCache | None = None) -> None:
        self._steps, self._table, self._drawn = steps, table, drawn or RowCache()

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


def amount_text(value: float) -> str:
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


def merged_spans(spans: Iterable[Span]) -> Line:
    """The same with neighbours of one role as one span: fewer bytes for the terminal."""
    return tuple(("".join(text for text, _ in group), role) for role, group in groupby(spans, key=lambda span: span[1]))


def _cell(value: float, width: int) -> Span:
    role = "faint" if value == 0 else "positive" if value > 0 else "negative"
    return pad(amount_text(value), width, ">"), role


class TracePane(LiveMatchPane, ScrollableLines):
    """Newest at the bottom; below it the sums of this episode and of the one before."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("trace")
    NUMBER = "0"
    SLOT = "charts"
    NAME = "Reward trace"
    SHORT = "Trace"
    INTERVAL = 1.0  # every row moves with each drawing
    FOLLOW = True
    HELP = (
        "Each row is a step of the match in the arena (<arena>), each column what one reward pays this car for it, with "
        "weight, modes, team spirit and zero sum; the total is what it learns from. A dot is 0. <trace.car_before> and "
        "<trace.next_car> choose the car; scrolling up holds the rows, End follows again. Rewards that do not fit are "
        "summed in one column: those that lately paid least."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.car = 0
        self.paid = PaidSteps()
        self._row_cache = RowCache()
        self._held: tuple[PaidStep, ...] | None = None  # what is looked at while it stands still

    def take_frame(self, frame: Watched) -> None:
        self.paid.take(frame)

    def action_car(self, step: int) -> None:
        """The next car, or the one before."""
        if self.paid.cars < 2:
            raise RltuiError("there is no other car" if self.paid.cars else "no match is shown here yet")
        self.car = (self.car + step) % self.paid.cars
        self.repaint()

    def draw_match(self, view: View, frame: Watched, width: int, height: int) -> list[Line]:
        self.car = min(self.car, max(self.paid.cars - 1, 0))
        steps = self._shown()
        table = TraceTable(self.paid, self.car, width)
        head = [self._headline(view, frame, width), *table.head]
        foot = table.foot(self.paid, bars=height >= BARS)
        room = max(height - len(head) - len(foot), 0)
        rows = self.window(TraceRows(steps, table, self._row_cache), room)
        rows = [*([()] * (room - len(rows))), *rows]
        return [*head, *rows, *foot][:height]

    def subtitle(self, view: View) -> str:
        """A sum that does not begin with its episode says so."""
        steps = [step for step in (self.paid.newest, self.paid.before) if step is not None and not step.whole]
        return f"* from {time_text(steps[-1].since)} on" if steps and self._has_match(view) else ""

    def _shown(self) -> Sequence[PaidStep]:
        if self.following:
            self._held = None
            return tuple(self.paid.steps)
        if self._held is None:
            self._held = tuple(self.paid.steps)
        return self._held

    def _headline(self, view: View, frame: Watched, width: int) -> Line:
        cars = frame.moment.cars
        team = "orange" if cars[self.car].team else "blue"
        role = "series-2" if cars[self.car].team else "series-1"
        left: Line = ((f"car {self.car + 1} of {len(cars)}, {team}", role), (f"  episode {frame.episode}", "muted"))
        if not self.following:
            left = (*left, ("  held: End goes on", "warn"))
        return ends(left, (self.whose(view, frame),), width)
