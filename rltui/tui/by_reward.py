"""How lists mark the best saved state by reward, and those whose reward does not count, with the reason. Pure."""

from __future__ import annotations

from rltui import formatting
from rltui.runs.best import Best, doubt, words
from rltui.runs.meta import Meta

BEST, DOUBT = "★", "▼"


def marked(best: Best | None, meta: Meta | None) -> tuple[str, str]:
    """(its reward with the mark before it, role). best: as which it is the best."""
    mean = meta.mean_reward if meta is not None else None
    if meta is None or not formatting.known(mean):
        return formatting.UNKNOWN, ""
    if best is not None:
        return f"{BEST} {formatting.number(mean)}", "good"
    return (f"{DOUBT} {formatting.number(mean)}", "warn") if doubt(meta) else (formatting.number(mean), "")


def said(best: Best | None, meta: Meta | None) -> tuple[str, str]:
    """(what it is, or why it does not count; role); both empty where there is nothing to say."""
    if best is not None:
        return f"{BEST} the {words(best)}", "good"
    reason = doubt(meta) if meta is not None else ""
    return (f"{DOUBT} does not count: {reason}", "warn") if reason else ("", "")
