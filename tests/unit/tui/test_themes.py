"""Contrast of both themes; greys that stay grey."""

from __future__ import annotations

from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.color import Color
from textual.theme import Theme

from rltui.tui.themes import DARK, LIGHT


def _luminance(color: str) -> float:
    parts = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in Color.parse(color).normalized
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: str, other: str) -> float:
    """The WCAG ratio, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_on_its_background() -> None:
    for theme in (DARK, LIGHT):
        check_contrast(theme)


def check_contrast(theme: Theme) -> None:
    assert theme.background
    assert theme.panel
    colours = {
        "foreground": theme.foreground, "primary": theme.primary, "good": theme.success, "warn": theme.warning, "bad": theme.error,
        "muted": theme.variables["muted"],
    }  # fmt: skip
    for name, colour in colours.items():
        assert colour is not None
        for background in (theme.background, theme.panel, theme.variables["cursor-background"]):
            assert contrast(colour, background) >= 4.5, (theme.name, name, background)
    for background in (theme.background, theme.panel):
        assert contrast(theme.variables["faint"], background) >= 4.5, theme.name
    for pill in (theme.success, theme.warning, theme.error, theme.primary, theme.variables["muted"]):
        assert pill is not None
        assert contrast(theme.variables["pill-foreground"], pill) >= 4.5, (theme.name, pill)
    for number in range(1, 8):
        assert contrast(theme.variables[f"series-{number}"], theme.background) >= 3.0, (theme.name, number)


def test_quiet_colours_stay_grey_where_there_are_256() -> None:
    for name in ("quiet-border", "track", "band", "muted", "faint"):
        number = RichColor.parse(DARK.variables[name]).downgrade(ColorSystem.EIGHT_BIT).number
        assert number is not None
        assert number >= 232, (name, number)  # the grey ramp
