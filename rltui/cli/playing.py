"""What commands that play games share: players, options, the log, the progress bar."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rltui.cli.parser import at_least, between

if TYPE_CHECKING:
    from rltui.league.evaluation import Evaluation
    from rltui.league.games import Game
    from rltui.policy.saved import SavedPolicy
    from rltui.runs.paths import DataDir

OTHER_PLAYERS = (
    "a checkpoint or milestone (alpha/005M, the ladder's alpha@5001216, or its folder), a policy.npz, rlgym-ppo's checkpoint or a TorchScript file "
    "(with --profile), a scripted player (idle, random, chaser, rule), or starter, the bot that comes with rltui"
)
BAR, LOOK = 30, 0.1  # characters; seconds between two pictures of it
LINE = 1.0  # seconds between two lines
BEGUN = 0.02  # of all: before, how long it takes is not known


def add_seconds(add: argparse._ActionsContainer) -> None:
    add.add_argument(
        "--seconds", metavar="S", type=between(0.1, 1e5), default=300.0, help="of play in a game (default 300)"
    )


def add_profile(add: argparse._ActionsContainer) -> None:
    """What `converter` takes."""
    add.add_argument(
        "--profile",
        metavar="PROFILE",
        help="observation and action table of rlgym-ppo's checkpoints and TorchScript files",
    )


def add_processes(add: argparse._ActionsContainer) -> None:
    add.add_argument(
        "--workers",
        metavar="W",
        type=at_least(1),
        help="processes (default: one a core); the games do not depend on it",
    )
    add.add_argument(
        "--nice",
        metavar="N",
        type=int,
        choices=range(20),
        default=10,
        help="niceness of these, 0 to 19 (default 10: training goes first)",
    )


def converter(profile: str | None) -> Callable[[Path], SavedPolicy]:
    """Reader of rlgym-ppo's checkpoints and of TorchScript files, with this profile's observation and action table. Without one,
    only of what `rltui export` wrote.
    """

    def convert(path: Path) -> SavedPolicy:
        from importlib import import_module

        from rltui.league.sources import needs_profile
        from rltui.profile.load import load

        loaded = None if profile is None else load(profile, [])
        if not path.is_dir():  # with torch, as the other
            found: SavedPolicy | None = import_module("rltui.bridge.torchscript").policy_of(path, loaded)
        elif loaded is not None:
            from rltui.train.checkpointing import policy_of_rlgym_ppo

            found = policy_of_rlgym_ppo(path, loaded)
        else:
            found = None
        if found is None:
            raise needs_profile(path)
        return found

    return convert


def play_match(evaluation: Evaluation, workers: int | None, nice: int, log: GamesLog, progress: GamesProgress) -> bool:
    """All games that are wanted of it, until Ctrl-C; returns whether that came."""
    import threading

    from rltui.league.evaluation import TaskDone, tasks
    from rltui.league.evaluators import Evaluators
    from rltui.profile.resolved import cores
    from rltui.supervise.signals import stopping_by_signal

    stop = threading.Event()
    with (
        contextlib.closing(log),
        stopping_by_signal(lambda *_: stop.set()),
        contextlib.closing(progress),
        Evaluators(evaluation.match_up, workers or cores(), nice) as evaluators,
    ):
        for said in evaluators.played(tasks(evaluation.wanted), stop.is_set):
            if isinstance(said, TaskDone):
                log.write(evaluation.add(said))
            else:
                progress.add(said.ticks)
            progress.show(len(evaluation.games))
    return stop.is_set()


class GamesLog:
    """games.csv of a data folder, or none. problem: why it cannot be written, "" where it can."""

    def __init__(self, data: DataDir | None) -> None:
        self._data, self.problem = data, ""

    def write(self, games: list[Game]) -> None:
        from rltui.league.games import append

        if self._data is None or self.problem:
            return
        try:
            for game in games:
                append(self._data.games, game)
        except OSError as error:
            self.problem = str(error)

    def close(self) -> None:
        """Have the runs know what all games say of their states."""
        if self._data is not None:
            from rltui.league.games import read
            from rltui.league.ladder import keep_ratings
            from rltui.league.ratings import fit

            keep_ratings(self._data, fit(read(self._data.games).games))


def say_line(value: Mapping[str, Any]) -> None:
    """As JSON, at once, for somebody waits for it."""
    print(json.dumps(value), flush=True)


class GamesProgress:
    """Bar on a terminal, on standard error; elsewhere nothing."""

    def __init__(self, games: int, ticks: int, lines: bool = False) -> None:
        """ticks: of a game. lines: as lines of JSON instead, on standard output."""
        self._games, self._all, self._played, self._lines = games, games * ticks, 0, lines
        self._began, self._shown = time.monotonic(), 0.0
        self._width = 0

    def add(self, ticks: int) -> None:
        self._played += ticks

    def show(self, finished: int) -> None:
        from rltui.formatting import percent, remaining

        now = time.monotonic()
        if not (self._lines or sys.stderr.isatty()) or now - self._shown < (LINE if self._lines else LOOK):
            return
        self._shown = now
        share = max(min(self._played / self._all, 1.0), finished / self._games)
        seconds = (now - self._began) * (1 - share) / share if share > BEGUN else None
        if self._lines:
            say_line({"games": finished, "of": self._games, "share": share, "seconds_left": seconds})
            return
        left = f", {remaining(seconds)} left" if seconds is not None else ""
        text = f"[{'#' * round(BAR * share):-<{BAR}}] {percent(share)} of {self._games:,} games{left}"
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Leave nothing of it on the screen."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
