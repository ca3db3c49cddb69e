"""Evaluation of one saved state: what is played, and what all its games say."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.league import games as log
from rltui.league import policy_distance
from rltui.league.games import player_name
from rltui.league.ratings import fit
from rltui.league.score import games_between
from rltui.league.state_evaluation import StateEvaluationSpec, evaluate, lower_end, rated_states, result
from rltui.policy.saved import save_policy, weights_hash
from rltui.runs.best import read_ratings
from rltui.runs.near_clones import read_near_clones
from rltui.runs.paths import DataDir, RunPaths
from tests.fakes.bots import write_bot
from tests.fakes.leagues import games
from tests.fakes.saved_runs import make_files, make_meta, make_run, place

OLD, NEW = "alpha@100#00000001", "alpha@200#00000002"
PROFILE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'


def test_what_all_games_say(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
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
    assert rated_states(paths, fit(played)) == {100: lower_end(fit(played).of(OLD)), 200: found.elo_low}
    scores = "scores 20 % of 40 games against rule, 75 % of 40 games against chaser"
    assert found.words == f"Elo {rating.elo:,.0f} ± {1.96 * rating.error:.0f}, {scores}"


def test_few_games_and_none_decide_nothing(tmp_path: Path) -> None:
    paths = DataDir(tmp_path).run("alpha")
    few = tuple(games(NEW, "rule", wins=10))
    assert lower_end(fit(few).of(NEW)) is None
    found = result(200, [NEW], few, fit(few))
    assert rated_states(paths, fit(few)) == {}
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
        files = make_files(make_meta("alpha", commit, millions * 1_000_000)) | {"policy.npz": policy}
        place(paths.milestones / "Phase1-A" / f"{millions:03}M", files)
    return paths


def test_it_plays_what_is_missing_and_then_nothing(run: RunPaths, tmp_path: Path) -> None:
    digest = weights_hash(write_bot(tmp_path / "again", str(tmp_path / "made.toml")))
    old, mine = (player_name("alpha", timesteps, digest) for timesteps in (5_000_000, 10_000_000))
    spec = StateEvaluationSpec(run, run.milestones / "Phase1-A" / "010M", 10_000_000, 2, 0.1, 0)
    looked: list[int] = []
    begun: list[int] = []
    found = evaluate(spec, looked.append, begun.append)
    played = log.read(run.data.games).games
    assert [(game.a, game.b) for game in played] == [(mine, "rule")] * 2 + [(mine, old)] * 2 + [(mine, "chaser")] * 2
    assert found.before == old
    assert [each.games for each in found.opponents] == [2, 2, 2]
    assert looked
    assert read_ratings(run) == {}, "too few games"
    assert read_near_clones(run) == {10_000_000: {5_000_000: 0.0}}
    assert evaluate(spec, looked.append, begun.append).opponents == found.opponents
    assert begun == [6], "with nothing to play nothing begins"
    assert log.read(run.data.games).games == played
