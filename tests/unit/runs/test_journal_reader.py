"""A journal read from its end: what counts after resumes, ends, pauses, speed, limits."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from rltui.__main__ import main
from rltui.cli.run_status import read_status, status_lines
from rltui.events.episode_reward import EPISODES, WINDOW, newest_window
from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import (
    IterationFinished,
    LogLine,
    Record,
    SettingChanged,
    StateChanged,
    TrainerState,
    UpdateDropped,
)
from rltui.runs import journal_reader
from rltui.runs.journal import END_BYTES, FAR_BYTES, JournalWriter, encode_line, read_back, read_end, read_journal
from rltui.runs.journal_reader import (
    SPEED_ITERATIONS,
    JournalEnd,
    copy_history,
    current_records,
    recent_speed,
    reward_so_far,
    step_limit,
    unclean_end,
)
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import describe_run
from rltui.tui.browser.library import LibraryReader
from rltui.tui.browser.tree import rows
from rltui.tui.launcher.tree import state_sign
from rltui.tui.text import plain
from tests.fakes import run_story
from tests.fakes.saved_runs import finish, header, make_run, resumed, row


def test_a_resume_takes_back_the_rows_above_it() -> None:
    line = LogLine(time=1.0, level="info", source="trainer", message="kept")
    dropped = UpdateDropped(time=1.0, iteration=3, timesteps=300, source="loss", in_a_row=1)
    records = [
        header(),
        row(100),
        row(200),
        line,
        dropped,
        row(300),
        resumed(200),
        row(250),
        row(350),
        resumed(250),
        row(300),
    ]
    assert current_records(records) == [
        header(),
        row(100),
        row(200),
        line,
        resumed(200),
        row(250),
        resumed(250),
        row(300),
    ]


def test_what_was_changed_by_hand_after_it_is_taken_back_too() -> None:
    """The bot that goes on never trained with it."""
    before, after = (
        SettingChanged(time=1.0, timesteps=steps, setting="reward touch", value=5.0, by="ada") for steps in (150, 250)
    )
    records = [header(), row(100), before, row(200), after, row(300), resumed(200), row(300)]
    assert current_records(records) == [header(), row(100), before, row(200), resumed(200), row(300)]


def test_no_resume_no_change() -> None:
    records = [header(), row(1), row(2), finish(2)]
    assert current_records(records) == records
    assert current_records([]) == []


def test_a_branch_begins_with_its_parents_history(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    parent, branch = data.run("alpha"), data.run("alpha-b2")
    parent.folder.mkdir(parents=True), branch.folder.mkdir()
    writer = JournalWriter(parent.journal)
    for record in (header(), row(100), row(200), row(300), resumed(100), row(210), row(310)):
        writer.write(record)
    target = JournalWriter(branch.journal)
    assert copy_history(parent, target, 210) == 2
    first, *history = read_journal(branch.journal)
    assert isinstance(first, LogLine) and history == [row(100), row(210)]


def test_a_branch_was_started_when_its_history_was_copied(tmp_path: Path) -> None:
    """However far its own header is from either end of its journal."""
    data, before = DataDir(tmp_path), time.time()
    parent, branch = data.run("alpha"), data.run("alpha-b2")
    parent.folder.mkdir(parents=True), branch.folder.mkdir()
    chatter = LogLine(time=1.0, level="info", source="worker", message="x" * 100_000)
    writer = JournalWriter(parent.journal)
    for record in (header(), *(row(steps) for steps in range(1000))):
        writer.write(record)
    target = JournalWriter(branch.journal)
    copy_history(parent, target, 1000)
    for record in (header(), *[chatter] * 45, row(1001)):
        target.write(record)
    started = describe_run(branch).started
    assert started is not None and before <= started <= time.time()


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 10), marks=pytest.mark.slow)])
def test_a_branch_gets_what_counts_after_any_resumes(subtests: pytest.Subtests, tmp_path: Path, seeds: range) -> None:
    """A slow twin has all of the journal in memory."""
    for seed in seeds:
        with subtests.test(seed=seed):
            draw, data = random.Random(seed), DataDir(tmp_path / str(seed))
            parent, branch = data.run("alpha"), data.run("alpha-b2")
            parent.folder.mkdir(parents=True), branch.folder.mkdir()
            writer = JournalWriter(parent.journal, part_bytes=draw.choice((500, 1 << 20)))
            records: list[Record] = [header()]
            for _ in range(draw.choice((3, 60))):
                records.append(draw.choice((row, row, row, resumed))(draw.randrange(500)))
            for record in records:
                writer.write(record)
            expected = [
                one for one in current_records(records) if isinstance(one, IterationFinished) and one.timesteps <= 300
            ]
            target = JournalWriter(branch.journal)
            assert copy_history(parent, target, 300) == len(expected)
            assert list(read_journal(branch.journal))[1:] == expected


def test_clean_and_unclean_ends(tmp_path: Path) -> None:
    """F37, what the journal says."""
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    assert unclean_end(paths) is None, "there was no session"
    writer = JournalWriter(paths.journal)
    writer.write(header(pid=77))
    told = unclean_end(paths)
    assert told is not None and "pid 77 on tower, started 2023-11-14 22:13:20 UTC" in told
    writer.write(row(1))
    assert unclean_end(paths) is not None
    writer.write(finish(1))
    assert unclean_end(paths) is None
    writer.write(LogLine(time=1.0, level="info", source="trainer", message="a word after the end"))
    assert unclean_end(paths) is None
    writer.write(header(pid=78))
    writer.write(row(2))
    told = unclean_end(paths)
    assert told is not None and "pid 78" in told and "2023-11-14 22:13:22 UTC" in told


def test_an_unclean_end_is_seen_when_the_header_is_far_away(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    paths.folder.mkdir(parents=True)
    writer = JournalWriter(paths.journal)
    writer.write(header(pid=77))
    for timesteps in range(4000):
        writer.write(row(timesteps))
    told = unclean_end(paths)
    assert told is not None and "pid 77" not in told and "did not end cleanly" in told


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


def state(name: TrainerState, at: float) -> StateChanged:
    return StateChanged(time=at, state=name, reason="by ada")


def append(trained: RunPaths, *records: Record) -> None:
    writer = JournalWriter(trained.journal)
    for record in records:
        writer.write(record)


@pytest.fixture
def trained(tmp_path: Path) -> RunPaths:
    found = make_run(DataDir(tmp_path), commits=1)
    append(found, header(), row(1000))
    return found


def append_own_header(paths: RunPaths) -> None:
    """As the trainer that holds the lock in this process writes it."""
    append(paths, header(pid=os.getpid()))


def test_paused_since_and_until_it_goes_on(trained: RunPaths) -> None:
    """Also where the clock was set back since the trainer came."""
    with RunLock(trained):
        now = time.time() - 3600
        append_own_header(trained)
        assert describe_run(trained).paused is None
        append(trained, state("paused", now + 1), state("saving", now + 2), state("paused", now + 3))
        run = describe_run(trained)
        assert (run.state, run.paused, state_sign(run)[1]) == ("training", now + 1, "paused")
        append(trained, state("collecting", now + 4))
        assert describe_run(trained).paused is None
        append(trained, state("paused", now + 5))
        assert describe_run(trained).paused == now + 5
    assert describe_run(trained).paused is None, "its trainer is gone"


def test_a_pause_of_an_earlier_trainer_is_none_of_this_one(trained: RunPaths) -> None:
    append(trained, state("paused", 1_700_000_050.0))
    with RunLock(trained):
        assert describe_run(trained).paused is None
    append(trained, finish(1000), header(time=time.time()))
    with RunLock(trained):
        assert describe_run(trained).paused is None


def test_lists_say_so(trained: RunPaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reader = LibraryReader(DataDir(tmp_path))
    with RunLock(trained):
        *_, library = reader.read()
        append_own_header(trained)
        assert "▶ alpha" in plain(row.line for row in rows(library, frozenset(), 40))
        append(trained, state("paused", time.time()))
        *_, library = reader.read()
        assert "‖ alpha" in plain(row.line for row in rows(library, frozenset(), 40))
        assert main(["--data-dir", str(tmp_path), "ls"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("alpha"))
    assert line.split()[1] == "paused"


def test_status_says_for_how_long(trained: RunPaths) -> None:
    status = msgspec.structs.replace(read_status(trained), state="paused", paused=time.time() - 125, note="by ada")
    assert any("paused for 2 min 05 s: by ada" in line for line in status_lines(status))


def test_status_says_updating_for_learning_is_what_a_bot_does(trained: RunPaths) -> None:
    status = msgspec.structs.replace(read_status(trained), state="learning")
    text = "\n".join(status_lines(status))
    assert "updating" in text and "learning" not in text


def iterations(*speeds: float | None) -> list[Record]:
    rows = [run_story.iteration(index + 1) for index in range(len(speeds))]
    return [
        msgspec.structs.replace(row, metrics={**row.metrics, OVERALL_SPEED: speed})
        for row, speed in zip(rows, speeds, strict=True)
    ]


def test_two_iterations_of_one_size_take_the_time_of_both() -> None:
    """100 steps at 10/s and 100 at 40/s: 200 steps in 12.5 s."""
    found = recent_speed(iterations(10.0, 40.0))
    assert found is not None and found.steps_per_second == pytest.approx(16.0) and found.iterations == 2


def test_only_the_newest_count_and_only_those_of_the_newest_start() -> None:
    found = recent_speed(iterations(*[1.0] * 30, *[50.0] * SPEED_ITERATIONS))
    assert found is not None and found.steps_per_second == pytest.approx(50.0) and found.iterations == SPEED_ITERATIONS
    restarted = [*iterations(*[1.0] * 30), *run_story.opening("alpha"), *iterations(50.0, 50.0)]
    found = recent_speed(restarted)
    assert found is not None and found.steps_per_second == pytest.approx(50.0) and found.iterations == 2


def test_what_is_no_speed_is_left_out(subtests: pytest.Subtests) -> None:
    for speed in [None, 0.0, -1.0, float("nan"), float("inf")]:
        with subtests.test(speed=repr(speed)):
            assert recent_speed(iterations(speed)) is None
            found = recent_speed(iterations(speed, 20.0))
            assert found is not None and found.iterations == 1


def started(paths: RunPaths, *limits: int | None, rows: int = 3) -> None:
    writer = JournalWriter(paths.journal)
    for limit in limits:
        writer.write(msgspec.structs.replace(header(), step_limit=limit))
        for number in range(1, rows + 1):
            writer.write(row(1000 * number))
    writer.write(finish(1000 * rows))
    writer.close()


def test_that_of_the_newest_start_counts(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[tuple[int | None, ...], int | None]] = [
        ((40_000,), 40_000),
        ((40_000, None), None),
        ((None, 9000, 7000), 7000),
    ]
    for limits, found in cases:
        with subtests.test(limits=repr(limits), found=repr(found)):
            paths = make_run(DataDir(tmp_path), commits=0)
            started(paths, *limits)
            assert step_limit(paths) == found


def test_a_start_long_ago_is_found(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000, rows=3 * END_BYTES // 120)
    assert paths.journal.stat().st_size > 2 * END_BYTES
    assert step_limit(paths) == 40_000


def test_a_start_of_days_ago_is_found_in_the_oldest_part(tmp_path: Path) -> None:
    """Of what lies between, only lines that speak of a start are read, and what merely names one is none."""
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000)
    said = LogLine(time=1.0, level="info", source="run_started", message="a header is another thing")
    filler = (encode_line(row(5000)) * 5000 + encode_line(said)) * 23
    for number in range(1, 6):
        paths.journal.rename(paths.journal.with_name(f"journal.{number}.jsonl"))
        paths.journal.write_bytes(filler)
    assert sum(part.stat().st_size for part in paths.folder.glob("journal*")) > 64 << 20
    assert step_limit(paths) == 40_000


def test_what_is_no_journal_but_gigabytes_of_nothing_is_passed_over(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    started(paths, 40_000)
    paths.journal.rename(paths.journal.with_name("journal.1.jsonl"))
    with paths.journal.open("wb") as file:
        file.truncate(100 << 20)  # one line, as far as anybody can tell, of zeros
    assert step_limit(paths) == 40_000


def test_without_a_journal_there_is_none(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    assert step_limit(paths) is None
    paths.journal.write_bytes(b"\xff\x00 no record\n")
    assert step_limit(paths) is None
