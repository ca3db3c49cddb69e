"""`rltui ladder`: the table, what is missing, and what it says where there are no games."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from rltui.__main__ import main
from rltui.cli.playing import GamesLog
from rltui.events.game_record import LEAST_GAMES
from rltui.league.games import Game, append, player_name
from rltui.league.ratings import fit
from rltui.runs.best import read_ratings, write_ratings
from rltui.runs.inventory import read_inventory
from rltui.runs.near_clones import write_near_clones
from rltui.runs.paths import DataDir
from tests.fakes.documents import ROOT
from tests.fakes.leagues import games
from tests.fakes.saved_runs import make_run, save_milestone

OLD, NEW = (player_name("alpha", timesteps, "0123abcd") for timesteps in (5_000_000, 10_000_000))
BETA = player_name("beta", 5_000_000, "ffffffff")
PLAYED = [
    *games(NEW, "rule", 28, 4, 8),
    *games("rule", OLD, 18, 2, 10),
    *games(NEW, OLD, 20, 1, 4),
    *games("chaser", "rule", 9, 2, 11),
    *games(BETA, "file.npz#00000001", 3, 0, 2),
]


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path / "data")
    for name in ("alpha", "beta"):
        paths = make_run(data, name=name, commits=1)
        for commit, millions in ((2, 5), (3, 10), (4, 15)):
            save_milestone(paths, commit, millions * 1_000_000, f"{millions:03}M")
    return data


def log(data: DataDir, played: Iterable[Game]) -> None:
    for one in played:
        append(data.games, one)


def answer(capsys: pytest.CaptureFixture[str], data: DataDir, *words: str) -> str:
    assert main(["ladder", *words, "--data-dir", str(data.root)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return printed.out


def test_the_table_of_a_run(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand: 40 games against rule and 25 against the older, 28 + 4/2 of the 40."""
    log(data, PLAYED)
    lines = answer(capsys, data, "alpha").splitlines()
    assert lines[0] == f"4 players, {len(PLAYED) - 5} games between them; rated by all {len(PLAYED)} games"
    assert lines[1] == "1 of 3 milestones have no games: alpha/Phase1-BallTouching/015M"
    assert lines[2] == "play them: rltui ladder alpha --games 20"
    head, *rows = (line.split() for line in lines[4:])
    assert head == [
        "RANK",
        "PLAYER",
        "ELO",
        "±",
        "GAMES",
        "WINS",
        "DRAWS",
        "LOSSES",
        "AGAINST",
        "RULE",
        "THAN",
        "THE",
        "NEXT",
    ]
    assert [row[:2] for row in rows] == [["1", NEW], ["2", "rule"], ["3", "chaser"], ["4", OLD]]
    found = fit(PLAYED).of(NEW)
    assert rows[0][2:] == [
        f"{found.elo:,.0f}",
        f"{1.96 * found.error:.0f}",
        *["65", "48", "5", "12", "75", "%", "of", "40", "better"],
    ]
    assert rows[1][2:10] == ["1,500", "–", "92", "37", "8", "47", "–", "not"]
    assert "not decided: alike" in lines[6] or "more games" in lines[6]
    assert rows[3][8:] == ["37", "%", "of", "30"]


