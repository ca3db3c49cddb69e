"""What the doctor's checks are given and give: the case, a check, its result, the finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rltui.checks.action_table.findings import Outcome
from rltui.env.collected_env import CollectedEnv, collected_env
from rltui.env.from_profile import env_spec
from rltui.env.spec import EnvSpec
from rltui.env.step import StepOut
from rltui.profile.curriculum import task_profile
from rltui.profile.load import load
from rltui.profile.models import Profile
from rltui.runs.paths import DataDir
from rltui.supervise.matrix_kernel import MatrixKernel

if TYPE_CHECKING:
    from rltui.train.config import ResolvedConfig


ARENAS = 4  # the first tick of each takes 20 ms
SEED = (0, 0xD0C)


@dataclass
class DoctorCase:
    """profile_argument: as `rltui train` takes it. kernel: None: unknown. Every property raises what building it raises."""

    profile_argument: str
    data: DataDir
    kernel: MatrixKernel | None = None

    @cached_property
    def profile(self) -> Profile:
        """Of a campaign its first task."""
        return task_profile(load(self.profile_argument))

    @cached_property
    def spec(self) -> EnvSpec:
        return env_spec(self.profile)

    @cached_property
    def config(self) -> ResolvedConfig:
        """Imports torch."""
        from rltui.train.config import ResolvedConfig

        return ResolvedConfig.resolve(self.profile)

    @cached_property
    def game(self) -> CollectedEnv:
        """Some arenas, not begun yet."""
        return self.new_game()

    def new_game(self) -> CollectedEnv:
        """The same arenas with the same seed again."""
        return collected_env(self.spec, ARENAS, SEED)


def new_out(game: CollectedEnv) -> StepOut:
    """Arrays for a step of this game, with NaN wherever a number must be written."""
    shape = (game.arenas, game.learners)
    return StepOut(
        obs=np.full((*shape, game.obs_size), np.nan, np.float32),
        legality=np.zeros(shape, np.uint8),
        rewards=np.full(shape, np.nan, np.float32),
        terminated=np.zeros(game.arenas, np.bool_),
        truncated=np.zeros(game.arenas, np.bool_),
    )


@dataclass(frozen=True)
class DoctorResult:
    """sentence: what was found; advice: what to do about it, "" where there is nothing to do; figures: numbers for programs."""

    outcome: Outcome
    sentence: str
    advice: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class DoctorCheck:
    """function: may raise anything, which is then the finding. needs: checks that must not have failed before."""

    name: str
    function: Callable[[DoctorCase], DoctorResult]
    needs: tuple[str, ...] = ()
    of_game: bool = False  # nothing of it is in an environment of the user's own


@dataclass(frozen=True)
class DoctorFinding:
    """A result with the name of its check, and how long it took."""

    name: str
    outcome: Outcome
    sentence: str
    advice: str
    seconds: float
    figures: Mapping[str, float] = field(default_factory=dict)
