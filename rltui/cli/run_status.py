"""RunStatus: what `rltui status` says, from the disk and, while it trains, from the trainer itself."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from rltui import formatting
from rltui.cli.output import aligned, number, reward_words
from rltui.errors import RltuiError
from rltui.events import metric_keys
from rltui.events.commands import EvaluationLive, Live, WorkerLive
from rltui.events.episode_reward import EpisodeReward
from rltui.events.metrics import BY_KEY
from rltui.events.promotion import criteria_reached, distances, phase_position
from rltui.events.records import match_words, state_word
from rltui.formatting import over_iterations, utc
from rltui.run_state.reader import judged
from rltui.run_state.verdict import Verdict
from rltui.runs.inventory import CheckpointInfo
from rltui.runs.journal_reader import RecentSpeed
from rltui.runs.paths import RunPaths
from rltui.runs.summary import describe_run
from rltui.supervise.control_client import ControlClient

LIVE_PATIENCE = 1.0  # seconds; a trainer sends its state several times a second
SHOWN = (
    metric_keys.ENTROPY,
    metric_keys.APPROX_KL,
    metric_keys.VALUE_LOSS,
    metric_keys.COLLECTED_SPEED,
)


class RunStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One run now. Unknown is None; `workers`, `clients` and `controller` are known only while the trainer answers."""

    run: str
    state: str  # the trainer's own (collecting, paused …); silent: it does not answer; training: on another host; else as in `ls`
    training: bool
    note: str
    paused: float | None = None  # Unix seconds since when it has been held by hand
    pid: int | None
    host: str | None
    since: float | None  # Unix seconds
    profile: str | None  # by which it is trained now
    phase_profile: str | None  # of a campaign: the profile of the phase it is in
    label: str | None
    phase: int | None
    match: str | None = None  # the stage, or who plays whom: `1v2 checkpoints`
    timesteps: int | None
    iteration: int | None
    speed: RecentSpeed | None  # over the newest iterations, as fast as it is or was: `training` and `state` say which
    updated: float | None  # Unix seconds of the newest record
    metrics: dict[str, float | None]  # of the newest iteration
    reward: EpisodeReward  # over the newest episodes
    verdict: Verdict
    bad_lines: int  # of the journal, that are no record
    journal_problem: str
    workers: list[WorkerLive] | None
    clients: list[str] | None
    controller: str | None
    evaluation: EvaluationLive | None = None  # None too where no games are asked for
    rating: StateRating | None = None  # of the newest state that has games; None where none has
    checkpoint: CheckpointInfo | None  # the newest complete one
    checkpoints: int
    milestones: int
    damaged: int
    folder: str
    journal: str
    log: str

    def document(self) -> dict[str, Any]:
        """As `rltui status --json` has it."""
        checkpoint = self.checkpoint.document() if self.checkpoint else None
        return msgspec.structs.asdict(self) | {"checkpoint": checkpoint, "verdict": self.verdict.document()}


class StateRating(msgspec.Struct, frozen=True):
    """A saved state by all games there are, as `rltui ladder` has it. elo and its 95 % interval: None where it is not rated."""

    player: str
    timesteps: int
    elo: float | None
    elo_interval: tuple[float, float] | None
    games: int
    scores: list[tuple[str, float, int]]  # against whom, share of the points, of how many games


@dataclass(frozen=True)
class Heard:
    live: Live | None = None
    controller: str | None = None
    trouble: str = ""


