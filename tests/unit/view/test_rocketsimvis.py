"""RocketSimVis: the packets are what the visualiser reads; whatever goes wrong, the match does not hear of it."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rltui.events.match_frames import MatchFrame
from rltui.league.match import Match
from rltui.league.players import ScriptedSide, Seat
from rltui.opponents.scripted import ChaserPlayer
from rltui.view import rocketsimvis
from rltui.view.outputs import LinkSwitch
from rltui.view.rocketsimvis import RocketSimVis, packet
from tests.fakes.game_states import TEAM_SIZES
from tests.fakes.moments import car, moment, random_moment
from tests.fakes.rocketsimvis import Listener, accepted, free_port
from tests.fakes.training import wait_for


@pytest.fixture
def listener() -> Iterator[Listener]:
    found = Listener()
    yield found
    found.close()


def test_a_packet_by_hand() -> None:
    pads = [0.0] * 34
    pads[3], pads[33] = 9.5, 0.01
    cars = (
        car(0, (1.0, 2.0, 3.0), boost=67.5),
        car(1, (4.0, 5.0, 6.0), velocity=(7.0, 8.0, 9.0), demolished=True, on_ground=False, flip_used=True),
    )
    content = accepted(packet(moment(ball_position=(10.0, -20.5, 93.0), cars=cars, pad_timers=tuple(pads))))
    assert content["ball_phys"] == {"pos": [10.0, -20.5, 93.0], "vel": [0.0] * 3, "ang_vel": [0.0] * 3}
    assert [index for index, active in enumerate(content["boost_pad_states"]) if not active] == [3, 33]
    blue, orange = content["cars"]
    assert (blue["team_num"], blue["boost_amount"], blue["phys"]["forward"]) == (0, 67.5, [0.0, 1.0, 0.0])
    assert (blue["is_demoed"], blue["on_ground"], blue["has_flipped_or_double_jumped"]) == (False, True, False)
    assert (orange["is_demoed"], orange["on_ground"], orange["has_flipped_or_double_jumped"]) == (True, False, True)
    assert orange["phys"]["vel"] == [7.0, 8.0, 9.0] and orange["phys"]["forward"] == [0.0, -1.0, 0.0]
    axes = {"throttle": 1.0, "steer": -0.5, "pitch": 0.0, "yaw": 0.0, "roll": 0.0}
    assert blue["controls"] == axes | {"jump": True, "boost": False, "handbrake": False}


def test_whatever_a_state_holds_is_accepted(subtests: pytest.Subtests) -> None:
    for teams in TEAM_SIZES:
        with subtests.test(teams=teams):
            rng = np.random.default_rng(teams)
            for _ in range(20):
                content = accepted(packet(random_moment(rng, *teams)))
                assert [car["team_num"] for car in content["cars"]] == [0] * teams[0] + [1] * teams[1]


def test_a_match_arrives_whole_and_in_order(listener: Listener) -> None:
    players = tuple(
        ScriptedSide(ChaserPlayer(ChaserPlayer.Params()), Seat((1, 1), slice(i, i + 1), [i])) for i in (0, 1)
    )
    match = Match(players, (1, 1), [0])  # type: ignore[arg-type]
    notices: list[str] = []
    link = RocketSimVis("127.0.0.1", listener.port, notices.append)
    for sent in range(1, 101):
        match.play(4)
        shown = match.moment()
        link.show(shown)
        assert accepted(listener.receive())["ball_phys"]["pos"] == list(shown.ball_position)
        assert (link.state.packets, link.state.error) == (sent, "")
    assert link.state.address == f"127.0.0.1:{listener.port}" and not notices


def test_nobody_listens_and_then_somebody_does() -> None:
    port, notices = free_port(), []
    link = RocketSimVis("127.0.0.1", port, notices.append)
    for _ in range(50):
        link.show(moment())
    assert link.state.error == "nobody listens: start RocketSimVis"
    assert notices == [f"RocketSimVis at 127.0.0.1:{port}: {link.state.error}"]
    listener = Listener(port)
    link.show(moment())  # hears of the last refusal, and is sent all the same
    accepted(listener.receive())
    link.show(moment())
    accepted(listener.receive())
    assert (link.state.error, link.state.packets) == ("", 52)
    listener.close()
    for _ in range(10):
        link.show(moment())
    assert link.state.error and len(notices) == 1


def test_an_unknown_host_is_one_notice() -> None:
    notices: list[str] = []
    link = RocketSimVis("no-such-host.invalid", 9273, notices.append)
    wait_for(lambda: link.show(moment()) or notices, "the answer of who knows names")
    for _ in range(5):
        link.show(moment())
    assert notices == ["RocketSimVis at no-such-host.invalid:9273: unknown host"]
    assert (link.state.error, link.state.packets) == ("unknown host", 0)
    link.close()


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_ipv6_with_and_without_brackets(subtests: pytest.Subtests) -> None:
    for host in ("::1", "[::1]"):
        with subtests.test(host=host):
            try:
                listener = Listener(family=socket.AF_INET6)
            except OSError:
                pytest.skip("this machine has no ::1")
            link = RocketSimVis(host, listener.port)
            link.show(moment())
            accepted(listener.receive())
            assert link.state.address == f"[::1]:{listener.port}"
            link.close()
            listener.close()


def test_of_a_name_with_two_addresses_the_one_that_listens_is_found(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As localhost often is: ::1 comes first, and the visualiser listens at 127.0.0.1."""
    deaf = free_port()
    known = [
        (socket.AF_INET, socket.SOCK_DGRAM, 0, "", ("127.0.0.1", deaf)),
        (socket.AF_INET, socket.SOCK_DGRAM, 0, "", ("127.0.0.1", listener.port)),
    ]
    monkeypatch.setattr(rocketsimvis.socket, "getaddrinfo", lambda *_, **__: known)
    notices: list[str] = []
    link = RocketSimVis("localhost", 9273, notices.append)
    for _ in range(3):
        link.show(moment())
    for _ in range(2):  # the first went to the other one
        accepted(listener.receive())
    assert (link.state.error, notices) == ("", [])
    listener.close()
    for _ in range(4):
        link.show(moment())
    assert link.state.error == rocketsimvis.NOBODY
    assert len(notices) == 1
    link.close()


