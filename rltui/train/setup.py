"""Preparation of a start: every check before anything is written, and where to resume."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version

from rltui.checks.components import disk_faults, examine_table, faults, missing_players
from rltui.env.from_profile import env_spec, said_settings, signature
from rltui.errors import RltuiError, hints
from rltui.profile.curriculum import source_hashes, task_profile
from rltui.profile.models import Profile
from rltui.profile.resolved import digest
from rltui.runs import trainer_state
from rltui.runs.launch_plan import LaunchPlan, StartRequest, plan_launch
from rltui.runs.lock import check_writable
from rltui.runs.meta import Signature
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.trainer_state import TrainerState
from rltui.sim import meshes
from rltui.supervise.control_client import user_name
from rltui.train.config import ResolvedConfig
from rltui.train.curriculum import Curriculum, Origin

REPORTED_PACKAGES = ("rltui", "torch", "numpy", "rocketsim", "rlgym")


def trial_warnings(profile: Profile, argument: str, data: DataDir, force: bool) -> tuple[str, ...]:
    """What to know of the table when training starts; forced: what it and the other parts fail in too. argument: the profile
    as the user wrote it.

    RltuiError names every fault of the profile, and a disk without room for its checkpoints.
    """
    report = None if profile.env else examine_table(env_spec(profile))
    found = [*faults(profile, argument, report), *disk_faults(task_profile(profile), data.root, argument)]
    stops = [fault for fault in found if not (force and fault.forcible)]
    if stops:
        see = [f"see everything: rltui {fault.hint}" for fault in stops if fault.hint]
        anyway = "train anyway: add --force" if all(fault.forcible for fault in stops) else ""
        raise RltuiError("\n".join(fault.message for fault in stops), hints(*see, anyway))
    checks = [] if report is None else [*report.of("fail"), *report.of("warn")]
    others = [fault.message for fault in found if fault.path != ("actions", "table")]
    return (*(f"action table: {check.sentence}" for check in checks), *others)


@dataclass(frozen=True)
class TrainOptions:
    """What `rltui train` was asked for."""

    profile: Profile
    profile_argument: str  # as the user wrote it, for hints
    data: DataDir
    run: str | None = None
    resume: str = "auto"  # auto, new, or a checkpoint's path
    fork: bool = False  # `resume` is a path, from which a run of its own begins
    steps: int | None = None  # total at which the run ends
    debug: bool = False
    force: bool = False  # also with an action table that fails its checks
    take_over: bool = False  # see runs.lock.RunLock
    kernel: str = ""  # the matrix kernel, in words


@dataclass(frozen=True)
class StartContext:
    """Everything that a start has settled before a file is written."""

    options: TrainOptions
    config: ResolvedConfig
    signature: Signature
    plan: LaunchPlan
    state: TrainerState | None  # of the checkpoint that it goes on from
    curriculum: Curriculum
    author: str
    versions: dict[str, str]
    trial_warnings: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)  # see profile/curriculum.py

    @property
    def profile(self) -> Profile:
        """As the user wrote it; the config's is the task to begin with."""
        return self.options.profile

    @cached_property
    def profile_hash(self) -> str:
        """Of the profile, a campaign's phases included."""
        return digest(self.profile)

    @property
    def paths(self) -> RunPaths:
        """Of the run that the plan names."""
        return self.options.data.run(self.plan.run)

    @property
    def found_a_name(self) -> bool:
        """Whether the run is a new one whose name nobody asked for: another start may have found the same."""
        return self.options.run is None and self.plan.kind != "resume"


def prepare(options: TrainOptions) -> StartContext:
    """Check folder, meshes, components, action table and device, and decide where to resume. Raises RltuiError; changes
    nothing.
    """
    profile = options.profile
    check_writable(options.data)
    if missing := missing_players(profile, lambda: options.data):
        raise RltuiError("\n".join(each.message for each in missing), "\n".join(each.advice for each in missing))
    first = env_spec(profile)
    if not first.environment:
        meshes.check(meshes.locate(first.meshes))
    warnings = trial_warnings(profile, options.profile_argument, options.data, options.force)
    needed = signature(profile, first)
    sources = source_hashes(profile)
    plan = plan_launch(
        StartRequest(
            options.data,
            needed,
            profile=options.profile_argument,
            run=options.run,
            mode=options.resume,
            fork=options.fork,
            sources=sources,
            said=said_settings(profile),
            take_over=options.take_over,
        )
    )
    state = trainer_state.read(plan.checkpoint) if plan.checkpoint is not None else None
    origin = Origin(plan.trained_with, state.curriculum if state else None) if plan.checkpoint is not None else None
    curriculum = Curriculum(profile, plan.timesteps, origin)
    config = ResolvedConfig.resolve(curriculum.profile)
    if plan.imported:  # nothing else says whether it fits
        config.learner().load(plan.files())
    author = profile.author or user_name()
    return StartContext(options, config, needed, plan, state, curriculum, author, versions(), warnings, sources)


def versions() -> dict[str, str]:
    """Versions of what a result depends on; a package that is not installed is left out."""
    found = {"python": platform.python_version()}
    for name in REPORTED_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
