"""What the terminal can show, told by the environment. Without Textual, for commands that paint by themselves."""

from __future__ import annotations

from collections.abc import Mapping


def needs_ascii(environ: Mapping[str, str]) -> bool:
    """True where the terminal is known not to draw UTF-8: TERM=dumb or linux, or a locale of another encoding.

    No locale at all says nothing (containers, Windows): UTF-8 is assumed. Python itself sets LC_CTYPE=C.UTF-8 where LANG
    is C, so that pair is read as the C locale it was.
    """
    if environ.get("TERM", "") in ("dumb", "linux"):
        return True
    lang = environ.get("LANG", "")
    ctype = environ.get("LC_CTYPE", "")
    if lang in ("C", "POSIX") and ctype == "C.UTF-8":
        ctype = ""
    locale = environ.get("LC_ALL", "") or ctype or lang
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")
