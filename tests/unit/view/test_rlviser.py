"""RLViser: told everything in RocketSim's own objects; without its package, a sentence."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
import RocketSim

from rltui.errors import RltuiError
from rltui.view.rlviser import RlViser
from tests.fakes.moments import car, moment


class FakeViser(ModuleType):
    """Keeps what it is called with; `broken` raises."""

    def __init__(self, broken: bool = False) -> None:
        super().__init__("rlviser_py")
        self.calls: list[tuple[Any, ...]] = []
        self._broken = broken

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*values: Any) -> None:
            self.calls.append((name, *values))
            if self._broken:
                raise RuntimeError("no rlviser in this folder")

        return call


def test_it_is_told_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeViser()
    monkeypatch.setitem(sys.modules, "rlviser_py", fake)
    viser = RlViser(30)
    pads = (5.0, *[0.0] * 33)
    blue = car(0, (1.0, 2.0, 3.0), forward=(1.0, 0.0, 0.0), boost=44.0)
    viser.show(moment(cars=(blue, car(1, (0.0, 9.0, 17.0), demolished=True)), pad_timers=pads))
    viser.close()
    assert [name for name, *_ in fake.calls] == ["set_boost_pad_locations", "render", "quit"]
    assert len(fake.calls[0][1]) == 34
    _, tick, rate, mode, states, ball, cars = fake.calls[1]
    assert (tick, rate, mode, states) == (65 * 120, 30, RocketSim.GameMode.SOCCAR, [False, *[True] * 33])
    assert ball.pos.as_tuple() == (0.0, 0.0, 93.0)
    (number, team, config, state), (_, _, _, wreck) = cars
    assert (number, team, state.pos.as_tuple(), state.boost) == (1, 0, (1.0, 2.0, 3.0), 44.0)
    assert config.hitbox_size == RocketSim.CarConfig().hitbox_size
    axes = state.rot_mat
    assert [axes.forward.as_tuple(), axes.right.as_tuple(), axes.up.as_tuple()] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    assert wreck.is_demoed and not state.is_demoed


def test_its_error_ends_it_and_not_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    fake, notices = FakeViser(broken=True), []
    monkeypatch.setitem(sys.modules, "rlviser_py", fake)
    viser = RlViser(30, notices.append)
    for _ in range(3):
        viser.show(moment())
    viser.close()
    assert notices == ["RLViser: no rlviser in this folder"] and len(fake.calls) == 1


def test_without_its_package_the_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlviser_py", None)
    with pytest.raises(RltuiError, match="--rlviser needs the package rlviser_py") as error:
        RlViser(30)
    assert (error.value.hint, error.value.exit_code) == ("pip install rlviser-py==0.6.13", 2)
