"""The panes' ids, as ui.toml and the registry of keys call them, in the catalogue's order. Known without importing a pane."""

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
