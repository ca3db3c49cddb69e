"""Debug lines of workers, rate limited: actions, resets, turtles."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rltui.checks.resets import first_state_lines, is_turtle, probe_lines
from rltui.env.collected_env import CollectedEnv
from rltui.env.soccar_batch import SoccarBatch
from rltui.events.records import LogLine, Record
from rltui.field import CONTROLS
from rltui.sim.state import Float, Int

Line = tuple[str, str]  # debug flag, text
SECOND = 1.0


class LineLimit:
    """`rate` lines in every second, shared equally by the flags that are on, so that none drowns another; 0: all lines."""

    def __init__(self, rate: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._flags, self._clock = rate, 1, clock
        self._started = -SECOND
        self._passed: Counter[str] = Counter()  # in this second, by flag
        self._dropped: Counter[str] = Counter()

    def passed(self, lines: Sequence[Line]) -> list[Line]:
        """Those that may be published now, after the counts of what was left out in a second that is over."""
        if self._rate <= 0:
            return list(lines)
        found = self._turn_second() if self._clock() - self._started >= SECOND else []
        share = max(int(self._rate) // max(self._flags, 1), 1)
        for flag, text in lines:
            if self._passed[flag] < share:
                self._passed[flag] += 1
                found.append((flag, text))
            else:
                self._dropped[flag] += 1
        return found

    def configure(self, rate: float, flags: Collection[str]) -> None:
        """flags: those that are on."""
        self._rate, self._flags = rate, len(flags)
        self.keep(flags)

    def keep(self, flags: Collection[str]) -> None:
        """Forget what was left out of other flags: whoever has switched one off hears nothing of it any more."""
        self._dropped = Counter({flag: self._dropped[flag] for flag in flags if flag in self._dropped})

    def _turn_second(self) -> list[Line]:
        """A new second begins; each flag's count of the last one is the first of its lines."""
        self._started = self._clock()
        found = [(flag, f"{count:,} lines left out: more than can be read") for flag, count in self._dropped.items()]
        self._passed = Counter(self._dropped.keys())
        self._dropped.clear()
        return found


ACTIONS, RESETS, TURTLED = "debug_actions", "global_debug_mode", "debug_turtled_start"
SHOWN = 4  # steps in a row of the first car, and new episodes at once, that are spelled out
AGAIN = 1.0  # seconds from one such row to the next
TURNING = [CONTROLS.index(name) for name in ("steer", "yaw")]


