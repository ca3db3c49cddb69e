"""Values as TOML text, and a TOML text's values."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from rltui import safe_io


def toml_values(text: str) -> dict[str, Any]:
    """As tomllib, for texts that anybody may have written. ValueError for what is no TOML, or out of all bounds."""
    safe_io.check_text(text)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None


def toml_value(value: Any) -> str:
    """One value on one line. Raises TypeError for what TOML does not have (None, arbitrary objects)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:_}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    raise TypeError(f"TOML has no {type(value).__name__}: {value!r}")


def default_words(default: str) -> str:
    """A default as people read it: `= ppo.batch`, which follows another key, as `that of ppo.batch`; other text as it is."""
    return default.replace("= ", "that of ", 1) if default.startswith("= ") else default


def toml_key(key: str) -> str:
    """A key, quoted where it must be."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_string(key)


def toml_string(text: str) -> str:
    """A basic string. JSON escapes are TOML's, but for DEL and lone surrogates, which TOML does not know."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _float(value: float) -> str:
    """The shortest text that reads back as the same number."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    text = repr(value)
    if 1e-3 <= abs(value) < 1e16 or value == 0:
        return text
    mantissa, exponent = next(
        short.split("e") for short in (f"{value:.{digits}e}" for digits in range(18)) if float(short) == value
    )
    return f"{mantissa}e{int(exponent)}"


def shown_value(value: Any) -> str:
    """A value as an error message shows it: TOML where possible, cut when long."""
    try:
        text = toml_value(value)
    except TypeError:
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
