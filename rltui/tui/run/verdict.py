"""How the bot is doing, in a word with its evidence: learning, flat, falling, unhealthy; a dash where it is not known. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events.records import CLOCK
from rltui.tui import figures
from rltui.tui.run.health import illness, usual_speed
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.symptoms import FARTHEST, Symptom, broken_at, symptoms
from rltui.tui.run.trend import Trend, needed, trend

REWARD, WEIGHT = "rollout/policy_reward", "weight/"
_WORDS = {
    "rising": ("▲", "learning", "good"),
    "flat": ("━", "flat", "warn"),
    "falling": ("▼", "falling", "warn"),
}


@dataclass(frozen=True, slots=True)
class Findings:
    """Of all iterations so far: what the reward does since row `first`, under the present rewards, and what is ill."""

    trend: Trend | None
    first: int
    symptoms: tuple[Symptom, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """role: good, warn, bad or muted. words: the evidence, with since when."""

    symbol: str
    word: str
    role: str
    words: str


def findings(snapshot: RunSnapshot) -> Findings:
    """Reads the whole history, which is not for every picture."""
    history = snapshot.history
    first = bisect_right(history.timesteps, broken_at(snapshot.marks), 0, history.length)
    rewards = history.columns.get(REWARD)
    found = trend(rewards[first : history.length]) if rewards is not None else None
    return Findings(found, first, tuple(symptoms(snapshot, first)))


def verdict(snapshot: RunSnapshot, found: Findings, now: float, heard: bool) -> Verdict:
    """now: Unix seconds. heard: the trainer speaks, so that a worker's silence is its own."""
    ill = [*(_ill_workers(snapshot, now) if heard else []), *(_told(snapshot, one) for one in found.symptoms)]
    symbol, word, role, words = _of_reward(snapshot, found)
    if not ill:
        return Verdict(symbol, word, role, words)
    more = f"; and {len(ill) - 1} more" if len(ill) > 1 else ""
    beside = f"; reward {found.trend.kind}" if found.trend is not None else ""
    return Verdict("✗", "unhealthy", "bad", f"because {ill[0]}{more}{beside}")


def _of_reward(snapshot: RunSnapshot, found: Findings) -> tuple[str, str, str, str]:
    one = found.trend
    if one is None:
        return figures.UNKNOWN, figures.UNKNOWN, "muted", _too_few(snapshot, found)
    then, now = (figures.number(value) for value in (one.then, one.now))
    if one.kind == "rising":
        rows, seconds = one.until - one.since, _seconds(snapshot, found.first + one.since, found.first + one.until)
        words = f"reward {then} → {now} over {rows:,} iterations{seconds}"
    else:
        words = f"since {_moment(snapshot, found.first + one.since)}: reward {then} then, {now} now"
    return (*_WORDS[one.kind], words + _weights(snapshot.history, found.first + one.since))


def _weights(history: History, row: int) -> str:
    """How many weights are others than at this row: a schedule that changes what is paid explains a reward too."""
    columns = [column for key, column in history.columns.items() if key.startswith(WEIGHT)]
    changed = sum(column[row] != column[history.length - 1] for column in columns if column[row] == column[row])
    return f", while {figures.plural(changed, 'reward weight')} changed" if changed else ""


def _too_few(snapshot: RunSnapshot, found: Findings) -> str:
    there = snapshot.history.length - found.first
    since = " since the rewards changed" if found.first else ""
    if there < needed():
        return f"no verdict below {needed()} iterations: {there}{since or ' done'}"
    return f"no verdict: too few of the {there:,} iterations{since} have a reward, or it has not settled"


def _told(snapshot: RunSnapshot, one: Symptom) -> str:
    length = snapshot.history.length
    seconds = _seconds(snapshot, length - one.iterations, length)
    to_try = f": {one.to_try}" if one.to_try else ""
    more = " or more" if one.iterations >= FARTHEST else ""
    return f"{one.words}, for {one.iterations:,} iterations{more}{seconds}{to_try}"


def _ill_workers(snapshot: RunSnapshot, now: float) -> list[str]:
    usual = usual_speed(snapshot.workers)
    found = ((row, illness(row, now, usual)) for row in snapshot.workers)
    return [f"worker {row.worker} {word[0]}: pane 4" for row, word in found if word is not None and word[1] == "bad"]


def _moment(snapshot: RunSnapshot, row: int) -> str:
    """`8.12 M steps (38 min)`: the row's, and how long before the newest iteration that was."""
    history = snapshot.history
    clock = _clock(snapshot)
    ago = f" ({figures.age(clock[history.length - 1] - clock[row])})" if clock is not None else ""
    return f"{figures.short(history.timesteps[row])} steps{ago}"


def _seconds(snapshot: RunSnapshot, start: int, end: int) -> str:
    """` (2 m 38 s)`: from row `start` to the last one before `end`; empty where that is not known."""
    clock = _clock(snapshot)
    last = min(end, snapshot.history.length) - 1
    return f" ({figures.duration(clock[last] - clock[start])})" if clock is not None and last > start else ""


def _clock(snapshot: RunSnapshot) -> Sequence[float] | None:
    """Unix seconds of each row."""
    return snapshot.history.columns.get(CLOCK)
