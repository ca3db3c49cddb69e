"""Nothing in a checkpoint is ever run: hostile files are refused by name, and the canary stays alone."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.learn.checkpoint_files import NAMES, load_tensors
from rltui.policy.saved import load_policy
from tests.fakes import hostile_files
from tests.fakes.rollouts import learner


def test_the_payloads_would_bite(tmp_path: Path) -> None:
    """Against the plain unpickler the first group all write the canary: the judge is awake."""
    bitten = 0
    for name, data in list(hostile_files.pickles(tmp_path / "canary")):
        if name.startswith(("exec", "open", "touch", "os.system")) and "protocol" in name:
            (tmp_path / "canary").unlink(missing_ok=True)
            pickle.loads(data)
            bitten += (tmp_path / "canary").exists()
    assert bitten == 4 * 6 * 2


def test_every_hostile_file_is_refused_and_nothing_runs(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    (tmp_path / "victim").mkdir()
    payloads = list(hostile_files.files(canary))
    assert len(payloads) >= 100
    for name, data in payloads:
        with pytest.raises(RltuiError, match=r"PPO_POLICY\.pt: refused"):
            load_tensors("PPO_POLICY.pt", data)
            pytest.fail(f"loaded: {name}")
        assert not canary.exists(), name
        assert (tmp_path / "victim").exists(), name


def test_in_whichever_file_of_a_checkpoint_it_hides(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for name in NAMES:
        with subtests.test(name=name):
            canary = tmp_path / "canary"
            ours = learner()
            files = ours.snapshot().files()
            before = ours.policy_flat().tobytes()
            for _, data in list(hostile_files.files(canary))[::9]:
                with pytest.raises(RltuiError, match=name):
                    ours.load(files | {name: data})
            assert not canary.exists()
            assert ours.policy_flat().tobytes() == before


def test_policy_files_are_refused_too(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    for name, data in hostile_files.files(canary):
        with pytest.raises(RltuiError, match=r"policy\.npz"):
            load_policy(data)
            pytest.fail(f"loaded: {name}")
    assert not canary.exists()


def test_what_torch_saves_is_still_read() -> None:
    import torch

    out = io.BytesIO()
    torch.save({"a": torch.arange(6.0).reshape(2, 3)}, out)
    loaded = load_tensors("x.pt", out.getvalue())
    assert isinstance(loaded, dict)
    assert loaded["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
