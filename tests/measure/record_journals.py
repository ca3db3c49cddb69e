"""Record the journals that the cockpit's snapshots are fed from: short real runs of the real trainer.

    python -m tests.measure.record_journals [STORY ...]

Writes tests/golden/journals/<story>.jsonl, and beside it <story>.moments.json: what the trainer's socket said at the
moments that snapshots are taken of. Takes about two minutes; needed again when the journal has new figures to show.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rltui.events.commands import (
    Command,
    CommandApplied,
    CommandRefused,
    Live,
    NextPhase,
    Pause,
    Resume,
    SaveMilestone,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRewardWeight,
    Stop,
)
from rltui.events.records import IterationFinished, RunFinished, TableUsed, WorkerFailed, WorkerStarted
from rltui.supervise.control_client import ControlClient
from tests.fakes.fake_run import ME
from tests.fakes.phases import small
from tests.fakes.training import TINY, Training, wait_for
from tests.measure.impersonal import Impersonal, lines

GOLDEN = Path(__file__).parents[1] / "golden" / "journals"
FAULTY = Path(__file__).parents[1] / "fakes" / "faulty_reward.py"
LANE = """
[mechanics]
weight = 0.25
resets = [{kind = "turtled"}]
terminals = [{kind = "timeout", seconds = 3}]
[mechanics.rewards]
recovery_and_landing = 1.0
"""


@dataclass
class Tape:
    """A run being recorded, with this program's own hand on its controls."""

    training: Training
    moments: dict[str, tuple[float, Live | None]] = field(default_factory=dict)
    client: ControlClient = field(default_factory=lambda: ControlClient(ME))

    def start(self, *options: str) -> None:
        self.training.start(*options)
        self.training.wait_records(IterationFinished)
        self.client.connect(self.training.paths)

    def ask(self, command: Command) -> None:
        number = self.client.send(command)

        def answered() -> bool:
            return any(
                isinstance(message, CommandApplied | CommandRefused) and message.id == number
                for message in self.client.poll(0.01)
            )

        wait_for(answered, f"the end of {command}")

    def note(self, name: str, fits: Callable[[Live], bool]) -> None:
        """The next live frame that fits becomes a moment to take snapshots of."""
        now = time.time()

        def found() -> Live | None:
            frames = (message for message in self.client.poll(0.01) if isinstance(message, Live))
            return next((live for live in frames if live.time > now and fits(live)), None)

        live = wait_for(found, name)
        self.moments[name] = live.time, live

    def end(self, name: str) -> None:
        """A moment after everything, with nobody to talk to."""
        self.client.close()
        self.training.wait_end()
        self.moments[name] = self.training.poll()[-1].time + 2.0, None

    def save(self, story: str) -> None:
        records = sorted(self.training.poll(), key=lambda record: record.time)
        other = Impersonal(self.training.folder, records[0].time)
        (GOLDEN / f"{story}.jsonl").write_text(lines(other, records), encoding="utf-8")
        moments = {
            name: {"time": other.time(time), "live": other.live(live) if live else None}
            for name, (time, live) in self.moments.items()
        }
        text = json.dumps(moments, indent=1, ensure_ascii=False)
        (GOLDEN / f"{story}.moments.json").write_text(text + "\n", encoding="utf-8")


def quick(tape: Tape) -> None:
    """The profile that beginners meet, with everything changed that can be: starting to finished."""
    profile = Path(__file__).parents[2] / "profiles" / "quick.toml"
    tape.training.profile = profile.read_text(encoding="utf-8").replace('workers = "auto"', "workers = 2")
    tape.start("--steps", "300000")
    first = tape.training.poll()
    tape.moments["starting"] = next(r.time for r in first if type(r).__name__ == "WorkerStarted") + 0.01, None
    tape.ask(SetFlag("debug_actions", True, 1))
    tape.ask(SetFlag("debug_learning", True))
    tape.training.wait_more_iterations(2)
    tape.ask(SetFlag("debug_actions", False, 1))
    tape.ask(SetFlag("debug_learning", False))
    tape.ask(SetLearningRate(5e-4))
    tape.ask(SetRewardWeight("touch", 2.0))
    tape.ask(SetEntropy(99.0))
    tape.ask(SaveMilestone())
    tape.training.wait_more_iterations(20)
    tape.note("collecting", lambda live: live.state == "collecting" and (live.progress or 0) > 0.2)
    tape.note("learning", lambda live: live.state == "learning")
    tape.ask(Pause())
    tape.note("paused", lambda live: live.state == "paused")
    tape.ask(Resume())
    tape.end("finished")


