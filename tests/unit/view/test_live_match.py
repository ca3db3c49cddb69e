"""A live match: who plays, newer weights, game time against real time, keys and signals."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.events.match_frames import MatchFrame
from rltui.league.sources import PolicySource, RunPlayerSource, ScriptedSource, source
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.runs.paths import DataDir
from rltui.supervise.signals import stopping_by_signal
from rltui.view.live_match import LOOK_TICKS, MOST_LAG, LiveMatch, MatchOptions, Pacer, Watch
from rltui.view.output import Output, ThinnedOutput
from rltui.view.terminal import PlainLines
from tests.fakes.bots import write_bot
from tests.fakes.moments import car, moment
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
    milestone = data.run("mine").milestones / "Phase1-Quick" / "005M"
    shutil.copytree(folder, milestone)
    assert source("mine/5M", data).name == source(str(milestone), data).name == "mine/005M"


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("chasr", 'did you mean "chaser"?'),
        ("mina", 'did you mean "mine"?'),
        ("none.npz", "No such file"),
        (".", "no checkpoint of a player"),
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
    monkeypatch.setattr("rltui.league.sources.complete_checkpoints", lambda paths: pytest.fail("listed"))
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
    match.match.batch.score[0], first = (3, 2), match.match
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


class Time:
    """A clock that moves when somebody sleeps, or by `pass_by`."""

    def __init__(self) -> None:
        self.now = 50.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds


class Kept(Output):
    """Keeps what it is shown, and when."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self.shown: list[tuple[int, float]] = []
        self.stills = self.closed = 0

    def show(self, moment: MatchFrame) -> None:
        self.shown.append((moment.tick, self._time.now))

    def still(self, moment: MatchFrame) -> None:
        self.stills += 1

    def close(self) -> None:
        self.closed += 1


def moments(ticks: int, number: int) -> Iterator[MatchFrame]:
    return (moment(tick=tick * ticks) for tick in range(number))


def test_moments_come_when_they_are_due(subtests: pytest.Subtests) -> None:
    for speed in (0.5, 1.0, 4.0):
        with subtests.test(speed=speed):
            time = Time()
            kept = Kept(time)
            Watch(Pacer(speed, time.clock, time.sleep)).run(moments(4, 91), [kept])
            for tick, at in kept.shown:
                assert at - 50 == pytest.approx(tick / 120 / speed)


def test_a_little_lag_is_caught_up_with_and_a_long_stop_is_not() -> None:
    time = Time()
    pacer = Pacer(1.0, time.clock, time.sleep)
    pacer.wait_for(0)
    time.now += MOST_LAG * 0.9
    pacer.wait_for(4)
    pacer.wait_for(120)
    assert time.now == pytest.approx(51.0)
    time.now += 60
    pacer.wait_for(240)
    assert time.now == pytest.approx(111.0)
    pacer.wait_for(360)
    assert time.now == pytest.approx(112.0)


def test_quit_pause_and_link_are_keys() -> None:
    time, pressed, toggled = Time(), iter(["", "v", " ", "", "v", "xyz ", "", "q"]), []
    kept = Kept(time)
    watch = Watch(Pacer(1.0, time.clock, time.sleep), lambda: next(pressed), lambda: toggled.append(kept.shown[-1][0]))
    watch.run(moments(120, 100), [kept])
    assert [tick for tick, _ in kept.shown] == [0, 120, 240, 360, 480]  # paused at 240, quit at 480
    assert kept.stills == 3 and toggled == [0, 240]
    assert watch.last is not None and watch.last.tick == 480
    assert kept.shown[3][1] == pytest.approx(kept.shown[2][1] + 3 * 0.05)  # due at once after a pause


def test_paused_it_can_still_be_stopped() -> None:
    time, pressed = Time(), iter([" ", "", "q"])
    watch = Watch(Pacer(1.0, time.clock, time.sleep), lambda: next(pressed))
    watch.run(moments(4, 10), [])
    assert watch.stopped and watch.last is not None and watch.last.tick == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_asks_to_stop_and_all_handlers_come_back(number: signal.Signals) -> None:
    time = Time()
    kept = Kept(time)
    watch = Watch(Pacer(1.0, time.clock, time.sleep))
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)]

    def until_signalled() -> Iterator[MatchFrame]:
        for shown in moments(4, 100):
            if shown.tick == 40:
                os.kill(os.getpid(), number)
            yield shown

    with stopping_by_signal(watch.stop):
        watch.run(until_signalled(), [kept])
    assert watch.stopped and len(kept.shown) <= 12
    assert before == [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)]


def test_thinned_moments_are_apart() -> None:
    time = Time()
    kept = Kept(time)
    thinned = ThinnedOutput(kept, 8)
    for shown in moments(3, 20):
        thinned.show(shown)
    assert [tick for tick, _ in kept.shown] == [0, 9, 18, 27, 36, 45, 54]
    thinned.close()
    assert kept.closed == 1


def test_plain_lines_at_the_start_at_goals_and_every_ten_seconds() -> None:
    said: list[str] = []
    lines = PlainLines(said.append)
    cars = (car(0, (0.0, 0.0, 17.0), touches=3), car(0, (0.0, 0.0, 17.0), touches=4), car(1, (0.0, 0.0, 17.0)))
    for second in range(26):
        score = (int(second >= 4), int(second >= 20))
        lines.show(moment(tick=second * 120, score=score, cars=cars))
    assert said == [
        " 0:00  alpha 0 : 0 chaser  touches 7 : 0",
        " 0:04  alpha 1 : 0 chaser  touches 7 : 0  goal by alpha",
        " 0:10  alpha 1 : 0 chaser  touches 7 : 0",
        " 0:20  alpha 1 : 1 chaser  touches 7 : 0  goal by chaser",
    ]
