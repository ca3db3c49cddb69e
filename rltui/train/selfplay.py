"""Self-play against frozen opponents: the pool of a run, and which of it each worker plays against."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rltui.env.stats import EpisodeStats, GamesAgainst, total, total_against
from rltui.events.records import Level
from rltui.league.pool import OpponentPool, saved_opponents
from rltui.profile.models import SelfplaySection
from rltui.runs.inventory import folder_entries
from rltui.runs.paths import RunPaths
from rltui.train.collect.messages import RolloutDone
from rltui.train.collect.worker_settings import WorkerSettings
from rltui.train.iteration_metrics import match_stats

OF_A_WORKER = 2  # different opponents at a time
DRAWS = 0x0D  # sets the draws' random numbers apart from others of the seed
EARLY_WINDOW = 10  # iterations by which it is judged whether the bot is ready
KICKOFFS, GOALS, RECOVERED = 0.6, 0.5, 0.5  # touched, a minute, of turtles: below these opponents come early
Say = Callable[[Level, str], None]  # level, sentence


class SelfPlay:
    """Looks through the pool at each milestone and every `refresh_steps`, and gives each worker opponents drawn from it."""

    def __init__(
        self, section: SelfplaySection, paths: RunPaths, seed: int, settings: WorkerSettings, say: Say
    ) -> None:
        self._section, self._paths, self._settings, self._say = section, paths, settings, say
        self.pool = OpponentPool(section.strategy, section.window, section.scripted)
        self._rng = np.random.default_rng([seed, DRAWS])
        self._refreshed, self._milestones = -1, self._saved_milestones()
        self._games: dict[str, GamesAgainst] = {}  # of the newest iteration
        self._newest: deque[EpisodeStats] = deque(maxlen=EARLY_WINDOW)
        self._told_early = False

    def before_collecting(self, timesteps: int) -> None:
        """Look through the pool if it is time; after so many timesteps of the run."""
        if not self._section.enabled:
            return
        milestones = self._saved_milestones()
        late = timesteps - self._refreshed >= self._section.refresh_steps
        if self._refreshed < 0 or late or milestones != self._milestones:
            self._refreshed, self._milestones = timesteps, milestones
            for notice in self.pool.refresh(saved_opponents(self._paths, self._section.checkpoints)):
                self._say("info", notice)
            self._draw()

    def learned(self, reports: Sequence[RolloutDone | None]) -> None:
        """An iteration is over."""
        if not self._section.enabled:
            return
        done = [report for report in reports if report is not None]
        self._games = total_against([stats for report in done for stats in report.stats.values()])
        self.pool.played(self._games)
        refused = {name: reason for report in done for name, reason in report.refused.items()}
        notices = [self.pool.drop(name, reason) for name, reason in refused.items()]
        for notice in filter(None, notices):
            self._say("warning", notice)
        if any(notices):
            self._draw()
        self._warn_if_early(match_stats(reports))

    def metrics(self) -> dict[str, float | None]:
        """Of the newest iteration."""
        if not self._section.enabled:
            return {}
        games = sum(self._games.values(), GamesAgainst())
        score = games.score
        return {
            "selfplay/opponents": len(self.pool.members),
            "selfplay/games": games.games,
            "selfplay/score": None if score is None else 100 * score,
            "selfplay/goals_for": games.goals_for / games.games if games.games else None,
            "selfplay/goals_against": games.goals_against / games.games if games.games else None,
        }

    def _draw(self) -> None:
        drawn = {worker: self.pool.draw(OF_A_WORKER, self._rng) for worker in self._settings.workers}
        self._settings.set_opponents(drawn)

    def _saved_milestones(self) -> list[Path]:
        return [label for phase in folder_entries(self._paths.milestones) for label in folder_entries(phase)]

    def _warn_if_early(self, stats: EpisodeStats) -> None:
        """Once, by what the bot does in its own games."""
        self._newest.append(stats)
        if self._told_early or len(self._newest) < EARLY_WINDOW:
            return
        self._told_early = True
        against = list(_too_early(total(list(self._newest))))
        if against:
            self._say(
                "warning",
                f"selfplay is early: {', '.join(against)}. A bot that cannot touch kickoffs, score and get up learns little from "
                "opponents like itself",
            )


def _too_early(stats: EpisodeStats) -> Iterator[str]:
    """What speaks against opponents, in numbers."""
    goals, turtles = 60 * stats.goals / stats.seconds if stats.seconds else GOALS, stats.turtles
    if stats.kickoffs_touched < KICKOFFS * stats.kickoffs:
        yield f"{stats.kickoffs_touched / stats.kickoffs:.0%} of kickoffs are touched ({KICKOFFS:.0%} wanted)"
    if goals < GOALS:
        yield f"{goals:.2g} goals a minute ({GOALS:g} wanted)"
    if turtles.recovered < RECOVERED * turtles.events:
        yield f"{turtles.recovered / turtles.events:.0%} of turtles recover ({RECOVERED:.0%} wanted)"
