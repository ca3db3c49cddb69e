"""SavePoints: the loop's side of saving. When the clocks or people ask, the state between two iterations is put down."""

from __future__ import annotations

from collections.abc import Callable

from rltui.events import metric_keys
from rltui.events.commands import SaveMilestone
from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, REWARD
from rltui.formatting import state_name
from rltui.learn.checkpoint_files import Progress
from rltui.learn.report import UpdateReport
from rltui.learn.state import LearnerSnapshot
from rltui.runs.saver import Kind, SaveResult
from rltui.train.collectors import Collected
from rltui.train.course import Course
from rltui.train.curriculum import Move
from rltui.train.iteration_report import first_episodes, match_stats, mean_reward
from rltui.train.live_controls import LiveControls, Pending
from rltui.train.saving import SavedFigures, Saving


class SavePoints:
    """Where the loop stands is always a whole state: nothing is saved within an update."""

    def __init__(self, course: Course, saving: Saving, controls: LiveControls) -> None:
        self._course, self._saving, self._controls, self._loop = course, saving, controls, controls.loop
        self._figures = SavedFigures(self._loop.rewards.value)

    @property
    def held_seconds(self) -> float:
        """For how long the training thread was held so far."""
        return self._saving.held_seconds

    def remember(self, report: UpdateReport, collected: Collected) -> None:
        """The figures that the next checkpoint carries; unknown ones keep their last value."""
        stats = match_stats(collected.reports)
        self._loop.rewards.iteration(
            {REWARD: mean_reward(stats), EPISODES: stats.episodes, FIRST_EPISODES: first_episodes(stats)}, stats.rewards
        )
        self._figures = SavedFigures(
            self._loop.rewards.value,
            entropy=report.metrics.get(metric_keys.ENTROPY, self._figures.entropy),
            approx_kl=report.metrics.get(metric_keys.APPROX_KL, self._figures.approx_kl),
        )

    def due(self, move: Move | None) -> list[tuple[Kind, str]]:
        """What the clocks ask for. At the end of a phase also a milestone, which is the phase's; the checkpoint waits for
        the lesson to come. move: to that lesson; None where this one goes on, or the run ends here.
        """
        due = self._saving.due(self._loop.timesteps)
        if move is None:
            return due
        due = [(kind, label) for kind, label in due if kind == "milestone"]
        if not due and self._ends_phase(move):
            due = [("milestone", self._saving.manual_label(self._loop.timesteps))]
        return due

    def save_due(self, due: list[tuple[Kind, str]], move: Move | None) -> None:
        """What `due` has found for this move. The milestone that a phase ends with lasts."""
        lasting = move is not None and self._ends_phase(move)
        self._saving.save(due, self._snapshot, self._loop.timesteps, self._figures, lasting=lasting)

    def save(self, wanted: list[tuple[Kind, str]], then: Callable[[SaveResult], None] | None = None) -> None:
        """Put down the state as it is now. then: hears on the saver thread how that went."""
        self._saving.save(wanted, self._snapshot, self._loop.timesteps, self._figures, then)

    def _ends_phase(self, move: Move) -> bool:
        return move.phase != self._course.curriculum.phase

    def checkpoint(self) -> None:
        """One of this state."""
        self.save([("checkpoint", str(self._loop.timesteps))])

    def checkpoint_once(self) -> None:
        """One of this state, unless there is one."""
        if not self._saving.saved(self._loop.timesteps):
            self.checkpoint()

    def serve(self) -> None:
        """Do what people asked for by command; each is answered once it is on disk."""
        pending, self._controls.saves = self._controls.saves, []
        for command in pending:
            milestone = isinstance(command.command, SaveMilestone)
            kind: Kind = "milestone" if milestone else "checkpoint"
            timesteps = self._loop.timesteps
            label = self._saving.manual_label(timesteps) if milestone else str(timesteps)
            self.save([(kind, label)], _answer(command))

    def _snapshot(self) -> LearnerSnapshot:
        """The learner's state with rlgym-ppo's own counters."""
        reward = self._figures.reward.mean
        return self._course.learner.snapshot(
            Progress(
                cumulative_timesteps=self._loop.timesteps,
                policy_average_reward=self._loop.mean_reward if reward is None else reward,
                epoch=self._loop.iteration,
            )
        )


def _answer(command: Pending) -> Callable[[SaveResult], None]:
    def then(result: SaveResult) -> None:
        if result.outcome in ("saved", "present"):
            command.applied(f"{state_name(result.kind, result.label)} is at {result.path}")
        else:
            command.refused(result.reason or "a newer one was asked for")

    return then
