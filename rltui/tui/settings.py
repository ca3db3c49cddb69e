"""ui.toml: the user's own looks, keys, layout and notices; what is wrong in it; writing the layout back."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from rltui import safe_io
from rltui.errors import RltuiError, did_you_mean
from rltui.profile.source import EMPTY, MAX_BYTES, Problem, ProfileError, ProfileSource, read_source, show_key
from rltui.profile.toml_lines import KeyPath
from rltui.tui.keymap import KeyProblem, checked_keys

# A place in the cockpit, held by one pane at a time; side is beside the log where there is room, else its panes are table's.
Slot = Literal["charts", "table", "rewards", "time", "facts", "log", "side"]
PANE_IDS = (
    "metrics", "rewards", "time", "workers", "lut", "turtle", "curriculum", "arena", "log", "trace", "league", "facts", "machine", "audit"
)  # fmt: skip
SMOOTHING = (0, 10, 50, 200)  # iterations of the moving average that `s` goes through
Theme = Literal["dark", "light"]
Charts = Literal["auto", "braille", "blocks", "ascii"]
NoticeKind = Literal["ended", "failed", "milestone", "promotion", "worker_failed", "control"]
NoticeChannel = Literal["toast", "bell", "osc9", "hook"]
KINDS: tuple[NoticeKind, ...] = get_args(NoticeKind)
CHANNELS: tuple[NoticeChannel, ...] = get_args(NoticeChannel)
QUIET_CHANNELS: frozenset[NoticeChannel] = frozenset({"toast", "hook"})  # what passes by itself rings no bell
USUAL_CHANNELS: Mapping[NoticeKind, frozenset[NoticeChannel]] = {
    kind: QUIET_CHANNELS if kind in ("worker_failed", "control") else frozenset(CHANNELS) for kind in KINDS
}
MOST_SECONDS = 60.0  # of a hook
MOST_ROWS = 40  # given to a slot or taken from it
TOP_KEYS = (
    "theme",
    "charts",
    "smoothing",
    "mouse",
    "title",
    "keys",
    "layout",
    "browser",
    "notify",
)  # browser: unread, earlier versions wrote it
NOTIFY_KEYS = (*KINDS, "hook", "hook_seconds")
VARIABLE = "RLTUI_CONFIG"  # the folder of ui.toml, in the place of the user's own
NAME = "ui.toml"
HEAD = "# How rltui looks and which keys it has; docs/keys.md says what may stand here.\n"


@dataclass(frozen=True, slots=True)
class UiSettings:
    """keys: an action's plain name → its keys. shows: slot → the pane in it. rows: slot → rows more than usual.

    notify: each event → how it is told. hook: a command and its arguments, run without a shell.
    """

    theme: Theme = "dark"
    charts: Charts = "auto"
    smoothing: int = 0  # iterations of the charts' moving average
    mouse: bool = True
    title: bool = True  # the terminal's title says how the run is doing
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shows: Mapping[Slot, str] = field(default_factory=dict)
    rows: Mapping[Slot, int] = field(default_factory=dict)
    notify: Mapping[NoticeKind, frozenset[NoticeChannel]] = field(default_factory=lambda: dict(USUAL_CHANNELS))
    hook: tuple[str, ...] = ()
    hook_seconds: float = 10.0


def settings_of(source: ProfileSource) -> UiSettings:
    """As far as what is written makes sense; problems are added to the source's."""
    reader = _Reader(source)
    data = source.data or {}
    reader.known((), data, TOP_KEYS)
    found = UiSettings(
        theme=reader.one_of(data, ("theme",), get_args(Theme), "dark"),
        charts=reader.one_of(data, ("charts",), get_args(Charts), "auto"),
        smoothing=reader.one_of(data, ("smoothing",), SMOOTHING, 0),
        mouse=reader.switch(data, ("mouse",), True),
        title=reader.switch(data, ("title",), True),
        keys=_keys(reader, reader.table(data, "keys")),
    )
    found = _with_layout(found, reader, reader.table(data, "layout"))
    return _with_notices(found, reader, reader.table(data, "notify"))


