"""A campaign's phases, small enough for tests."""

from __future__ import annotations

# The end of a campaign whose nets and batches are as small.
SMALL = """\
[policy]
layers = [32, 32]
[critic]
layers = [32, 32]
[collect]
workers = 2
arenas = 4
[learner]
device = "cpu"
threads = 1
"""
_PHASE = """\
schema = 1
label = "{label}"
phase = {number}
resets = [{{kind = "kickoff"}}]
terminals = [{{kind = "goal"}}, {{kind = "timeout", seconds = 4}}]
[rewards]
{rewards}
[policy]
layers = [32, 32]
[critic]
layers = [32, 32]
[ppo]
iteration = {iteration}
batch = {iteration}
learning_rate = {rate}
"""


def phase(label: str, number: int, rewards: str, iteration: int = 512, rate: float = 2e-4) -> str:
    """A profile. rewards: lines of its table."""
    return _PHASE.format(label=label, number=number, rewards=rewards, iteration=iteration, rate=rate)
