"""What the keys of a curriculum, of opponents and of the practice lane must agree on. Works on raw values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rltui.errors import did_you_mean
from rltui.events.metrics import BY_KEY
from rltui.profile.models import GameSection
from rltui.profile.problems import KeyPath
from rltui.profile.raw_values import number, table, tables
from rltui.profile.stages import PLANS
from rltui.profile.toml_text import found, toml_value
from rltui.profile.validation import Finding

SKILLS = tuple(key for key in BY_KEY if key.startswith(("rollout/", "turtle/")))  # of the bot's own games
CATEGORIES = ("events", "ball", "goal", "positioning", "boost", "aerial", "mechanics", "penalties")
ROLLOUT = "rollout/"


def metric_key(name: str) -> str | None:
    """The metric that a criterion means, by its key with or without `rollout/`; None where there is none."""
    return next((key for key in (name, ROLLOUT + name) if key in SKILLS), None)


def _teams_can_play(data: Mapping[str, Any]) -> Iterator[Finding]:
    yield from _teams(table(data, "game"), ("game",))
    for index, stage in enumerate(tables(table(data, "curriculum"), "stages")):
        yield from _teams(stage, ("curriculum", "stages", index))


def _teams(game: Mapping[str, Any], path: KeyPath) -> Iterator[Finding]:
    """Somebody plays, and a scripted opponent leaves both sides somebody."""
    blue, orange = (number(game, side, GameSection.model_fields[side].default) for side in ("blue", "orange"))
    opponent = game.get("opponent", "mirror")
    if blue == 0 and orange == 0:
        yield Finding(
            (*path, "blue"), "nobody plays", "at least one car in blue or orange", "0v0",
            involves=((*path, "orange"),),
        )  # fmt: skip
    elif opponent != "mirror" and blue == 0:
        yield Finding(
            (*path, "opponent"), "nobody learns: against a scripted player only blue does", "at least one blue car",
            found(opponent), involves=((*path, "blue"),),
        )  # fmt: skip
    elif opponent != "mirror" and orange == 0:
        yield Finding(
            (*path, "opponent"), "has no car to play", "at least one orange car", found(opponent),
            involves=((*path, "orange"),),
        )  # fmt: skip


def _practice_has_resets(data: Mapping[str, Any]) -> Iterator[Finding]:
    mechanics = table(data, "mechanics")
    weight = number(mechanics, "weight", 0.0)
    if weight and not mechanics.get("resets"):
        yield Finding(("mechanics", "weight"), "a lane without resets", "mechanics.resets beside it", found(weight))


def _stages_follow(data: Mapping[str, Any]) -> Iterator[Finding]:
    """Every stage of a list but the last has an end, each later than the one before."""
    stages = tables(table(data, "curriculum"), "stages")
    path = ("curriculum", "stages")
    for index, stage in enumerate(stages):
        last = index == len(stages) - 1
        if last and "until" in stage:
            yield Finding((*path, index, "until"), "the last stage has no end", "no key here", found(stage["until"]))
        elif not last and "until" not in stage:
            yield Finding((*path, index, "until"), "missing", "timesteps of the run at which the next stage begins")
    ends = [number(stage, "until", None) for stage in stages[:-1]]
    yield from _rising(ends, [(*path, index, "until") for index in range(len(ends))])


def _plan_has_stages(data: Mapping[str, Any]) -> Iterator[Finding]:
    curriculum = table(data, "curriculum")
    stages, steps = curriculum.get("stages", "none"), curriculum.get("stage_steps", ())
    path = ("curriculum", "stage_steps")
    if not isinstance(steps, list | tuple) or not steps:
        return
    if not isinstance(stages, str) or stages not in PLANS:
        yield Finding(
            path, "only a known plan takes these", f"curriculum.stages one of {', '.join(PLANS)}", found(steps)
        )
    elif len(steps) > len(PLANS[stages]) - 1:
        most = len(PLANS[stages]) - 1
        yield Finding(path, f"more ends than {stages} has", f"at most {most}", found(steps))
    ends = [number({"end": step}, "end", None) for step in steps]
    yield from _rising(ends, [(*path, index) for index in range(len(ends))])


def _rising(ends: Sequence[float | None], paths: Sequence[KeyPath]) -> Iterator[Finding]:
    for (before, end), path in zip(pairwise(ends), paths[1:], strict=True):
        if before is not None and end is not None and end <= before:
            yield Finding(path, "not after the stage before", f"above {toml_value(int(before))}", found(end))


def _criteria_are_metrics(data: Mapping[str, Any]) -> Iterator[Finding]:
    for index, phase in enumerate(tables(table(data, "curriculum"), "phases")):
        path: KeyPath = ("curriculum", "phases", index)
        for name in table(phase, "until"):
            if metric_key(name) is None:
                known = [key.removeprefix(ROLLOUT) for key in SKILLS]
                yield Finding(
                    (*path, "until", name), "unknown metric", "a metric of the journal, as kickoff_touches", name,
                    did_you_mean(name.removeprefix(ROLLOUT), known),
                )  # fmt: skip
        least, most = number(phase, "min_steps", 0), number(phase, "max_steps", None)
        if least is not None and most is not None and least > most:
            yield Finding(
                (*path, "max_steps"), "over before min_steps", f"at least {toml_value(int(least))}", found(most),
                involves=((*path, "min_steps"),),
            )  # fmt: skip


def _categories_are_known(data: Mapping[str, Any]) -> Iterator[Finding]:
    for index, stage in enumerate(tables(table(data, "curriculum"), "stages")):
        for name in table(stage, "categories"):
            if name not in CATEGORIES:
                path = ("curriculum", "stages", index, "categories", name)
                yield Finding(
                    path, "no such category", f"one of {', '.join(CATEGORIES)}", name, did_you_mean(name, CATEGORIES)
                )


CURRICULUM_RULES: tuple[Callable[[Mapping[str, Any]], Iterator[Finding]], ...] = (
    _teams_can_play,
    _practice_has_resets,
    _stages_follow,
    _plan_has_stages,
    _criteria_are_metrics,
    _categories_are_known,
)
