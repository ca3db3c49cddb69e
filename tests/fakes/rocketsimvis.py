"""RocketSimVis as its networking-format.md and its reader have it: what it accepts, and a listener in its place."""

from __future__ import annotations

import json
import math
import socket
from typing import Any

AXES = {"throttle", "steer", "pitch", "yaw", "roll"}
BUTTONS = {"boost", "jump", "handbrake"}
CAR = {
    "team_num",
    "phys",
    "controls",
    "boost_amount",
    "on_ground",
    "has_flipped_or_double_jumped",
    "is_demoed",
}
PADS = 34
BUFFER = 1024 * 1024


def accepted(packet: bytes) -> dict[str, Any]:
    """The packet's content; AssertionError where the visualiser could not read it, or would read something else."""

    def no_constant(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    content: dict[str, Any] = json.loads(packet.decode("utf-8"), parse_constant=no_constant)
    assert set(content) == {"gamemode", "ball_phys", "cars", "boost_pad_states"}
    assert content["gamemode"] == "soccar"
    _check_body(content["ball_phys"])
    for car in content["cars"]:
        _check_car(car)
    pads = content["boost_pad_states"]
    assert len(pads) == PADS and all(type(pad) is bool for pad in pads)
    return content


def _check_body(body: dict[str, Any]) -> None:
    """forward and up: both or none, of length 1 and at right angles."""
    assert set(body) in ({"pos", "vel", "ang_vel"}, {"pos", "vel", "ang_vel", "forward", "up"})
    for vector in body.values():
        assert len(vector) == 3 and all(type(number) in (int, float) and math.isfinite(number) for number in vector)
    if "up" in body:
        assert math.isclose(math.hypot(*body["forward"]), 1, abs_tol=1e-3)
        assert math.isclose(math.hypot(*body["up"]), 1, abs_tol=1e-3)
        assert abs(sum(a * b for a, b in zip(body["forward"], body["up"], strict=True))) < 1e-3


def _check_car(car: dict[str, Any]) -> None:
    assert set(car) == CAR
    assert type(car["team_num"]) is int and car["team_num"] in (0, 1)
    _check_body(car["phys"])
    assert {"forward", "up"} < set(car["phys"])
    assert type(car["boost_amount"]) in (int, float) and 0 <= car["boost_amount"] <= 100
    assert all(type(car[name]) is bool for name in ("on_ground", "is_demoed", "has_flipped_or_double_jumped"))
    controls = car["controls"]
    assert set(controls) == AXES | BUTTONS
    assert all(type(controls[name]) in (int, float) and -1 <= controls[name] <= 1 for name in AXES)
    assert all(type(controls[name]) is bool for name in BUTTONS)


class Listener:
    """A UDP socket of this machine, on a free port or a given one."""

    def __init__(self, port: int = 0, timeout: float = 20.0, family: socket.AddressFamily = socket.AF_INET) -> None:
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1" if family == socket.AF_INET else "::1", port))
        self._socket.settimeout(timeout)
        self.port: int = self._socket.getsockname()[1]

    def receive(self) -> bytes:
        return self._socket.recv(BUFFER)

    def close(self) -> None:
        self._socket.close()


def free_port() -> int:
    """One at which nobody listens."""
    listener = Listener()
    listener.close()
    return listener.port
