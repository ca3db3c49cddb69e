"""Who holds control, and what the others may do."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.events.commands import Pause, Stop, TakeControl
from rltui.train.control.router import ControlHolder


@dataclass(eq=False)
class Somebody:
    name: str
    readonly: bool = False
    errand: bool = False


def test_the_first_that_may_holds_control_and_hands_it_on() -> None:
    control = ControlHolder()
    watcher, first, second = Somebody("watcher", readonly=True), Somebody("first"), Somebody("second")
    for person in (watcher, first, second):
        control.join(person)
    assert control.holder is first
    control.leave(first)
    assert control.holder is second
    control.leave(second)
    assert control.holder is None


def test_others_are_refused_by_the_name_of_the_holder() -> None:
    control = ControlHolder()
    first, second = Somebody("first"), Somebody("second")
    control.join(first)
    control.join(second)
    assert control.refusal(first, Pause()) is None
    assert "first holds control" in (control.refusal(second, Pause()) or "")
    assert "first holds control" in (control.refusal(second, Stop()) or "")


def test_readonly_commands_nothing_even_alone() -> None:
    control = ControlHolder()
    watcher = Somebody("watcher", readonly=True, errand=True)
    control.join(watcher)
    assert "read-only" in (control.refusal(watcher, Stop()) or "")


def test_an_errand_never_holds_control_and_may_always_stop() -> None:
    control = ControlHolder()
    errand, viewer = Somebody("errand", errand=True), Somebody("viewer")
    control.join(errand)
    assert control.holder is None
    assert control.refusal(errand, Pause()) is None
    control.join(viewer)
    assert control.holder is viewer
    assert control.refusal(errand, Stop("now")) is None
    assert "viewer holds control" in (control.refusal(errand, Pause()) or "")


def test_control_is_taken_at_once_and_the_former_holder_is_next_in_line() -> None:
    control = ControlHolder()
    first, second, third = Somebody("first"), Somebody("second"), Somebody("third")
    for person in (first, second, third):
        control.join(person)
    assert control.refusal(third, TakeControl()) is None
    assert control.take(third) is first
    assert control.holder is third
    assert "third holds control" in (control.refusal(first, Pause()) or "")
    control.leave(third)
    assert control.holder is first
    control.leave(first)
    assert control.holder is second


def test_neither_readonly_nor_errands_take_control() -> None:
    control = ControlHolder()
    assert "read-only" in (control.refusal(Somebody("watcher", readonly=True), TakeControl()) or "")
    assert "errand" in (control.refusal(Somebody("errand", errand=True), TakeControl()) or "")


def test_who_is_refused_is_told_how_to_take_control() -> None:
    control = ControlHolder()
    first, second = Somebody("first"), Somebody("second")
    control.join(first)
    control.join(second)
    assert "O in the cockpit takes it" in (control.refusal(second, Pause()) or "")
