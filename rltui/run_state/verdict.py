"""Diagnosis of a run, with evidence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.events.episode_reward import PART, REWARD, SHORT_SO_FAR, WEIGHT, WHY_SHORT
from rltui.events.records import ENTROPY_SETTING, RATE_SETTING, SettingChanged, reward_of
from rltui.run_state.condition import in_force
from rltui.run_state.history import History
from rltui.run_state.progress import at_work
from rltui.run_state.rewards import settled, settling
from rltui.run_state.snapshot import ChartMark, RunSnapshot
from rltui.run_state.symptoms import FARTHEST, at_work_since, broken_at, symptoms, usual_speed, worker_problem
from rltui.run_state.trend import BLOCK, Findings, Symptom, Trend, counted, needed, trend

BEFORE = 50  # iterations from a change to what it does
EARLY = 9  # iterations by which a beginning can be put too early, being found by medians
NAMED = 2  # changes of one edit that are listed one by one
_TYPED = {RATE_SETTING: "lr", ENTROPY_SETTING: "entropy"}  # as change_command.py reads them
DIGITS = 17  # of a float at most
_WORDS = {
    "rising": ("▲", "learning", "good"),
    "flat": ("━", "flat", "warn"),
    "falling": ("▼", "falling", "warn"),
}


def with_findings(snapshot: RunSnapshot) -> RunSnapshot:
    """With the findings of its iterations; as it is where they cannot have changed, for a long history takes a while."""
    basis = _basis(snapshot)
    return snapshot if basis == snapshot.found.basis else replace(snapshot, found=_find(snapshot, basis))


def _basis(snapshot: RunSnapshot) -> object:
    """Whole blocks of iterations, the iterations themselves while there are few; the marks, which only a resume takes away."""
    length = snapshot.history.length
    block = length if length < needed() else length // BLOCK
    return block, len(snapshot.marks), snapshot.resumed


def _find(snapshot: RunSnapshot, basis: object) -> Findings:
    history = snapshot.history
    marked = bisect_right(history.timesteps, broken_at(snapshot.marks), 0, history.length)
    first = max(marked, _first_paid_so(history))
    found = trend(settled(history, REWARD, first))
    seconds = None
    if found is not None:
        end = first + found.until if found.kind == "rising" else history.length
        seconds = at_work(history, first + found.since, end)
    return Findings(found, first, tuple(symptoms(snapshot, first)), seconds, history.length, basis)


def _first_paid_so(history: History) -> int:
    """The row from which the same rewards are paid as now; a start with another profile can change them unmarked."""
    rewards, first = history.columns.get(REWARD, ())[: history.length], 0
    last = next((row for row in range(len(rewards) - 1, -1, -1) if math.isfinite(rewards[row])), None)
    if last is None:
        return 0
    for column in (column[: history.length] for key, column in history.columns.items() if key.startswith(PART)):
        is_paid = not math.isnan(column[last])
        if is_paid and math.isfinite(sum(column)):
            continue  # always
        others = (row for row in range(last, first - 1, -1) if math.isnan(column[row]) == is_paid)
        first = next((row + 1 for row in others if math.isfinite(rewards[row])), first)
    return first


def cause(snapshot: RunSnapshot, row: int) -> str:
    """Of what began at about this row: since which change, and how it is taken back; empty where there was none."""
    mark = _nearest(
        _changes(snapshot), _steps(snapshot, row - BEFORE), _steps(snapshot, row), _steps(snapshot, row + EARLY)
    )
    if mark is None:
        return ""
    where = f"at {formatting.short(mark.timesteps)} timesteps"
    if edits := _edits_with(snapshot, mark):
        them = "it" if len(edits) == 1 else "them"
        return f"since {_listed([one.label for one in edits])} {where}, by the profile: set {them} back there"
    if mark.by_hand is None or mark.by_hand not in in_force(snapshot):
        return f"since {mark.label} {where}, which holds no more: go on from a milestone of before it unless this mends"
    return f"since {mark.label} {where}: take it back with `{_back(mark.by_hand)}`"


def _changes(snapshot: RunSnapshot) -> list[ChartMark]:
    """All but those that took something back."""
    found = (mark for mark in snapshot.marks if mark.kind == "changed")
    return [mark for mark in found if mark.by_hand is None or not mark.by_hand.takes_back]


def _nearest(marks: Sequence[ChartMark], first: int, start: int, last: int) -> ChartMark | None:
    """The newest before the start, else the first after it."""
    near = [mark for mark in marks if first <= mark.timesteps <= last]
    before = [mark for mark in near if mark.timesteps <= start]
    return before[-1] if before else next(iter(near), None)


def _edits_with(snapshot: RunSnapshot, mark: ChartMark) -> list[ChartMark]:
    """All that the same edit of the profile changed and that is still so; empty of a change by hand."""
    if mark.by_hand is not None:
        return []
    newest = {one.setting: one for one in snapshot.marks if one.kind == "changed"}
    return [one for one in newest.values() if one.by_hand is None and one.timesteps == mark.timesteps]


def _listed(labels: Sequence[str]) -> str:
    """`a and b`; of more than NAMED the first ones and how many more."""
    if len(labels) > NAMED:
        return f"{', '.join(labels[:NAMED])} and {len(labels) - NAMED} more"
    return " and ".join(labels)


def _back(record: SettingChanged) -> str:
    """What is typed."""
    if (switch := record.switch) is not None:
        return f": flag {switch.flag} off" + ("" if switch.worker is None else f" {switch.worker}")
    reward = reward_of(record.setting)
    typed = _TYPED.get(record.setting, record.setting) if reward is None else f"reward {reward}"
    return f": {typed} profile"


def _steps(snapshot: RunSnapshot, row: int) -> int:
    """Timesteps of a row; of those before the first and after the last, of these."""
    history = snapshot.history
    return int(history.timesteps[min(max(row, 0), history.length - 1)]) if history.length else 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """role: good, warn, bad or muted. words: the evidence, with since when. more: what else is ill, each with its evidence."""

    symbol: str
    word: str
    role: str
    words: str
    more: tuple[str, ...] = ()


def verdict(snapshot: RunSnapshot, now: float, heard: bool) -> Verdict:
    """By what the snapshot holds as found. now: Unix seconds. heard: the trainer speaks, so that a worker's silence is its own."""
    ill = [
        *(_failing_workers(snapshot, now) if heard else []),
        *(_symptom_line(snapshot, one) for one in snapshot.found.symptoms),
    ]
    if not ill:
        return Verdict(*_of_reward(snapshot))
    more = f"; and {len(ill) - 1} more" if len(ill) > 1 else ""
    beside = f"; reward {snapshot.found.trend.kind}" if snapshot.found.trend is not None else ""
    return Verdict("✗", "unhealthy", "bad", f"{ill[0]}{more}{beside}", tuple(ill[1:]))