def _with_layout(found: UiSettings, reader: _Reader, layout: Mapping[str, Any]) -> UiSettings:
    slots = get_args(Slot)
    reader.known(("layout",), layout, (*slots, "rows"))
    shows: dict[Slot, str] = {}
    for slot in slots:
        if slot in layout:
            pane = reader.one_of(layout, ("layout", slot), sorted(PANE_IDS), "")
            shows |= {slot: pane} if pane else {}
    rows = layout.get("rows", {})
    if not isinstance(rows, dict):
        reader.wrong(("layout", "rows"), "a table of slots with a number of rows", rows)
        rows = {}
    reader.known(("layout", "rows"), rows, slots)
    heights = {
        slot: reader.whole(rows, ("layout", "rows", slot), -MOST_ROWS, MOST_ROWS) for slot in slots if slot in rows
    }
    return replace(found, shows=shows, rows={slot: more for slot, more in heights.items() if more})


def _with_notices(found: UiSettings, reader: _Reader, table: Mapping[str, Any]) -> UiSettings:
    reader.known(("notify",), table, NOTIFY_KEYS)
    notify = dict(found.notify)
    for kind in KINDS:
        if kind in table:
            channels = reader.words(table, ("notify", kind), CHANNELS)
            notify[kind] = notify[kind] if channels is None else frozenset(channels)  # type: ignore[arg-type]  # words of CHANNELS
    hook = reader.words(table, ("notify", "hook"), None) if "hook" in table else None
    seconds = reader.number(table, ("notify", "hook_seconds"), 0.1, MOST_SECONDS, found.hook_seconds)
    return replace(found, notify=notify, hook=tuple(hook or ()), hook_seconds=seconds)


