"""Resident memory of the cockpit on a run of 100,000 iterations, and what 10,000 more add to it."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import msgspec

from rltui.events.records import IterationFinished, Record
from rltui.runs.journal import read_journal, rotated_parts
from rltui.runs.journal_cache import cache_path
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.training import DEADLINE, wait_for
from tests.measure.processes import resident_megabytes
from tests.measure.starts import HERE, LONG, ROWS, Figures, Place, append_iterations, places, write_long_journal
from tests.measure.timed_terminal import TimedTerminal

SOURCE = HERE / "tests" / "golden" / "journals" / "campaign.jsonl"  # with practice arenas
WORKERS = 8
MORE, STEP = 10_000, 200
SETTLE = 5.0  # seconds until what has been read is drawn, and what that took is free again


def memory(against: Path | None) -> Figures:
    """In MB. With another checkout: its own too."""
    found: Figures = {}
    with tempfile.TemporaryDirectory() as data, places(Path(data), against) as there:
        for place in there:
            found |= {f"{place.name}{name}": value for name, value in measured(place).items()}
    for name, value in found.items():
        print(f"{name:40} {value:8.1f}", flush=True)
    return found


def measured(place: Place) -> Figures:
    """On a run of its own. `memory_first`: while the journal's cache is missing and is made."""
    records = with_workers(list(read_journal(SOURCE)))
    paths = DataDir(place.data).run(f"{place.name}{LONG}")
    write_long_journal(records, paths)
    with place.opened("attach", paths.name) as terminal:
        terminal.wait_text(f"{ROWS:,}")  # the journal's end comes first; with its caches all of it has been read
        wait_for(lambda: all(cache_path(part).exists() for part in parts_of(paths)), "the caches", 10 * DEADLINE)
        first = settled(terminal, ROWS)
    with place.opened("attach", paths.name) as terminal:
        before = settled(terminal, ROWS)
        known = [record for record in records if isinstance(record, IterationFinished)]
        for number in range(ROWS, ROWS + MORE, STEP):
            append_iterations(known, paths, number + 1, number + STEP)
            terminal.wait_text(f"{number + STEP:,}")
        after = settled(terminal, ROWS + MORE)
    return {"memory_first": first, "memory_long": before, "memory_more": after - before}


def parts_of(paths: RunPaths) -> list[Path]:
    """Those of the journal."""
    return [*(part for _, part in rotated_parts(paths.journal)), paths.journal]


def with_workers(records: list[Record]) -> list[Record]:
    """The last phase alone, in whose iterations so many workers have their figures."""
    keys = next(record.metrics.keys() for record in reversed(records) if isinstance(record, IterationFinished))
    of_workers = {f"worker/{number}/{name}": 1.0 for number in range(WORKERS) for name in ("seconds", "memory_mb")}
    return [
        msgspec.structs.replace(record, metrics={**of_workers, **record.metrics})
        if isinstance(record, IterationFinished)
        else record
        for record in records
        if not isinstance(record, IterationFinished) or record.metrics.keys() == keys
    ]


def settled(terminal: TimedTerminal, rows: int) -> float:
    """Resident memory once so many iterations are shown."""
    terminal.wait_text(f"{rows:,}")
    threading.Event().wait(SETTLE)
    return resident_megabytes(terminal.viewer.pid)
