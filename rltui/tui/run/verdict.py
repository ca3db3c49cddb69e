"""How the bot is doing, in a word with its evidence: learning, flat, falling, unhealthy; a dash where it is not known. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rltui import formatting
from rltui.events.episode_reward import REWARD, SHORT_SO_FAR, WEIGHT, WHY_SHORT
from rltui.tui.run.at_work import at_work
from rltui.tui.run.cause import cause
from rltui.tui.run.findings import Symptom
from rltui.tui.run.health import at_work_since, illness, usual_speed
from rltui.tui.run.history import History
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.settling import settled, settling
from rltui.tui.run.symptoms import FARTHEST
from rltui.tui.run.trend import Trend, counted

DIGITS = 17  # of a float at most
_WORDS = {
    "rising": ("▲", "learning", "good"),
    "flat": ("━", "flat", "warn"),
    "falling": ("▼", "falling", "warn"),
}


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
    ill = [*(_ill_workers(snapshot, now) if heard else []), *(_told(snapshot, one) for one in snapshot.found.symptoms)]
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


def _told(snapshot: RunSnapshot, one: Symptom) -> str:
    """The change that it began with comes first, for a narrow line ends early."""
    rows = snapshot.found.rows
    seconds = _lasting(at_work(snapshot.history, rows - one.iterations, rows))
    since = cause(snapshot, rows - one.iterations) if 0 < one.iterations < FARTHEST else ""
    more = " or more" if one.iterations >= FARTHEST else ""
    lasting = f", for {formatting.plural(one.iterations, 'iteration')}{more}{seconds}" if one.iterations else ""
    if since:
        return f"{since}; {one.words}{lasting}"
    return f"because {one.words}{lasting}" + (f": {one.to_try}" if one.to_try else "")


def _ill_workers(snapshot: RunSnapshot, now: float) -> list[str]:
    usual = usual_speed(snapshot.workers)
    since = at_work_since(snapshot)
    found = ((row, illness(row, now, usual, since)) for row in snapshot.workers)
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
