"""Verdict on a run: its reward's trend with figures, or what is ill, or why there is none yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rltui import formatting
from rltui.events.episode_reward import REWARD, SHORT_SO_FAR, WEIGHT
from rltui.run_state.rewards import counted_rows, counted_since, first_row, settling
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.symptoms import at_work_since, symptoms, usual_speed, worker_problem
from rltui.run_state.trend import BLOCK, LONG, NEWEST, Findings, Symptom, too_few, trend

TOO_NOISY = "too noisy to tell"
_WORDS = {
    "rising": ("▲", "learning", "good"),
    "flat": ("━", "flat", "warn"),
    "falling": ("▼", "falling", "warn"),
    None: (formatting.UNKNOWN, "unknown", "muted"),
}


def with_findings(snapshot: RunSnapshot) -> RunSnapshot:
    """With what is found in its iterations up to the last whole block: the same however the journal was read.

    As it is where that cannot have changed, for a long history takes a while.
    """
    history, start = snapshot.history, first_row(snapshot)
    first, end = counted_rows(history, start)
    basis = start, first, end, len(snapshot.marks)
    if basis == snapshot.found.basis:
        return snapshot
    rewards = history.columns[REWARD][first:end] if REWARD in history.columns else ()
    found = Findings(trend(rewards), first, tuple(symptoms(snapshot, start, end)), basis)
    return replace(snapshot, found=found)


@dataclass(frozen=True, slots=True)
class Verdict:
    """word: learning, flat, falling, unhealthy, unknown. role: good, warn, bad or muted. words: the figures, or why there is
    none. symptoms: all that is ill, worst first. best, now, noise: of the mean reward, None where unknown.
    """

    symbol: str
    word: str
    role: str
    words: str
    symptoms: tuple[Symptom, ...] = ()
    best: float | None = None
    now: float | None = None
    noise: float | None = None

    def document(self) -> Mapping[str, object]:
        """As --json has it."""
        figures = {"best": self.best, "now": self.now, "noise": self.noise}
        ill = [{"words": one.words, "to_try": one.to_try} for one in self.symptoms]
        return {"word": self.word, "words": self.words, **figures, "symptoms": ill}

    @property
    def brief(self) -> str:
        """`learning`; where there is no word, why: `17 of 60`, `too noisy to tell`."""
        return self.word if self.word != "unknown" else self.words.partition(" iterations")[0].partition(":")[0]

    @property
    def line(self) -> str:
        """`learning: best 14.7, now 14.5 ±0.3`."""
        return f"{self.word}: {self.words}" if self.word != "unknown" else f"{formatting.UNKNOWN} {self.words}"


def verdict(snapshot: RunSnapshot, now: float, heard: bool) -> Verdict:
    """By what the snapshot holds as found. now: Unix seconds. heard: the trainer speaks, so that a worker's silence is its own."""
    found = snapshot.found.trend
    ill = (*(_failing_workers(snapshot, now) if heard else ()), *snapshot.found.symptoms)
    symbol, word, role = ("✗", "unhealthy", "bad") if ill else _WORDS[found.kind if found is not None else None]
    if ill:
        words = ill[0].words + (f"; {len(ill) - 1} more" if len(ill) > 1 else "")
    elif found is None:
        words = _too_few(snapshot)
    else:
        words = "" if found.kind else f"{TOO_NOISY}: "
        words += "best {}, now {} ±{}".format(*formatting.measured([found.best, found.now], found.noise))
        words += f" over {NEWEST * BLOCK} iterations"
        words += _weights_moved(snapshot)
    figures = (found.best, found.now, found.noise) if found is not None else ()
    return Verdict(symbol, word, role, words, ill, *figures)


def _too_few(snapshot: RunSnapshot) -> str:
    if settling(snapshot):
        return SHORT_SO_FAR
    history, first = snapshot.history, snapshot.found.first
    rewards = history.columns[REWARD][first : history.length] if REWARD in history.columns else ()
    known = sum(value == value for value in rewards)
    changed = counted_since(snapshot)
    since = f" since {changed.label.removeprefix('reward ')}" if changed is not None else ""
    return too_few(known, since)


def _weights_moved(snapshot: RunSnapshot) -> str:
    """How many weights a schedule has changed within the window: that moves a reward too."""
    history = snapshot.history
    row = max(snapshot.found.first, history.length - LONG * BLOCK)
    columns = (column for key, column in history.columns.items() if key.startswith(WEIGHT))
    pairs = ((column[row], column[history.length - 1]) for column in columns)
    moved = sum(then != now for then, now in pairs if then == then and now == now)
    return f"; {formatting.plural(moved, 'weight')} moved" if moved else ""


def _failing_workers(snapshot: RunSnapshot, now: float) -> list[Symptom]:
    usual, since = usual_speed(snapshot.workers), at_work_since(snapshot)
    found = ((row, worker_problem(row, now, usual, since)) for row in snapshot.workers)
    return [
        Symptom(f"worker {row.worker} {word[0]}", "see Workers")
        for row, word in found
        if word is not None and word[1] == "bad"
    ]
