"""WorkerSettings: each worker is sent all its settings, and who asked hears when they are applied."""

from __future__ import annotations

from typing import cast

import pytest

from rltui.events.commands import FlagLive
from rltui.train.collect.collector import Collector
from rltui.train.collect.worker_settings import PATIENCE, Wait, WorkerSettings
from tests.fakes.workers import PlayedWorkers


class Asker:
    def __init__(self) -> None:
        self.answers: list[str] = []
        self.wait = Wait(lambda words: self.answers.append(f"+{words}"), lambda words: self.answers.append(f"-{words}"))


@pytest.fixture
def workers() -> PlayedWorkers:
    return PlayedWorkers(3)


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def settings(workers: PlayedWorkers, now: list[float]) -> WorkerSettings:
    return WorkerSettings(cast(Collector, workers), clock=lambda: now[0])


def test_it_is_applied_when_every_worker_obeys(settings: WorkerSettings, workers: PlayedWorkers) -> None:
    asker = Asker()
    settings.set_flags(["debug_actions"], True, wait=asker.wait)
    assert [told[-1].flags for told in workers.sent.values()] == [("debug_actions",)] * 3
    workers.apply(0, 2)
    settings.poll()
    assert asker.answers == []
    workers.apply(1)
    settings.poll()
    settings.poll()
    assert asker.answers == ["+by 3 of 3 workers"]
    assert settings.flags() == [FlagLive("debug_actions")]


def test_one_worker_alone_on_and_off(settings: WorkerSettings, workers: PlayedWorkers) -> None:
    asker = Asker()
    settings.set_flags(["debug_actions"], True, 1, asker.wait)
    assert workers.sent[0] == workers.sent[2] == []
    assert settings.flags() == [FlagLive("debug_actions", [1])]
    workers.apply(1)
    settings.poll()
    assert asker.answers == ["+by worker 1"]
    settings.set_flags(["debug_actions"], True)
    settings.set_flags(["debug_actions"], False, 0)
    assert settings.flags() == [FlagLive("debug_actions", [1, 2])]
    assert [told[-1].flags for told in workers.sent.values()] == [(), ("debug_actions",), ("debug_actions",)]
    settings.set_flags(["debug_actions"], False)
    assert settings.flags() == []
    assert not settings.is_on("debug_actions")


def test_who_does_not_answer_is_named(settings: WorkerSettings, workers: PlayedWorkers, now: list[float]) -> None:
    asker = Asker()
    settings.set_flags(["debug_actions"], True, wait=asker.wait)
    workers.apply(0, 1)
    now[0] = PATIENCE + 0.1
    settings.poll()
    assert asker.answers == [
        "-2 of 3 workers have it; worker 2, silent for 10 s, gets it when it answers or is replaced"
    ]
    workers.apply(2)
    settings.poll()
    assert len(asker.answers) == 1


def test_the_next_tasks_workers_get_the_same(settings: WorkerSettings) -> None:
    settings.set_flags(["debug_actions"], True)
    settings.set_flags(["global_debug_mode"], True, 2)
    settings.set_weights({"touch": 2.0})
    following = PlayedWorkers(4)
    settings.use_collector(cast(Collector, following), {"goal": 3.0})
    newest = [told[-1] for told in following.sent.values()]
    assert [order.flags for order in newest] == [
        ("debug_actions",), ("debug_actions",), ("global_debug_mode", "debug_actions"), ("debug_actions",),
    ]  # fmt: skip
    assert {tuple(order.weights.items()) for order in newest} == {(("goal", 3.0),)}


def test_flags_and_weights_do_not_undo_each_other(settings: WorkerSettings, workers: PlayedWorkers) -> None:
    settings.set_weights({"touch": 2.0})
    settings.set_flags(["debug_turtled_start"], True, restart_episodes=True)
    order = workers.sent[1][-1]
    assert (order.flags, order.weights, order.restart_episodes) == (("debug_turtled_start",), {"touch": 2.0}, True)
    settings.set_weights({})
    assert (workers.sent[1][-1].flags, workers.sent[1][-1].restart_episodes) == (("debug_turtled_start",), False)


def test_nothing_is_listened_to_while_there_is_nothing_to_hear(
    settings: WorkerSettings, workers: PlayedWorkers
) -> None:
    settings.poll()
    assert workers.received == 0


def test_the_end_refuses_whoever_waits(settings: WorkerSettings) -> None:
    asker = Asker()
    settings.set_flags(["debug_actions"], True, wait=asker.wait)
    settings.refuse("the run has ended")
    settings.poll()
    assert asker.answers == ["-the run has ended"]
