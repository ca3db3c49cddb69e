"""What the cockpit costs a training on this machine, and how soon it answers.

    python -m tests.measure.cockpit_cost cost --minutes 5         processor time, bytes, latency of keys, memory
    python -m tests.measure.cockpit_cost cost --minutes 30        the same for long: does memory stay flat?
    python -m tests.measure.cockpit_cost keys                     latency of keys alone, 200 of them
    python -m tests.measure.cockpit_cost alternate --minutes 1    steps/s with and without it, in turns
    python -m tests.measure.cockpit_cost render --minutes 1       the same with and without the viewer process
    python -m tests.measure.cockpit_cost memory                   resident memory with 100,000 iterations, and 10,000 more
    python -m tests.measure.cockpit_cost starts                   first picture of `rltui` and `rltui attach`, idle and beside
                                                                  a training; --against DIR: another checkout in turn

The real program on a real pseudo-terminal of 200×50, attached to the real trainer with the profile quick and two workers.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psutil

from rltui.events.commands import SetRender
from rltui.events.records import IterationFinished
from rltui.tui.cockpit.messages import SHOWN
from rltui.view import viewer_process
from tests.fakes import timed_trainer
from tests.fakes.asking import applied
from tests.fakes.training import Training, wait_for
from tests.measure import starts
from tests.measure.memory import memory
from tests.measure.processes import percentile, processor_seconds, resident_megabytes, slope, thread_seconds
from tests.measure.timed_terminal import TimedTerminal

SIZE = {"columns": 200, "rows": 50}
PROFILE = Path(__file__).parents[2] / "profiles" / "quick.toml"
ROUND = ((b"warning", "l"), (b"error", "l"), (b"debug", "l"), (b"info", "l"), (b"All panes", "f"), (b"Maximise", "f"))
CORES = len(os.sched_getaffinity(0))  # of the machine, or of what taskset leaves of it
TOLD, LONG = ("publish", "live"), 1e-3  # calls; seconds above which one has waited for long
SETTLE = 6.0  # seconds until a start, or an end, costs nothing any more
Figures = dict[str, float]
# figure: what it may be at most (at least, where negative), its unit, what it is
LIMITS: Mapping[str, tuple[float, str, str]] = {
    "interface_share": (3.0, "%", "viewer + guardian + publisher, of the machine's processor time"),
    "viewer_share": (math.inf, "%", "  the viewer (terminal interface)"),
    "guardian_share": (math.inf, "%", "  its guardian"),
    "publisher_share": (math.inf, "%", "  the trainer's control thread and telemetry calls"),
    "render_share": (3.0, "%", "the process that plays games to look at"),
    "workers_share": (math.inf, "%", "the trainer and its workers, for comparison"),
    "bytes_per_second": (50_000, "B/s", "written to the terminal"),
    "bytes_peak": (math.inf, "B/s", "  in its worst second"),
    "key_p50": (math.inf, "ms", "from a key to its effect on the terminal, half of them"),
    "key_p99": (100.0, "ms", "  99 % of them"),
    "keys_unanswered": (0.0, "", "  without an answer in 5 s"),
    "memory": (math.inf, "MB", "resident, the viewer at the end"),
    "memory_growth": (math.inf, "MB", "  its growth in 30 min, by the last two thirds"),
    "memory_long": (200.0, "MB", "the viewer on a journal of 100,000 iterations"),
    "memory_first": (200.0, "MB", "  the same, for the first time"),
    "memory_more": (10.0, "MB", "  its growth with 10,000 more"),
    "telemetry_longest_wait": (1.0, "ms", "longest call of the trainer's telemetry that waited for anything"),
    "telemetry_long_waits": (0.0, "", "  such calls above 1 ms"),
    "telemetry_longest": (math.inf, "ms", "  longest of all, processor taken away included"),
    "ratio": (-97.0, "%", "steps/s with the cockpit of steps/s without, median of the rounds"),
    "render_ratio": (-97.0, "%", "the same with the viewer process"),
    "first_picture_idle": (1_000.0, "ms", "`rltui` until its first picture, on an idle machine"),
    "attach_idle": (1_000.0, "ms", "`rltui attach` until the run is shown"),
    "long_journal_idle": (1_000.0, "ms", "  a journal of 100,000 iterations"),
    "long_journal_uncached_idle": (1_000.0, "ms", "  the same, for the first time"),
    "first_picture": (1_000.0, "ms", "`rltui` until its first picture, beside a training"),
    "attach": (1_000.0, "ms", "`rltui attach` until the run is shown"),
    "long_journal": (1_000.0, "ms", "  a journal of 100,000 iterations"),
    "long_journal_uncached": (1_000.0, "ms", "  the same, for the first time"),
}


@contextmanager
def training(timed: Path | None = None, settings: Sequence[str] = ()) -> Iterator[Training]:
    """A trainer that goes on for ever, some iterations old. settings: `key=value` over the profile."""
    with tempfile.TemporaryDirectory() as folder:
        run = Training(Path(folder), "measured", PROFILE.read_text(encoding="utf-8"))
        run.module = "tests.fakes.timed_trainer" if timed else "rltui"
        try:
            wanted = [part for each in ("collect.workers=2", *settings) for part in ("--set", each)]
            run.start(*wanted, env={timed_trainer.VARIABLE: str(timed)} if timed else None)
            run.wait_records(IterationFinished, 3)
            yield run
        finally:
            run.kill_all()


@contextmanager
def attached(run: Training, *keys: str) -> Iterator[TimedTerminal]:
    """The cockpit on the run, as a person at a large terminal has it. keys: typed once it is there."""
    terminal = TimedTerminal(run.folder, "attach", run.run, **SIZE)
    try:
        terminal.wait_text("COLLECTING")
        for each in keys:
            terminal.type(each)
        yield terminal
    finally:
        terminal.process.terminate()
        terminal.wait_end()
        terminal.close()


def cost(minutes: float, keys: str, settings: Sequence[str]) -> Figures:
    """Everything that can be read off one long look."""
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "timed"
        with training(notes, settings) as run, attached(run, *keys) as terminal:
            assert run.process is not None
            settled = threading.Event()
            settled.wait(SHOWN + 1.0)  # the start is not what is measured; the answer to V lies over the log's level
            begun = time.time()
            meter = Meter(run.process.pid, terminal)
            for left in _seconds(minutes * 60):
                meter.look()
                if left % 5 < 1:
                    meter.press()
            figures = meter.figures()
            print(f"iterations: {run.iterations()[-1].iteration}")
            print(
                "memory in MB:", " ".join(f"{size:.1f}" for _, size in meter.memory[:: max(len(meter.memory) // 20, 1)])
            )
            spent, waits = telemetry(timed_trainer.read(notes, begun))
            figures |= waits
            figures["publisher_share"] += 100 * spent / meter.wall / CORES
            figures["interface_share"] += figures["publisher_share"]
            return figures


class Meter:
    """Reads the clocks of all that takes part, now and at the end."""

    def __init__(self, trainer: int, terminal: TimedTerminal) -> None:
        self._trainer, self._terminal = trainer, terminal
        self._viewer = terminal.viewer.pid
        self._start, self._before, self._bytes = time.monotonic(), self._clocks(), terminal.count
        self._memory: list[tuple[float, float]] = []
        self._latencies: list[float] = []
        self._unanswered = 0
        self._turn = 0

    @property
    def wall(self) -> float:
        return time.monotonic() - self._start

    @property
    def memory(self) -> list[tuple[float, float]]:
        """(seconds, MB) of the viewer, look by look."""
        return self._memory

    def look(self) -> None:
        self._memory.append((self.wall, resident_megabytes(self._viewer)))

    def press(self) -> None:
        """A key that changes what is shown."""
        answer, key = ROUND[self._turn % len(ROUND)]
        self._turn += 1
        seconds = self._terminal.latency(key, answer)
        if seconds is None:
            self._unanswered += 1
        else:
            self._latencies.append(1000 * seconds)

    def figures(self) -> Figures:
        wall, now = self.wall, self._clocks()
        spent = {name: (now[name] - self._before.get(name, 0.0)) / wall / CORES for name in now}
        shares = {f"{name}_share": 100 * share for name, share in spent.items()}
        late = [(when, size) for when, size in self._memory if when > wall / 3]
        seconds = [count for second, count in self._terminal.by_second.items() if second > self._start]
        return shares | {
            "interface_share": shares["viewer_share"] + shares["guardian_share"],
            "bytes_per_second": (self._terminal.count - self._bytes) / wall,
            "bytes_peak": max(seconds, default=0),
            "key_p50": percentile(self._latencies, 0.5),
            "key_p99": percentile(self._latencies, 0.99),
            "keys_unanswered": self._unanswered,
            "memory": self._memory[-1][1],
            "memory_growth": slope(late) * 1800,
        }

    def _clocks(self) -> dict[str, float]:
        trainer = psutil.Process(self._trainer)
        children, watching = trainer.children(), trainer.nice() + viewer_process.NICE
        workers = [child.pid for child in children if child.nice() != watching]
        threads = thread_seconds(self._trainer)
        return {
            "viewer": processor_seconds(self._viewer),
            "guardian": processor_seconds(self._terminal.process.pid),
            "publisher": sum(threads.get(name, 0.0) for name in ("control socket", "telemetry", "lines")),
            "render": sum(processor_seconds(child.pid) for child in children if child.pid not in workers),
            "workers": sum(map(processor_seconds, [self._trainer, *workers])),
        }


def keys(times: int, opened: str) -> Figures:
    """Latency of keys while training loads the machine, all together and by key."""
    with training() as run, attached(run, *opened) as terminal:
        took: dict[str, list[float]] = {}
        for number, _ in zip(range(times), _seconds(math.inf, every=0.4), strict=False):
            answer, key = ROUND[number % len(ROUND)]
            took.setdefault(f"{key} {answer.decode()}", []).append(1000 * (terminal.latency(key, answer) or math.inf))
    for name, values in took.items():
        print(f"{name:12} {percentile(values, 0.5):8.1f} ms half, {max(values):8.1f} ms all")
    every = [value for values in took.values() for value in values]
    return {"key_p50": percentile(every, 0.5), "key_p99": percentile(every, 0.99)}


def telemetry(calls: Sequence[timed_trainer.Call]) -> tuple[float, Figures]:
    """Processor seconds of the trainer's telemetry, and how long it waited in a call. One above 1 ms is printed."""
    waited = [call for call in calls if call.name in TOLD and call.waits]
    long = [call for call in waited if call.seconds > LONG]
    for call in long:
        print(f"telemetry waited: {call.told} {1000 * call.seconds:.1f} ms")
    return sum(call.cpu for call in calls if call.name in ("publish", "frame")), {
        "telemetry_longest_wait": 1000 * max((call.seconds for call in waited), default=0.0),
        "telemetry_long_waits": len(long),
        "telemetry_longest": 1000 * max((call.seconds for call in calls if call.name in TOLD), default=0.0),
    }


