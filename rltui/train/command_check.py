"""What cannot be done, found before anybody waits for it: numbers out of range, unknown names, with the nearest known one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rltui.errors import did_you_mean
from rltui.events.commands import (
    FLAGS,
    OF_TRAINER,
    OUTPUTS,
    Command,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
)

LARGEST_RATE = 1.0  # as of ppo.learning_rate
LARGEST_ENTROPY = 10.0  # as of ppo.ent_coef
LARGEST_WEIGHT = 1e6  # of a reward, either sign: what is far beyond any sense


@dataclass(frozen=True)
class Known:
    """What commands may name."""

    rewards: Sequence[str] = ()
    workers: int = 0


def problem(command: Command, known: Known) -> str:
    """Why it cannot be done; "" where nothing speaks against it."""
    match command:
        case SetLearningRate(value=value) if not _within(value, 0.0, LARGEST_RATE):
            return f"a learning rate is 0 to {LARGEST_RATE:g}, found {value:g}"
        case SetEntropy(ent_coef=value) if not _within(value, 0.0, LARGEST_ENTROPY):
            return f"an entropy coefficient is 0 to {LARGEST_ENTROPY:g}, found {value:g}"
        case SetRewardWeight(weight=value) if not _within(value, -LARGEST_WEIGHT, LARGEST_WEIGHT):
            return f"a reward's weight is -{LARGEST_WEIGHT:,.0f} to {LARGEST_WEIGHT:,.0f}, found {value:g}"
        case SetRewardWeight(name=name) if name not in known.rewards:
            return f"no reward {name!r}{_nearest(name, known.rewards)}"
        case SetRender(output=output) if output and output not in OUTPUTS:
            return f"the viewer has no output {output!r}{_nearest(output, OUTPUTS)}"
        case SetFlag():
            return _flag_problem(command, known.workers)
        case _:
            return ""


def _flag_problem(command: SetFlag, workers: int) -> str:
    if command.flag not in FLAGS:
        return f"no debug flag {command.flag!r}{_nearest(command.flag, FLAGS)}"
    if command.worker is None:
        return ""
    if command.flag in OF_TRAINER:
        return f"{command.flag} is the trainer's, not one worker's: set it for all"
    if not 0 <= command.worker < workers:
        return f"no worker {command.worker}: they are 0 to {workers - 1}"
    return ""


def _within(value: float | None, low: float, high: float) -> bool:
    return value is None or (math.isfinite(value) and low <= value <= high)


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f": {did_you_mean(name, names) or 'there are ' + (', '.join(names) or 'none')}"
