"""Usual ranges of metrics and settings, and what to do outside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from rltui.events.metric_keys import OVERALL_SPEED

RATES = "cannot score yet: 2e-4; scoring: 1e-4; dribbles and flicks: 0.8e-4 or less"
LARGEST_RATE = 1e-3  # bold, and sometimes meant
FEW_ACTIONS = 8  # among fewer no entropy is unusual: what is known is of tables of 90 rows and more
LARGEST_ENTROPY = 0.1  # ten times the usual start, in nats
Side = Literal["usual", "low", "high", "none"]


@dataclass(frozen=True)
class Health:
    """healthy: the usual range in words. low, high: its ends, None where no figure can say; if_low, if_high: what to try.

    ill: the side on which a run is unhealthy; settles: not so soon after a start or a change of rewards.
    """

    healthy: str
    advice: str = ""  # what moves it, where no end of a range says so
    low: float | None = None
    high: float | None = None
    if_low: str = ""
    if_high: str = ""
    ill: Literal["", "low", "high"] = ""
    settles: bool = False


def side_of(health: Health, value: float | None) -> Side:
    """Where the value lies to its usual range. none: it is unknown, or nothing is known of the range."""
    if value is None or not math.isfinite(value) or (health.low is None and health.high is None):
        return "none"
    if health.low is not None and value < health.low:
        return "low"
    return "high" if health.high is not None and value > health.high else "usual"


def health_words(health: Health, value: float | None) -> str:
    """`above the usual 0.002–0.02; lower the learning rate …`; empty where nothing can be said."""
    found = side_of(health, value)
    if found == "none":
        return ""
    if found == "usual":
        return f"within the usual {usual_range(health)}"
    side, to_try = ("below", health.if_low) if found == "low" else ("above", health.if_high)
    return f"{side} the usual {usual_range(health)}" + (f"; {to_try}" if to_try else "")


def usual_range(health: Health) -> str:
    """0.002–0.02; 80 or more; 1 or less."""
    if health.low is None:
        return f"{health.high:g} or less"
    return f"{health.low:g} or more" if health.high is None else f"{health.low:g}–{health.high:g}"


_MORE_DATA = "raise ppo.iteration and ppo.batch for a steadier estimate"
_LESS_CHANGE = "lower the learning rate or ppo.epochs"
_NO_ROLL = "add turtled resets, and check that a jump row is legal on the roof (rltui lut)"

ROLLOUT: dict[str, Health] = {
    "timesteps": Health("Only grows.", "More workers and arenas, smaller nets or a GPU make it grow faster."),
    "rollout/policy_reward": Health(
        "Rises in noisy steps. Comparable only under the same rewards: a new weight or phase moves it at once.",
        "Flat for millions of timesteps: add a reward that is paid earlier (speed_toward_ball before touch), or check "
        "whether KL and entropy move. Watch games too: a reward can rise on an unwanted trick.",
    ),
    "rollout/episodes": Health(
        "Tens at least, or every mean per episode is noise.",
        "Raise ppo.iteration or shorten episodes (timeout, no_touch).",
        low=10,
        if_low="the means per episode are noisy: raise ppo.iteration or shorten the episodes",
    ),
    "rollout/episode_seconds": Health(
        "With a no_touch terminal near 15 s at first; longer once it touches; shorter once it scores.",
        "Stuck at no_touch's seconds: it does not reach the ball. At timeout's: it never scores.",
    ),
    "rollout/first_episodes": Health(
        "100 at a start, resume or new phase; 0 within one timeout. Above 1 the reward is of short episodes so far, and there is "
        "no verdict. A restarted worker counts once its own have ended.",
        "Wait. Where it stays: an episode that no terminal ends (timeout, no_touch).",
    ),
    "rollout/goals_per_minute": Health(
        "0 at first; should rise from phase 2 on.",
        "Touches but no goals: raise velocity_ball_to_goal, or add open shots (resets: shot).",
    ),
    "rollout/conceded_per_minute": Health(
        "In self-play equal to goals; against a frozen or scripted opponent it should fall.",
        "Raise concede's weight a little; too much keeps the bot in its goal.",
    ),
    "rollout/own_goals_per_minute": Health(
        "Near 0 once it knows its own goal.",
        "Make concede cost more, or pay negative_velocity_own_goal.",
    ),
    "rollout/touches_per_minute": Health(
        "Near 0 for a new bot; rises steadily once it drives at the ball.",
        "Stuck near 0: pay speed_toward_ball and face_ball, and begin nearer to the ball.",
    ),
    "rollout/shots_per_minute": Health(
        "0 at first; rises with clean contact.",
        "Pay strong_hit and velocity_ball_to_goal; lower the plain touch reward.",
    ),
    "rollout/saves_per_minute": Health(
        "Follows the opponents' shots: it cannot rise before they shoot.",
        "Use the save reset, so that defending happens often enough to be learned.",
    ),
    "rollout/demos_per_minute": Health("Whatever the rewards pay for.", "The demo and demoed rewards change it."),
    "rollout/kickoff_touches": Health(
        "Near 0 for a new bot, above 80 once it drives at the ball.",
        "Give kickoff a larger weight among the resets; pay speed_toward_ball.",
        low=80,
        if_low="it misses some kickoffs: add kickoff resets or raise speed_toward_ball",
    ),
    "rollout/airborne": Health(
        "High for a new bot, which jumps at random; falls as it learns to drive, rises with aerials.",
        "High after millions of timesteps: in_air pays too much. Falls to 0: it unlearned to jump; pay a little in_air.",
    ),
    "rollout/boost": Health(
        "Low for a bot that holds the button; 30–60 for one that plans.",
        "save_boost raises it, collect_boost fills it.",
    ),
    "rollout/boost_spent_per_minute": Health(
        "High for a new bot. Without pickups a full tank lasts 3 s.", "save_boost makes it fall."
    ),
}

_RECOVERY = Health("About 0.7 s with a jump press at once; 0.9 by throttle.", f"Slow: {_NO_ROLL}.")
_RECOVERY_TICKS = Health("About 81 ticks with a jump press at once; by throttle 106.", f"Slow: {_NO_ROLL}.")
TURTLE: dict[str, Health] = {
    "turtle/events": Health(
        "Falls as it learns to land.", "Pay recovery_and_landing; turtled resets raise it on purpose."
    ),
    "turtle/recovered": Health("Nearly all of those whose end is known.", f"Few: {_NO_ROLL}."),
    "turtle/failed": Health("Near 0 for a bot that jumps off its roof.", f"Many: {_NO_ROLL}."),
    "turtle/censored": Health("Few: the episode ended first.", "Many: episodes are short beside the 3 s window."),
    "turtle/per_minute": Health(
        "High for a new bot; below 1 once it lands on its wheels.",
        "Pay recovery_and_landing, or bad_orientation.",
    ),
    **{f"turtle/{name}_seconds": _RECOVERY for name in ("mean", "median", "p90")},
    **{f"turtle/{name}_ticks": _RECOVERY_TICKS for name in ("mean", "median", "p90")},
}

TRAIN: dict[str, Health] = {
    "train/entropy": Health(
        "Starts near the table's maximum (ln n) and falls slowly over tens of millions of timesteps.",
        "Near 0 early: raise the entropy coefficient. Stays at the top: lower it, or the rewards say nothing yet.",
        low=0.5,
        if_low="it hardly explores: raise the entropy coefficient (: entropy 0.02); normal in a finished bot",
        ill="low",
    ),
    "train/approx_kl": Health(
        "0.002–0.02 in most updates.",
        low=0.002,
        high=0.02,
        if_low="the policy hardly moves: if the reward is flat, raise the learning rate or ppo.epochs",
        if_high=f"{_LESS_CHANGE}, or {_MORE_DATA}",
        ill="high",
    ),
    "train/policy_lag": Health(
        "0, or 1 with collect.overlap.",
        "1 makes KL and clip fraction begin above 0, and learning slower: collect.overlap = false.",
    ),
    "train/clip_fraction": Health(
        "0.02–0.2.",
        low=0.02,
        high=0.2,
        if_low="updates are timid: raise the learning rate, if the reward is flat",
        if_high=f"much of the update is cut off: {_LESS_CHANGE}",
        ill="high",
    ),
    "train/value_loss": Health(
        "Below 1 with ppo.standardize_returns. Jumps after a new weight or phase, then falls.",
        "Compare explained variance, which does not depend on the rewards' scale.",
        high=1.0,
        if_high="rare large rewards: lower the largest weights, or wait if rewards just changed",
        ill="high",
        settles=True,
    ),
    "train/explained_variance": Health(
        "0.3–0.95; low in the first iterations and after a change of rewards.",
        "1 is a perfect critic, 0 no better than a constant.",
        low=0.3,
        if_low="the critic predicts poorly: if it stays so, raise critic_learning_rate or critic.layers",
        ill="low",
        settles=True,
    ),
    "train/policy_grad_norm": Health(
        "Steady. Whatever is above ppo.max_grad_norm (0.5) is shortened to it.",
        f"Spikes: one odd batch; steadily far above max_grad_norm: {_MORE_DATA}.",
    ),
    "train/critic_grad_norm": Health(
        "Steady; larger than the policy's while returns change. Shortened to ppo.max_grad_norm.",
        "Steadily far above it: lower the largest reward weights.",
    ),
    "train/policy_update": Health(
        "Steady; falls with the learning rate.", "0: nothing was learned. A jump: look at KL in the same iteration."
    ),
    "train/critic_update": Health("Steady; falls with its learning rate.", "0: nothing was learned."),
    "train/reward_clipped": Health(
        "0, or a small fraction of 1 %.",
        "A goal worth 20 beside small shaping is cut easily.",
        high=1.0,
        if_high="large rewards look alike to the bot: raise ppo.reward_clip or lower the large weights",
        ill="high",
    ),
    "train/return_std": Health(
        "Drifts with the rewards that are earned.", "A jump follows a new weight; learning is uneven until it settles."
    ),
    "train/learning_rate": Health(
        "2e-4 until it scores, then 1e-4; 0.8e-4 or less for dribbles and flicks.",
        "Changed live with : lr 1e-4. Watch KL for some iterations afterwards.",
    ),
    "train/ent_coef": Health(
        "Usually 0.01 at first (entropy in nats; trainers that divide by ln n need another).",
        "Lower it late; raise it when entropy falls too early.",
    ),
    "train/updates": Health(
        "Grows by batches times epochs each iteration.", "No growth: updates are dropped; see the log."
    ),
}

_HALF_USED = "A few rows alone early on: raise the entropy coefficient."
TABLE: dict[str, Health] = {
    "lut/used_rows": Health("Near 100 early; falls slowly as it makes up its mind.", _HALF_USED),
    "lut/never_chosen": Health(
        "0 after the first iterations.", "Many for long: never legal, or without effect (rltui lut names them)."
    ),
    "lut/left": Health(
        "Within a few percent of those to the right.", "One-sided for long: look for a swapped column with rltui lut."
    ),
    "lut/right": Health(
        "Within a few percent of those to the left.", "One-sided for long: look for a swapped column with rltui lut."
    ),
    "lut/jump": Health(
        "At first the table's share of jump rows; falls as it learns to drive.", "in_air pays for more."
    ),
    "lut/boost": Health("At first the table's share of boost rows.", "save_boost pays for fewer."),
    "lut/masked": Health(
        "Depends on the table and on how much it flies.", "rltui lut says what is masked in which state."
    ),
    "lut/fallback": Health("Falls as it learns its table.", "Stays high: prefer actions.legality = mask."),
}
_CONTROL = Health(
    "Falls from ln n as it makes up its mind.", "0 early: this control is never used; raise the entropy coefficient."
)

CURRICULUM: dict[str, Health] = {
    "curriculum/phase": Health(
        "Goes up when the criteria are met.", "N goes on by hand; pane 7 shows what is missing."
    ),
    "curriculum/stage": Health("Goes up by timesteps.", "curriculum.stage_steps says when."),
}

SELFPLAY: dict[str, Health] = {
    "selfplay/opponents": Health("Grows with each milestone.", "The log says who leaves the pool, and why."),
    "selfplay/games": Health(
        "Some in each iteration.", "None for long: raise selfplay.opponent_share or collect.arenas."
    ),
    "selfplay/score": Health("50 to 70 %.", "Below 40 for long: it forgets; selfplay.strategy = prioritized."),
    "selfplay/goals_for": Health("Above goals conceded.", "Falls: it forgets how to beat earlier ones."),
    "selfplay/goals_against": Health("Below goals scored.", "Rises: a reward for goals alone may cost defence."),
}

_MICROS = Health("As low as the work allows; compare it with simulate.", "The time pane (3) names the bottleneck.")
TIME: dict[str, Health] = {
    "time/collected_steps_per_second": Health(
        "Steady. A fall of a few percent is other work on the machine.",
        "collect.workers = one for each core; more collect.arenas for each; smaller nets.",
    ),
    "time/consumed_steps_per_second": Health(
        "Steady.", "Fewer ppo.epochs, smaller nets, more learner.threads, or a GPU (learner.device)."
    ),
    OVERALL_SPEED: Health(
        "Steady; this one says how soon the bot is trained.",
        "The time pane (3) names the bottleneck and what to change.",
    ),
    "time/iteration": Health("Some seconds.", "Smaller ppo.iteration, or faster collecting and updates."),
    "time/collect": Health("About as long as the update, or longer.", "More workers, smaller nets."),
    "time/learn": Health(
        "Shorter than collect on a well-balanced machine.", "Fewer ppo.epochs, smaller nets, or a GPU."
    ),
    "time/save": Health(
        "Milliseconds: files are written beside the training.", "Raise save_every, or use a faster disk."
    ),
    "time/simulate": Health("50–65 µs for 1v1 at tick skip 8; more with more cars.", "Only more or faster cores help."),
    "time/infer": Health(
        "Below simulate for nets of 256.", "Smaller policy.layers; more collect.arenas make each row cheaper."
    ),
    "time/other": Health("A few µs.", "Much more: too few collect.arenas for each worker."),
}
PART_LABELS = {"state": "read state"}
PART_ADVICE = {  # what to change where this part of an iteration is the bottleneck
    "update": "try fewer ppo.epochs, smaller policy.layers and critic.layers, or a GPU",
    "simulate": "only more or faster cores help (collect.workers)",
    "infer": "try smaller policy.layers, or more collect.arenas per worker",
    "observe": "try a smaller observation (obs.kind, obs.stack)",
    "reward": "try fewer rewards, above all your own that are not array operations",
    "read state": "grows with the cars of a game; more collect.arenas per worker help a little",
    "reset": "episodes are short: try a longer no_touch or timeout terminal",
    "wait": "for the slowest worker: use one worker per core, and nothing else on them",
    "save": "raise save_every, or use a faster disk",
    "other": "try more collect.arenas per worker: they share the loop's cost",
    "the rest": "try a larger ppo.iteration",
}
UPDATE_ON_GPU = "try fewer ppo.epochs or a larger ppo.minibatch"

TEXTS: dict[str, Health] = {**ROLLOUT, **TURTLE, **TRAIN, **TABLE, **CURRICULUM, **SELFPLAY, **TIME}
SYMPTOMS: dict[str, Health] = {key: health for key, health in TEXTS.items() if health.ill}

BY_PREFIX: tuple[tuple[str, Health], ...] = (
    (
        "reward/",
        Health(
            "Penalties are negative, all others are not. None should dwarf the one you are after.",
            "Change a weight live: type : reward NAME 0.5.",
        ),
    ),
    ("metric/", Health("You know best: it is yours.", "To pay for it: a weight that is not 0.")),
    ("weight/", Health("As you set it.", ": reward NAME profile gives the profile's weight back.")),
    ("lut/entropy_", _CONTROL),
    (
        "curriculum/",
        Health("Moves towards what the next phase wants.", "Pane 7 shows each criterion and what is missing."),
    ),
    (
        "evaluation/",
        Health(
            "Rises from milestone to milestone, as far as its interval can tell.",
            "Wide intervals: more evaluation.games. Flat though rewards rise: they pay for something else than winning.",
        ),
    ),
    ("time/", _MICROS),
)
WORKER: dict[str, Health] = {
    "seconds": Health(
        "All workers about the same: the slowest one makes the others wait.",
        "One much slower: its core is shared; lower collect.workers.",
    ),
    "steps_per_second": Health(
        "All workers about the same.",
        "One much slower: its core is shared; lower collect.workers.",
    ),
    "memory_mb": Health(
        "Flat. About 60–100 MB with 32 arenas.",
        "Growing for hours: a reward or observation of yours leaks memory.",
    ),
}


def rate_words(rate: float, phase: int | None) -> str:
    """Why this learning rate of the policy is doubtful, in the phase of this number if it has one; "" where it is not."""
    if rate == 0:
        return "the policy will not change"
    if rate > LARGEST_RATE:
        return "rarely stable; 2e-4 suits a bot that cannot score yet"
    if phase is not None and phase >= 4 and rate > 0.8e-4:
        return f"high for phase {phase}; dribbles, flicks and aerials want 0.8e-4 or less"
    if phase == 3 and rate > 1e-4:
        return "high for phase 3; a bot that scores wants 1e-4"
    return ""


def entropy_words(ent_coef: float) -> str:
    """Why this entropy coefficient is doubtful; "" where it is not."""
    if ent_coef == 0:
        return "nothing pays for exploring; usually 0.01 at first"
    if ent_coef > LARGEST_ENTROPY:
        return "acting at random pays more than the rewards; 0.01 is the usual start"
    return ""