def alternate(minutes: float, rounds: int, keys: str) -> Figures:
    """Steps/s in turns, without and with the cockpit. V among the keys: the viewer process plays all the time."""
    with training() as run:
        if "V" in keys:
            applied(run, SetRender(True))
        return {"ratio": in_turns(run, minutes * 60, rounds, lambda: attached(run, *keys.replace("V", "")))}


def render(minutes: float, rounds: int) -> Figures:
    """Steps/s in turns, without and with the viewer process, which sends to RocketSimVis whether it is there or not."""
    with training() as run:
        return {"render_ratio": in_turns(run, minutes * 60, rounds, lambda: rendering(run))}


@contextmanager
def rendering(run: Training) -> Iterator[None]:
    """With the viewer process."""
    applied(run, SetRender(True))
    try:
        yield
    finally:
        applied(run, SetRender(False))


def in_turns(run: Training, seconds: float, rounds: int, extra: Callable[[], AbstractContextManager[object]]) -> float:
    """Steps/s with something of those without it, in %: the median of rounds of without, with, with, without.

    In such a round a steady drift of the machine cancels out. The first of everything, which is slower, counts nowhere.
    """
    with extra():
        speed(run, SETTLE)
    ratios = []
    for number in range(rounds):
        first = settled_speed(run, seconds)
        with extra():
            inner = settled_speed(run, 2 * seconds)
        last = settled_speed(run, seconds)
        ratios.append(200 * inner / (first + last))
        print(f"round {number + 1}: {ratios[-1]:.1f} %", flush=True)
    return statistics.median(ratios)