def read_status(paths: RunPaths) -> RunStatus:
    """Look at the disk, then ask the trainer if one holds the lock."""
    summary = describe_run(paths)
    training = summary.state == "training"
    heard = ask(paths) if training else Heard()
    live = heard.live
    verdict, snapshot = judged(paths, live)
    unheard = training and summary.host == socket.gethostname()  # one on another host cannot answer here
    return RunStatus(
        run=summary.name,
        state=live.state if live else "silent" if unheard else summary.state,
        training=training,
        note="; ".join(text for text in (live.reason if live else "", heard.trouble, summary.note) if text),
        paused=summary.paused,
        pid=summary.pid,
        host=summary.host,
        since=summary.since,
        profile=summary.profile,
        phase_profile=summary.phase_profile,
        label=summary.label,
        phase=summary.phase,
        match=(header.stage or match_words(header) or None) if (header := snapshot.header) else None,
        timesteps=live.timesteps if live else summary.timesteps,
        iteration=live.iteration if live else summary.iteration,
        speed=None if live and any(worker.state == "stopped" for worker in live.workers) else summary.speed,
        updated=summary.updated,
        metrics=summary.metrics,
        reward=summary.reward,
        verdict=verdict,
        bad_lines=snapshot.bad_lines,
        journal_problem=snapshot.journal_problem,
        workers=live.workers if live else None,
        clients=live.clients if live else None,
        controller=heard.controller,
        evaluation=live.evaluation if live else None,
        rating=newest_rating(paths),
        checkpoint=summary.checkpoint,
        checkpoints=summary.checkpoints,
        milestones=len(summary.milestones),
        damaged=len(summary.damaged),
        folder=str(paths.folder),
        journal=str(paths.journal),
        log=str(paths.log),
    )


def newest_rating(paths: RunPaths) -> StateRating | None:
    """Of the newest state of the run that has games."""
    from rltui.league.games import read
    from rltui.league.ratings import ANCHOR, SPARRING, fit

    games = read(paths.data.games).games
    if not games:  # without NumPy
        return None
    ratings = fit(games)
    newest = max((state for state in ratings.of_states if state[0] == paths.name), default=None)
    if newest is None:
        return None
    rating = ratings.of_states[newest]
    there = ((name, ratings.between(rating.player, name)) for name in (ANCHOR, SPARRING))
    return StateRating(
        rating.player,
        newest[1],
        rating.elo if rating.connected else None,
        (rating.low, rating.high) if rating.connected else None,
        rating.record.games,
        [(name, record.score, record.games) for name, record in there if record.score is not None],
    )


def status_lines(status: RunStatus) -> list[str]:
    """The same for people."""
    rows = [
        ("run", status.run),
        ("state", _state(status)),
        *_bad_end(status),
        ("trainer", _trainer(status)),
        ("profile", _profile(status)),
        ("match", status.match or formatting.UNKNOWN),
        ("timesteps", number(status.timesteps) + f", iteration {number(status.iteration)}"),
        ("speed", _speed(status)),
        ("reward / episode", reward_words(status.reward)),
        ("verdict", status.verdict.line),
        *(("to try", words) for words in dict.fromkeys(one.to_try for one in status.verdict.symptoms)),
        *((BY_KEY[key].label, _figure(key, status.metrics.get(key))) for key in SHOWN),
        ("rating", _rating(status.rating)),
        *([("evaluation", status.evaluation.words)] if status.evaluation and status.evaluation.words else []),
        *_campaign(status.metrics),
        ("checkpoint", _checkpoint(status)),
        ("where", status.folder),
        *([("journal", status.journal_problem)] if status.journal_problem else []),
        ("updated", formatting.ago(None if status.updated is None else time.time() - status.updated)),
    ]
    return [*aligned(rows), *(["", *_workers(status.workers)] if status.workers else [])]


def ask(paths: RunPaths) -> Heard:
    """The trainer's own word. What keeps it from answering is part of the answer."""
    deadline = time.monotonic() + LIVE_PATIENCE
    try:
        with ControlClient(readonly=True, one_shot=True) as client:
            welcome = client.connect(paths, LIVE_PATIENCE)
            live = None
            while live is None and time.monotonic() < deadline:
                messages = client.poll(max(deadline - time.monotonic(), 0.0))
                live = next((message for message in reversed(messages) if isinstance(message, Live)), None)
    except RltuiError as error:
        return Heard(trouble=error.message)
    return Heard(live, welcome.controller, "" if live else "no state from the trainer yet")


