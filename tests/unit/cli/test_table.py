"""Columns and numbers as people read them."""

from __future__ import annotations

from rltui.cli.output import aligned, number


def test_columns_are_two_spaces_apart_and_numbers_end_together() -> None:
    lines = aligned([("RUN", "STEPS", "NOTE"), ("a", "1,000", "x"), ("longer", "7", "")], right=frozenset({1}))
    assert lines == ["RUN     STEPS  NOTE", "a       1,000  x", "longer      7"]
    assert aligned([]) == []


def test_unknown_is_a_dash_and_zero_is_zero() -> None:
    assert number(None) == "–"
    assert number(None, unit="s") == "–"
    assert number(0.0, ".1f", "s") == "0.0 s"
    assert number(12_431_360) == "12,431,360"
