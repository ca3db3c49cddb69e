"""Two saved states to be compared: which, what lies between them, a metric at each, and whether the same was paid. Pure but
for the reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rltui import formatting, safe_io
from rltui.events.episode_reward import REWARD
from rltui.profile.locate import STATE_FILE
from rltui.runs.paths import DataDir
from rltui.tui.browser.by_hand import ByHand, saved_by_hand
from rltui.tui.browser.curves import Ends, fits_common
from rltui.tui.browser.library import Entry, Library
from rltui.tui.browser.past import Curves, read_curves
from rltui.tui.browser.profile_changes import ABSENT, Change, saved_changes
from rltui.tui.run.history import History
from rltui.tui.run.rewards_apart import apart, paid


@dataclass(frozen=True)
class Comparison:
    """left: the older one. curves: what the journals tell of the two; None while being read. by_hand: of left and right."""

    left: Entry
    right: Entry
    changes: list[Change] | str
    curves: Curves | None = None
    by_hand: tuple[ByHand, ByHand] = ({}, {})

    def metrics(self) -> list[str]:
        """Keys to choose from, the reward first."""
        keys = {key for history in (self.curves.all if self.curves else ()) for key in history.columns} - {"timesteps"}
        return sorted(keys, key=lambda key: (key != REWARD, key))

    @property
    def of_one_line(self) -> bool:
        """Whether training led from one to the other: within a run, or from a run to its branch."""
        parent, _, left_at = ((self.right.meta.parent or "") if self.right.meta else "").rpartition("@")
        is_before = left_at.isdigit() and (self.left.timesteps or 0) <= int(left_at)
        return self.left.run == self.right.run or (parent == self.left.run and is_before)


def to_compare(library: Library, marked: Sequence[Path], here: Entry | None) -> list[Entry]:
    """The marked states; of one alone also the highlighted."""
    chosen = [entry for path in marked if (entry := library.entry(path)) is not None]
    if len(chosen) == 1 and here is not None and here.meta is not None and here.path != chosen[0].path:
        chosen.append(here)
    return chosen


def compare(left: Entry, right: Entry) -> Comparison:
    """The older one goes to the left. Reads their two profiles, and what was set by hand in their place."""
    if (left.timesteps or 0) > (right.timesteps or 0):
        left, right = right, left
    changes = saved_changes(left.path / STATE_FILE, right.path / STATE_FILE)
    return Comparison(left, right, changes, by_hand=(saved_by_hand(left.path), saved_by_hand(right.path)))


def curves_between(data: DataDir, comparison: Comparison) -> Curves:
    """Call it in a thread. One that cannot be read says why."""
    left, right = comparison.left, comparison.right
    older, newer = (left.run, left.timesteps or 0), (right.run, right.timesteps or 0)
    try:
        return read_curves(data, older, newer, comparison.of_one_line)
    except OSError as error:
        return Curves(History(), problem=f"The journals cannot be read: {safe_io.reason(error)}")


def can_choose_range(comparison: Comparison, metric: str) -> bool:
    """Whether the chart can have all timesteps, or those near which both curves are."""
    curves = comparison.curves
    return curves is not None and curves.other is not None and fits_common(curves.other, curves.own, metric)


def ends_of(comparison: Comparison, metric: str) -> Ends:
    """The metric at the two states: the reward as they were saved with it, like the table; any other by its iteration."""
    left, right, curves = comparison.left.meta, comparison.right.meta, comparison.curves
    if metric == REWARD and left is not None and right is not None:
        return Ends(left.mean_reward, right.mean_reward, (left.reward_episodes, right.reward_episodes))
    if curves is None:
        return Ends(None, None)
    own = _known(curves.own, metric)
    before = own[:1] if curves.other is None else _known(curves.other, metric)[-1:]
    return Ends(before[0] if before else None, own[-1] if own else None)


def _known(history: History, metric: str) -> list[float]:
    return [value for value in history.series(metric)[1] if formatting.known(value)]


def rewards_apart(comparison: Comparison) -> list[str]:
    """By the weights that were in force then, by hand, by a schedule or by the profile, and by what else the profiles say.

    Where it is not told which weight was in force, a profile's counts.
    """
    changes = comparison.changes if not isinstance(comparison.changes, str) else []
    curves = comparison.curves
    if curves is None:
        return [_said(change) for change in changes if _pays(change)]
    known = all(curves.weights)
    older, newer = curves.weights if known else ({}, {})
    left = paid(curves.own, 0, older) if curves.other is None else paid(curves.other, -1, older)
    right = paid(curves.own, -1, newer)
    known = known and bool(left and right)
    return [_said(c) for c in changes if _pays(c) and not (known and _is_weight(c))] + apart(left, right)


def _said(change: Change) -> str:
    return f"{change.key.removeprefix('rewards.')} {change.left or ABSENT} → {change.right or ABSENT}"


def _pays(change: Change) -> bool:
    return change.key.partition(".")[0] in ("rewards", "[rewards]", "reward_options", "[reward_options]")


def _is_weight(change: Change) -> bool:
    """Not a reward's own parameter."""
    return len(change.key.split(".")) < 3 or change.key.endswith((".weight", ".schedule"))
