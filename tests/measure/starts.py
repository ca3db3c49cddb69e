"""How soon the program shows something: on a machine with nothing else to do, and beside a training that fills it.

Byte code is there, as it is for whoever has installed the program or started it once; what the environment says against
that does not count here. Another checkout can be measured in turn, so that both meet the same machine.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rltui.events.commands import Pause, Resume
from rltui.events.records import IterationFinished, Record
from rltui.runs.journal import JournalWriter, read_journal
from rltui.runs.journal_cache import cache_path
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.asking import applied
from tests.fakes.training import Training
from tests.measure.processes import processor_seconds
from tests.measure.timed_terminal import TimedTerminal

HERE = Path(__file__).parents[2]
LONG, ROWS = "long", 100_000
Figures = dict[str, float]


@dataclass(frozen=True)
class Start:
    """figure: its name. words: that stand on the screen when it is there."""

    figure: str
    words: str
    arguments: tuple[str, ...] = ()
    uncached: bool = False


@dataclass(frozen=True)
class Place:
    """folder: where it starts. name: before the figures; empty for this checkout."""

    folder: Path
    data: Path
    name: str = ""

    def ask(self, start: Start) -> tuple[float, float]:
        """Milliseconds from the shell's fork to the picture, and of processor time until then."""
        if start.uncached:
            cache_path(DataDir(self.data).run(LONG).journal).unlink(missing_ok=True)
        begun = time.perf_counter()
        with self.opened(*start.arguments) as terminal:
            terminal.wait_text(start.words)
            took = time.perf_counter() - begun
            spent = processor_seconds(terminal.process.pid) + processor_seconds(terminal.viewer.pid)
            return 1000 * took, 1000 * spent

    @contextmanager
    def opened(self, *arguments: str) -> Iterator[TimedTerminal]:
        """`rltui ARGUMENTS` of this checkout."""
        environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.folder / "bytecode")}
        arguments = (*arguments, "--data-dir", str(self.data))
        terminal = TimedTerminal(self.folder, *arguments, columns=200, rows=50, env=environment)
        try:
            yield terminal
        finally:
            terminal.process.terminate()
            terminal.wait_end()
            terminal.close()


def starts(run: Training, times: int, against: Path | None) -> Figures:
    """Medians, in ms: `…_idle` while the training is paused, `…_processor` of processor time, which a busy machine changes less.

    With another checkout: its own, and the ratio in %.
    """
    data = run.paths.folder.parents[1]
    write_long_journal(list(read_journal(run.paths.journal)), DataDir(data).run(LONG))
    with places(data, against) as there:
        applied(run, Pause())
        found = measured(there, asked(run, "PAUSED", "_idle"), times)
        applied(run, Resume())
        found |= measured(there, asked(run, "COLLECTING", ""), times)
    return found


def asked(run: Training, state: str, end: str) -> list[Start]:
    """What is started, one after the other."""
    whole = f"{ROWS:,}"
    return [
        Start(f"first_picture{end}", "Profiles"),
        Start(f"attach{end}", state, ("attach", run.run)),
        Start(f"long_journal{end}", whole, ("attach", LONG)),
        Start(f"long_journal_uncached{end}", whole, ("attach", LONG), uncached=True),
    ]


@contextmanager
def places(data: Path, against: Path | None) -> Iterator[list[Place]]:
    """This checkout, and the other one."""
    with tempfile.TemporaryDirectory() as folder:
        found = []
        for name, checkout in (("", HERE), ("against_", against)):
            if checkout is not None:
                place = Path(folder) / f"{name}start"
                place.mkdir()
                (place / "rltui").symlink_to(checkout.resolve() / "rltui")  # `python -m` looks here first
                found.append(Place(place, data, name))
        yield found


def measured(there: list[Place], wanted: list[Start], times: int) -> Figures:
    """In turns. The first of each writes the byte code, and the journal's cache, and does not count."""
    took: dict[str, list[float]] = {}
    for turn in range(times + 1):
        for start in wanted:
            for place in there:
                took_ms, spent_ms = place.ask(start)
                if turn:
                    took.setdefault(f"{place.name}{start.figure}", []).append(took_ms)
                    took.setdefault(f"{place.name}{start.figure}_processor", []).append(spent_ms)
    found = {name: statistics.median(values) for name, values in took.items()}
    for name in [name for name in found if f"against_{name}" in found]:
        found[f"ratio_{name}"] = 100 * found[name] / found[f"against_{name}"]
    for name, value in found.items():
        print(f"{name:40} {value:8.1f}", flush=True)
    return found


def write_long_journal(records: Sequence[Record], target: RunPaths, rows: int = ROWS) -> None:
    """A run that begins as these records do and goes on with iterations like theirs."""
    target.folder.mkdir(parents=True)
    known = [record for record in records if isinstance(record, IterationFinished)]
    with contextlib.closing(JournalWriter(target.journal)) as writer:
        for record in records[: records.index(known[0])]:
            writer.write(record)
    append_iterations(known, target, 1, rows)


def append_iterations(known: Sequence[IterationFinished], target: RunPaths, first: int, last: int) -> None:
    """Iterations `first` to `last`, with the figures of the known ones in turn."""
    with contextlib.closing(JournalWriter(target.journal)) as writer:
        for number in range(first, last + 1):
            like = known[number % len(known)]
            writer.write(msgspec.structs.replace(like, iteration=number, timesteps=1000 * number, time=0.5 * number))
