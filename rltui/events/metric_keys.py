"""Keys of the metrics that several modules write or read; `metrics` has the table of all."""

from __future__ import annotations

ENTROPY = "train/entropy"
ENT_COEF = "train/ent_coef"
APPROX_KL = "train/approx_kl"
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

TURTLE_EVENTS, TURTLES_PER_MINUTE = "turtle/events", "turtle/per_minute"
