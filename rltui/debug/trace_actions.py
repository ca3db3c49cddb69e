"""Who acts while a trace is taken: a saved policy, chance, or nobody. All choose rows of the action table for all learners."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rltui.actions.masking import idle_rows
from rltui.env.step import StepOut
from rltui.errors import RltuiError
from rltui.policy.mlp import GumbelBank
from rltui.policy.saved import SavedPolicy
from rltui.sim.state import Bool, Float, Int

Chooser = Callable[[StepOut], Int]  # int64 [K, learners] for what is seen now
NOISE = 0x6E  # sets the choices' random numbers apart from the arenas'


def idle(rows: Float, shape: tuple[int, int]) -> Chooser:
    """Nothing is pressed. RltuiError where the table [N, 8] has no such row."""
    found = np.flatnonzero(idle_rows(rows))
    if not len(found):
        raise RltuiError("the action table has no row of zeros to idle with", "take --actions random", exit_code=2)
    actions = np.full(shape, found[0], np.int64)
    return lambda out: actions


def at_random(rows: int, masks: Bool | None, shape: tuple[int, int], seed: Sequence[int]) -> Chooser:
    """Uniform over the rows that are legal: masks [classes, N], None where all are."""
    rng = np.random.default_rng([*seed, NOISE])

    def choose(out: StepOut) -> Int:
        draws = rng.random((*shape, rows))
        if masks is not None:
            draws *= masks[out.legality]
        chosen: Int = draws.argmax(axis=-1)
        return chosen

    return choose


def by_policy(policy: SavedPolicy, shape: tuple[int, int], seed: Sequence[int], deterministic: bool) -> Chooser:
    """The policy's own choices, sampled or the most probable."""
    count = shape[0] * shape[1]
    network, noise = policy.network(count), GumbelBank([*seed, NOISE])
    actions, log_probs = np.zeros(count, np.int64), np.zeros(count, np.float32)

    def choose(out: StepOut) -> Int:
        obs, classes = out.obs.reshape(count, -1), out.legality.reshape(count)
        if deterministic:
            return network.best(obs, classes).reshape(shape)
        network.act(obs, noise, actions, log_probs, classes)
        return actions.reshape(shape)

    return choose
