"""The doctor's checks of the profile and its components."""

from __future__ import annotations

import numpy as np

from rltui.checks.components import (
    counterparts,
    examine_table,
    missing_players,
    observation_faults,
    reward_faults,
    turned,
)
from rltui.checks.resets import impossible_bodies
from rltui.debug.doctor_check import ARENAS, DoctorCase, DoctorCheck, DoctorResult, new_out
from rltui.env.collected_env import CollectedEnv
from rltui.env.from_profile import env_spec, reward_warnings, sizes
from rltui.env.spec import EnvSpec, Weighted
from rltui.env.step import Finals, StepOut
from rltui.formatting import plural
from rltui.profile.curriculum import task_profiles
from rltui.profile.load import load
from rltui.registry import build
from rltui.sim.resets.base import Reset
from rltui.sim.state import Float

STEPS = 60  # of each arena: 4 s of game at 15 steps a second
SAME = 1e-4  # observations are numbers of about -1..1
LARGE = 100.0  # an observation beyond this swamps the others
SHOWN = 3
SAMPLES = 1_000  # first states in all


def loads(case: DoctorCase) -> DoctorResult:
    """Every mistake of the profile at once, saved bots that are missing too; what works against its own kind is a warning."""
    if missing := missing_players(load(case.profile_argument), lambda: case.data):
        return DoctorResult("fail", "; ".join(fault.message for fault in missing), missing[0].advice)
    profile, spec = case.profile, case.spec
    if spec.environment:
        return DoctorResult("pass", f"{profile.name}: {spec.obs.label}, {plural(spec.blue, 'agent')}")
    summary = f"{profile.name}: {spec.blue}v{spec.orange}, observation {spec.obs.name}, table {spec.table.name}, {len(spec.rewards)} rewards"
    warnings = reward_warnings(spec)
    if warnings:
        return DoctorResult(
            "warn", f"{summary}; " + "; ".join(warnings[:SHOWN]), f"rltui profile check {case.profile_argument}"
        )
    return DoctorResult("pass", summary)


def action_table(case: DoctorCase) -> DoctorResult:
    """As `rltui lut` has it."""
    report = examine_table(case.spec)
    if report.outcome == "pass":
        return DoctorResult("pass", f"{report.rows:,} rows pass {len(report.checks)} checks")
    worst = report.of(report.outcome)
    more = f" (and {len(worst) - 1} more)" if len(worst) > 1 else ""
    return DoctorResult(report.outcome, worst[0].sentence + more, f"see everything: rltui lut {case.profile_argument}")


def spaces(case: DoctorCase) -> DoctorResult:
    """What goes into the policy and comes out of it, as built and as really written."""
    game, expected = case.game, sizes(case.spec)
    out = new_out(game)
    game.reset(out)
    if (game.obs_size, game.action_spec) != (expected.obs, expected.actions):
        return DoctorResult(
            "fail",
            f"observation and table say {expected.obs} and {expected.actions.outputs}, the game has {game.obs_size} and {game.action_spec.outputs}",
        )
    if not np.isfinite(out.obs).all():
        arena, car, index = np.argwhere(~np.isfinite(out.obs))[0]
        return DoctorResult(
            "fail",
            f"the first observation of arena {arena}, car {car} has {out.obs[arena, car, index]} at index {index} of {game.obs_size}",
            "build() must write a finite number into every place of `out`",
        )
    masks = game.action_spec.masks
    if masks is not None and not masks.any(axis=1).all():
        return DoctorResult(
            "fail", "there is a state in which no action is legal", f"rltui lut {case.profile_argument}"
        )
    learners = f"{plural(case.spec.learned_from, 'learning car')} an arena"
    return DoctorResult("pass", f"{learners}: {game.obs_size} numbers in, {game.action_spec.outputs} actions out")


def reset_and_step(case: DoctorCase) -> DoctorResult:
    """A few seconds of game: everything written, finite, ends told once, and the same again with the same seed.

    With several cars a team only the first step: from the first collision on the simulator itself may differ.
    """
    first, problem = _played(case.new_game())
    if problem:
        return DoctorResult(
            "fail",
            problem,
            "a component of the profile does this: rltui train PROFILE --debug",
        )
    if case.spec.environment:
        return DoctorResult("pass", f"{ARENAS} arenas, {STEPS} steps: all finite")
    second, _ = _played(case.new_game())
    same = STEPS if max(case.spec.blue, case.spec.orange) == 1 else 1
    if not np.array_equal(first[:same], second[:same]):
        return DoctorResult(
            "fail",
            "same seed, same actions, other numbers",
            "a component keeps state over a reset, or has its own random generator: use the one it is given",
        )
    largest = float(np.abs(first).max())
    if largest > LARGE and not case.profile.obs.normalize:
        return DoctorResult(
            "warn",
            f"an observation reaches {largest:,.0f}: it swamps the others",
            "scale it to about -1..1, or set obs.normalize",
        )
    how_long = "" if same > 1 else " at first"
    return DoctorResult(
        "pass", f"{ARENAS} arenas, {STEPS} steps: all finite, and the same again with the same seed{how_long}"
    )


