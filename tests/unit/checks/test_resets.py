"""How episodes begin: what can be is not flagged, what cannot is, with the reason; the turtle probe against the game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rltui.checks.resets import first_state_lines, probe_lines
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.resets.mechanics import CeilingScene
from rltui.sim.resets.standard import KickoffReset, TurtledReset
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.resets import SCENES, built
from tests.fakes.tables import IDLE

AWAY = (3000.0, 3000.0, 17.0)


def begun(**changes: Any) -> str:
    """The lines of one arena with a car in the middle, and another far away."""
    setup = flat_setup([(0, 0, 17), AWAY], ball=(1000, 1000, 200))
    for name, value in changes.items():
        array = getattr(setup, name)
        array[0 if array.ndim > 1 else slice(None)] = value
    arenas = batch(teams=(1, 1))
    arenas.reset([0], [setup])
    return "\n".join(first_state_lines(arenas.state))


def test_a_first_state_is_spelled_out() -> None:
    lines = begun(velocity=(300, 400, 0)).splitlines()
    assert lines[0] == "arena 0: ball at (1000, 1000, 200), speed 0 uu/s"
    assert lines[1] == (
        "  car 0: at (0, 0, 17), up.z +1.00, on ground True, turtled False, boost 100, 1426 uu from the ball, speed 500 uu/s"
    )
    assert len(lines) == 3


def test_what_cannot_be_is_flagged(subtests: pytest.Subtests) -> None:
    for changes, words in [
        ({"position": (4200, 0, 17)}, "inside a side wall"),
        ({"position": (0, 6100, 17)}, "inside a back wall"),
        ({"position": (1200, -5200, 17)}, "inside a back wall"),
        ({"position": (4000, 4500, 17)}, "inside a corner wall"),
        ({"position": (0, 0, -20)}, "inside the floor"),
        ({"position": (0, 0, 2100)}, "inside the ceiling"),
        ({"position": (1000, 1000, 240)}, "inside the ball"),
        ({"position": AWAY}, "inside another car"),
        ({"velocity": (2300, 500, 0)}, "faster than 2300 uu/s"),
        ({"angular_velocity": (0, 0, 7)}, "spinning faster than 5.5 rad/s"),
        ({"ball_position": (4050, 0, 500)}, "inside a side wall"),
        ({"ball_position": (1000, 0, 60)}, "inside the floor"),
        ({"ball_velocity": (6000, 3000, 0)}, "faster than 6000 uu/s"),
    ]:
        with subtests.test(changes=changes, words=words):
            flagged = [line for line in begun(**changes).splitlines() if "IMPOSSIBLE" in line]
            assert flagged and all(words in line for line in flagged)


def test_the_nets_are_part_of_the_field(subtests: pytest.Subtests) -> None:
    for changes in [{"position": (0, 5600, 17)}, {"ball_position": (500, -5300, 200)}]:
        with subtests.test(changes=changes):
            assert "IMPOSSIBLE" not in begun(**changes)


def test_no_registered_reset_is_impossible(subtests: pytest.Subtests, tmp_path: Any) -> None:
    for name in ["kickoff", "random", *SCENES]:
        with subtests.test(name=name):
            arenas, rng, reset = small_batch(), np.random.default_rng(0), built(name, tmp_path, 2, 1)
            for _ in range(5):
                arenas.reset(range(4), [reset.sample(rng, 2, 1) for _ in range(4)])
                assert "IMPOSSIBLE" not in "\n".join(first_state_lines(arenas.state))


def small_batch() -> ArenaBatch:
    return batch(arenas=4, teams=(2, 1))


def test_the_turtle_probe(subtests: pytest.Subtests) -> None:
    for reset, words in [
        (TurtledReset(TurtledReset.Params()), "a turtle (0 wheels down, up.z -"),
        (KickoffReset(KickoffReset.Params()), "no turtle (4 wheels down, up.z +1.00, the body touches nothing)"),
        (
            CeilingScene(CeilingScene.Params()),
            "no turtle (",
        ),  # upside down on its wheels: what the obvious rule takes for one
    ]:
        with subtests.test(reset=reset, words=words):
            arenas = batch(arenas=1, teams=(1, 0))
            arenas.reset([0], [reset.sample(np.random.default_rng(0), 1, 0)])
            arenas.step(np.full((1, 1), IDLE))
            (line,) = probe_lines(arenas.state, arenas.contact)
            assert line.startswith(f"turtle probe, arena 0 car 0: {words}")
