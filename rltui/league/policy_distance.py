"""Distance of saved policies: the share of choices that differ in what they see in games, by which near-clones are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rltui.actions.spec import Classes
from rltui.errors import RltuiError
from rltui.field import TICKS_PER_SECOND
from rltui.league.match_batch import MatchBatch
from rltui.league.players import PolicySide, Seat, trained_in
from rltui.policy.saved import SavedPolicy, load_policy, saved_game
from rltui.policy.weights import Float
from rltui.runs.checkpoint import POLICY_FILE
from rltui.runs.inventory import CheckpointInfo, list_milestones
from rltui.runs.near_clones import read_near_clones, write_near_clones
from rltui.runs.paths import RunPaths

NEAR = 0.05  # below it, two policies are one player for most purposes: one choice of twenty differs
GAMES, SECONDS, LOOKS, SEED = 8, 30, 30, 0  # against itself, of play in each, looks in each, of kickoffs and choices
MOST = 50  # earlier states that one is compared with, the newest


def find_near_clones(paths: RunPaths, state: CheckpointInfo) -> None:
    """Compare a state of the run with the milestones before it, once, and write down whose near-clone it is.

    RltuiError where it cannot play; OSError where the file cannot be written. Milestones that cannot be read are passed over.
    """
    known, timesteps = read_near_clones(paths), state.timesteps
    if timesteps is None or timesteps in known:
        return
    policy = load_policy(state.path / POLICY_FILE)
    obs, classes = seen(policy)
    earlier = [info for info in list_milestones(paths) if info.usable and (info.timesteps or 0) < timesteps]
    near = {}
    for info in sorted(earlier, key=lambda info: info.timesteps or 0)[-MOST:]:
        try:
            distance = policy_distance(policy, load_policy(info.path / POLICY_FILE), obs, classes)
        except (RltuiError, ValueError):  # it has gone, or plays another game
            continue
        if distance < NEAR:
            near[info.timesteps or 0] = round(distance, 4)
    write_near_clones(paths, known | {timesteps: near})


def seen(policy: SavedPolicy) -> tuple[Float, Classes]:
    """What it sees in games against itself, the same each time: observations [N, D], not normalised, and legality classes [N]."""
    teams = trained_in(policy)
    places = slice(0, teams[0]), slice(teams[0], sum(teams))
    sides = [PolicySide(policy, Seat(teams, cars, (SEED, n), arenas=GAMES)) for n, cars in enumerate(places)]
    batch = MatchBatch((sides[0], sides[1]), teams, [[SEED, game] for game in range(GAMES)])
    found: list[tuple[Float, Classes]] = []
    for look in range(1, LOOKS + 1):
        while batch.tick < look * SECONDS * TICKS_PER_SECOND // LOOKS:
            batch.advance(policy.tick_skip)
        found += [side.seen((slice(None), cars)) for side, cars in zip(sides, places, strict=True)]
    return np.concatenate([obs for obs, _ in found]), np.concatenate([classes for _, classes in found])


def policy_distance(a: SavedPolicy, b: SavedPolicy, obs: Float, classes: Classes) -> float:
    """Mean total variation distance ½ Σ |π_a(·|s) − π_b(·|s)| over observations, 0 to 1.

    It is the share of choices that differ where they are drawn as alike as can be. obs, classes: as `seen`. ValueError for
    policies of different games: their choices cannot be compared. Team sizes may differ, where both see as many numbers.
    """
    game = saved_game(a)
    if (
        game != replace(saved_game(b), blue=game.blue, orange=game.orange)
        or a.table_hash != b.table_hash
        or a.layers[0][0].shape[0] != b.layers[0][0].shape[0]
    ):
        raise ValueError("policies of different games have no distance")
    apart = np.abs(_probabilities(a, obs, classes) - _probabilities(b, obs, classes))
    return float(apart.sum(axis=1).mean()) / 2


def _probabilities(policy: SavedPolicy, obs: Float, classes: Classes) -> NDArray[np.float64]:
    logits = policy.network(len(obs)).logits(obs, classes if policy.legality == "mask" else None).astype(np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return found
