"""What `rltui train --debug` adds to a run: each iteration spelled out, and a second one that begins on the roof."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from rltui.debug.reset_report import first_state_lines, probe_lines
from rltui.events.records import LogLine, Record
from rltui.train.collectors import Collected, SerialCollector
from rltui.train.course import Course
from rltui.train.debug_lines import action_lines, learning_lines

Poll = Callable[[], None]
TURTLED = "turtled"


class DebugRun:
    """Says everything, flag by flag. The arenas are looked into where they are in this process (collector "serial")."""

    def __init__(self, course: Course, table: NDArray[np.float32], tell: Callable[[Record], None]) -> None:
        self._course, self._table, self._tell = course, table, tell
        self._iterations = 0
        self._probed = True  # since the last reset of all arenas

    def before(self, timesteps: int, look: Poll) -> bool:
        """An iteration begins. Whether there is another collector now: the second iteration's episodes all begin on the
        roof (debug_turtled_start).
        """
        self._iterations += 1
        if self._iterations == 2:
            self._say(
                "debug_turtled_start", [f"iteration 2: every episode begins with {TURTLED}, whatever the profile says"]
            )
            self._course.begin_with(TURTLED, timesteps, look)
        elif self._iterations == 3:
            self._say("debug_turtled_start", ["over: episodes begin as the profile says"])
            self._course.begin_with("", timesteps, look)
        changed = self._iterations in (2, 3)
        if changed or self._iterations == 1:
            self._first_states()
        return changed

    def probing(self, poll: Poll) -> Poll:
        """The poll, which is called before every step, with the turtle probe after the first step of all arenas."""

        def poll_and_probe() -> None:
            if not self._probed and int(self._course.collector.shared.steps_done[0]) == 1:
                self._probe()
            poll()

        return poll_and_probe

    def spell_out(self, collected: Collected, metrics: Mapping[str, float]) -> None:
        """What was chosen and what was learned in an iteration."""
        self._say("debug_actions", action_lines(collected.rollout, self._table))
        self._say("debug_learning", learning_lines(metrics))

    def saves(self, timesteps: int, due: Iterable[tuple[str, str]]) -> None:
        """What is due to be saved after an iteration."""
        what = ", ".join(f"{kind} {label}" for kind, label in due) or "nothing"
        self._say("debug_checkpoints", [f"due at {timesteps:,} timesteps: {what}"])

    def _first_states(self) -> None:
        collector = self._course.collector
        if isinstance(collector, SerialCollector):
            for batch in collector.batches():
                self._say("global_debug_mode", first_state_lines(batch.state))
            self._probed = False

    def _probe(self) -> None:
        self._probed = True
        collector = self._course.collector
        if isinstance(collector, SerialCollector):
            for batch in collector.batches():
                self._say("global_debug_mode", probe_lines(batch.state, batch.contact))

    def _say(self, flag: str, lines: Iterable[str]) -> None:
        for line in lines:
            self._tell(LogLine(time=time.time(), level="debug", source="debug", message=f"[{flag}] {line}"))
