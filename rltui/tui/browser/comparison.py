"""Two saved states side by side: numbers with differences, what fits, profiles, and a metric between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rltui import formatting
from rltui.runs.meta import Meta
from rltui.tui.browser.by_hand import by_hand_lines
from rltui.tui.browser.curves import Sight, one_curve, two_curves
from rltui.tui.browser.pair import Comparison, ends_of, rewards_apart
from rltui.tui.browser.profile_changes import ABSENT, Change
from rltui.tui.paint import Line, Span, clean, crop_text, pad, text_line, wrap
from rltui.tui.run.rewards_apart import told
from rltui.tui.symbols import ChartStyle

NAME_WIDTH = 13
MOST_MARKS = 6  # the newest
FIGURES = (
    ("reward", "mean_reward", formatting.number), ("of episodes", "reward_episodes", formatting.count),
    ("entropy", "entropy", formatting.number), ("KL", "approx_kl", formatting.number),
)  # fmt: skip


def lines(
    comparison: Comparison, metric: str, now: float, width: int, style: ChartStyle = "braille", whole: bool = False
) -> list[Line]:
    """All of it, for a column of `width`. whole: the chart has all timesteps."""
    found = [*_numbers(comparison, now, width), (), *_fits(comparison, width), ()]
    differ = told(rewards_apart(comparison))
    warnings = [*([differ] if differ else []), *_doubts(comparison)]
    found += [row for words in warnings for row in wrap(f"▲ {words}", width, "warn")]
    found += [()] if warnings else []
    found += [*_curve(comparison, metric, width, style, whole), (), *_profiles(comparison, width)]
    return found


def _doubts(comparison: Comparison) -> list[str]:
    """Of which states the reward does not count, and why."""
    states = [entry for entry in (comparison.left, comparison.right) if entry.doubt]
    return [f"the reward of {entry.words} does not count: {entry.doubt}" for entry in states]


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
    found.append(_row("timesteps", _pair(left.timesteps, right.timesteps, formatting.count), width))
    for name, key, write in FIGURES:
        values = getattr(left.meta, key, None), getattr(right.meta, key, None)
        if key != "reward_episodes" or any(value is not None for value in values):  # not every saved state tells it
            found.append(_row(name, _pair(*values, write), width))
    found.append(_row("saved", _ages(left.meta, right.meta, now), width))
    found.append(_row("size", _pair(left.bytes, right.bytes, formatting.size), width))
    for name, texts in (
        ("run", (left.run, right.run)),
        ("phase", (left.phase or formatting.UNKNOWN, right.phase or formatting.UNKNOWN)),
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


def _curve(comparison: Comparison, metric: str, width: int, style: ChartStyle, whole: bool) -> list[Line]:
    """The metric from one to the other in one row; of two lines of training both, by their steps."""
    curves = comparison.curves
    if curves is None:
        return [text_line("reading the journals …", "muted")]
    if curves.problem:
        return wrap(curves.problem, width, "bad")
    ends, own = ends_of(comparison, metric), (comparison.right.run, curves.own)
    if curves.other is None:
        return one_curve(own, metric, ends, width)
    sight = Sight(style, whole, curves.marks[-MOST_MARKS:])
    return two_curves((comparison.left.run, curves.other), own, metric, ends, sight, width)


def _profiles(comparison: Comparison, width: int) -> list[Line]:
    found: list[Line] = [text_line("Profiles", "title")]
    return found + change_lines(comparison.changes, width) + by_hand_lines(*comparison.by_hand, width)


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
