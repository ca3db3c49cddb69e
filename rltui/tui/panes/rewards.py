"""Rewards by component: mean weighted contribution to a car's episode, with their sum."""

from __future__ import annotations

from rltui.tui import figures
from rltui.tui.paint import Line, pad
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.bars import signed_bar
from rltui.tui.widgets.sparkline import sparkline

PREFIX = "reward/"
FIGURE = 9  # columns
CURVE = 14  # columns


class RewardsPane(Pane):
    """Bars around zero, largest first."""

    NUMBER = "2"
    SLOT = "rewards"
    NAME = "Rewards per episode"
    SHORT = "Rewards"
    EVERY = 2.9
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
        roomy = height >= 2 * len(found) + 2
        room = max((height - 2) // (2 if roomy else 1), 1)
        shown = found if len(found) <= room else found[: room - 1]
        lines = self._lines(view, shown, width, roomy)
        if len(shown) < len(found):
            lines.append(((f"… and {len(found) - len(shown)} smaller ones", "muted"),))
        return [*lines, *_total(view, width)][:height]

    def _lines(self, view: View, shown: list[tuple[str, float | None]], width: int, roomy: bool) -> list[Line]:
        """One row each; roomy: two, with the curve over the run."""
        values = [value for _, value in components(view) if value is not None]
        scale = min([0.0, *values]), max([0.0, *values])
        names = min(max(len(name) for name, _ in components(view)), max(width - FIGURE - 8, 8))
        curve = max(CURVE, width // 3)
        lines: list[Line] = []
        for (name, value), text in zip(shown, figures.aligned([value for _, value in shown]), strict=True):
            role = "" if value else "muted"
            if roomy:
                lines.append(((pad(name, width - FIGURE), role), *_figure(text)))
                lines.append((*_bar(value, *scale, width - curve - 2), ("  ", ""), *_curve(view, name, curve)))
            else:
                lines.append(
                    ((pad(name, names + 1), role), *_bar(value, *scale, width - names - FIGURE - 1), *_figure(text))
                )
        return lines


def components(view: View) -> list[tuple[str, float | None]]:
    """(name, value) of each reward, largest effect first; the unknown ones last."""
    metrics = view.snapshot.metrics
    found = [(key.removeprefix(PREFIX), value) for key, value in metrics.items() if key.startswith(PREFIX)]
    return sorted(found, key=lambda item: (item[1] is None, -abs(item[1] or 0.0), item[0]))


def _bar(value: float | None, low: float, high: float, width: int) -> Line:
    return ((" " * width, ""),) if not figures.known(value) or value is None else signed_bar(value, low, high, width)


def _figure(text: str) -> Line:
    return ((f"{text:>{FIGURE}}", "muted" if text == figures.UNKNOWN else "strong"),)


def _curve(view: View, name: str, width: int) -> Line:
    return ((sparkline(*view.snapshot.history.series(f"{PREFIX}{name}"), width), "band"),)


def _total(view: View, width: int) -> list[Line]:
    total = view.snapshot.metrics.get("rollout/policy_reward")
    figure = figures.aligned([total, *(value for _, value in components(view))])[0]
    return [
        (("─" * width, "track"),),
        ((pad("reward / episode", width - len(figure)), "muted"), (figure, "strong")),
    ]
