"""The way to the next checkpoint, milestone, phase and the step limit, with the time that it takes at the present speed."""

from __future__ import annotations

from rltui import formatting
from rltui.tui.paint import Line, pad
from rltui.tui.run import pace
from rltui.tui.run.model import RunSnapshot
from rltui.tui.widgets.bars import progress_bar

_ROLES = {"checkpoint": "series-1", "milestone": "series-2", "promotion": "series-4", "limit": "series-3"}
_PERCENT, _LEFT, _MEANT_LEFT = 6, 14, 18  # columns
_KEPT = ("limit", "milestone", "checkpoint", "promotion")  # where there is little room, the last ones longest
_MEANT = {"exact": "in", "trend": "about", "latest": "within"}
_LEAST, _MOST = 5, 40  # columns of a bar


def progress_line(snapshot: RunSnapshot, width: int) -> Line:
    """As many goals as fit side by side, bars sharing the room evenly; nothing before the first record."""
    goals = pace.goals(snapshot)
    if not goals:
        return ()
    while goals and width < sum(_fixed(goal) + _LEAST for goal in goals):
        goals.remove(min(goals, key=lambda goal: _KEPT.index(goal.name)))
    room = width - sum(_fixed(goal) for goal in goals)
    spans: list[tuple[str, str]] = []
    for index, goal in enumerate(goals):
        bar = min(room // (len(goals) - index), _MOST)
        room -= bar
        spans += _goal(goal, bar, snapshot.paused)
    return tuple(spans)


def _name(goal: pace.Goal) -> str:
    if goal.target is None or goal.name not in ("milestone", "limit"):
        return goal.name
    return f"{goal.name} {formatting.exact(goal.target)}"


def _fixed(goal: pace.Goal) -> int:
    return len(_name(goal)) + 2 + _figure(goal) + _left(goal)


def _figure(goal: pace.Goal) -> int:
    return max(len(goal.words) + 1, _PERCENT)


def _left(goal: pace.Goal) -> int:
    return _LEFT if goal.sure == "exact" else _MEANT_LEFT


def _goal(goal: pace.Goal, bar: int, paused: bool) -> Line:
    left = (
        f" {_MEANT[goal.sure]} {formatting.remaining(goal.seconds)}"
        if goal.seconds is not None
        else " paused"
        if paused
        else f" in {formatting.UNKNOWN}"
    )
    return (
        (f" {_name(goal)} ", "muted"),
        *progress_bar(goal.share, bar, _ROLES[goal.name]),
        (pad(goal.words or formatting.percent(goal.share), _figure(goal), ">"), ""),
        (pad(left, _left(goal)), "muted"),
    )
