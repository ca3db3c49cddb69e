"""Recordings: what was shown is played back, the reset `replay` begins with it, and damaged ones are refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from rltui.errors import RltuiError
from rltui.events.match_frames import MatchFrame
from rltui.league.match import Match
from rltui.league.players import ScriptedSide, Seat
from rltui.opponents.scripted import ChaserPlayer, RandomPlayer
from rltui.registry import Component, build
from rltui.sim.recorded_states import load
from rltui.view.recording import Recorder, Recording
from tests.fakes.moments import car, moment


def played(blue: int = 1, orange: int = 2, moments: int = 400) -> list[MatchFrame]:
    sides = (slice(0, blue), slice(blue, blue + orange))
    players = (
        ScriptedSide(ChaserPlayer(ChaserPlayer.Params()), Seat((blue, orange), sides[0], [1])),
        ScriptedSide(RandomPlayer(RandomPlayer.Params()), Seat((blue, orange), sides[1], [2])),
    )
    match = Match(players, (blue, orange), [5], ("chaser", "random ½"))
    found = []
    for _ in range(moments):
        match.play(4)
        found.append(match.moment())
    return found


def record(path: Path, moments: list[MatchFrame], **options: Any) -> Recorder:
    recorder = Recorder(path, **options)
    for shown in moments:
        recorder.show(shown)
    recorder.close()
    return recorder


def test_what_was_shown_is_played_back(tmp_path: Path) -> None:
    path, shown = tmp_path / "match.npz", played()
    record(path, shown)
    recording = Recording(path)
    assert (len(recording), recording.blue, recording.orange) == (400, 1, 2)
    assert recording.seconds == pytest.approx(399 * 4 / 120)
    for before, after in zip(shown, recording.moments(), strict=True):
        plain = msgspec.structs.replace(after, trail=before.trail)
        for one, other in zip(before.cars, after.cars, strict=True):
            assert other == one
        assert plain == before
    trails = [after.trail for after in recording.moments()]
    assert trails[0] == () and all(trail[-1] == shown[i].ball_position for i, trail in enumerate(trails[1:]))


def test_episodes_begin_with_its_moments(tmp_path: Path) -> None:
    shown = played()
    record(tmp_path / "match.npz", shown)
    reset = build("reset", Component("replay", {"path": str(tmp_path / "match.npz")}))
    places = {moment.ball_position for moment in shown}
    places |= {(-x, -y, z) for x, y, z in places}
    for seed in range(20):
        setup = reset.sample(np.random.default_rng(seed), 1, 2)
        assert setup.problem(3) == "" and tuple(setup.ball_position.tolist()) in places


def test_moments_with_a_wreck_are_watched_but_nothing_begins_with_them(tmp_path: Path) -> None:
    path = tmp_path / "match.npz"
    wreck = car(1, (50.0, 4000.0, 17.0), demolished=True)
    whole = moment(tick=8, ball_position=(1.0, 2.0, 93.0))
    record(path, [moment(tick=4, cars=(whole.cars[0], wreck)), whole])
    assert [[car.demolished for car in shown.cars] for shown in Recording(path).moments()] == [
        [False, True],
        [False] * 2,
    ]
    states = load(path)
    assert len(states) == 1 and states.setup(0).ball_position.tolist() == [1.0, 2.0, 93.0]
    record(path, [moment(cars=(whole.cars[0], wreck))])
    with pytest.raises(RltuiError, match="demolished: expected a state without a wreck"):
        load(path)


def test_passed_over_and_cut_short(tmp_path: Path) -> None:
    record(tmp_path / "a.npz", [moment(tick=tick) for tick in range(0, 121, 2)])
    recording = Recording(tmp_path / "a.npz")
    assert [shown.tick for shown in recording.moments(7)] == [*range(0, 120, 8), 120]
    assert [shown.tick for shown in recording.moments(0, 0.1)] == list(range(0, 13, 2))


def test_a_jump_of_the_ball_cuts_the_trail(tmp_path: Path) -> None:
    places = [(0.0, 100.0 * step, 93.0) for step in range(10)] + [(3000.0, 0.0, 93.0), (2990.0, 0.0, 93.0)]
    record(tmp_path / "a.npz", [moment(tick=4 * i, ball_position=place) for i, place in enumerate(places)])
    trails = [shown.trail for shown in Recording(tmp_path / "a.npz").moments()]
    assert trails[9] == tuple(places[:9]) and trails[10] == () and trails[11] == (places[10],)


def test_a_full_recording_is_said_once_and_kept(tmp_path: Path) -> None:
    notices: list[str] = []
    recorder = record(tmp_path / "a.npz", played(moments=8), most=5, notice=notices.append)
    assert recorder.moments == 5 and len(Recording(tmp_path / "a.npz")) == 5
    assert notices == ["the recording is full after 5 moments; what it holds will be saved"]


def test_a_target_that_will_not_do_is_refused_before_the_match(subtests: pytest.Subtests, tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    for name in ("match.txt", "folder.npz", "none/match.npz"):
        with subtests.test(name=name):
            with pytest.raises(RltuiError, match="cannot record to") as error:
                Recorder(tmp_path / name)
            assert error.value.exit_code == 2


def test_a_write_that_fails_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.npz"
    record(path, [moment()])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rltui.runs.atomic.write_new", full)
    with pytest.raises(RltuiError, match="No space left"):
        record(path, [moment(), moment(tick=9000)])
    assert path.read_bytes() == before


Change = Callable[[dict[str, Any]], Any]
DAMAGES: list[tuple[str, Change]] = [
    ("expected tick", lambda arrays: arrays.pop("tick")),
    ("expected names", lambda arrays: arrays.pop("names")),
    (r"score: expected whole numbers \[2, 2\], found int64 \[2, 3\]", lambda a: a.update(score=np.zeros((2, 3), int))),
    ("tick: expected ascending", lambda arrays: arrays.update(tick=np.array([5, 5]))),
    ("controls: expected finite", lambda arrays: arrays.update(controls=np.full((2, 2, 8), np.nan, np.float32))),
    ("touches: expected whole numbers", lambda arrays: arrays.update(touches=np.zeros((2, 2), np.float32))),
    (r"boost\[0, 0\]: expected 0 to 100", lambda arrays: arrays.update(boost=np.full((2, 2), 101, np.float32))),
]


def test_a_damaged_one_is_refused_in_words(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for words, change in DAMAGES:
        with subtests.test(words=words, change=change):
            path = tmp_path / "a.npz"
            record(path, [moment(tick=1), moment(tick=2)])
            arrays = dict(np.load(path))
            change(arrays)
            np.savez(path, **arrays)
            with pytest.raises(RltuiError, match=words) as error:
                Recording(path)
            assert str(path) in error.value.message and error.value.exit_code == 2


def test_another_file_is_refused_in_words(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for content in (b"", b"text", b"PK\x03\x04", b"\x93NUMPY"):
        with subtests.test(content=content):
            path = tmp_path / "a.npz"
            path.write_bytes(content)
            with pytest.raises(RltuiError, match="expected plain arrays"):
                Recording(path)
            with pytest.raises(RltuiError, match="no such file"):
                Recording(tmp_path / "none.npz")
