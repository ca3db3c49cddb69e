"""The table of all metrics: key, label, unit, better direction, help; patterns for rewards, workers and criteria."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from rltui.events import metric_keys
from rltui.events.metric_health import BY_PREFIX, TEXTS, WORKER, Health

Good = Literal["up", "down", "none"]


@dataclass(frozen=True)
class Metric:
    """One figure of an iteration."""

    key: str
    label: str  # short, for panes
    unit: str = ""
    good: Good = "none"
    help: str = ""  # meaning, healthy range, what to try
    rlgym_ppo: str = ""  # the name in rlgym-ppo's report
    finest: float = 0.0  # what is smaller is shown as 0.00

    @property
    def export_name(self) -> str:
        """In logs for other programs."""
        return self.rlgym_ppo or self.key


# Each has its text in metric_health (a test checks); which are charted unasked: CORE and MORE in tui/panes/chart_view.py.
METRICS: tuple[Metric, ...] = (
    Metric(
        "timesteps",
        "timesteps",
        "",
        "up",
        "One step of one controlled car; 1v1 counts two a step.",
        "Cumulative Timesteps",
    ),
    Metric(
        "rollout/policy_reward",
        "reward / episode",
        "",
        "up",
        "Mean weighted reward per car over the episodes that ended in this iteration. Should rise; flat for millions of "
        "timesteps: rewards too sparse or learning rate too low.",
        "Policy Reward",
    ),
    Metric("rollout/episodes", "episodes", "", "none", "Episodes that ended in this iteration."),
    Metric("rollout/episode_seconds", "episode length", "s", "none", "Mean game time of the ended episodes."),
    Metric(
        "rollout/first_episodes",
        "first episodes",
        "%",
        "down",
        "Arenas still in their first episode since the start, resume or new phase. Until near 0, means are of short episodes so far.",
    ),
    Metric(
        "rollout/goals_per_minute",
        "goals",
        "/min",
        "up",
        "Goals of the teams that learn, per minute of game time. In self-play all goals.",
    ),
    Metric(
        "rollout/conceded_per_minute",
        "conceded",
        "/min",
        "down",
        "Goals against the teams that learn, per minute of game time. In self-play the same as goals.",
    ),
    Metric(
        "rollout/own_goals_per_minute",
        "own goals",
        "/min",
        "down",
        "Goals last touched by the team that conceded, per minute of game time. Near 0 once it knows its own goal; if not, "
        "make concede cost more.",
    ),
    Metric(
        "rollout/touches_per_minute",
        "touches",
        "/min",
        "up",
        "Steps with a ball touch per car and minute of game time.",
    ),
    Metric(
        "rollout/shots_per_minute",
        "shots",
        "/min",
        "up",
        "Shots per car and minute, by RocketSim's rule: 0.3 s after the touch at 1,750 uu/s or more, and in the goal "
        "within 2 s.",
    ),
    Metric(
        "rollout/saves_per_minute",
        "saves",
        "/min",
        "up",
        "Shots that a touch stopped, per car and minute of game time.",
    ),
    Metric("rollout/demos_per_minute", "demolitions", "/min", "none", "Per car that did it and minute of game time."),
    Metric(
        "rollout/kickoff_touches",
        "kickoff touches",
        "%",
        "up",
        "Share of kickoffs in which a learning car touched the ball within 10 s. Above 80 once it drives at the ball.",
    ),
    Metric("rollout/airborne", "airborne", "%", "none", "Share of car steps with fewer than three wheels down."),
    Metric("rollout/boost", "mean boost", "", "none", "Mean boost, 0–100."),
    Metric(
        "rollout/boost_spent_per_minute",
        "boost spent",
        "/min",
        "none",
        "Boost burnt per car and minute of game time; 2,000 is the button held down.",
    ),
    Metric(metric_keys.TURTLE_EVENTS, "turtled", "", "down", "Times that a car came to lie on its roof."),
    Metric("turtle/recovered", "recovered", "", "up", "Of those whose end is known: back on its wheels within 3 s."),
    Metric(
        "turtle/failed",
        "not recovered",
        "",
        "down",
        "Not back on its wheels within 3 s. A jump press rights a car: is one in the table and legal (rltui lut)?",
    ),
    Metric("turtle/censored", "cut", "", "none", "Turtled when the episode ended or the car was demolished."),
    Metric(metric_keys.TURTLES_PER_MINUTE, "turtled", "/min", "down", "Per car and minute of game time."),
    Metric(
        "turtle/mean_seconds",
        "recovery, mean",
        "s",
        "down",
        "From the roof to three wheels down, of recoveries. 0.7 with a jump press at once.",
    ),
    Metric("turtle/median_seconds", "recovery, median", "s", "down", "Half of the recoveries were quicker."),
    Metric("turtle/p90_seconds", "recovery, p90", "s", "down", "Nine in ten recoveries were quicker."),
    Metric(
        "turtle/mean_ticks", "recovery, mean", "ticks", "down", "The same in ticks, of which there are 120 a second."
    ),
    Metric("turtle/median_ticks", "recovery, median", "ticks", "down", "The same in ticks."),
    Metric("turtle/p90_ticks", "recovery, p90", "ticks", "down", "The same in ticks."),
    Metric(
        metric_keys.ENTROPY,
        "entropy",
        "nats",
        "none",
        "Mean policy entropy; uniform over n rows: ln n (90 rows: 4.50); with masks ln of the legal rows (45 of 90: 3.81).",
        "Policy Entropy",
    ),
    Metric(
        metric_keys.APPROX_KL,
        "KL",
        "",
        "none",
        "Mean KL from the collecting policy to the updated one: how far an update moves the bot.",
        "Mean KL Divergence",
    ),
    Metric(
        metric_keys.POLICY_LAG,
        "policy lag",
        "updates",
        "none",
        "Updates between the policy that collected and the one that learned: 1 with collect.overlap, else 0.",
    ),
    Metric(
        metric_keys.CLIP_FRACTION,
        "clip fraction",
        "",
        "none",
        "Share of ratios outside the clip range.",
        "SB3 Clip Fraction",
    ),
    Metric(
        metric_keys.VALUE_LOSS,
        "value loss",
        "",
        "down",
        "Mean squared error of the critic against its targets.",
        "Value Function Loss",
    ),
    Metric(
        metric_keys.EXPLAINED_VARIANCE,
        "explained variance",
        "",
        "up",
        "1: a perfect critic; 0: no better than the mean. Below 0 for long: critic learning rate or reward scale.",
        finest=0.005,
    ),
    Metric(metric_keys.POLICY_GRAD_NORM, "policy gradient", "", "none", "Gradient norm before clipping."),
    Metric(metric_keys.CRITIC_GRAD_NORM, "critic gradient", "", "none", "Gradient norm before clipping."),
    Metric(
        metric_keys.POLICY_UPDATE,
        "policy update",
        "",
        "none",
        "Norm of the parameter change.",
        "Policy Update Magnitude",
    ),
    Metric(
        "train/critic_update",
        "critic update",
        "",
        "none",
        "Norm of the parameter change.",
        "Value Function Update Magnitude",
    ),
    Metric(
        metric_keys.REWARD_CLIPPED,
        "rewards clipped",
        "%",
        "down",
        "Share of standardised rewards cut by reward_clip. Above 1 %: raise reward_clip or lower the large weights.",
    ),
    Metric(metric_keys.RETURN_STD, "return std", "", "none", "Standard deviation that rewards are divided by."),
    Metric(metric_keys.LEARNING_RATE, "learning rate", "", "none", "Of the policy."),
    Metric(
        metric_keys.ENT_COEF,
        "entropy coefficient",
        "",
        "none",
        "Pay for trying different actions. To change it live: type : entropy 0.005.",
    ),
    Metric("train/updates", "optimizer steps", "", "up", "Since the start of the run.", "Cumulative Model Updates"),
    Metric(
        "curriculum/phase",
        "phase",
        "",
        "none",
        "Phase of the campaign.",
    ),
    Metric(metric_keys.STAGE, "stage", "", "none", "Stage of match play, from 1."),
    Metric(
        metric_keys.POSITION, "place in the campaign", "", "none", "Which of the campaign's phases this is, from 1."
    ),
    Metric(metric_keys.PHASES, "phases", "", "none", "How many phases the campaign has."),
    Metric(metric_keys.PHASE_STEPS, "timesteps of the phase", "", "none", "Timesteps since the phase began."),
    Metric(
        "curriculum/min_steps",
        "timesteps of the phase",
        "",
        "up",
        "The phase lasts at least min_steps timesteps, whatever the bot can do.",
    ),
    Metric(metric_keys.MAX_STEPS_LEFT, "timesteps left", "", "none", "After these the next phase begins in any case."),
    Metric(
        "curriculum/window",
        "iterations measured",
        "",
        "up",
        "The bot's own games are judged over the newest `window` iterations; no promotion by them before that many.",
    ),
    Metric("selfplay/opponents", "opponents", "", "none", "Frozen opponents in the pool."),
    Metric("selfplay/games", "episodes", "", "none", "Episodes against frozen opponents that ended in this iteration."),
    Metric(
        "selfplay/score",
        "score",
        "%",
        "up",
        "Wins and half the draws of the episodes against frozen opponents. Weak opponents leave the pool, so 50 to 70 is usual.",
    ),
    Metric(
        "selfplay/goals_for", "goals scored", "/ episode", "up", "Of the bot, an episode against a frozen opponent."
    ),
    Metric("selfplay/goals_against", "goals conceded", "/ episode", "down", "An episode against a frozen opponent."),
    Metric(
        metric_keys.ELO,
        "Elo when evaluated",
        "",
        "up",
        "Of the newest evaluated state, by the games until then; rule stands at 1,500. The ladder has it by all games.",
    ),
    Metric(metric_keys.ELO_LOW, "Elo (lower end)", "", "up", "Lower end of its 95 % interval; from 20 games on."),
    *(
        metric
        for name, whom in (("rule", "rule"), ("chaser", "chaser"), ("before", "the one before"))
        for metric in (
            Metric(
                metric_keys.win_rate(name),
                f"score against {whom}",
                "%",
                "up",
                f"Wins and half the draws of the newest evaluated state's games against {whom}.",
            ),
            Metric(
                metric_keys.win_rate_low(name),
                f"score against {whom} (lower end)",
                "%",
                "up",
                "Lower end of the 95 % interval of that.",
            ),
        )
    ),
    Metric(metric_keys.GAMES_RATED, "games rated", "", "none", "Of the newest evaluated state, against anybody."),
    Metric(metric_keys.EVALUATED, "evaluated at", "", "none", "Timesteps of the newest state that was evaluated."),
    Metric(
        "lut/used_rows",
        "rows used",
        "%",
        "none",
        "Share of the action table's rows chosen in this iteration. Falls as the bot makes up its mind; few early on: "
        "raise the entropy coefficient.",
    ),
    Metric(
        "lut/never_chosen",
        "rows never chosen",
        "",
        "none",
        "Rows never chosen since the trainer started. Many for long: without effect (rltui lut), or never legal.",
    ),
    Metric(
        "lut/left", "steers left", "%", "none", "Share of choices that steer left; should come near those to the right."
    ),
    Metric("lut/right", "steers right", "%", "none", "Share of choices that steer right."),
    Metric(
        "lut/jump",
        "presses jump",
        "%",
        "none",
        "Share of choices that jump. A new bot jumps all the time.",
    ),
    Metric(
        "lut/boost", "presses boost", "%", "none", "Share of choices that boost, with boost in the tank or without."
    ),
    *(
        Metric(
            f"lut/entropy_{control}",
            f"{control} entropy",
            "nats",
            "none",
            f"How evenly the values of {control} are chosen; n of them at random read ln n (2: 0.69, 3: 1.10, 5: 1.61). 0: always the same one.",
        )
        for control in ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")
    ),
    Metric(
        "lut/masked",
        "rows masked",
        "%",
        "none",
        "Mean share of rows that could do nothing and were not offered.",
    ),
    Metric(
        "lut/fallback",
        "replaced",
        "%",
        "down",
        "Share of choices that could do nothing and became the fallback or recovery row. Falls as it learns its table.",
    ),
    Metric(
        metric_keys.COLLECTED_SPEED,
        "collected",
        "steps/s",
        "up",
        "While collecting.",
        "Collected Steps per Second",
    ),
    Metric(metric_keys.CONSUMED_SPEED, "consumed", "steps/s", "up", "While updating."),
    Metric(
        metric_keys.OVERALL_SPEED,
        "overall",
        "steps/s",
        "up",
        "Of the whole iteration.",
        "Overall Steps per Second",
    ),
    Metric(
        metric_keys.ITERATION_SECONDS,
        "iteration",
        "s",
        "down",
        "Seconds of the whole iteration.",
        "Total Iteration Time",
    ),
    Metric(
        metric_keys.COLLECT_SECONDS,
        "collect",
        "s",
        "down",
        "Seconds of the trainer waiting for rollouts.",
        "Timestep Collection Time",
    ),
    Metric(metric_keys.UPDATE_SECONDS, "update", "s", "down", "Seconds of the update.", "Timestep Consumption Time"),
    Metric(metric_keys.SAVE_SECONDS, "save", "s", "down", "Seconds that saving held the training thread."),
    Metric("time/simulate", "simulate", "µs", "down", "Worker microseconds per arena-step in the simulator."),
    Metric(
        "time/state", "read state", "µs", "down", "Worker microseconds per arena-step reading the simulator's state."
    ),
    Metric("time/infer", "infer", "µs", "down", "Worker microseconds per arena-step in the policy, sampling included."),
    Metric("time/observe", "observe", "µs", "down", "Worker microseconds per arena-step building observations."),
    Metric("time/reward", "reward", "µs", "down", "Worker microseconds per arena-step in rewards and terminals."),
    Metric("time/reset", "reset", "µs", "down", "Worker microseconds per arena-step in resets."),
    Metric(
        "time/other", "other", "µs", "down", "Worker microseconds per arena-step in controls, storing and the loop."
    ),
)

BY_KEY = {metric.key: metric for metric in METRICS}


SECTIONS = {  # of keys, in the order of lists; the arena groups' own follow as "<arena group> …"
    "rollout": "Play",
    "reward": "Rewards",
    "weight": "Reward weights",
    "metric": "Measured",
    "train": "Update",
    "curriculum": "Curriculum",
    "selfplay": "Self-play",
    "evaluation": "Evaluation",
    "turtle": "Turtle recovery",
    "lut": "Action table",
    "time": "Time",
    "worker": "Workers",
}
_NO_HEALTH = Health("Usual range unknown.")
_WORKER = re.compile(r"worker/(\d+)/(.+)")
_WORKER_FIGURES = {
    "seconds": (
        "rollout",
        "s",
        "Wall time of this worker's newest rollout. The slowest holds up the rest; where the trainer evaluates the policy "
        "nobody waits and all take about as long.",
    ),
    "steps_per_second": ("speed", "steps/s", "Timesteps of this worker's newest rollout by its wall time."),
    "memory_mb": ("memory", "MB", "Resident memory of this worker."),
}


@lru_cache(4096)
def metric_of(key: str) -> Metric:
    """The table's row; for others one made from the pattern; for a wholly unknown key its bare name."""
    known = BY_KEY.get(key)
    if known is not None:
        return known
    group, inner = _split_group(key)
    if group:
        metric = metric_of(inner)
        return replace(
            metric,
            key=key,
            label=f"{metric.label} ({group})",
            help=f"Of the {group} arenas alone. {metric.help}",
            rlgym_ppo="",
        )
    return _by_pattern(key)


