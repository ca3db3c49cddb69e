"""Saving: when a checkpoint or milestone is due, what it holds, and the record of how it went. Writing is the saver thread's."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from rltui.events.records import CheckpointFailed, CheckpointPruned, CheckpointSaved, Record
from rltui.learn.ppo import PPOLearner
from rltui.policy.saved import PolicySheet, save_policy
from rltui.runs.meta import Meta, checkpoint_folder
from rltui.runs.milestones import MilestoneClock
from rltui.runs.paths import RunPaths
from rltui.runs.saver import SaveJob, SaveOutcome, Saver
