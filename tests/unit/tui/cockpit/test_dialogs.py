"""Dialogs of the cockpit: what does not need one on a screen."""

from __future__ import annotations

from rltui.events.commands import FLAGS
from rltui.tui.cockpit.dialogs import MEANING


def test_every_debug_flag_is_explained() -> None:
    assert set(MEANING) == set(FLAGS)
