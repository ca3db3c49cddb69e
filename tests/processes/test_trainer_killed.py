"""F37 at the level of files: a killed trainer's run says that it ended uncleanly, is free, and goes on without a gap."""

from __future__ import annotations

import random
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rltui.runs.journal import JournalTail, JournalWriter, read_journal
from rltui.runs.journal_reader import current_records, unclean_end
from rltui.runs.launch_plan import StartRequest, confirm, plan_launch
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.runs.saver import SaveJob, Saver
from rltui.runs.summary import describe_run
from tests.fakes.forked import Forked
from tests.fakes.saved_runs import SIGNATURE, finish, header, make_files, make_meta, resumed, row

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")


def train(data: DataDir, report: Callable[[str], None], last: int) -> None:
    """A trainer in little: plan, lock, say how the last one ended, resume, save every third iteration."""
    plan = plan_launch(StartRequest(data, SIGNATURE, "quick", run="alpha"))
    paths = data.run(plan.run)
    with RunLock(paths):
        confirm(data, plan)
        told = unclean_end(paths)
        journal = JournalWriter(paths.journal, part_bytes=2000)
        journal.write(header())
        report(f"{plan.kind} {plan.timesteps} {'unclean' if told else 'clean'}")
        if plan.rewind:
            journal.write(resumed(plan.timesteps))
        saver = Saver(paths, 3, lambda result: report(f"{result.outcome} {result.timesteps}"))
        for timesteps in range(plan.timesteps + 1, last + 1):
            journal.write(row(timesteps))
            if timesteps % 3 == 0 or timesteps == last:
                files = make_files(make_meta("alpha", plan.commit + timesteps, timesteps))
                saver.submit(SaveJob("checkpoint", paths.checkpoint(timesteps), timesteps, lambda files=files: files))
                saver.drain()
        saver.close()
        journal.write(finish(last))
        report("finished")


def test_killed_again_and_again_the_history_has_no_gap(disk: Path) -> None:
    data, chance = DataDir(disk), random.Random(3)
    paths = data.run("alpha")
    tail, seen = JournalTail(paths.journal), []
    saved = 0
    for attempt in range(12):
        with Forked(lambda report: train(data, report, last=100_000)) as process:
            start, *reported = process.lines(1)  # a quick child has said more by now
            select.select([], [], [], chance.uniform(0.0, 0.08))
            process.kill()
            assert process.wait() == -signal.SIGKILL
            reported += process.lines(timeout=1)
        kind, timesteps, end = start.split()
        assert end == ("unclean" if attempt else "clean")
        assert (kind, int(timesteps) >= saved) == ("resume" if int(timesteps) else "new", True), (
            "at most one save is lost"
        )
        saved = max([saved, *(int(line.split()[1]) for line in reported)])
        assert describe_run(paths).state == "unclean"
        while records := tail.poll():
            seen += records
    assert seen == list(read_journal(paths.journal))
    with Forked(lambda report: train(data, report, last=saved + 10)) as process:
        assert process.wait() == 0
        assert process.lines()[-1] == "finished"
    rows = [record.timesteps for record in current_records(read_journal(paths.journal)) if hasattr(record, "metrics")]
    assert rows == list(range(1, saved + 11)), "every iteration once, in order"
    assert saved > 12
    assert unclean_end(paths) is None and describe_run(paths).state == "stopped"
