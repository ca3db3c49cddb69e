"""Before training goes on from a saved state: what it will do, from where and why; or why not, and what can be done instead."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size

from rltui.tui.browser.starts import Start
from rltui.tui.launcher.offers import Offer
from rltui.tui.paint import Line, wrap
from rltui.tui.screens.dialog import Dialog
from rltui.tui.screens.quit_dialog import Choices
from rltui.tui.widgets.painted import Painted


class StartWords(Painted):
    """Of the offer, or of the refusal."""

    def __init__(self, offer: Offer) -> None:
        super().__init__(name="start-words")
        self._offer = offer

    def paint(self, width: int, height: int) -> list[Line]:
        return [*offer_lines(self._offer, width), ()]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.paint(width, 100))


def offer_lines(offer: Offer, width: int) -> list[Line]:
    """What would happen, or each difference that keeps it from happening."""
    if offer.refused:
        found = [row for text in offer.refused.split("\n") for row in wrap(text, width, "bad")]
        return found + (wrap(offer.hint, width, "muted") if offer.hint else [])
    found = [*wrap(offer.title, width, "strong"), *wrap(offer.reason, width)]
    return found + [row for warning in offer.warnings for row in wrap(f"! {warning}", width, "warn")]


class StartDialog(Dialog[Offer | None]):
    """Dismissed with what is to be launched, or None. The safe choice comes first, and nothing starts from zero."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss(None)", "Cancel")]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start

    def compose(self) -> ComposeResult:
        offer, instead = self._start.offer, self._start.instead
        choices: list[tuple[str, str | None, str, str]] = [("c", None, "Cancel", "Nothing is changed.")]
        if not offer.refused:
            choices.append(
                (
                    "r",
                    "go",
                    offer.title[:1].upper() + offer.title[1:],
                    "A trainer starts; it goes on when this window closes.",
                )
            )
        elif instead is not None and not instead.refused:
            choices.append(("g", "instead", "Use the newest good one before it", f"{instead.title}: {instead.reason}"))
        with Vertical(id="dialog") as box:
            box.border_title = "It cannot be gone on from" if offer.refused else "Train on from here"
            yield StartWords(offer)
            yield Choices(choices)

    def dismiss(self, result: object = None) -> object:  # type: ignore[override]
        """Choices gives words, the caller wants the offer."""
        offers = {"go": self._start.offer, "instead": self._start.instead}
        return super().dismiss(offers.get(result) if isinstance(result, str) else None)
