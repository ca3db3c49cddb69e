"""Recorded runs of the real trainer at moments of their lives, as the cockpit's reader finds them on disk; pictures in text of
every pane at these moments, and the golden files that hold them.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from textual.pilot import Pilot
from textual.widget import Widget

from rltui.errors import RltuiError
from rltui.events.commands import Live, Welcome
from rltui.run_state.reader import RunFiles
from rltui.runs.paths import DataDir, RunPaths
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text
from rltui.tui.checks.results import TableChecker
from rltui.tui.cockpit.layout import is_single
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.dependencies import Dependencies
from rltui.tui.panes.league import LeaguePane
from rltui.tui.panes.pane import Pane
from tests.fakes.fake_run import ME, FakeControl
from tests.fakes.fake_sampler import SAMPLE, FakeSampler
from tests.fakes.leagues import put_league
from tests.fakes.screens import SIZES, Clock, resized, until

JOURNALS = Path(__file__).parents[1] / "golden" / "journals"
AGE = 0.4  # seconds that the newest frame or record is old


@dataclass(frozen=True)
class Moment:
    """story: the recorded run. name: the moment of it, as tests/measure/record_journals.py calls it."""

    story: str
    name: str

    @property
    def live(self) -> Live | None:
        """What the trainer's socket said; None where nobody listens."""
        frame = _moments(self.story)[self.name]["live"]
        return None if frame is None else msgspec.convert(frame, Live)

    @property
    def now(self) -> float:
        """Unix time at which the cockpit looks."""
        time: float = _moments(self.story)[self.name]["time"]
        return time + AGE

    def put(self, data: DataDir) -> RecordedRun:
        """The run in that folder, its journal as it was at the moment."""
        paths = data.run(self.story)
        paths.folder.mkdir(parents=True)
        lines = (JOURNALS / f"{self.story}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        known = [line for line in lines if json.loads(line)["time"] <= self.now - AGE]
        paths.journal.write_text("".join(known), encoding="utf-8")
        return RecordedRun(paths, self.live, started=len(known) < 6)


class RecordedRun(RunFiles):
    """Files for a journal, a recorded frame for a trainer."""

    def __init__(self, paths: RunPaths, live: Live | None, *, started: bool = False) -> None:
        """started: the trainer's process is there though it does not listen yet."""
        super().__init__(paths, self._recorded)
        self._live, self._started = live, started

    def _recorded(self) -> FakeControl:
        if self._live is None:
            raise RltuiError(f"no trainer is running for run {self.name}")
        control = FakeControl()
        control.welcome = Welcome(self.name, 4242, 1, ME, ME)
        control.say(self._live)
        return control

    def alive(self) -> bool:
        return self._live is not None or self._started


@cache
def _moments(story: str) -> dict[str, dict[str, Any]]:
    moments: dict[str, dict[str, Any]] = json.loads((JOURNALS / f"{story}.moments.json").read_text(encoding="utf-8"))
    return moments


MOMENTS = {
    "starting": Moment("quick", "starting"),
    "collecting": Moment("quick", "collecting"),
    "learning": Moment("quick", "learning"),
    "paused": Moment("quick", "paused"),
    "campaign": Moment("campaign", "second-phase"),
    "worker down": Moment("failing-worker", "restarting"),
    "unclean end": Moment("failing-worker", "unclean"),
    "failed": Moment("failed", "failed"),
    "finished": Moment("quick", "finished"),
}
TABLE = JOURNALS / "table.json"  # what is found about quick's action table
COCKPIT = "cockpit"  # the name of what is shown when no pane is alone
HEAD = "=== "
Size = tuple[int, int]


@dataclass(frozen=True)
class Frame:
    """One picture's place in the matrix."""

    state: str  # of MOMENTS
    size: Size
    ascii_only: bool

    @property
    def form(self) -> str:
        """80x24 unicode."""
        return f"{self.size[0]}x{self.size[1]} {'ascii' if self.ascii_only else 'unicode'}"


Pictures = dict[str, dict[Frame, str]]  # by the pane's name


@asynccontextmanager
async def recorded_cockpit(moment: Moment, ascii_only: bool, data: DataDir) -> AsyncIterator[Pilot[str]]:
    """The cockpit on the recorded run, the clock standing still, once it shows everything."""
    run = moment.put(data)
    put_league(data, run.name)
    dependencies = Dependencies(
        sources=lambda name, trainer: run,
        clock=Clock(moment.now),
        tables=TableChecker(lambda command: TABLE.read_bytes()),
        sampler=lambda folder, written: _machine(moment.now, folder, written),  # type: ignore[arg-type,return-value]
    )
    app = RltuiApp(data, attach=run.name, ascii_only=ascii_only, dependencies=dependencies)
    async with app.run_test(size=SIZES[0]) as pilot:
        screen = app.screen
        assert isinstance(screen, CockpitScreen)
        await until(pilot, lambda: screen.snapshot.alive is not None)
        await until(pilot, lambda: (screen.snapshot.live_time is not None) == (moment.live is not None))
        yield pilot


async def pictures_of(state: str, ascii_only: bool, sizes: Sequence[Size], data: DataDir) -> Pictures:
    """The whole cockpit and each pane alone, at each size."""
    found: Pictures = {}
    async with recorded_cockpit(MOMENTS[state], ascii_only, data) as pilot:
        for size in sizes:
            frame = Frame(state, size, ascii_only)
            await resized(pilot, size)
            found.setdefault(COCKPIT, {})[frame] = await settled(pilot, pilot.app.screen)
            async for pane in each_alone(pilot):
                found.setdefault(name_of(pane), {})[frame] = await settled(pilot, pane)
    return found


async def each_alone(pilot: Pilot[str]) -> AsyncIterator[Pane]:
    """One pane after the other, maximised where several fit; then all of them again."""
    screen = pilot.app.screen
    assert isinstance(screen, CockpitScreen)
    for pane in screen.panes:
        screen.grid.show_pane(pane)
        if screen.grid.choice.alone is None and not is_single(*screen.size):
            screen.action_maximise()
        await until(pilot, lambda pane=pane: pane.display and pane.has_focus)
        await until(pilot, lambda pane=pane: not isinstance(pane, LeaguePane) or pane.league is not None)
        yield pane
    screen.action_reset_layout()


def _machine(now: float, folder: Path, written: Callable[[], int | None]) -> FakeSampler:
    """What the machine's pane shows, of just now."""
    sampler = FakeSampler(folder, written)
    sampler.sample = replace(SAMPLE, time=now - 1)
    return sampler


def name_of(pane: Pane | type[Pane]) -> str:
    """As its golden file is called: metrics, log."""
    return pane.pane_id()


async def settled(pilot: Pilot[str], widget: Widget) -> str:
    """The widget's part of the screen, once nobody works at it and it no longer changes."""
    await pilot.app.workers.wait_for_complete()
    last = None
    while last != (now := _part(pilot, widget)):
        last = now
        await pilot.pause()
    return now


def _part(pilot: Pilot[str], widget: Widget) -> str:
    """Its rows, without the right border's blanks: most of a wide terminal is empty."""
    rows = screen_text(pilot.app.screen).splitlines()
    if widget is pilot.app.screen:
        return "\n".join(rows) + "\n"
    region = widget.region
    cut = (row[region.x : region.right].rstrip() for row in rows[region.y : region.bottom])
    return "\n".join(row.removesuffix("│").removesuffix("|").rstrip() for row in cut) + "\n"


def written(pictures: Mapping[Frame, str]) -> str:
    """A golden file's text: equal pictures of several states stand once, under the names of all of them."""
    parts: list[str] = []
    for form, frames in itertools.groupby(sorted(pictures, key=_order), key=lambda frame: frame.form):
        states: dict[str, list[str]] = {}
        for frame in frames:
            states.setdefault(pictures[frame], []).append(frame.state)
        parts += [f"{HEAD}{form}: {', '.join(names)}\n{text}" for text, names in states.items()]
    return "".join(parts)


def read(path: Path) -> dict[tuple[str, str], str]:
    """(form, state) → picture, of a golden file."""
    return dict(_sections(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _sections(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    for section in ("\n" + text).split("\n" + HEAD)[1:]:
        head, _, picture = section.partition("\n")
        form, _, states = head.partition(": ")
        for state in states.split(", "):
            yield (form, state), picture.rstrip("\n") + "\n"


def _order(frame: Frame) -> tuple[Size, bool, int]:
    return frame.size, frame.ascii_only, list(MOMENTS).index(frame.state)