PHASE = """\
schema = 1
label = "{label}"
phase = {number}
resets = [{{kind = "kickoff"}}, {{kind = "random"}}]
terminals = [{{kind = "goal"}}, {{kind = "timeout", seconds = 6}}]
[game]
blue = 1
orange = 1
[rewards]
{rewards}
[policy]
layers = [32, 32]
[critic]
layers = [32, 32]
[ppo]
iteration = 16_000
batch = 8_000
learning_rate = {rate}
"""


def campaign(tape: Tape) -> None:
    """Two phases and stages, practice arenas of turtles, a promotion by skill and one by hand that is refused."""
    folder = tape.training.folder
    phase = PHASE.format(label="BallTouching", number=1, rewards="touch = 1\nspeed_toward_ball = 0.05", rate=2e-4)
    (folder / "first.toml").write_text(phase + LANE)
    phase = PHASE.format(label="BronzeSkills1", number=2, rewards="goal = 5\nshot = 1\nface_ball = 0.01", rate=1e-4)
    (folder / "second.toml").write_text(phase + LANE)
    tape.training.profile = (
        'schema = 1\ndescription = "Two phases."\nmilestone_interval = 1_000_000\nsave_every = 200_000\n'
        "[curriculum]\nwindow = 2\nphases = [\n"
        '{profile = "first", until = {touches_per_minute = 0, kickoff_touches = 0}, min_steps = 200_000},\n'
        '{profile = "second", until = {goals_per_minute = 3, shots_per_minute = 1}},\n]\n' + small(arenas=16)
    )
    tape.start("--steps", "850000")
    tape.note("first-phase", lambda live: live.iteration > 3 and live.state == "collecting")
    tape.ask(SetFlag("debug_turtled_start", True))
    tape.training.wait_more_iterations(2)
    tape.ask(SetFlag("debug_turtled_start", False))
    wait_for(lambda: any(r.metrics.get("curriculum/phase") == 2 for r in tape.training.iterations()), "promotion")
    tape.training.wait_records(TableUsed, 2)
    tape.note("second-phase", lambda live: live.state == "collecting")
    tape.ask(NextPhase())
    tape.client.send(Stop())
    tape.end("stopped")


def failing_worker(tape: Tape) -> None:
    """A user's reward raises once; the worker is restarted; then the trainer is killed."""
    tape.training.profile = _faulty(tape.training.folder, times=1, after=400)
    tape.start()
    tape.training.wait_records(WorkerFailed)
    tape.note("restarting", lambda live: any(row.state not in ("collecting", "waiting") for row in live.workers))
    tape.training.wait_records(WorkerStarted, 3)
    tape.training.wait_more_iterations(12)
    tape.note("restarted", lambda live: live.state == "collecting" and any(row.restarts for row in live.workers))
    assert tape.training.process is not None
    os.kill(tape.training.process.pid, signal.SIGKILL)
    tape.end("unclean")
    tape.training.kill_all()


def failed(tape: Tape) -> None:
    """The same reward raises always: three deaths within a minute."""
    tape.training.profile = _faulty(tape.training.folder, times=9, after=120)
    tape.training.start()
    tape.training.wait_records(RunFinished)
    tape.end("failed")


def _faulty(folder: Path, times: int, after: int) -> str:
    marks = folder / "marks"
    marks.mkdir()
    options = f'weight = 1.0, action = "raise", times = {times}, after = {after}, marks = "{marks}"'
    return TINY.replace("[policy]", f'"{FAULTY}:Faulty" = {{{options}}}\n\n[policy]')


def record_table() -> None:
    """What the child that examines action tables says of quick's."""
    command = [sys.executable, "-m", "rltui", "lut", "quick", "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    report["checks"] = [{key: check[key] for key in ("outcome", "sentence")} for check in report["checks"]]
    (GOLDEN / "table.json").write_text(json.dumps(report, separators=(",", ":")) + "\n", encoding="utf-8")


STORIES = {"quick": quick, "campaign": campaign, "failing-worker": failing_worker, "failed": failed}


def main() -> None:
    record_table()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stories", nargs="*", default=list(STORIES), help=", ".join(STORIES))
    for story in parser.parse_args().stories:
        with tempfile.TemporaryDirectory() as folder:
            tape = Tape(Training(Path(folder).resolve(), run=story))
            try:
                STORIES[story](tape)
                tape.save(story)
            finally:
                tape.training.kill_all()
        print(story, (GOLDEN / f"{story}.jsonl").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
