"""`recovery_and_landing`: coming down on the wheels, and getting back on them."""

from __future__ import annotations

import numpy as np

from rltui.rewards.alive import alive
from rltui.rewards.memory import Memory
from rltui.rewards.reward import Reward
from rltui.sim.state import Bool, Float, GameState
from rltui.sim.turtled import turtled

STANDING = 3  # wheels
CLEAN = 0.85  # uprightness of a good landing


class RecoveryAndLanding(Reward):
    """Aloft or turtled: 0.3 · upright + 0.2 · gain; on landing: 1 + 0.2 · upright if > 0.85, else −0.5 · (1 − upright).

    Aloft: no wheel and no body contact. Turtled: at most one wheel, up.z < −0.2, the body on a floor (normal.z > 0.7).
    Landing: the first step with three wheels or the body newly down after one without a wheel down; a car that starts
    its episode on its roof has not landed on it. Upright: 1 on a step that ends with three wheels newly down; up · contact
    normal with the body down; else up.z. Gain: max(0, how much more upright than at the last step). A demolished car gives
    0, and so does one that has respawned, above the ground, until its wheels are down.
    """

    category = "mechanics"
    sign = 0
    contacts = True

    def __init__(self, params: Reward.Params) -> None:
        super().__init__(params)
        self._upright = Memory()  # [K, C] at the last step, as all of these
        self._standing = Memory(np.bool_)  # three wheels down
        self._body = Memory(np.bool_)  # the body down
        self._falling = Memory(np.bool_)  # no wheel was down since the last landing, or the episode's first step
        self._gone = Memory(np.bool_)  # demolished, or respawned and not yet on the wheels

    def reset(self, state: GameState, arenas: Bool) -> None:
        self._upright.begin(arenas, _uprightness(state))
        self._standing.begin(arenas, state.contacts.wheels >= STANDING)
        self._body.begin(arenas, state.world_contact)
        self._falling.begin(arenas, np.zeros_like(state.world_contact))
        self._gone.begin(arenas, ~alive(state))

    def value(self, state: GameState) -> Float:
        wheels = state.contacts.wheels
        standing, off_wheels = wheels >= STANDING, wheels == 0
        on_roof: Bool = turtled(wheels, state.up[..., 2], state.contacts.normal[..., 2])
        upright = _uprightness(state)
        upright[standing & ~self._standing.values] = 1.0
        landed = self._landed(state, standing)
        gain = np.maximum(upright - self._upright.values, 0.0)
        value: Float = (0.3 * upright + 0.2 * gain) * (off_wheels & ~state.world_contact | on_roof)
        np.copyto(value, _landing(upright), where=landed)
        value *= self._here(state, standing)
        np.copyto(self._upright.values, upright)
        np.copyto(self._standing.values, standing)
        np.copyto(self._body.values, state.world_contact)
        np.copyto(self._falling.values, off_wheels | on_roof | self._falling.values & ~landed)
        return value

    def _landed(self, state: GameState, standing: Bool) -> Bool:
        landed: Bool = self._falling.values & (standing | state.world_contact & ~self._body.values)
        return landed

    def _here(self, state: GameState, standing: Bool) -> Bool:
        """[K, C] neither demolished nor still falling, or just landing, from where the car respawned."""
        gone = self._gone.values
        gone |= ~alive(state)
        here: Bool = ~gone
        gone &= ~(standing & alive(state))
        return here


def _landing(upright: Float) -> Float:
    """[K, C] what a landing pays, or costs."""
    return np.where(upright > CLEAN, 1.0 + 0.2 * upright, -0.5 * (1.0 - upright))


def _uprightness(state: GameState) -> Float:
    """[K, C] −1..1: up · normal of the surface that the body touches, or up.z where it touches none."""
    on_surface = np.einsum("kci,kci->kc", state.up, state.contacts.normal)
    return np.where(state.world_contact, on_surface, state.up[..., 2])
