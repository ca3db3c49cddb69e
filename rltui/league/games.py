"""Log of all games between players, `data/games.csv`: what ratings are made of.

A header, then a game a line: `time,seconds,a,b,goals_a,goals_b,seed`. Any number of processes append; nobody rewrites it.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import msgspec

from rltui import safe_io
from rltui.formatting import size
from rltui.registry import STARTER
from rltui.runs.paths import name_problem

LARGEST = 64 << 20  # bytes, some 700,000 games: of a longer file the newest are read
BLOCK = 1 << 20  # bytes read at once
LONGEST_ROW = 1 << 10  # bytes that are looked at; no game has as many
SHOWN = 40  # bytes of what is wrong
LONGEST_NAME = 400  # characters: a scripted player of one's own is named by its file
LARGEST_SEED = (1 << 63) - 1
BOM = b"\xef\xbb\xbf"
CLOSING = b",\n"  # ends a torn line with a field too many

_NAME = re.compile(r"[A-Za-z0-9_./#][A-Za-z0-9_./#@:+-]*")
_OF_RUN = re.compile(r"(?P<run>[^@#]+)@(?P<timesteps>0|[1-9][0-9]{0,17})#(?P<digest>[0-9a-f]{8})")
_DECIMAL, _GOALS, _SEED = rb"[0-9]{1,11}(?:\.[0-9]{1,9})?", rb"[0-9]{1,4}", rb"[0-9]{1,19}"
_PLAYER = rb"[^,]{1,400}"
_FORMS = (_DECIMAL, _DECIMAL, _PLAYER, _PLAYER, _GOALS, _GOALS, _SEED)
_ROW = re.compile(b",".join(b"(" + form + b")" for form in _FORMS) + rb"\r?")


class Game(msgspec.Struct, frozen=True, gc=False):
    """One game that was played to its end. seconds: of play. a, b: see `player_name`; scripted players by their name."""

    time: float  # Unix seconds at its end
    seconds: float
    a: str
    b: str
    goals_a: int
    goals_b: int
    seed: int


HEADER = ",".join(Game.__struct_fields__).encode()

# Lines that stand once more where two began a file, or closed a line, at once.
NO_LOSS = frozenset(line + end for line in (b"", HEADER, CLOSING[:-1]) for end in (b"", b"\r"))


class RunPlayer(msgspec.Struct, frozen=True):
    """What the name of a run's player says. digest: the first 8 hex digits of `policy.saved.weights_hash`."""

    run: str
    timesteps: int
    digest: str


@dataclass(frozen=True)
class Games:
    """What a log holds, in the order of the file.

    first_line: of those skipped, from 1; None where none is, or the file is too long to count. unread: bytes at its beginning.
    """

    path: Path
    games: tuple[Game, ...] = ()
    skipped: int = 0  # lines that are no games
    first_line: int | None = None
    reason: str = ""  # what is wrong with that line, or why the file cannot be read
    unread: int = 0

    def notices(self) -> list[str]:
        """In words what is missing here; empty where nothing is."""
        said = []
        if self.unread:
            said.append(f"{self.path}: only the newest {size(LARGEST)} are read, {size(self.unread)} are not")
        if self.skipped:
            lines = "1 line is no game" if self.skipped == 1 else f"{self.skipped:,} lines are no games"
            first = "the first" if self.first_line is None else f"line {self.first_line:,}"
            said.append(f"{self.path}: {lines} and skipped; {first}: {self.reason}")
        elif self.reason:
            said.append(f"{self.path}: {self.reason}")
        return said


def player_name(run: str, timesteps: int, digest: str) -> str:
    """`<run>@<timesteps>#<8 hex>`. run: or STARTER. digest: of the weights, `policy.saved.weights_hash`. ValueError where that is
    no name.
    """
    name = f"{run}@{timesteps}#{digest[:8]}"
    if run_player(name) is None and not is_starter(name):
        raise ValueError(f"no player's name: {name!r}")
    return name


def run_player(name: str) -> RunPlayer | None:
    """What `player_name` made it of; None for a scripted player and anything else."""
    found = _OF_RUN.fullmatch(name)
    if found is None or name_problem(found["run"]) is not None:
        return None
    return RunPlayer(found["run"], int(found["timesteps"]), found["digest"])


def is_starter(name: str) -> bool:
    """Whether `player_name` made it of a version of the bot that comes with rltui."""
    found = _OF_RUN.fullmatch(name)
    return found is not None and found["run"] == STARTER


