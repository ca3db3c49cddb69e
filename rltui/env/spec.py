"""EnvSpec: all that a worker needs to build its arenas, as plain picklable data (no profile model crosses a process)."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.registry import Component


@dataclass(frozen=True)
class Weighted:
    """A component with its weight: a reward's factor, or a reset's share."""

    component: Component
    weight: float


@dataclass(frozen=True)
class EnvSpec:
    """The game as a profile describes it."""

    blue: int
    orange: int
    obs: Component
    table: Component
    rewards: tuple[Weighted, ...]
    resets: tuple[Weighted, ...]
    terminals: tuple[Component, ...]
    tick_skip: int = 8
    action_delay_ticks: int = 1
    meshes: str | None = None  # folder of collision meshes; None: those of the installed rlgym wheel
