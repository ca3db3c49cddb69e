"""Learning rate, entropy, weights, flags changed while training."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rltui.events.commands import SetEntropy, SetFlag, SetLearningRate, SetRewardWeight
from rltui.events.records import ENTROPY, RATE, Record, SettingChanged, Switched, weight_of
from rltui.train.active_task import ActiveTask
from rltui.train.collect.worker_settings import Wait, WorkerSettings
from rltui.train.control.commands import Known, LiveControls, Pending

TURTLED = "debug_turtled_start"  # the one flag that changes what is learned from


class LiveChanges:
    """Takes commands from the LiveControls, changes the course, gives the workers their orders."""

    def __init__(
        self, course: ActiveTask, controls: LiveControls, orders: WorkerSettings, tell: Callable[[Record], None]
    ) -> None:
        self._course, self._controls, self._orders, self._tell = course, controls, orders, tell
        self._loop = controls.loop
        course.on_opened = orders.take_over
        controls.known = lambda: Known(course.overrides.reward_names, len(orders.workers))
        controls.set_flag = self._set_flag
        controls.attend, controls.refuse_orders, controls.flags = orders.attend, orders.refuse, orders.flags
        if course.overrides.weights:
            orders.set_weights(course.overrides.weights)

    def before_collecting(self) -> None:
        """Reward weights that people have set meanwhile hold from this rollout on."""
        pending, self._controls.weights = self._controls.weights, []
        waits = [wait for command in pending if (wait := self._weigh(command)) is not None]
        if waits:
            self._orders.set_weights(self._course.overrides.weights, waits)

    def before_learning(self) -> None:
        """Learning rate and entropy that people have set meanwhile hold from this update on."""
        pending, self._controls.rates = self._controls.rates, []
        for waiting in pending:
            match waiting.command:
                case SetLearningRate(value=value):
                    words = self._course.override(value, self._loop.timesteps)
                    now = self._course.rates.at(self._course.lasted(self._loop.timesteps))
                    self._changed(RATE, now.policy, waiting.by, critic=now.critic, profile=value is None)
                    waiting.applied(words)
                case SetEntropy(ent_coef=value):
                    words = self._course.override_entropy(value)
                    self._changed(ENTROPY, self._course.overrides.entropy, waiting.by, profile=value is None)
                    waiting.applied(words)
                case _:
                    pass

    def _weigh(self, pending: Pending) -> Wait | None:
        """The reward may be of another lesson by now."""
        command = pending.command
        if not isinstance(command, SetRewardWeight):
            return None
        if command.name not in self._course.overrides.reward_names:
            pending.refused(f"no reward {command.name!r} in the lesson that has begun meanwhile")
            return None
        now = self._loop.timesteps
        words = self._course.override_weight(command.name, command.weight, now)
        value = self._course.overrides.weight(command.name, self._course.lasted(now))
        profile = command.weight is None
        change = partial(self._changed, weight_of(command.name), value, pending.by, profile=profile)
        return Wait(_both(change, pending.applied), pending.refused, words + ", ")

    def _set_flag(self, pending: Pending) -> None:
        command = pending.command
        if not isinstance(command, SetFlag):
            return
        applied: Callable[[str], None] = pending.applied
        if command.flag == TURTLED:
            where = "" if command.worker is None else f" in worker {command.worker}"
            setting = f"{TURTLED} {'on' if command.on else 'off'}{where}"
            switched = Switched(flag=TURTLED, on=command.on, worker=command.worker)
            applied = _both(partial(self._changed, setting, None, pending.by, switched=switched), pending.applied)
        self._orders.set_flags([command.flag], command.on, command.worker, Wait(applied, pending.refused))

    def _changed(self, setting: str, value: float | None, by: str, **more: Any) -> None:
        """more: as in SettingChanged."""
        now, timesteps = time.time(), self._loop.timesteps
        self._tell(SettingChanged(time=now, timesteps=timesteps, setting=setting, value=value, by=by, **more))


def _both(first: Callable[[], None], then: Callable[[str], None]) -> Callable[[str], None]:
    """Journal the change, then answer: whoever hears the answer finds the record."""

    def applied(detail: str) -> None:
        first()
        then(detail)

    return applied
