"""What a valid profile's parts do when they are tried: the one judge for `profile check`, launcher, `train` and `doctor`.

A table that cannot do what a bot needs, a reward or an observation of a user's own that fails on random states, a need
for more memory than the machine has: each is a reason not to train, unless somebody insists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import psutil

from rltui import formatting
from rltui.debug.lut import examine
from rltui.debug.lut_findings import Check, TableReport
from rltui.env.from_profile import env_spec, sizes, table_rows
from rltui.env.obs_trial import obs_warnings
from rltui.env.spec import EnvSpec
from rltui.profile.lessons import lessons
from rltui.profile.machine import memory
from rltui.profile.models import Profile
from rltui.profile.problems import KeyPath
from rltui.registry import build
from rltui.rewards.base import Reward
from rltui.rewards.checks import try_out

SHOWN = 4  # failed checks of a table that are spelled out
LARGE_OBSERVATION = 20_000  # numbers; the field's have hundreds
FAR_TOO_MUCH = 1.5  # times the machine's memory: the estimate is good to about a quarter


@dataclass(frozen=True)
class Fault:
    """A reason not to train. path: the key that it is about; hint: where to see more, a command after `rltui`."""

    path: KeyPath
    message: str
    hint: str = ""


def faults(profile: Profile, argument: str) -> list[Fault]:
    """Of a profile that has been found valid, each once; empty for a sound one. argument: as the user named it."""
    taught = lessons(profile)
    found = [table_fault(env_spec(taught[0]), argument), *memory_faults(taught, argument)]
    for each in taught:
        spec = env_spec(each)
        found += [*observation_faults(spec), *reward_faults(spec)]
    return list(dict.fromkeys(fault for fault in found if fault is not None))


def examine_table(spec: EnvSpec) -> TableReport:
    """As `rltui lut` has it."""
    return examine(table_rows(spec), spec.pipeline, spec.meshes)


def table_fault(spec: EnvSpec, argument: str) -> Fault | None:
    """The failed checks of the action table in one sentence; None where it does what a bot needs."""
    failed = examine_table(spec).of("fail")
    if not failed:
        return None
    count = "1 check" if len(failed) == 1 else f"{len(failed)} checks"
    message = f"the action table {spec.table.name} fails {count}:\n" + "\n".join(_told(failed))
    return Fault(("actions", "table"), message, f"lut {argument}")


def observation_faults(spec: EnvSpec) -> Iterator[Fault]:
    """A user's own observation that fails its trial."""
    yield from (Fault(("obs", "kind"), sentence) for sentence in obs_warnings(spec))


def reward_faults(spec: EnvSpec) -> Iterator[Fault]:
    """Rewards of users' own, of the match and of the practice lane, that fail their trial. Ours are tried in the tests."""
    lanes: list[tuple[KeyPath, EnvSpec]] = [((), spec)]
    if spec.mechanics is not None and spec.mechanics.rewards != spec.rewards:
        lanes.append((("mechanics",), spec.lane(spec.mechanics)))
    for place, lane in lanes:
        for item in lane.rewards:
            reward: Reward = build("reward", item.component)
            if type(reward).__module__.startswith("rltui."):
                continue
            failure = try_out(reward, (lane.blue, lane.orange)).failure
            if failure:
                sentence = f"{item.component.label} was tried on random states and failed: {failure}"
                yield Fault((*place, "rewards", item.component.name), sentence)


def memory_faults(taught: Iterable[Profile], argument: str) -> list[Fault]:
    """A need so far beyond the machine's memory that no estimate's error explains it; torch's own words say less."""
    there = psutil.virtual_memory().total
    for profile in taught:
        size = sizes(env_spec(profile))
        needed = memory(profile, size.obs, size.actions).total * formatting.MEGABYTE
        if needed > FAR_TOO_MUCH * there:
            path: KeyPath = ("obs", "kind") if size.obs > LARGE_OBSERVATION else ("ppo", "iteration")
            told = f"about {formatting.size(needed)} of memory needed, and this machine has {formatting.size(there)}"
            why = f"{size.obs:,} numbers observed, {profile.ppo.iteration:,} timesteps an iteration"
            return [Fault(path, f"{told}: {why}", f"doctor {argument}")]
    return []


def _told(failed: list[Check]) -> list[str]:
    more = len(failed) - SHOWN
    return [*(f"- {check.sentence}" for check in failed[:SHOWN]), *([f"- and {more} more"] if more > 0 else [])]
