"""Keys of the metrics that several modules write or read, and the columns they are held in; `metrics` has the table of all."""

from __future__ import annotations

import math
from array import array

ENTROPY = "train/entropy"
ENT_COEF = "train/ent_coef"
APPROX_KL = "train/approx_kl"
POLICY_LAG = "train/policy_lag"
CLIP_FRACTION = "train/clip_fraction"
VALUE_LOSS = "train/value_loss"
EXPLAINED_VARIANCE = "train/explained_variance"
POLICY_GRAD_NORM, CRITIC_GRAD_NORM = "train/policy_grad_norm", "train/critic_grad_norm"
POLICY_UPDATE = "train/policy_update"
RETURN_STD = "train/return_std"
REWARD_CLIPPED = "train/reward_clipped"
LEARNING_RATE = "train/learning_rate"

COLLECTED_SPEED = "time/collected_steps_per_second"
CONSUMED_SPEED = "time/consumed_steps_per_second"
OVERALL_SPEED = "time/overall_steps_per_second"  # of whole iterations: a run's speed
ITERATION_SECONDS = "time/iteration"  # pauses left out
COLLECT_SECONDS, UPDATE_SECONDS, SAVE_SECONDS = "time/collect", "time/learn", "time/save"

POSITION, PHASES = "curriculum/position", "curriculum/phases"  # which of a campaign's phases this is, of how many
PHASE_STEPS = "curriculum/phase_steps"  # timesteps since the phase began
MAX_STEPS_LEFT = "curriculum/max_steps_left"  # timesteps until the next one begins in any case
STAGE = "curriculum/stage"

EVALUATED, GAMES_RATED = "evaluation/timesteps", "evaluation/games"  # of the newest state that was rated by games
ELO, ELO_LOW = "evaluation/elo", "evaluation/elo_low"

EPISODE_SECONDS = "rollout/episode_seconds"
KICKOFF_TOUCHES, TOUCHES_PER_MINUTE = "rollout/kickoff_touches", "rollout/touches_per_minute"
GOALS_PER_MINUTE, OWN_GOALS_PER_MINUTE = "rollout/goals_per_minute", "rollout/own_goals_per_minute"
SHOTS_PER_MINUTE, SAVES_PER_MINUTE = "rollout/shots_per_minute", "rollout/saves_per_minute"
AIRBORNE, BOOST_HELD = "rollout/airborne", "rollout/boost"
TURTLE_EVENTS, TURTLES_PER_MINUTE = "turtle/events", "turtle/per_minute"
TURTLES_RECOVERED = "turtle/recovered"

# Keys, or what stands before their /, held in double precision: counts of timesteps and weights stay what they are, and
# lists, which read the journal itself, say the same as the cockpit. Of rows, turtles, workers and arena groups there are
# many, and nobody needs more than seven digits.
EXACT = frozenset(
    ("clock", "iteration", "timesteps", "rollout", "reward", "weight", "train", "curriculum", "evaluation", "time")
)


def win_rate(opponent: str) -> str:
    """Of the newest state that was rated by games. opponent: rule, chaser; before: the milestone before it."""
    return f"evaluation/win_rate_{opponent}"


def win_rate_low(opponent: str) -> str:
    """The lower end of its interval."""
    return f"{win_rate(opponent)}_low"


def new_column(key: str, unknown: int = 0) -> array[float]:
    """So many rows of NaN: float64 for what is in EXACT, else float32."""
    return array("d" if key.partition("/")[0] in EXACT else "f", (math.nan,)) * unknown
