"""Simulated: the way from the arrays of a GameState back to the simulator, for what bridges to other libraries need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class SimulatedArena(Protocol):
    """RocketSim's own objects of one arena (SoccarArena). cars: new ones after each reset, with ids from first_id on."""

    arena: Any
    cars: list[Any]
    first_id: int


@dataclass(frozen=True)
class Simulated:
    """arenas: [K]. shared: what components of one environment keep in common, by a name of theirs."""

    arenas: Sequence[SimulatedArena]
    shared: dict[str, Any] = field(default_factory=dict)
