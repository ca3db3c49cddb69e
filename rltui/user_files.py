"""Import context of users' Python files: each finds what lies around it, whatever else has been imported before.

The context of a folder is a package of a private name; its path is where the folder's files look for what they import.
Their import statements are answered from there, so that two files common.py in two folders are two modules.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from rltui.errors import USERS_PREFIX

INIT = "__init__"
NEVER_OWN = frozenset({*sys.stdlib_module_names, "rltui", "rlgym", "RocketSim", "numpy", "torch"})


def is_module(source: str) -> bool:
    """Whether the part before the colon is a module's dotted name, not a file's path."""
    return not source.endswith(".py") and all(part.isidentifier() for part in source.split("."))


def module_file(module: str, folders: Iterable[Path]) -> Path | None:
    """The file of a module that lies in one of these folders; None for one that is installed, or nowhere."""
    parts = module.split(".")
    if parts[0] in NEVER_OWN:
        return None
    bodies = [folder.joinpath(*parts) for folder in folders]
    files = (file for body in bodies for file in (body.with_suffix(".py"), body / f"{INIT}.py"))
    return next((file for file in files if file.is_file()), None)


def load(path: Path) -> ModuleType:
    """The module of a Python file, executed once. path: absolute. Raises whatever the file does."""
    top = _package_parent(path)
    context = _context(path.parent, top)
    parts = path.relative_to(top).with_suffix("").parts
    name = ".".join((context.__name__, *(part for part in parts if part != INIT)))
    with suppress(Exception, SystemExit):  # its package first, as Python does; a file may work without
        import_module(name.rpartition(".")[0])
    if name in sys.modules:
        return sys.modules[name]
    inside = [str(path.parent)] if path.stem == INIT else None
    loader = _UsersLoader(name, str(path))
    spec = spec_from_file_location(name, path, loader=loader, submodule_search_locations=inside)
    if spec is None:
        raise ImportError("it is not a Python file")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        context.adopt_path()
    return module


def _package_parent(path: Path) -> Path:
    """The folder that holds the outermost package around the file: its own where there is none."""
    folder = path.parent
    while (folder / f"{INIT}.py").is_file() and folder.name.isidentifier():
        folder = folder.parent
    return folder


def _context(folder: Path, top: Path) -> UsersContext:
    if _UsersFinder not in sys.meta_path:
        sys.meta_path.insert(0, _UsersFinder)
    near = list(dict.fromkeys(map(str, (folder, top))))
    path = list(dict.fromkeys([*near, *map(str, folder.parents), str(Path.cwd())]))
    name = f"{USERS_PREFIX}{abs(hash(tuple(path))):x}"
    return cast(UsersContext, sys.modules.setdefault(name, UsersContext(name, path, near)))


class UsersContext(ModuleType):
    """The package. A module in a `near` folder comes before an installed one of its name; one further off, or a folder
    without __init__.py, after it.
    """

    def __init__(self, name: str, path: list[str], near: Sequence[str]) -> None:
        super().__init__(name)
        self.__path__ = path
        self._near, self._programs_path = near, list(sys.path)

    def adopt_path(self) -> None:
        """What the files have put on sys.path becomes theirs alone."""
        added = [place for place in sys.path if place not in self._programs_path]
        if added:
            self.__path__ += [str(Path(place).absolute()) for place in added]
            sys.path[:] = [place for place in sys.path if place in self._programs_path]

    def import_as_own(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - named as in __import__, which it stands for
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        self.adopt_path()
        if level:  # from above the outermost package: from what lies around it
            package = str((globals or {}).get("__package__"))
            return builtins.__import__(name, globals, locals, fromlist, min(level, package.count(".") + 1))
        top = name.partition(".")[0]
        if not self._has(top):
            return builtins.__import__(name, globals, locals, fromlist)
        leaf_or_context = builtins.__import__(f"{self.__name__}.{name}", globals, locals, fromlist)
        return leaf_or_context if fromlist else sys.modules[f"{self.__name__}.{top}"]

    def _has(self, top: str) -> bool:
        if top in NEVER_OWN:
            return False
        beside = PathFinder.find_spec(top, self._near)
        if beside is not None and beside.origin is not None:
            return True
        return not _installed(top) and PathFinder.find_spec(top, self.__path__) is not None


def _installed(top: str) -> bool:
    try:
        spec = find_spec(top)
    except ValueError:  # __main__ has none
        return True
    return spec is not None and spec.origin is not None


class _UsersLoader(SourceFileLoader):
    """Gives a module the import statement of its context, which its functions keep."""

    def exec_module(self, module: ModuleType) -> None:
        context = sys.modules[module.__name__.partition(".")[0]]
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": context.import_as_own}
        super().exec_module(module)


class _UsersFinder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith(USERS_PREFIX) else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _UsersLoader(spec.loader.name, spec.loader.path)
        return spec
