"""Recorded states: read back the same, played again the same, and refused with a sentence when they are wrong."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.registry import Component, build
from rltui.sim.recorded_states import RecordedStates, load
from rltui.sim.resets.standard import RandomReset, TurtledReset
from tests.fakes.arenas import ROWS, batch
from tests.fakes.states_file import save, setup_of, stacked
from tests.fakes.tables import IDLE

Arrays = dict[str, Any]


def moments(blue: int = 1, orange: int = 2, number: int = 12) -> Arrays:
    """Arrays of random first states."""
    rng, reset = np.random.default_rng(0), RandomReset(RandomReset.Params())
    return stacked([reset.sample(rng, blue, orange) for _ in range(number)])


def same(one: RecordedStates, other: RecordedStates) -> bool:
    return (one.blue, one.orange) == (other.blue, other.orange) and all(
        np.array_equal(one.arrays[name], other.arrays[name]) for name in {**one.arrays, **other.arrays}
    )


def test_what_was_saved_is_read_back(tmp_path: Path) -> None:
    path, arrays = tmp_path / "mine.npz", moments()
    save(path, 1, 2, arrays)
    states = load(path)
    assert (states.blue, states.orange, len(states)) == (1, 2, 12)
    assert sorted(states.arrays) == sorted(arrays)
    assert all(np.array_equal(states.arrays[name], arrays[name]) for name in arrays)
    assert states.setup(3).problem(3) == ""


def test_other_types_and_other_arrays_are_fine(tmp_path: Path) -> None:
    arrays = {name: array if array.dtype == np.bool_ else array.astype(np.float64) for name, array in moments().items()}
    arrays["boost"] = arrays["boost"].astype(np.int16)
    np.savez(tmp_path / "a.npz", blue=np.int8(1), orange=2, controls=np.zeros((5, 5)), **arrays)
    states = load(tmp_path / "a.npz")
    assert states.arrays["boost"].dtype == states.arrays["velocity"].dtype == np.float32
    assert "controls" not in states.arrays


def test_turned_twice_is_as_it_was() -> None:
    states = RecordedStates(1, 2, moments() | {"pad_timers": np.arange(12 * 34.0).reshape(12, 34)})
    other = states.turned()
    assert (other.blue, other.orange) == (2, 1) and not same(states, RecordedStates(1, 2, other.arrays))
    np.testing.assert_array_equal(other.arrays["position"][:, 2], states.arrays["position"][:, 0] * [-1, -1, 1])
    np.testing.assert_array_equal(other.arrays["boost"][:, :2], states.arrays["boost"][:, 1:])
    np.testing.assert_array_equal(other.arrays["pad_timers"][:, 0], states.arrays["pad_timers"][:, 33])
    assert np.linalg.det(other.arrays["rotation"]) == pytest.approx(np.ones((12, 3)), abs=1e-5)
    assert same(other.turned(), states)


def test_a_moment_of_play_begins_again_as_it_was(tmp_path: Path) -> None:
    """All that is observed but the jump's own clock: ball (nudged when at rest), cars, pads, flags, a turtle on its roof."""
    arenas, again = batch(arenas=4, teams=(2, 1)), batch(arenas=4, teams=(2, 1))
    rng, turtled, random = (
        np.random.default_rng(1),
        TurtledReset(TurtledReset.Params()),
        RandomReset(RandomReset.Params()),
    )
    arenas.reset(range(4), [reset.sample(rng, 2, 1) for reset in (turtled, random, random, random)])
    for _ in range(12):
        actions = rng.integers(0, len(ROWS), (4, 3))
        actions[0] = IDLE  # the turtles stay
        arenas.step(actions)
    save(tmp_path / "a.npz", 2, 1, stacked([setup_of(arenas.state, arena) for arena in range(4)]))
    states = load(tmp_path / "a.npz")
    again.reset(range(4), [states.setup(index) for index in range(4)])
    played, begun = arenas.state, again.state
    for name in ("ball_position", "ball_velocity", "ball_angular_velocity", "position", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(begun, name), getattr(played, name), rtol=1e-6, atol=0.011, err_msg=name)
    for name in ("forward", "up", "pad_timers", "boost", "on_ground"):
        np.testing.assert_allclose(getattr(begun, name), getattr(played, name), atol=1e-5, err_msg=name)
    assert (begun.has_double_jumped == (played.has_double_jumped | played.has_flipped)).all()
    assert begun.world_contact[0].all()


