"""WorkerSettings: each worker is told all that holds for it, and who asked hears when it is in force."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from rltui.events.commands import FlagLive
from rltui.train.collect.collector import Collector
from rltui.train.collect.messages import Configure
from rltui.train.collect.worker_settings import PATIENCE, Wait, WorkerSettings


class Workers:
    """A collector whose workers obey when the test says so."""

    def __init__(self, count: int) -> None:
        self.shared = SimpleNamespace(shape=SimpleNamespace(workers=count))
        self.told: dict[int, list[Configure]] = {index: [] for index in range(count)}
        self.obeying = dict.fromkeys(range(count), 0)
        self.heard = 0

    def configure(self, worker: int, order: Configure) -> None:
        self.told[worker].append(order)

    def listen(self) -> None:
        self.heard += 1

    def obeyed(self, worker: int) -> int:
        return self.obeying[worker]

    def obey(self, *workers: int) -> None:
        for worker in workers:
            self.obeying[worker] = self.told[worker][-1].number


class Asker:
    def __init__(self) -> None:
        self.answers: list[str] = []
        self.wait = Wait(lambda words: self.answers.append(f"+{words}"), lambda words: self.answers.append(f"-{words}"))


@pytest.fixture
def workers() -> Workers:
    return Workers(3)


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def orders(workers: Workers, now: list[float]) -> WorkerSettings:
    return WorkerSettings(cast(Collector, workers), clock=lambda: now[0])


def test_it_is_applied_when_every_worker_obeys(orders: WorkerSettings, workers: Workers) -> None:
    asker = Asker()
    orders.set_flags(["debug_actions"], True, wait=asker.wait)
    assert [told[-1].flags for told in workers.told.values()] == [("debug_actions",)] * 3
    workers.obey(0, 2)
    orders.attend()
    assert asker.answers == []
    workers.obey(1)
    orders.attend()
    orders.attend()
    assert asker.answers == ["+by 3 of 3 workers"]
    assert orders.flags() == [FlagLive("debug_actions")]


def test_one_worker_alone_on_and_off(orders: WorkerSettings, workers: Workers) -> None:
    asker = Asker()
    orders.set_flags(["debug_actions"], True, 1, asker.wait)
    assert workers.told[0] == workers.told[2] == []
    assert orders.flags() == [FlagLive("debug_actions", [1])]
    workers.obey(1)
    orders.attend()
    assert asker.answers == ["+by worker 1"]
    orders.set_flags(["debug_actions"], True)
    orders.set_flags(["debug_actions"], False, 0)
    assert orders.flags() == [FlagLive("debug_actions", [1, 2])]
    assert [told[-1].flags for told in workers.told.values()] == [(), ("debug_actions",), ("debug_actions",)]
    orders.set_flags(["debug_actions"], False)
    assert orders.flags() == []
    assert not orders.is_on("debug_actions")


def test_who_does_not_answer_is_named(orders: WorkerSettings, workers: Workers, now: list[float]) -> None:
    asker = Asker()
    orders.set_flags(["debug_actions"], True, wait=asker.wait)
    workers.obey(0, 1)
    now[0] = PATIENCE + 0.1
    orders.attend()
    assert asker.answers == [
        "-2 of 3 workers have it; worker 2 has not answered for 10 s, and gets it when it does, or the one in its place"
    ]
    workers.obey(2)
    orders.attend()
    assert len(asker.answers) == 1


def test_the_next_lessons_workers_are_told_the_same(orders: WorkerSettings) -> None:
    orders.set_flags(["debug_actions"], True)
    orders.set_flags(["global_debug_mode"], True, 2)
    orders.set_weights({"touch": 2.0})
    following = Workers(4)
    orders.take_over(cast(Collector, following), {"goal": 3.0})
    newest = [told[-1] for told in following.told.values()]
    assert [order.flags for order in newest] == [
        ("debug_actions",), ("debug_actions",), ("global_debug_mode", "debug_actions"), ("debug_actions",),
    ]  # fmt: skip
    assert {tuple(order.weights.items()) for order in newest} == {(("goal", 3.0),)}


def test_flags_and_weights_do_not_undo_each_other(orders: WorkerSettings, workers: Workers) -> None:
    orders.set_weights({"touch": 2.0})
    orders.set_flags(["debug_turtled_start"], True, restart_episodes=True)
    order = workers.told[1][-1]
    assert (order.flags, order.weights, order.restart_episodes) == (("debug_turtled_start",), {"touch": 2.0}, True)
    orders.set_weights({})
    assert (workers.told[1][-1].flags, workers.told[1][-1].restart_episodes) == (("debug_turtled_start",), False)


def test_nothing_is_listened_to_while_there_is_nothing_to_hear(orders: WorkerSettings, workers: Workers) -> None:
    orders.attend()
    assert workers.heard == 0


def test_the_end_refuses_whoever_waits(orders: WorkerSettings) -> None:
    asker = Asker()
    orders.set_flags(["debug_actions"], True, wait=asker.wait)
    orders.refuse("the run has ended")
    orders.attend()
    assert asker.answers == ["-the run has ended"]
