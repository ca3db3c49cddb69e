"""The two themes, dark (the default) and light, and the one place where a span's role becomes a colour.

Series colours are Okabe–Ito's, which colour-blind people can tell apart. Neutral colours have so little saturation that they
stay grey where the terminal has 256 colours only.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rich.style import Style
from textual.theme import Theme

DARK = Theme(
    name="rltui-dark",
    primary="#56B4E9",
    secondary="#98A0AC",
    accent="#E69F00",
    success="#2FBF8F",
    warning="#F0C94A",
    error="#F0805A",
    foreground="#D5DCE6",
    background="#0E1116",
    surface="#0E1116",
    panel="#191C21",
    dark=True,
    variables={
        "muted": "#98A0AC",
        "faint": "#828993",
        "quiet-border": "#353A42",
        "loud-border": "#56B4E9",
        "cursor-background": "#203757",
        "cursor-muted-background": "#23272E",
        "pill-foreground": "#0E1116",
        "track": "#3A3F47",
        "band": "#4B525D",
        "series-1": "#56B4E9",
        "series-2": "#E69F00",
        "series-3": "#23B286",
        "series-4": "#D98BB5",
        "series-5": "#F0E442",
        "series-6": "#E5703A",
        "series-7": "#4C9BD6",
        "border": "#353A42",
        "border-blurred": "#353A42",
        "block-cursor-background": "#203757",
        "block-cursor-foreground": "#FFFFFF",
        "block-cursor-text-style": "bold",
        "scrollbar": "#353A42",
        "scrollbar-background": "#0E1116",
        "scrollbar-hover": "#4B525D",
        "scrollbar-active": "#56B4E9",
    },
)

LIGHT = Theme(
    name="rltui-light",
    primary="#00609B",
    secondary="#4A5B6E",
    accent="#8F5A00",
    success="#006A48",
    warning="#755700",
    error="#A83A00",
    foreground="#22262C",
    background="#FBFBF9",
    surface="#FBFBF9",
    panel="#EFF1F2",
    dark=False,
    variables={
        "muted": "#4F5863",
        "faint": "#656D78",
        "quiet-border": "#CDD3DA",
        "loud-border": "#00609B",
        "cursor-background": "#C5DDF2",
        "cursor-muted-background": "#E6E9EC",
        "pill-foreground": "#FFFFFF",
        "track": "#D3D9DF",
        "band": "#C3CCD5",
        "series-1": "#0072B2",
        "series-2": "#B87A00",
        "series-3": "#00835F",
        "series-4": "#B0568A",
        "series-5": "#8A7F00",
        "series-6": "#C14F00",
        "series-7": "#3A8FC4",
        "border": "#CDD3DA",
        "border-blurred": "#CDD3DA",
        "block-cursor-background": "#C5DDF2",
        "block-cursor-foreground": "#22262C",
        "block-cursor-text-style": "bold",
        "scrollbar": "#CDD3DA",
        "scrollbar-background": "#FBFBF9",
        "scrollbar-hover": "#AEB8C2",
        "scrollbar-active": "#00609B",
    },
)

THEMES: Mapping[str, Theme] = {theme.name: theme for theme in (DARK, LIGHT)}

# Role → foreground, background (theme variables, "" for what is there), bold. Roles can be combined: "muted cursor".
ROLES: Mapping[str, tuple[str, str, bool]] = {
    "muted": ("muted", "", False),
    "faint": ("faint", "", False),
    "strong": ("foreground", "", True),
    "title": ("foreground", "", True),
    "key": ("primary", "", True),
    "act": ("accent", "", True),
    "good": ("success", "", False),
    "warn": ("warning", "", False),
    "bad": ("error", "", False),
    "busy": ("primary", "", False),
    "idle": ("muted", "", False),
    "positive": ("series-1", "", False),
    "negative": ("series-6", "", False),
    "track": ("track", "", False),
    "band": ("band", "", False),
    "mark": ("faint", "", False),
    "cursor": ("", "cursor-background", False),
    "hit": ("pill-foreground", "warning", True),
    "cursor-muted": ("", "cursor-muted-background", False),
    "pill-good": ("pill-foreground", "success", True),
    "pill-warn": ("pill-foreground", "warning", True),
    "pill-bad": ("pill-foreground", "error", True),
    "pill-busy": ("pill-foreground", "primary", True),
    "pill-idle": ("pill-foreground", "muted", True),
    **{f"series-{number}": (f"series-{number}", "", False) for number in range(1, 8)},
}


@cache
def role_style(theme_name: str, roles: str) -> Style:
    """What the roles, separated by spaces, change in the style of a widget's text. KeyError for an unknown role."""
    theme = THEMES.get(theme_name, DARK)
    style = Style.null()
    for role in roles.split():
        foreground, background, bold = ROLES[role]
        style += Style(
            color=_colour(theme, foreground) or None, bgcolor=_colour(theme, background) or None, bold=bold or None
        )
    return style


def _colour(theme: Theme, variable: str) -> str:
    return theme.variables.get(variable) or (str(getattr(theme, variable)) if variable else "")
