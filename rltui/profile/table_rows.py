"""The rows of the action table that a profile names: can they be played, and do legality and its rows fit them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rltui.errors import in_words
from rltui.profile.components import complete, from_folder, placed
from rltui.profile.validation import Finding
from rltui.registry import Component, build

CHECKED = ("legality", "fallback_row", "recovery_row")


def check_rows(data: Mapping[str, Any], folder: Path | None) -> list[Finding]:
    """Works on raw values; a table that is wrong as a component is left to `check_component`. folder: of the profile."""
    actions = data.get("actions")
    part = next((part for part in placed(data) if part.kind == "action table"), None)
    if part is None or not isinstance(actions, Mapping):
        return []  # nothing said: the default table, which needs no check
    named = Component(from_folder(part.name, folder), part.options)
    try:
        table = build("action table", Component(named.name, complete("action table", named)))
    except Exception:  # told of by who checks components
        return []
    try:
        rows = importlib.import_module("rltui.actions.table").checked_rows(table, actions.get("clip") is True)
    except (Exception, SystemExit) as error:  # a user's class may raise anything
        return [Finding(part.name_path, in_words(error).removeprefix("action table: "), found=part.name)]
    pipeline = importlib.import_module("rltui.actions.pipeline")
    options = {key: actions[key] for key in CHECKED if _fits(key, actions.get(key))}
    return [
        Finding(("actions", key), message, expected, found)
        for key, message, expected, found in pipeline.option_problems(rows, pipeline.PipelineOptions(**options))
    ]


def _fits(key: str, value: Any) -> bool:
    """Of the right type, or else told of by the models."""
    return isinstance(value, str) if key == "legality" else type(value) is int and value >= 0
