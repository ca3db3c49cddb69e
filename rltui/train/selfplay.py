"""Self-play against frozen opponents: which of a run's pool each worker plays against, in some arenas or as orange in all."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rltui.env.arena_groups import MATCH
from rltui.env.frozen_opponents import STAND_IN, LearnersGame, OpponentSource
from rltui.env.stats import EpisodeStats, total, total_against
from rltui.errors import RltuiError
from rltui.events.game_record import GameRecord
from rltui.events.records import Level, PoolReported
from rltui.league.pool import OpponentPool, saved_opponents
from rltui.league.sources import saved_bot
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.policy.weights import layer_sizes
from rltui.profile.models import SelfplaySection
from rltui.registry import MIRROR, is_saved_bot
from rltui.runs.inventory import folder_entries
from rltui.runs.near_clones import read_near_clones
from rltui.runs.paths import RunPaths
from rltui.train.active_task import ActiveTask
from rltui.train.collect.collector import Collector
from rltui.train.collect.messages import RolloutDone
from rltui.train.iteration_metrics import match_stats

OF_A_WORKER = 2  # different opponents drawn at a time
WIDEST_IN_WORKERS = 256  # neurons of a layer of opponents that workers evaluate beside a GPU
DRAWS = 0x0D  # sets the draws' random numbers apart from others of the seed
RECORD_SECONDS, MOST_RECORDED = 30.0, 50  # between two records of the pool; opponents in one
EARLY_WINDOW = 10  # iterations by which it is judged whether the bot is ready
KICKOFFS, GOALS, RECOVERED = 0.6, 0.5, 0.5  # touched, a minute, of turtles: below these opponents come early
Say = Callable[[Level, str], None]  # level, sentence


class SelfPlay:
    """Scheduler of frozen opponents: looks through the pool at each milestone and every `refresh_steps`, and gives each worker
    opponents drawn from it. With central inference all workers have the same ones, and the trainer evaluates those whose net
    is as the learner's. A task whose orange is one saved bot has a pool of that one.
    """

    def __init__(self, paths: RunPaths, seed: int, task: ActiveTask, say: Say) -> None:
        self._paths, self._task, self._say = paths, task, say
        self._saved_bot: OpponentSource | None = None  # that always plays orange
        self.pool = task.pool
        self._rng = np.random.default_rng([seed, DRAWS])
        self._refreshed, self._milestones = -1, self._saved_milestones()
        self._collector: Collector | None = None
        self._given: set[str] = set()  # drawn last
        self._numbers: dict[str, int] = {}  # of those that the trainer evaluates
        self._playing: set[str] = set()  # in episodes that went on when an iteration was over
        self._draws = False  # it is time to draw
        self._games: dict[str, GameRecord] = {}  # of the newest iteration
        self._newest: deque[EpisodeStats] = deque(maxlen=EARLY_WINDOW)
        self._told_early = self._told_stand_in = False
        self._recorded_at = -math.inf

    @property
    def _section(self) -> SelfplaySection:
        return self._task.config.profile.selfplay  # of the task in force: phases have their own

    @property
    def _plays(self) -> bool:
        """Whether the task in force has frozen opponents."""
        spec = self._task.config.spec
        return spec.frozen_orange or (self._section.enabled and spec.opponent.name == MIRROR)

    def before_collecting(self, timesteps: int) -> None:
        """Look through the pool if it is time; after so many timesteps of the run. RltuiError where the one saved bot that plays
        orange cannot be had.
        """
        if not self._plays:
            return
        if self._collector is not self._task.collector:  # other workers, in new episodes
            self._collector, self._numbers, self._draws = self._task.collector, {}, True
            self._playing.clear()
            self._refreshed = -1
            self._choose_pool()
        milestones = self._saved_milestones()
        late = self._refreshed < 0 or timesteps - self._refreshed >= self._section.refresh_steps
        if late or milestones != self._milestones:
            self._refreshed, self._milestones = timesteps, milestones
            self._recorded_at = -math.inf  # what has joined is shown at once
            self._refresh()
        elif not self.pool.opponents:
            self._refresh()
        if self._draws and self._playing <= self._given:  # who was drawn before has played his episodes to their ends
            self._draws = False
            self._draw()

    def _refresh(self) -> None:
        self._draws = True
        for notice in self.pool.refresh(self._saved(), read_near_clones(self._paths)):
            self._say("info", notice)

    def learned(self, reports: Sequence[RolloutDone | None]) -> None:
        """An iteration is over."""
        if not self._plays:
            return
        done = [report for report in reports if report is not None]
        self._games = total_against([report.stats[MATCH] for report in done])  # practice is no game
        self.pool.played(self._games)
        self._playing = {name for report in done for name in report.playing}
        for name, reason in {name: reason for report in done for name, reason in report.refused.items()}.items():
            self._drop(name, reason)
        if not self._task.config.spec.frozen_orange:
            self._warn_if_early(match_stats(reports))

    def metrics(self) -> dict[str, float | None]:
        """Of the newest iteration."""
        if not self._plays:
            return {}
        games = sum(self._games.values(), GameRecord())
        score = games.score
        return {
            "selfplay/opponents": len(self.pool.opponents),
            "selfplay/games": games.games,
            "selfplay/score": None if score is None else 100 * score,
            "selfplay/goals_for": games.goals_for / games.games if games.games else None,
            "selfplay/goals_against": games.goals_against / games.games if games.games else None,
        }

    def record(self, timesteps: int) -> PoolReported | None:
        """The pool after so many timesteps; None where there is none, or not yet time for another."""
        if not self._plays or time.monotonic() - self._recorded_at < RECORD_SECONDS:
            return None
        self._recorded_at = time.monotonic()
        return PoolReported(time=time.time(), timesteps=timesteps, opponents=self.pool.standings(MOST_RECORDED))

    def _choose_pool(self) -> None:
        """Of the task that begins."""
        spec = self._task.config.spec
        opponent, self._saved_bot, self.pool = spec.opponent.name, None, self._task.pool
        self.pool.play_in((spec.blue, spec.orange))
        self.pool.follow(self._section.strategy, self._section.window, self._section.scripted)
        if is_saved_bot(opponent):
            self._saved_bot = saved_bot(opponent, self._paths.data)
            self.pool = OpponentPool()
            self.pool.play_in((spec.blue, spec.orange))

    def _saved(self) -> dict[int, OpponentSource]:
        """Saved opponents of the task in force, as they are now, by timesteps."""
        if self._saved_bot is not None:
            return {0: self._saved_bot}
        checkpoints = self._section.checkpoints or self._task.config.spec.frozen_orange
        return saved_opponents(self._paths, checkpoints)

    def _draw(self) -> None:
        workers, collector = self._task.settings.workers, self._task.collector
        if collector.evaluates_opponents:
            found = self._evaluated_here(collector)
            drawn = dict.fromkeys(workers, found)
        else:
            drawn = {worker: self.pool.draw(OF_A_WORKER, self._rng) for worker in workers}
        self._given = {source.name for sources in drawn.values() for source in sources}
        if not self._given and self._task.config.spec.frozen_orange and not self._told_stand_in:
            self._told_stand_in = True
            self._say("warning", f"no saved opponent can play orange now: {STAND_IN} does")
        self._task.settings.set_opponents(drawn)

    def _evaluated_here(self, collector: Collector) -> tuple[OpponentSource, ...]:
        """Draw for all workers, and load into the collector who has the learner's game and net."""
        config = self._task.config
        game = LearnersGame(config.spec, config.size.table_hash, config.size.obs, 0)
        while True:
            drawn = self.pool.draw(OF_A_WORKER, self._rng)
            loaded = {source.name: policy for source in drawn if source.path and (policy := self._load(source, game))}
            if all(source.name in loaded for source in drawn if source.path):
                break
        normalized = config.profile.obs.normalize
        same = {
            name: policy
            for name, policy in loaded.items()
            if game.plays(policy)
            and tuple(layer_sizes(policy.layers)) == config.policy_sizes
            and (policy.normalizer is not None) == normalized
        }
        taken = {*self._numbers.values()}  # others' running episodes keep theirs
        free = iter({*range(1, 2 * OF_A_WORKER + 1)} - taken)
        self._numbers = {name: self._numbers.get(name) or next(free) for name in same}
        collector.load_opponents({self._numbers[name]: policy for name, policy in same.items()})
        return tuple(replace(source, number=self._numbers.get(source.name, 0)) for source in drawn)

    def _load(self, source: OpponentSource, game: LearnersGame) -> SavedPolicy | None:
        """None, and it has left the pool, where it cannot play."""
        try:
            policy = load_policy(Path(source.path))
            game.check_pace(policy)
            widest = max(layer_sizes(policy.layers)[1:-1], default=0)
            if widest > WIDEST_IN_WORKERS and not game.plays(policy) and source != self._saved_bot:
                raise RltuiError(f"of another game, with layers of {widest}, it would hold up the workers")
        except RltuiError as error:
            self._drop(source.name, error.message)
            return None
        return policy

    def _drop(self, name: str, reason: str) -> None:
        opponent = self.pool.opponents.get(name)
        if opponent is None:
            return
        self._draws = True
        if opponent.is_gone and self._saved_bot is None:
            del self.pool.opponents[name]  # pruned, as checkpoints are in time
        else:
            self._say("warning", self.pool.drop(name, reason))

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
