"""`rltui run` with scripts that speak rlgym-ppo's report, ask, die, hang, flood and print garbage: journal, keys, exit codes, terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from rltui.errors import RltuiError
from rltui.events.commands import (
    Command,
    CommandApplied,
    CommandRefused,
    Live,
    Pause,
    Resume,
    SaveCheckpoint,
    SaveMilestone,
    Stop,
)
from rltui.events.records import (
    CheckpointSaved,
    IterationFinished,
    LogLine,
    RunFinished,
    RunResumed,
    RunStarted,
    StateChanged,
)
from rltui.run_state.reader import judged
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.lock import lock_holder
from rltui.runs.paths import DataDir
from rltui.runs.summary import describe_run
from rltui.supervise.control_client import ControlClient
from rltui.supervise.output_log import PART_BYTES, RATE
from rltui.train.script_host import LINES_AT_ONCE
from tests.fakes import ppo_script
from tests.fakes.ppo_script import STEPS
from tests.fakes.training import Training, runs, wait_for

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
ROOT = Path(__file__).parents[2]
ENDLESS = "100000"


class Hosted(Training):
    """`rltui run -- python ppo_script.py …` without a terminal."""

    def begin(self, *script: str, options: tuple[str, ...] = (), output: int | None = None) -> Hosted:
        command = [sys.executable, ppo_script.__file__, *script]
        return self.run_command("run", "--run", self.run, *options, "--", *command, output=output)

    def run_command(self, *words: str, output: int | None = None) -> Hosted:
        """output: in the place of a file."""
        with (self.folder / "output.txt").open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rltui", "--data-dir", str(self.folder / "data"), *words],
                stdin=subprocess.DEVNULL,
                stdout=output or file,
                stderr=file,
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                start_new_session=True,
            )
        return self

    def ended(self) -> tuple[int, RunFinished]:
        code = self.wait_end()
        return code, self.wait_records(RunFinished)[-1]

    def states(self) -> list[str]:
        return [record.state for record in self.poll() if isinstance(record, StateChanged)]

    def wait_state(self, state: str) -> None:
        wait_for(lambda: self.states()[-1:] == [state], f"state {state}")

    def lines(self) -> list[str]:
        return [record.message for record in self.poll() if isinstance(record, LogLine) and record.source == "script"]


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Hosted]:
    hosted = Hosted(tmp_path, run="alpha")
    try:
        yield hosted
    finally:
        hosted.kill_all()


class Remote:
    """Sends commands, each after the answer to the one before."""

    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self.live: list[Live] = []

    def ask(self, command: Command) -> CommandApplied | CommandRefused:
        number = self._client.send(command)

        def answer() -> CommandApplied | CommandRefused | None:
            for message in self._client.poll(0.1):
                if isinstance(message, Live):
                    self.live.append(message)
                if isinstance(message, CommandApplied | CommandRefused) and message.id == number:
                    return message
            return None

        return wait_for(answer, f"the answer to {command}")


@pytest.fixture
def remote(script: Hosted) -> Iterator[Callable[[], Remote]]:
    client = ControlClient("ada")
    yield lambda: (client.connect(script.paths), Remote(client))[1]
    client.close()


def test_a_script_is_a_run_like_any_other(script: Hosted) -> None:
    code, end = script.begin("learn", "3").ended()
    assert (code, end.exit_code, end.timesteps, end.reason) == (0, 0, 3 * STEPS, "finished: the script ended")
    rows = script.wait_records(IterationFinished)
    assert [(row.iteration, row.timesteps) for row in rows] == [(n, n * STEPS) for n in (1, 2, 3)]
    assert script.wait_records(RunStarted)[0].command[1:] == [ppo_script.__file__, "learn", "3"]
    assert script.states() == ["starting", "running", "stopped"]
    assert "Using device cpu" in script.lines() and not any("Policy Reward" in line for line in script.lines())
    assert script.output.count("BEGIN ITERATION REPORT") == 3, "its output goes through"
    assert script.paths.log.read_text().count("BEGIN ITERATION REPORT") == 3
    with pytest.raises(RltuiError, match=r"goes on by: rltui run --run alpha -- .* learn 3$"):
        plan_launch(StartRequest(script.paths.data, None, "quick", run="alpha"))
    summary = describe_run(script.paths)
    assert (summary.state, summary.timesteps, summary.reward.mean, summary.shape) == ("stopped", 3 * STEPS, 1.5, None)
    verdict, snapshot = judged(script.paths)
    assert snapshot.timesteps == 3 * STEPS and verdict.words.startswith("3 of 60")


def test_the_same_again_goes_on_in_the_run(script: Hosted) -> None:
    assert script.begin("learn", "2").ended()[0] == 0
    script.begin("learn", "1").wait_end()
    resumed = script.wait_records(RunResumed)
    assert [record.timesteps for record in resumed] == [0], "it began anew, and says so by its count"
    assert describe_run(script.paths).timesteps == STEPS
    assert [row.iteration for row in script.iterations()] == [1, 2, 3]


def test_keys_of_the_script(script: Hosted, remote: Callable[[], Remote]) -> None:
    script.begin("learn", ENDLESS).wait_records(IterationFinished)
    cockpit = remote()
    assert isinstance(cockpit.ask(Resume()), CommandRefused)
    assert isinstance(cockpit.ask(SaveMilestone()), CommandRefused)
    assert isinstance(cockpit.ask(Pause()), CommandApplied)
    script.wait_state("paused")
    assert isinstance(cockpit.ask(Pause()), CommandRefused)
    assert isinstance(cockpit.ask(SaveCheckpoint()), CommandRefused), "it would save only after the pause"
    held = len(script.iterations())
    assert isinstance(cockpit.ask(Resume()), CommandApplied)
    script.wait_state("running")
    script.wait_more_iterations()
    assert script.states().count("paused") == 1 and len(script.iterations()) > held, (
        "the key that ended it pauses no more"
    )
    assert isinstance(cockpit.ask(SaveCheckpoint()), CommandApplied)
    (saved,) = script.wait_records(CheckpointSaved)
    assert Path(saved.path) == script.folder / ppo_script.CHECKPOINTS / str(saved.timesteps)
    assert saved.bytes == sum(file.stat().st_size for file in Path(saved.path).iterdir())
    assert isinstance(cockpit.ask(Stop()), CommandApplied)
    code, end = script.ended()
    assert (code, end.reason) == (0, "stopped: asked by ada")
    assert len(script.wait_records(CheckpointSaved)) == 2, "q saves"
    assert cockpit.live and not cockpit.live[-1].workers


def test_a_signal_is_key_q(script: Hosted, subtests: pytest.Subtests) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with subtests.test(number=number):
            script.begin("learn", ENDLESS)
            script.wait_more_iterations(1)
            assert script.process is not None
            script.process.send_signal(number)
            assert script.wait_end() == 0
            assert "rlgym-ppo's format" in " ".join(script.lines()) and lock_holder(script.paths) is None


def test_one_that_dies_fails_with_its_code_and_why(script: Hosted) -> None:
    code, end = script.begin("dies").ended()
    assert (code, end.exit_code, end.timesteps) == (1, 1, STEPS)
    assert end.reason == "failed: the script ended with exit code 1: ValueError: the arena is on fire"
    assert "alpha failed at 50,006 timesteps" in script.output.splitlines()[-1]
    errors = [line.message for line in script.wait_records(LogLine) if line.level == "error"]
    assert "ValueError: the arena is on fire" in errors


def test_one_that_is_killed(script: Hosted) -> None:
    code, end = script.begin("killed").ended()
    assert (code, end.exit_code) == (128 + signal.SIGKILL, 128 + signal.SIGKILL) and "by SIGKILL" in end.reason


def test_one_that_hangs_is_killed_with_its_children(script: Hosted, remote: Callable[[], Remote]) -> None:
    script.begin("deaf")
    (line,) = wait_for(lambda: [line for line in script.lines() if line.startswith("child ")], "its child")
    child = psutil.Process(int(line.split()[1]))
    cockpit = remote()
    assert isinstance(cockpit.ask(Stop("abandon")), CommandApplied)
    code, end = script.ended()
    assert (code, end.reason) == (1, "abandoned")
    wait_for(lambda: not runs(child), "the end of its child")


def test_a_host_that_is_killed_takes_the_script_along(script: Hosted) -> None:
    script.begin("learn", ENDLESS).wait_records(IterationFinished)
    assert script.process is not None
    (child,) = psutil.Process(script.process.pid).children()
    script.process.kill()
    wait_for(lambda: not runs(child), "its end, by the hangup of its terminal")


def test_one_that_asks_has_a_terminal_and_shows_its_question(script: Hosted) -> None:
    script.begin("asks")
    wait_for(lambda: "Which GPU?" in script.lines(), "its question in the log")
    assert script.process is not None
    for _ in range(3):  # it reads no keys: only the ladder ends it
        script.process.send_signal(signal.SIGINT)
        script.wait_state("stopping")
    assert script.wait_end() in (0, 1)


def test_garbage_is_shown_as_text(script: Hosted) -> None:
    code, end = script.begin("garbage").ended()
    assert (code, end.timesteps) == (0, STEPS), "the report in the middle is found"
    assert [row.metrics["rollout/policy_reward"] for row in script.iterations()] == [0.5]
    assert all(line.isprintable() for line in script.lines()) and script.lines()[-1] == "new"
    assert "\x1b" not in script.paths.log.read_text()


def test_a_flood_is_cut_in_journal_and_log(script: Hosted) -> None:
    code, end = script.begin("floods", "60000").ended()
    assert (code, end.timesteps) == (1, STEPS), "a report behind it counts"
    assert "ValueError: after the flood" in end.reason
    lines = script.lines()
    assert len(lines) < 2 * LINES_AT_ONCE and any("lines left out" in line for line in lines)
    assert "ValueError: after the flood" in lines[-1], "its last lines tell why"
    assert script.paths.log.stat().st_size < PART_BYTES + 10 * RATE


def test_a_reader_that_holds_its_output_holds_the_script_and_not_its_host(
    script: Hosted, remote: Callable[[], Remote]
) -> None:
    script.begin("floods", "10000000", output=subprocess.PIPE)  # of which nobody reads
    wait_for(lambda: any("prints too much" in line.message for line in script.wait_records(LogLine)), "the flood")
    cockpit = remote()
    assert isinstance(cockpit.ask(Stop("abandon")), CommandApplied)
    code, end = script.ended()
    assert (code, end.reason) == (1, "abandoned")


def test_one_in_the_background_is_found_and_stopped_by_name(script: Hosted) -> None:
    assert script.begin("learn", ENDLESS, options=("--detach",)).wait_end() == 0
    holder = lock_holder(script.paths)
    assert holder is not None and holder.pid is not None
    host = psutil.Process(holder.pid)
    try:
        wait_for(script.iterations, "an iteration")
        assert script.run_command("stop", "alpha").wait_end() == 0
        wait_for(lambda: script.states()[-1:] == ["stopped"], "its end")
    finally:
        for each in (*host.children(), host) if runs(host) else ():
            each.kill()


def test_what_cannot_be_started_leaves_no_run(script: Hosted, subtests: pytest.Subtests) -> None:
    for words, code, said in [
        (["--"], 2, "run: COMMAND is missing"),
        (["--", "no-such-program"], 2, "there is no program 'no-such-program'"),
        (["--", str(script.folder)], 2, "there is no program"),
    ]:
        with subtests.test(words=words):
            assert script.run_command("run", *words).wait_end() == code
            assert said in script.output
    assert DataDir(script.folder / "data").run_names() == []


def test_a_run_of_our_own_trainer_is_left_alone(script: Hosted) -> None:
    script.paths.folder.mkdir(parents=True)
    script.paths.profile.write_text("")
    assert script.begin("learn", "1").wait_end() == 2
    assert "is one of rltui's own trainer" in script.output
