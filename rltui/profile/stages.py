"""Match stages: team sizes and opponents that change with the run's timesteps; the known plans, and a profile's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from rltui.profile.models import CurriculumSection, ResetSection, StageEntry

MILLION = 1_000_000


def stages_of(curriculum: CurriculumSection) -> tuple[StageEntry, ...]:
    """The stages in order, only the last without an end; empty where there are none."""
    if isinstance(curriculum.stages, tuple):
        return curriculum.stages
    if curriculum.stages == "none":
        return ()
    return _with_ends(PLANS[curriculum.stages], curriculum.stage_steps or ENDS[curriculum.stages])


def stage_at(stages: Sequence[StageEntry], timesteps: int) -> int:
    """The index of the stage that begins at or before so many timesteps, and has not ended."""
    return next(
        (index for index, stage in enumerate(stages) if stage.until is None or timesteps < stage.until),
        len(stages) - 1,
    )


def stage_name(stage: StageEntry) -> str:
    """`1v2 chaser`, or the name that the profile gives."""
    against = "" if stage.opponent == "mirror" else f" {stage.opponent.rpartition(':')[2]}"
    return stage.name or f"{stage.blue}v{stage.orange}{against}"


def _with_ends(stages: Sequence[StageEntry], ends: Sequence[int]) -> tuple[StageEntry, ...]:
    """As many stages as have a beginning: one more than there are ends, where the plan has so many."""
    chosen = stages[: len(ends) + 1]
    return tuple(stage.model_copy(update={"until": end}) for stage, end in zip_longest(chosen, ends[: len(chosen) - 1]))


def _stage(blue: int, orange: int, opponent: str = "mirror", **more: Any) -> StageEntry:
    return StageEntry(blue=blue, orange=orange, opponent=opponent, **more)


AERIAL = ResetSection.model_validate(
    {"kind": "random", "ground_share": 0.0, "car_z": (200.0, 800.0), "ball_z": (200.0, 800.0), "boost_scale": 1.5}
)
PLANS: Mapping[str, tuple[StageEntry, ...]] = {
    "three_stage": (_stage(1, 1), _stage(1, 2, "chaser"), _stage(2, 2)),
    "five_stage": (_stage(1, 1), _stage(1, 2, "chaser"), _stage(2, 2), _stage(2, 3, "chaser"), _stage(3, 3)),
    "aerial_focus": (_stage(1, 1, name="aerial", resets=(AERIAL,), categories={"aerial": 2.0}), _stage(1, 1)),
}
ENDS: Mapping[str, tuple[int, ...]] = {
    "three_stage": (2 * MILLION, 3_500_000),
    "five_stage": (2 * MILLION, 3_500_000, 5_500_000, 7 * MILLION),
    "aerial_focus": (),
}
