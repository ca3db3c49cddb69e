"""How a run that has ended is gone on with, in the user's own keys."""

from __future__ import annotations

from dataclasses import replace

from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.cockpit.messages import how_to_go_on
from tests.fakes import run_story


def test_the_keys_are_the_user_s_own() -> None:
    ended = RunSnapshot(run="alpha", alive=False, saved_timesteps=757_760)
    assert how_to_go_on(ended, {}) == "it has ended: H opens the launcher, R there resumes it at 757,760 timesteps"
    own = {"launcher": ("f5",), "resume": ("ctrl+r",)}
    assert how_to_go_on(ended, own) == "it has ended: f5 opens the launcher, ^r there resumes it at 757,760 timesteps"


def test_a_run_at_its_step_limit_is_not_said_to_just_go_on() -> None:
    ended = RunSnapshot(run="alpha", alive=False, saved_timesteps=40_448, header=run_story.header(step_limit=40_000))
    said = (
        "it has ended at its limit of 40,000 timesteps: H opens the launcher, R there asks for a new one and trains on"
    )
    assert how_to_go_on(ended, {}) == said
    assert "resumes it at 39,000" in how_to_go_on(replace(ended, saved_timesteps=39_000), {})


def test_nothing_is_promised_where_nothing_is_saved() -> None:
    unsaved = RunSnapshot(run="alpha", alive=False)
    assert how_to_go_on(unsaved, {}) == "it has ended with nothing to resume: H opens the launcher"
    assert how_to_go_on(replace(unsaved, saved_timesteps=1, gone=True), {}) == how_to_go_on(unsaved, {})
