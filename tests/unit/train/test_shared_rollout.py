"""The shared segment: every array where both sides expect it, nothing overlapping, room checked before it is taken."""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import numpy as np
import pytest

from rltui.actions.spec import ActionSpec
from rltui.errors import RltuiError
from rltui.train.collect.shared_rollout import RolloutShape, SharedRollout

on_linux = pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm")
SHAPE = RolloutShape(blocks=2, workers=3, steps=5, arenas=2, cars=2, obs_size=7, actions=ActionSpec(9), parameters=11)


def test_what_one_side_writes_the_other_reads_and_nothing_overlaps() -> None:
    ours = SharedRollout.create(SHAPE)
    theirs = SharedRollout(SHAPE, pickle.loads(ForkingPickler.dumps(ours.memory)))
    try:
        for number, array in enumerate(ours._arrays.values(), start=1):
            array[...] = number % 2 if array.dtype == np.bool_ else number
        for number, (name, array) in enumerate(theirs._arrays.items(), start=1):
            expected = number % 2 if array.dtype == np.bool_ else number
            assert (array == expected).all(), name
    finally:
        theirs.close()
        ours.close()


def test_a_workers_block_is_a_view_of_its_own_slice() -> None:
    shared = SharedRollout.create(SHAPE)
    try:
        block = shared.worker_block(1, 2)
        assert block["obs"].shape == (6, 4, 7)
        block["obs"][...] = 3.0
        block["final_count"][...] = 9
        whole = shared.block(1)
        assert (whole["obs"][2] == 3.0).all()
        assert (whole["obs"][:2] == 0.0).all()
        assert whole["final_count"].tolist() == [0, 0, 9]
        assert (shared.block(0)["obs"] == 0.0).all()
        del block, whole
    finally:
        shared.close()


@on_linux
def test_what_a_run_will_touch_is_reserved_and_no_more() -> None:
    shape = replace(SHAPE, steps=4000)
    shared = SharedRollout.create(shape)
    taken = os.fstat(shared.memory._memory._fd).st_blocks * 512
    size = shape.layout()[1]
    shared.close()
    assert shape.expected_bytes <= taken <= shape.expected_bytes + 2 * mmap.PAGESIZE * 2 * 3 < 0.75 * size
    [(_, end), *finals] = shape.expected_parts()
    assert end + 6 * shape.rows * 7 * 4 == size and finals[1][0] - finals[0][0] == shape.rows * 7 * 4


@on_linux
def test_too_little_shared_memory_is_said_with_need_and_room(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/dev/shm")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1 << 20))
    with pytest.raises(RltuiError, match=r"MB of shared memory.*1.0 MB free"):
        SharedRollout.create(replace(SHAPE, steps=100_000))
