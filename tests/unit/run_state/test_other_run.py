"""Another run's history is read in a thread of its own, whatever its journal is like."""

from __future__ import annotations

import threading

from msgspec.structs import replace

from rltui.events.records import RunStarted
from rltui.run_state.other_run import OtherReader, OtherRun, RunBrief, RunsOnDisk, adjacent_run, run_lines
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir
from tests.fakes import run_story
from tests.fakes.fake_run import FakeJournal


class FakeRuns:
    """OtherRuns, of one journal."""

    def __init__(self, journal: FakeJournal) -> None:
        self._journal = journal

    def names(self) -> list[str]:
        return ["beta"]

    def brief(self, name: str) -> RunBrief:
        return RunBrief(name)

    def journal(self, name: str) -> FakeJournal:
        return self._journal


class Inbox:
    """What the thread published; `wait` until there is something."""

    def __init__(self) -> None:
        self.runs: list[OtherRun] = []
        self._come = threading.Event()

    def put(self, run: OtherRun) -> None:
        self.runs.append(run)
        self._come.set()

    def wait(self) -> OtherRun:
        assert self._come.wait(10.0)
        return self.runs[-1]


def read(journal: FakeJournal) -> OtherRun:
    inbox = Inbox()
    reader = OtherReader("beta", FakeRuns(journal), inbox.put)
    reader.start()
    found = inbox.wait()
    reader.stop()
    reader.join(10.0)
    assert not reader.is_alive()
    return found


def test_its_header_is_the_newest() -> None:
    told = run_story.told(3)
    weighed = [
        replace(record, reward_weights={"touch": 2.0}) if isinstance(record, RunStarted) else record for record in told
    ]
    found = read(FakeJournal(weighed))
    assert found.header is not None and found.header.reward_weights == {"touch": 2.0}


def test_its_rows_are_those_of_its_journal() -> None:
    found = read(FakeJournal(run_story.told(30)))
    assert (found.name, found.problem, found.history.length) == ("beta", "", 30)
    assert found.history.columns["train/approx_kl"][29] == run_story.iteration(30).metrics["train/approx_kl"]


def test_a_journal_that_cannot_be_read_is_said() -> None:
    journal = FakeJournal()
    journal.failure = OSError("the disk is gone")
    found = read(journal)
    assert found.problem == "OSError: the disk is gone"
    assert found.history.length == 0


def test_after_stop_nothing_comes() -> None:
    inbox = Inbox()
    reader = OtherReader("beta", FakeRuns(FakeJournal(run_story.told(3))), inbox.put)
    reader.stop()
    reader.start()
    reader.join(10.0)
    assert inbox.runs == []


def test_neighbours_go_round() -> None:
    names = ["a", "b", "c"]
    assert [adjacent_run(names, now, 1) for now in ("a", "c", "")] == ["b", "a", "a"]
    assert [adjacent_run(names, now, -1) for now in ("a", "c", "")] == ["c", "b", "c"]


def test_notes_of_runs_stand_in_columns() -> None:
    runs = [
        RunBrief("a", "training", "quick", 404_480, 1000.0),
        RunBrief("b", "stopped", "phase-1-ball-touching", 12_431_360, 1000.0),
        RunBrief("c"),
    ]
    assert run_lines(runs, 1000.0 + 7200) == [
        "quick                    404 k timesteps  training",
        "phase-1-ball-touching   12.4 M timesteps  2 h ago",
        "–                            – timesteps  –",
    ]
    assert run_lines([], 0.0) == []


def test_runs_on_disk(tmp_path: object) -> None:
    from pathlib import Path

    data = DataDir(Path(str(tmp_path)))
    paths = data.run("beta")
    paths.folder.mkdir(parents=True)
    writer = JournalWriter(paths.journal)
    for record in run_story.told(5):
        writer.write(record)
    writer.close()
    runs = RunsOnDisk(data)
    assert runs.names() == ["beta"]
    header = run_story.header()
    brief = runs.brief("beta")
    assert (brief.name, brief.profile, brief.timesteps) == ("beta", header.profile, 5 * run_story.STEPS)
    assert brief.updated is not None
    inbox = Inbox()
    reader = OtherReader("beta", runs, inbox.put)
    reader.start()
    assert inbox.wait().history.length == 5
    reader.stop()
    reader.join(10.0)
