"""Pane on what each reward adds to an episode: bars around zero, shares, changes, curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType

from rltui import formatting
from rltui.events.episode_reward import PART
from rltui.events.records import RunStarted, weight_of
from rltui.formatting import over_episodes
from rltui.run_state.change_command import value_now, value_of_profile
from rltui.run_state.progress import change_since
from rltui.run_state.rewards import newest_reward
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import Change
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.chart_view import GAP, GOOD_HEIGHT, shares
from rltui.tui.panes.filterable import FilterablePane
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, Span, beside, fit, pad, text_line, wrap
from rltui.tui.widgets.bars import signed_bar, sparkline_of
from rltui.tui.widgets.chart import ChartData, Look, chart
from rltui.tui.widgets.plot import DecimationCache

SHARE, WEIGHT_WIDTH, CHANGE, CURVE = 6, 7, 20, 16  # columns
LEAST_BAR, LEAST_CHART, CHART_WIDTH = 5, 5, 34
LEAST_ROWS = 3  # that the headings leave


@dataclass(frozen=True, slots=True)
class RewardRow:
    """value: mean weighted contribution to a car's episode. share: of all sizes together, 0–1.

    weight: in force; profile: as the profile has it. None: unknown.
    """

    name: str
    value: float | None
    share: float | None
    change: Change | None
    weight: float | None
    profile: float | None


def rows_of(snapshot: RunSnapshot, parts: Mapping[str, float]) -> list[RewardRow]:
    """One for each reward of the match, in the header's order, then by name. parts: as in EpisodeReward."""
    names = [key.removeprefix(PART) for key in snapshot.metrics if key.startswith(PART)]
    known = snapshot.header.reward_names if snapshot.header is not None else []
    names.sort(key=lambda name: (known.index(name) if name in known else len(known), name))
    sizes = sum(map(abs, parts.values()))
    return [_row(snapshot, name, parts.get(name), sizes) for name in names]


def _row(snapshot: RunSnapshot, name: str, value: float | None, sizes: float) -> RewardRow:
    share = abs(value) / sizes if value is not None and sizes else None
    weight = weight_of(name)
    now, profile = value_now(snapshot, weight), value_of_profile(snapshot, weight)
    return RewardRow(name, value, share, change_since(snapshot, PART + name), now, profile)


ORDERS: Sequence[tuple[str, Callable[[RewardRow], tuple[object, ...]]]] = (
    ("largest first", lambda row: (row.value is None, -abs(row.value or 0.0), row.name)),
    ("as in the profile", lambda row: ()),
    ("most changed first", lambda row: (row.change is None, -abs(row.change.by if row.change else 0.0), row.name)),
    ("by name", lambda row: (row.name,)),
)


def ordered(rows: Sequence[RewardRow], order: int) -> list[RewardRow]:
    """order: index in ORDERS."""
    return sorted(rows, key=ORDERS[order][1])


def weight_marks(snapshot: RunSnapshot, name: str) -> list[float]:
    """Timesteps at which this reward's weight was changed by hand, a new phase or stage began, or the run was resumed."""
    return [
        mark.timesteps
        for mark in snapshot.marks
        if mark.kind in ("task", "resume") or (mark.kind == "changed" and mark.setting == weight_of(name))
    ]


