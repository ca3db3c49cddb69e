"""What is said of the viewer: why nothing can be seen, where the match goes, whose weights play and how old they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rltui.events.commands import OutputLive
from rltui.events.records import CLOCK
from rltui.run_state.fold import fold, fold_control
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.panes.live_match import brief, learned_at, output_words, weights_words, why_dark
from tests.fakes import run_story
from tests.fakes.watched_match import viewer

T = run_story.START
NOW = T + 2 + 40 * run_story.SECONDS + 0.2
OPEN = fold(RunSnapshot(run="alpha", alive=True), [*run_story.opening(), *run_story.iterations(1, 40)])
RUNNING = fold_control(OPEN, run_story.live(NOW), NOW)


@pytest.mark.parametrize(
    ("now", "words", "role"),
    [
        (None, "<render> lets the newest weights play here", "muted"),
        (viewer("starting", address=""), "The viewer starts", "busy"),
        (viewer("failed", problem="my.py:3: KeyError: 'ball'"), "my.py:3: KeyError: 'ball'. Its trace is in the log", "bad"),
        (viewer(address=""), "no stream for this screen", "warn"),
    ],
)  # fmt: skip
def test_why_nothing_can_be_seen(now: object, words: str, role: str) -> None:
    said = why_dark(replace(RUNNING, viewer=now), NOW)  # type: ignore[arg-type]
    assert said is not None
    assert words in said[0]
    assert said[1] == role


def test_while_it_plays_nothing_is_missing() -> None:
    assert why_dark(replace(RUNNING, viewer=viewer()), NOW) is None


def test_of_a_run_that_has_ended_a_viewer_is_not_believed() -> None:
    ended = fold(replace(RUNNING, viewer=viewer()), [run_story.finished(800_000, NOW)])
    said = why_dark(ended, NOW)
    assert said is not None and "rltui watch alpha" in said[0]


@pytest.mark.parametrize(
    ("outputs", "words", "role"),
    [
        ([], "viewer plays", "good"),
        ([OutputLive("rocketsimvis", "127.0.0.1:9273", 1204)], "rendering → 127.0.0.1:9273, 1,204 packets", "good"),
        ([OutputLive("rocketsimvis", "127.0.0.1:9273", 1, "refused")], "rendering → 127.0.0.1:9273, 1 packet, refused", "warn"),
        ([OutputLive("recording", "/a/b.npz", 60), OutputLive("rlviser", "", 3)],
         "rendering → recording, 60 moments, rlviser", "good"),
    ],
)  # fmt: skip
def test_where_it_goes(outputs: list[OutputLive], words: str, role: str) -> None:
    assert brief(viewer(outputs=outputs)) == (words, role)


def test_one_that_has_gone_silent_is_said_to_be() -> None:
    assert brief(viewer(problem="no word of it for 7 s")) == ("viewer: no word of it for 7 s", "warn")


def test_what_is_off_is_not_mentioned_and_what_is_not_well_is() -> None:
    assert brief(None) is None
    assert brief(viewer("starting")) == ("viewer starts", "busy")
    assert brief(viewer("failed", problem="killed")) == ("viewer failed", "bad")


def test_an_output_in_words() -> None:
    assert output_words(OutputLive("rlviser", "/somewhere", 9)) == "rlviser"


def test_whose_weights() -> None:
    assert weights_words(12_431_360, 8.2) == "weights of 12,431,360 timesteps, 8.2 s old"
    assert weights_words(0, None) == "weights of 0 timesteps"


def test_when_weights_were_learned_is_what_the_history_says() -> None:
    iteration = 30
    assert learned_at(OPEN, iteration * run_story.STEPS) == pytest.approx(OPEN.history.columns[CLOCK][iteration - 1])
    assert learned_at(OPEN, iteration * run_story.STEPS + 1) is None
    assert OPEN.header is not None
    assert learned_at(OPEN, OPEN.header.timesteps) == OPEN.header.time
