"""A run that has reached its step limit, before it goes on: up to which total? What was asked for stays as it is until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rltui import formatting
from rltui.formatting import LARGEST, timesteps_of
from rltui.tui.launcher.step_limits import larger_than, with_total
from rltui.tui.screens.typed_dialog import Asked, Judgement, TypedDialog

if TYPE_CHECKING:
    from textual.app import App

    from rltui.tui.launcher.offers import Offer


def with_limit_asked(app: App[Any], offer: Offer, go: Callable[[Offer], None]) -> None:
    """Call `go` with the offer: at once, or once a new limit has been given where the old one is reached."""
    if offer.reached is None:
        go(offer)
        return

    def answered(text: str | None) -> None:
        if text is not None:
            go(with_total(offer, timesteps_of(text)))

    app.push_screen(TypedDialog(_asked(offer, offer.reached)), answered)


def _asked(offer: Offer, limit: int) -> Asked:
    example = larger_than(offer.timesteps)
    lines = (
        (f"{offer.run} was started to end at {limit:,} timesteps, and has {offer.timesteps:,}.", "strong"),
        (f"Type the total at which it is to end now, as in {example:,} or {formatting.exact(example)}.", ""),
    )

    def judge(text: str) -> Judgement:
        if not text.strip():
            return Judgement("enter alone: it trains on until you stop it")
        total = timesteps_of(text)
        if total is None:
            return Judgement(f"✗ expected a whole number of timesteps, at most {LARGEST:,}")
        if total <= offer.timesteps:
            return Judgement(f"✗ it has {offer.timesteps:,} already: a larger total")
        return Judgement(f"✓ enter trains on, {total - offer.timesteps:,} timesteps more", True)

    return Asked("Its step limit is reached", lines, judge, placeholder=f"{example:,}", empty="take")
