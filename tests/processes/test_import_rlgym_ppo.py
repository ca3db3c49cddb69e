"""rlgym-ppo's checkpoint becomes a run: what its bot does, its optimizers and its counters stay, and training goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from rltui.__main__ import main
from rltui.policy.saved import load_policy
from rltui.profile.load import load
from rltui.runs import meta
from rltui.runs.checkpoint import verify
from rltui.runs.rlgym_ppo import BOOK_KEEPING, POLICY_OPTIMIZER
from rltui.train.checkpointing import policy_of_rlgym_ppo
from tests.fakes.rlgym_ppo import EPOCH, TIMESTEPS, UPDATES, Net, as_they_standardize, write_theirs
from tests.fakes.training import TINY, Training

OBS, ACTIONS, LAYERS = 172, 90, (32, 32)
NORMALIZED = TINY + "[obs]\nnormalize = true\n"


def test_imported_watched_and_trained(training: Training, capsys: pytest.CaptureFixture[str]) -> None:
    theirs = training.folder / "rlgym-ppo-run-17" / str(TIMESTEPS)
    book = write_theirs(theirs, OBS, ACTIONS, LAYERS)
    profile = training.folder / "tiny.toml"
    profile.write_text(NORMALIZED)
    command = ["import", str(theirs.parent), str(profile), "--run", "tiny"]
    assert main([*command, "--data-dir", str(training.folder / "data")]) == 0
    assert "frozen" in capsys.readouterr().out
    saved = training.paths.checkpoint(TIMESTEPS)
    verify(saved)
    about = meta.read(saved)
    assert (about.timesteps, about.commit, about.parent) == (TIMESTEPS, 1, f"rlgym-ppo@{TIMESTEPS}")
    check_acts_as_theirs(saved, theirs, book)
    watched = policy_of_rlgym_ppo(theirs, load(str(profile)))
    for mine, other in zip(load_policy(saved / "policy.npz").layers, watched.layers, strict=True):
        np.testing.assert_array_equal(mine[0], other[0])
    assert main(["watch", str(theirs), "--profile", str(profile), "--seconds", "1", "--speed", "1000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"] == [f"{theirs.parent.name}/{theirs.name}"] * 2
    training.profile = NORMALIZED
    assert training.start("--steps", str(TIMESTEPS + 512)).wait_end() == 0, training.output
    check_went_on(training.paths.checkpoint(TIMESTEPS + 512), book)


def check_acts_as_theirs(saved: Path, theirs: Path, book: dict[str, object]) -> None:
    """The same logits, and the same optimizer."""
    net = Net(OBS, *LAYERS, ACTIONS)
    net.load_state_dict(torch.load(theirs / "PPO_POLICY.pt", weights_only=True))
    obs = np.random.default_rng(3).normal(0, 2, (100, OBS)).astype(np.float32)
    with torch.no_grad():
        expected = net.model(torch.from_numpy(as_they_standardize(obs, book).astype(np.float32))).numpy()
    np.testing.assert_allclose(load_policy(saved / "policy.npz").network(100).logits(obs), expected, atol=1e-5)
    mine, other = (torch.load(where / POLICY_OPTIMIZER, weights_only=True)["state"] for where in (saved, theirs))
    for index, moments in other.items():
        for key, value in moments.items():
            torch.testing.assert_close(mine[index][key], value, rtol=0, atol=0)


def check_went_on(saved: Path, book: dict[str, object]) -> None:
    """Counters count on from theirs; the statistics of observations are what they were."""
    after = json.loads((saved / BOOK_KEEPING).read_text())
    assert (after["cumulative_timesteps"], after["epoch"]) == (TIMESTEPS + 512, EPOCH + 1)
    assert after["cumulative_model_updates"] > UPDATES
    first = {key: numbers[0] for key in ("mean", "var") if (numbers := book["obs_running_stats"][key])}  # type: ignore[index]
    assert after["obs_running_stats"]["mean"] == [first["mean"]] * OBS
    assert after["obs_running_stats"]["var"] == [first["var"]] * OBS


def test_what_does_not_fit_is_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    data = ["--data-dir", str(tmp_path / "data")]
    for name, sizes, changes, words in (
        ("seen", (89, ACTIONS, LAYERS), "", "observation size: expected 172, found 89"),
        ("table", (OBS, 21, LAYERS), "", "outputs: expected 90, found 21"),
        ("layers", (OBS, ACTIONS, (16, 8)), "", "--set 'policy.layers=[16, 8]'"),
        ("plain", (OBS, ACTIONS, LAYERS), "obs.normalize=false", "--set obs.normalize=true"),
    ):
        with subtests.test(name):
            theirs = tmp_path / name / "5"
            write_theirs(theirs, *sizes)
            (tmp_path / "tiny.toml").write_text(NORMALIZED)
            profile = str(tmp_path / "tiny.toml")
            set_ = ["--set", changes] if changes else []
            command = ["train", profile, "--resume", str(theirs)] if set_ else ["import", str(theirs), profile]
            assert main([*command, *set_, *data]) == 1
            assert words in capsys.readouterr().err
            assert not any((tmp_path / "data").rglob("*"))
    assert main(["import", str(tmp_path), "quick", *data]) == 2
    assert "PPO_POLICY.pt" in capsys.readouterr().err
    assert main(["watch", str(tmp_path / "seen"), *data]) == 2
    assert "--profile PROFILE" in capsys.readouterr().err
