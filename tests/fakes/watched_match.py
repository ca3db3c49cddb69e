"""The match that a viewer plays, by hand: frames of its stream, and a reader that the test feeds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

from rltui.events.commands import OutputLive, ViewerLive
from rltui.events.match_frames import StepRewards, Watched
from tests.fakes import run_story
from tests.fakes.moments import car, moment

NAMES = ("touch", "speed_toward_ball", "velocity_ball_to_goal", "goal")
SKIP = 8  # ticks of a step
SECOND = 15  # steps
TIMESTEPS = 607 * run_story.STEPS  # of the story's newest weights
ADDRESS = "/run/rltui-0/viewer.sock"


def viewer(state: str = "playing", **changes: Any) -> ViewerLive:
    """That sends to RocketSimVis."""
    values: dict[str, Any] = {
        "state": state,
        "timesteps": TIMESTEPS,
        "address": ADDRESS,
        "outputs": [OutputLive("rocketsimvis", "127.0.0.1:9273", 1204)],
        "problem": "",
    }
    return ViewerLive(**values | changes)


def paid(number: int, cars: int = 2, names: Sequence[str] = NAMES, episode_steps: int = 150) -> StepRewards:
    """The number-th step, from 1: now and then a touch, at its end a goal."""
    noise = random.Random(number)
    ends = number % episode_steps == 0
    touches = tuple(int((number + 7 * index) % 31 == 0) for index in range(cars))
    contributions = tuple(
        tuple(
            float(touches[index]) if name == "touch"
            else 10.0 * (1 - 2 * (index >= cars // 2)) * ends if name == "goal"
            else round(noise.gauss(0.02, 0.03), 4)
            for name in names
        )
        for index in range(cars)
    )  # fmt: skip
    return StepRewards(number * SKIP, 1 + (number - 1) // episode_steps, contributions, touches, int(ends))


def watched(
    last: int, cars: int = 2, names: Sequence[str] = NAMES, timesteps: int = TIMESTEPS, **changes: Any
) -> Watched:
    """The frame after `last` steps, with the second before it."""
    steps = tuple(paid(number, cars, names) for number in range(max(1, last - SECOND + 1), last + 1))
    turn = last / 20
    places = [
        (1500 * math.cos(turn + index), 2500 * math.sin(turn + index * 2), 17.0 + 400 * (index % 2))
        for index in range(cars)
    ]
    seen = moment(
        tick=last * SKIP,
        names=("alpha", "alpha"),
        cars=tuple(car(int(index >= cars // 2), place, boost=20.0 + index) for index, place in enumerate(places)),
        ball_position=(900 * math.sin(turn), 3000 * math.cos(turn), 93.0 + 500 * abs(math.sin(turn))),
        trail=tuple((900 * math.sin(turn - back / 9), 3000 * math.cos(turn - back / 9), 93.0) for back in range(20, 0, -1)),
        **changes,
    )  # fmt: skip
    return Watched(seen, steps[-1].episode, timesteps, tuple(names), steps)


class FakeReader:
    """In the place of a MatchReader: `made` are those that were made, oldest first; `say` delivers a frame."""

    made: list[FakeReader] = []  # noqa: RUF012 - emptied by the test's fixture

    def __init__(self, address: str, publish: Callable[[Watched], None], interval: float) -> None:
        self.address, self.say, self.interval = address, publish, interval
        self.problem = ""
        self.runs = False
        self.made.append(self)

    def start(self) -> None:
        self.runs = True

    def stop(self) -> None:
        self.runs = False
