"""What a trace is taken of: a profile, or a saved policy in the game of the profile beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rltui.env.arena_groups import MATCH
from rltui.env.from_profile import env_spec, table_rows
from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec, saved_game
from rltui.errors import RltuiError, did_you_mean, hints
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.profile.load import load
from rltui.profile.locate import listing
from rltui.profile.name_line import STATE_FILE
from rltui.runs.checkpoint import damage
from rltui.runs.listing import complete, look
from rltui.runs.lookup import find, names_state
from rltui.runs.paths import DataDir, name_problem
from rltui.runs.saver import POLICY_FILE
from rltui.sim.state import Float


@dataclass(frozen=True)
class TraceSubject:
    """name: in words. timesteps: of training so far, which weights that follow a schedule go by."""

    name: str
    spec: EnvSpec
    policy: SavedPolicy | None = None
    timesteps: int = 0

    @property
    def rows(self) -> Float:
        """float32 [N, 8], the action table."""
        return table_rows(self.spec)

    def in_lane(self, lane: str) -> TraceSubject:
        """The same in the match, or in the practice lane. RltuiError where there is no such lane."""
        if lane == MATCH:
            return self
        practice = self.spec.mechanics
        if practice is None or practice.name != lane:
            raise RltuiError(f"{self.name} has no lane {lane!r}", "mechanics.weight above 0 opens one", exit_code=2)
        return replace(self, name=f"{self.name}, {lane}", spec=self.spec.lane(practice))

    def check(self, batch: SoccarBatch) -> None:
        """RltuiError where the policy's observation or table is another one by now."""
        if self.policy is None:
            return
        expected = self.policy.layers[0][0].shape[0]
        if batch.obs_size != expected:
            raise RltuiError(
                f"{self.name}: its observation has {batch.obs_size} numbers in {self.spec.blue}v{self.spec.orange}, "
                f"expected {expected}",
                "the observation's code or the team sizes are not those that it was trained with",
            )
        if batch.table_hash != self.policy.table_hash:
            raise RltuiError(
                f"{self.name}: the action table {self.spec.table.name} has changed since: its hash is "
                f"{batch.table_hash[:12]}, expected {self.policy.table_hash[:12]}",
                "put the table back as it was, or trace the bot by a profile that has it: --profile PROFILE",
            )


def trace_subject(
    argument: str, data: DataDir, profile: str | None = None, overrides: Sequence[str] = ()
) -> TraceSubject:
    """Of a checkpoint or milestone (its folder, or RUN/005M), a policy.npz, a run (its newest checkpoint), or a profile.

    profile: instead of the one beside the policy. overrides: `section.key=value` for either. RltuiError says what is
    wrong, or what could have been meant.
    """
    path = Path(argument).expanduser()
    if path.name == POLICY_FILE or path.suffix == ".npz" or (path / POLICY_FILE).is_file():
        return _of_policy(path, profile, overrides)
    if path.is_dir():
        reason = damage(path) or f"no {POLICY_FILE}"
        raise RltuiError(f"{path}: no checkpoint to trace: {reason}", "rltui ls shows the runs", exit_code=2)
    if name_problem(argument) is None and data.run(argument).exists():
        return _of_policy(_newest(data, argument), profile, overrides)
    if names_state(data, argument):
        return _of_policy(find(data, argument, lambda state: f"rltui trace {state}")[1].path, profile, overrides)
    _check_known(argument, data)
    found = load(argument if profile is None else profile, overrides)
    return TraceSubject(f"profile {found.name}", env_spec(found))


def _check_known(argument: str, data: DataDir) -> None:
    """RltuiError for a bare word that names nothing: it may have been meant as a run, or as a profile."""
    path, profiles = Path(argument), [listed.name for listed in listing()]
    if path.name == argument and not path.suffix and not path.exists() and argument not in profiles:
        raise RltuiError(
            f"there is no profile, run or bot {argument!r}",
            hints(
                did_you_mean(argument, [*profiles, *data.run_names()]),
                f"profiles: {', '.join(profiles)}; rltui ls shows the runs in {data.root}",
            ),
            exit_code=2,
        )


def _newest(data: DataDir, run: str) -> Path:
    saved = complete(data.run(run))
    if not saved:
        raise RltuiError(f"run {run!r} has no complete checkpoint", "wait for its first, or trace its profile")
    return saved[-1].path


def _of_policy(path: Path, profile: str | None, overrides: Sequence[str]) -> TraceSubject:
    file = path / POLICY_FILE if path.is_dir() else path
    policy = load_policy(file)
    beside = file.parent / STATE_FILE
    if profile is None and not beside.is_file():
        raise RltuiError(
            f"{file}: no {STATE_FILE} beside it says what is paid", "name one: --profile PROFILE", exit_code=2
        )
    info = look(file.parent)
    name = info.name if path.is_dir() else str(path)
    timesteps = info.meta.timesteps if info.meta is not None else 0
    return TraceSubject(
        name, saved_game(policy).put_into(env_spec(load(profile or beside, overrides))), policy, timesteps
    )
