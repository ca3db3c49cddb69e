"""The viewer of a real run: asked for over the socket, it plays the newest weights, shows them, and harms nothing."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import pairwise

import pytest

from rltui.events.commands import CommandRefused, SetRender, SetRewardWeight
from rltui.events.records import IterationFinished
from rltui.view.recording import Recording
from tests.fakes.asking import applied, ask
from tests.fakes.rocketsimvis import Listener, accepted
from tests.fakes.training import Training, wait_for
from tests.fakes.viewed import frames, playing, viewer, viewers


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    found = Listener()
    yield found
    found.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Iterator[Training]:
    """A run that renders to the listener, for tests that leave it training and its viewer switched off."""
    run = Training(tmp_path_factory.mktemp("viewed"))
    try:
        yield start(run, listener.port)
    finally:
        run.kill_all()


def switch_off(training: Training) -> None:
    assert applied(training, SetRender(False)).detail == "the viewer is off"
    wait_for(lambda: not viewers(training) or None, "the viewer's end")
    wait_for(lambda: viewer(training) is None, "a live frame without it")


def start(training: Training, port: int) -> Training:
    training.start("--set", f"render.port={port}")
    training.wait_records(IterationFinished)
    return training


def test_it_sends_what_rocketsimvis_reads_until_it_is_switched_off(shared: Training, listener: Listener) -> None:
    training = shared
    answer = applied(training, SetRender(True))
    assert f"127.0.0.1:{listener.port}" in answer.detail
    contents = [accepted(listener.receive()) for _ in range(30)]  # a second
    assert {len(content["cars"]) for content in contents} == {2}
    assert len({str(content["ball_phys"]) + str(content["cars"]) for content in contents}) > 25, "it moves"
    output = playing(training).outputs[0]
    assert (output.name, output.target) == ("rocketsimvis", f"127.0.0.1:{listener.port}")
    training.wait_more_iterations(2)
    switch_off(training)
    training.wait_more_iterations(2)


def test_the_stream_shows_the_match_and_what_each_step_pays(shared: Training) -> None:
    training = shared
    applied(training, SetRender(True))
    seen = frames(playing(training).address, 24)
    assert seen[0].names == ("touch", "speed_toward_ball")
    assert [frame.moment.tick for frame in seen] == sorted({frame.moment.tick for frame in seen})
    steps = {step.tick: step for frame in seen for step in frame.steps}
    assert len(steps) >= 20
    assert all(len(step.contributions) == 2 and len(step.contributions[0]) == 2 for step in steps.values())
    ticks = sorted(steps)
    assert {after - before for before, after in pairwise(ticks)} == {8}, "no step is missed"
    before = seen[-1].timesteps
    training.wait_more_iterations(3)
    wait_for(
        lambda: frames(playing(training).address, 1)[0].timesteps > before or None, "newer weights to be taken over"
    )
    applied(training, SetRewardWeight("speed_toward_ball", 0.0))
    training.wait_more_iterations(2)

    def unpaid() -> bool | None:
        newest = frames(playing(training).address, 1)[0].steps[-1]
        return all(car[1] == 0 for car in newest.contributions) or None

    wait_for(unpaid, "a step that pays by the new weight")
    switch_off(training)


def test_what_cannot_be_done_is_refused(shared: Training) -> None:
    training = shared
    answer = ask(training, SetRender(True, "rlviser"))
    assert isinstance(answer, CommandRefused)
    assert "pip install rlviser-py" in answer.reason
    answer = ask(training, SetRender(True, "rocketsimvs"))
    assert isinstance(answer, CommandRefused)
    assert 'did you mean "rocketsimvis"' in answer.reason
    assert applied(training, SetRender(False)).detail in ("the viewer is off", "the viewer was already off")


def test_a_recording_is_kept_when_the_run_ends(shared: Training) -> None:
    training = shared
    detail = applied(training, SetRender(True, "recording")).detail
    (process,) = wait_for(lambda: found if len(found := viewers(training)) == 1 else None, "the end of one before it")
    assert detail.startswith(f"the viewer process was started (pid {process.pid}): recording on, ")
    assert "recordings" in detail
    wait_for(lambda: playing(training).outputs[0].sent > 30 or None, "a second of it")
    assert training.process is not None
    training.process.send_signal(signal.SIGINT)
    assert training.wait_end() == 0
    (file,) = (training.paths.folder / "recordings").glob("*.npz")
    assert len(Recording(file)) > 30
