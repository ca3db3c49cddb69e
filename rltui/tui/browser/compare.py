"""Two saved states side by side: figures, whether they fit each other, a metric of two runs, their profiles."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from rltui import formatting, safe_io
from rltui.errors import RltuiError
from rltui.events.episode_reward import PART, REWARD
from rltui.events.records import setting_words
from rltui.profile.changes import ABSENT, KeyChange, paid_changes, saved_changes, with_plans
from rltui.profile.locate import STATE_FILE
from rltui.run_state.compare import NOT_SKILL, ComparedBot, compare_rewards, compared_bot
from rltui.run_state.history import History
from rltui.run_state.rewards import differences_line, games_apart, reward_at_end, weight_differences, weights_in_row
from rltui.runs import trainer_state
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir
from rltui.tui.ascii import ChartStyle
from rltui.tui.background import if_mounted
from rltui.tui.browser.compare_curves import Curves, EndValues, read_curves, two_curves
from rltui.tui.browser.library import Library
from rltui.tui.text import Line, Span, clean, crop_text, named_lines, pad, text_line, wrap
from rltui.tui.widgets.dialogs import Dialog
from rltui.tui.widgets.list_view import ScrollableLines

ByHand = Mapping[str, float] | None  # value by setting, as in SettingChanged; None: not known
NAME_WIDTH = 13
MOST_MARKS = 6  # the newest
COMPARED_FIGURES = (
    ("reward", "mean_reward", formatting.number), ("of episodes", "reward_episodes", formatting.count),
    ("entropy", "entropy", formatting.number), ("KL", "approx_kl", formatting.number),
)  # fmt: skip
AS_PROFILE, NOT_KNOWN = "as in its profile", "not known"


def saved_by_hand(folder: Path) -> ByHand:
    """In force when the state was saved; empty of one that tells nothing of its trainer."""
    try:
        state = trainer_state.read(folder)
    except (RltuiError, OSError):
        return None
    return state.by_hand if state is not None else {}


def side_by_side(left: ByHand, right: ByHand) -> list[tuple[str, str, str]]:
    """(setting, left, right) of all that is in force on either side, in words; the same on both sides too."""
    settings = dict.fromkeys([*(left or {}), *(right or {})])
    return [(setting_words(setting), _words(left, setting), _words(right, setting)) for setting in settings]


def by_hand_lines(left: ByHand, right: ByHand, width: int) -> list[Line]:
    """Under a title; nothing where nothing was set by hand."""
    settings = side_by_side(left, right)
    if left is None or right is None:
        sides = " and ".join(name for name, side in (("the left", left), ("the right", right)) if side is None)
        unknown = wrap(f"of {sides} one: its trainer's state cannot be read", width, "warn")
    else:
        unknown = []
    if not settings and not unknown:
        return []
    values = [
        (setting, f"{one} in both" if one == other else f"{one} → {other}", "") for setting, one, other in settings
    ]
    title = text_line("Set by hand, in force when it was saved", "title")
    return [(), title, *unknown, *named_lines(values, width)]


def _words(side: ByHand, setting: str) -> str:
    if side is None:
        return NOT_KNOWN
    return f"{side[setting]:g}" if setting in side else AS_PROFILE


@dataclass(frozen=True)
class CheckpointComparison:
    """left: the older one. curves, bots: what the journals tell of the two; None while being read.
    by_hand: of left and right."""

    left: CheckpointInfo
    right: CheckpointInfo
    changes: list[KeyChange] | str
    curves: Curves | None = None
    by_hand: tuple[ByHand, ByHand] = ({}, {})
    bots: tuple[ComparedBot, ComparedBot] | None = None
    games: str = ""  # what the games of the two say, in words; empty while being read

    def metrics(self) -> list[str]:
        """Keys of the chart to choose from, the reward first; none where training led from one state to the other."""
        if self.curves is None or self.curves.other is None:
            return []
        keys = {*self.curves.own.columns, *self.curves.other.columns} - {"timesteps"}
        return sorted(keys, key=lambda key: (key != REWARD, key))

    @property
    def of_one_line(self) -> bool:
        """Whether training led from one to the other: within a run, or from a run to its branch."""
        parent, _, left_at = ((self.right.meta.parent or "") if self.right.meta else "").rpartition("@")
        is_before = left_at.isdigit() and (self.left.timesteps or 0) <= int(left_at)
        return self.left.run == self.right.run or (parent == self.left.run and is_before)


def to_compare(library: Library, marked: Sequence[Path], here: CheckpointInfo | None) -> list[CheckpointInfo]:
    """The marked states; of one alone also the highlighted."""
    chosen = [entry for path in marked if (entry := library.entry(path)) is not None]
    if len(chosen) == 1 and here is not None and here.meta is not None and here.path != chosen[0].path:
        chosen.append(here)
    return chosen


def compare(left: CheckpointInfo, right: CheckpointInfo) -> CheckpointComparison:
    """The older one goes to the left. Reads their two profiles, and what was set by hand in their place."""
    if (left.timesteps or 0) > (right.timesteps or 0):
        left, right = right, left
    changes = saved_changes(left.path / STATE_FILE, right.path / STATE_FILE)
    return CheckpointComparison(left, right, changes, by_hand=(saved_by_hand(left.path), saved_by_hand(right.path)))


def curves_between(data: DataDir, comparison: CheckpointComparison) -> Curves:
    """Call it in a thread. One that cannot be read says why."""
    left, right = comparison.left, comparison.right
    older, newer = (left.run, left.timesteps or 0), (right.run, right.timesteps or 0)
    try:
        return read_curves(data, older, newer, comparison.of_one_line)
    except OSError as error:
        return Curves(History(), problem=f"The journals cannot be read: {safe_io.reason(error)}")


def bots_of(data: DataDir, comparison: CheckpointComparison) -> tuple[ComparedBot, ComparedBot]:
    """Call it in a thread. Within a run the newer one is told by what came after the older one."""
    left, right = comparison.left, comparison.right
    after = left.timesteps or 0 if left.run == right.run else -1
    return (
        compared_bot(left.title, data.run(left.run), left.timesteps or 0),
        compared_bot(right.title, data.run(right.run), right.timesteps or 0, after),
    )


def games_of(data: DataDir, comparison: CheckpointComparison) -> str:
    """Call it in a thread. Who plays better by the log of games, in words."""
    from rltui.league.games import read  # NumPy comes with the first games, not with the interface
    from rltui.league.score import games_of_states

    states = [(entry.run, entry.timesteps or 0) for entry in (comparison.left, comparison.right)]
    found = games_of_states(read(data.games).games, *states)
    return found.words(comparison.left.title, comparison.right.title, "E in the list plays some")


def ends_of(comparison: CheckpointComparison, metric: str) -> EndValues:
    """The metric at the two states: the reward as they were saved with it, like the table; its parts over as many episodes; any
    other by its iteration.
    """
    left, right, curves = comparison.left.meta, comparison.right.meta, comparison.curves or Curves(History())
    if metric == REWARD and left is not None and right is not None:
        return EndValues(left.mean_reward, right.mean_reward, (left.reward_episodes, right.reward_episodes))
    if metric.startswith(PART):
        ends = [reward_at_end(history or History()) for history in (curves.other, curves.own)]
        older, newer = (end.parts.get(metric.removeprefix(PART)) for end in ends)
        return EndValues(older, newer, (ends[0].episodes, ends[1].episodes))
    return EndValues(_newest(curves.other, metric), _newest(curves.own, metric))


def _newest(history: History | None, metric: str) -> float | None:
    values = history.series(metric)[1] if history is not None else ()
    return next((value for value in reversed(values) if formatting.known(value)), None)


def rewards_apart(comparison: CheckpointComparison) -> list[str]:
    """By what was played, where that is known, by the weights that were in force then, by hand, by a schedule or by the profile, and by what else the profiles say.

    Where it is not told which weight was in force, a profile's counts.
    """
    changes, curves = comparison.changes, comparison.curves
    games = games_apart(*(bot.snapshot for bot in comparison.bots)) if comparison.bots is not None else []
    if curves is None:
        return games + paid_changes(changes, weights_known=False)
    known = all(curves.weights)
    older, newer = curves.weights if known else ({}, {})
    left = weights_in_row(curves.own, 0, older) if curves.other is None else weights_in_row(curves.other, -1, older)
    right = weights_in_row(curves.own, -1, newer)
    return games + paid_changes(changes, known and bool(left and right)) + weight_differences(left, right)


def lines(
    comparison: CheckpointComparison, metric: str, now: float, width: int, style: ChartStyle = "braille"
) -> list[Line]:
    """All of it, for a column of `width`."""
    found = [*_numbers(comparison, now, width), (), *_fits(comparison, width), ()]
    differ = differences_line(rewards_apart(comparison))
    warnings = [*([differ] if differ else []), *_caveats(comparison)]
    if comparison.bots is not None and not differ:
        told = compare_rewards(*comparison.bots)
        found += [*wrap(told.sentence, width, "strong"), *wrap(NOT_SKILL, width, "muted"), ()]
    found += [*wrap(comparison.games, width, "strong"), ()] if comparison.games else []
    found += [row for words in warnings for row in wrap(f"▲ {words}", width, "warn")]
    found += [()] if warnings else []
    return [*found, *_curve(comparison, metric, width, style), *_profiles(comparison, width)]


def _caveats(comparison: CheckpointComparison) -> list[str]:
    """Of which states the reward does not count, and why."""
    states = [entry for entry in (comparison.left, comparison.right) if entry.caveat]
    return [f"the reward of {entry.title} does not count: {entry.caveat}" for entry in states]


def _columns(width: int) -> int:
    """Of each of left, right and difference."""
    return min(max((width - NAME_WIDTH - 4) // 3, 8), 34)


def _row(name: str, cells: Sequence[Span], width: int) -> Line:
    size = _columns(width)
    spans: list[Span] = [(pad(name, NAME_WIDTH), "muted")]
    for index, (text, role) in enumerate(cells):
        spans += [("  " if index else "", ""), (pad(text, size, ">"), role)]
    return tuple(spans)


def _numbers(comparison: CheckpointComparison, now: float, width: int) -> list[Line]:
    left, right = comparison.left, comparison.right
    size = _columns(width)
    names = [entry.title if len(entry.title) <= size else entry.label for entry in (left, right)]
    found = [_row("", [*((crop_text(name, size), "title") for name in names), ("difference", "muted")], width)]
    found.append(_row("timesteps", _pair(left.timesteps, right.timesteps, formatting.count), width))
    for name, key, write in COMPARED_FIGURES:
        values = getattr(left.meta, key, None), getattr(right.meta, key, None)
        if key != "reward_episodes" or any(value is not None for value in values):  # not every saved state tells it
            found.append(_row(name, _pair(*values, write), width))
    found.append(_row("saved", _ages(left.meta, right.meta, now), width))
    for name, texts in (
        ("run", (left.run, right.run) if names != [left.title, right.title] else ()),
        ("phase", tuple(entry.phase_words or formatting.UNKNOWN for entry in (left, right))),
        ("profile", tuple(entry.meta.profile if entry.meta else formatting.UNKNOWN for entry in (left, right))),
        ("note", (left.mark.note, right.mark.note)),
    ):
        if any(texts):
            found.append(_row(name, [(clean(text), "") for text in texts], width))
    return found


def _ages(left: Meta | None, right: Meta | None, now: float) -> list[Span]:
    """How long ago each was saved, and how long after the left one the right one was."""
    times = (left.time if left else None, right.time if right else None)
    gap = times[1] - times[0] if times[0] is not None and times[1] is not None else None
    later = formatting.UNKNOWN if gap is None else f"{formatting.age(abs(gap))} {'later' if gap >= 0 else 'earlier'}"
    return [*((formatting.ago(now - time if time is not None else None), "") for time in times), (later, "muted")]


def _pair(left: float | None, right: float | None, write: Callable[[float | None], str]) -> list[Span]:
    if left is None or right is None:
        return [(write(left), ""), (write(right), ""), (formatting.UNKNOWN, "muted")]
    gap = right - left
    sign = "+" if gap > 0 else "-" if gap < 0 else ""
    return [
        (write(left), ""),
        (write(right), ""),
        (f"{sign}{write(abs(gap))}" if gap else "the same", "strong" if gap else "muted"),
    ]


def _fits(comparison: CheckpointComparison, width: int) -> list[Line]:
    """Whether one can go on where the other is."""
    mine, theirs = comparison.left.meta, comparison.right.meta
    if mine is None or theirs is None:
        return [text_line("What they fit is not known: meta.json cannot be read", "bad")]
    differences = mine.signature.differences(theirs.signature)
    if not differences:
        return wrap(f"✓ same observation, table and nets: {mine.policy}, {mine.critic}", width, "good")
    found = [text_line("✗ they do not fit each other", "bad")]
    for name, one, other in (
        ("observation", mine.obs_signature, theirs.obs_signature),
        ("table", mine.table_hash[:12], theirs.table_hash[:12]),
        ("policy", mine.policy, theirs.policy),
        ("critic", mine.critic, theirs.critic),
    ):
        found += wrap(f"  {name}: {one} → {other}", width) if one != other else []
    return found


def _curve(comparison: CheckpointComparison, metric: str, width: int, style: ChartStyle) -> list[Line]:
    """Of two lines of training, by their steps."""
    curves = comparison.curves
    if curves is None:
        return [text_line("reading the journals …", "muted"), ()]
    if curves.problem:
        return [*wrap(curves.problem, width, "bad"), ()]
    if curves.other is None:
        return []
    left, right = (comparison.left.run, curves.other), (comparison.right.run, curves.own)
    marks = curves.marks[-MOST_MARKS:]
    return [*two_curves(left, right, metric, ends_of(comparison, metric), marks, style, width), ()]


def _profiles(comparison: CheckpointComparison, width: int) -> list[Line]:
    changes = comparison.changes
    if comparison.bots is not None:
        changes = with_plans(changes, *(bot.snapshot.plan for bot in comparison.bots))
    known = (
        [text_line("reading …", "muted")] if comparison.curves is None and not changes else change_lines(changes, width)
    )
    return [text_line("Profiles", "title"), *known, *by_hand_lines(*comparison.by_hand, width)]


def change_lines(changes: list[KeyChange] | str, width: int) -> list[Line]:
    """Only what differs."""
    if isinstance(changes, str):
        return wrap(changes, width, "muted")
    if not changes:
        return [text_line("the same", "muted")]

    def shown(side: str | None) -> str:
        return ABSENT if side is None else side

    return named_lines([(each.key, f"{shown(each.left)} → {shown(each.right)}", "") for each in changes], width)


class CompareText(ScrollableLines):
    """Set `comparison` and `metric`, then repaint."""

    def __init__(self, comparison: CheckpointComparison, clock: Callable[[], float], style: ChartStyle) -> None:
        super().__init__(name="compare-text")
        self.comparison, self._clock, self._charts = comparison, clock, style
        self.metric = REWARD

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(lines(self.comparison, self.metric, self._clock(), width, self._charts), height)


class CompareScreen(Dialog[None]):
    """esc closes; [ and ] choose the metric of the chart."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("equals_sign,enter", "dismiss", "Close"),
        ("left_square_bracket", "metric(-1)", "Metric"),
        ("right_square_bracket", "metric(1)", "Metric"),
    ]

    class Read(Message):
        """What the journals and the log of games tell is here."""

        def __init__(self, curves: Curves, bots: tuple[ComparedBot, ComparedBot] | None, games: str) -> None:
            super().__init__()
            self.curves, self.bots, self.games = curves, bots, games

    def __init__(
        self, data: DataDir, comparison: CheckpointComparison, clock: Callable[[], float], style: ChartStyle = "braille"
    ) -> None:
        super().__init__("Two states side by side", size="full")
        self._data = data
        self._text = CompareText(comparison, clock, style)

    def body(self) -> ComposeResult:
        yield self._text

    def on_mount(self) -> None:
        self._text.focus()
        self._show_keys()
        self._read()

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        comparison = self._text.comparison
        curves = curves_between(self._data, comparison)
        bots = None if curves.problem else bots_of(self._data, comparison)
        self.post_message(self.Read(curves, bots, games_of(self._data, comparison)))

    @if_mounted
    def on_compare_screen_read(self, message: Read) -> None:
        self._text.comparison = dataclasses.replace(
            self._text.comparison, curves=message.curves, bots=message.bots, games=message.games
        )
        self._text.repaint()
        self._show_keys()

    def action_metric(self, step: int) -> None:
        keys = self._text.comparison.metrics()
        if keys:
            here = keys.index(self._text.metric) if self._text.metric in keys else 0
            self._text.metric = keys[(here + step) % len(keys)]
            self._text.repaint()
        else:
            self.notify("only states of two runs have a chart", severity="warning")

    def _show_keys(self) -> None:
        metric = " · [ ] another metric" if self._text.comparison.metrics() else ""
        self.show_keys(f"esc closes{metric}")
