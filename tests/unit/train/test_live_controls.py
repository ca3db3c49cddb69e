"""What the loop does with commands at its boundaries: pause holds, resume lets go, saves are served, stops end a pause."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rltui.events.commands import (
    Command,
    CommandApplied,
    CommandRefused,
    Live,
    NextPhase,
    Pause,
    Resume,
    SaveCheckpoint,
    SaveMilestone,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRender,
    SetRewardWeight,
    Stop,
    WorkerLive,
)
from rltui.events.records import LogLine, Record, SettingChanged, StateChanged
from rltui.train.active_task import LoopState
from rltui.train.collect.worker_settings import WorkerSettings
from rltui.train.control.commands import (
    CommandQueue,
    Known,
    PendingCommand,
    StopNow,
    StopRequest,
    Urgency,
    command_problem,
)
from rltui.train.live_controls import LiveControls, LiveSettings, LoopView
from tests.fakes.workers import PlayedWorkers


def worker_live(worker: int, state: str, pid: int) -> WorkerLive:
    return WorkerLive(worker, state, pid, None, 1, None, 9.0, 0, 0.5)


class Asked:
    """A command that waits for its answer, and the answers to it."""

    def __init__(self, command: Command) -> None:
        self.answers: list[str] = []
        self.pending = PendingCommand(1, command, "ada", self._answer)

    def _answer(self, pending: PendingCommand, outcome: CommandApplied | CommandRefused) -> None:
        said = f"applied {outcome.detail}" if isinstance(outcome, CommandApplied) else f"refused {outcome.reason}"
        self.answers.append(said)


class Loop:
    """Controls whose commands arrive one look at a time. The viewer stands for all that polls between them."""

    def __init__(self) -> None:
        self.arriving: list[list[Asked]] = []
        self.records: list[Record] = []
        self.saved: list[PendingCommand] = []
        self.shown: list[Live] = []
        self.loop = LoopState(self.records.append, state="collecting")
        self.stop = StopRequest(lambda: None)
        self.queue = CommandQueue()
        self.workers = PlayedWorkers(2)
        overrides = SimpleNamespace(reward_names=["touch"])
        task = SimpleNamespace(
            settings=WorkerSettings(cast(Any, self.workers)), overrides=overrides, collector=self.workers
        )
        viewer = SimpleNamespace(poll=self._arrive, live=lambda: None)
        evaluator = SimpleNamespace(live=lambda: None)
        server = SimpleNamespace(commands=self.queue, show=self.shown.append)
        self.controls = LiveControls(
            cast(Any, server),
            self.stop,
            LiveSettings(self.queue, self.loop, cast(Any, task)),
            self._serve,
            LoopView(self.loop, cast(Any, task), cast(Any, viewer), cast(Any, evaluator)),
        )

    @property
    def states(self) -> list[tuple[str, str]]:
        return [(record.state, record.reason) for record in self.records if isinstance(record, StateChanged)]

    def put(self, *asked: Asked) -> None:
        for one in asked:
            self.queue.put(one.pending)

    def look(self, *commands: Command) -> list[Asked]:
        """One look that finds these."""
        asked = [Asked(command) for command in commands]
        self.put(*asked)
        self.controls.look()
        return asked

    def poll(self, *looks: list[Asked]) -> None:
        """A poll that finds the first of these at once, the others one look later each."""
        self.arriving = list(looks[1:])
        self.put(*looks[0])
        self.controls.poll()
        assert self.arriving == []

    def _arrive(self) -> None:
        if self.arriving:
            self.put(*self.arriving.pop(0))

    def _serve(self) -> None:
        self.saved += self.queue.take(SaveCheckpoint, SaveMilestone)


@pytest.fixture
def loop() -> Loop:
    return Loop()


def test_a_pause_holds_until_it_is_resumed(loop: Loop) -> None:
    pause, resume = Asked(Pause()), Asked(Resume())
    loop.poll([pause], [], [], [resume])
    assert pause.answers == ["applied paused"]
    assert resume.answers == ["applied training goes on"]
    assert loop.states == [("paused", "by ada"), ("collecting", "")]
    assert loop.controls.paused_seconds > 0


def test_within_an_update_a_pause_waits_for_the_next_collection(loop: Loop) -> None:
    [pause] = loop.look(Pause())
    assert pause.answers == []
    loop.look(Resume())
    assert pause.answers == ["refused resumed before it paused"]


def test_a_pause_that_comes_together_with_a_resume_is_answered_too(loop: Loop) -> None:
    """As from two people within one look."""
    pauses, resumes = [Asked(Pause()), Asked(Pause())], [Asked(Resume()), Asked(Resume())]
    loop.poll([pauses[0]], [resumes[0], pauses[1]], [], [resumes[1]])
    assert [pause.answers for pause in pauses] == [["applied paused"]] * 2
    assert [resume.answers for resume in resumes] == [["applied training goes on"]] * 2


def test_saves_are_served_while_paused(loop: Loop) -> None:
    save = Asked(SaveCheckpoint())
    loop.poll([Asked(Pause())], [save], [], [], [Asked(Resume())])
    assert loop.saved == [save.pending]


def test_what_makes_no_sense_is_refused_with_the_reason(loop: Loop) -> None:
    assert loop.look(Resume())[-1].answers == ["refused not paused"]
    assert loop.look(Pause(), Pause())[-1].answers == ["refused already paused"]


@pytest.mark.parametrize(("mode", "urgency"), [("finish", Urgency.FINISH), ("now", Urgency.NOW)])
def test_a_stop_ends_a_pause_and_is_answered_when_done(loop: Loop, mode: Any, urgency: Urgency) -> None:
    stop = Asked(Stop(mode))
    if urgency is Urgency.NOW:
        with pytest.raises(StopNow):
            loop.poll([Asked(Pause())], [], [stop])
    else:
        loop.poll([Asked(Pause())], [], [stop])
    assert loop.stop.urgency is urgency
    assert "by ada" in loop.stop.reason
    assert stop.answers == []
    loop.controls.answer_stops("stopped at 5 timesteps")
    assert stop.answers == ["applied stopped at 5 timesteps"]
    assert sum(isinstance(record, LogLine) for record in loop.records) == 1, "said once"


def test_what_waits_or_comes_while_the_run_ends_is_answered(loop: Loop) -> None:
    """The viewer has been closed by then: a new one would only hold up the end."""
    waiting = loop.look(NextPhase(), SetLearningRate(1e-4), SetRewardWeight("touch", 2.0), SaveCheckpoint())
    stop = Asked(Stop("finish"))
    late = [stop, *map(Asked, (SaveCheckpoint(), Pause(), SetRender(True), SetFlag("debug_actions", True)))]
    loop.put(*late)
    loop.controls.refuse_waiting("the run has ended")
    loop.controls.answer_stops("stopped at 0 timesteps")
    assert stop.answers == ["applied stopped at 0 timesteps"]
    refused = [*waiting, *late[1:]]
    assert [one.answers for one in refused] == [["refused the run has ended"]] * len(refused)
    assert not any(loop.workers.sent.values()), "no flag is set any more"


def test_what_holds_from_a_boundary_on_waits_for_it_and_what_is_wrong_is_refused_at_once(loop: Loop) -> None:
    [rate, entropy, weight, *wrong] = loop.look(
        SetLearningRate(5e-5),
        SetEntropy(0.02),
        SetRewardWeight("touch", 2.0),
        SetLearningRate(1.001),
        SetFlag("debug_acts", True),
        SetRewardWeight("xyz", 2.0),
    )
    assert loop.queue.take(SetLearningRate, SetEntropy) == [rate.pending, entropy.pending]
    assert loop.queue.take(SetRewardWeight) == [weight.pending]
    assert rate.answers == entropy.answers == weight.answers == []
    assert [one.answers for one in wrong] == [
        ["refused a learning rate is 0 to 1, found 1.001"],
        ["refused no debug flag 'debug_acts': did you mean \"debug_actions\"?"],
        ["refused no reward 'xyz': there are touch"],
    ]


def test_a_flag_is_sent_at_once_and_applied_when_every_worker_has_it(loop: Loop) -> None:
    flag, turtled = loop.look(SetFlag("debug_actions", True), SetFlag("debug_turtled_start", True, 1))
    assert loop.workers.sent[0][-1].flags == ("debug_actions",)
    assert set(loop.workers.sent[1][-1].flags) == {"debug_actions", "debug_turtled_start"}
    assert flag.answers == turtled.answers == []
    loop.workers.apply(0, 1)
    loop.controls.look()
    assert flag.answers == ["applied by 2 of 2 workers"]
    assert turtled.answers == ["applied by worker 1"]
    [changed] = [record for record in loop.records if isinstance(record, SettingChanged)]
    assert (changed.setting, changed.by) == ("debug_turtled_start on in worker 1", "ada"), "what changes learning"


def test_the_live_state_is_that_of_now(loop: Loop) -> None:
    loop.look(SetFlag("debug_actions", True))
    loop.controls._next_live = 0.0
    loop.loop.iteration = 7
    loop.controls.look()
    assert (loop.shown[-1].state, loop.shown[-1].iteration, loop.shown[-1].progress) == ("collecting", 7, 0.5)
    assert [flag.flag for flag in loop.shown[-1].flags] == ["debug_actions"]
    shown = len(loop.shown)
    loop.controls._next_live = float("inf")
    loop.controls.look()
    assert len(loop.shown) == shown, "not at every look"


def test_problems_of_commands() -> None:
    known = Known(("touch",), 2)
    good = [
        SetLearningRate(None), SetLearningRate(0.0), SetLearningRate(1.0), SetEntropy(0.02), SetRender(True, "recording"),
        SetRewardWeight("touch", None), SetRewardWeight("touch", -1e6), SetFlag("debug_actions", True, 1),
    ]  # fmt: skip
    assert [command_problem(command, known) for command in good] == [""] * len(good)
    bad: list[tuple[Command, str]] = [
        (SetLearningRate(-1e-9), "a learning rate is 0 to 1, found -1e-09"),
        (SetLearningRate(1e300), "a learning rate is 0 to 1, found 1e+300"),
        (SetEntropy(float("nan")), "an entropy coefficient is 0 to 10, found nan"),
        (SetRewardWeight("touch", 1e9), "a reward's weight is -1,000,000 to 1,000,000, found 1e+09"),
        (SetFlag("debug_actions", True, 2), "no worker 2: they are 0 to 1"),
        (SetFlag("debug_learning", True, 0), "debug_learning is the trainer's, not one worker's: set it for all"),
    ]
    assert [command_problem(command, known) for command, _ in bad] == [words for _, words in bad]
    assert command_problem(SetRender(True, "screen"), known).startswith("the viewer has no output 'screen'")


def test_an_iteration_that_waits_for_a_stopped_worker_is_told_and_a_stop_does_not_wait_for_it() -> None:
    loop = Loop()
    workers = [worker_live(0, "waiting", 7), worker_live(1, "stopped", 8)]
    loop.workers.live = lambda: workers  # type: ignore[method-assign]
    held = "waits for worker 1, stopped by a signal: kill -CONT 8"
    assert loop.controls._view.live().reason == held
    loop.look()
    with pytest.raises(StopNow):
        loop.look(Stop())
    assert loop.stop.reason == f"asked by ada; the iteration {held}"
