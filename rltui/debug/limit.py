"""The limit: how many timesteps per second RocketSim alone gives on these cores. Everything else is measured against it.

P spawned processes each step K arenas in a plain loop: a random row of the action table for every car, `arena.step`, a
kickoff after a goal or so many steps. No observations, rewards or policy. How long an episode lasts matters: a step costs
30 µs just after a kickoff and 55 µs once cars lie about, so it should be what the task compared with has.
"""

from __future__ import annotations

import random
import time
from multiprocessing.connection import Connection
from typing import Any

from rltui.actions.shipped_tables import RlgymTable
from rltui.sim.arena_batch import car_controls
from rltui.supervise.processes import start_piped

Shape = tuple[int, int, int, int, int]  # BareArenas' arguments

WARM_STEPS = 200  # the first hundred steps of a new arena cost several times the later ones


class BareArenas:
    """K arenas and the loop that steps them."""

    def __init__(self, arenas: int, cars: int, tick_skip: int, episode_steps: int, seed: int) -> None:
        import RocketSim

        from rltui.sim import meshes

        meshes.init_simulator(meshes.locate(None))
        rows = RlgymTable(RlgymTable.Params()).rows().tolist()
        self._controls = [car_controls(row) for row in rows]
        self._goals = [False] * arenas
        self._arenas = [self._arena(RocketSim, index, cars) for index in range(arenas)]
        self._cars = [arena.get_cars() for arena in self._arenas]
        self._episode_steps = episode_steps
        self._age = [episode_steps] * arenas
        draw = random.Random(seed)
        self._draws = [draw.randrange(len(rows)) for _ in range(1 << 16)]
        self._at, self._resets, self._ticks, self._seed = 0, 0, tick_skip, seed * 1_000_003

    def _arena(self, simulator: Any, index: int, cars: int) -> Any:
        arena = simulator.Arena(simulator.GameMode.SOCCAR)
        for car in range(cars):
            arena.add_car(car % 2)
        arena.set_goal_score_callback(lambda *_, **__: self._goals.__setitem__(index, True), None)
        return arena

    def sweep(self) -> None:
        """One step of every arena."""
        controls, draws, at, ticks = self._controls, self._draws, self._at, self._ticks
        mask = len(draws) - 1
        for index, arena in enumerate(self._arenas):
            if self._goals[index] or self._age[index] >= self._episode_steps:
                self._goals[index], self._age[index] = False, 0
                self._resets += 1
                arena.reset_kickoff(self._seed + self._resets)
            self._age[index] += 1
            for car in self._cars[index]:
                car.set_controls(controls[draws[at & mask]])
                at += 1
            arena.step(ticks)
        self._at = at


def measure_limit(
    processes: int, arenas: int, cars: int, seconds: float, tick_skip: int = 8, episode_steps: int = 300
) -> float:
    """Timesteps per second of all processes together."""
    started = [
        start_piped(_measure_one, ((arenas, cars, tick_skip, episode_steps, index + 1), seconds), f"bare {index}")
        for index in range(processes)
    ]
    pipes = [pipe for _, pipe in started]
    for pipe in pipes:
        pipe.recv_bytes()  # warm
    for pipe in pipes:
        pipe.send_bytes(b"go")
    rates = [float(pipe.recv_bytes()) for pipe in pipes]
    for process, _ in started:
        process.join()
    return sum(rates) * cars


def _measure_one(spec: tuple[Shape, float], pipe: Connection) -> None:
    shape, seconds = spec
    bare = BareArenas(*shape)
    for _ in range(WARM_STEPS):
        bare.sweep()
    pipe.send_bytes(b"warm")
    pipe.recv_bytes()
    start = time.perf_counter()
    sweeps = 0
    while time.perf_counter() - start < seconds:
        bare.sweep()
        sweeps += 1
    pipe.send_bytes(str(sweeps * shape[0] / (time.perf_counter() - start)).encode())
