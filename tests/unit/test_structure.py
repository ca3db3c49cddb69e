"""What keeps the source findable: a class name means one thing, and every module says what it is for."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import rltui

ROOT = Path(rltui.__file__).parent


@cache
def modules() -> dict[Path, ast.Module]:
    paths = (path for path in sorted(ROOT.rglob("*.py")) if path.name != "__init__.py")
    return {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_a_class_name_stands_once_in_the_package() -> None:
    names = Counter(node.name for tree in modules().values() for node in tree.body if isinstance(node, ast.ClassDef))
    assert len(names) > 300
    assert [name for name, times in names.items() if times > 1] == []


def test_every_module_begins_with_what_it_is() -> None:
    assert [str(path) for path, tree in modules().items() if not ast.get_docstring(tree)] == []


def test_packages_are_empty_for_workers_import_them() -> None:
    assert [path for path in ROOT.rglob("__init__.py") if path.read_text(encoding="utf-8").strip()] == []


def test_no_part_of_the_interface_holds_the_screen_that_owns_it() -> None:
    """A part is a widget that posts messages, or a function of plain arguments."""
    assert [
        f"{path}:{node.lineno}"
        for path, tree in modules().items()
        if path.parts[0] == "tui"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "_screen"
    ] == []