def test_a_name_that_nobody_answers_for_holds_up_nothing(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    look_up = socket.getaddrinfo

    def silence(*asked: Any, **how: Any) -> Any:
        answered.wait(20.0)
        return look_up("127.0.0.1", *asked[1:], **how)

    monkeypatch.setattr(rocketsimvis.socket, "getaddrinfo", silence)
    monkeypatch.setattr(rocketsimvis, "SOON", 0.0)
    link = RocketSimVis("far.example", listener.port)
    link.show(moment())
    assert link.state.packets == 0
    answered.set()
    wait_for(lambda: link.show(moment()) or link.state.packets, "a packet")
    accepted(listener.receive())
    link.close()


def test_a_host_that_is_none_is_no_crash(subtests: pytest.Subtests) -> None:
    for host in ("", "a" * 70 + ".b", "\ud800", "\x00", "256.256.256.256", "::ffff:zz"):
        with subtests.test(host=host):
            told: list[str] = []
            link = RocketSimVis(host, 9273, told.append)

            def said(link: RocketSimVis = link) -> str:
                link.show(moment())
                return link.state.error

            wait_for(said, "the error, which is the network's to find")
            link.close()
            assert len(told) == 1 and told[0].endswith(link.state.error)


def test_a_packet_that_is_too_large_is_one_notice(listener: Listener) -> None:
    notices: list[str] = []
    link = RocketSimVis("127.0.0.1", listener.port, notices.append)
    crowd = moment(cars=(car(0, (0.0, 0.0, 17.0)),) * 500)
    for _ in range(5):
        link.show(crowd)
    assert notices == [f"RocketSimVis at 127.0.0.1:{listener.port}: the packet is too large"]
    link.show(moment())
    accepted(listener.receive())
    assert (link.state.error, link.state.packets) == ("", 1)


def test_a_number_that_is_none_is_not_sent(listener: Listener) -> None:
    notices: list[str] = []
    link = RocketSimVis("127.0.0.1", listener.port, notices.append)
    link.show(moment(ball_position=(float("nan"), 0.0, 0.0)))
    assert len(notices) == 1 and link.state.packets == 0


@pytest.mark.parametrize("number", [errno.ENETUNREACH, errno.EPERM, errno.ENOBUFS, errno.EAGAIN])
def test_what_the_system_refuses_stays_here(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing(socket.socket):
        def send(self, *_: object) -> int:
            raise OSError(number, "refused")

    monkeypatch.setattr(rocketsimvis.socket, "socket", Refusing)
    link = RocketSimVis(notice=lambda text: None)
    link.show(moment())
    assert link.state.packets == 0
    link.close()


def test_switched_off_nothing_is_sent_and_the_count_goes_on(listener: Listener) -> None:
    switch = LinkSwitch(lambda: RocketSimVis("127.0.0.1", listener.port))
    shown: MatchFrame = moment()
    switch.show(shown)
    assert not switch.on and switch.words() == "RocketSimVis off"
    for packets in (1, 2):
        switch.toggle()
        switch.show(shown)
        accepted(listener.receive())
        assert switch.on and switch.words() == f"RocketSimVis 127.0.0.1:{listener.port} {packets} packets"
        switch.toggle()
        switch.show(shown)
        assert switch.state.packets == packets and not switch.on
    switch.close()
