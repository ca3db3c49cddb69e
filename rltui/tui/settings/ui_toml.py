"""ui.toml: where it is, reading it, writing layout and order back with its comments kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rltui import safe_io
from rltui.errors import RltuiError
from rltui.profile.source import EMPTY, MAX_BYTES, Problem, ProfileError, read_source
from rltui.tui.panes.pane import Slot
from rltui.tui.settings.ui_settings import Sort, UiSettings, settings_of

VARIABLE = "RLTUI_CONFIG"  # the folder of ui.toml, in the place of the user's own
NAME = "ui.toml"
HEAD = "# How rltui looks and which keys it has; the README says what may stand here.\n"


@dataclass(frozen=True)
class Loaded:
    """problems: what was not understood; the default holds there."""

    settings: UiSettings
    path: Path
    problems: tuple[Problem, ...] = ()


def ui_path() -> Path:
    """RLTUI_CONFIG/ui.toml, else in the folder where this system keeps programs' settings."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute() / NAME
    from platformdirs import user_config_path  # Textual needs it too

    return user_config_path("rltui", appauthor=False) / NAME


def load(path: Path, panes: Collection[str]) -> Loaded:
    """Never raises: no file means the defaults, and so does one that cannot be read, with a problem. panes: their ids."""
    if not _is_there(path):
        return Loaded(UiSettings(), path)
    try:
        source = read_source(path, str(path))
    except ProfileError as error:
        return Loaded(UiSettings(), path, error.problems)
    settings = settings_of(source, panes)
    return Loaded(settings, path, tuple(problem for problem in source.problems if problem.message != EMPTY))


def save_layout(path: Path, shows: Mapping[Slot, str], rows: Mapping[Slot, int], theme: str) -> None:
    """Write the panes' places and heights and the theme; everything else in the file stays as it is written.

    RltuiError where the file is no TOML, or cannot be written.
    """

    def change(written: Any) -> None:
        written["theme"] = theme
        layout = _table(written, "layout")
        _replace(layout, shows, keep=("rows",))
        if rows or "rows" in layout:
            _replace(_table(layout, "rows"), rows)

    _edit(path, change, "the layout")


def save_order(path: Path, sort: Sort, descending: bool) -> None:
    """Write the order of the browser's table, as `save_layout` does."""

    def change(written: Any) -> None:
        _replace(_table(written, "browser"), {"sort": sort, "descending": descending})

    _edit(path, change, "the order of the table")


def _edit(path: Path, change: Callable[[Any], None], what: str) -> None:
    from tomlkit import TOMLDocument, document, parse
    from tomlkit.exceptions import TOMLKitError

    try:
        text = safe_io.read_text(path, MAX_BYTES) if _is_there(path) else HEAD
        written: TOMLDocument = parse(text) if text.strip() else document()
        change(written)
        _write(path, written.as_string())
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        why = safe_io.reason(error) if isinstance(error, OSError | UnicodeDecodeError) else str(error)
        raise RltuiError(f"{what} was not saved to {path}: {why}", "mend it or move it away") from error


def _table(within: Any, name: str) -> Any:
    """The table of that name, made where there is none."""
    from tomlkit import table

    if not isinstance(within.get(name), dict):
        within[name] = table()
    return within[name]


def _replace(table: Any, values: Mapping[Any, object], keep: Collection[str] = ()) -> None:
    """The table's entries become these; those that are equal keep their comments."""
    for key in [key for key in table if key not in values and key not in keep]:
        del table[key]
    for key, value in values.items():
        if table.get(key) != value:
            table[key] = value


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    finally:
        with suppress(OSError):
            new.unlink(missing_ok=True)


def _is_there(path: Path) -> bool:
    """Whatever it is, a link to nothing too: somebody meant it to be read."""
    return os.path.lexists(path)
