"""Checkpoints and milestones: when they are due, and what they hold."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rltui.env.from_profile import env_spec, signature, sizes, table_rows
from rltui.env.skill_metrics import first_episodes, mean_reward
from rltui.env.spec import policy_to_save
from rltui.events import metric_keys
from rltui.events.commands import SaveCheckpoint, SaveMilestone
from rltui.events.episode_reward import EPISODES, FIRST_EPISODES, REWARD, EpisodeReward
from rltui.events.records import CheckpointFailed, CheckpointPruned, CheckpointSaved, LogLine, Record
from rltui.formatting import duration, short, size, state_name
from rltui.learn import networks
from rltui.learn.checkpoint_files import Progress, read_book, read_policy
from rltui.learn.report import UpdateReport
from rltui.learn.state import LearnerSnapshot
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.profile.locate import STATE_FILE, with_name_line
from rltui.profile.models import Profile
from rltui.profile.resolved import reward_digest
from rltui.registry import CHECKPOINTS
from rltui.runs import meta, rlgym_ppo, trainer_state
from rltui.runs.checkpoint import POLICY_FILE, is_complete
from rltui.runs.inventory import CheckpointInfo, complete_checkpoints
from rltui.runs.meta import Meta, milestone_label
from rltui.runs.saver import MilestoneClock, SaveJob, SaveKind, Saver, SaveResult
from rltui.runs.trainer_state import TrainerState
from rltui.train.active_task import ActiveTask, LoopState
from rltui.train.collect.collector import Collected
from rltui.train.config import ResolvedConfig
from rltui.train.control.commands import CommandQueue, PendingCommand
from rltui.train.curriculum import CurriculumMove
from rltui.train.iteration_metrics import match_stats
from rltui.train.state_evaluator import StateEvaluator

Callback = Callable[[SaveResult], None]
WATCHED_SAVES, SAVING_SHARE = 10, 0.2  # of the newest checkpoints; of a core that they may take
BIG_CHECKPOINT = 50_000_000  # bytes: saving less costs too little to speak of


def policy_of_rlgym_ppo(folder: Path, profile: Profile) -> SavedPolicy:
    """The policy of rlgym-ppo's checkpoint, with its own hidden layers and the game of the profile. RltuiError says what
    does not fit.
    """
    files, _ = rlgym_ppo.read(folder)
    spec = env_spec(profile)
    needed, size, table = signature(profile, spec), sizes(spec), table_rows(spec)
    layers = networks.layers(read_policy(files[rlgym_ppo.POLICY], size.obs, size.actions.outputs))
    statistics = read_book(files[rlgym_ppo.BOOK_KEEPING], size.obs).observation_statistics
    normalizer = (None, None) if statistics is None else statistics.mean_and_variance()
    return policy_to_save(spec, needed, table, layers, normalizer)


@dataclass(frozen=True)
class SavedFigures:
    """The learning figures that meta.json has of a state. Unknown is None."""

    reward: EpisodeReward = field(default_factory=EpisodeReward)
    entropy: float | None = None
    approx_kl: float | None = None


class CheckpointWriter:
    """Writer of checkpoints: snapshots on the training thread, and leaves the rest to the saver thread."""

    def __init__(
        self,
        task: ActiveTask,
        publish: Callable[[Record], None],
        evaluator: StateEvaluator | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """evaluator: told of each saved state, and asked which must not be pruned now, both on the saver thread."""
        self._now = now
        context = task.context
        profile, plan = context.profile, context.plan
        self._context, self._paths, self._task, self._publish = context, context.paths, task, publish
        self._evaluator = evaluator
        keeps = frozenset[int] if evaluator is None else evaluator.keeps
        self._every = profile.save_every
        self._clock = MilestoneClock(profile.milestone_interval, plan.timesteps)
        self._saver = Saver(context.paths, profile.keep.last, self._on_result, keeps)
        self._commit = plan.last_commit
        self._saved_at = plan.timesteps if plan.kind == "resume" else None  # the newest checkpoint asked for
        self._failed_at: int | None = None  # the newest checkpoint that did not get to disk
        self._committed_at = self._saved_at  # the newest state saved, as a checkpoint or a milestone
        self._on_disk = self._saved_at, plan.checkpoint  # the newest state that got to disk from here, and where
        self._paid: tuple[ResolvedConfig | None, dict[str, float], str] = None, {}, ""
        self._held: dict[tuple[SaveKind, int], float] = {}
        self._waiting: dict[tuple[SaveKind, int], list[Callback]] = {}
        self._newest_saves: deque[tuple[float, float]] = deque(maxlen=WATCHED_SAVES)  # when, and seconds
        self._told_share = False
        self.table = table_rows(context.config.spec)
        self.held_seconds = 0.0  # the training thread was held for saving so far

    def due(self, timesteps: int) -> list[tuple[SaveKind, str]]:
        """What the clocks ask for after an iteration: (kind, label)."""
        wanted: list[tuple[SaveKind, str]] = []
        label = self._clock.crossed(timesteps)
        if label is not None:
            wanted.append(("milestone", label))
        if self._saved_at is None or timesteps // self._every > self._saved_at // self._every or label is not None:
            wanted.append(("checkpoint", str(timesteps)))
        return wanted

    def save(
        self,
        wanted: list[tuple[SaveKind, str]],
        snapshot: Callable[[], LearnerSnapshot],
        timesteps: int,
        figures: SavedFigures,
        then: Callback | None = None,
        *,
        lasting: bool = False,
    ) -> None:
        """Snapshot now, write later. The state after these timesteps is given one commit, however many copies it gets. What
        `snapshot` raises leaves nothing that waits or counts as saved.

        lasting: a milestone of it does not give way to newer ones, however long the disk takes; nor does one with `then`.
        """
        started = time.perf_counter()
        copied = snapshot()
        if self._committed_at != timesteps:
            self._commit += 1
            self._committed_at = timesteps
        if any(kind == "checkpoint" for kind, _ in wanted):
            self._saved_at = timesteps
        config = self._task.config
        policy = partial(self._policy, config)
        text = with_name_line(config.text, self._task.curriculum.phase_name)
        files = _Files(self._meta(timesteps, figures), copied, self._task.state(), text, policy)
        held = time.perf_counter() - started
        self.held_seconds += held
        for kind, label in wanted:
            self._held[kind, timesteps] = held
            if then is not None:
                self._waiting.setdefault((kind, timesteps), []).append(then)
            self._saver.submit(self._job(kind, label, timesteps, files, lasting or then is not None))

    def saved(self, timesteps: int) -> bool:
        """Whether a checkpoint of this state is on disk, as far as is known, or with the saver."""
        return self._saved_at == timesteps and self._failed_at != timesteps

    def on_disk(self, timesteps: int) -> bool:
        """Whether this state, and not another's of so many timesteps, is there now."""
        at, path = self._on_disk
        return at == timesteps and path is not None and is_complete(path)

    @property
    def newest(self) -> CheckpointInfo | None:
        """The run's newest state on disk."""
        return next(reversed(complete_checkpoints(self._paths)), None)

    def drain(self, timeout: float | None = None) -> bool:
        """Wait until all is on disk; False when it takes longer than `timeout` seconds."""
        return self._saver.drain(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Finish what waits and end the thread."""
        return self._saver.close(timeout)

    def _job(self, kind: SaveKind, label: str, timesteps: int, files: _Files, asked: bool) -> SaveJob:
        if kind == "checkpoint":
            return SaveJob(kind, self._paths.checkpoint(timesteps), timesteps, files, label)
        profile = self._task.config.profile
        folder = meta.phase_folder(profile.phase, profile.label, profile.name)
        return SaveJob(kind, self._paths.milestones / folder / label, timesteps, files, label, asked)

    def _meta(self, timesteps: int, figures: SavedFigures) -> Meta:
        context, profile = self._context, self._context.profile
        return Meta(
            run=self._paths.name,
            commit=self._commit,
            phase=self._task.config.profile.phase,
            stage=self._task.curriculum.stage_name,
            timesteps=timesteps,
            time=time.time(),
            mean_reward=figures.reward.mean,
            reward_episodes=figures.reward.episodes,
            reward_short=figures.reward.short,
            paid=self._paid_digest(),
            entropy=figures.entropy,
            approx_kl=figures.approx_kl,
            obs_signature=context.signature.obs,
            table_hash=context.signature.table_hash,
            policy=context.signature.policy,
            critic=context.signature.critic,
            profile=profile.name,
            phase_profile=self._task.curriculum.phase_name if profile.phases else "",
            profile_hash=context.profile_hash,
            version=context.versions.get("rltui", "0"),
            versions=context.versions,
            sources=context.sources,
            parent=context.plan.parent,
            author=context.author,
        )

    def _paid_digest(self) -> str:
        """Worked out once for each task and set of weights: the training thread waits for it."""
        config, weights = self._task.config, self._task.overrides.weights
        if self._paid[0] is not config or self._paid[1] != weights:
            self._paid = config, weights, reward_digest(config.profile, weights)
        return self._paid[2]

    def _policy(self, config: ResolvedConfig, snapshot: LearnerSnapshot) -> bytes:
        layers, normalizer = snapshot.policy_layers(), snapshot.normalizer()
        return save_policy(policy_to_save(config.spec, self._context.signature, self.table, layers, normalizer))

    def _warn_of_share(self, result: SaveResult) -> None:
        """Say once where saving takes much of a core: save_every counts timesteps, which a GPU makes ten times as many of."""
        self._newest_saves.append((self._now(), result.seconds))
        between = (self._newest_saves[-1][0] - self._newest_saves[0][0]) / (WATCHED_SAVES - 1)
        if self._told_share or len(self._newest_saves) < WATCHED_SAVES:
            return
        share = sum(seconds for _, seconds in self._newest_saves) / WATCHED_SAVES / max(between, 1e-9)
        if share > SAVING_SHARE:
            self._told_share = True
            message = (
                f"a checkpoint of {size(result.bytes)} every {duration(between)} takes {min(share, 1.0):.0%} of a core: raise "
                f"save_every, now {self._every:,}; {short(self._every * 60 / between)} would be one a minute"
            )
            self._publish(LogLine(time=time.time(), level="warning", source="runs", message=message))

    def _on_result(self, result: SaveResult) -> None:
        """On the saver thread: turn the outcome into a record, and answer those who asked."""
        if result.outcome == "replaced" and result.timesteps == self._saved_at:
            return  # by a save of the same state, whose result is the answer to both
        now, key = time.time(), (result.kind, result.timesteps)
        held = self._held.pop(key, 0.0)
        if result.outcome in ("saved", "present"):
            self._on_disk = result.timesteps, result.path
        match result.outcome:
            case "saved":
                if result.kind == "checkpoint" and result.bytes >= BIG_CHECKPOINT:
                    self._warn_of_share(result)
                record = CheckpointSaved(
                    time=now,
                    kind=result.kind,
                    path=str(result.path),
                    label=result.label,
                    timesteps=result.timesteps,
                    bytes=result.bytes,
                    held_seconds=held,
                    seconds=result.seconds,
                )
                if self._evaluator is not None:
                    self._evaluator.saved(record)
                self._publish(record)
            case "failed":
                if result.kind == "checkpoint":
                    self._failed_at = result.timesteps
                self._publish(CheckpointFailed(time=now, kind=result.kind, path=str(result.path), reason=result.reason))
            case _:
                pass
        if result.set_aside is not None:
            message = f"{result.path} was no complete checkpoint and stood in the way; it is now {result.set_aside}"
            self._publish(LogLine(time=now, level="warning", source="runs", message=message))
        for path in result.pruned:
            self._publish(CheckpointPruned(time=now, path=str(path)))
        for then in self._waiting.pop(key, []):
            then(result)


class _Files:
    """A checkpoint's files, made once on the saver thread however many copies are written."""

    def __init__(
        self,
        facts: Meta,
        snapshot: LearnerSnapshot,
        state: TrainerState,
        profile: str,
        policy: Callable[[LearnerSnapshot], bytes],
    ) -> None:
        self._facts, self._snapshot, self._state, self._profile = facts, snapshot, state, profile
        self._policy = policy
        self._made: dict[str, bytes] | None = None

    def __call__(self) -> Mapping[str, bytes]:
        if self._made is None:
            self._made = {
                **self._snapshot.files(),
                POLICY_FILE: self._policy(self._snapshot),
                meta.NAME: meta.encode(self._facts),
                trainer_state.NAME: trainer_state.encode(self._state),
                STATE_FILE: self._profile.encode(),
            }
        return self._made


class CheckpointScheduler:
    """Saves when the clocks or a command ask for it. Where the loop stands is a whole state: never within an update."""

    def __init__(self, loop: LoopState, task: ActiveTask, writer: CheckpointWriter, queue: CommandQueue) -> None:
        self._loop, self._task, self.writer, self._queue = loop, task, writer, queue
        self._figures = SavedFigures(self._loop.rewards.value)

    @property
    def held_seconds(self) -> float:
        """For how long the training thread was held so far."""
        return self.writer.held_seconds

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

    def due(self, move: CurriculumMove | None) -> list[tuple[SaveKind, str]]:
        """What the clocks ask for. At the end of a phase also a milestone, which is the phase's; the checkpoint waits for
        the next task. move: to that task; None where this one goes on, or the run ends here.
        """
        due = self.writer.due(self._loop.timesteps)
        if move is None:
            return due
        due = [(kind, label) for kind, label in due if kind == "milestone"]
        if not due and self._ends_phase(move):
            due = [("milestone", milestone_label(self._loop.timesteps))]
        return due

    def save_due(self, due: list[tuple[SaveKind, str]], move: CurriculumMove | None) -> None:
        """What `due` has found for this move. The milestone that a phase ends with lasts."""
        lasting = move is not None and self._ends_phase(move)
        self.writer.save(due, self._snapshot, self._loop.timesteps, self._figures, lasting=lasting)

    def save(self, wanted: list[tuple[SaveKind, str]], then: Callback | None = None) -> None:
        """Save the state as it is now. then: called on the saver thread with the result."""
        self.writer.save(wanted, self._snapshot, self._loop.timesteps, self._figures, then)

    def _ends_phase(self, move: CurriculumMove) -> bool:
        return move.phase != self._task.curriculum.phase

    def checkpoint(self) -> None:
        """One of this state."""
        self.save([("checkpoint", str(self._loop.timesteps))])

    def checkpoint_once(self) -> None:
        """One of this state, unless there is one. Waited for where the run's own states play: it may be the first of them."""
        if not self.writer.saved(self._loop.timesteps):
            self.checkpoint()
        if self._task.config.spec.opponent.name == CHECKPOINTS:
            self.writer.drain()

    def serve(self) -> None:
        """Save what people asked for by command; each is answered once it is on disk."""
        for pending in self._queue.take(SaveCheckpoint, SaveMilestone):
            milestone = isinstance(pending.command, SaveMilestone)
            kind: SaveKind = "milestone" if milestone else "checkpoint"
            timesteps = self._loop.timesteps
            label = milestone_label(timesteps) if milestone else str(timesteps)
            self.save([(kind, label)], partial(_answer, pending))

    def _snapshot(self) -> LearnerSnapshot:
        """The learner's state with rlgym-ppo's own counters."""
        reward = self._figures.reward.mean
        return self._task.learner.snapshot(
            Progress(
                cumulative_timesteps=self._loop.timesteps,
                policy_average_reward=self._loop.mean_reward if reward is None else reward,
                epoch=self._loop.iteration,
            )
        )


def _answer(pending: PendingCommand, result: SaveResult) -> None:
    if result.outcome in ("saved", "present"):
        what = state_name(result.kind, result.label).removeprefix(f"{result.kind} ")  # the command's name is before it
        pending.applied(f"{what} {'saved' if result.outcome == 'saved' else 'was saved already'}")
    else:
        pending.refused(result.reason or "a newer one was asked for")
