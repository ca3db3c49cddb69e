"""Games of a saved state against another bot: who may be chosen, how many games, what came of them in words."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.inventory import read_checkpoint_info
from rltui.runs.paths import DataDir
from rltui.tui.browser import evaluate
from rltui.tui.browser.evaluate import EvaluationLine, EvaluationRunner, PlayedMatches
from rltui.tui.browser.library import Library, LibraryReader
from rltui.tui.checks.child import LinesProcess
from tests.fakes.evaluations import FakeEvaluations
from tests.fakes.patience import patience
from tests.fakes.saved_runs import make_run, save_milestone


@pytest.fixture
def library(tmp_path: Path) -> Library:
    data = DataDir(tmp_path / "data")
    for name in ("alpha", "beta"):
        paths = make_run(data, name=name, commits=1)
        for commit in (2, 3):
            save_milestone(paths, commit, commit * 1_000_000, f"{commit:03}M")
    [*_, whole] = LibraryReader(data).read()
    return whole


def test_whom_one_may_play_is_every_bot_of_rltui_and_every_other_milestone_its_own_run_first(library: Library) -> None:
    mine = next(entry for entry in library.entries if entry.run == "beta" and entry.milestone.endswith("/003M"))
    found = list(evaluate.opponents(library, mine)._choices.values())
    assert [each.label for each in found if each.group == "beta"] == ["milestone 2 M"]
    assert [each.label for each in found if each.group == "alpha"] == ["milestone 3 M", "milestone 2 M"]
    groups = list(dict.fromkeys(each.group for each in found))
    assert groups == ["Scripted", "Comes with rltui", "beta", "alpha"]
    assert {"idle", "random", "chaser", "starter"} <= {each.name for each in found}


def test_what_is_no_whole_state_plays_nobody(library: Library, tmp_path: Path) -> None:
    with pytest.raises(RltuiError, match="cannot play"):
        evaluate.opponents(library, read_checkpoint_info(tmp_path))


def test_how_many_games(library: Library, subtests: pytest.Subtests) -> None:
    entry, judge = library.entries[0], evaluate.what_is_played
    assert judge("100").startswith("100 games of 5 min") and judge("1").startswith("!") and judge(" 2,000 ")
    for text in ("", "0", "-3", "many", "1000001", "9" * 400, "²"):
        with subtests.test(text=text), pytest.raises(RltuiError, match="1 to 100,000"):
            judge(text)
    words = evaluate.command(entry, "-x.npz", "2,000", Path("d"))
    assert words[3:6] == ["eval", "--games", "2000"] and words[-3:] == ["--", str(entry.path), "-x.npz"]


def test_the_result_decides_only_what_is_decided() -> None:
    line = EvaluationLine(100, win_rate=0.62, interval=(0.55, 0.69), better="a")
    assert PlayedMatches("x", "y", line).result == "x scores 62 % (55 to 69 %) of 100 games against y: x is better"
    open_ = EvaluationLine(8, win_rate=0.5, interval=(0.2, 0.8))
    assert PlayedMatches("x", "y", open_).result.endswith("of 8 games against y: not decided")
    assert PlayedMatches("x", "y", open_, problem="disk full").result.endswith("not decided; disk full")
    assert PlayedMatches("x", "y", problem="no such bot").result == "x against y: no such bot; finished games are kept"
    assert PlayedMatches("x", "y").progress == "x against y: starting …"
    line = EvaluationLine(34, 100, 0.41, 65.0)
    assert PlayedMatches("x", "y", line).progress == "x against y: 41 % of 100 games, 1 min 05 s left"


def ended(fake: FakeEvaluations) -> tuple[EvaluationRunner, list[PlayedMatches], threading.Event]:
    found: list[PlayedMatches] = []
    over = threading.Event()

    def tell(played: PlayedMatches) -> None:
        found.append(played)
        over.set()

    def start(command: object) -> LinesProcess:
        return fake(["rltui"])

    return EvaluationRunner(tell, start), found, over


def test_one_evaluation_at_a_time_which_may_be_given_up() -> None:
    runner, found, over = ended(FakeEvaluations())
    runner.end()  # of none, nothing
    runner.begin(["rltui"], "x", "y")
    with pytest.raises(RltuiError, match="already"):
        runner.begin(["rltui"], "x", "z")
    runner.end()
    assert over.wait(patience(10))
    assert not runner.running and found[0].ended and "finished games are kept" in found[0].result


def test_one_that_is_to_end_tells_what_it_has_and_is_no_failure() -> None:
    fake = FakeEvaluations()
    runner, found, over = ended(fake)
    runner.begin(["rltui"], "x", "y")
    runner.finish()
    assert over.wait(patience(10)) and not fake.ended.is_set()
    kept = "x scores 70 % (50 to 85 %) of 34 games against y: not decided; interrupted: 34 of 100 games are finished"
    assert found[0].result == kept and not found[0].failed


def test_what_it_says_of_an_error_is_told_and_no_traceback_line() -> None:
    fake = FakeEvaluations("Warning: x\n", "rltui: there is no run 'nobody'\n", "  rltui ls shows the runs\n", "[1]\n")
    runner, found, over = ended(fake)
    runner.begin(["rltui"], "x", "nobody")
    fake.go.set()
    assert over.wait(patience(10))
    assert found[0].problem == "there is no run 'nobody'" and found[0].failed


@pytest.mark.slow
def test_a_real_one_tells_how_far_it_is_and_what_came_of_it(tmp_path: Path) -> None:
    found: list[PlayedMatches] = []
    over = threading.Event()

    def tell(played: PlayedMatches) -> None:
        found.append(played)
        over.set()

    runner = EvaluationRunner(tell)
    options = ["--games", "2", "--seconds", "5", "--workers", "1", "--lines", "--data-dir", str(tmp_path)]
    runner.begin([*evaluate.RLTUI, "eval", *options, "--", "chaser", "random"], "chaser", "random")
    assert over.wait(patience(60))
    assert found[0].line.games == 2 and found[0].line.win_rate is not None, found[0]
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 3
