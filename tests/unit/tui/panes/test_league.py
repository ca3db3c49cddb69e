"""The league pane: ladder with error bars, who beat whom, ratings over timesteps, and the thread that reads the games."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rltui.events.commands import EvaluationLive
from rltui.league.games import append, read
from rltui.league.ladder import Ladder, build_ladder
from rltui.run_state.fold import fold
from rltui.runs.near_clones import write_near_clones
from rltui.runs.paths import DataDir
from rltui.tui.background import Newest
from rltui.tui.league_reader import GamesFile, League, LeagueReader, StateRatings
from rltui.tui.panes.league import VIEWS, LeaguePane, Shown, error_bar
from rltui.tui.panes.pane import View
from rltui.tui.panes.run_info import RunInfoPane
from rltui.tui.text import plain
from tests.fakes import figure_stories, run_story
from tests.fakes.drawn_panes import NOW, STORY, drawn
from tests.fakes.leagues import game, put_league
from tests.fakes.patience import patience

BEST, SECOND = "at 12,431,360", "at 5,000,000"


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path / "data")
    put_league(data, "alpha")
    return data


def ladder_of(data: DataDir) -> Ladder:
    return build_ladder(data, read(data.games), "alpha")


def pane_of(ladder: Ladder | None, shown: Shown = "ladder") -> LeaguePane:
    pane = LeaguePane()
    pane.league, pane.shown = League(ladder), shown
    return pane


def row_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines()[1:] if f" {name} " in line)


def test_a_run_whose_milestones_play_by_themselves_says_what_is_pending(tmp_path: Path) -> None:
    unplayed = pane_of(ladder_of(DataDir(tmp_path)))
    assert "[evaluation] games = 20 in the profile" in " ".join(drawn(unplayed, STORY, 100, 12).split())
    header = msgspec.structs.replace(run_story.header(), evaluation_games=30)
    asked = fold(replace(STORY, run="alpha"), [header])
    playing = replace(asked, evaluation=EvaluationLive(1_100_000, 4711, None))
    ended = fold(asked, [run_story.finished(1, NOW)])
    for snapshot, words in (
        (asked, "The next milestone is the first to play."),
        (playing, "Now: evaluating 1.10 M."),
        (ended, "the next start lets the newest play"),
    ):
        text = " ".join(drawn(unplayed, snapshot, 100, 12).split())
        assert words in text and "rltui ladder alpha --games 30" in text and "profile" not in text
    assert "evaluating 1.10 M" in drawn(RunInfoPane(), playing, 100, 30)
    assert "evaluating" not in drawn(RunInfoPane(), ended, 100, 30)


def test_the_ladder_draws_intervals_and_claims_no_order_that_games_do_not_decide(data: DataDir) -> None:
    ladder = ladder_of(data)
    text = drawn(pane_of(ladder), STORY, 76, 12)
    head, *rows, legend = text.splitlines()
    assert "≈" in legend and "W/D/L" in head
    names = [line[5:].split("  ")[0].rstrip() for line in rows]
    assert names == [BEST, "rule", "chaser", SECOND, "at 1,000,000"]
    marked = ["≈" in line for line in rows]
    decided = [row.than_next is None or row.than_next.outcome == "better" for row in ladder.rows]
    assert marked == [not each for each in decided] and any(marked) and not all(marked)
    assert "65" in row_of(text, BEST) and "48/5/12" in row_of(text, BEST)
    rule = row_of(text, "rule")
    assert "1,500" in rule and " – " in rule and "├" not in rule, "the anchor has no error"
    roomy = drawn(pane_of(ladder), STORY, 142, 12)
    assert "75 % of 40  better" in row_of(roomy, BEST) and "more games" in row_of(roomy, "rule")


def test_near_clones_are_named_below_ladder_and_pool(data: DataDir) -> None:
    data.run("alpha").folder.mkdir(parents=True)
    assert "near-clone" not in drawn(pane_of(ladder_of(data)), STORY, 76, 14)
    write_near_clones(data.run("alpha"), {5_000_000: {1_000_000: 0.031}, 9_000_000: {5_000_000: 0.01}})
    text = " ".join(drawn(pane_of(ladder_of(data)), STORY, 76, 14).split())
    assert f"near-clone: {SECOND} is like 1 M, 3 % of choices differ" in text
    assert "near-clone: at 1,000,000 is like 5 M, 3 % of choices differ" in text and text.count("near-clone") == 2
    chaser, *others = figure_stories.pool_reported().opponents
    near = msgspec.structs.replace(chaser, near=("Phase1-BallTouching/012M", 0.031))
    story = fold(STORY, [msgspec.structs.replace(figure_stories.pool_reported(), opponents=[near, *others])])
    text = " ".join(drawn(pane_of(ladder_of(data), "pool"), story, 76, 14).split())
    assert f"near-clone: {near.name} is like Phase1-BallTouching/012M, 3 % of choices differ" in text


def test_an_error_bar_by_hand() -> None:
    assert plain([tuple(error_bar((2.0, 4.0, 8.0), (0.0, 10.0), 11, ""))]) == "  ├─●───┤"
    assert plain([tuple(error_bar((5.0, 5.0, 5.0), (0.0, 10.0), 11, ""))]) == "     ●"


def test_head_to_head_has_each_pair_from_both_sides(data: DataDir) -> None:
    text = drawn(pane_of(ladder_of(data), "head to head"), STORY, 76, 12)
    assert row_of(text, BEST).split()[3:] == ["·", "75", "%", "40", "–", "82", "%", "25", "–"]
    assert row_of(text, "rule").split()[2:6] == ["25", "%", "40", "·"]
    narrow = drawn(pane_of(ladder_of(data), "head to head"), STORY, 40, 12)
    assert "3 columns with the fewest games left out" in narrow


def test_ratings_over_timesteps(data: DataDir) -> None:
    text = drawn(pane_of(ladder_of(data), "over time"), STORY, 100, 14)
    assert "Elo of 3 bots, with 95 % intervals" in text and "at 12.4 M: 1,687 ± 105" in text
    assert text.count("●") == 3, "a dot for each"
    one = drawn(pane_of(replace(ladder_of(data), rows=ladder_of(data).rows[:1]), "over time"), STORY, 100, 14)
    assert one.count("●") == 1 and "Elo of 1 bot," in one
    append(data.games, game("alpha@20000000#00000009", "random"))
    apart = ladder_of(data)
    assert "Elo of 3 bots" in drawn(pane_of(apart, "over time"), STORY, 100, 14), (
        "one that no games lead to rule is not"
    )
    row = row_of(drawn(pane_of(apart), STORY, 100, 14), "at 20,000,000").split()
    assert (row[0], row[3:5]) == ("–", ["–", "–"]) and "├" not in "".join(row)
    assert "needs more rows" in drawn(pane_of(ladder_of(data), "over time"), STORY, 100, 4)


def test_the_pool_says_who_is_drawn_how_often_and_how_the_bot_fares(data: DataDir) -> None:
    story = fold(STORY, [figure_stories.pool_reported()])
    rows = drawn(pane_of(ladder_of(data), "pool"), story, 90, 9).splitlines()
    assert any("bot's score" in row for row in rows)
    names = ["Phase1-BallTouching/010M", "chaser", "Phase1-BallTouching/012M"]
    assert [row.split()[:3] for row in rows[1:]] == [
        [name, share, "%"] for name, share in zip(names, ("55", "<1", "45"), strict=True)
    ]
    assert [row.split()[-2:] for row in rows[1:]] == [["%", "100"], ["%", "41"], ["–", "0"]]
    assert "46 %" in rows[1] and "100 %" in rows[2]
    empty = msgspec.structs.replace(figure_stories.pool_reported(), opponents=[])
    assert "Nobody in the pool yet" in drawn(pane_of(ladder_of(data), "pool"), fold(STORY, [empty]))
    assert "No self-play" in drawn(pane_of(ladder_of(data), "pool"), STORY)
    unplayed = pane_of(build_ladder(DataDir(data.root / "no"), read(data.root / "no"), "alpha"))
    assert "rltui eval" in drawn(unplayed, story) and not unplayed.has_nothing(View(story, NOW))


def test_every_view_fits_every_size_also_of_very_many_players(data: DataDir, subtests: pytest.Subtests) -> None:
    for number in range(40):
        steps = 20_000_000 + number * 1_000_000
        append(data.games, game(f"alpha@{steps}#{steps:08x}", "rule", number % 3, 1, 1.8e9, 10_000 + number))
    ladder = replace(ladder_of(data), missing=("alpha/Phase1-A/005M",), milestones=1, notices=("a line is no game",))
    story = fold(STORY, [figure_stories.pool_reported()])
    for shown in VIEWS:
        for width in (40, 60, 76, 78, 121, 198):
            for height in (1, 2, 5, 9, 23, 46):
                with subtests.test(shown=shown, size=(width, height)):
                    drawn(pane_of(ladder, shown), story, width, height)


def test_without_games_of_the_run_it_says_how_to_get_some(tmp_path: Path) -> None:
    pane = pane_of(build_ladder(DataDir(tmp_path), read(DataDir(tmp_path).games), "alpha"))
    text = " ".join(drawn(pane, STORY).split())
    assert "rltui eval" in text and "b lists its milestones: E there" in text
    pane.league = None
    assert "reading" in drawn(pane, STORY)


def test_why_it_cannot_be_rated_is_told() -> None:
    pane = LeaguePane()
    pane.league = League(problem=OSError("gone"))
    assert "cannot be rated" in drawn(pane, STORY) and "gone" in drawn(pane, STORY)


def test_bots_saved_at_the_same_timesteps_are_told_apart(data: DataDir) -> None:
    append(data.games, game("alpha@5000000#ffff0000", "rule", seed=77))
    text = drawn(pane_of(ladder_of(data)), STORY, 90)
    assert f"{SECOND} #ffff" in text and f"{SECOND} #004c" in text


def test_the_thread_delivers_a_league_at_once(data: DataDir) -> None:
    inbox: Newest[League] = Newest()
    came = threading.Event()

    def deliver(league: League) -> None:
        inbox.put(league)
        came.set()

    reader = LeagueReader(data, "alpha")
    reader.start(deliver)
    reader.start(deliver)  # already running
    assert came.wait(patience(10))
    reader.stop()
    league = inbox.take()
    assert league is not None and league.ladder is not None and len(league.ladder.rows) == 5


def test_what_was_read_while_the_pane_was_hidden_is_read_again_when_it_is_shown(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, came, hidden = LeagueReader(data, "alpha"), threading.Event(), threading.Event()

    def hiding(*words: Any) -> Ladder:
        if not hidden.is_set():
            reader.stop()
            hidden.set()
        return build_ladder(*words)

    monkeypatch.setattr("rltui.league.ladder.build_ladder", hiding)
    reader.start(lambda league: None)
    assert hidden.wait(patience(10))
    reader.start(lambda league: came.set())
    assert came.wait(patience(10))
    reader.stop()


def test_a_file_that_takes_long_is_read_sparingly(data: DataDir) -> None:
    now = [100.0]

    def slow(_: object) -> None:
        now[0] += 2.0

    file = GamesFile(data.games, lambda: now[0])
    assert file.changed()
    file.read(slow)
    append(data.games, game("rule", "chaser"))
    assert not file.changed()
    now[0] += 25.0
    assert file.changed()
    file.read(slow)
    now[0] += 25.0
    assert not file.changed(), "it has not grown"


def test_ratings_of_saved_states_follow_the_games(data: DataDir, tmp_path: Path) -> None:
    ratings = StateRatings(data)
    found = ratings.look()
    assert set(found) == {("alpha", 1_000_000), ("alpha", 5_000_000), ("alpha", 12_431_360)}
    [best] = [row for row in ladder_of(data).rows if row.rank == 1]
    assert found["alpha", 12_431_360] == (best.rating.elo, best.rating.margin)
    assert StateRatings(DataDir(tmp_path / "empty")).look() == {}
