"""rltui info."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import Subparsers, add_command, add_data_dir, add_json
from rltui.errors import RltuiError
from rltui.safe_io import say

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir

PACKAGES = ("rltui", "torch", "numpy", "rocketsim", "rlgym", "textual", "pydantic", "msgspec", "psutil")
NVIDIA = Path("/proc/driver/nvidia/gpus")  # one folder a card where NVIDIA's driver is loaded (Linux)


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "info", "show paths, versions and hardware", "rltui info --json")
    add_data_dir(parser)
    add_json(parser)
    parser.add_argument("--gpu", action="store_true", help="also ask torch about the GPU (takes seconds)")


def run(args: argparse.Namespace) -> int:
    """Print the findings."""
    from rltui.runs.paths import data_dir

    found = findings(data_dir(args.data_dir), ask_torch=args.gpu)
    say(json.dumps(found, indent=2) if args.json else "\n".join(as_lines(found)))
    return 0


def findings(data: DataDir, ask_torch: bool = False) -> dict[str, dict[str, Any]]:
    """Everything, by topic. ask_torch: import torch (seconds, 300 MB) and ask it what it would train on."""
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}},
        "machine": _machine(),
        "gpu": _gpu(ask_torch),
        "data": _data(data),
        "meshes": _meshes(),
        "starter": _starter(),
        "program": _program(),
        "terminal": _terminal(),
    }


def as_lines(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The same for people: a heading a topic, aligned below it."""
    from rltui.cli.output import aligned

    lines: list[str] = []
    for topic, facts in found.items():
        lines += [topic, *("  " + line for line in aligned([(_words(key), _shown(key, facts[key])) for key in facts]))]
    return lines


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _machine() -> dict[str, Any]:
    import psutil

    from rltui.supervise.matrix_kernel import known_kernel

    kernel = known_kernel()
    memory = psutil.virtual_memory()
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "system": platform.platform(),
        "cores_usable": len(affinity(0)) if affinity else os.cpu_count(),
        "cores_logical": os.cpu_count(),
        "cores_physical": psutil.cpu_count(logical=False),
        "memory_bytes": memory.total,
        "memory_available_bytes": memory.available,
        "shared_memory_free_bytes": _free(Path("/dev/shm")),
        "matrix_kernel": kernel.words if kernel else "not measured yet: training, bench, diagnose and doctor do",
    }


def _gpu(ask_torch: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"driver_sees": list(_nvidia_names())}
    if ask_torch:
        import torch

        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        found["torch_sees"] = [torch.cuda.get_device_name(index) for index in range(count)]
        found["torch_cuda"] = torch.version.cuda
    return found


def _nvidia_names() -> Iterator[str]:
    for file in sorted(NVIDIA.glob("*/information")):
        for line in file.read_text(errors="replace").splitlines():
            if line.startswith("Model:"):
                yield line.removeprefix("Model:").strip()


def _data(data: DataDir) -> dict[str, Any]:
    root = data.root
    nearest = next((folder for folder in (root, *root.parents) if folder.is_dir()), root)
    return {
        "folder": str(root),
        "exists": root.is_dir(),
        "writable": os.access(nearest, os.W_OK | os.X_OK),
        "free_bytes": _free(nearest),
        "runs": len(data.run_names()),
    }


def _meshes() -> dict[str, Any]:
    from rltui.sim import meshes

    try:
        folder = meshes.locate()
        meshes.check(folder)
    except RltuiError as error:
        return {"folder": None, "problem": error.message}
    return {"folder": str(folder.absolute()), "problem": None}


def _starter() -> dict[str, Any]:
    from rltui.runs.meta import read_starter
    from rltui.runs.paths import starter_folder

    try:
        meta = read_starter()
    except RltuiError as error:
        return {"folder": None, "problem": error.message}
    found = {"folder": str(starter_folder()), "problem": None, "timesteps": meta.timesteps, "policy": meta.policy}
    return found | {"profile": meta.phase_profile or meta.profile}


def _program() -> dict[str, Any]:
    from rltui.profile.locate import shipped_folder, user_folder
    from rltui.tui.settings import ui_path

    return {
        "package": str(Path(__file__).resolve().parents[1]),
        "python": sys.executable,
        "profiles": str(user_folder().absolute()),
        "shipped_profiles": str(shipped_folder()),
        "ui_toml": str(ui_path()),
    }


def _terminal() -> dict[str, Any]:
    columns, lines = shutil.get_terminal_size()
    return {
        "input_is_a_terminal": sys.stdin is not None and sys.stdin.isatty(),
        "output_is_a_terminal": sys.stdout.isatty(),
        "encoding": sys.stdout.encoding,
        "size": f"{columns}x{lines}",
        **{name: os.environ.get(name) for name in ("TERM", "COLORTERM", "NO_COLOR", "LANG")},
        "ssh": "SSH_CONNECTION" in os.environ,
    }


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _words(key: str) -> str:
    return key.removesuffix("_bytes").replace("_", " ")


def _shown(key: str, value: Any) -> str:
    from rltui.formatting import UNKNOWN, size

    if key.endswith("_bytes"):
        return size(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    if isinstance(value, int):
        return f"{value:,}"
    return UNKNOWN if value is None else str(value)
