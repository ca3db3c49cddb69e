"""Names to classes: what users' files say is found, or said what has become of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, MOVED, resolve


def test_every_registered_name_is_a_class() -> None:
    found = {(kind, name): resolve(kind, name) for kind, names in BUILT_IN.items() for name in names}
    assert len(found) > 40 and all(isinstance(each, type) for each in found.values())


def test_a_module_under_its_earlier_name_is_said_to_have_moved(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (old, new) in enumerate(MOVED.items()):
        with subtests.test(old):
            assert importlib.util.find_spec(new) is not None
            file = tmp_path / f"mine_{number}.py"
            file.write_text(f"from {old} import Anything\n", encoding="utf-8")
            with pytest.raises(RltuiError) as refused:
                resolve("reward", f"{file}:Mine")
            assert f"{old} is {new} now" in refused.value.hint
