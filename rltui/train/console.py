"""Records as plain lines, for terminals and log files."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TextIO

from rltui.events import metric_keys
from rltui.events.episode_reward import EpisodeReward, RewardWindow
from rltui.events.promotion import distances, phase_position
from rltui.events.records import (
    CheckpointFailed,
    CheckpointSaved,
    IterationFinished,
    LogLine,
    PhaseChanged,
    Record,
    RunFinished,
    RunResumed,
    RunStarted,
    SettingChanged,
    StageChanged,
    StateChanged,
    TaskSettings,
    UpdateDropped,
    WorkerFailed,
    WorkerStarted,
    change_words,
    end_words,
    epochs_words,
    match_words,
)
from rltui.formatting import UNKNOWN, duration, over_episodes, plural, size, state_name
from rltui.safe_io import say


class Console:
    """Subscriber of the publisher that prints a line a record, safe for any encoding."""

    def __init__(self, out: TextIO, rewards: RewardWindow | None = None) -> None:
        """rewards: of the run before this start; it prints in a thread of its own, so nobody else may use this one."""
        self._out, self._rewards = out, rewards or RewardWindow()
        self._traces: set[str] = set()  # printed once: workers that play the same code fail alike

    def __call__(self, record: Record) -> None:
        self._rewards.take(record)
        for line in self._lines(record):
            self.say(line, record.time)

    def say(self, line: str, at: float | None = None) -> None:
        """Print one line with its local time; a closed or full output never stops training."""
        stamp = time.strftime("%H:%M:%S", time.localtime(at))
        try:
            say(f"{stamp}  {line}", self._out)
            self._out.flush()
        except OSError:
            pass  # the terminal is gone; the journal has it all

    def _trace(self, trace: str) -> list[str]:
        if trace in self._traces:
            return ["  (the trace is the one above)"]
        self._traces |= {trace} if trace else set()
        return trace.strip().splitlines()

    def _lines(self, record: Record) -> list[str]:
        match record:
            case RunStarted():
                return start_summary(record)
            case RunResumed():
                return [record.reason]
            case IterationFinished():
                return [iteration_line(record, self._rewards.value)]
            case UpdateDropped():
                return [f"! update dropped ({record.in_a_row} in a row): {record.source}; weights unchanged"]
            case WorkerStarted() if record.restarts:
                return [f"worker {record.worker} restarted (pid {record.pid}) in {duration(record.seconds)}"]
            case WorkerFailed():
                return [f"! worker {record.worker} {record.kind}: {record.reason}", *self._trace(record.trace)]
            case CheckpointSaved():
                return [
                    f"saved {state_name(record.kind, record.label)}: {record.path} ({size(record.bytes)}, in {duration(record.seconds)})"
                ]
            case CheckpointFailed():
                return [
                    f"! could not save {record.kind} {record.path}: {record.reason}; training goes on, earlier ones are intact"
                ]
            case LogLine():
                return log_lines(record)
            case SettingChanged():
                return [f"{change_words(record)}, by {record.by}"]
            case PhaseChanged() | StageChanged():
                what = "phase" if isinstance(record, PhaseChanged) else "stage"
                return [
                    f"{what} {record.to} after {record.came_from}: {record.reason}",
                    f"  {task_line(record.task)}",
                ]
            case StateChanged(state="paused"):
                return [f"paused {record.reason}"]
            case RunFinished():
                return [end_words(record)]
            case _:
                return []


def start_summary(run: RunStarted) -> list[str]:
    """The start-up summary: device, nets, shapes, workers, batch, learning rate, author."""
    nets = "-".join(map(str, [run.obs_size, *run.policy_layers, run.actions]))
    critic = "-".join(map(str, [run.obs_size, *run.critic_layers, 1]))
    rates = f"{run.learning_rate:g}" + (
        f" (critic {run.critic_learning_rate:g})" if run.critic_learning_rate != run.learning_rate else ""
    )
    precision = f" in {run.precision}" if run.precision else ""
    limit = f"to {run.step_limit:,} timesteps" if run.step_limit is not None else "until stopped"
    phase = f"phase {run.phase} {run.label}".strip() if run.phase is not None else ""
    pace = "" if run.environment else f", tick skip {run.tick_skip}"
    task = "".join(f", {part}" for part in (phase, run.stage) if part)
    return [
        f"run {run.run}: {run.profile}{task}, {limit}, by {run.author}, rltui {run.versions.get('rltui', '?')}",
        f"{'environment' if run.environment else 'game'} {match_words(run)}{pace}, observation {run.obs_size}, {run.actions} actions, seed {run.seed}",
        f"policy {nets} ({run.policy_parameters:,} parameters), critic {critic} ({run.critic_parameters:,}), on {run.device}{precision}",
        f"{plural(run.workers, 'worker')} x {plural(run.arenas, 'arena')}, iteration {run.iteration:,}, batch {run.batch:,}, minibatch {run.minibatch:,}, "
        f"{epochs_words(run)}, learning rate {rates}, gamma {run.gamma:g}",
        *([f"matrix kernel {run.kernel}"] if run.kernel else []),
    ]


def log_lines(record: LogLine) -> list[str]:
    """What a debug flag shows, and who says so; of all else what is more than a detail."""
    lines = record.message.splitlines()
    if record.flag:
        who = "" if record.worker is None else f"worker {record.worker}: "
        return [f"[{record.flag}] {who}{line}" for line in lines]
    mark = "! " if record.level in ("warning", "error") else ""
    return [mark + line for line in lines] if record.level != "debug" else []


def task_line(task: TaskSettings) -> str:
    """What a curriculum's step means for the learner."""
    return (
        f"game {match_words(task)}, iteration {task.iteration:,}, batch {task.batch:,}, "
        f"learning rate {task.learning_rate:g}, rewards {', '.join(task.reward_names)}"
    )


def iteration_line(record: IterationFinished, reward: EpisodeReward) -> str:
    """One iteration in one line, with the reward of the newest episodes; unknown is a dash."""
    metrics = record.metrics

    def show(key: str, form: str) -> str:
        value = metrics.get(key)
        return format(UNKNOWN, ">" + form.partition(".")[0].strip(",")) if value is None else format(value, form)

    paid = (
        f"{UNKNOWN:>8}" if reward.mean is None else f"{reward.mean:8.3f}{over_episodes(reward.episodes, reward.short)}"
    )
    return (
        f"{record.timesteps:>12,}  reward {paid}"
        f"  entropy {show(metric_keys.ENTROPY, '5.3f')}  KL {show(metric_keys.APPROX_KL, '6.4f')}"
        f"  {show(metric_keys.OVERALL_SPEED, ',.0f')} steps/s"
        f" (collected {show(metric_keys.COLLECTED_SPEED, ',.0f')})"
        f"{campaign_words(metrics)}"
    )


def campaign_words(metrics: Mapping[str, float | None]) -> str:
    """`  phase 2 of 4: goals 0.3 (1.7 missing)`, what is reached left out; empty outside campaigns."""
    missing = [distance.words for distance in distances(metrics) if distance.missing != 0]
    here = phase_position(metrics)
    return f"  {here}" + (f": {', '.join(missing)}" if missing else "") if here else ""
