"""Whether the bot learns, in words: for the line above all panes and, whole, for the pane of the run."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui.paint import Span
from rltui.tui.panes.pane import View
from rltui.tui.run.condition import condition
from rltui.tui.run.verdict import verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """mark: symbol and word, in their colour. words: the evidence. more: what else is ill. spoken: the trainer is there and well."""

    mark: Span
    words: str
    more: tuple[str, ...]
    spoken: bool


def judgement(view: View) -> Judgement | None:
    """`▲ learning`, `▲ was learning` of a run that has ended, `‖ paused, was learning`; with the evidence.

    None where the run is not opened yet.
    """
    if view.snapshot.header is None:
        return None
    now = condition(view.snapshot, view.now)
    spoken = now.running and now.role != "bad"
    paused = spoken and view.snapshot.paused
    heard = spoken and not paused
    judged = verdict(view.snapshot, view.now, heard)
    word = f" {'' if heard else 'was '}{judged.word}" if judged.word != judged.symbol else ""
    mark: Span = (f"{judged.symbol}{word}", judged.role)
    if paused:
        mark = (f"{now.symbol} paused{',' if word else ''}{word}", now.role)
    return Judgement(mark, judged.words, judged.more, spoken)
