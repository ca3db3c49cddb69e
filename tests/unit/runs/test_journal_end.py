"""How far back a journal is read: until the episodes of the reward are there, and in a few steps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rltui.events.episode_reward import EPISODES, WINDOW, newest_window
from rltui.events.records import IterationFinished, Record
from rltui.runs import journal_reader
from rltui.runs.journal import FAR_BYTES, JournalWriter, encode_line, read_back, read_end, read_journal
from rltui.runs.journal_reader import JournalEnd, reward_so_far
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes import run_story
from tests.fakes.saved_runs import header, make_run, resumed, row


@pytest.fixture
def paths(tmp_path: Path) -> RunPaths:
    found = DataDir(tmp_path).run("alpha")
    found.folder.mkdir(parents=True)
    return found


def write(paths: RunPaths, rows: int, episodes_in: range) -> None:
    """episodes_in: iterations in which one episode ends."""
    records: list[Record] = list(run_story.opening("alpha"))
    for number in range(1, rows + 1):
        record = run_story.iteration(number)
        metrics = {**record.metrics, EPISODES: float(number in episodes_in)}
        records.append(msgspec.structs.replace(record, metrics=metrics))
    paths.journal.write_bytes(b"".join(map(encode_line, records)))


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 20), marks=pytest.mark.slow)])
def test_blocks_together_are_the_end(subtests: pytest.Subtests, paths: RunPaths, seeds: range) -> None:
    """Whatever the blocks cut apart: lines, parts of the journal, garbage."""
    for seed in seeds:
        with subtests.test(seed=seed):
            paths = make_run(paths.data, f"seed{seed}", commits=0)
            draw = random.Random(seed)
            writer = JournalWriter(paths.journal, part_bytes=draw.choice((400, 3000, 1 << 20)))
            writer.write(header())
            for timesteps in range(draw.choice((1, 60, 300))):
                writer.write(row(timesteps))
                if draw.random() < 0.05:
                    with paths.journal.open("ab") as file:
                        file.write(b"x" * draw.randrange(2000) + b"\n")
            written = list(read_journal(paths.journal))
            for first, most in ((1, 100), (7, 10_000), (500, 1 << 20), (1 << 20, 1 << 20), (50, 700)):
                blocks = list(read_back(paths.journal, first, most))
                records = [record for block in reversed(blocks) for record in block]
                assert records == written[len(written) - len(records) :]
                assert records == read_end(paths.journal, most)
                assert most < 1 << 20 or records == written


def test_no_further_than_the_rewards_episodes(
    subtests: pytest.Subtests, paths: RunPaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of 1.5 KB in blocks of 256, 512 … KB. A slow twin has read everything."""
    for far, blocks in [(120, 1), (400, 2), (900, 3)]:
        with subtests.test(far=far, blocks=blocks):
            paths = make_run(paths.data, f"far{far}", commits=0)
            write(paths, 3000, range(3000 - far, 3000 - far + WINDOW))
            read: list[int] = []

            def counted(path: Path, read: list[int] = read) -> Iterator[list[Record]]:
                for block in read_back(path):
                    read.append(len(block))
                    yield block

            monkeypatch.setattr(journal_reader, "read_back", counted)
            end = JournalEnd(paths)
            assert len(read) == blocks
            assert end.reward == newest_window(list(read_journal(paths.journal))).value
            assert end.reward.episodes == WINDOW and end.row is not None and end.row.iteration == 3000


def test_a_task_that_was_taken_back_takes_no_reward_with_it(paths: RunPaths) -> None:
    """The next phase began, and the run went on from a checkpoint of before: what it earns is measured as ever."""
    write(paths, 20, range(1, 21))
    before = JournalEnd(paths).reward
    kept = run_story.iteration(20).timesteps
    assert before.episodes == 20
    writer = JournalWriter(paths.journal)
    writer.write(run_story.phase_changed(1.0, kept + 1))
    assert reward_so_far(paths, kept).value == before, "asked before the resume is in the journal"
    writer.write(resumed(kept))
    assert JournalEnd(paths).reward == before
    writer.write(run_story.phase_changed(2.0, kept))
    assert JournalEnd(paths).reward.episodes == 0 == reward_so_far(paths, kept).value.episodes


def test_where_they_are_very_far_back_it_gives_up(paths: RunPaths) -> None:
    write(paths, 3500, range(1, 200))
    assert paths.journal.stat().st_size > FAR_BYTES
    end = JournalEnd(paths)
    assert end.reward.episodes == 0
    assert sum(isinstance(record, IterationFinished) for record in end.records) < 3000
