"""`rltui info` on this machine, and where things are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli import info
from rltui.runs.paths import DataDir


def test_the_document_tells_what_a_bug_report_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "runs" / "alpha").mkdir(parents=True)
    assert main(["info", "--json", "--data-dir", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"]["folder"] == str(tmp_path)
    assert found["data"]["runs"] == 1
    assert found["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["versions"]["torch"]
    assert 1 <= found["machine"]["cores_usable"] <= found["machine"]["cores_logical"]
    assert found["machine"]["memory_bytes"] > found["machine"]["memory_available_bytes"] > 0
    assert found["meshes"]["problem"] is None
    assert Path(found["meshes"]["folder"], "soccar").is_dir()
    assert Path(found["program"]["package"], "__main__.py").is_file()
    assert found["starter"]["problem"] is None
    assert Path(found["starter"]["folder"], "policy.npz").is_file()
    assert found["starter"]["timesteps"] > 0 and found["starter"]["policy"].startswith("discrete 172-")
    assert found["starter"]["profile"]
    assert found["program"]["ui_toml"].endswith("ui.toml")


def test_torch_is_imported_only_when_asked_for() -> None:
    script = "import sys; from rltui.__main__ import main; main(['info']); sys.exit('torch' in sys.modules or 'RocketSim' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_what_is_missing_is_said_not_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assets" / "collision_meshes").mkdir(parents=True)
    monkeypatch.setattr(info, "PACKAGES", ("rltui", "no-such-package"))
    monkeypatch.setattr("rltui.runs.paths.packaged", lambda _: tmp_path)
    assert main(["info", "--data-dir", str(tmp_path / "nowhere")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("no-such-package" in line and line.endswith("–") for line in lines)
    assert any("problem" in line and "no collision meshes" in line for line in lines)
    assert any("problem" in line and "meta.json: No such file" in line for line in lines)
    assert any(line.split() == ["exists", "no"] for line in lines)


def test_the_driver_s_cards_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card = tmp_path / "0000:01:00.0"
    card.mkdir()
    (card / "information").write_text("Model: \t\t NVIDIA Fast Card\nIRQ:   7\n")
    monkeypatch.setattr(info, "NVIDIA", tmp_path)
    assert info.findings(DataDir(tmp_path))["gpu"] == {"driver_sees": ["NVIDIA Fast Card"]}


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert info.findings(DataDir(tmp_path / "data"))["data"]["writable"] is False
