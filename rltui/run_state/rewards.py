"""Reward figures: settling, mean over the last episodes, whether two runs can be compared."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from typing import Protocol

from rltui import formatting
from rltui.events.episode_reward import (
    EPISODES,
    FIRST_EPISODES,
    PART,
    REWARD,
    WEIGHT,
    WINDOW,
    EpisodeReward,
    RewardWindow,
    mostly_short,
)
from rltui.events.records import RunStarted, match_words, reward_of
from rltui.run_state.history import History
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.run_state.trend import BLOCK

TAKEN = (REWARD, EPISODES, FIRST_EPISODES)
SAYS = "rewards not comparable"
FARTHEST = 1000  # rows looked back for one in which episodes ended
NAMED = 3  # differences listed one by one
PROFILE = "as in its profile"  # a row has a weight only where it is not


def newest_reward(snapshot: RunSnapshot) -> EpisodeReward:
    """Over the newest episodes of the task in force."""
    return reward_at_end(snapshot.history, snapshot.tasks[-1].timesteps if snapshot.tasks else -1)


def mean_over_episodes(snapshot: RunSnapshot, key: str) -> tuple[float, EpisodeReward] | None:
    """Of the reward or a part of it: its mean over the newest episodes, as all but a single iteration tells it.

    None for another metric, and where no episode has ended or their number is not told.
    """
    if key != REWARD and not key.startswith(PART):
        return None
    found = newest_reward(snapshot)
    mean = found.mean if key == REWARD else found.parts.get(key.removeprefix(PART))
    return (mean, found) if mean is not None and found.episodes else None


def reward_at_end(history: History, begun: int = -1) -> EpisodeReward:
    """Over the newest episodes of the history. begun: timesteps at which the task began."""
    window = RewardWindow()
    columns = {key: column for key, column in history.columns.items() if key in TAKEN or key.startswith(PART)}
    for row in range(_first_of_window(history, begun), history.length):
        metrics = {key: column[row] for key, column in columns.items() if not math.isnan(column[row])}
        paid = [key.removeprefix(PART) for key in metrics if key.startswith(PART)]
        if paid or REWARD in metrics:
            window.iteration(metrics, paid)
    return window.value


def _first_of_window(history: History, begun: int) -> int:
    """The row from which on there are enough episodes; begun: timesteps at which the task began."""
    row, ended = history.length, 0.0
    if REWARD not in history.columns:
        return row
    if EPISODES not in history.columns:  # of a script of others, which does not count them
        return max(row - 1, 0)
    while row > 0 and ended < WINDOW and history.timesteps[row - 1] > begun:
        row -= 1
        episodes = history.columns[EPISODES][row]
        ended += 0.0 if math.isnan(episodes) else episodes
    return row


def settling(snapshot: RunSnapshot) -> bool:
    """Whether the newest iteration's rewards are those of short episodes, which say nothing of the bot.

    All arenas begin at once, at a start, a resume or a new phase; until the longest of their first episodes has ended, about
    one timeout later, those that have ended are the short ones.
    """
    return mostly_short(snapshot.metrics.get(FIRST_EPISODES))


def first_row(snapshot: RunSnapshot) -> int:
    """Of this start, under the present rewards: after the newest start, phase, stage and change of a weight by hand."""
    changed = counted_since(snapshot)
    begun = changed.timesteps if changed else snapshot.opened.timesteps if snapshot.opened is not None else -1
    return bisect_right(snapshot.history.timesteps, begun, 0, snapshot.history.length)


def counted_since(snapshot: RunSnapshot) -> ChartMark | None:
    """The newest phase, stage or change of a weight by hand of this start; None where there was none."""
    start = snapshot.opened.timesteps if snapshot.opened is not None else -1
    found = [mark for mark in snapshot.marks if mark.kind == "task" or reward_of(mark.setting) is not None]
    newest = max(found, key=lambda mark: mark.timesteps, default=None)
    return newest if newest is not None and newest.timesteps > start else None


def settled_row(history: History, row: int) -> int:
    """The first from `row` on in which not mostly short episodes had ended."""
    young = history.columns.get(FIRST_EPISODES)
    while young is not None and row < history.length and mostly_short(young[row]):
        row += 1
    return row


def counted_rows(history: History, start: int) -> tuple[int, int]:
    """First and end of the rows whose rewards tell how good the bot is: once settled, up to the last whole block from `start` on.

    One rule for verdict and comparison, whose figures are of the same iterations so.
    """
    return settled_row(history, start), history.length - (history.length - start) % BLOCK


def weights_in_row(history: History, row: int, profile: Mapping[str, float] | None = None) -> dict[str, float | None]:
    """The rewards of that row with their weights in force; None: as its profile has it. Negative rows count from the end.

    profile: the weights that it has, where those are known; a schedule's or one set by hand stands in the row.
    """
    row = row if row >= 0 else history.length + row
    if not 0 <= row < history.length:
        return {}
    return {name: _weight(history, row, name, profile or {}) for name in _names(history, row)}


def _names(history: History, row: int) -> list[str]:
    """Of the rewards at this row, or at the newest before it in which episodes ended."""
    columns = {key.removeprefix(PART): column for key, column in history.columns.items() if key.startswith(PART)}
    for back in range(row, max(row - FARTHEST, -1), -1):
        if names := [name for name, column in columns.items() if math.isfinite(column[back])]:
            return names
    return []


def _weight(history: History, row: int, name: str, profile: Mapping[str, float]) -> float | None:
    column = history.columns.get(WEIGHT + name)
    return column[row] if column is not None and math.isfinite(column[row]) else profile.get(name)


def weight_differences(
    left: dict[str, float | None], right: dict[str, float | None], names: tuple[str, str] = ("left", "right")
) -> list[str]:
    """Where they differ, in words: `touch 2.00 → 5.00`, `goal: only right`. Empty where the same, or one is not known."""
    if not left or not right:
        return []
    alone = left.keys() ^ right.keys()
    found = [f"{name}: only {names[name in right]}" for name in sorted(alone) if (left | right)[name] != 0]
    both = [name for name in left if name in right and left[name] != right[name]]
    return found + [f"{name} {_words(left[name])} → {_words(right[name])}" for name in both]


class Paid(Protocol):
    """A run: RunSnapshot, OtherRun."""

    @property
    def history(self) -> History: ...

    @property
    def header(self) -> RunStarted | None: ...


def reward_differences(left: Paid, right: Paid, names: tuple[str, str]) -> list[str]:
    """What makes their rewards different things: as `games_apart`, then as `weight_differences`, each by its newest row and what
    its profile says beside that.
    """
    both = bool(profile_weights(left) and profile_weights(right))  # of one alone nothing can be compared with
    one, other = (weights_in_row(run.history, -1, profile_weights(run) if both else {}) for run in (left, right))
    return games_apart(left, right) + weight_differences(one, other, names)


def games_apart(left: Paid, right: Paid) -> list[str]:
    """What they play, each at its end, where that differs: `1v1 → 1v2 checkpoints`, `stage duel → crowd`."""
    if left.header is None or right.header is None:
        return []
    played = ("", match_words(left.header), match_words(right.header))
    stages = ("stage ", left.header.stage, right.header.stage)
    found = {(one, other): what for what, one, other in (stages, played) if one and other and one != other}
    return [f"{what}{one} → {other}" for (one, other), what in reversed(found.items())]


def profile_weights(run: Paid) -> Mapping[str, float]:
    """Empty where that is not told."""
    return run.header.reward_weights if run.header is not None else {}


def differences_line(differences: list[str]) -> str:
    """In one line; empty where there are none."""
    if not differences:
        return ""
    more = len(differences) - NAMED
    return f"{SAYS}: {', '.join(differences[:NAMED])}" + (f" and {more} more" if more > 0 else "")


def _words(weight: float | None) -> str:
    return PROFILE if weight is None else formatting.number(weight)
