"""What is said to the terminal itself: its title, desktop notifications, the clipboard. Pure text; tmux passes it on if told."""

from __future__ import annotations

import base64
from collections.abc import Mapping

from rltui.tui.paint import clean, crop_text

LONGEST = 200  # characters of a title or notification
OSC52_BYTES = 74_994  # of base64: what k9s and xterm take; longer ones are dropped by terminals without a word
PUSH_TITLE, POP_TITLE = "\x1b[22;2t", "\x1b[23;2t"


def notification(text: str, environ: Mapping[str, str]) -> str:
    """OSC 9: a desktop notification in iTerm2, kitty, WezTerm, ghostty, Windows Terminal; others pass it over."""
    return wrapped(f"\x1b]9;{_plain(text)}\x07", environ)


def title(text: str) -> str:
    """OSC 2; tmux takes it as the pane's title."""
    return f"\x1b]2;{_plain(text)}\x07"


def clipboard(text: str, environ: Mapping[str, str]) -> str | None:
    """OSC 52; None where the text is longer than terminals take. To tmux itself too, which may take it or pass it on."""
    coded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(coded) > OSC52_BYTES:
        return None
    sequence = f"\x1b]52;c;{coded}\x07"
    return sequence + wrapped(sequence, environ) if environ.get("TMUX") else sequence


def wrapped(sequence: str, environ: Mapping[str, str]) -> str:
    """As tmux passes it through to the terminal around it, where `allow-passthrough` is on; as it is elsewhere."""
    if not environ.get("TMUX"):
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def _plain(text: str) -> str:
    return crop_text(clean(text), LONGEST)