class RewardsPane(FilterablePane):
    """Bars around zero, largest first, and the curve of the selected one; a curve for each where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("rewards")
    NUMBER = "2"
    SLOT = "rewards"
    NAME = "Rewards per episode"
    SHORT = "Rewards"
    EVERY = 2.9
    EMPTY = "What each reward adds to an episode appears once episodes have ended."
    HELP = (
        "Each row is one reward's mean weighted contribution to a car's episode, over the newest 100 episodes or so; "
        "together they are the reward per episode. The bar, where there is room, is its size; the percentage its share of "
        "all contributions, signs aside; an arrow: it rises or falls, by the verdict's rule. Weights are those in force, "
        "brighter where they differ from the profile's; <change> changes the one under the cursor. One that dwarfs the rest "
        "is what the bot will learn. A penalty should be negative. Dotted lines in the curve: changed weights, new phases or "
        "stages."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.order = 0  # index in ORDERS
        self.alone = False  # the selected one's curve
        self._memory = DecimationCache()

    def has_nothing(self, view: View) -> bool:
        return not any(key.startswith(PART) for key in view.snapshot.metrics)

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, _names(view.snapshot.header), view.snapshot.marks, view.charts

    def words(self, view: View) -> str:
        """Over how many episodes, and the order where it is not the usual one."""
        reward = newest_reward(view.snapshot)
        over = over_episodes(reward.episodes, reward.short).strip()
        words = [over or ("no episode has ended yet" if reward.mean is None else "of episodes that it does not count")]
        words += [ORDERS[self.order][0]] if self.order else []
        return f"[$muted]{', '.join(words)}[/]"

    def action_sort(self) -> None:
        """The next order."""
        self.check_rows()
        self.order = (self.order + 1) % len(ORDERS)
        self.redraw()

    def action_curve(self) -> None:
        """The selected one's curve alone, or all rewards again."""
        if not self.alone:
            self.check_rows()
        self.alone = not self.alone
        self.stay()
        self.redraw()

    @property
    def setting(self) -> str:
        """The weight of the reward under the cursor."""
        return weight_of(str(self.standing)) if self.standing is not None else ""

    def opened(self) -> None:
        self.call_next(self.run_action, "curve")

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape" and self.alone and not self.pattern.text:
            event.stop()
            self.action_curve()

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        reward = newest_reward(view.snapshot)
        every = ordered(rows_of(view.snapshot, reward.parts), self.order)
        found = self.filtered_rows(every, lambda row: row.name, lambda row: (row.name,))
        total, *figures = formatting.aligned([reward.mean, *(row.value for row in every)])
        columns = _columns(width, every, max(map(len, (total, *figures))) + 1)
        told = {row.name: figure for row, figure in zip(every, figures, strict=True)}
        rows = [self._row(view, row, every, told[row.name], columns) for row in found]
        if self.alone:
            return self._alone(view, found, rows, width, height)
        foot = _total(total, columns)
        foot = foot if height > len(every) + len(foot) else foot[-1:]  # without the rule
        head = [_heads(every, columns)] if height >= min(len(every), LEAST_ROWS) + len(foot) + 1 else []
        table = min(len(head) + max(len(rows), 1), max(height - len(foot), 1))
        lines = [*self.selection(head, rows, width, table), *foot][:height]
        room = height - len(lines)
        if room < LEAST_CHART or not found:
            return lines
        gap: list[Line] = [()] if room > LEAST_CHART else []
        return [*lines, *gap, *self._curves(view, found, width, room - len(gap))]

    def _alone(
        self, view: View, found: Sequence[RewardRow], rows: Sequence[Line], width: int, height: int
    ) -> list[Line]:
        """The selected one's row, and its curve in all of the pane; why not, where that is too low for a curve."""
        at = min(self.cursor, len(found) - 1)
        row = self.selection([], rows, width, 1)
        room = height - len(row)
        if not found:
            return row
        if room < LEAST_CHART:
            why = f"A curve needs {LEAST_CHART + 1} rows, here are {height}: <maximise> gives it the whole screen."
            return [*row, *wrap(self.with_keys(why), width, "muted")][:height]
        return [*row, *self._curve(view, found[at], at, (width, room))]

    def _row(self, view: View, row: RewardRow, every: Sequence[RewardRow], figure: str, columns: _Columns) -> Line:
        """A blank for the cursor, the name, the bar, and as many figures as there is room for.

        every: hidden ones too. figure: its value, aligned with theirs.
        """
        role = "" if row.value else "muted"
        extra: list[Span] = [
            _weight(row),
            (f"{formatting.aligned([row.change.by if row.change else None])[0]:>{CHANGE}}", "muted"),
            ("  " + sparkline_of(view.snapshot.history, PART + row.name, CURVE, self._memory), "band"),
        ]
        line: Line = (
            (" ", ""), (pad(row.name, columns.name) + " ", role), *_bar(row, every, columns.bar),
            (f"{figure:>{columns.figure}}", "muted" if figure == formatting.UNKNOWN else "strong"),
            (_arrow(row), "muted"), (f"{formatting.percent(row.share):>{SHARE - 1}}", "muted"),
            *extra[: len(columns.extra)],
        )  # fmt: skip
        return fit(line, columns.whole)

    def _curves(self, view: View, found: Sequence[RewardRow], width: int, height: int) -> list[Line]:
        """The selected one's curve; where they fit side by side, as many as there is room for, it being among them."""
        across = max((width + GAP) // (CHART_WIDTH + GAP), 1)
        at = min(self.cursor, len(found) - 1)
        if across == 1:
            return self._curve(view, found[at], at, (width, min(height, 2 * GOOD_HEIGHT)))
        across = min(across, len(found))
        down = max(min(height // GOOD_HEIGHT, -(-len(found) // across)), 1)
        first = max(at // across - down + 1, 0) * across
        widths, heights = shares(width - GAP * (across - 1), across), shares(height, down)
        lines: list[Line] = []
        for row, high in enumerate(heights):
            start = first + row * across
            chosen = list(enumerate(found))[start : start + across]
            blocks = [
                self._curve(view, item, place, (widths[column], high)) for column, (place, item) in enumerate(chosen)
            ]
            lines += beside(blocks, widths[: len(blocks)], GAP)
        return lines

    def _curve(self, view: View, row: RewardRow, place: int, size: tuple[int, int]) -> list[Line]:
        history = view.snapshot.history
        ys = history.columns.get(PART + row.name, ())
        xs, length = (history.timesteps, history.length) if len(ys) else ((), 0)
        marks = weight_marks(view.snapshot, row.name)
        data = ChartData(
            row.name, "/ episode", f"series-{place % 7 + 1}", xs, ys, marks, length=length, figures=(row.value, None)
        )
        look = Look(selected=self.has_focus and place == self.cursor, memory=self._memory)
        return chart(data, *size, view.charts, look)


def _arrow(row: RewardRow) -> str:
    """Where it rises or falls for sure."""
    if row.change is None or not row.change.is_sure or not formatting.known(row.value):
        return " "
    return "▲" if row.change.by > 0 else "▼"


@dataclass(frozen=True, slots=True)
class _Columns:
    """Widths. extra: of weight, change and curve, those that there is room for."""

    whole: int
    name: int
    bar: int
    figure: int
    extra: tuple[int, ...]


def _columns(width: int, every: Sequence[RewardRow], figure: int) -> _Columns:
    """Whole names, figures, shares and weights come first, then the bar."""
    figure, longest = max(figure, len(" mean")), max(len(row.name) for row in every)
    room = width - 2 - longest - figure - SHARE
    if room < WEIGHT_WIDTH:
        bar = max(room, LEAST_BAR)
        return _Columns(width, min(longest, max(width - 2 - bar - figure - SHARE, 6)), bar, figure, ())
    extra = [WEIGHT_WIDTH]
    for size in (CHANGE, CURVE + 2):
        if room < sum(extra) + 2 * LEAST_BAR + size:
            break
        extra.append(size)
    return _Columns(width, longest, room - sum(extra), figure, tuple(extra))


def _weight(row: RewardRow) -> Span:
    """Brighter where it differs from the profile's."""
    words = formatting.UNKNOWN if row.weight is None else f"×{row.weight:.3g}"
    return f"{words:>{WEIGHT_WIDTH}}", "muted" if row.weight == row.profile else "strong"


def _heads(every: Sequence[RewardRow], columns: _Columns) -> Line:
    span = next((row.change.span for row in every if row.change), None)
    change = f"change in {span} it." if span else "change"
    titles = [f"{'weight':>{WEIGHT_WIDTH}}", f"{change:>{CHANGE}}", "  the whole run"]
    name, extra = pad("reward", columns.name + 1 + columns.bar), "".join(titles[: len(columns.extra)])
    return text_line(f" {name}{'mean':>{columns.figure}}{'share':>{SHARE}}{extra}", "muted")


def _bar(row: RewardRow, found: Sequence[RewardRow], width: int) -> Line:
    values = [item.value for item in found if item.value is not None]
    low, high = min([0.0, *values]), max([0.0, *values])
    return ((" " * width, ""),) if row.value is None or width < LEAST_BAR else signed_bar(row.value, low, high, width)


def _total(figure: str, columns: _Columns) -> list[Line]:
    """The sum, below the column of what it sums."""
    end = columns.whole - SHARE - sum(columns.extra)
    return [
        text_line("─" * columns.whole, "track"),
        ((pad(" reward / episode", max(end - len(figure), 0)), "muted"), (figure, "strong")),
    ]


def _names(header: RunStarted | None) -> tuple[str, ...]:
    return tuple(header.reward_names) if header is not None else ()
