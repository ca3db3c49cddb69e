"""The log of games: what was written comes back; what is no game takes nothing else with it."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import msgspec
import pytest

from rltui.league import games
from rltui.league.games import HEADER, LARGEST_SEED, LONGEST_NAME, Game, Games, append, player_name, read, run_player

ALPHA, BETA = "alpha@5000000#0123abcd", "beta-b2@1#ffffffff"
GAME = Game(1_700_000_000.25, 300.0, ALPHA, "rule", 3, 1, 7)
LINE = b"1700000000.250,300.000,alpha@5000000#0123abcd,rule,3,1,7"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "games.csv"


def changed(**fields: object) -> Game:
    return msgspec.structs.replace(GAME, **fields)


def test_a_header_and_a_line_a_game(path: Path) -> None:
    others = [changed(a=BETA, b=ALPHA, goals_a=0, goals_b=9_999), changed(seed=LARGEST_SEED, time=0.001)]
    for game in (GAME, *others):
        append(path, game)
    assert path.read_bytes().split(b"\n")[:2] == [b"time,seconds,a,b,goals_a,goals_b,seed", LINE]
    assert read(path) == Games(path, (GAME, *others))
    assert read(path).notices() == []


def test_no_file_has_no_games(path: Path) -> None:
    assert read(path) == Games(path)


def test_what_could_not_be_read_again_is_not_written(path: Path, subtests: pytest.Subtests) -> None:
    for name, value in [
        ("time", float("nan")),
        ("time", -1.0),
        ("time", float("inf")),
        ("seconds", 0.0),
        ("seconds", 1e300),
        ("goals_a", -1),
        ("goals_b", 10_000),
        ("goals_a", 1.5),
        ("seed", -1),
        ("seed", LARGEST_SEED + 1),
        ("a", ""),
        ("a", "x,y"),
        ("a", "x\ny"),
        ("b", 'x"y'),
        ("b", "\x1b[2J"),
        ("b", "=1+1"),
        ("b", "ü"),
        ("b", "\ud800"),
        ("b", "x" * (LONGEST_NAME + 1)),
    ]:
        with (
            subtests.test(f"{name}={value!a}"),
            pytest.raises(ValueError, match="fields" if value in ("x,y",) else name[:4]),
        ):
            append(path, changed(**{name: value}))
    assert not path.exists()


BAD = {
    "torn": LINE[:40],
    "torn in its last number's place": LINE[:-1],
    "a field too many": LINE + b",1",
    "foreign": b"hello",
    "empty fields": b",,,,,,",
    "not finite": LINE.replace(b"300.000", b"nan"),
    "infinite": LINE.replace(b"300.000", b"1e999"),
    "negative": LINE.replace(b",3,", b",-3,"),
    "a fraction of a goal": LINE.replace(b",3,", b",3.5,"),
    "no time of play": LINE.replace(b"300.000", b"0.000"),
    "a seed too large": LINE[:-1] + str(LARGEST_SEED + 1).encode(),
    "a number that Python reads and no other": LINE.replace(b",3,", b",1_0,"),
    "another header": b"time,a,b,score",
    "a name with a control character": LINE.replace(b"rule", b"ru\x1b[2Jle"),
    "not UTF-8": LINE.replace(b"rule", b"ru\xffle"),
    "NUL": b"\0" * 5_000,
    "over-long": LINE.replace(b"rule", b"r" * 1_000_000),
    "two glued": LINE + LINE,
}


def test_bad_lines_are_skipped_counted_and_said(path: Path, subtests: pytest.Subtests) -> None:
    path.parent.mkdir()
    for name, line in BAD.items():
        with subtests.test(name):
            path.write_bytes(b"\n".join([HEADER, LINE, line, line, LINE, b""]))
            found = read(path)
            assert found.games == (GAME, GAME)
            assert (found.skipped, found.first_line) == (2, 3)
            assert found.reason
            (said,) = found.notices()
            assert said.startswith(f"{path}: 2 lines are no games and skipped; line 3: ")
            assert len(said) < 500
            assert "\x1b" not in said and "\0" not in said


def test_other_programs_line_ends_and_marks_do_no_harm(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([HEADER, LINE, b"", HEADER, LINE, b""]))
    assert read(path) == Games(path, (GAME, GAME))


def test_wherever_a_writer_died_only_its_own_game_is_lost(path: Path) -> None:
    last = changed(seed=1234567, goals_a=9)
    append(path, GAME)
    whole = path.read_bytes()
    append(path, last)
    row = path.read_bytes()[len(whole) :]
    for cut in range(1, len(row)):
        path.write_bytes(whole + row[:cut])
        before = read(path)
        assert (before.games, before.skipped, before.first_line) == ((GAME,), 1, 3), cut
        append(path, GAME)
        append(path, last)
        after = read(path)
        assert (after.games, after.skipped, after.first_line) == ((GAME, GAME, last), 1, 3), cut


def test_a_torn_header_takes_no_game_with_it(path: Path) -> None:
    path.parent.mkdir()
    for cut in range(1, len(HEADER)):
        path.write_bytes(HEADER[:cut])
        append(path, GAME)
        assert read(path).games == (GAME,)


def test_a_full_disk_is_said_and_the_next_game_is_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, GAME)
    write = os.write
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:20]))
        with pytest.raises(OSError, match="only 20 of") as caught:
            append(path, GAME)
    assert caught.value.errno == errno.ENOSPC
    append(path, GAME)
    assert (read(path).games, read(path).skipped) == ((GAME, GAME), 1)


def test_many_writers_lose_nothing(path: Path) -> None:
    def play(writer: int) -> None:
        for number in range(20):
            append(path, changed(seed=100 * writer + number))

    writers = [threading.Thread(target=play, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    found = read(path)
    assert sorted(game.seed for game in found.games) == sorted(100 * w + n for w in range(4) for n in range(20))
    assert found.skipped == 0


def test_of_a_file_too_long_the_newest_are_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(10):
        append(path, changed(seed=seed))
    monkeypatch.setattr(games, "LARGEST", 3 * (len(LINE) + 1))
    with path.open("ab") as file:
        file.write(b"hello\n")
    found = read(path)
    assert [game.seed for game in found.games] == [8, 9]
    assert (found.skipped, found.first_line) == (1, None)
    long, bad = found.notices()
    assert "only the newest" in long
    assert "1 line is no game and skipped; the first: " in bad


def test_names_say_run_timesteps_and_hash() -> None:
    name = player_name("alpha-b2", 5_000_000, "0123abcd" + "e" * 56)
    assert name == "alpha-b2@5000000#0123abcd"
    found = run_player(name)
    assert found is not None
    assert (found.run, found.timesteps, found.digest) == ("alpha-b2", 5_000_000, "0123abcd")
    for other in (
        "rule",
        "alpha@1",
        "alpha#0123abcd",
        "a b@1#0123abcd",
        "alpha@-1#0123abcd",
        "alpha@1#0123ABCD",
        "@1#0123abcd",
    ):
        assert run_player(other) is None, other
    for run, timesteps, digest in [("a,b", 1, "0123abcd"), ("alpha", -1, "0123abcd"), ("alpha", 1, "xyz")]:
        with pytest.raises(ValueError, match="no player's name"):
            player_name(run, timesteps, digest)
