"""A trial of a user's observation on random states: an error, places that it leaves out, numbers that are none."""

from __future__ import annotations

import sys

import numpy as np

from rltui.env.spec import EnvSpec
from rltui.errors import in_words, where_in
from rltui.obs.builder import ObsBuilder
from rltui.registry import build
from rltui.rewards.sampling import sample_states, seal
from rltui.sim.state import Bool, Float

ARENAS, SEED = 8, 0
MARKS = (1e30, -1e30)  # in `out` before build(): what is still there after both was never written


def obs_warnings(spec: EnvSpec) -> list[str]:
    """One sentence, or none when all is well. Observations that come with the program are not tried."""
    builder: ObsBuilder = build("obs", spec.obs)
    if type(builder).__module__.startswith("rltui."):
        return []
    failure = _failure(builder, (spec.blue, spec.orange))
    return [f"{spec.obs.label} was tried on random states and failed: {failure}"] if failure else []


def _failure(builder: ObsBuilder, teams: tuple[int, int]) -> str:
    own = getattr(sys.modules.get(type(builder).__module__), "__file__", None)
    try:
        with np.errstate(all="ignore"):
            first, second = (_built(builder, teams, mark) for mark in MARKS)
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return f"{in_words(error)}{where_in(error, own)}"
    unwritten = (first == np.float32(MARKS[0])) & (second == np.float32(MARKS[1]))
    if unwritten.any():
        return f"build() must write every place of `out`, and left out {_places(unwritten)}"
    if not np.isfinite(first).all():
        return f"build() must write finite numbers, and did not at {_places(~np.isfinite(first))}"
    return ""


def _built(builder: ObsBuilder, teams: tuple[int, int], mark: float) -> Float:
    """[K, C, size] of the same states each time."""
    (state,) = sample_states(np.random.default_rng(SEED), ARENAS, teams, 1, contacts=False)
    seal(state)
    out = np.full((ARENAS, state.cars, int(builder.size(*teams))), mark, np.float32)
    builder.build(state, out)
    return out


def _places(bad: Bool) -> str:
    """Of a mask [K, C, size], in which numbers of a row something is bad."""
    indices = np.flatnonzero(bad.any(axis=(0, 1)))
    return f"index {indices[0]}" + (f" and {len(indices) - 1} more" if len(indices) > 1 else "") + f" of {bad.shape[2]}"
