"""The panes' ids, as ui.toml and the registry of keys have them, in the catalogue's order: no pane need be imported."""

from __future__ import annotations

PANE_IDS = (
    "metrics",
    "rewards",
    "time",
    "workers",
    "lut",
    "turtle",
    "arena",
    "trace",
    "curriculum",
    "machine",
    "facts",
    "log",
    "audit",
)
