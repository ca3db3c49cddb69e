"""Preparation: everything that can be found wrong before a process starts or a file is written."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from rltui.env.from_profile import signature
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resume import ResumePlan, choose_resume
from rltui.runs.signature import Signature
from rltui.runs.writable import check_writable
from rltui.sim import meshes
from rltui.supervise.control_client import user_name
from rltui.train.blueprint import Blueprint

if TYPE_CHECKING:
    from rltui.profile.models import Profile

REPORTED_PACKAGES = ("rltui", "torch", "numpy", "rocketsim", "rlgym")


@dataclass(frozen=True)
class TrainOptions:
    """What `rltui train` was asked for."""

    profile: Profile
    profile_argument: str  # as the user wrote it, for hints
    data: DataDir
    run: str | None = None
    resume: str = "auto"  # auto, new, or a checkpoint's path
    steps: int | None = None  # total at which the run ends
    debug: bool = False


@dataclass(frozen=True)
class Prepared:
    """A start that nothing speaks against yet."""

    options: TrainOptions
    blueprint: Blueprint
    signature: Signature
    plan: ResumePlan
    author: str
    versions: dict[str, str]

    @property
    def profile(self) -> Profile:
        return self.blueprint.profile

    @property
    def paths(self) -> RunPaths:
        """Of the run that the plan names."""
        return self.options.data.run(self.plan.run)


def prepare(options: TrainOptions) -> Prepared:
    """Check folder, meshes, components and device, and decide where to resume. Raises RltuiError; changes nothing."""
    profile = options.profile
    check_writable(options.data)
    blueprint = Blueprint.draw(profile)
    meshes.check(meshes.locate(blueprint.spec.meshes))
    needed = signature(profile, blueprint.spec)
    plan = choose_resume(options.data, needed, profile=options.profile_argument, run=options.run, mode=options.resume)
    return Prepared(options, blueprint, needed, plan, profile.author or user_name(), versions())


def versions() -> dict[str, str]:
    """Versions of what a result depends on; a package that is not installed is left out."""
    found = {"python": platform.python_version()}
    for name in REPORTED_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
