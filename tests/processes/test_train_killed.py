"""`kill -9` of the trainer at any moment leaves a run that goes on, and loses at most one save interval (FAULTS F1)."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from rltui.events.records import CheckpointSaved, IterationFinished
from rltui.runs.checkpoint import verify
from rltui.runs.inventory import complete_checkpoints, list_checkpoints
from tests.fakes.training import TINY, Training

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


def assert_goes_on(training: Training) -> None:
    """The next start reaches its end."""
    reached = check_whole(training)
    training.start("--steps", str(reached + 1024))
    assert training.wait_end() == 0
    assert complete_checkpoints(training.paths)[-1].timesteps >= reached + 1024
    staging = training.paths.staging
    assert not staging.exists() or not any(staging.iterdir())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_killed_at_a_random_moment(training: Training, seed: int) -> None:
    draw = random.Random(seed)
    training.start()
    training.wait_records(IterationFinished, draw.randint(1, 8))
    assert training.process is not None
    training.process.kill()
    training.process.wait()
    training.poll()
    assert_goes_on(training)


def test_killed_within_one_save_after_the_other(training: Training) -> None:
    """Each start goes on from what the kill before it has left."""
    training.profile += "\n[keep]\nlast = 2\n"
    reached = 0
    for kill in KILLS:
        training.start(env={"RLTUI_FAULT": kill})
        assert training.wait_end() == -9, f"{kill}: {training.output}"
        training.poll()
        before, reached = reached, check_whole(training)
        assert reached >= before, kill
    assert reached >= 1024 * (len(KILLS) // 2), "most starts have saved something new"
    assert_goes_on(training)


def test_a_finished_run_has_its_last_state_on_disk(training: Training) -> None:
    training.start("--steps", "3000")
    assert training.wait_end() == 0
    last = training.iterations()[-1].timesteps
    assert last >= 3000
    assert complete_checkpoints(training.paths)[-1].timesteps == last
    assert training.wait_records(CheckpointSaved)[0].timesteps == 0, "one before the first iteration"


def test_the_profile_of_the_tests_is_valid(tmp_path: Path) -> None:
    from rltui.profile.load import load

    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    assert load(path).collect.workers == 2
