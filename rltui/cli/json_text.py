"""What `--json` prints, also where a folder's name is bytes that are no text, or would act on a terminal."""

from __future__ import annotations

from typing import Any

import msgspec

from rltui.safe_io import ACTS


def json_text(value: object) -> str:
    """Indented JSON, in which what acts on a terminal is written as `\\u001b`.

    Half characters, as Python reads odd file names, become question marks.
    """
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_as_text(msgspec.to_builtins(value)))
    return ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.format(encoded, indent=2).decode())


def _as_text(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_as_text(key): _as_text(part) for key, part in value.items()}
        case list() | tuple():
            return [_as_text(part) for part in value]
        case _:
            return value