def _of_reward(snapshot: RunSnapshot) -> tuple[str, str, str, str]:
    found = snapshot.found
    one = found.trend
    if one is None:
        return formatting.UNKNOWN, formatting.UNKNOWN, "muted", _too_few(snapshot)
    then, now = _figures(one)
    if one.kind == "rising":
        words = f"mean reward {then} → {now} over {one.until - one.since:,} iterations{_lasting(found.seconds)}"
    else:
        words = f"since {_moment(snapshot, found.first + one.since)}: mean reward {then} then, {now} now"
        words += f", ±{formatting.number(one.noise)} by chance" if one.kind == "flat" and then != now else ""
    return (*_WORDS[one.kind], words + _weights(snapshot.history, found.first + one.since))


def _figures(one: Trend) -> tuple[str, str]:
    """Then and now, in as many digits as it takes to see that the reward rises or falls."""
    then, now = formatting.number(one.then), formatting.number(one.now)
    digits = 3
    while then == now and one.kind != "flat" and digits < DIGITS:
        digits += 1
        then, now = f"{one.then:.{digits}g}", f"{one.now:.{digits}g}"
    return then, now


def _weights(history: History, row: int) -> str:
    """How many weights are others than at this row: a schedule that changes what is paid explains a reward too."""
    columns = [column for key, column in history.columns.items() if key.startswith(WEIGHT)]
    pairs = ((column[row], column[history.length - 1]) for column in columns)
    changed = sum(then != now for then, now in pairs if then == then and now == now)
    return f", while {formatting.plural(changed, 'reward weight')} changed" if changed else ""


def _too_few(snapshot: RunSnapshot) -> str:
    history, first = snapshot.history, snapshot.found.first
    there = history.length - first
    if settling(snapshot):
        return f"no verdict yet: {SHORT_SO_FAR}, for {WHY_SHORT}"
    count, least = counted(settled(history, REWARD, first))
    since = " since the rewards changed" if first else ""
    if count == there:
        return f"no verdict yet: it takes {least:,} iterations{since}, {count:,} are done"
    none = f"{there - count:,} more have none: no episodes ended in them, or only short ones"
    return f"no verdict yet: it takes {least:,} iterations with a reward{since}, {count:,} are done; {none}"


def _symptom_line(snapshot: RunSnapshot, one: Symptom) -> str:
    """The change that it began with comes first, for a narrow line ends early."""
    rows = snapshot.found.rows
    seconds = _lasting(at_work(snapshot.history, rows - one.iterations, rows))
    since = cause(snapshot, rows - one.iterations) if 0 < one.iterations < FARTHEST else ""
    more = " or more" if one.iterations >= FARTHEST else ""
    lasting = f", for {formatting.plural(one.iterations, 'iteration')}{more}{seconds}" if one.iterations else ""
    if since:
        return f"{since}; {one.words}{lasting}"
    return f"because {one.words}{lasting}" + (f": {one.to_try}" if one.to_try else "")


def _failing_workers(snapshot: RunSnapshot, now: float) -> list[str]:
    usual = usual_speed(snapshot.workers)
    since = at_work_since(snapshot)
    found = ((row, worker_problem(row, now, usual, since)) for row in snapshot.workers)
    return [
        f"because worker {row.worker} {word[0]}: see Workers"
        for row, word in found
        if word is not None and word[1] == "bad"
    ]


def _moment(snapshot: RunSnapshot, row: int) -> str:
    """`8.12 M timesteps (38 min)`: the row's since which it is so, and how much work before the newest iteration that was."""
    seconds = snapshot.found.seconds
    ago = f" ({formatting.age(seconds)})" if seconds is not None else ""
    return f"{formatting.short(snapshot.history.timesteps[row])} timesteps{ago}"


def _lasting(seconds: float | None) -> str:
    """` (2 min 38 s)`; empty where that is not known, or nothing."""
    return f" ({formatting.duration(seconds)})" if seconds else ""
