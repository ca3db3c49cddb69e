"""Trial of a valid profile's components, the one judge for `profile check`, launcher, `train` and `doctor`.

A table that cannot do what a bot needs, a reward or an observation of a user's own that fails on random states, a need
for more memory than the machine has: each is a reason not to train, unless somebody insists.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from rltui import formatting
from rltui.checks.action_table.findings import TableCheck, TableReport
from rltui.checks.action_table.report import examine
from rltui.env.from_profile import env_spec, mirror_maps, sizes, table_rows
from rltui.env.frozen_opponents import check_can_play
from rltui.env.spec import EnvSpec
from rltui.errors import RltuiError, in_words, where_in
from rltui.field import MIRROR_CONTROLS, MIRROR_PADS, MIRROR_SPIN, MIRROR_VECTOR, PADS
from rltui.league.sources import saved_bot
from rltui.obs.builder import ObsBuilder
from rltui.opponents.base import choice_of, controls_of
from rltui.policy.saved import load_policy, saved_game
from rltui.profile.curriculum import opponent_name, placed_tasks, task_profiles
from rltui.profile.models import Profile
from rltui.profile.resolved import estimate_memory, parameter_count
from rltui.profile.toml_lines import KeyPath
from rltui.registry import Component, build, is_saved_bot
from rltui.rewards.base import Reward
from rltui.rewards.checks import try_out
from rltui.rewards.sampling import sample_states, seal
from rltui.runs.inventory import free_bytes
from rltui.runs.paths import DataDir
from rltui.sim.state import BALL_VECTORS, CAR_VECTORS, Bool, Contacts, Float, GameState, Int, Seats

TURN = np.array([-1, -1, 1], np.float32)
BY_ARENA = ("tick", "last_touch_tick", "kickoff")  # the same from either side
ARENAS, SEED = 8, 0
MARKS = (1e30, -1e30)  # in `out` before build(): what is still there after both was never written
SHOWN = 4  # failed checks of a table that are spelled out
LARGE_OBSERVATION = 20_000  # numbers; the field's have hundreds
STATE_BYTES, POLICY_BYTES = 12, 4  # of a parameter in a checkpoint: itself and Adam's two moments; again in policy.npz
FAR_TOO_MUCH = 1.5  # times the machine's memory: the estimate is good to about a quarter


def counterparts(state: GameState) -> Int:
    """For each car of the turned game, the car of this one whose place it takes: orange first."""
    return np.concatenate([np.arange(state.blue, state.cars), np.arange(state.blue)])


def turned(state: GameState) -> GameState:
    """A copy, with the cars in the order of `counterparts`."""
    order = counterparts(state)
    place = np.empty(state.cars, np.int64)
    place[order] = np.arange(state.cars)
    changes: dict[str, Any] = {name: getattr(state, name).copy() for name in BY_ARENA}
    changes |= {name: getattr(state, name) * TURN for name in BALL_VECTORS}
    changes |= {
        "blue": state.orange,
        "orange": state.blue,
        "team": np.repeat(np.array([0, 1], np.int8), [state.orange, state.blue]),
        "team_sign": np.repeat(np.array([1, -1], np.float32), [state.orange, state.blue]),
        "goal": -state.goal,
        "last_toucher": _renumbered(state.last_toucher, place),
        "last_toucher_of": _renumbered(state.last_toucher_of[:, ::-1], place),
        "pad_picked": np.where(state.pad_picked < 0, -1, PADS - 1 - state.pad_picked)[:, order],
        "pad_timers": state.pad_timers[:, ::-1].copy(),
        "_contacts": _contacts(state._contacts, order),
    }
    for field in fields(state):
        if field.name not in changes and not field.name.startswith("_"):
            by_car = getattr(state, field.name)[:, order]
            changes[field.name] = by_car * TURN if field.name in CAR_VECTORS else by_car
    return replace(state, **changes)


def mirrored(state: GameState) -> GameState:
    """A copy as a mirror in the plane x = 0 shows it, with the cars in their places; without `contacts`."""
    pads = np.array(MIRROR_PADS)
    vectors = {
        name: getattr(state, name) * np.array(MIRROR_SPIN if "angular" in name else MIRROR_VECTOR, np.float32)
        for name in (*CAR_VECTORS, *BALL_VECTORS)
    }
    return replace(
        state,
        **vectors,
        pad_timers=state.pad_timers[:, pads],
        pad_picked=np.where(state.pad_picked < 0, -1, pads[state.pad_picked]),
        previous_actions=state.previous_actions * np.array(MIRROR_CONTROLS, np.float32),
        _contacts=None,
    )


def _renumbered(cars: Int, place: Int) -> Int:
    return np.where(cars < 0, -1, place[cars])


def _contacts(contacts: Contacts | None, order: NDArray[np.int64]) -> Contacts | None:
    return None if contacts is None else Contacts(contacts.wheels[:, order], contacts.normal[:, order] * TURN)


def obs_warnings(spec: EnvSpec) -> list[str]:
    """One sentence, or none when all is well. Observations that come with the program are not tried."""
    if spec.environment:
        return []
    builder: ObsBuilder = build("obs", spec.obs)
    if type(builder).__module__.startswith("rltui."):
        return []
    failure = _failure(builder, (spec.blue, spec.orange))
    return [f"{spec.obs.label} was tried on random states and failed: {failure}"] if failure else []


def _failure(builder: ObsBuilder, teams: tuple[int, int]) -> str:
    own = getattr(sys.modules.get(type(builder).__module__), "__file__", None)
    try:
        with np.errstate(all="ignore"):
            first, second = (_built(builder, _states(teams), mark) for mark in MARKS)
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return f"{in_words(error)}{where_in(error, own)}"
    unwritten = (first == np.float32(MARKS[0])) & (second == np.float32(MARKS[1]))
    if unwritten.any():
        return f"build() must write every place of `out`, and left out {_places(unwritten)}"
    if not np.isfinite(first).all():
        return f"build() must write finite numbers, and did not at {_places(~np.isfinite(first))}"
    return ""


def _states(teams: tuple[int, int]) -> GameState:
    """The same each time."""
    (state,) = sample_states(np.random.default_rng(SEED), ARENAS, teams, 1, contacts=False)
    return state


def _built(builder: ObsBuilder, state: GameState, mark: float) -> Float:
    """[K, C, size]."""
    seal(state)
    out = np.full((ARENAS, state.cars, int(builder.size(state.blue, state.orange))), mark, np.float32)
    builder.build(state, out)
    return out


def _places(bad: Bool) -> str:
    """Of a mask [K, C, size], in which numbers of a row something is bad."""
    indices = np.flatnonzero(bad.any(axis=(0, 1)))
    return f"index {indices[0]}" + (f" and {len(indices) - 1} more" if len(indices) > 1 else "") + f" of {bad.shape[2]}"


@dataclass(frozen=True)
class ComponentFault:
    """A reason not to train. path: the key that it is about; hint: where to see more, a command after `rltui`; advice: what to do;
    forcible: whoever insists can train all the same.
    """

    path: KeyPath
    message: str
    hint: str = ""
    advice: str = ""
    forcible: bool = True


def faults(profile: Profile, argument: str, table: TableReport | None = None) -> list[ComponentFault]:
    """Of a profile that has been found valid, each once; empty for a sound one.

    argument: as the user named it. table: of its action table; None: it is examined here.
    """
    tasks = task_profiles(profile)
    if profile.env:
        return memory_faults(tasks, argument)
    first = env_spec(tasks[0])
    found = [table_fault(first, table or examine_table(first), argument), *memory_faults(tasks, argument)]
    for each in tasks:
        spec = env_spec(each)
        found += [*observation_faults(spec), *mirror_faults(each), *reward_faults(spec), *player_faults(each)]
    return list(dict.fromkeys(fault for fault in found if fault is not None))


def missing_players(profile: Profile, data: Callable[[], DataDir]) -> list[ComponentFault]:
    """What nobody can train without: saved bots that are to play orange and are not there, or cannot play there; an
    environment of the user's own that cannot be built. data: asked for where there are any bots.
    """
    if profile.env:
        try:
            env_spec(profile)
        except RltuiError as error:
            return [ComponentFault(("env",), error.message, advice=error.hint)]
        return []
    found = []
    for path, task in placed_tasks(profile):
        spec = env_spec(task)
        if not is_saved_bot(spec.opponent.name):
            continue
        name = opponent_name(spec.opponent.name)
        try:
            policy = load_policy(Path(saved_bot(spec.opponent.name, data()).path))
            game = saved_game(policy)
        except RltuiError as error:
            reason = error.message.removeprefix(f"{spec.opponent.name}: ")
            found.append(ComponentFault(path, f"opponent {name}: {reason}", advice=error.hint))
            continue
        try:
            check_can_play(policy, spec)
        except RltuiError as error:
            message = f"opponent {name} cannot play orange in {spec.blue}v{spec.orange}: {error.message}"
            trained = (
                f"it was trained in {game.blue}v{game.orange}, tick_skip {game.tick_skip}, obs.kind {game.obs.label}"
            )
            found.append(ComponentFault(path, message, advice=f"{trained}: name another bot, or play as it does"))
    return list(dict.fromkeys(found))


def examine_table(spec: EnvSpec) -> TableReport:
    """As `rltui lut` has it."""
    return examine(table_rows(spec), spec.pipeline, spec.meshes)


def table_fault(spec: EnvSpec, report: TableReport, argument: str) -> ComponentFault | None:
    """The failed checks of the action table in one sentence; None where it does what a bot needs."""
    failed = report.of("fail")
    if not failed:
        return None
    message = f"the action table {spec.table.name} fails {formatting.plural(len(failed), 'check')}:\n" + "\n".join(
        _failure_lines(failed)
    )
    return ComponentFault(("actions", "table"), message, f"lut {argument}")


def observation_faults(spec: EnvSpec) -> Iterator[ComponentFault]:
    """A user's own observation that fails its trial."""
    yield from (ComponentFault(("obs", "kind"), sentence) for sentence in obs_warnings(spec))


