"""Which cars are there: a demolished one keeps its last place, pose and boost until it respawns, but speaks of nothing."""

from __future__ import annotations

from rltui.sim.state import Bool, GameState


def alive(state: GameState) -> Bool:
    """[K, C] not demolished."""
    here: Bool = state.demo_respawn_timer <= 0
    return here


def off_the_ground(state: GameState) -> Bool:
    """[K, C] fewer than three wheels touch a surface, and not demolished."""
    return alive(state) & ~state.on_ground
