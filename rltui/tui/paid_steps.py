"""What the cars of the watched match were paid, step by step: frames that overlap become one row of steps. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from rltui.events.match_frames import StepRewards, Watched

MOST_STEPS = 900  # a minute of them

Terms = tuple[float, ...]  # by component


@dataclass(frozen=True, slots=True)
class PaidStep:
    """One step. sums: by car and component, of its episode up to here. whole: the episode was seen from its beginning,
    without a gap.
    """

    step: StepRewards
    sums: tuple[Terms, ...]
    begins: bool
    whole: bool
    since: int  # tick of the first step of its episode that was seen

    def terms(self, car: int) -> Terms:
        return self.step.contributions[car]

    def total(self, car: int) -> float:
        """The reward of this step."""
        return sum(self.terms(car))

    def touched(self, car: int) -> bool:
        return car < len(self.step.touches) and self.step.touches[car] > 0


class PaidSteps:
    """The newest MOST_STEPS of a match. names: of the components; cars: how many there are, 0 before the first frame."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.cars = 0
        self.steps: deque[PaidStep] = deque(maxlen=MOST_STEPS)  # oldest first

    @property
    def newest(self) -> PaidStep | None:
        return self.steps[-1] if self.steps else None

    @property
    def before(self) -> PaidStep | None:
        """The last step of the episode before the present one, as far as it is kept."""
        now = self.newest
        return next((step for step in reversed(self.steps) if now and step.step.episode != now.step.episode), None)

    def take(self, frame: Watched) -> None:
        """Add what is new. Another lesson, or a viewer that has begun anew, ends what was."""
        cars, newest = len(frame.moment.cars), self.newest
        turned_back = newest is not None and frame.moment.tick < newest.step.tick
        if frame.names != self.names or cars != self.cars or turned_back:
            self.names, self.cars = frame.names, cars
            self.steps.clear()
        for step in frame.steps:
            if self.newest is None or step.tick > self.newest.step.tick:
                self.steps.append(self._added(step, frame.steps))

    def _added(self, step: StepRewards, beside: Sequence[StepRewards]) -> PaidStep:
        last = self.newest
        if last is None:
            return PaidStep(step, step.contributions, begins=False, whole=False, since=step.tick)
        length = beside[-1].tick - beside[-2].tick if len(beside) > 1 else step.tick - last.step.tick
        gap = step.tick - last.step.tick > length
        if step.episode != last.step.episode:
            return PaidStep(step, step.contributions, begins=True, whole=not gap, since=step.tick)
        sums = tuple(
            tuple(a + b for a, b in zip(so_far, now, strict=True))
            for so_far, now in zip(last.sums, step.contributions, strict=True)
        )
        return PaidStep(step, sums, begins=False, whole=last.whole and not gap, since=last.since)

    def activity(self, car: int) -> list[float]:
        """How much each component has paid or cost the car lately: sums of absolute values."""
        found = [0.0] * len(self.names)
        for step in self.steps:
            for index, term in enumerate(step.terms(car)):
                found[index] += abs(term)
        return found