def mirror_faults(task: Profile) -> Iterator[ComponentFault]:
    """Nothing to mirror rows by, though the profile wants it; or a user's own mirror() that is wrong on random states."""
    if not task.ppo.mirror_augmentation:
        return
    path, spec = ("ppo", "mirror_augmentation"), replace(env_spec(task), obs_stack=1)
    try:
        index, sign, _ = mirror_maps(spec)
    except RltuiError as error:
        yield ComponentFault(path, in_words(error), forcible=False)
        return
    if failure := _mirror_failure(spec, index, sign):
        yield ComponentFault(path, failure)


def _mirror_failure(spec: EnvSpec, index: Int, sign: Float) -> str:
    state = _states((spec.blue, spec.orange))
    try:
        seen, image = (_built(build("obs", spec.obs), one, 0.0) for one in (state, mirrored(state)))
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return in_words(error)
    wrong = ~np.isclose(image, seen[..., index] * sign, rtol=1e-3, atol=1e-3)
    said = f"mirror() of {spec.obs.label} is not what build() makes of the mirrored game"
    return f"{said}: {_places(wrong)}" if wrong.any() else ""


def reward_faults(spec: EnvSpec) -> Iterator[ComponentFault]:
    """Rewards of users' own, of the match and of the practice arenas, that fail their trial. Ours are tried in the tests."""
    groups: list[tuple[KeyPath, EnvSpec]] = [((), spec)]
    if spec.mechanics is not None and spec.mechanics.rewards != spec.rewards:
        groups.append((("mechanics",), spec.for_group(spec.mechanics)))
    for place, group in groups:
        for item in group.rewards:
            reward: Reward = build("reward", item.component)
            if type(reward).__module__.startswith("rltui."):
                continue
            failure = try_out(reward, (group.blue, group.orange)).failure
            if failure:
                sentence = f"{item.component.label} was tried on random states and failed: {failure}"
                yield ComponentFault((*place, "rewards", item.component.name), sentence)