def settled_speed(run: Training, seconds: float) -> float:
    """Once what has just begun, or ended, is over."""
    speed(run, SETTLE)
    return speed(run, seconds)


def speed(run: Training, seconds: float) -> float:
    """Timesteps a second over whole iterations."""
    first = _newest(run)
    deadline = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > deadline, "the time to pass", seconds + 5)
    last = _newest(run)
    return (last.timesteps - first.timesteps) / (last.time - first.time)


def _newest(run: Training) -> IterationFinished:
    """The next one to come."""
    run.wait_more_iterations(1)
    newest = run.iterations()[-1]
    run.records[:] = run.records[-3:]
    return newest


def first_pictures(times: int, against: Path | None) -> Figures:
    """From the shell's fork to the picture."""
    with training() as run:
        return starts.starts(run, times, against)


def _seconds(count: float, every: float = 1.0) -> Iterator[int]:
    """One a second, or as often as wanted."""
    pause, end = threading.Event(), time.monotonic() + count
    number = 0
    while time.monotonic() < end:
        pause.wait(every)
        yield number
        number += 1


def table(figures: Mapping[str, float]) -> str:
    """What was measured, beside what it may be."""
    rows = []
    for name, (limit, unit, words) in LIMITS.items():
        if name in figures:
            value = figures[name]
            wanted = "" if math.isinf(limit) else f"{'at least' if limit < 0 else 'at most'} {abs(limit):g}"
            kept = value >= -limit if limit < 0 else value <= limit
            rows.append(f"{'  ' if kept else '! '}{value:12,.2f} {unit:4} {wanted:16} {words}")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("cost", "keys", "alternate", "render", "memory", "starts"))
    parser.add_argument(
        "--minutes", type=float, default=1.0, help="how long (alternate, render: each quarter of a round)"
    )
    parser.add_argument("--rounds", type=int, default=10, help="of alternate and render: without, with, with, without")
    parser.add_argument("--times", type=int, default=10, help="of starts, each")
    parser.add_argument(
        "--against", metavar="DIR", type=Path, help="of memory and starts: another checkout, in turn with this one"
    )
    parser.add_argument("--keys", default="", help="typed first, to open panes: 8v")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of cost: over the profile")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    ways: Mapping[str, Callable[[], Figures]] = {
        "cost": lambda: cost(args.minutes, args.keys, args.set),
        "keys": lambda: keys(200, args.keys),
        "alternate": lambda: alternate(args.minutes, args.rounds, args.keys),
        "render": lambda: render(args.minutes, args.rounds),
        "memory": lambda: memory(args.against),
        "starts": lambda: first_pictures(args.times, args.against),
    }
    figures = ways[args.what]()
    print(table(figures))
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
