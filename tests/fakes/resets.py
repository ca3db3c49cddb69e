"""Every registered reset for tests, a file of recorded states for `replay`, and many samples as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rltui.registry import BUILT_IN, Component, build
from rltui.sim.resets.base import Reset
from rltui.sim.resets.standard import RandomReset
from tests.fakes.states_file import save, stacked

NAMES = sorted(BUILT_IN["reset"])
SCENES = sorted({*NAMES} - {"kickoff", "random", "replay"})
TURN = np.array([-1.0, -1.0, 1.0])
MOTIONS = ("ball_velocity", "ball_angular_velocity", "velocity", "angular_velocity")
FIELDS = (
    "ball_position",
    "ball_velocity",
    "ball_angular_velocity",
    "position",
    "velocity",
    "angular_velocity",
    "rotation",
    "boost",
    "on_ground",
)


def recorded_file(folder: Path, blue: int, orange: int) -> Path:
    """Random first states as a recording, written where it is not there yet."""
    path = folder / f"{blue}v{orange}.npz"
    if not path.exists():
        rng, reset = np.random.default_rng(9), RandomReset(RandomReset.Params())
        save(path, blue, orange, stacked([reset.sample(rng, blue, orange) for _ in range(300)]))
    return path


def built(name: str, folder: Path, blue: int, orange: int) -> Reset:
    """A registered reset with its defaults; `folder` keeps the recordings."""
    options = {"path": str(recorded_file(folder, blue, orange))} if name == "replay" else {}
    reset: Reset = build("reset", Component(name, options))
    return reset


def samples(reset: Reset, number: int, blue: int, orange: int, seed: int = 0) -> dict[str, Any]:
    """Each field of many setups, stacked."""
    rng = np.random.default_rng(seed)
    setups = [reset.sample(rng, blue, orange) for _ in range(number)]
    return {name: np.stack([getattr(setup, name) for setup in setups]) for name in FIELDS}


def turned(got: dict[str, Any], blue: int) -> dict[str, Any]:
    """The samples seen from the other side: turned by 180°, teams swapped. blue: cars of that team before."""

    def swapped(array: Any) -> Any:
        return np.concatenate([array[:, blue:], array[:, :blue]], axis=1)

    seen = {name: got[name] * TURN for name in got if name.startswith("ball")}
    seen |= {name: swapped(got[name]) * TURN for name in ("position", "velocity", "angular_velocity")}
    seen["rotation"] = swapped(got["rotation"]) * TURN[:, None]
    return seen | {name: swapped(got[name]) for name in ("boost", "on_ground")}
