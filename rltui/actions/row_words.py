"""describe: a row of an action table in words, for reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rltui.sim.controls import CONTROLS

WAYS = {  # what a negative and a positive value of a control do
    "throttle": ("reverse", "throttle"),
    "steer": ("steer left", "steer right"),
    "pitch": ("nose down", "nose up"),
    "yaw": ("yaw left", "yaw right"),
    "roll": ("roll left", "roll right"),
}
BUTTONS = ("jump", "boost", "handbrake")


def describe(row: Sequence[float]) -> str:
    """Eight controls in the order of CONTROLS as "full throttle, left, boost". Steer and yaw that agree are one word."""
    values = dict(zip(CONTROLS, map(float, row), strict=True))
    words = [*_directions(values), *(name for name in BUTTONS if values[name])]
    return ", ".join(words) or "idle"


def _directions(values: dict[str, float]) -> Iterator[str]:
    if values["throttle"]:
        yield _full(values["throttle"]) + WAYS["throttle"][values["throttle"] > 0]
    linked = values["steer"] == values["yaw"]
    for name in ("steer", "pitch", "yaw", "roll"):
        value = values[name]
        if not value or (linked and name == "yaw"):
            continue
        words = WAYS[name][value > 0]
        yield _part(value) + (words.removeprefix("steer ") if linked else words)


def _full(value: float) -> str:
    return "full " if abs(value) == 1 else _part(value)


def _part(value: float) -> str:
    """Of a full deflection; nothing is said of a whole one."""
    return "" if abs(value) == 1 else "half " if abs(value) == 0.5 else f"{100 * abs(value):.3g} % "