def _state(status: RunStatus) -> str:
    """With since when it is paused, and the reason."""
    paused = f" for {formatting.duration(time.time() - status.paused)}" if status.paused is not None else ""
    return (
        state_word(status.state)
        + (paused if status.state == "paused" else "")
        + (f": {status.note}" if status.note else "")
    )


def _bad_end(status: RunStatus) -> list[tuple[str, str]]:
    """What is lost and how to go on, of a run that failed or ended uncleanly."""
    if status.state not in ("unclean", "failed"):
        return []
    saved = (status.checkpoint.timesteps if status.checkpoint else None) or 0
    lost = (status.timesteps or 0) - saved
    way = f"resumes at {saved:,} timesteps" if saved else "starts anew, for nothing is saved"
    command = f"rltui train {status.profile or 'PROFILE'} --run {status.run}"
    return [("lost", f"{lost:,} unsaved timesteps")] * (lost > 0) + [("to go on", f"{way}: {command}")]


def _trainer(status: RunStatus) -> str:
    if not status.training:
        return "none"
    since = "" if status.since is None else f" since {utc(status.since)}"
    return f"pid {status.pid if status.pid is not None else 'unknown'} on {status.host or 'unknown host'}{since}"


def _speed(status: RunStatus) -> str:
    speed = status.speed
    if speed is None:
        return formatting.UNKNOWN
    return number(speed.steps_per_second, unit="steps/s") + over_iterations(speed.iterations, status.training)


def _profile(status: RunStatus) -> str:
    return (status.profile or formatting.UNKNOWN) + (
        f", in phase {status.phase_profile}" if status.phase_profile else ""
    )


def _figure(key: str, value: float | None) -> str:
    form = ",.0f" if value is not None and abs(value) >= 1000 else ".4g"
    return number(value, form, BY_KEY[key].unit)


def _rating(rating: StateRating | None) -> str:
    if rating is None:
        return formatting.UNKNOWN
    margin = rating.elo_interval[1] - rating.elo if rating.elo is not None and rating.elo_interval else None
    elo = f"Elo {formatting.elo(rating.elo, margin)} at {formatting.short(rating.timesteps)} timesteps"
    return ", ".join(filter(None, (elo, formatting.scores(rating.scores))))


def _campaign(metrics: dict[str, float | None]) -> list[tuple[str, str]]:
    """Where it stands in its campaign, and what the next phase waits for."""
    here = phase_position(metrics)
    found = [distance.words for distance in distances(metrics)]
    return [("campaign", here + (f": {criteria_reached(metrics)}" if found else ""))] * bool(here) + [
        ("next phase" if not index else "", words) for index, words in enumerate(found)
    ]


def _checkpoint(status: RunStatus) -> str:
    newest = status.checkpoint
    damaged = f", {status.damaged} damaged" if status.damaged else ""
    beside = f"{formatting.plural(status.checkpoints, 'checkpoint')}, {formatting.plural(status.milestones, 'milestone')}{damaged}"
    if newest is None:
        return f"none complete ({beside})"
    age = "" if newest.meta is None else f", {formatting.ago(time.time() - newest.meta.time)}"
    return f"{newest.timesteps:,}{age}: {newest.path} ({beside})"


def _workers(workers: list[WorkerLive]) -> list[str]:
    head = ("WORKER", "STATE", "STEPS/S", "ARENAS", "MEMORY", "BEAT", "RESTARTS", "PID")
    rows = [
        (
            str(worker.worker),
            worker.state,
            number(worker.steps_per_second),
            str(worker.arenas),
            formatting.megabytes(worker.memory_mb),
            formatting.age(worker.heartbeat_age),
            str(worker.restarts),
            formatting.UNKNOWN if worker.pid is None else str(worker.pid),
        )
        for worker in workers
    ]
    return aligned([head, *rows], right=frozenset({2, 3, 4, 5, 6, 7}))
