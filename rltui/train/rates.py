"""Which learning rate a resumed run, or a new phase, goes on with, and why, in words."""

from __future__ import annotations

from rltui.learn.schedules import LearningRates, Schedule
from rltui.runs.trainer_state import RateState


def carried_on(schedule: Schedule, state: RateState | None) -> tuple[LearningRates, str]:
    """The rates from here on, and which word won; no words where nobody had another one.

    A rate set by hand holds while the profile says of learning rates what it said then; so does what KL has made of one.
    """
    if state is None:
        return LearningRates(schedule), ""
    unchanged = state.words == schedule.text
    if state.override is not None:
        if unchanged:
            return (
                LearningRates(schedule, state.adapted, state.override),
                f"learning rate {state.override:g}, set by hand, goes on: the profile's has not changed since",
            )
        words = f"the profile's learning rate, which has changed, wins over {state.override:g}, set by hand"
        return LearningRates(schedule), words
    if state.adapted is not None and schedule.kind == "kl_adaptive":
        if unchanged:
            return LearningRates(schedule, state.adapted), f"learning rate {state.adapted:g} goes on as KL had set it"
        words = f"the profile's learning rate, which has changed, wins over {state.adapted:g}, as KL had set it"
        return LearningRates(schedule), words
    return LearningRates(schedule), ""


def stored(rates: LearningRates) -> RateState:
    """For a checkpoint."""
    return RateState(words=rates.schedule.text, adapted=rates.adapted, override=rates.override)
