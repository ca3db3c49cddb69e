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
WIDE = 66  # columns from which the curve stands in the same row


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
        room = max((height - 2) // (2 if self._is_roomy(len(found), width, height) else 1), 1)
        shown = found if len(found) <= room else found[: room - 1]
        lines = self._lines(view, shown, width, self._is_roomy(len(found), width, height))
        if len(shown) < len(found):
            lines.append(((f"… and {len(found) - len(shown)} smaller ones", "muted"),))
        return [*lines, *_total(view, width)][:height]

    def _is_roomy(self, rewards: int, width: int, height: int) -> bool:
        """Whether each reward gets a second row, for its curve over the run."""
        return width < WIDE and height >= 2 * rewards + 2

    def _lines(self, view: View, shown: list[tuple[str, float | None]], width: int, roomy: bool) -> list[Line]:
        values = [value for _, value in components(view) if value is not None]
        scale = min([0.0, *values]), max([0.0, *values])
        texts = figures.aligned([value for _, value in shown])
        lines: list[Line] = []
        for (name, value), text in zip(shown, texts, strict=True):
            if roomy:
                bar = width - CURVE - 2
                head: Line = ((pad(name, width - FIGURE), "" if value else "muted"), *_figure(text))
                curve = _curve(view, name, CURVE)
                lines += [head, (*_bar(value, *scale, bar), ("  ", ""), *curve)]
            else:
                lines.append(self._row(view, name, value, text, scale, width))
        return lines

    def _row(
        self, view: View, name: str, value: float | None, text: str, scale: tuple[float, float], width: int
    ) -> Line:
        curve = _curve(view, name, CURVE) if width >= WIDE else ()
        name_width = min(max(len(key) for key, _ in components(view)), max(width - FIGURE - 8, 8))
        bar = max(width - name_width - FIGURE - 2 - (CURVE + 2 if curve else 0), 3)
        head: Line = ((pad(name, name_width), "" if value else "muted"), (" ", ""))
        return (*head, *_bar(value, *scale, bar), *_figure(text), *((("  ", ""), *curve) if curve else ()))


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
    if width >= WIDE:
        tail: Line = (("  ", ""), (sparkline(*view.snapshot.history.series("rollout/policy_reward"), CURVE), "band"))
        room = width - CURVE - 2
    else:
        tail, room = (), width
    return [
        (("─" * width, "track"),),
        ((pad("reward / episode", room - len(figure)), "muted"), (figure, "strong"), *tail),
    ]
