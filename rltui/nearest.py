"""What somebody may have meant by a name that does not exist: one answer for keys, values, names, options and commands."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CUTOFF = 0.6  # of difflib's likeness, 0–1
BEGUN = 3  # characters that say enough where only one name begins with them


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like it, capitals apart; the only one that begins so; "" where nothing is near."""
    names = {each.casefold(): each for each in known}
    wanted = name.strip().casefold()
    found = difflib.get_close_matches(wanted, names, n=1, cutoff=CUTOFF)
    if not found and len(wanted) >= BEGUN:
        begun = [each for each in names if each.startswith(wanted)]
        found = begun if len(begun) == 1 else []
    return names[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean "batch"?`, which begins a hint; "" where nothing is near."""
    found = nearest(name, known)
    return f'did you mean "{found}"?' if found else ""


def hints(*lines: str) -> str:
    """A hint's lines, one below the other, without the empty ones."""
    return "\n".join(line for line in lines if line)
