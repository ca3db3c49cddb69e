"""Runs that have something to show in the panes of the action table, the turtles and the curriculum."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rltui.actions.table import describe
from rltui.events.records import (
    CurriculumPlanned,
    IterationFinished,
    PhasePlan,
    PlannedCriterion,
    PoolOpponent,
    PoolReported,
    Record,
    StagePlan,
    TableUsed,
)
from rltui.tui.checks.results import TableFinding, TableVerdict
from tests.fakes import run_story

HASH = "c0ffee" * 10 + "beef"
ROWS = (
    (1, 0, 0, 0, 0, 0, 0, 0),
    (1, -1, 0, -1, 0, 0, 1, 0),
    (1, 1, 0, 1, 0, 0, 1, 0),
    (-1, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 1, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 1),
)
COUNTS = (500_000, 40_000, 310_000, 100_000, 50_000, 0)  # turns left 4 %, right 31 %


def table_used(counts: Sequence[int] = COUNTS, table_hash: str = HASH) -> TableUsed:
    """After the story's last iteration."""
    return TableUsed(
        time=run_story.now_of(), timesteps=607 * run_story.STEPS, table_hash=table_hash, counts=list(counts)
    )


def pool_reported() -> PoolReported:
    """After the story's last iteration: a strong one that is drawn most, one that is always beaten, one never met."""
    standings = (("Phase1-BallTouching/010M", 0.55, 100.0, 0.46), ("chaser", 0.004, 41.0, 1.0), ("Phase1-BallTouching/012M", 0.446, 0.0, None))  # fmt: skip
    return PoolReported(
        time=run_story.now_of(),
        timesteps=607 * run_story.STEPS,
        opponents=[
            PoolOpponent(name=name, share=share, games=games, score=score) for name, share, games, score in standings
        ],
    )


def verdict(table_hash: str = HASH, outcome: str = "pass") -> TableVerdict:
    """What the child says of ROWS."""
    checks = [TableFinding("pass", "6 rows, 6 different"), TableFinding("pass", "every value is a number")]
    if outcome != "pass":
        checks.append(TableFinding(outcome, "no row boosts and turns left: the bot could only turn slowly"))  # type: ignore[arg-type]
    return TableVerdict(
        subject="the table mine.csv of run alpha", outcome=outcome, table_hash=table_hash, legality="mask", checks=checks,  # type: ignore[arg-type]
        controls=[list(row) for row in ROWS], words=[describe(row) for row in ROWS],
    )  # fmt: skip


def turtled(
    index: int, events: int, recovered: int, failed: int = 0, ticks: float | None = 100.0, group: str = ""
) -> IterationFinished:
    """An iteration of the story with these turtles; ticks: mean of the recoveries, the median 10 quicker, p90 40 slower."""
    row = run_story.iteration(index)
    known = ticks if recovered else None
    times = {
        f"{name}_{unit}": None if known is None else (known + more) / (120 if unit == "seconds" else 1)
        for name, more in (("mean", 0), ("median", -10), ("p90", 40))
        for unit in ("ticks", "seconds")
    }
    counts = {"events": events, "recovered": recovered, "failed": failed, "censored": events - recovered - failed}
    found = {**counts, "per_minute": events / 10, **times}
    metrics = {f"{group}turtle/{name}": value for name, value in found.items()}
    return msgspec.structs.replace(row, metrics={**row.metrics, **metrics})


def plan(phases: int = 3, stages: bool = False, schedules: Sequence[str] = ()) -> CurriculumPlanned:
    """A campaign; phases 0: none."""
    touches = PlannedCriterion(name="kickoff_touches", label="kickoff touches", unit="%", value=80.0, less=False)
    own = PlannedCriterion(name="own_goals_per_minute", label="own goals", unit="/min", value=0.5, less=True)
    known = [
        PhasePlan(profile="phase-1-ball-touching", label="BallTouching", number=1, until=[touches, own], min_steps=500_000,
                  max_steps=30_000_000, changes=[], schedules=["reward touch: 1 at 0, 0.5 at 2,000,000"]),
        PhasePlan(profile="phase-2-bronze-skills", label="BronzeSkills1", number=2, until=[], min_steps=0, max_steps=None,
                  changes=["+ rewards.goal 20.0", "- rewards.in_air", "ppo.learning_rate 2e-4 → 1e-4"], schedules=[]),
        PhasePlan(profile="phase-3-silver-skills", label="SilverSkills1", number=3, until=[], min_steps=0, max_steps=None,
                  changes=[], schedules=[]),
    ]  # fmt: skip
    found = [StagePlan(name="1v1", until=2_000_000), StagePlan(name="2v2", until=None)] if stages else []
    return CurriculumPlanned(
        time=run_story.START, timesteps=0, phases=known[:phases], stages=found, window=20, schedules=list(schedules)
    )


def on_the_way(
    index: int, touches: float | None, own_goals: float = 0.2, steps: int | None = None
) -> IterationFinished:
    """An iteration of phase 1 of `plan()`; 80 touches are wanted. steps: of the phase, those of the run by default."""
    row = run_story.iteration(index)
    lasted = row.timesteps if steps is None else steps
    way: dict[str, float | None] = {
        "curriculum/phase": 1, "curriculum/position": 1, "curriculum/phases": 3, "curriculum/phase_steps": lasted,
        "curriculum/min_steps": lasted, "curriculum/min_steps_missing": max(500_000 - lasted, 0),
        "curriculum/max_steps_left": max(30_000_000 - lasted, 0),
        "curriculum/kickoff_touches": touches,
        "curriculum/kickoff_touches_missing": None if touches is None else max(80 - touches, 0.0),
        "curriculum/own_goals_per_minute": own_goals,
        "curriculum/own_goals_per_minute_missing": max(own_goals - 0.5, 0.0),
        "curriculum/window": min(index, 20), "curriculum/window_missing": max(20 - index, 0),
    }  # fmt: skip
    return msgspec.structs.replace(row, metrics={**row.metrics, **way})


def campaign(last: int = 80) -> list[Record]:
    """A campaign's first phase, its kickoff touches rising by 1 in 400 an iteration from 20 on; a quarter of the steps are its."""
    ways: list[Record] = [
        on_the_way(index, 20.0 + index / 4, steps=index * run_story.STEPS // 4) for index in range(1, last + 1)
    ]
    return [*run_story.opening(), plan(), *ways]
