"""rltui ls."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.safe_io import one_line, say

if TYPE_CHECKING:
    from rltui.run_state.verdict import Verdict
    from rltui.runs.paths import DataDir
    from rltui.runs.summary import RunSummary


COLUMNS = (
    "REWARD: per car and episode, mean of about the newest 100 episodes (EPISODES: of how many).\nVERDICT: learning, flat, "
    "falling or unhealthy, or why it cannot be told; rltui status RUN says more.\nSTEPS/S: of whole iterations, over the newest 20 of this "
    "start.\nPROFILE: what it trains by now, in a campaign the phase's.\nFROM: the state that it branched from, by run and timesteps."
)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "ls", "list the runs, newest first", "rltui ls --json", COLUMNS)
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print every run in one line, or all of them as one JSON document."""
    from rltui.cli.run_status import ask
    from rltui.run_state.reader import judged
    from rltui.runs.paths import data_dir
    from rltui.runs.summary import describe_runs

    data = data_dir(args.data_dir)
    runs, notes = [], []
    for run in describe_runs(data):
        paths = data.run(run.name)
        verdict, snapshot = judged(paths, ask(paths).live if run.state == "training" else None)
        runs.append((run, verdict))
        notes += [f"{run.name}: journal: {snapshot.journal_problem}"] if snapshot.bad_lines else []
    if args.json:
        from rltui.cli.output import json_text

        documents = [run.document() | {"verdict": verdict.document()} for run, verdict in runs]
        say(json_text({"data_dir": str(data.root), "runs": documents}))
    else:
        say("\n".join([*_lines(data, runs), *notes]))
    return 0


def _lines(data: DataDir, runs: list[tuple[RunSummary, Verdict]]) -> list[str]:
    from rltui.cli.output import aligned
    from rltui.events.episode_reward import SHORT_SO_FAR
    from rltui.run_state.trend import FEWEST, NOT_SHORT

    if not runs:
        return [f"no runs in {data.root}; start one: rltui train PROFILE"]
    head = (
        "RUN",
        "STATE",
        "TIMESTEPS",
        "REWARD",
        "EPISODES",
        "VERDICT",
        "STEPS/S",
        "CHECKPOINTS",
        "MILESTONES",
        "UPDATED",
        "PROFILE",
    )
    optional = {
        "CAMPAIGN": [_campaign(run) for run, _ in runs],
        "FROM": [one_line(run.parent or "") for run, _ in runs],
    }
    more = {title: column for title, column in optional.items() if any(column)}
    rows = [(*_row(*run), *cells) for run, *cells in zip(runs, *more.values(), strict=True)]
    lines = aligned([(*head, *more), *rows], right=frozenset({2, 3, 4, 6, 7, 8}))
    if young := [run.name for run, _ in runs if run.reward.short]:
        lines.append(f"{', '.join(young)}: reward over {SHORT_SO_FAR}")
    if any(verdict.brief.endswith(f"of {FEWEST}") for _, verdict in runs):
        lines.append(f"of {FEWEST}: iterations with a reward {NOT_SHORT}")
    return lines + [f"{run.name}: {one_line(run.note)}" for run, _ in runs if run.note]


def _campaign(run: RunSummary) -> str:
    """`phase 2 of 4, 1 of 3 reached`; empty for a run that is none."""
    from rltui.events.promotion import criteria_reached, phase_position

    return ", ".join(filter(None, (phase_position(run.metrics), criteria_reached(run.metrics))))


def _row(run: RunSummary, verdict: Verdict) -> tuple[str, ...]:
    import time

    from rltui.cli.output import number
    from rltui.formatting import UNKNOWN, ago

    trains = run.state == "training" and run.paused is None
    speed = run.speed.steps_per_second if run.speed and trains else None
    return (
        run.name,
        run.state if run.paused is None else "paused",
        number(run.timesteps),
        number(run.reward.mean, ".3f"),
        number(run.reward.episodes or None),
        verdict.brief,
        number(speed),
        str(run.checkpoints),
        str(len(run.milestones)),
        ago(None if run.updated is None else time.time() - run.updated),
        f"{run.phase_profile} ({run.profile})" if run.phase_profile else run.profile or UNKNOWN,
    )
