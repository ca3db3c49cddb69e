"""The matrix kernel is measured, in children that may do anything, and set before NumPy is imported."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from rltui.supervise import matrix_kernel
from rltui.supervise.matrix_kernel import VARIABLE, choose_kernel, known_kernel, measure
from tests.fakes.patience import patience

OWN, FAST = ["slow 1e-7", 0.010], ["fast 1e-7", 0.005]


def probe(**kernels: list[object]) -> Sequence[str]:
    """A command that plays these; `own`: the library's own choice."""
    kernels[""] = kernels.pop("own", OWN)
    return sys.executable, str(Path(__file__).parents[2] / "fakes" / "matrix_probe.py"), json.dumps(kernels)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process without NumPy and without the variable, on a machine that gives a child its time."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(matrix_kernel, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(matrix_kernel, "BUDGET", patience(3.0))
    return monkeypatch


def have(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(matrix_kernel, "CANDIDATES", {platform.machine(): names})


def test_the_fastest_is_set_and_remembered_and_one_that_fails_is_left_out(
    fresh: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    have(fresh, "fast", "hangs", "crashes", "wrong", "mute", "same", "lacking", "slower")
    kernels = probe(
        fast=FAST,
        hangs=["hangs 0", "hang"],
        crashes=["crashes 0", "crash"],
        wrong=["wrong nan", 0.001],
        mute=["", 0.001],
        same=["slow 0", 0.001],
        lacking=["fast 0", 0.001],
        slower=["slower 0", 0.020],
    )
    found = choose_kernel(tmp_path, kernels)
    assert os.environ[VARIABLE] == found.chosen == "fast"
    assert found.speeds == {"fast": pytest.approx(2.0), "slower": pytest.approx(0.5)}
    assert found.dropped.keys() == {"hangs", "crashes", "wrong", "mute", "same", "lacking"}
    assert "slow" in found.dropped["hangs"] and "crash" in found.dropped["crashes"]
    del os.environ[VARIABLE]
    assert choose_kernel(tmp_path, ("no-such-command",)) == found and os.environ[VARIABLE] == "fast"
    (file,) = tmp_path.iterdir()
    have(fresh, "fast")
    named = [b'{"words": "fast", "chosen": "%s"}' % name for name in (b"evil", b"\\u0000", b"FAST=")]
    drawn = b'{"words": "fast\\u001b[2J", "chosen": "fast"}'
    for bad in (b"", b"\xff{", b'{"words": 3}', b"[" * 100_000, *named, drawn):
        file.write_bytes(bad)
        del os.environ[VARIABLE]
        found = choose_kernel(tmp_path, probe(fast=FAST))
        assert found.chosen == os.environ[VARIABLE] == "fast" and "times" not in found.words and "2.0" in found.words


def test_nothing_is_set_without_a_clear_winner_or_where_nothing_can_be_measured(
    fresh: pytest.MonkeyPatch, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    have(fresh, "other")
    cases = {
        "a little faster": (probe(other=["other 0", 0.0098]), "own choice", True),
        "without OpenBLAS": (probe(own=["none 0", 0.1], other=["none 0", 0.1]), "without OpenBLAS", True),
        "own crashes": (probe(own=["slow 0", "crash"], other=FAST), "not measured", False),
        "own is mute": (probe(own=["", 0.1], other=FAST), "not measured", False),
        "no processes": (("no-such-command",), "not measured", False),
        "says nonsense": (probe(own=["slow 0", "quick"], other=FAST), "not measured", False),
    }
    for name, (command, words, kept) in cases.items():
        with subtests.test(name):
            found = choose_kernel(tmp_path / name, command)
            assert words in found.words and not found.chosen and VARIABLE not in os.environ
            assert list((tmp_path / name).glob("*")) == [] or kept
            assert known_kernel(tmp_path / name) == (found if kept else None)


def test_a_full_disk_keeps_nobody_from_the_fastest(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    have(fresh, "fast")
    (tmp_path / "file").write_text("")
    assert choose_kernel(tmp_path / "file", probe(fast=FAST)).chosen == os.environ[VARIABLE] == "fast"


def test_the_user_s_own_holds_and_nothing_is_set_behind_numpy_s_back(fresh: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh.setenv(VARIABLE, "Prescott")
    found = choose_kernel(tmp_path, ("no-such-command",))
    assert "Prescott" in found.words and VARIABLE in found.words and os.environ[VARIABLE] == "Prescott"
    assert "own choice where it knows no 'Prescott'" in found.words
    have(fresh, "Prescott")
    assert choose_kernel(tmp_path, ("no-such-command",)).words == f"Prescott, as {VARIABLE} says"
    fresh.delenv(VARIABLE)
    fresh.setattr(matrix_kernel, "sys", sys)
    assert not choose_kernel(tmp_path, ("no-such-command",)).chosen and VARIABLE not in os.environ


def test_what_is_measured_here_is_right(fresh: pytest.MonkeyPatch) -> None:
    fresh.setattr(matrix_kernel, "BUDGET", patience(10.0))
    found = measure()
    assert found.words
    tried = matrix_kernel.CANDIDATES.get(platform.machine(), ())
    assert {*found.speeds, *found.dropped} in ({*tried}, set())
    assert all(0.01 < speed < 100 for speed in found.speeds.values())


def test_commands_that_train_choose_before_numpy_is_there(subtests: pytest.Subtests) -> None:
    script = """if True:
        import sys
        from rltui.__main__ import main
        from rltui.supervise import matrix_kernel
        matrix_kernel.choose_kernel = lambda: sys.exit(4 if "numpy" in sys.modules else 3)
        main([sys.argv[1], *(["quick"] if sys.argv[1] == "train" else [])])
    """
    for command in ("train", "bench", "doctor"):
        with subtests.test(command):
            assert subprocess.run([sys.executable, "-c", script, command], check=False).returncode == 3
