"""Own pad timers against the simulator's, number for number."""

from __future__ import annotations

import numpy as np
import pytest
import RocketSim

from rltui.field import BIG_PADS, PADS
from rltui.sim.arena_batch import ArenaBatch
from rltui.sim.boost_pads import PadTimers
from tests.fakes.arenas import batch, flat_setup
from tests.fakes.tables import FULL_BOOST, IDLE

SMALL, BIG = 7, 3  # (0, −2816) and (−3072, −4096)


def asked(arenas: ArenaBatch, arena: int = 0) -> list[float]:
    return [pad.get_state().cooldown for pad in arenas._arenas[arena].arena.get_boost_pads()]


def test_big_pads_are_where_the_simulator_has_them() -> None:
    pads = batch()._arenas[0].arena.get_boost_pads()
    assert len(pads) == PADS
    assert tuple(index for index, pad in enumerate(pads) if pad.is_big) == BIG_PADS


def test_both_countdowns_from_pickup_to_ready() -> None:
    """One car on a small pad, one on a big one, both at rest; 11 s by steps of three ticks and all ends between."""
    arenas = batch(arenas=1, teams=(2, 0))
    setup = flat_setup([(0, -2816, 17), (-3072, -4096, 17)], ball=(0, 4000, 93.15))
    setup.boost[:] = 0.0
    arenas.reset([0], [setup])
    seen = set()
    for _ in range(165):
        arenas.step(np.array([[IDLE, IDLE]]))
        expected = asked(arenas)
        assert arenas.state.pad_timers[0].tolist() == expected
        seen |= {index for index, timer in enumerate(expected) if timer > 0}
    assert seen == {SMALL, BIG}


def test_pickups_while_driving_about() -> None:
    arenas = batch(arenas=4, teams=(1, 1))
    rng = np.random.default_rng(0)
    setups = [flat_setup([(rng.uniform(-3000, 3000), -2816, 17), (0, 1024, 17)]) for _ in range(4)]
    arenas.reset(range(4), setups)
    taken = 0
    for _ in range(150):
        actions = rng.integers(0, 24, (4, 2))
        actions[rng.random((4, 2)) < 0.7] = FULL_BOOST
        arenas.step(actions)
        expected = [asked(arenas, arena) for arena in range(4)]
        assert arenas.state.pad_timers.tolist() == expected
        taken += sum(timer > 3.9 for timers in expected for timer in timers)
    assert taken >= 8


def test_a_reset_with_timers_sets_the_simulator_to_the_same() -> None:
    arenas = batch()
    setup = flat_setup([(0, 0, 800)], ball=(0, 4000, 93.15))
    setup.pad_timers = np.zeros(PADS, np.float32)
    setup.pad_timers[[0, BIG, SMALL]] = 0.5, 7.25, 1 / 100
    arenas.reset([0], [setup])
    assert setup.pad_timers[BIG] == 7.25  # the caller's own is left alone
    assert arenas.state.pad_timers[0, [0, BIG, SMALL]] == pytest.approx([0.5, 7.25, 1 / 120], abs=1 / 240)
    for _ in range(12):
        assert arenas.state.pad_timers[0].tolist() == asked(arenas)
        active = [pad.get_state().is_active for pad in arenas._arenas[0].arena.get_boost_pads()]
        assert active == (arenas.state.pad_timers[0] == 0).tolist()
        arenas.step(np.array([[IDLE]]))
    arenas.reset([0], [flat_setup([(0, 0, 800)])])
    assert not arenas.state.pad_timers.any() and not any(asked(arenas))


def test_a_timer_longer_than_the_pads_own_is_cut(subtests: pytest.Subtests) -> None:
    for pad in (SMALL, BIG):
        with subtests.test(pad=pad):
            timers = PadTimers(1)
            wanted = np.zeros(PADS, np.float32)
            wanted[pad] = 60.0
            rounded = timers.reset(0, wanted)
            assert rounded is not None and rounded[pad] == (10.0 if pad == BIG else 4.0)


def test_the_simulator_gives_a_new_pad_state_as_available() -> None:
    assert RocketSim.BoostPadState().is_active and RocketSim.BoostPadState().cooldown == 0
