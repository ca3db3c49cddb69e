"""How the bot is doing, in a word with its evidence: learning, flat, falling, unhealthy; a dash where it is not known. Pure."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass

from rltui import figures
from rltui.events.episode_reward import PART, REWARD, WEIGHT
from rltui.tui.run.at_work import at_work
from rltui.tui.run.cause import cause
from rltui.tui.run.health import at_work_since, illness, usual_speed
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.settling import settled, settling
from rltui.tui.run.symptoms import FARTHEST, Symptom, broken_at, symptoms
from rltui.tui.run.trend import Trend, counted, trend

DIGITS = 17  # of a float at most
_WORDS = {
    "rising": ("▲", "learning", "good"),
    "flat": ("━", "flat", "warn"),
    "falling": ("▼", "falling", "warn"),
}


@dataclass(frozen=True, slots=True)
class Findings:
    """Of all iterations so far: what the reward does since row `first`, under the present rewards, and what is ill.

    seconds: at work, from the trend's first row to its last; None where not known.
    """

    trend: Trend | None
    first: int
    symptoms: tuple[Symptom, ...]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """role: good, warn, bad or muted. words: the evidence, with since when. more: what else is ill, each with its evidence."""

    symbol: str
    word: str
    role: str
    words: str
    more: tuple[str, ...] = ()


def findings(snapshot: RunSnapshot) -> Findings:
    """Reads the whole history, which is not for every picture."""
    history = snapshot.history
    marked = bisect_right(history.timesteps, broken_at(snapshot.marks), 0, history.length)
    first = max(marked, _first_paid_so(history))
    found = trend(settled(history, REWARD, first))
    seconds = None
    if found is not None:
        end = first + found.until if found.kind == "rising" else history.length
        seconds = at_work(history, first + found.since, end)
    return Findings(found, first, tuple(symptoms(snapshot, first)), seconds)


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


def verdict(snapshot: RunSnapshot, found: Findings, now: float, heard: bool) -> Verdict:
    """now: Unix seconds. heard: the trainer speaks, so that a worker's silence is its own."""
    ill = [*(_ill_workers(snapshot, now) if heard else []), *(_told(snapshot, one) for one in found.symptoms)]
    if not ill:
        return Verdict(*_of_reward(snapshot, found))
    more = f"; and {len(ill) - 1} more" if len(ill) > 1 else ""
    beside = f"; reward {found.trend.kind}" if found.trend is not None else ""
    return Verdict("✗", "unhealthy", "bad", f"{ill[0]}{more}{beside}", tuple(ill[1:]))


def _of_reward(snapshot: RunSnapshot, found: Findings) -> tuple[str, str, str, str]:
    one = found.trend
    if one is None:
        return figures.UNKNOWN, figures.UNKNOWN, "muted", _too_few(snapshot, found)
    then, now = _figures(one)
    if one.kind == "rising":
        words = f"reward {then} → {now} over {one.until - one.since:,} iterations{_lasting(found.seconds)}"
    else:
        words = f"since {_moment(snapshot, found)}: reward {then} then, {now} now"
        words += f", ±{figures.number(one.noise)} by chance" if one.kind == "flat" and then != now else ""
    return (*_WORDS[one.kind], words + _weights(snapshot.history, found.first + one.since))


def _figures(one: Trend) -> tuple[str, str]:
    """Then and now, in as many digits as it takes to see that the reward rises or falls."""
    then, now = figures.number(one.then), figures.number(one.now)
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
    return f", while {figures.plural(changed, 'reward weight')} changed" if changed else ""


def _too_few(snapshot: RunSnapshot, found: Findings) -> str:
    history = snapshot.history
    there = history.length - found.first
    if settling(snapshot):
        return "no verdict yet: until the arenas' first episodes have ended, mostly short ones have"
    count, least = counted(settled(history, REWARD, found.first))
    since = " since the rewards changed" if found.first else ""
    if count == there:
        return f"no verdict yet: it takes {least:,} iterations{since}, {count:,} are done"
    none = f"{there - count:,} more have none: no episodes ended in them, or only short ones"
    return f"no verdict yet: it takes {least:,} iterations with a reward{since}, {count:,} are done; {none}"


def _told(snapshot: RunSnapshot, one: Symptom) -> str:
    """The change that it began with comes first, for a narrow line ends early."""
    length = snapshot.history.length
    seconds = _lasting(at_work(snapshot.history, length - one.iterations, length))
    since = cause(snapshot, length - one.iterations) if 0 < one.iterations < FARTHEST else ""
    more = " or more" if one.iterations >= FARTHEST else ""
    lasting = f", for {figures.plural(one.iterations, 'iteration')}{more}{seconds}" if one.iterations else ""
    if since:
        return f"{since}; {one.words}{lasting}"
    return f"because {one.words}{lasting}" + (f": {one.to_try}" if one.to_try else "")


def _ill_workers(snapshot: RunSnapshot, now: float) -> list[str]:
    usual = usual_speed(snapshot.workers)
    since = at_work_since(snapshot)
    found = ((row, illness(row, now, usual, since)) for row in snapshot.workers)
    return [
        f"because worker {row.worker} {word[0]}: pane 4" for row, word in found if word is not None and word[1] == "bad"
    ]


def _moment(snapshot: RunSnapshot, found: Findings) -> str:
    """`8.12 M steps (38 min)`: the row's since which it is so, and how much work before the newest iteration that was."""
    row = found.first + (found.trend.since if found.trend is not None else 0)
    ago = f" ({figures.age(found.seconds)})" if found.seconds is not None else ""
    return f"{figures.short(snapshot.history.timesteps[row])} steps{ago}"


def _lasting(seconds: float | None) -> str:
    """` (2 min 38 s)`; empty where that is not known, or nothing."""
    return f" ({figures.duration(seconds)})" if seconds else ""