class ActorDebug:
    """Debug lines of one Actor, whose rollouts call `began`, `stepped` and `finished`; its arenas report new episodes."""

    def __init__(
        self, env: CollectedEnv, flags: Sequence[str], limit: LineLimit, say: Callable[[list[Line]], None]
    ) -> None:
        self.flags, self._limit, self._say = tuple(flags), limit, say
        self._env = env
        self._left = 0  # steps still to spell out
        self._next_row = 0.0
        self._new: list[_Begun] = []  # episodes of this step
        self._due: list[_Begun] = []  # episodes whose first step is the next one
        for batch in env.batches():
            batch.on_begun = partial(self._note_begun, batch)

    def name_controls(self) -> None:
        """Once, whatever the limit: in what order their values will stand."""
        self._say([(ACTIONS, f"controls are {', '.join(CONTROLS)}")])

    def close(self) -> None:
        """The flags are off: the arenas report to nobody any more."""
        for batch in self._env.batches():
            batch.on_begun = None

    def began(self) -> None:
        """Before a rollout's first step."""
        self._due, self._new = [*self._due, *self._new], []

    def stepped(self, t: int, actions: Int, log_probs: Float) -> None:
        """After step t of a rollout: actions and log-probabilities of this step, [agents]."""
        if self._due:
            again = {(id(begun.batch), arena) for begun in self._new for arena in begun.arenas}
            self._pass(self._probe(again))
        self._due, self._new = self._new, []
        if ACTIONS in self.flags:
            self._spell_out(t, int(actions[0]), float(log_probs[0]))

    def finished(self, actions: Int) -> None:
        """After a rollout; actions: all that the learner has chosen."""
        if ACTIONS in self.flags:
            controls = self._env.batches()[0].controls
            turning = (controls[actions][..., TURNING] != 0).any(axis=-1)
            text = f"{turning.sum():,} of {turning.size:,} chosen actions turn ({turning.mean():.0%})"
            self._pass([(ACTIONS, text)])

    def _spell_out(self, t: int, row: int, log_prob: float) -> None:
        """One step of the first car, before and after the pipeline; a few steps in a row, every second."""
        now = time.monotonic()
        if now >= self._next_row:
            self._left, self._next_row = SHOWN, now + AGAIN
        if self._left > 0:
            self._left -= 1
            self._pass([(ACTIONS, action_line(self._env.batches()[0], t, row, log_prob))])

    def _note_begun(self, batch: SoccarBatch, arenas: Int) -> None:
        self._new.append(_Begun(batch, arenas.tolist()))
        self._pass(self._first_states(batch, arenas.tolist()))

    def _first_states(self, batch: SoccarBatch, arenas: list[int]) -> Iterator[Line]:
        """Every new episode is looked at; spelled out are some, flagged is each that cannot be."""
        spelled = arenas[:SHOWN] if RESETS in self.flags else []
        for line in first_state_lines(batch.state, spelled):
            yield RESETS, line
        for arena in arenas:
            lines = [] if arena in spelled else list(first_state_lines(batch.state, [arena]))
            if any("IMPOSSIBLE" in line for line in lines):
                yield from ((self.flags[0], line) for line in lines)
        if TURTLED in self.flags:
            yield TURTLED, f"new episodes that begin on the roof: {len(arenas)}, in {_named(arenas)}"

    def _probe(self, again: set[tuple[int, int]]) -> Iterator[Line]:
        """The turtle probe: what the first step has made of new episodes. again: those that are over, and newer ones begun."""
        for begun in self._due:
            state, contact = begun.batch.state, begun.batch.contact
            arenas = [arena for arena in begun.arenas if (id(begun.batch), arena) not in again]
            if RESETS in self.flags:
                yield from ((RESETS, line) for line in probe_lines(state, contact, arenas[:SHOWN]))
            cars = [(arena, car) for arena in arenas for car in range(state.cars)]
            lying = sum(is_turtle(state, contact, arena, car) for arena, car in cars)
            if TURTLED in self.flags or (lying and RESETS not in self.flags):
                flag = TURTLED if TURTLED in self.flags else self.flags[0]
                yield flag, f"turtle probe after the first step: {lying} of {len(cars)} cars lie on their roof"

    def _pass(self, lines: Iterator[Line] | list[Line]) -> None:
        passed = self._limit.passed(list(lines))
        if passed:
            self._say(passed)


@dataclass(frozen=True)
class _Begun:
    """Arenas in which an episode has begun."""

    batch: SoccarBatch
    arenas: list[int]


def action_line(batch: SoccarBatch, t: int, row: int, log_prob: float) -> str:
    """What the first car chose at step t, and what the pipeline has made of it."""
    played = int(batch.played[0, 0])
    after = "played so" if played == row else f"played as {_values(batch.controls[played])}"
    return f"step {t}: row {row} = {_values(batch.controls[row])}, probability {np.exp(log_prob):.3f}, {after}"


def _values(controls: Float) -> str:
    return "(" + ", ".join(f"{value:g}" for value in controls) + ")"


def _named(arenas: Sequence[int]) -> str:
    shown = ", ".join(map(str, arenas[:SHOWN]))
    return f"arena {shown}" + (f" and {len(arenas) - SHOWN} more" if len(arenas) > SHOWN else "")


def publish_lines(publish: Callable[[Record], None], worker: int | None, lines: Sequence[Line]) -> None:
    """worker: None for lines of the trainer itself."""
    source = "trainer" if worker is None else "worker"
    for flag, text in lines:
        publish(LogLine(time=time.time(), level="debug", source=source, message=text, worker=worker, flag=flag))