def _keys(reader: _Reader, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    wanted: dict[str, tuple[str, ...]] = {}
    for name, value in _flat(table):
        words = [value] if isinstance(value, str) else value
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            reader.wrong(("keys", *name.split(".")), 'a key or a list of keys, such as "P" or ["P", "f5"]', value)
        else:
            wanted[name] = tuple(words)
    keys, problems = checked_keys(wanted)
    for problem in problems:
        reader.refused(problem)
    return keys


def _flat(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """A pane's keys may stand in a table of the pane: `[keys.log] open = "enter"`, or `"log.open"`."""
    found: list[tuple[str, Any]] = []
    for name, value in table.items():
        found += (
            [(f"{name}.{part}", keys) for part, keys in value.items()] if isinstance(value, dict) else [(name, value)]
        )
    return found


class _Reader:
    """Values out of the file, or the default and a problem with file, line, key, what is expected and what is near."""

    def __init__(self, source: ProfileSource) -> None:
        self._source = source

    def known(self, path: KeyPath, table: Mapping[str, Any], names: Sequence[str]) -> None:
        """Every key of the table is one of these."""
        for key in table:
            if key not in names:
                self._say(
                    (*path, key), "unknown key", expected=f"one of {', '.join(names)}", hint=did_you_mean(key, names)
                )

    def table(self, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = data.get(name, {})
        if not isinstance(value, dict):
            self.wrong((name,), "a table", value)
            return {}
        return value

    def one_of(self, data: Mapping[str, Any], path: KeyPath, names: Sequence[str | int], default: Any) -> Any:
        value = data.get(str(path[-1]), default)
        if not isinstance(value, bool) and (value in names or value == default):
            return value
        words = [str(name) for name in names]
        self.wrong(path, f"one of {', '.join(words)}", value, did_you_mean(str(value), words))
        return default

    def number(self, data: Mapping[str, Any], path: KeyPath, low: float, high: float, default: float) -> float:
        return float(self._checked(data, path, (int, float), f"a number from {low:g} to {high:g}", default, lambda value: low <= value <= high))  # fmt: skip

    def whole(self, data: Mapping[str, Any], path: KeyPath, low: int, high: int) -> int:
        return int(self._checked(data, path, (int,), f"a whole number from {low} to {high}", 0, lambda value: low <= value <= high))  # fmt: skip

    def switch(self, data: Mapping[str, Any], path: KeyPath, default: bool) -> bool:
        value = data.get(str(path[-1]), default)
        if isinstance(value, bool):
            return value
        self.wrong(path, "true or false", value)
        return default

    def words(self, data: Mapping[str, Any], path: KeyPath, names: Sequence[str] | None) -> list[str] | None:
        """A list of strings, each one of `names` if given; None where it is not."""
        value = data[str(path[-1])]
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            self.wrong(path, f"a list of {', '.join(names)}" if names else 'a command and its arguments, such as ["notify-send", "rltui"]', value)  # fmt: skip
            return None
        bad = [word for word in value if names is not None and word not in names]
        if bad:
            self.wrong(path, f"any of {', '.join(names or ())}", bad[0], did_you_mean(bad[0], names or ()))
            return None
        return value

    def wrong(self, path: KeyPath, expected: str, found: object, hint: str = "") -> None:
        """Not what it should be; the default holds."""
        self._say(path, "not understood", expected=expected, found=repr(found), hint=hint)

    def refused(self, problem: KeyProblem) -> None:
        """A key that cannot be had."""
        self._say(("keys", *problem.action.split(".")), problem.message, hint=problem.hint)

    def _checked(
        self, data: Mapping[str, Any], path: KeyPath, kinds: tuple[type, ...], expected: str, default: float, fits: Callable[[Any], bool]
    ) -> Any:  # fmt: skip
        value = data.get(str(path[-1]), default)
        if isinstance(value, kinds) and not isinstance(value, bool) and fits(value):
            return value
        self.wrong(path, expected, value)
        return default

    def _say(self, path: KeyPath, message: str, **details: str) -> None:
        joined = ("keys", ".".join(str(part) for part in path[1:]))  # "log.open" in quotes is one key
        line = self._source.lines.of.get(joined) if path[0] == "keys" else None
        line = self._source.lines.nearest(path) if line is None else line
        self._source.problems.append(Problem(self._source.file, line, show_key(path), message, **details))


@dataclass(frozen=True)
class LoadedSettings:
    """problems: what was not understood; the default holds there."""

    settings: UiSettings
    path: Path
    problems: tuple[Problem, ...] = ()


def ui_path() -> Path:
    """RLTUI_CONFIG/ui.toml, else in the folder where this system keeps programs' settings."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return safe_io.path_of(chosen).absolute() / NAME
    from platformdirs import user_config_path  # Textual needs it too

    return user_config_path("rltui", appauthor=False) / NAME


def load(path: Path) -> LoadedSettings:
    """Never raises: no file means the defaults, and so does one that cannot be read, with a problem."""
    if not _is_there(path):
        return LoadedSettings(UiSettings(), path)
    try:
        source = read_source(path, str(path))
    except ProfileError as error:
        return LoadedSettings(UiSettings(), path, error.problems)
    settings = settings_of(source)
    return LoadedSettings(settings, path, tuple(problem for problem in source.problems if problem.message != EMPTY))


def save_layout(path: Path, shows: Mapping[Slot, str], rows: Mapping[Slot, int], theme: str) -> None:
    """Write the panes' places and heights and the theme; everything else in the file stays as it is written.

    RltuiError where the file is no TOML, or cannot be written.
    """

    from rltui.profile.edit import put

    def change(written: Any) -> None:
        put(written, "theme", theme)
        layout = _table(written, "layout")
        _replace(layout, shows, keep=("rows",))
        if rows or "rows" in layout:
            _replace(_table(layout, "rows"), rows)

    _edit(path, change, "the layout")


def _edit(path: Path, change: Callable[[Any], None], what: str) -> None:
    from tomlkit import TOMLDocument, document, parse
    from tomlkit.exceptions import TOMLKitError

    from rltui.runs.atomic import replace_file

    try:
        text = safe_io.read_text(path, MAX_BYTES) if _is_there(path) else HEAD
        safe_io.check_text(text)
        written: TOMLDocument = parse(text) if text.strip() else document()
        change(written)
        replace_file(path, written.as_string().encode())
    except (OSError, ValueError, TOMLKitError) as error:
        why = safe_io.reason(error) if isinstance(error, OSError | ValueError) else str(error)
        raise RltuiError(f"{what} was not saved to {path}: {why}", "mend it or move it away") from error


def _table(within: Any, name: str) -> Any:
    """The table of that name, made where there is none."""
    from tomlkit import table

    if not isinstance(within.get(name), dict):
        within[name] = table()
    return within[name]


def _replace(table: Any, values: Mapping[Any, object], keep: Collection[str] = ()) -> None:
    """The table's entries become these; those that are equal keep their comments."""
    from rltui.profile.edit import put

    for key in [key for key in table if key not in values and key not in keep]:
        del table[key]
    for key, value in values.items():
        if table.get(key) != value:
            put(table, key, value)


def _is_there(path: Path) -> bool:
    """Whatever it is, a link to nothing too: somebody meant it to be read."""
    return os.path.lexists(path)
