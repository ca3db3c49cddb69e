"""Exports act as the bot does, say what does not fit, and never overwrite what they should not."""

from __future__ import annotations

import io
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from rltui.__main__ import main
from rltui.bridge import export
from rltui.bridge.export import Exporter, compare, exporter
from rltui.cli.export import FORMATS
from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.policy.weights import Float
from rltui.registry import EXPORTERS
from rltui.runs.paths import starter_folder
from tests.fakes.bots import write_bot

PROFILES = {
    "plain": "",
    "normalised, masks": 'actions.table = "hybrid"\n',
    "stack": 'obs = {kind = "advanced_plus", stack = 2}\n',
}
BASE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'


def needs(name: str) -> None:
    """Skip where a format needs a package that is not installed."""
    if name == "onnx":
        pytest.importorskip("onnx")


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SavedPolicy]:
    root = tmp_path_factory.mktemp("bots")
    for number, (kind, text) in enumerate(PROFILES.items()):
        (root / f"{number}.toml").write_text(text + BASE, encoding="utf-8")
        write_bot(root / kind, str(root / f"{number}.toml"), normalized="normalised" in kind)
    return {kind: export.load_policy(root / kind / "policy.npz") for kind in PROFILES}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(export, "STATES", 500)  # what is compared is the subject of other tests
    return tmp_path


def test_every_format_has_its_words() -> None:
    assert set(FORMATS) == set(EXPORTERS)


@pytest.mark.parametrize("kind", PROFILES)
@pytest.mark.parametrize("name", EXPORTERS)
def test_it_acts_as_the_bot_does_on_10_000_states(
    name: str, kind: str, policies: dict[str, SavedPolicy], tmp_path: Path
) -> None:
    needs(name)
    found = export.export(policies[kind], kind, exporter(name), tmp_path / "bot")
    assert (found.states, found.wrong) == (10_000, 0)
    assert found.proven and found.differing <= 10


def test_a_trained_bot_is_within_the_bound(tmp_path: Path) -> None:
    policy = export.load_policy(starter_folder() / "policy.npz")
    found = export.export(policy, "starter", exporter("torchscript"), tmp_path / "bot.pt")
    assert found.proven and found.differing == 0


def test_onnxruntime_agrees(policies: dict[str, SavedPolicy], tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    for number, policy in enumerate(policies.values()):
        path = tmp_path / f"{number}.onnx"
        export.export(policy, "bot", exporter("onnx"), path)
        session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
        obs, classes = export._observations(policy)
        [logits] = session.run(None, {"obs": obs})
        found = compare(policy.network(len(obs)).logits(obs), logits, None, classes)
        assert found.proven, found
        told = json.loads(session.get_modelmeta().custom_metadata_map["rltui"])
        assert (told["tick_skip"], told["legality"], len(told["table"])) == (8, policy.legality, len(policy.table))


def test_torchscript_needs_nothing_of_ours_and_its_deprecation_is_not_the_users(
    policies: dict[str, SavedPolicy], tmp_path: Path
) -> None:
    policy, path = policies["normalised, masks"], tmp_path / "bot.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export.export(policy, "bot", exporter("torchscript"), path)
    extra = {"rltui.json": ""}
    module = torch.jit.load(io.BytesIO(path.read_bytes()), _extra_files=extra)
    told = json.loads(extra["rltui.json"])
    assert np.array_equal(np.array(told["table"], np.float32), policy.table)
    for rows in (1, 7):
        assert module(torch.zeros(rows, policy.obs_size)).shape == (rows, len(policy.table))


def test_numpy_is_the_checkpoints_own_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bot(here / "bot", "quick")
    assert main(["export", "bot", "--to", "numpy", "-o", "copy.npz", "--json"]) == 0
    assert (here / "copy.npz").read_bytes() == (here / "bot" / "policy.npz").read_bytes()
    told = json.loads(capsys.readouterr().out)
    assert (told["format"], told["path"], told["states"], told["largest"]) == (
        "numpy",
        str(here / "copy.npz"),
        500,
        0,
    )


def test_where_it_goes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bots").mkdir()
    assert main(["export", "starter", "--to", "numpy"]) == 0
    assert main(["export", "starter", "--to", "numpy", "-o", "bots"]) == 0
    assert main(["export", "starter", "--to", "rlbot", "-o", "bots"]) == 0
    assert (here / "starter.npz").is_file() and (here / "bots" / "starter.npz").is_file()
    assert (here / "bots" / "starter-rlbot" / "bot.toml").is_file()
    assert "compared on 500 states: logits differ by at most 0, the same action in all" in capsys.readouterr().out


def test_nothing_is_overwritten_unasked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "mine.npz").write_bytes(b"mine")
    (here / "folder").mkdir()
    (here / "folder" / "starter-rlbot").mkdir()
    command = ["export", "starter", "--to", "numpy", "-o", "mine.npz"]
    assert main(command) == 2
    assert "exists" in capsys.readouterr().err and (here / "mine.npz").read_bytes() == b"mine"
    assert main([*command, "--force"]) == 0
    assert export.load_policy(here / "mine.npz").table.shape == (90, 8)
    assert main(["export", "starter", "--to", "rlbot", "-o", "folder", "--force"]) == 2
    assert "no earlier export" in capsys.readouterr().err
    assert main(["export", "starter", "--to", "rlbot", "-o", "bot"]) == 0
    (here / "bot" / "logo.png").write_bytes(b"mine")
    assert main(["export", "starter", "--to", "rlbot", "-o", "bot"]) == 2
    assert main(["export", "starter", "--to", "rlbot", "-o", "bot", "--force"]) == 0
    assert (here / "bot" / "logo.png").read_bytes() == b"mine"
    assert main(["export", "starter", "--to", "numpy", "-o", "data/runs/x.npz"]) == 2
    assert "only rltui writes" in capsys.readouterr().err


