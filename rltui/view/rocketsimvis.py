"""RocketSimVis: moments as UDP packets of JSON to the visualiser of that name.

It never answers, and prints what it cannot read in a console of its own: packets must be right by themselves. Whatever
goes wrong here stays here: a match goes on without it.
"""

from __future__ import annotations

import errno
import json
import socket
from dataclasses import dataclass
from typing import Any

from rltui.events.moment import CarMoment, Moment
from rltui.view.output import Notice, Output

HOST, PORT = "127.0.0.1", 9273
AXES = ("throttle", "steer", "pitch", "yaw", "roll")
BUTTONS = ("jump", "boost", "handbrake")


def packet(moment: Moment) -> bytes:
    """The moment as the visualiser reads it: boost 0–100, a flag for each of the 34 pads, true when there is boost.

    ValueError for a number that is not finite, which JSON has no word for.
    """
    content = {
        "gamemode": "soccar",
        "ball_phys": {
            "pos": moment.ball_position,
            "vel": moment.ball_velocity,
            "ang_vel": moment.ball_angular_velocity,
        },
        "cars": [_car(car) for car in moment.cars],
        "boost_pad_states": [timer <= 0 for timer in moment.pad_timers],
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def _car(car: CarMoment) -> dict[str, Any]:
    pushed = zip(AXES, car.controls, strict=False)
    pressed = zip(BUTTONS, car.controls[len(AXES) :], strict=True)
    return {
        "team_num": car.team,
        "phys": {
            "pos": car.position,
            "vel": car.velocity,
            "ang_vel": car.angular_velocity,
            "forward": car.forward,
            "up": car.up,
        },
        "boost_amount": car.boost,
        "on_ground": car.on_ground,
        "is_demoed": car.demolished,
        "has_flipped_or_double_jumped": car.flip_used,
        "controls": {**dict(pushed), **{name: value != 0 for name, value in pressed}},
    }


@dataclass(frozen=True)
class LinkState:
    """packets: handed to the system; whether anybody reads them, UDP does not tell. error: the last one, "" when it is over."""

    address: str
    packets: int
    error: str


class RocketSimVis(Output):
    """Sends every moment. A socket that is connected hears when nobody listens on this machine."""

    def __init__(self, host: str = HOST, port: int = PORT, notice: Notice = lambda text: None) -> None:
        """The name is looked up now, which may take a moment; to try again, make a new one. notice: told of each error once."""
        self._address = f"{host}:{port}"
        self._notice = notice
        self._packets, self._error = 0, ""
        self._told: set[str] = set()
        self._socket: socket.socket | None = None
        try:
            self._socket = _connected(host, port)
        except (OSError, UnicodeError, OverflowError) as error:
            self._fail(f"cannot send to {self._address}: {_reason(error)}")

    @property
    def state(self) -> LinkState:
        return LinkState(self._address, self._packets, self._error)

    def show(self, moment: Moment) -> None:
        if self._socket is None:
            return
        try:
            self._send(self._socket, packet(moment))
        except BlockingIOError:
            pass  # the system is busy: the next packet will do
        except (OSError, ValueError) as error:
            self._fail(f"cannot send to {self._address}: {_reason(error)}")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, link: socket.socket, content: bytes) -> None:
        """A refusal belongs to the packet before; this one is sent all the same, for somebody may listen by now."""
        try:
            link.send(content)
            self._error = ""
        except ConnectionRefusedError:
            self._fail(f"nobody listens at {self._address} yet: start RocketSimVis")
            link.send(content)
        self._packets += 1

    def _fail(self, error: str) -> None:
        self._error = error
        if error not in self._told:
            self._told.add(error)
            self._notice(error)


def _connected(host: str, port: int) -> socket.socket:
    """OSError for a host that is unknown or cannot be reached."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    link = socket.socket(family, kind, protocol)
    try:
        link.setblocking(False)
        link.connect(address)
    except OSError:
        link.close()
        raise
    return link


def _reason(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return "unknown host"
    if isinstance(error, OSError):
        return "the packet is too large" if error.errno == errno.EMSGSIZE else (error.strerror or str(error))
    return str(error)
