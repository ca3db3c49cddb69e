"""Two saved states side by side: numbers with differences, what fits, profiles, and a metric between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rltui.events.records import IterationFinished
from rltui.runs.history import current_line
from rltui.runs.journal import read_journal
from rltui.runs.meta import Meta
from rltui.runs.paths import DataDir
from rltui.tui import figures
from rltui.tui.browser.curves import one_curve, two_curves
from rltui.tui.browser.library import Entry, Library
from rltui.tui.browser.profile_changes import ABSENT, Change, saved_changes
from rltui.tui.paint import Line, Span, clean, crop_text, pad, text_line, wrap
from rltui.tui.run.history import History
from rltui.tui.run.rewards_apart import apart, paid, told
from rltui.tui.symbols import ChartStyle

REWARD = "rollout/policy_reward"
PROFILE = "profile.toml"
NAME_WIDTH = 13
FIGURES = (("reward", "mean_reward"), ("of episodes", "reward_episodes"), ("entropy", "entropy"), ("KL", "approx_kl"))


@dataclass(frozen=True)
class Curves:
    """own: iterations of the newer one's run; where training led from the older to it, those between the two.

    other: of the older one's run, where that is another line of training. Both up to the state that is compared.
    """

    own: History
    other: History | None = None

    @property
    def all(self) -> list[History]:
        return [self.own, *([self.other] if self.other is not None else [])]


@dataclass(frozen=True)
class Comparison:
    """left: the older one. curves: what the journals tell of the two; None while being read."""

    left: Entry
    right: Entry
    changes: list[Change] | str
    curves: Curves | None = None

    def metrics(self) -> list[str]:
        """Keys to choose from, the reward first."""
        keys = {key for history in (self.curves.all if self.curves else ()) for key in history.columns} - {"timesteps"}
        return sorted(keys, key=lambda key: (key != REWARD, key))

    @property
    def of_one_line(self) -> bool:
        """Whether training led from one to the other: within a run, or from a run to its branch."""
        parent = (self.right.meta.parent or "") if self.right.meta else ""
        return self.left.run == self.right.run or parent.rpartition("@")[0] == self.left.run


def to_compare(library: Library, marked: Sequence[Path], here: Entry | None) -> list[Entry]:
    """The marked states; of one alone also the highlighted."""
    chosen = [entry for path in marked if (entry := library.entry(path)) is not None]
    if len(chosen) == 1 and here is not None and here.meta is not None and here.path != chosen[0].path:
        chosen.append(here)
    return chosen


def compare(left: Entry, right: Entry) -> Comparison:
    """The older one goes to the left. Reads their two profiles."""
    if (left.timesteps or 0) > (right.timesteps or 0):
        left, right = right, left
    return Comparison(left, right, saved_changes(left.path / PROFILE, right.path / PROFILE))


def read_curves(data: DataDir, comparison: Comparison) -> Curves:
    """Call it in a thread."""
    left, right = comparison.left, comparison.right
    low, high = left.timesteps or 0, right.timesteps or 0
    if comparison.of_one_line:  # a branch has its parent's rows too
        return Curves(_history(data, right.run, low, high))
    return Curves(_history(data, right.run, 0, high), _history(data, left.run, 0, low))


def _history(data: DataDir, run: str, low: int, high: int) -> History:
    records = current_line(read_journal(data.run(run).journal))
    rows = [r for r in records if isinstance(r, IterationFinished) and low <= r.timesteps <= high]
    return History().extended((row.timesteps, row.metrics) for row in rows)


def lines(comparison: Comparison, metric: str, now: float, width: int, style: ChartStyle = "braille") -> list[Line]:
    """All of it, for a column of `width`."""
    found = [*_numbers(comparison, now, width), (), *_fits(comparison, width), ()]
    differ = told(rewards_apart(comparison))
    found += [*wrap(f"▲ {differ}", width, "warn"), ()] if differ else []
    found += [*_curve(comparison, metric, width, style), (), *_profiles(comparison, width)]
    return found


def rewards_apart(comparison: Comparison) -> list[str]:
    """By what the two profiles say, and by the weights that were in force then, set by hand or by a schedule."""
    changes = comparison.changes if not isinstance(comparison.changes, str) else []
    found = [f"{c.key.removeprefix('rewards.')} {c.left or ABSENT} → {c.right or ABSENT}" for c in changes if _pays(c)]
    curves = comparison.curves
    if curves is None:
        return found
    left = paid(curves.own, 0) if curves.other is None else paid(curves.other, -1)
    return found + apart(left, paid(curves.own, -1))


def _pays(change: Change) -> bool:
    return change.key.partition(".")[0] in ("rewards", "[rewards]")


def _columns(width: int) -> int:
    """Of each of left, right and difference."""
    return min(max((width - NAME_WIDTH - 4) // 3, 8), 34)


def _row(name: str, cells: Sequence[Span], width: int) -> Line:
    size = _columns(width)
    spans: list[Span] = [(pad(name, NAME_WIDTH), "muted")]
    for index, (text, role) in enumerate(cells):
        spans += [("  " if index else "", ""), (pad(text, size, ">"), role)]
    return tuple(spans)


def _numbers(comparison: Comparison, now: float, width: int) -> list[Line]:
    left, right = comparison.left, comparison.right
    size = _columns(width)
    names = [entry.words if len(entry.words) <= size else entry.name for entry in (left, right)]
    found = [_row("", [*((crop_text(name, size), "title") for name in names), ("difference", "muted")], width)]
    found.append(_row("steps", _pair(left.timesteps, right.timesteps, figures.count), width))
    for name, key in FIGURES:
        values = getattr(left.meta, key, None), getattr(right.meta, key, None)
        if key != "reward_episodes" or any(value is not None for value in values):  # not every saved state tells it
            found.append(_row(name, _pair(*values, figures.number), width))
    found.append(_row("saved", _ages(left.meta, right.meta, now), width))
    found.append(_row("size", _pair(left.bytes, right.bytes, figures.file_size), width))
    for name, texts in (
        ("run", (left.run, right.run)),
        ("phase", (left.phase or figures.UNKNOWN, right.phase or figures.UNKNOWN)),
        ("profile", tuple(entry.meta.profile if entry.meta else figures.UNKNOWN for entry in (left, right))),
        ("note", (left.mark.note, right.mark.note)),
    ):
        if any(texts):
            found.append(_row(name, [(clean(text), "") for text in texts], width))
    return found


def _ages(left: Meta | None, right: Meta | None, now: float) -> list[Span]:
    """How long ago each was saved, and how long after the left one the right one was."""
    times = (left.time if left else None, right.time if right else None)
    gap = times[1] - times[0] if times[0] is not None and times[1] is not None else None
    later = figures.UNKNOWN if gap is None else f"{figures.duration(abs(gap))} {'later' if gap >= 0 else 'earlier'}"
    return [*((figures.ago(now - time if time is not None else None), "") for time in times), (later, "muted")]


def _pair(left: float | None, right: float | None, text: object) -> list[Span]:
    write = text if callable(text) else str
    if left is None or right is None:
        return [(write(left), ""), (write(right), ""), (figures.UNKNOWN, "muted")]
    gap = right - left
    sign = "+" if gap > 0 else "-" if gap < 0 else ""
    return [
        (write(left), ""),
        (write(right), ""),
        (f"{sign}{write(abs(gap))}" if gap else "the same", "strong" if gap else "muted"),
    ]


def _fits(comparison: Comparison, width: int) -> list[Line]:
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


def _curve(comparison: Comparison, metric: str, width: int, style: ChartStyle) -> list[Line]:
    """The metric from one to the other in one row; of two lines of training both, by their steps."""
    curves = comparison.curves
    if curves is None:
        return [text_line("reading the journals …", "muted")]
    if curves.other is not None:
        return two_curves((comparison.left.run, curves.other), (comparison.right.run, curves.own), metric, width, style)
    return one_curve((comparison.right.run, curves.own), metric, width)


def _profiles(comparison: Comparison, width: int) -> list[Line]:
    found: list[Line] = [text_line("Profiles", "title")]
    return found + change_lines(comparison.changes, width)


def change_lines(changes: list[Change] | str, width: int) -> list[Line]:
    """Only what differs."""
    if isinstance(changes, str):
        return wrap(changes, width, "muted")
    if not changes:
        return [text_line("the same", "muted")]
    size = min(max(len(change.key) for change in changes), max(width // 2, 12)) + 2
    found: list[Line] = []
    for change in changes:
        left, right = (side if side is not None else ABSENT for side in (change.left, change.right))
        rows = wrap(f"{left} → {right}", max(width - size, 10))
        name = pad(crop_text(change.key, size - 2), size)
        found += [((name if not index else " " * size, "muted"), *row) for index, row in enumerate(rows)]
    return found
