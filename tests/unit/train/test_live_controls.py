"""What the loop does with commands: pause holds, resume lets go, saves are served, stops end a pause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from rltui.events.commands import (
    Command,
    NextPhase,
    Pause,
    Resume,
    SaveCheckpoint,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
    Stop,
)
from rltui.train.control.commands import Known, LiveControls, LoopState, Pending, StopNow, StopRequest, Urgency


@dataclass
class FakePending:
    command: Command
    by: str = "ada"
    answers: list[str] = field(default_factory=list)

    def applied(self, detail: str) -> None:
        self.answers.append(f"applied {detail}")

    def refused(self, reason: str) -> None:
        self.answers.append(f"refused {reason}")


class Desk:
    """Commands that arrive one look at a time."""

    def __init__(self) -> None:
        self.arriving: list[list[FakePending]] = []
        self.states: list[tuple[str, str]] = []
        self.lines: list[str] = []
        self.loop = LoopState(state="collecting")
        self.stop = StopRequest(lambda: None)
        self.controls = LiveControls(
            self.loop,
            self.stop,
            self.take,
            lambda live: None,
            self.lines.append,
        )
        self.controls.change_state = lambda *state: self.states.append(state)

    def take(self) -> list[Pending]:
        return list(self.arriving.pop(0)) if self.arriving else []


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_pause_holds_until_it_is_resumed(desk: Desk) -> None:
    pause, resume = FakePending(Pause()), FakePending(Resume())
    desk.arriving = [[pause], [], [], [resume]]
    desk.controls.poll()
    assert pause.answers == ["applied paused"]
    assert resume.answers == ["applied training goes on"]
    assert desk.states == [("paused", "by ada"), ("collecting", "")]
    assert desk.controls.paused_seconds > 0
    assert desk.arriving == []


def test_within_an_update_a_pause_waits_for_the_next_collection(desk: Desk) -> None:
    pause = FakePending(Pause())
    desk.arriving = [[pause]]
    desk.controls.look()
    assert pause.answers == []
    desk.arriving = [[FakePending(Resume())]]
    desk.controls.look()
    assert pause.answers == ["refused resumed before the pause took hold"]


def test_a_pause_that_comes_together_with_a_resume_is_answered_too(desk: Desk) -> None:
    """As from two people within one look."""
    pauses, resumes = [FakePending(Pause()), FakePending(Pause())], [FakePending(Resume()), FakePending(Resume())]
    desk.arriving = [[pauses[0]], [resumes[0], pauses[1]], [], [resumes[1]]]
    desk.controls.poll()
    assert [pause.answers for pause in pauses] == [["applied paused"]] * 2
    assert [resume.answers for resume in resumes] == [["applied training goes on"]] * 2
    assert desk.arriving == []


def test_saves_are_served_while_paused(desk: Desk) -> None:
    served: list[FakePending] = []

    def serve() -> None:
        served.extend(desk.controls.saves)  # type: ignore[arg-type]
        desk.controls.saves = []

    desk.controls.serve_saves = serve
    save = FakePending(SaveCheckpoint())
    desk.arriving = [[FakePending(Pause())], [save], [], [FakePending(Resume())]]
    desk.controls.poll()
    assert served == [save]


@pytest.mark.parametrize(
    ("commands", "answer"),
    [([Resume()], "refused not paused"), ([Pause(), Pause()], "refused already paused")],
)
def test_what_makes_no_sense_is_refused_with_the_reason(desk: Desk, commands: list[Command], answer: str) -> None:
    pending = [FakePending(command) for command in commands]
    desk.arriving = [list(pending)]
    desk.controls.look()
    assert pending[-1].answers == [answer]


@pytest.mark.parametrize(("mode", "urgency"), [("finish", Urgency.FINISH), ("now", Urgency.NOW)])
def test_a_stop_ends_a_pause_and_is_answered_when_done(desk: Desk, mode: str, urgency: Urgency) -> None:
    stop = FakePending(Stop(mode))  # type: ignore[arg-type]
    desk.arriving = [[FakePending(Pause())], [stop]]
    leave: Callable[[], None] = desk.controls.poll
    if urgency is Urgency.NOW:
        with pytest.raises(StopNow):
            leave()
    else:
        leave()
    assert desk.stop.urgency is urgency
    assert "by ada" in desk.stop.reason
    assert stop.answers == []
    desk.controls.answer_stops("stopped at 5 timesteps")
    assert stop.answers == ["applied stopped at 5 timesteps"]
    assert len(desk.lines) == 1, "said once"


def test_what_comes_while_the_run_ends_is_answered(desk: Desk) -> None:
    stop, save, pause = FakePending(Stop("finish")), FakePending(SaveCheckpoint()), FakePending(Pause())
    desk.arriving = [[stop, save, pause]]
    desk.controls.refuse_waiting("the run has ended")
    desk.controls.answer_stops("stopped at 0 timesteps")
    assert stop.answers == ["applied stopped at 0 timesteps"]
    assert save.answers == pause.answers == ["refused the run has ended"]


def test_nothing_begins_any_more_while_the_run_ends(desk: Desk) -> None:
    """The viewer has been closed by then: a new one would only hold up the end."""
    begun: list[Pending] = []
    desk.controls.set_render = desk.controls.set_flag = begun.append
    desk.controls.known = lambda: Known(("touch",), 2)
    late = [FakePending(SetRender(True)), FakePending(SetFlag("debug_actions", True))]
    desk.arriving = [list(late)]
    desk.controls.refuse_waiting("the run has ended")
    assert begun == []
    assert [pending.answers for pending in late] == [["refused the run has ended"]] * 2


@pytest.mark.parametrize("value", [None, 0.0, 5e-5, 1.0])
def test_a_learning_rate_waits_for_the_next_update(desk: Desk, value: float | None) -> None:
    pending = FakePending(SetLearningRate(value))
    desk.arriving = [[pending]]
    desk.controls.look()
    assert pending.answers == []
    assert desk.controls.rates == [pending]


@pytest.mark.parametrize("value", [-1e-9, 1.001, 1e300])
def test_what_is_no_learning_rate_is_refused_at_once(desk: Desk, value: float) -> None:
    pending = FakePending(SetLearningRate(value))
    desk.arriving = [[pending]]
    desk.controls.look()
    assert pending.answers == [f"refused a learning rate is 0 to 1, found {value:g}"]
    assert desk.controls.rates == []


def test_what_waits_for_an_iteration_that_does_not_come_is_refused(desk: Desk) -> None:
    waiting = [FakePending(NextPhase()), FakePending(SetLearningRate(1e-4)), FakePending(SaveCheckpoint())]
    desk.arriving = [list(waiting)]
    desk.controls.look()
    desk.controls.refuse_waiting("the run has ended")
    assert [pending.answers for pending in waiting] == [["refused the run has ended"]] * 3


def test_a_flag_is_handed_on_at_once_and_what_is_unknown_is_refused(desk: Desk) -> None:
    handed: list[FakePending] = []
    desk.controls.set_flag = handed.append  # type: ignore[assignment]
    desk.controls.known = lambda: Known(("touch",), 2)
    flag, wrong = FakePending(SetFlag("debug_actions", True)), FakePending(SetFlag("debug_acts", True))
    weight, unknown = FakePending(SetRewardWeight("touch", 2.0)), FakePending(SetRewardWeight("xyz", 2.0))
    huge, entropy = FakePending(SetRewardWeight("touch", 1e9)), FakePending(SetEntropy(0.02))
    desk.arriving = [[flag, wrong, weight, unknown, huge, entropy]]
    desk.controls.look()
    assert handed == [flag]
    assert wrong.answers == ["refused no debug flag 'debug_acts': did you mean \"debug_actions\"?"]
    assert (desk.controls.weights, desk.controls.rates) == ([weight], [entropy])
    assert unknown.answers == ["refused no reward 'xyz': there are touch"]
    assert huge.answers == ["refused a reward's weight is -1,000,000 to 1,000,000, found 1e+09"]