def test_the_documents_table_is_this_one(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    log(data, PLAYED)
    assert "\n".join(answer(capsys, data, "alpha").splitlines()[4:]) in (ROOT / "docs" / "ratings.md").read_text(
        encoding="utf-8"
    )


def test_near_clones_are_shown_as_such(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    log(data, PLAYED)
    write_near_clones(data.run("alpha"), {10_000_000: {5_000_000: 0.031, 7_000_000: 0.01}})
    head, first, *_, last = answer(capsys, data, "alpha").splitlines()[4:]
    assert head.endswith("NEAR-CLONE")
    assert first.endswith("  like 5 M, 3 % of choices differ") and last.endswith("  like 10 M, 3 % of choices differ")
    found = json.loads(answer(capsys, data, "alpha", "--json"))["players"]
    assert [each["near_clone"] for each in found][:2] == [{"timesteps": 5_000_000, "choices_that_differ": 0.031}, None]


def test_all_players_and_who_is_apart(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    log(data, PLAYED)
    with data.games.open("ab") as file:
        file.write(b"hello\n")
    out = answer(capsys, data)
    assert f"6 players, by {len(PLAYED)} games\n3 of 6 milestones have no games: " in out
    assert f"{BETA} and 1 more have no games that lead to rule: not rated" in out
    apart = [line.split()[:4] for line in out.splitlines() if line.split()[1:2] in ([BETA], ["file.npz#00000001"])]
    assert apart == [["–", BETA, "–", "–"], ["–", "file.npz#00000001", "–", "–"]], "the last two, without a figure"
    assert (
        f"{data.games}: 1 line is no game and skipped; line {len(PLAYED) + 2}: expected 7 fields, found 1: 'hello'"
        in out
    )


def test_a_run_s_ladder_has_the_starter_bot_too(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    starter = "starter@20000000#0123abcd"
    log(data, [*PLAYED, *games(NEW, starter, 6, 1, 3)])
    shown = [line.split()[1] for line in answer(capsys, data, "alpha").splitlines()[5:]]
    assert sorted(shown) == sorted([NEW, OLD, "rule", "chaser", starter])
    rows = json.loads(answer(capsys, data, "--json"))["players"]
    assert [row["run"] for row in rows if row["player"] == starter] == [None]


def test_what_makes_games_say_less_is_said(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    short = [msgspec.structs.replace(one, seconds=299.0) for one in games("chaser", "rule", 2)]
    log(data, [*PLAYED, *short, *short, *short, *games("idle", "idle", 3)])
    out = answer(capsys, data)
    assert f"by {len(PLAYED) + 2 + 2} games" in out, "a copy of a single game passes for the second one of its seed"
    assert "\n2 games are not counted: the same players and seed as others\n" in out, "of one against itself no word"
    assert "\n6 of the games are shorter than 300 s: more of these are drawn, which makes players look alike\n" in out


def test_the_best_by_games_is_that_of_all_games(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever an evaluation before had found; by the ladder as by whatever else has games recorded. No run is made."""
    gone = games(player_name("gone", 5_000_000, "0123abcd"), "rule", 20, 5, 5)
    lows = {rating.player: rating.low for rating in fit([*PLAYED, *gone]).table if rating.record.games >= LEAST_GAMES}
    played = GamesLog(data)
    played.write([*PLAYED, *gone])
    for rate in (played.close, lambda: answer(capsys, data, "alpha")):
        write_ratings(data.run("alpha"), {5_000_000: 1900.0})
        rate()
        assert read_ratings(data.run("alpha")) == pytest.approx({10_000_000: lows[NEW], 5_000_000: lows[OLD]})
        assert read_inventory(data.run("alpha")).best_rated == 10_000_000
    assert not data.run("gone").folder.exists()


def test_json_has_the_same(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    log(data, PLAYED)
    found = json.loads(answer(capsys, data, "alpha", "--json"))
    assert (found["run"], found["anchor"], found["anchor_elo"], found["games"]) == (
        "alpha",
        "rule",
        1500.0,
        len(PLAYED) - 5,
    )
    assert found["rated_by"] == len(PLAYED)
    assert found["milestones_without_games"] == ["alpha/Phase1-BallTouching/015M"]
    first, anchor, *_ = found["players"]
    rating, difference = fit(PLAYED).of(NEW), fit(PLAYED).difference(NEW, "rule")
    expected = {"rank": 1, "player": NEW, "run": "alpha", "timesteps": 10_000_000, "elo": rating.elo}
    expected |= {"standard_error": rating.error, "connected": True, "games": 65, "wins": 48, "draws": 5, "losses": 12}
    expected |= {"games_against_anchor": 40, "score_against_anchor": 0.75}
    assert first | expected == first
    assert first["than_next"] == {
        "player": "rule",
        "outcome": "better",
        "more_games": 0,
        "elo_difference": difference.elo,
        "elo_interval": [difference.low, difference.high],
        "expected_score": difference.expected_score,
    }
    assert (anchor["run"], anchor["timesteps"], anchor["elo"], anchor["score_against_anchor"]) == (
        None,
        None,
        1500.0,
        None,
    )
    assert found["players"][-1]["than_next"] is None


def test_a_restart_changes_nothing(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    log(data, PLAYED)
    before = answer(capsys, data, "--json")
    content = data.games.read_bytes().splitlines(keepends=True)
    data.games.write_bytes(b"".join([content[0], *reversed(content[1:])]))
    assert answer(capsys, data, "--json") == before


def test_without_games_it_says_how_to_get_some(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(data, name="young", commits=1)
    for words, said in (
        ((), f"no games in {data.games}; play some: rltui ladder RUN --games 20\n"),
        (("alpha",), f"no games of alpha in {data.games}; play some: rltui ladder alpha --games 20\n"),
        (("young",), f"no games of young in {data.games}; play some: rltui eval young rule --games 20\n"),
    ):
        assert answer(capsys, data, *words) == said
    log(data, games("chaser", "rule", 3))
    assert answer(capsys, data, "alpha").startswith("no games of alpha in ")
    assert json.loads(answer(capsys, data, "alpha", "--json"))["players"] == []


def test_what_lies_in_the_place_of_the_log_is_said(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    data.games.mkdir()
    assert answer(capsys, data).splitlines()[1] == f"{data.games}: it is a folder, not a file"


def test_an_unknown_run_is_refused(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ladder", "alpa", "--data-dir", str(data.root)]) == 1
    assert 'did you mean "alpha"?' in capsys.readouterr().err


def test_to_play_it_needs_a_run_that_has_milestones(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(data, name="young", commits=1)
    for words, code, said in (
        (["--games", "4"], 2, "--games needs a run"),
        (["alpha", "--games", "1"], 2, "a whole number, at least 2"),
        (["young", "--games", "4"], 1, "run 'young' has no milestones"),
    ):
        try:
            found = main(["ladder", *words, "--data-dir", str(data.root)])
        except SystemExit as ended:
            found = ended.code
        assert found == code
        assert said in capsys.readouterr().err
    assert not data.games.exists()