def test_what_cannot_be_exported_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["chaser", "--to", "onnx"], "chaser is a scripted player: there is no net to export"),
        (["startr", "--to", "onnx"], 'did you mean "starter"?'),
        (["starter", "--to", "onx"], 'did you mean "onnx"?'),
        (["starter", "--to", "numpy", "-o", "a" * 300], "the name is 300 bytes long"),
    ):
        try:
            code = main(["export", *words])
        except SystemExit as end:
            code = int(str(end.code))
        assert (code, said in capsys.readouterr().err) == (2, True), said
    assert list(here.iterdir()) == []


def test_a_package_that_is_not_installed_is_named_with_its_command(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert main(["export", "starter", "--to", "onnx"]) == 1
    assert 'pip install "onnx>=1.17"' in capsys.readouterr().err


def test_one_that_acts_otherwise_is_refused_and_not_left(policies: dict[str, SavedPolicy], tmp_path: Path) -> None:
    class Wrong(Exporter):
        suffix = ".bin"

        def files(self, policy: SavedPolicy, name: str) -> dict[str, bytes]:
            return {"": save_policy(policy)}

        def logits(self, target: Path, obs: Float) -> Float:
            return exporter("numpy").logits(target, obs) + np.float32(1e-3)

    with pytest.raises(RltuiError, match="does not act as the bot does"):
        export.export(policies["plain"], "bot", Wrong(), tmp_path / "wrong.bin")
    assert list(tmp_path.iterdir()) == []


def test_only_what_was_not_close_is_wrong() -> None:
    ours = np.array([[0, 1, 1.00005], [0, 1, 3], [0, 1, 3]], np.float32)
    theirs = np.array([[0, 1, 0.9999], [0, 3, 1], [0, 1, 3]], np.float32)
    classes = np.zeros(3, np.uint8)
    found = compare(ours, theirs, None, classes)
    assert (found.differing, found.wrong, found.proven) == (2, 1, False)
    masked = compare(ours, theirs, np.array([[True, False, True]]), classes)
    assert (masked.differing, masked.wrong) == (0, 0)
    assert not compare(ours, theirs[:, :2], None, classes).proven
    assert not compare(ours, np.full_like(ours, np.nan), None, classes).proven


def test_a_disk_that_is_full_leaves_nothing(
    policies: dict[str, SavedPolicy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLTUI_FAULT", "export.write:enospc:1")
    with pytest.raises(RltuiError, match=r"cannot write .*bot.npz: No space left"):
        export.export(policies["plain"], "bot", exporter("numpy"), tmp_path / "bot.npz")
    assert list(tmp_path.iterdir()) == []
