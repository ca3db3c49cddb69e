"""What NVIDIA's driver says of each GPU, by NVML (extra `gpu`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRIVER = Path("/proc/driver/nvidia/version")
NONE = "no NVIDIA GPU seen"
NOT_INSTALLED = "an NVIDIA driver is there; for its figures: pip install nvidia-ml-py"


@dataclass(frozen=True, slots=True)
class GpuLoad:
    """One GPU. use: %; memory in bytes; temperature in °C."""

    name: str
    use: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    temperature: float | None = None


class Gpus:
    """Asks the driver. `note`: why there is nothing to tell."""

    def __init__(self, library: str = "pynvml", driver: Path = DRIVER) -> None:
        """library: the module's name, driver: a file that is there where the driver is; for tests."""
        self._library, self._driver = library, driver
        self._nvml: Any = None
        self.note = ""

    def read(self) -> tuple[GpuLoad, ...]:
        """Each GPU now; none where none can be asked, and `note` says why. A figure that a card does not give is None."""
        if self.note:
            return ()
        try:
            if self._nvml is None:
                nvml = importlib.import_module(self._library)
                nvml.nvmlInit()
                self._nvml = nvml
            return tuple(self._one(index) for index in range(self._nvml.nvmlDeviceGetCount())) or self._none(NONE)
        except ImportError:
            return self._none(NOT_INSTALLED if self._driver.exists() else NONE)
        except Exception as error:  # NVML has dozens of its own kinds, and the module that defines them may be missing
            return self._none(f"{NONE}: {error}")

    def _none(self, note: str) -> tuple[GpuLoad, ...]:
        self.note = note
        return ()

    def _one(self, index: int) -> GpuLoad:
        nvml = self._nvml
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        name = _asked(lambda: nvml.nvmlDeviceGetName(handle))
        memory = _asked(lambda: nvml.nvmlDeviceGetMemoryInfo(handle))
        use = _asked(lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        celsius = _asked(lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))
        return GpuLoad(
            name=name.decode(errors="replace") if isinstance(name, bytes) else str(name or f"GPU {index}"),
            use=None if use is None else float(use),
            memory_used=None if memory is None else int(memory.used),
            memory_total=None if memory is None else int(memory.total),
            temperature=None if celsius is None else float(celsius),
        )


def _asked(question: Callable[[], Any]) -> Any:
    """None where the card does not support it."""
    try:
        return question()
    except Exception:  # as above
        return None
