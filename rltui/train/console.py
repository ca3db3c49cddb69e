"""Plain lines for terminals and logs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TextIO

from rltui.events import metric_keys
from rltui.events.episode_reward import EpisodeReward, RewardWindow
from rltui.events.promotion import distances, place
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
)
from rltui.formatting import UNKNOWN, duration, over_episodes, size, state_name
from rltui.safe_io import say


class Console:
    """A subscriber of the publisher: one line a record, safe for any encoding."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.rewards = RewardWindow()  # of the run before this start
        self._traces: set[str] = set()  # told once: workers that play the same code fail alike

    def __call__(self, record: Record) -> None:
        self.rewards.take(record)
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
                return [iteration_line(record, self.rewards.value)]
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
                return said_lines(record)
            case SettingChanged():
                return [f"{change_words(record)}, by {record.by}"]
            case PhaseChanged() | StageChanged():
                what = "phase" if isinstance(record, PhaseChanged) else "stage"
                return [
                    f"{what} {record.to} after {record.came_from}: {record.reason}",
                    f"  {lesson_line(record.lesson)}",
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
    limit = f"to {run.step_limit:,} timesteps" if run.step_limit is not None else "until stopped"
    phase = f"phase {run.phase} {run.label}".strip() if run.phase is not None else ""
    lesson = "".join(f", {part}" for part in (phase, run.stage) if part)
    return [
        f"run {run.run}: {run.profile}{lesson}, {limit}, by {run.author}, rltui {run.versions.get('rltui', '?')}",
        f"game {run.blue}v{run.orange}, tick skip {run.tick_skip}, observation {run.obs_size}, {run.actions} actions, seed {run.seed}",
        f"policy {nets} ({run.policy_parameters:,} parameters), critic {critic} ({run.critic_parameters:,}), on {run.device}",
        f"{run.workers} workers x {run.arenas} arenas, iteration {run.iteration:,}, batch {run.batch:,}, minibatch {run.minibatch:,}, "
        f"{run.epochs} epochs, learning rate {rates}, gamma {run.gamma:g}",
    ]


def said_lines(said: LogLine) -> list[str]:
    """What a debug flag shows, and who says so; of all else what is more than a detail."""
    lines = said.message.splitlines()
    if said.flag:
        who = "" if said.worker is None else f"worker {said.worker}: "
        return [f"[{said.flag}] {who}{line}" for line in lines]
    mark = "! " if said.level in ("warning", "error") else ""
    return [mark + line for line in lines] if said.level != "debug" else []


def lesson_line(lesson: TaskSettings) -> str:
    """What a curriculum's step means for the learner."""
    return (
        f"game {lesson.blue}v{lesson.orange}, iteration {lesson.iteration:,}, batch {lesson.batch:,}, "
        f"learning rate {lesson.learning_rate:g}, rewards {', '.join(lesson.reward_names)}"
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
    here = place(metrics)
    return f"  {here}" + (f": {', '.join(missing)}" if missing else "") if here else ""