def player_faults(task: Profile) -> Iterator[ComponentFault]:
    """Scripted players of users' own that fail their trial, in orange as each is asked to play there."""
    game, selfplay = task.game, task.selfplay
    orange = np.arange(game.blue + game.orange) >= game.blue
    here = slice(None), slice(game.blue, None)
    arenas, cars = np.nonzero(np.tile(orange, (ARENAS, 1)))
    players: list[tuple[KeyPath, str, Seats]] = [(("game", "opponent"), game.opponent, here)]
    if selfplay.enabled and game.orange:
        players += [(("selfplay", "scripted"), name, (arenas, cars)) for name in selfplay.scripted]
    for path, name, seats in players:
        if ":" in name and (failure := _player_failure(Component(name), _states((game.blue, game.orange)), seats)):
            yield ComponentFault(path, f"{Component(name).label} was tried on random states and failed: {failure}")


def _player_failure(component: Component, state: GameState, seats: Seats) -> str:
    seal(state)
    own = None
    try:
        player = build("player", component)
        own = getattr(sys.modules.get(type(player).__module__), "__file__", None)
        with np.errstate(all="ignore"):
            choice_of(player, len(controls_of(player)), state, seats, np.random.default_rng(SEED))
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return f"{in_words(error)}{where_in(error, own)}"
    return ""


