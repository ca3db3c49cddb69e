"""Rewards by component: mean weighted contribution to a car's episode, with their sum."""

from __future__ import annotations

from rltui.tui import figures
from rltui.tui.paint import Line, pad
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.bars import signed_bar

PREFIX = "reward/"
FIGURE = 8  # columns


class RewardsPane(Pane):
    """Bars around zero, largest first."""

    NUMBER = "2"
    NAME = "Rewards per episode"
    SHORT = "Rewards"
    EMPTY = "Here will be what each reward adds to an episode, as soon as episodes have ended in an iteration."
    HELP = (
        "Each bar is the mean weighted contribution of one reward to a car's episode, over the episodes that ended in the "
        "newest iteration; they sum to the reported reward. One bar that dwarfs the rest is what the bot will learn, "
        "whatever was meant. A penalty should be negative."
    )

    def has_nothing(self, view: View) -> bool:
        return not components(view)

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.header is None

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        found = components(view)
        known = [value for _, value in found if value is not None]
        low, high = min([0.0, *known]), max([0.0, *known])
        name_width = min(max(len(name) for name, _ in found), max(width - FIGURE - 8, 8))
        bar = max(width - name_width - FIGURE - 2, 3)
        lines = [
            (
                (pad(name, name_width), "" if value else "muted"),
                (" ", ""),
                *_bar(value, low, high, bar),
                *_figure(value),
            )
            for name, value in found
        ]
        room = height - 2 if height > 4 else height
        if len(lines) > room:
            lines = [*lines[: room - 1], ((f"… and {len(lines) - room + 1} smaller ones", "muted"),)]
        return [*lines, *_total(view, width)] if height > 4 else lines


def components(view: View) -> list[tuple[str, float | None]]:
    """(name, value) of each reward, largest effect first; the unknown ones last."""
    metrics = view.snapshot.metrics
    found = [(key.removeprefix(PREFIX), value) for key, value in metrics.items() if key.startswith(PREFIX)]
    return sorted(found, key=lambda item: (item[1] is None, -abs(item[1] or 0.0), item[0]))


def _bar(value: float | None, low: float, high: float, width: int) -> Line:
    return ((" " * width, ""),) if not figures.known(value) or value is None else signed_bar(value, low, high, width)


def _figure(value: float | None) -> Line:
    return ((f"{figures.signed(value):>{FIGURE + 1}}", "strong" if value else "muted"),)


def _total(view: View, width: int) -> list[Line]:
    total = view.snapshot.metrics.get("rollout/policy_reward")
    figure = figures.signed(total)
    return [
        (("─" * width, "track"),),
        ((pad("reward / episode", width - len(figure)), "muted"), (figure, "strong")),
    ]
