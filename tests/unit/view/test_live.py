"""Who plays: by name, folder or file; a run's newer weights take over while it is played."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.runs.paths import DataDir
from rltui.view.live_match import LOOK_TICKS, LiveMatch, MatchOptions
from rltui.view.sources import PolicySource, RunPlayerSource, ScriptedSource, source
from tests.fakes.bots import write_bot
from tests.fakes.saved_runs import make_files, make_meta, place, save, save_milestone


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> SavedPolicy:
    folder = tmp_path_factory.mktemp("bot")
    (folder / "quick.toml").write_text(
        'schema = 1\nterminals = [{kind = "goal"}]\n[rewards]\ntouch = 1.0\n', encoding="utf-8"
    )
    return write_bot(folder / "bot", str(folder / "quick.toml"))


def other(policy: SavedPolicy) -> SavedPolicy:
    """Other weights in the same game: the first row of the table always."""
    (weights, biases), *rest = policy.layers
    last, bias = rest[-1]
    bias = bias.copy()
    bias[0] = 1e6
    return replace(policy, layers=((weights, biases), *rest[:-1], (last, bias)))


def save_bot(data: DataDir, commit: int, policy: SavedPolicy) -> Path:
    paths = data.run("mine")
    files = make_files(make_meta("mine", commit, commit * 1000)) | {"policy.npz": save_policy(policy)}
    return place(paths.checkpoint(commit * 1000), files)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def live(data: DataDir, notices: list[str], b: str = "idle") -> LiveMatch:
    options = MatchOptions(seconds=4 * LOOK_TICKS / 120, ticks=60, deterministic=True)
    return LiveMatch(source("mine", data), source(b, data), options, notices.append)


def test_every_way_to_name_a_player(data: DataDir, policy: SavedPolicy) -> None:
    folder = save_bot(data, 1, policy)
    assert isinstance(source("chaser", data), ScriptedSource)
    assert isinstance(source("rltui.opponents.scripted:IdlePlayer", data), ScriptedSource)
    assert isinstance(source("mine", data), RunPlayerSource) and source("mine", data).name == "mine"
    by_folder, by_file = source(str(folder), data), source(str(folder / "policy.npz"), data)
    assert isinstance(by_folder, PolicySource) and by_folder.name == "mine/1000"
    assert isinstance(by_file, PolicySource) and by_file.name == "policy.npz"
    assert by_folder.teams == by_file.teams == (1, 1) and source("idle", data).teams is None


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("chasr", 'did you mean "chaser"?'),
        ("mina", 'did you mean "mine"?'),
        ("none.npz", "No such file"),
        (".", "no checkpoint to watch"),
        ("", "."),
        ("file.py:Missing", "no file"),
    ],
)
def test_who_is_not_there_is_said_in_words(
    argument: str, words: str, data: DataDir, policy: SavedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_bot(data, 1, policy)
    monkeypatch.chdir(data.root.parent)
    with pytest.raises(RltuiError) as error:
        LiveMatch(source(argument, data), source("idle", data), MatchOptions(), lambda text: None)
    assert words in f"{error.value.message}\n{error.value.hint}"


def test_a_run_without_a_checkpoint(data: DataDir) -> None:
    data.run("mine").folder.mkdir(parents=True)
    with pytest.raises(RltuiError, match="no complete checkpoint"):
        source("mine", data)


def test_newer_weights_take_over_in_the_middle_of_play(data: DataDir, policy: SavedPolicy) -> None:
    save_bot(data, 1, policy)
    notices: list[str] = []
    match = live(data, notices)
    moments = match.moments()
    before = [next(moments).tick for _ in range(3)]
    save_bot(data, 2, other(policy))
    played = match.match
    row = tuple(policy.table[0].tolist())
    after = list(moments)
    assert notices == ["mine: newer weights"] and match.match is played  # no new kickoff
    assert [moment.tick for moment in after] == list(range(before[-1] + 60, 4 * LOOK_TICKS + 1, 60))
    late = [moment.cars[0].controls for moment in after if moment.tick > LOOK_TICKS + 60]
    assert late and all(controls == row for controls in late)


def test_nothing_is_read_while_nothing_comes(
    data: DataDir, policy: SavedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_bot(data, 1, policy)
    match = live(data, [])
    monkeypatch.setattr("rltui.view.sources.complete_checkpoints", lambda paths: pytest.fail("listed"))
    match.renew()


def test_what_cannot_be_used_is_told_and_passed_over(data: DataDir, policy: SavedPolicy) -> None:
    save_bot(data, 1, policy)
    notices: list[str] = []
    match = live(data, notices)
    save(data.run("mine"), 2, 2000)  # bytes of no meaning
    match.renew()
    assert len(notices) == 1 and notices[0].startswith("mine: newer weights cannot be used: ")
    match.renew()
    save_bot(data, 3, other(policy))
    match.renew()
    assert notices[1:] == ["mine: newer weights"]


def test_a_policy_of_another_game_begins_with_a_kickoff_and_the_score_stays(data: DataDir, policy: SavedPolicy) -> None:
    save_bot(data, 1, policy)
    notices: list[str] = []
    match = live(data, notices)
    match.match.play(100)
    match.match.score, first = [3, 2], match.match
    save_bot(data, 2, replace(policy, tick_skip=4))
    match.renew()
    moment = match.match.moment()
    assert match.match is not first and notices == ["mine: newer weights"]
    assert (moment.tick, moment.score, moment.ball_position[:2]) == (100, (3, 2), (0.0, 0.0))


def test_a_milestone_is_newer_too_and_a_pruned_checkpoint_is_no_news(data: DataDir, policy: SavedPolicy) -> None:
    first = save_bot(data, 1, policy)
    newest = save_bot(data, 2, policy)
    found = source("mine", data)
    assert isinstance(found, RunPlayerSource) and found.folder == newest
    shutil.rmtree(first)
    assert found.newer() is None and found.folder == newest
    milestone = save_milestone(data.run("mine"), 3, 3000, "003M")
    (milestone / "policy.npz").unlink()
    shutil.rmtree(milestone)
    files = make_files(make_meta("mine", 3, 3000)) | {"policy.npz": save_policy(policy)}
    place(milestone, files)
    assert found.newer() is not None and found.folder == milestone


def test_team_sizes_are_those_of_the_bot_or_as_asked(data: DataDir, policy: SavedPolicy) -> None:
    save_bot(data, 1, policy)
    chaser, mine = source("chaser", data), source("mine", data)

    def teams(a: object, b: object, size: int | None = None) -> tuple[int, int]:
        return LiveMatch(a, b, MatchOptions(size=size), lambda text: None).teams  # type: ignore[arg-type]

    assert teams(chaser, chaser) == teams(mine, chaser) == teams(chaser, mine) == (1, 1)
    assert teams(chaser, chaser, 3) == (3, 3)