@lru_cache(4096)
def health_of(key: str) -> Health:
    """What is usual for the key, and what to try."""
    _, inner = _split_group(key)
    key = inner or key
    if key in TEXTS:
        return TEXTS[key]
    worker = _WORKER.fullmatch(key)
    if worker:
        return WORKER.get(worker[2], _NO_HEALTH)
    return next((health for prefix, health in BY_PREFIX if key.startswith(prefix)), _NO_HEALTH)


def section_of(key: str) -> str:
    """The heading under which lists show the key."""
    group, inner = _split_group(key)
    head = (inner or key).partition("/")[0]
    name = SECTIONS.get(head, "Other")
    return f"{name} ({group})" if group else name


def in_order(keys: list[str]) -> list[str]:
    """By section, then as the table has them, then by name; `timesteps` itself, being the axis, is left out."""
    sections = list(SECTIONS)
    rows = {key: index for index, key in enumerate(BY_KEY)}

    def place(key: str) -> tuple[str, int, int, str]:
        group, inner = _split_group(key)
        key_of_match = inner or key
        head = key_of_match.partition("/")[0]
        section = sections.index(head) if head in SECTIONS else len(sections)
        return group, section, rows.get(key_of_match, len(rows)), key

    return sorted((key for key in keys if key != "timesteps"), key=place)


