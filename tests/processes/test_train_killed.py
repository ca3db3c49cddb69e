"""`kill -9` of the trainer at any moment leaves a run that goes on, and loses at most one save interval."""

from __future__ import annotations

import random
import re

import pytest

from rltui.events.records import CheckpointSaved, IterationFinished, RunStarted
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints, list_checkpoints
from rltui.runs.journal import read_journal
from rltui.runs.journal_reader import current_records, unclean_end
from rltui.runs.summary import describe_run
from tests.fakes.training import Training

KILLS = (  # where, and which pass of that point in the trainer
    "journal.write:kill:9",
    "save.mkdir:kill:2",
    "save.write:kill:12",
    "save.fsync:kill:20",
    "save.manifest.write:kill:2",
    "save.rename:kill:2",
    "save.done:kill:3",
    "prune.remove:kill:1",
)
FEW_KILLS = ("journal.write:kill:9", "save.rename:kill:2", "prune.remove:kill:1")


def check_whole(training: Training) -> int:
    """Every listed checkpoint is whole, and no more than that is lost; the timesteps of the newest."""
    infos = list_checkpoints(training.paths)
    assert all(info.damage is None for info in infos)
    for info in infos:
        verify(info.path)
    reached = complete_checkpoints(training.paths)[-1].timesteps if infos else 0
    if training.iterations():
        assert due(training) - reached <= 1024 + 512, "one save interval and one iteration"
    return reached


def due(training: Training) -> int:
    """Timesteps of the state that was being written, else of the newest one: a slow disk is no loss of the trainer's."""
    staged = training.paths.staging.glob("*") if training.paths.staging.exists() else ()
    written = [int(found[0]) for folder in staged if (found := re.findall(r"\d+", folder.name))]
    return min([*written, training.iterations()[-1].timesteps])


def kill_at_random(training: Training, draw: random.Random) -> None:
    """After some more iterations."""
    training.start()
    training.wait_records(IterationFinished, len(training.iterations()) + draw.randint(1, 8))
    assert training.process is not None
    training.process.kill()
    training.process.wait()
    training.poll()


@pytest.mark.parametrize(
    ("seed", "kills"), [(0, FEW_KILLS), *(pytest.param(seed, KILLS, marks=pytest.mark.slow) for seed in range(1, 4))]
)
def test_killed_again_and_again_it_goes_on_to_its_end(training: Training, seed: int, kills: tuple[str, ...]) -> None:
    """At a random moment, then within one save after the other: each start goes on from what the kill before has left."""
    training.profile += "\n[keep]\nlast = 2\n"
    kill_at_random(training, random.Random(seed))
    reached = first = check_whole(training)
    for kill in kills:
        training.start(env={"RLTUI_FAULT": kill})
        assert training.wait_end() == -9, f"{kill}: {training.output}"
        training.poll()
        assert describe_run(training.paths).state == "unclean", kill
        before, reached = reached, check_whole(training)
        assert reached >= before, kill
    assert reached >= first + 1024 * (len(kills) // 2), "most starts have saved something new"
    training.start("--steps", str(reached + 1024))
    assert training.wait_end() == 0
    last = training.iterations()[-1].timesteps
    assert complete_checkpoints(training.paths)[-1].timesteps == last >= reached + 1024, "its last state is on disk"
    current = current_records(read_journal(training.paths.journal))
    rows = [record.timesteps for record in current if isinstance(record, IterationFinished)]
    assert rows == sorted(set(rows)), "every iteration once, in order"
    assert unclean_end(training.paths) is None and describe_run(training.paths).state == "stopped"
    staging = training.paths.staging
    assert not staging.exists() or not any(staging.iterdir())
    records = training.poll()
    assert training.wait_records(CheckpointSaved)[0].timesteps == 0, "one before the first iteration"
    starts = [record.start for record in records if isinstance(record, RunStarted)]
    assert starts == sorted(set(starts)) and starts[0] > 0, "each start has its number"
    counted = [record.elapsed or 0.0 for record in records if isinstance(record, RunStarted | IterationFinished)]
    assert counted == sorted(counted) and counted[-1] > 0, "elapsed time goes on over all sessions"
