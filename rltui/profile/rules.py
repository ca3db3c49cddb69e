"""Rules about several keys of a profile at once, over its raw values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rltui import safe_io
from rltui.errors import did_you_mean
from rltui.events import metric_keys
from rltui.events.game_record import DEVIATIONS, LEAST_GAMES
from rltui.events.metrics import BY_KEY
from rltui.profile.curriculum import PLANS
from rltui.profile.models import GameSection, PpoSection, Profile
from rltui.profile.resolved import OF_GAME
from rltui.profile.source import number, table, tables
from rltui.profile.toml_lines import KeyPath
from rltui.profile.toml_text import shown_value, toml_value
from rltui.profile.validation import ValidationFinding
from rltui.registry import MIRROR

SKILLS = tuple(key for key in BY_KEY if key.startswith(("rollout/", "turtle/")))  # of the bot's own games
CATEGORIES = ("events", "ball", "goal", "positioning", "boost", "aerial", "mechanics", "penalties")
ROLLOUT, EVALUATION = "rollout/", "evaluation/"
BY_GAMES = {  # criteria by games of the milestones: what each is surely above, at 95 %
    "win_rate_rule": metric_keys.win_rate_low("rule"),
    "win_rate_chaser": metric_keys.win_rate_low("chaser"),
    "elo": metric_keys.ELO_LOW,
}
PROSE = (("description",), ("author",))


def metric_key(name: str) -> str | None:
    """The metric that a criterion means, by its key with or without `rollout/` or `evaluation/`; None where there is none."""
    if (by_games := name.removeprefix(EVALUATION)) in BY_GAMES:
        return BY_GAMES[by_games]
    return next((key for key in (name, ROLLOUT + name) if key in SKILLS), None)


def _teams_can_play(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    yield from _teams(table(data, "game"), ("game",))
    for index, stage in enumerate(tables(table(data, "curriculum"), "stages")):
        yield from _teams(stage, ("curriculum", "stages", index))


def _teams(game: Mapping[str, Any], path: KeyPath) -> Iterator[ValidationFinding]:
    """Somebody plays, and an opponent leaves both sides somebody."""
    blue, orange = (number(game, side, GameSection.model_fields[side].default) for side in ("blue", "orange"))
    opponent = game.get("opponent", MIRROR)
    if blue == 0 and orange == 0:
        yield ValidationFinding(
            (*path, "blue"), "nobody plays", "at least one car in blue or orange", "0v0",
            involves=((*path, "orange"),),
        )  # fmt: skip
    elif opponent != MIRROR and blue == 0:
        yield ValidationFinding(
            (*path, "opponent"), "nobody learns: against an opponent only blue does", "at least one blue car",
            shown_value(opponent), involves=((*path, "blue"),),
        )  # fmt: skip
    elif opponent != MIRROR and orange == 0:
        yield ValidationFinding(
            (*path, "opponent"), "has no car to play", "at least one orange car", shown_value(opponent),
            involves=((*path, "orange"),),
        )  # fmt: skip


def _practice_has_resets(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    mechanics = table(data, "mechanics")
    weight = number(mechanics, "weight", 0.0)
    if weight and not mechanics.get("resets"):
        yield ValidationFinding(
            ("mechanics", "weight"), "an arena group without resets", "mechanics.resets beside it", shown_value(weight)
        )


def _selfplay_is_mirror_play(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    game = table(data, "game")
    opponent = game.get("opponent", MIRROR)
    if table(data, "selfplay").get("enabled") is True and opponent != MIRROR:
        yield ValidationFinding(
            ("selfplay", "enabled"), "the bot plays no side but its own", 'game.opponent = "mirror"', shown_value(opponent),
            involves=(("game", "opponent"),),
        )  # fmt: skip


def _stages_follow(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    """Every stage of a list but the last has an end, each later than the one before."""
    stages = tables(table(data, "curriculum"), "stages")
    path = ("curriculum", "stages")
    for index, stage in enumerate(stages):
        last = index == len(stages) - 1
        if last and "until" in stage:
            yield ValidationFinding(
                (*path, index, "until"), "the last stage has no end", "no key here", shown_value(stage["until"])
            )
        elif not last and "until" not in stage:
            yield ValidationFinding(
                (*path, index, "until"), "missing", "timesteps of the run at which the next stage begins"
            )
    ends = [number(stage, "until", None) for stage in stages[:-1]]
    yield from _rising(ends, [(*path, index, "until") for index in range(len(ends))])


def _plan_has_stages(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    curriculum = table(data, "curriculum")
    stages, steps = curriculum.get("stages", "none"), curriculum.get("stage_steps", ())
    path = ("curriculum", "stage_steps")
    if not isinstance(steps, list | tuple) or not steps:
        return
    if not isinstance(stages, str) or stages not in PLANS:
        yield ValidationFinding(
            path, "only a known plan takes these", f"curriculum.stages one of {', '.join(PLANS)}", shown_value(steps)
        )
    elif len(steps) > len(PLANS[stages]) - 1:
        most = len(PLANS[stages]) - 1
        yield ValidationFinding(path, f"more ends than {stages} has", f"at most {most}", shown_value(steps))
    ends = [number({"end": step}, "end", None) for step in steps]
    yield from _rising(ends, [(*path, index) for index in range(len(ends))])


def _rising(ends: Sequence[float | None], paths: Sequence[KeyPath]) -> Iterator[ValidationFinding]:
    for (before, end), path in zip(pairwise(ends), paths[1:], strict=True):
        if before is not None and end is not None and end <= before:
            yield ValidationFinding(
                path, "not after the stage before", f"above {toml_value(int(before))}", shown_value(end)
            )


def _criteria_are_metrics(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    for index, phase in enumerate(tables(table(data, "curriculum"), "phases")):
        path: KeyPath = ("curriculum", "phases", index)
        for name, value in table(phase, "until").items():
            metric, wanted = BY_KEY.get(metric_key(name) or ""), number(table(phase, "until"), name, None)
            if metric is not None and metric.unit == "%" and wanted is not None and not 0 <= wanted <= 100:
                yield ValidationFinding((*path, "until", name), "out of range", "0 to 100 (%)", shown_value(value))
            elif name.removeprefix(EVALUATION) in BY_GAMES:
                yield from _games_are_played(data, table(phase, "until"), (*path, "until", name))
            elif metric_key(name) is None:
                known = [*BY_GAMES, *(key.removeprefix(ROLLOUT) for key in SKILLS)]
                yield ValidationFinding(
                    (*path, "until", name), "unknown metric", "a metric of the journal, as kickoff_touches", name,
                    did_you_mean(name.removeprefix(ROLLOUT), known),
                )  # fmt: skip
        least, most = number(phase, "min_steps", 0), number(phase, "max_steps", None)
        if least is not None and most is not None and least > most:
            yield ValidationFinding(
                (*path, "max_steps"), "over before min_steps", f"at least {toml_value(int(least))}", shown_value(most),
                involves=((*path, "min_steps"),),
            )  # fmt: skip


def _games_are_played(data: Mapping[str, Any], until: Mapping[str, Any], path: KeyPath) -> Iterator[ValidationFinding]:
    name, games = str(path[-1]), number(table(data, "evaluation"), "games", 0)
    needed = games_needed(name, number(until, name, None))
    if needed is None:
        yield ValidationFinding(path, "no number of games shows that", "below 100 (%)", shown_value(until[name]))
    elif games is not None and games < needed:
        yield ValidationFinding(
            path, "too few games of the milestones to show that", f"evaluation.games of at least {needed}",
            f"evaluation.games = {int(games)}", involves=(("evaluation", "games"),),
        )  # fmt: skip


def games_needed(name: str, wanted: float | None) -> int | None:
    """So many that a criterion by games can be reached at all: where all are won, Wilson's interval of so many pairs ends there.

    None: no number of games is enough.
    """
    if wanted is None or name.removeprefix(EVALUATION) == "elo":
        return LEAST_GAMES
    return max(LEAST_GAMES, 2 * math.ceil(DEVIATIONS**2 * wanted / (100 - wanted))) if wanted < 100 else None


def _categories_are_known(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    for index, stage in enumerate(tables(table(data, "curriculum"), "stages")):
        for name in table(stage, "categories"):
            if name not in CATEGORIES:
                path = ("curriculum", "stages", index, "categories", name)
                yield ValidationFinding(
                    path, "no such category", f"one of {', '.join(CATEGORIES)}", name, did_you_mean(name, CATEGORIES)
                )


CURRICULUM_RULES: tuple[Callable[[Mapping[str, Any]], Iterator[ValidationFinding]], ...] = (
    _teams_can_play,
    _practice_has_resets,
    _selfplay_is_mirror_play,
    _stages_follow,
    _plan_has_stages,
    _criteria_are_metrics,
    _categories_are_known,
)


def unusable_texts(data: Any, path: KeyPath = ()) -> Iterator[ValidationFinding]:
    """Keys and values, of raw values at any depth, that can name nothing on disk; prose only has to be text."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if problem := safe_io.path_problem(key):
                yield ValidationFinding(path, problem, found=safe_io.clipped(key))
            else:
                yield from unusable_texts(value, (*path, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from unusable_texts(value, (*path, index))
    elif isinstance(data, str):
        problem = (safe_io.unwritable if path[-1:] in PROSE else safe_io.path_problem)(data)
        if problem:
            yield ValidationFinding(path, problem, found=safe_io.clipped(data))


def broken_rules(data: Mapping[str, Any]) -> list[ValidationFinding]:
    """Every rule that these values break. A rule about a value that is wrong by itself is passed over."""
    return [finding for rule in RULES for finding in rule(data)]


def _minibatch(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    ppo = table(data, "ppo")
    batch = number(ppo, "batch", number(ppo, "iteration", PpoSection.model_fields["iteration"].default))
    minibatch = number(ppo, "minibatch", None)
    if batch is not None and minibatch is not None and minibatch > batch >= 1:
        yield ValidationFinding(
            ("ppo", "minibatch"),
            "larger than the batch it splits",
            f"at most {toml_value(int(batch))} (ppo.batch)",
            shown_value(ppo["minibatch"]),
            involves=(("ppo", "batch"), ("ppo", "iteration")),
        )


def _resets_have_weight(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    for path, resets in _everywhere(data, "resets"):
        sound = isinstance(resets, list | tuple) and resets and all(isinstance(reset, Mapping) for reset in resets)
        if sound and all(number(reset, "weight", 1.0) == 0 for reset in resets):
            yield ValidationFinding(path, "every weight is 0: no episode can start", "at least one weight above 0", "0")


def _rewards_have_weight(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    for path, rewards in _everywhere(data, "rewards"):
        values = rewards.values() if isinstance(rewards, Mapping) else ()
        weights = [weight for value in values for weight in _weights(value)]
        if weights and all(weight == 0 for weight in weights):
            yield ValidationFinding(
                path, "every weight is 0: nothing to learn from", "at least one weight that is not 0", "0"
            )


def _weights(value: Any) -> list[float | None]:
    """The weight of a reward, or those of its schedule's points."""
    weight = value.get("weight") if isinstance(value, Mapping) else value
    points = weight if isinstance(weight, list | tuple) else [(0, weight)]
    sound = [point for point in points if isinstance(point, list | tuple) and len(point) == 2]
    return [number({"weight": point[1]}, "weight", None) for point in sound]


def _everywhere(data: Mapping[str, Any], key: str) -> list[tuple[KeyPath, Any]]:
    """The same key of the match, and of the practice arena group."""
    return [((key,), data.get(key)), (("mechanics", key), table(data, "mechanics").get(key))]


def _floor_below_rate(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    ppo, fields = table(data, "ppo"), PpoSection.model_fields
    rate, floor = (number(ppo, key, fields[key].default) for key in ("learning_rate", "learning_rate_floor"))
    scheduled = ppo.get("schedule", "constant") != "constant"
    if scheduled and rate is not None and floor is not None and floor > rate:
        yield ValidationFinding(
            ("ppo", "learning_rate_floor"),
            "above the rate that it is the floor of",
            f"at most {toml_value(rate)} (ppo.learning_rate)",
            shown_value(floor),
            involves=(("ppo", "learning_rate"), ("ppo", "schedule")),
        )


def _something_sticks(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    actions = table(data, "actions")
    sticky = number(actions, "sticky", 1)
    if sticky is not None and sticky > 1 and actions.get("sticky_buttons") in ([], ()):
        yield ValidationFinding(
            ("actions", "sticky"), "holds no button", "a button in actions.sticky_buttons", shown_value(sticky)
        )


def _delay_within_step(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    fields = Profile.model_fields
    skip = number(data, "tick_skip", fields["tick_skip"].default)
    delay = number(data, "action_delay_ticks", fields["action_delay_ticks"].default)
    if skip is not None and delay is not None and delay > skip >= 1:
        yield ValidationFinding(
            ("action_delay_ticks",),
            "an action would come later than the next one",
            f"at most {int(skip)} ticks (tick_skip)",
            shown_value(delay),
            involves=(("tick_skip",),),
        )


IN_ANY_ENV: tuple[KeyPath, ...] = (("obs", "normalize"),)


def _rewards_or_env(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    if "rewards" not in data and not data.get("env"):
        yield ValidationFinding(("rewards",), "missing", "a table")


def _env_has_no_game(data: Mapping[str, Any]) -> Iterator[ValidationFinding]:
    """An environment of one's own brings all that these keys describe, or has none of it."""
    if not data.get("env"):
        return
    written: list[KeyPath] = [(key,) for key in OF_GAME if key in data and not isinstance(data[key], Mapping)]
    written += [(key, name) for key in OF_GAME for name in table(data, key)]
    if table(data, "ppo").get("mirror_augmentation") is True:
        written.append(("ppo", "mirror_augmentation"))
    for path in written:
        if path not in IN_ANY_ENV:
            yield ValidationFinding(
                path, "is of rltui's game, which env replaces", "no key here, or no env", involves=(("env",),)
            )


RULES: tuple[Callable[[Mapping[str, Any]], Iterator[ValidationFinding]], ...] = (
    _minibatch,
    _resets_have_weight,
    _rewards_have_weight,
    _floor_below_rate,
    _something_sticks,
    _delay_within_step,
    _rewards_or_env,
    _env_has_no_game,
    *CURRICULUM_RULES,
)