def _split_group(key: str) -> tuple[str, str]:
    """(arena group, the key without it); ("", "") for one of the match. A group's keys are `<arena group>/rollout/…`."""
    head, _, rest = key.partition("/")
    is_group = head not in SECTIONS and rest.partition("/")[0] in SECTIONS and "/" in rest
    return (head, rest) if is_group else ("", "")


def _by_pattern(key: str) -> Metric:
    head, _, name = key.partition("/")
    worker = _WORKER.fullmatch(key)
    if worker:
        label, unit, text = _WORKER_FIGURES.get(worker[2], (worker[2].replace("_", " "), "", ""))
        return Metric(key, f"worker {worker[1]} {label}", unit, "none", text)
    if head == "reward" and name:
        text = "Mean weighted contribution of this reward to a car's episode; together they are the reward per episode."
        return Metric(key, name, "/ episode", "none", text)
    if head == "metric" and name:
        text = "Mean value of this reward over all steps of all cars: its weight in the profile is 0, so it is measured and not paid."
        return Metric(key, name, "", "none", text)
    if head == "weight" and name:
        text = "This reward's weight in force, by schedule or by hand."
        return Metric(key, f"weight of {name}", "", "none", text)
    if head == "curriculum" and name:
        return _criterion(key, name)
    return Metric(key, (name or key).replace("_", " "))


def criterion_by_games(name: str) -> Metric | None:
    """What a promotion criterion means that goes by games of the milestones; None of one that goes by the bot's own games."""
    return BY_KEY.get(f"evaluation/{name.removeprefix('evaluation/')}_low")


def _criterion(key: str, name: str) -> Metric:
    """`kickoff_touches` and `kickoff_touches_missing`: the value that counts for promotion, and what it lacks."""
    criterion = name.removesuffix("_missing")
    by_games = criterion_by_games(criterion)
    metric = by_games or next((item for item in BY_KEY.values() if item.key.endswith(f"/{criterion}")), None)
    label, unit = (metric.label, metric.unit) if metric else (criterion.replace("_", " "), "")
    if name != criterion:
        return Metric(
            key, f"{label} missing", unit, "down", "What is missing of this criterion of the next phase; 0: met."
        )
    text = "This criterion of the next phase, over the newest iterations taken together."
    if by_games is not None:
        text = "This criterion of the next phase, by the games of the newest evaluated state of this one."
    return Metric(key, f"{label}, measured", unit, "none", text)