def player_problem(name: str) -> str:
    """Why no player may be called so, in words; "" where one may."""
    if len(name) > LONGEST_NAME:
        return f"a player's name has at most {LONGEST_NAME} characters, found {len(name):,}"
    if not _NAME.fullmatch(name):
        return f"a player's name holds letters, digits and @ # . _ : / + -, found {safe_io.clipped(name)!r}"
    return ""


def append(path: Path, game: Game) -> None:
    """Write one game, in one piece, after whatever stands there; the folder is made where there is none.

    A line that somebody else's end tore off is closed first, so that it is no game. ValueError for a game that could not be
    read again; OSError where it cannot be written, or only in part.
    """
    row = _row(game)
    if problem := _problem(row):
        raise ValueError(problem)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = safe_io.open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        empty = os.fstat(descriptor).st_size == 0
        before = HEADER + b"\n" if empty else CLOSING if safe_io.is_torn(path) else b""
        line = before + row + b"\n"
        if (written := os.write(descriptor, line)) < len(line):
            raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes of a game could be written", str(path))
    finally:
        os.close(descriptor)


def read(path: Path) -> Games:
    """All games there. Raises nothing: what is no game is skipped and counted; why a file cannot be read stands in `reason`."""
    games: list[Game] = []
    skipped, first_line, reason, unread = 0, None, "", 0
    names: dict[bytes, str] = {}
    try:
        with safe_io.open_to_read(path) as file:
            unread = max(0, file.seek(0, os.SEEK_END) - LARGEST)
            file.seek(unread)
            for number, row in enumerate(chain.from_iterable(_rows(file)), 1):
                if row in NO_LOSS or (number == 1 and unread):  # of the latter only the end was read
                    continue
                if (found := _game(row, names)) is not None:
                    games.append(found)
                    continue
                if not skipped:
                    first_line, reason = None if unread else number, _problem(row)
                skipped += 1
    except OSError as error:
        return Games(
            path, reason=safe_io.problem(path) if isinstance(error, FileNotFoundError) else safe_io.reason(error)
        )
    return Games(path, tuple(games), skipped, first_line, reason, unread)


def _rows(file: BinaryIO) -> Iterator[list[bytes]]:
    """Lines without their ends, of over-long ones the beginning; a last one without an end as it will be once closed."""
    rest, left, start = b"", LARGEST, BOM
    while block := file.read(min(BLOCK, left)):
        left -= len(block)
        lines = (rest + block).removeprefix(start).split(b"\n")
        rest, start = lines.pop()[:LONGEST_ROW], b""
        yield lines
    if rest:
        yield [rest + CLOSING[:-1]]


def _row(game: Game) -> bytes:
    times = (f"{value:.3f}" for value in (game.time, game.seconds))
    whole = (f"{value}" for value in (game.goals_a, game.goals_b, game.seed))
    return ",".join([*times, game.a, game.b, *whole]).encode("utf-8", "replace")


def _game(row: bytes, names: dict[bytes, str]) -> Game | None:
    """None for what is no game. names: by their bytes, each once in memory; "" for one that no player may have."""
    found = _ROW.fullmatch(row)
    if found is None:
        return None
    time, seconds, first, second, goals_a, goals_b, seed = found.groups()
    for name in (first, second):
        if name not in names:
            text = name.decode("utf-8", "replace")
            names[name] = "" if player_problem(text) else text
    a, b = names[first], names[second]
    if not a or not b or float(seconds) == 0 or int(seed) > LARGEST_SEED:
        return None
    return Game(float(time), float(seconds), a, b, int(goals_a), int(goals_b), int(seed))


def _problem(row: bytes) -> str:
    """Why a line is no game, in words; "" for a game."""
    if _game(row, {}) is not None:
        return ""
    fields = row.split(b",", len(_FORMS))
    if len(fields) != len(_FORMS):
        count = row.count(b",") + 1
        return f"expected {len(_FORMS)} fields, found {count:,}: {_shown(row)}"
    for name, form, content in zip(Game.__struct_fields__, _FORMS, fields, strict=True):
        if form == _PLAYER:
            problem = player_problem(content.decode("utf-8", "replace"))
        else:
            problem = "" if re.fullmatch(form, content) else f"no number that it can be: {_shown(content)}"
        if problem:
            return f"{name}: {problem}"
    return f"seconds or seed: no number that it can be: {_shown(row)}"


def _shown(content: bytes) -> str:
    return repr(safe_io.one_line(content[:SHOWN].decode("utf-8", "replace")))