def memory_faults(tasks: Iterable[Profile], argument: str) -> list[ComponentFault]:
    """A need so far beyond the machine's memory that no estimate's error explains it; torch's own words say less."""
    there = psutil.virtual_memory().total
    for profile in tasks:
        size = sizes(env_spec(profile))
        needed = estimate_memory(profile, size.obs, size.actions.outputs).total * formatting.MEGABYTE
        if needed > FAR_TOO_MUCH * there:
            path: KeyPath = ("obs", "kind") if size.obs > LARGE_OBSERVATION else ("ppo", "iteration")
            need = f"about {formatting.size(needed)} of memory needed, and this machine has {formatting.size(there)}"
            why = f"{size.obs:,} numbers observed, {profile.ppo.iteration:,} timesteps an iteration"
            return [ComponentFault(path, f"{need}: {why}", f"doctor {argument}")]
    return []


def checkpoint_size(profile: Profile) -> int:
    """Bytes of one, about."""
    size = sizes(env_spec(profile))
    nets = ((profile.policy.layers, size.actions.outputs), (profile.critic.layers, 1))
    policy, critic = (parameter_count(size.obs, layers, outputs) for layers, outputs in nets)
    return STATE_BYTES * (policy + critic) + POLICY_BYTES * policy


def disk_faults(profile: Profile, root: Path, argument: str) -> list[ComponentFault]:
    """No room in the data folder for the checkpoint that is written beside the one before. profile: of a task."""
    free, one = free_bytes(root), checkpoint_size(profile)
    if free is None or free >= 2 * one:
        return []
    room = f"{formatting.size(free)} free for {root}, and a checkpoint takes about {formatting.size(one)}"
    return [ComponentFault(("keep", "last"), f"no room for checkpoints: {room}", f"doctor {argument}")]


def _failure_lines(failed: list[TableCheck]) -> list[str]:
    more = len(failed) - SHOWN
    return [*(f"- {check.sentence}" for check in failed[:SHOWN]), *([f"- and {more} more"] if more > 0 else [])]
