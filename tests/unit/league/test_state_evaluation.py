"""Evaluation of one saved state: what is played, and what all its games say."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.events.records import LogLine
from rltui.league import games as log
from rltui.league import policy_distance
from rltui.league.games import player_name
from rltui.league.ladder import lower_end, rated_states
from rltui.league.ratings import fit
from rltui.league.score import games_between
from rltui.league.state_evaluation import EvaluationProgress, StateEvaluationSpec, evaluate, result
from rltui.policy.saved import save_policy, weights_hash
from rltui.runs.best import read_ratings
from rltui.runs.near_clones import read_near_clones
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.bots import write_bot
from tests.fakes.leagues import games
from tests.fakes.saved_runs import make_files, make_meta, make_run, place

OLD, NEW = "alpha@100#00000001", "alpha@200#00000002"
PROFILE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'


def test_what_all_games_say() -> None:
    played = (
        *games(NEW, "rule", wins=6, draws=4, losses=30),
        *games(NEW, "chaser", wins=30, losses=10),
        *games(OLD, "rule", wins=20, losses=20),
        *games("beta@300#00000003", "rule", wins=40, losses=1),
    )
    found = result(200, [OLD, NEW], played, fit(played))
    assert [(each.opponent, each.games, each.win_rate) for each in found.opponents] == [
        ("rule", 40, 20.0),
        ("chaser", 40, 75.0),
    ]
    low, high = games_between(played, NEW, "rule").interval or (0.0, 0.0)
    assert (found.opponents[0].low, found.opponents[0].high) == (100 * low, 100 * high)
    rating = fit(played).of(NEW)
    assert (found.elo, found.elo_error, found.games) == (rating.elo, rating.error, 80)
    assert found.elo_low == pytest.approx(rating.elo - 1.96 * rating.error)
    assert rated_states(fit(played))["alpha"] == {100: lower_end(fit(played).of(OLD)), 200: found.elo_low}
    scores = "scores 20 % of 40 games against rule, 75 % of 40 games against chaser"
    assert found.words == f"Elo {rating.elo:,.0f} ± {1.96 * rating.error:.0f}, {scores}"


def test_few_games_and_none_decide_nothing() -> None:
    few = tuple(games(NEW, "rule", wins=10))
    assert lower_end(fit(few).of(NEW)) is None
    found = result(200, [NEW], few, fit(few))
    assert rated_states(fit(few)) == {}
    assert found.elo is not None
    assert found.elo_low is None
    none = result(200, [NEW], (), fit(()))
    assert (none.elo, none.opponents, none.words) == (None, [], "Elo –")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunPaths:
    """Three milestones that can play."""
    monkeypatch.setattr(policy_distance, "SECONDS", 2)
    paths = make_run(DataDir(tmp_path / "data"), commits=0)
    (tmp_path / "made.toml").write_text(PROFILE, encoding="utf-8")
    policy = save_policy(write_bot(tmp_path / "bot", str(tmp_path / "made.toml")))
    for commit, millions in ((2, 5), (3, 10), (4, 15)):
        save(paths, commit, millions, policy)
    return paths


def save(paths: RunPaths, commit: int, millions: int, policy: bytes) -> None:
    files = make_files(make_meta("alpha", commit, millions * 1_000_000)) | {"policy.npz": policy}
    place(folder(paths, millions), files)


def folder(paths: RunPaths, millions: int) -> Path:
    return paths.milestones / "Phase1-A" / f"{millions:03}M"


def evaluation(paths: RunPaths) -> StateEvaluationSpec:
    return StateEvaluationSpec(paths, folder(paths, 10), 10_000_000, 2, 0.1, 0)


def test_it_plays_what_is_missing_and_then_nothing(run: RunPaths, tmp_path: Path) -> None:
    digest = weights_hash(write_bot(tmp_path / "again", str(tmp_path / "made.toml")))
    old, mine = (player_name("alpha", timesteps, digest) for timesteps in (5_000_000, 10_000_000))
    spec = evaluation(run)
    looked: list[int] = []
    told: list[LogLine | EvaluationProgress] = []
    found = evaluate(spec, looked.append, told.append)
    played = log.read(run.data.games).games
    assert [(game.a, game.b) for game in played] == [(mine, "rule")] * 2 + [(mine, old)] * 2 + [(mine, "chaser")] * 2
    assert found.before == old
    assert [each.games for each in found.opponents] == [2, 2, 2]
    assert looked
    assert read_ratings(run) == {}, "too few games"
    assert read_near_clones(run) == {10_000_000: {5_000_000: 0.0}}
    assert evaluate(spec, looked.append, told.append).opponents == found.opponents
    begun, *more = told
    assert isinstance(begun, LogLine) and " 6 games" in begun.message
    shares = [said.share for said in more if isinstance(said, EvaluationProgress) and said.games == 6]
    assert shares[0] == 0 and shares == sorted(shares) and shares[-1] == pytest.approx(1) and len(shares) <= 101
    assert len(shares) == len(more), "with nothing to play nothing begins"
    assert log.read(run.data.games).games == played


def test_where_the_milestone_before_cannot_play_the_other_games_count(run: RunPaths, tmp_path: Path) -> None:
    """Of a pace that seldom meets this one's; its file damaged: the one before that is the milestone before."""
    (tmp_path / "made.toml").write_text(f"tick_skip = 17\n{PROFILE}", encoding="utf-8")
    of_another_pace = save_policy(write_bot(tmp_path / "slow", str(tmp_path / "made.toml")))
    save(run, 5, 8, of_another_pace)
    said: list[LogLine | EvaluationProgress] = []
    found = evaluate(evaluation(run), lambda ticks: None, said.append)
    told = [notice for notice in said if isinstance(notice, LogLine)]
    assert [(each.opponent, each.games) for each in found.opponents] == [("rule", 2), ("chaser", 2)]
    assert found.before.startswith("alpha@8000000#")
    assert [notice.level for notice in told] == ["info", "info"]
    assert f"10.0 M does not play {found.before}: one bot chooses every 8 ticks, the other every 17" in told[1].message
    (folder(run, 8) / "policy.npz").write_bytes(of_another_pace[:5000] + b"!" + of_another_pace[5001:])
    found = evaluate(evaluation(run), lambda ticks: None)
    assert found.before.startswith("alpha@5000000#")
    assert [each.games for each in found.opponents] == [2, 2, 2]


def test_one_that_was_trained_alone_is_evaluated_too(run: RunPaths, tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(f"game.orange = 0\n{PROFILE}", encoding="utf-8")
    policy = save_policy(write_bot(tmp_path / "alone", str(tmp_path / "made.toml")))
    for commit, millions in ((6, 20), (7, 25)):
        save(run, commit, millions, policy)
    spec = StateEvaluationSpec(run, folder(run, 25), 25_000_000, 2, 0.1, 0)
    assert [each.games for each in evaluate(spec, lambda ticks: None).opponents] == [2, 2, 2]
    assert read_near_clones(run)[25_000_000][20_000_000] == 0.0, "of itself"
