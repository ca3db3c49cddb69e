"""The doctor's checks of what a profile's games are made of: rewards and resets, each tried by itself."""

from __future__ import annotations

import numpy as np

from rltui.debug.doctor_case import Case
from rltui.debug.doctor_finding import Check, Result
from rltui.debug.reset_report import impossible_bodies
from rltui.debug.soundness import observation_faults, reward_faults
from rltui.env.from_profile import env_spec
from rltui.env.spec import EnvSpec, Weighted
from rltui.profile.lessons import lessons
from rltui.profile.load import load
from rltui.registry import build
from rltui.sim.resets.base import Reset

SAMPLES = 1_000  # first states in all


def rewards(case: Case) -> Result:
    """Those of every phase and stage; users' own are tried on random states."""
    specs = _specs(case)
    wrong = list(dict.fromkeys(fault.message for spec in specs for fault in reward_faults(spec)))
    wrong += list(dict.fromkeys(fault.message for spec in specs for fault in observation_faults(spec)))
    if wrong:
        return Result("fail", "; ".join(wrong), "mend your file; the line is named above")
    names = dict.fromkeys(name for spec in specs for name in spec.weighed)
    return Result("pass", f"{len(names)} rewards, tried")


def resets(case: Case) -> Result:
    """Of every reset some hundred first states are drawn: inside the field, no bodies in each other, speeds that exist."""
    found: dict[tuple[str, str], tuple[Weighted, EnvSpec]] = {}
    for spec in _specs(case):
        lanes = [spec] if spec.mechanics is None else [spec, spec.lane(spec.mechanics)]
        for lane in lanes:
            for item in lane.resets:
                teams = f"{lane.blue}v{lane.orange}"
                found[f"{item.component.label} {sorted(item.component.options.items())}", teams] = (item, lane)
    each = max(SAMPLES // max(len(found), 1), 1)
    for item, lane in found.values():
        problem = _sampled(item, lane, each)
        if problem:
            return Result(
                "fail", f"reset {item.component.label}: {problem}", "see first states: rltui train PROFILE --debug"
            )
    return Result("pass", f"{each * len(found):,} first states drawn, all possible")


def _specs(case: Case) -> list[EnvSpec]:
    return [env_spec(taught) for taught in lessons(load(case.profile_argument))]


def _sampled(item: Weighted, spec: EnvSpec, count: int) -> str:
    """What is wrong with the first state that cannot be, or ""."""
    reset: Reset = build("reset", item.component)
    rng = np.random.default_rng(0)
    for number in range(count):
        setup = reset.sample(rng, spec.blue, spec.orange)
        problem = setup.problem(spec.blue + spec.orange) or impossible_bodies(setup)
        if problem:
            return f"state {number + 1} of {count}: {problem}"
    return ""


PART_CHECKS = (
    Check("rewards", rewards, ("profile",)),
    Check("resets", resets, ("profile",)),
)
