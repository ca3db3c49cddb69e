"""A campaign's phases, small enough for tests, and what makes any profile as small."""

from __future__ import annotations

NETS = """\
[policy]
layers = [32, 32]
[critic]
layers = [32, 32]
"""
_PHASE = """\
schema = 1
label = "{label}"
phase = {number}
resets = [{{kind = "kickoff"}}]
terminals = [{{kind = "goal"}}, {{kind = "timeout", seconds = 4}}]
[rewards]
{rewards}
{nets}\
[ppo]
iteration = {iteration}
batch = {iteration}
learning_rate = {rate}
"""


def small(arenas: int = 4, workers: int = 1) -> str:
    """The end of a profile or campaign with small nets and one thread. arenas: of each worker."""
    return f"""\
{NETS}\
[collect]
workers = {workers}
arenas = {arenas}
[learner]
device = "cpu"
threads = 1
"""


def phase(label: str, number: int, rewards: str, iteration: int = 512, rate: float = 2e-4) -> str:
    """A profile. rewards: lines of its table."""
    return _PHASE.format(label=label, number=number, rewards=rewards, nets=NETS, iteration=iteration, rate=rate)