def _played(game: CollectedEnv) -> tuple[Float, str]:
    """Observations [STEPS, K, C, D] of random play, and what went wrong, or ""."""
    rng, out = np.random.default_rng(0), new_out(game)
    game.reset(out)
    seen = np.zeros((STEPS, *out.obs.shape), np.float32)
    for step in range(STEPS):
        actions = game.action_spec.at_random(rng, out.legality)
        for array in (out.obs, out.rewards):
            array.fill(np.nan)
        finals = game.step(actions, out)
        problem = _wrong(out, finals)
        if problem:
            return seen, f"at step {step}, {problem}"
        seen[step] = out.obs
    return seen, ""


def _wrong(out: StepOut, finals: Finals) -> str:
    every = np.arange(len(out.obs))
    for name, array, arenas in (
        ("observation", out.obs, every),
        ("reward", out.rewards, every),
        ("final observation", finals.obs, finals.arenas),
    ):
        if not np.isfinite(array).all():
            place = np.argwhere(~np.isfinite(array))[0]
            return f"the {name} of arena {arenas[place[0]]}, car {place[1]} is {array[tuple(place)]}"
    if (out.terminated & out.truncated).any():
        return "an episode is both terminated and truncated"
    if sorted(finals.arenas.tolist()) != np.flatnonzero(out.truncated).tolist():
        return "the final observations are not those of the truncated arenas"
    return ""


def symmetry(case: DoctorCase) -> DoctorResult:
    """Turn the field by 180° and swap the teams: each car must see what its counterpart saw."""
    spec, game = case.spec, case.game
    _played(game)  # to a moment that has a past
    builder, other, state = build("obs", spec.obs), build("obs", spec.obs), game.batches()[0].state
    width = builder.size(spec.blue, spec.orange)
    if other.size(spec.orange, spec.blue) != width:
        return DoctorResult("pass", "skipped: the sides have observations of different sizes")
    seen, mirrored = (np.zeros((state.arenas, state.cars, width), np.float32) for _ in range(2))
    builder.build(state, seen)
    other.build(turned(state), mirrored)
    apart = np.abs(mirrored - seen[:, counterparts(state)])
    worst = float(apart.max())
    if not worst <= SAME:
        index = int(apart.max(axis=(0, 1)).argmax())
        return DoctorResult(
            "fail",
            f"blue and orange see the same game differently: index {index} of {width} differs by {worst:.3g}",
            "turn all positions, velocities and axes, ball and goals too, into the car's own team's view (state.team_sign)",
        )
    return DoctorResult("pass", "blue and orange see the same game alike")


def rewards(case: DoctorCase) -> DoctorResult:
    """Those of every phase and stage; users' own are tried on random states."""
    specs = _specs(case)
    wrong = list(dict.fromkeys(fault.message for spec in specs for fault in reward_faults(spec)))
    wrong += list(dict.fromkeys(fault.message for spec in specs for fault in observation_faults(spec)))
    if wrong:
        return DoctorResult("fail", "; ".join(wrong), "fix the line named above")
    names = dict.fromkeys(name for spec in specs for name in spec.weighed)
    return DoctorResult("pass", f"{len(names)} rewards, tried")


def resets(case: DoctorCase) -> DoctorResult:
    """Of every reset some hundred first states are drawn: inside the field, no bodies in each other, speeds that exist."""
    found: dict[tuple[str, str], tuple[Weighted, EnvSpec]] = {}
    for spec in _specs(case):
        groups = [spec] if spec.mechanics is None else [spec, spec.for_group(spec.mechanics)]
        for group in groups:
            for item in group.resets:
                teams = f"{group.blue}v{group.orange}"
                found[f"{item.component.label} {sorted(item.component.options.items())}", teams] = (item, group)
    each = max(SAMPLES // max(len(found), 1), 1)
    for item, group in found.values():
        problem = _sampled(item, group, each)
        if problem:
            return DoctorResult(
                "fail", f"reset {item.component.label}: {problem}", "see first states: rltui train PROFILE --debug"
            )
    return DoctorResult("pass", f"{each * len(found):,} first states drawn, all possible")


def _specs(case: DoctorCase) -> list[EnvSpec]:
    return [env_spec(task) for task in task_profiles(load(case.profile_argument))]


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


PROFILE_CHECKS = (
    DoctorCheck("profile", loads),
    DoctorCheck("action table", action_table, ("profile",), of_game=True),
    DoctorCheck("spaces", spaces, ("meshes", "profile")),
    DoctorCheck("reset and step", reset_and_step, ("profile", "spaces")),
    DoctorCheck("symmetry", symmetry, ("profile", "spaces", "reset and step"), of_game=True),
)
PART_CHECKS = (
    DoctorCheck("rewards", rewards, ("profile",), of_game=True),
    DoctorCheck("resets", resets, ("profile",), of_game=True),
)
