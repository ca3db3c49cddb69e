"""RocketSimVis: moments as UDP packets of JSON to the visualiser of that name.

It never answers, and prints what it cannot read in a console of its own: packets must be right by themselves. Whatever
goes wrong here stays here: a match goes on without it.
"""

from __future__ import annotations

import errno
import json
import queue
import socket
import threading
from dataclasses import dataclass
from typing import Any

from rltui.events.match_frames import CarFrame, MatchFrame
from rltui.view.output import Notice, Output

HOST, PORT = "127.0.0.1", 9273
SOON = 0.2  # seconds that a name may take; the network's silence takes many, and no match waits for that
NOBODY = "nobody listens: start RocketSimVis"
AXES = ("throttle", "steer", "pitch", "yaw", "roll")
BUTTONS = ("jump", "boost", "handbrake")


def packet(moment: MatchFrame) -> bytes:
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


def _car(car: CarFrame) -> dict[str, Any]:
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
    """packets: handed to the system; whether anybody reads them, UDP does not tell.

    error: the last one, without the address; "" when it is over.
    """

    address: str
    packets: int
    error: str


class RocketSimVis(Output):
    """Sends every moment. A socket that is connected hears when nobody listens on this machine.

    A name may stand for several addresses (localhost: ::1 and 127.0.0.1): where one refuses, the next has its turn.
    """

    def __init__(self, host: str = HOST, port: int = PORT, notice: Notice = lambda text: None) -> None:
        """The name is looked up now, by a thread; to try again, make a new link. notice: called once for each error."""
        host = host.removeprefix("[").removesuffix("]")
        self._address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._notice = notice
        self._packets, self._error = 0, ""
        self._noticed: set[str] = set()
        self._links: list[socket.socket] = []  # the first is sent to
        self._refused = 0  # addresses in a row
        self._found: queue.SimpleQueue[list[socket.socket] | Exception] = queue.SimpleQueue()
        looking = threading.Thread(target=self._look_up, args=(host, port), name="name of a host", daemon=True)
        looking.start()
        looking.join(SOON)
        self._take_found()

    @property
    def state(self) -> LinkState:
        return LinkState(self._address, self._packets, self._error)

    def show(self, moment: MatchFrame) -> None:
        if not self._links:
            self._take_found()
        if not self._links:
            return
        try:
            self._send(packet(moment))
        except BlockingIOError:
            pass  # the system is busy: the next packet will do
        except (OSError, ValueError) as error:
            self._fail(_reason(error))

    def close(self) -> None:
        for link in self._links:
            link.close()
        self._links.clear()

    def _look_up(self, host: str, port: int) -> None:
        try:
            self._found.put(_connected(host, port))
        except (OSError, UnicodeError, OverflowError) as error:
            self._found.put(error)

    def _take_found(self) -> None:
        """What the thread has found, once it has."""
        try:
            found = self._found.get_nowait()
        except queue.Empty:
            return
        if isinstance(found, Exception):
            self._fail(_reason(found))
        else:
            self._links = found

    def _send(self, content: bytes) -> None:
        """A refusal belongs to the packet before; this one is sent all the same, for somebody may listen by now."""
        refused = self._refused
        for _ in range(len(self._links) + 1):
            if self._taken(content):
                break
            self._refused += 1
            self._links.append(self._links.pop(0))
        if self._refused == refused:
            self._refused = 0
        if self._refused >= len(self._links):
            self._fail(NOBODY)
        else:
            self._error = ""
        self._packets += 1

    def _taken(self, content: bytes) -> bool:
        """By the first link; False where that only says that a packet before was refused."""
        try:
            self._links[0].send(content)
        except ConnectionRefusedError:
            return False
        return True

    def _fail(self, error: str) -> None:
        self._error = error
        if error not in self._noticed:
            self._noticed.add(error)
            self._notice(f"RocketSimVis at {self._address}: {error}")


def _connected(host: str, port: int) -> list[socket.socket]:
    """To each address of the host, in the system's order. OSError for one that is unknown or cannot be reached."""
    links: list[socket.socket] = []
    problem = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM):
        try:
            links.append(_link(socket.socket(family, kind, protocol), address))
        except OSError as error:
            problem = error
    if not links:
        raise problem
    return links


def _link(link: socket.socket, address: Any) -> socket.socket:
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
