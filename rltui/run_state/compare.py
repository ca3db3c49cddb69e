"""Which of two bots is paid more: the difference of their mean rewards, its interval, and a sentence on it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rltui import formatting
from rltui.events.episode_reward import REWARD
from rltui.events.game_record import DEVIATIONS
from rltui.events.records import CurriculumPlanned, PhaseChanged, RunStarted, SettingChanged, StageChanged
from rltui.run_state.fold import fold
from rltui.run_state.rewards import counted_rows, differences_line, first_row
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import BLOCK, NEWEST, NewestMean, newest_mean, too_few
from rltui.runs.journal_cache import CachedJournal
from rltui.runs.paths import RunPaths

NOT_SKILL = (
    f"Of the newest {NEWEST * BLOCK} iterations each; ± is 95 %. Reward is not skill: it counts what is paid here, not "
    "matches won."
)
CONFIDENCE = 0.95
OTHER = "the other"  # state of the same run
_Begun = RunStarted | CurriculumPlanned | PhaseChanged | StageChanged | SettingChanged


@dataclass(frozen=True, slots=True)
class ComparedBot:
    """name: as people call it. known: iterations with a reward since the newest start or change of rewards, or the other
    state of the same run, as `since` says; reward: of the newest of them, None where they are too few.
    """

    name: str
    snapshot: RunSnapshot
    known: int
    reward: NewestMean | None
    since: str = "its start or change of rewards"

    @property
    def counted(self) -> int:
        """Iterations that the mean is of."""
        return NEWEST * BLOCK if self.reward is not None else 0

    @property
    def reward_words(self) -> str:
        """`14.5 ± 0.3`, with the mean's own interval."""
        if self.reward is None:
            return formatting.UNKNOWN
        return " ± ".join(
            formatting.measured([self.reward.mean], self.reward.error * student_quantile(self.reward.freedom))
        )

    def document(self) -> Mapping[str, object]:
        """As --json has it."""
        mean, error = (self.reward.mean, self.reward.error) if self.reward is not None else (None, None)
        about = {"name": self.name, "run": self.snapshot.run, "timesteps": self.snapshot.timesteps}
        return about | {"mean": mean, "error": error, "iterations": self.counted, "iterations_known": self.known}


def compared_bot(name: str, paths: RunPaths, timesteps: int | None = None, after: int = -1) -> ComparedBot:
    """The run as it was at so many timesteps, None: as it is. after: only iterations above so many count."""
    snapshot, journal = RunSnapshot(run=paths.name), CachedJournal(paths.journal)
    while records := journal.poll():
        # a start, task or change at that very point has not trained the state that was saved there
        snapshot = fold(
            snapshot,
            [one for one in records if timesteps is None or not isinstance(one, _Begun) or one.timesteps < timesteps],
        )
    if timesteps is not None:
        snapshot = replace(snapshot, history=snapshot.history.cut(timesteps), timesteps=timesteps)
    history = snapshot.history
    first, behind = first_row(snapshot), bisect_right(history.timesteps, after, 0, history.length)
    row, end = counted_rows(history, max(first, behind))
    rewards = history.columns.get(REWARD, ())
    known = sum(map(math.isfinite, rewards[row : history.length]))
    found = ComparedBot(name, snapshot, known, newest_mean(rewards[row:end]))
    return replace(found, since=OTHER) if behind > first else found


@dataclass(frozen=True, slots=True)
class RewardComparison:
    """difference: right − left, half: of its interval; None where they cannot be told. refused: what was played or paid differently."""

    left: ComparedBot
    right: ComparedBot
    refused: str = ""
    difference: float | None = None
    half: float | None = None

    @property
    def better(self) -> Literal["left", "right"] | None:
        """None: cannot tell."""
        if self.difference is None or self.half is None or abs(self.difference) <= self.half:
            return None
        return "right" if self.difference > 0 else "left"

    @property
    def sentence(self) -> str:
        """`beta better by 3.4 ± 0.9`, `cannot tell: …`."""
        if self.refused:
            return self.refused
        if self.difference is None or self.half is None:
            few = [bot for bot in (self.left, self.right) if bot.reward is None]
            told = (f"{bot.name} has {too_few(bot.known, f' since {bot.since}')}" for bot in few)
            keep = "keep the older one as a milestone, " if all(bot.since == OTHER for bot in few) else ""
            return f"cannot tell: {', '.join(told)}; {keep}train on, then compare a newer state"
        by, half = formatting.measured([abs(self.difference)], self.half)
        if self.better is None:
            return f"cannot tell: {by} ± {half} apart"
        return f"{getattr(self, self.better).name} better by {by} ± {half}"

    def document(self) -> Mapping[str, object]:
        """As `rltui compare --json` has it."""
        interval = None
        if self.difference is not None and self.half is not None:
            interval = [self.difference - self.half, self.difference + self.half]
        sides = {"a": self.left.document(), "b": self.right.document()}
        better = {"left": "a", "right": "b", None: None}[self.better]
        found = {"difference": self.difference, "interval": interval, "confidence": CONFIDENCE, "better": better}
        return sides | found | {"sentence": self.sentence, "note": NOT_SKILL}


def compare_rewards(left: ComparedBot, right: ComparedBot, paid: Sequence[str] = ()) -> RewardComparison:
    """The difference with its 95 % interval; none where something was played or paid differently: in `paid`, in words.

    Rewards of iterations follow each other: they are taken in batches of 10, whose means hardly do (batch means: Law and
    Carson 1979, Operations Research 27), and 5 of them are a bot's mean m. The variance s² of a batch is half the mean
    square successive difference of the newest n of them, 30 at most, to which learning adds little; it has
    ν = 2 (n − 1)² / (3n − 4) degrees of freedom (von Neumann 1941). The two join as in Welch 1947:

        e² = s₁² / 5 + s₂² / 5,   1 / ν = Σ (sᵢ² / 5 / e²)² / νᵢ,   m₂ − m₁ ± t(0.975, ν) e

    With a correlation from one iteration to the next of 0, 0.3, 0.5 the interval holds the truth in 95, 94, 93 of 100
    cases, where single iterations taken as independent do in 95, 85, 73.
    """
    one, other = left.reward, right.reward
    if paid or one is None or other is None:
        return RewardComparison(left, right, differences_line([*paid]))
    variance = one.error**2 + other.error**2
    freedom = variance**2 / sum(mean.error**4 / mean.freedom for mean in (one, other)) if variance else math.inf
    return RewardComparison(left, right, "", other.mean - one.mean, student_quantile(freedom) * math.sqrt(variance))


def student_quantile(freedom: float) -> float:
    """Of Student's t at 0.975, within 1 % from 3 degrees of freedom on (Abramowitz and Stegun 26.7.5)."""
    z, v = DEVIATIONS, freedom
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + ((3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3))
    )