def changed(name: str, at: tuple[int, ...] | None, value: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        if at is None:
            arrays[name] = value
        else:
            arrays[name] = arrays[name].copy()
            arrays[name][at] = value

    return change


def without(name: str) -> Callable[[Arrays], None]:
    return lambda arrays: arrays.pop(name)


WRONG: dict[str, tuple[Callable[[Arrays], None], str]] = {
    "no boost": (without("boost"), "expected also boost, found blue, orange, ball_position"),
    "no team size": (without("orange"), "expected also orange"),
    "no cars": (lambda arrays: arrays.update(blue=0, orange=0), "blue, orange: expected at least one car"),
    "four cars": (changed("blue", None, np.array(4)), "blue: expected a whole number from 0 to 3, found 4"),
    "half a car": (changed("blue", None, np.array(0.5)), "blue: expected a whole number from 0 to 3, found 0.5"),
    "two sizes": (
        changed("blue", None, np.array([1, 1])),
        r"blue: expected a whole number from 0 to 3, found int64 \[2\]",
    ),
    "fewer cars": (
        changed("orange", None, np.array(1)),
        r"position: expected numbers \[12, 2, 3\], found float32 \[12, 3, 3\]",
    ),
    "fewer states": (
        changed("velocity", None, np.zeros((11, 3, 3))),
        r"velocity: expected numbers \[12, 3, 3\], found float64 \[11, 3, 3\]",
    ),
    "no states": (changed("boost", None, np.zeros((0, 3))), r"ball_position: expected numbers \[1 or more, 3\]"),
    "a number": (changed("boost", None, np.array(3.0)), r"ball_position: expected numbers \[1 or more, 3\]"),
    "flags as numbers": (
        changed("on_ground", None, np.ones((12, 3))),
        r"on_ground: expected true or false \[12, 3\], found float64 \[12, 3\]",
    ),
    "text": (changed("boost", None, np.full((12, 3), "x")), r"boost: expected numbers \[12, 3\], found <U1"),
    "not a number": (
        changed("velocity", (4, 1, 0), np.nan),
        r"velocity\[4, 1\]: expected a speed of at most 2300, found \[ *nan,",
    ),
    "below the floor": (changed("position", (2, 0, 2), -5.0), r"position\[2, 0\]: expected a place inside the field"),
    "behind the wall": (
        changed("ball_position", (7, 0), 5000.0),
        r"ball_position\[7\]: expected a place inside the field",
    ),
    "too fast": (
        changed("ball_velocity", (0,), (6000.0, 3000.0, 0.0)),
        r"ball_velocity\[0\]: expected a speed of at most 6000",
    ),
    "spinning": (
        changed("angular_velocity", (3, 2), (9.0, 0, 0)),
        r"angular_velocity\[3, 2\]: expected a spin of at most 5.5",
    ),
    "squashed": (changed("rotation", (1, 1, 0, 0), 3.0), r"rotation\[1, 1\]: expected a rotation"),
    "left-handed": (changed("rotation", (1, 1), np.diag([1, -1, 1])), r"rotation\[1, 1\]: expected a rotation"),
    "boost as a share": (changed("boost", (0, 0), 101.0), r"boost\[0, 0\]: expected 0 to 100, found 101"),
    "pads": (changed("pad_timers", None, np.full((12, 34), 11.0)), r"pad_timers\[0, 0\]: expected 0 to 10, found 11"),
    "too few pads": (changed("pad_timers", None, np.zeros((12, 33))), r"pad_timers: expected numbers \[12, 34\]"),
}


def test_what_is_wrong_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    """File, key, expected, found."""
    for case in WRONG:
        with subtests.test(case=case):
            path, change = tmp_path / "a.npz", WRONG[case][0]
            arrays: Arrays = {"blue": np.array(1), "orange": np.array(2), **moments()}
            change(arrays)
            np.savez(path, **arrays)
            with pytest.raises(RltuiError, match=WRONG[case][1]) as caught:
                load(path)
            assert caught.value.message.startswith(f"{path}: ") and caught.value.exit_code == 2


class Canary:
    """Its pickle touches a file when it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


def test_what_is_no_such_file_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for content in ("missing", "folder", "text", "empty", "npy", "cut", "pickle", "objects"):
        with subtests.test(content=content):
            path, canary = tmp_path / f"{content}.npz", tmp_path / "canary"
            save(path, 1, 2, moments())
            whole = path.read_bytes()
            path.unlink()
            if content == "folder":
                path.mkdir()
            elif content == "npy":
                with path.open("wb") as file:
                    np.save(file, np.zeros(3))
            elif content == "objects":
                np.savez(
                    path,
                    **moments() | {"blue": np.array(1), "orange": np.array(2), "boost": np.array([Canary(canary)])},
                )
            elif content != "missing":
                texts = {
                    "text": b"hello",
                    "empty": b"",
                    "cut": whole[: len(whole) // 2],
                    "pickle": pickle.dumps(Canary(canary)),
                }
                path.write_bytes(texts[content])
            said = {"missing": "no such file", "folder": "a folder, not a file"}
            with pytest.raises(RltuiError, match=said.get(content, "expected plain arrays in an .npz file")) as caught:
                load(path)
            assert str(path) in caught.value.message and not canary.exists()


def test_replay_gives_every_recorded_state_and_each_from_both_sides(tmp_path: Path) -> None:
    arrays = moments(1, 1, 5)
    save(tmp_path / "a.npz", 1, 1, arrays)
    reset, rng = build("reset", Component("replay", {"path": str(tmp_path / "a.npz")})), np.random.default_rng(0)
    drawn = {tuple(reset.sample(rng, 1, 1).ball_position.tolist()) for _ in range(300)}
    balls = arrays["ball_position"]
    assert drawn == {tuple(ball.tolist()) for ball in np.concatenate([balls, balls * np.float32([-1, -1, 1])])}
    setup = reset.sample(rng, 1, 1)
    setup.position[:] = 0  # what is drawn is the drawer's own
    assert all(reset.sample(rng, 1, 1).position.any() for _ in range(30))


def test_replay_serves_the_recorded_team_sizes_and_the_same_swapped(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    save(path, 1, 2, moments())
    reset, rng = build("reset", Component("replay", {"path": str(path)})), np.random.default_rng(0)
    assert reset.misfit(1, 2) == reset.misfit(2, 1) == ""
    assert reset.sample(rng, 1, 2).position.shape == reset.sample(rng, 2, 1).position.shape == (3, 3)
    words = f"{path}: blue, orange: expected 1 and 1, found 1 and 2"
    assert reset.misfit(1, 1) == words
    with pytest.raises(RltuiError, match="expected 1 and 1, found 1 and 2"):
        reset.sample(rng, 1, 1)
