"""Games of a saved state against another bot: who may be chosen, `rltui eval` in a process, what comes of it in words."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from rltui import formatting
from rltui.errors import RltuiError
from rltui.registry import BUILT_IN, STARTER
from rltui.runs.inventory import CheckpointInfo
from rltui.tui.browser.library import Library
from rltui.tui.browser.table import elo_text
from rltui.tui.checks.child import RLTUI, LinesChild, LinesProcess
from rltui.tui.widgets.dialogs import ChooserDialog, Chosen, PromptDialog

USUAL, MOST = 100, 100_000  # games
SAYS = "rltui: "  # before an error


def opponents(library: Library, entry: CheckpointInfo) -> ChooserDialog:
    """Dismissed with the name of a bot that comes with rltui, the folder of a milestone, or what was typed."""
    if not entry.usable:
        raise RltuiError(f"it cannot play: {entry.damage or 'only a saved state can'}")
    scripted = [Chosen(name, "Scripted") for name in [*BUILT_IN["player"]][::-1]]  # the strongest first
    states = [other for other in library.entries if other.usable and other.milestone and other.path != entry.path]
    states.sort(key=lambda other: (other.run != entry.run, other.run, -(other.timesteps or 0)))
    milestones = [
        Chosen(
            str(other.path), other.run, None, f"milestone {other.label}", f"Elo {elo_text(other)}" if other.elo else ""
        )
        for other in states
    ]
    own = "type to filter; or a run, a checkpoint's folder, a policy.npz"
    return ChooserDialog(
        f"{entry.title} against whom?", [*scripted, Chosen(STARTER, "Comes with rltui"), *milestones], own=own
    )


def games_prompt(entry: CheckpointInfo, opponent: str) -> PromptDialog:
    """For how many games."""
    text = (
        "They are played as fast as this machine can, at low priority, and logged for the ratings. Training goes on. They end "
        "when rltui does; finished ones are kept."
    )
    return PromptDialog(f"How many games against {opponent}?", what_is_played, text, str(USUAL))


def what_is_played(text: str) -> str:
    games = _games(text)
    odd = " (an even number gives both sides the same kickoffs)" if games % 2 else ""
    return f"{'!' if odd else ''}{formatting.plural(games, 'game')} of 5 min of play each{odd}"


def _games(text: str) -> int:
    if not (typed := text.strip().replace(",", "")).isdecimal() or not 1 <= int(typed[:9]) <= MOST:
        raise RltuiError(f"a number from 1 to {MOST:,}")
    return int(typed)


def command(entry: CheckpointInfo, opponent: str, games: str, data: Path) -> list[str]:
    """What was typed may begin with a dash."""
    return [
        *RLTUI,
        "eval",
        "--games",
        str(_games(games)),
        "--lines",
        "--data-dir",
        str(data),
        "--",
        str(entry.path),
        opponent,
    ]


class EvaluationLine(msgspec.Struct, frozen=True):
    """A line of `rltui eval --lines`: how far it is, or at last what came of it."""

    games: int
    of: int | None = None
    share: float | None = None  # of all play
    seconds_left: float | None = None
    win_rate: float | None = None
    interval: tuple[float, float] | None = None
    better: str | None = None


NOTHING_YET = EvaluationLine(0)


@dataclass(frozen=True)
class PlayedMatches:
    """How an evaluation stands. a, b: in words. ended: nothing more comes; then problem says why nothing, or less, came of it.
    asked: by somebody who had it end.
    """

    a: str
    b: str
    line: EvaluationLine = NOTHING_YET
    ended: bool = False
    problem: str = ""
    asked: bool = False

    @property
    def failed(self) -> bool:
        return bool(self.problem) and not self.asked

    @property
    def progress(self) -> str:
        line = self.line
        left = f", {formatting.remaining(line.seconds_left)} left" if line.seconds_left is not None else ""
        how_far = (
            f"{formatting.percent(line.share)} of {formatting.plural(line.of, 'game')}{left}"
            if line.of
            else "starting …"
        )
        return f"{self.a} against {self.b}: {how_far}"

    @property
    def result(self) -> str:
        """Decides only what is decided."""
        line = self.line
        if line.win_rate is None or line.interval is None:
            return f"{self.a} against {self.b}: {self.problem or 'ended'}; finished games are kept"
        low, high = line.interval
        verdict = {"a": f"{self.a} is better", "b": f"{self.b} is better"}.get(line.better or "", "not decided")
        verdict += f"; {self.problem}" if self.problem else ""
        rate = f"{100 * line.win_rate:.0f} % ({100 * low:.0f} to {100 * high:.0f} %)"
        return f"{self.a} scores {rate} of {formatting.plural(line.games, 'game')} against {self.b}: {verdict}"


class EvaluationRunner:
    """One evaluation at a time, in a child of low priority. `tell` is called from a thread once it has ended."""

    def __init__(
        self,
        tell: Callable[[PlayedMatches], None],
        start: Callable[[Sequence[str]], LinesProcess] | None = None,
    ) -> None:
        """start: begins the child, for tests."""
        self._tell, self._start = tell, start or (lambda words: LinesChild(words, subprocess.STDOUT))
        self._child: LinesProcess | None = None
        self._asked = False
        self.state: PlayedMatches | None = None

    @property
    def running(self) -> bool:
        return self.state is not None and not self.state.ended

    def begin(self, words: Sequence[str], a: str, b: str) -> None:
        """RltuiError where one is played, or the system will not."""
        if self.running:
            raise RltuiError("games are being played already")
        self._asked = False
        try:
            self._child = self._start(words)
        except OSError as error:
            raise RltuiError(f"no games can be played: {error}") from error
        self.state = PlayedMatches(a, b)
        threading.Thread(target=self._follow, args=(self._child,), name="evaluation", daemon=True).start()

    def finish(self) -> None:
        """Have it tell what the finished games come to; of one that was asked already, give it up."""
        if self._child is not None and self.running and not self._asked:
            self._asked = True
            self._child.finish()
        else:
            self.end()

    def end(self) -> None:
        """Give up what is being played; nothing where nothing is."""
        if self._child is not None and self.running:
            self._child.end()

    def _follow(self, child: LinesProcess) -> None:
        state, words = self.state, ""
        assert state is not None
        try:
            for text in child.lines():
                try:
                    state = replace(state, line=msgspec.json.decode(text, type=EvaluationLine))
                except msgspec.DecodeError:
                    said = text.decode(errors="replace").strip()
                    words = said.removeprefix(SAYS) if said.startswith(SAYS) or not words else words
                self.state = state
        except OSError as error:
            words = str(error)
        self.state = replace(state, ended=True, problem=words, asked=self._asked)
        self._tell(self.state)
