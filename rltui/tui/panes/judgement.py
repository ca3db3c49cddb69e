"""Whether the bot learns, in words: for the line above all panes and, whole, for the pane of the run."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui.paint import Span
from rltui.tui.panes.pane import View
from rltui.tui.run.condition import condition
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.trend import BLOCK, needed
from rltui.tui.run.verdict import Findings, findings, verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """mark: symbol and word, in their colour. words: the evidence. more: what else is ill. spoken: the trainer is there and well."""

    mark: Span
    words: str
    more: tuple[str, ...]
    spoken: bool


class Judge:
    """Remembers what it has found: a long history is not read at each iteration."""

    def __init__(self) -> None:
        self._found: tuple[object, Findings] | None = None  # with what it was found in

    def judge(self, view: View) -> Judgement | None:
        """None where the run is not opened yet."""
        return judgement(view, self._findings(view.snapshot)) if view.snapshot.header is not None else None

    def _findings(self, snapshot: RunSnapshot) -> Findings:
        """Looked for again where they can have changed."""
        length = snapshot.history.length
        block = length if length < needed() else length // BLOCK
        seen = block, len(snapshot.marks), snapshot.marks[-1:], snapshot.resumed
        if self._found is None or self._found[0] != seen:
            self._found = seen, findings(snapshot)
        return self._found[1]


def judgement(view: View, found: Findings) -> Judgement:
    """`▲ learning`, `▲ was learning` of a run that has ended, `‖ paused, was learning`; with the evidence."""
    now = condition(view.snapshot, view.now)
    spoken = now.running and now.role != "bad"
    paused = spoken and view.snapshot.paused
    heard = spoken and not paused
    judged = verdict(view.snapshot, found, view.now, heard)
    word = f" {'' if heard else 'was '}{judged.word}" if judged.word != judged.symbol else ""
    mark: Span = (f"{judged.symbol}{word}", judged.role)
    if paused:
        mark = (f"{now.symbol} paused{',' if word else ''}{word}", now.role)
    return Judgement(mark, judged.words, judged.more, spoken)
