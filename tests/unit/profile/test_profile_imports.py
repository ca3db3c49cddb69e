"""What importing the profile room costs: no NumPy, no torch, and pydantic only where profiles are loaded."""

from __future__ import annotations

import subprocess
import sys

LOADING = ("load", "models", "edit", "schema", "render", "copies", "advice", "resolved")
WITHOUT_MODELS = ("locate", "edit", "toml_lines", "toml_text", "source")


def imports(modules: tuple[str, ...]) -> str:
    return "import " + ", ".join(f"rltui.profile.{module}" for module in modules)


def loaded_after(statement: str, *modules: str) -> list[str]:
    code = f"import sys; {statement}; print(*(m for m in {modules!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_room_brings_no_numpy_and_no_torch() -> None:
    assert loaded_after(imports(LOADING), "numpy", "torch", "RocketSim", "textual", "pydantic") == ["pydantic"]


def test_what_the_launcher_needs_brings_no_pydantic() -> None:
    assert loaded_after(imports(WITHOUT_MODELS), "pydantic", "numpy", "tomllib") == ["tomllib"]


def test_loading_brings_no_torch_and_no_simulator() -> None:
    statement = "from rltui.profile.load import load; load('quick')"
    assert loaded_after(statement, "torch", "RocketSim", "textual", "pydantic") == ["pydantic"]


def test_the_command_line_module_brings_nothing_but_its_parser() -> None:
    found = loaded_after(
        "import rltui.cli.profile", "pydantic", "numpy", "tomlkit", "rltui.profile", "rltui.env", "msgspec"
    )
    assert found == []
