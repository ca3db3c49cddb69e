"""When a checkpoint or milestone is due, by crossing boundaries; and what meta.json says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from rltui.events.episode_reward import EpisodeReward
from rltui.events.records import CheckpointSaved, LogLine, Record
from rltui.policy.saved import load_policy
from rltui.profile.load import load
from rltui.profile.resolved import reward_digest
from rltui.runs import meta
from rltui.runs.inventory import complete_checkpoints, list_milestones
from rltui.runs.paths import DataDir
from rltui.runs.saver import SaveKind, SaveResult
from rltui.train.checkpointing import CheckpointWriter, SavedFigures
from rltui.train.setup import StartContext, TrainOptions, prepare
from tests.fakes.tasks import active_task
from tests.fakes.training import TINY


@contextmanager
def saving(tmp_path: Path, *overrides: str) -> Iterator[tuple[CheckpointWriter, StartContext, list[Record]]]:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    options = TrainOptions(load(path, overrides), str(path), DataDir(tmp_path / "data"), run="r")
    context = prepare(options)
    told: list[Record] = []
    made = CheckpointWriter(active_task(context), told.append)
    try:
        yield made, context, told
    finally:
        made.close(10)


def test_due_by_crossing_whatever_the_size_of_an_iteration(tmp_path: Path) -> None:
    with saving(tmp_path, "save_every=1000", "milestone_interval=3000") as (made, context, _):
        learner = context.config.learner()

        def step(timesteps: int) -> list[tuple[str, str]]:
            due = made.due(timesteps)
            if due:
                made.save(due, learner.snapshot, timesteps, SavedFigures())
            return list(due)

        assert step(0) == [("checkpoint", "0")]
        assert step(999) == []
        assert step(1001) == [("checkpoint", "1001")]
        assert step(1999) == []
        assert step(3500) == [("milestone", "000.003M"), ("checkpoint", "3500")]
        assert step(3999) == []
        assert step(9999) == [("milestone", "000.009M"), ("checkpoint", "9999")], "the highest boundary only"


def test_big_checkpoints_that_take_much_of_a_core_are_told_once(tmp_path: Path) -> None:
    """0.8 s of each 1.7 s, as nets of 2048 on a GPU with save_every of a CPU's profile; not where they are seldom or small."""
    for between, size, expected in ((1.7, 217_000_000, 1), (60.0, 217_000_000, 0), (1.7, 1_000_000, 0)):
        with saving(tmp_path) as (made, _, told):
            for timesteps in range(25):
                made._now = partial(float, between * timesteps)
                made._on_result(SaveResult("checkpoint", "saved", tmp_path, "", timesteps, size, 0.8))
        lines = [record.message for record in told if isinstance(record, LogLine)]
        assert len(lines) == expected
        assert all("217 MB every 1.7 s takes 47% of a core" in line for line in lines)


def test_a_state_has_one_commit_and_its_files_agree(tmp_path: Path) -> None:
    with saving(tmp_path) as (made, context, told):
        learner = context.config.learner()
        made.save(
            [("milestone", "000.004096M"), ("checkpoint", "4100")],
            learner.snapshot,
            4100,
            SavedFigures(EpisodeReward(1.5, 104), 4.4),
        )
        assert made.drain(30)
    paths = context.options.data.run("r")
    [checkpoint], [milestone] = complete_checkpoints(paths)[-1:], list_milestones(paths)
    one, two = meta.read(checkpoint.path), meta.read(milestone.path)
    assert one == two
    assert (one.commit, one.timesteps, one.entropy, one.approx_kl) == (1, 4100, 4.4, None)
    assert (one.mean_reward, one.reward_episodes, one.phase_profile) == (1.5, 104, "")
    assert one.signature == context.signature
    policy = load_policy(checkpoint.path / "policy.npz")
    assert policy.table_hash == one.table_hash
    assert policy.table.shape == (90, 8)
    assert {record.kind for record in told if isinstance(record, CheckpointSaved)} == {"checkpoint", "milestone"}
    saved = load(checkpoint.path / "profile.toml")
    assert (saved.ppo, saved.name) == (context.profile.ppo, context.profile.name)


def test_who_asked_is_told_of_the_save_that_took_the_place_of_theirs(tmp_path: Path) -> None:
    with saving(tmp_path) as (made, context, _):
        learner = context.config.learner()
        go, asked, outcomes = threading.Event(), threading.Event(), list[str]()

        class Slow:
            def __init__(self) -> None:
                self.inner = learner.snapshot()

            def files(self) -> dict[str, bytes]:
                asked.set()
                go.wait(10)
                return self.inner.files()

            def __getattr__(self, name: str) -> Any:
                return getattr(self.inner, name)

        def save(kind: SaveKind, label: str) -> None:
            made.save([(kind, label)], Slow, 4100, SavedFigures(), lambda result: outcomes.append(result.outcome))  # type: ignore[arg-type]

        save("milestone", "000.0041M")
        assert asked.wait(10)  # the saver is busy with it, so that the next ones wait
        save("checkpoint", "4100")
        save("checkpoint", "4100")
        assert outcomes == []
        go.set()
        assert made.drain(30)
        assert outcomes == ["saved"] * 3


def test_a_milestone_is_no_checkpoint(tmp_path: Path) -> None:
    with saving(tmp_path) as (made, context, _):
        learner = context.config.learner()
        made.save([("milestone", "000.0041M")], learner.snapshot, 4100, SavedFigures())
        assert not made.saved(4100)
        made.save([("checkpoint", "4100")], learner.snapshot, 4100, SavedFigures())
        assert made.saved(4100)
        assert made.drain(30)
    paths = context.options.data.run("r")
    assert {meta.read(info.path).commit for info in [*complete_checkpoints(paths), *list_milestones(paths)]} == {1}


def test_a_state_tells_what_was_paid_for_by_hand_too(tmp_path: Path) -> None:
    with saving(tmp_path, "keep.last=3") as (made, context, _):
        learner, lessons = context.config.learner(), made._task
        name = lessons.overrides.reward_names[0]
        for timesteps, weight in ((100, None), (200, 7.5), (300, None)):
            lessons.override_weight(name, weight, timesteps)
            made.save([("checkpoint", str(timesteps))], learner.snapshot, timesteps, SavedFigures())
            assert made.drain(30)
    paths = context.options.data.run("r")
    first, by_hand, taken_back = (meta.read(paths.checkpoint(timesteps)).paid for timesteps in (100, 200, 300))
    assert first == taken_back == reward_digest(context.config.profile, {})
    assert by_hand == reward_digest(context.config.profile, {name: 7.5}) != first
