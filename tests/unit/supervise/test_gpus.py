"""The GPU library against what is there, and what is not."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from rltui.supervise.gpus import NONE, NOT_INSTALLED, Gpus


class _Card(types.ModuleType):
    """As nvidia-ml-py answers, temperature unsupported."""

    NVML_TEMPERATURE_GPU = 0

    def nvmlInit(self) -> None: ...  # noqa: N802

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        return index

    def nvmlDeviceGetName(self, handle: int) -> bytes:  # noqa: N802
        return b"NVIDIA RTX 90"

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> object:  # noqa: N802
        return types.SimpleNamespace(used=3_000, total=80_000)

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> object:  # noqa: N802
        return types.SimpleNamespace(gpu=97)

    def nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:  # noqa: N802
        raise RuntimeError("not supported")


def test_a_gpu_by_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "a_card", _Card("a_card"))
    (gpu,) = Gpus("a_card").read()
    assert (gpu.name, gpu.use, gpu.memory_used, gpu.memory_total) == ("NVIDIA RTX 90", 97.0, 3_000, 80_000)
    assert gpu.temperature is None, "unknown, not 0"


def test_no_gpu_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpus = Gpus("no_such_library_at_all", tmp_path / "driver")
    assert gpus.read() == () and gpus.note == NONE
    (tmp_path / "driver").touch()
    gpus = Gpus("no_such_library_at_all", tmp_path / "driver")
    assert gpus.read() == () and gpus.note == NOT_INSTALLED
    broken = _Card("broken")
    monkeypatch.setattr(broken, "nvmlInit", lambda: 1 / 0)
    monkeypatch.setitem(sys.modules, "broken_card", broken)
    gpus = Gpus("broken_card")
    assert gpus.read() == () and gpus.note.startswith(NONE)
