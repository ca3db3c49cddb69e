"""What enter will do, from where and why; or why nothing would start. Pure."""

from __future__ import annotations

import re

from rltui.tui.launcher.offers import Offer
from rltui.tui.launcher.word_tables import INDENT, indented
from rltui.tui.paint import Line, text_line, wrap

MOST_REASONS = 3
_HASH = re.compile(r"\b[0-9a-f]{32,}\b")


def enter_will(offer: Offer | None, width: int, *, checking: bool = False) -> list[Line]:
    if checking:
        return [
            text_line("Enter will", "title"),
            *indented([text_line("be told once the profile is checked …", "muted")]),
        ]
    return [text_line("Enter will", "title"), *offer_lines(offer, width)]


def offer_lines(offer: Offer | None, width: int) -> list[Line]:
    room = width - INDENT
    if offer is None:
        return indented([text_line("be told in a moment: looking at the checkpoints …", "muted")])
    if offer.refused:
        return indented(_refusal(offer, room))
    lines = [*wrap(offer.title, room, "strong"), *wrap(offer.reason, room)]
    for warning in offer.warnings:
        lines += wrap(f"! {warning}", room, "warn")
    return indented(lines)


def _refusal(offer: Offer, width: int) -> list[Line]:
    """Why nothing would start; of several runs that do not fit the first ones, difference by difference."""
    head, *reasons = offer.refused.split("\n")
    lines = wrap(f"✗ not start: {head}", width, "bad")
    for reason in reasons[:MOST_REASONS]:
        name, _, differences = reason.strip().partition(": ")
        lines += wrap(f"  {name}", width, "strong")
        for difference in differences.split("; "):
            lines += wrap(f"    {_HASH.sub(_shortened, difference)}", width, "muted") if difference else []
    if len(reasons) > MOST_REASONS:
        lines += wrap(f"  … and {len(reasons) - MOST_REASONS} more", width, "muted")
    return [*lines, *([] if offer.kind == "nothing fits" else wrap(offer.hint, width, "muted"))]


def _shortened(found: re.Match[str]) -> str:
    return f"{found[0][:8]}…"
