"""The best saved state of a run, by games or by reward, and which are protected as the best: one rule for browser, launcher and
commands. The ratings by games are in a file of the run, written by whatever has games recorded, see `league.ladder.keep_ratings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from rltui import formatting, safe_io
from rltui.events import metric_keys
from rltui.events.episode_reward import SHORT_SO_FAR
from rltui.events.metric_health import FEW_ACTIONS, side_of, usual_range
from rltui.events.metrics import health_of
from rltui.runs.atomic import replace_file
from rltui.runs.meta import Meta
from rltui.runs.paths import RunPaths

FEWEST = 10  # episodes that a mean is judged by
TORN = 10.0  # times the most that is usual of the KL of one update
PROTECTED_SETS = 2  # sets of rewards, the newest: of each the best checkpoint is not pruned

_ENTROPY, _KL = health_of(metric_keys.ENTROPY), health_of(metric_keys.APPROX_KL)

BEST, DOUBT = "★", "▼"

_decode_ratings = msgspec.json.Decoder(dict[int, float]).decode


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best of `of` healthy states of one run under the same rewards. now: they are those of its newest state."""

    commit: int
    timesteps: int
    reward: float
    of: int
    now: bool


def reward_caveat(meta: Meta) -> str:
    """Why its reward is no measure of this bot; empty where it may be the best.

    It is none of a bot that hardly explores any more, of one whose last update tore it apart, or over short or few episodes.
    """
    reward, episodes, kl = meta.mean_reward, meta.reward_episodes, meta.approx_kl
    if reward is None or not math.isfinite(reward):
        return "no episode had ended"
    actions = meta.policy.rpartition("-")[2]  # see `net`
    few = actions.isdecimal() and int(actions) < FEW_ACTIONS
    if not few and side_of(_ENTROPY, meta.entropy) == "low":
        return f"entropy {formatting.number(meta.entropy)} nats, below the usual {usual_range(_ENTROPY)}: it hardly explored any more"
    if kl is not None and (not math.isfinite(kl) or kl > TORN * (_KL.high or math.inf)):
        usual = f"the usual {usual_range(_KL)}"
        return f"KL {formatting.number(kl)} in its last update, far above {usual}: the reward is from before it"
    if meta.reward_short:
        return f"{SHORT_SO_FAR}, soon after a start"
    if episodes is not None and episodes < FEWEST:
        return f"its reward is of only {formatting.plural(episodes, 'episode')}"
    return ""


def protected(
    checkpoints: Iterable[Meta], milestones: Iterable[Meta], ratings: Mapping[int, float] | None = None
) -> frozenset[int]:
    """Commits of a run's checkpoints that are not pruned, however many newer ones come. ratings: as `read_ratings` has them.

    Of states that games have rated the best stays, whatever its rewards; those newer than the newest rated one are judged by
    reward. A bot may fall ill for longer than they reach back, often after its rewards were changed: the best healthy one
    stays, under the present rewards and under those before. One that is a milestone too is safe there.
    """
    safe, ratings = list(milestones), ratings or {}
    states = [*safe, *checkpoints]
    rated = best_rated(states, ratings)
    newest_rated = max((meta.commit for meta in states if meta.timesteps in ratings), default=0)
    unrated = (meta for meta in states if meta.commit > newest_rated)
    best = {best.commit for best in best_of(unrated, fewest=1)[-PROTECTED_SETS:]}
    best |= {rated.commit} if rated is not None else set()
    return frozenset(best - {meta.commit for meta in safe})


def write_ratings(paths: RunPaths, ratings: Mapping[int, float]) -> None:
    """ratings: timesteps → lower end of the 95 % interval of its Elo. OSError where it cannot be written."""
    replace_file(paths.ratings, msgspec.json.encode(ratings))


def read_ratings(paths: RunPaths) -> dict[int, float]:
    """Those; none where there is no such file, or one that cannot be read: it is written anew with the next games."""
    try:
        found = _decode_ratings(safe_io.read_bytes(paths.ratings))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return {timesteps: low for timesteps, low in found.items() if math.isfinite(low)}


def best_rated(states: Iterable[Meta], ratings: Mapping[int, float]) -> Meta | None:
    """Of equals the newer one; None where none is rated."""
    rated = [meta for meta in states if meta.timesteps in ratings]
    return max(rated, key=lambda meta: (ratings[meta.timesteps], meta.commit), default=None)


def best_of(metas: Iterable[Meta], fewest: int = 2) -> list[Best]:
    """Of one run's complete states, for each set of rewards under which at least `fewest` healthy ones were saved; newest
    last.

    A checkpoint and a milestone of one commit are one state. Of equals the newer one.
    """
    states = sorted({meta.commit: meta for meta in metas}.values(), key=lambda meta: meta.commit)
    groups: dict[object, list[Meta]] = {}
    for meta in states:
        groups.setdefault(_rewards(meta), []).append(meta)
    newest = _rewards(states[-1]) if states else None
    found = [_best(group, now=rewards == newest) for rewards, group in groups.items()]
    enough = (best for best in found if best is not None and best.of >= fewest)
    return sorted(enough, key=lambda best: (best.now, best.commit))


def is_best(found: Iterable[Best], meta: Meta | None) -> Best | None:
    """As which it is the best; None where it is not."""
    return next((best for best in found if meta is not None and best.commit == meta.commit), None)


def describe_best(best: Best) -> str:
    """`best of 7 healthy ones under the same rewards`."""
    if best.of == 1:
        return "only healthy one under its rewards"
    return f"best of {best.of:,} healthy ones under the same rewards"


def reward_with_mark(best: Best | None, meta: Meta | None) -> tuple[str, str]:
    """(its reward with the mark before it, role). best: as which it is the best."""
    mean = meta.mean_reward if meta is not None else None
    if meta is None or not formatting.known(mean):
        return formatting.UNKNOWN, ""
    if best is not None:
        return f"{BEST} {formatting.number(mean)}", "good"
    return (f"{DOUBT} {formatting.number(mean)}", "warn") if reward_caveat(meta) else (formatting.number(mean), "")


def best_note(best: Best | None, meta: Meta | None) -> tuple[str, str]:
    """(what it is, or why it does not count; role); both empty where there is nothing to say."""
    if best is not None:
        return f"{BEST} the {describe_best(best)}", "good"
    reason = reward_caveat(meta) if meta is not None else ""
    return (f"{DOUBT} does not count: {reason}", "warn") if reason else ("", "")


def _rewards(meta: Meta) -> object:
    """Of folders that do not tell what was paid for: by what decides it."""
    return meta.paid or (meta.profile_hash, meta.phase, meta.stage)


def _best(metas: list[Meta], *, now: bool) -> Best | None:
    healthy = [(meta.mean_reward, meta.commit, meta.timesteps) for meta in metas if not reward_caveat(meta)]
    rewards = [(reward, commit, timesteps) for reward, commit, timesteps in healthy if reward is not None]
    if not rewards:
        return None
    reward, commit, timesteps = max(rewards)
    return Best(commit=commit, timesteps=timesteps, reward=reward, of=len(rewards), now=now)
